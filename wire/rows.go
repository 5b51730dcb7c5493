package wire

import (
	"encoding/binary"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// maxRow is the length of a DataRow that PostgreSQL's clients still take
// (MaxAllocSize); a longer one must never be sent, for its length would not be
// believed.
const maxRow = 1<<30 - 1

// A rowWriter writes the rows of column chunks as DataRow messages, straight
// from the vectors. Each column's encoder is chosen at the first chunk.
type rowWriter struct {
	env     *encodeEnv
	columns []sqltype.Column
	formats []int16
	cells   []cell
	chunk   *backend.Chunk
	row     int
}

// A cell is one column of the current chunk.
type cell struct {
	vector  backend.Vector
	encoder encoder
}

func (w *rowWriter) init(s *Session, columns []sqltype.Column, format func(int) int16) {
	w.env = newEncodeEnv(s)
	w.columns = columns
	w.formats = make([]int16, len(columns))
	for i := range columns {
		w.formats[i] = format(i)
	}
}

// left is the number of rows of the chunk that are still to be written.
func (w *rowWriter) left() int {
	if w.chunk == nil {
		return 0
	}
	return w.chunk.Len - w.row
}

// bind goes over to the next chunk.
func (w *rowWriter) bind(chunk *backend.Chunk) error {
	if len(chunk.Vectors) != len(w.columns) {
		return sqlstate.New(sqlstate.InternalError, "result has %d columns, but %d were described", len(chunk.Vectors), len(w.columns))
	}
	if w.cells == nil {
		w.cells = make([]cell, len(w.columns))
	}
	for i, v := range chunk.Vectors {
		c := &w.cells[i]
		if c.encoder == nil || !c.encoder.bind(v) {
			c.encoder = newEncoder(v, w.columns[i].Type, w.formats[i], w.env)
		}
		c.vector = v
	}
	w.chunk, w.row = chunk, 0
	return nil
}

// write sends at most limit rows (0: all) of the chunk. A row goes into the
// buffer whole or not at all.
func (w *rowWriter) write(o *output, limit int) (count int, err error) {
	end := w.chunk.Len
	if limit > 0 && w.row+limit < end {
		end = w.row + limit
	}
	buf := o.buf
	for ; w.row < end; w.row++ {
		start := len(buf)
		buf = append(buf, 'D', 0, 0, 0, 0, byte(len(w.cells)>>8), byte(len(w.cells)))
		for i := range w.cells {
			c := &w.cells[i]
			if c.vector.Null(w.row) {
				buf = append(buf, 0xff, 0xff, 0xff, 0xff)
				continue
			}
			at := len(buf)
			buf = append(buf, 0, 0, 0, 0)
			buf = c.encoder.append(buf, w.row)
			binary.BigEndian.PutUint32(buf[at:], uint32(len(buf)-at-4))
		}
		size := len(buf) - start - 1
		if size > maxRow {
			w.env.fail(sqlstate.New(sqlstate.ProgramLimitExceeded, "row of %d bytes is too long", size).
				WithDetail("The limit is %d bytes.", maxRow))
		}
		if w.env.err != nil {
			o.buf = buf[:start]
			return count, w.env.err
		}
		binary.BigEndian.PutUint32(buf[start+1:], uint32(size))
		count++
		if len(buf) >= flushSize {
			o.buf = buf
			due := o.due
			if err := o.flush(); err != nil {
				w.row++
				return count, err
			}
			o.due = due
			buf = o.buf
		}
	}
	o.buf = buf
	return count, nil
}
