package duckdb

import (
	"context"
	"io"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
)

// rows is a streamed result. It keeps its prepared copy, and so its connection,
// until it is closed.
type rows struct {
	stmt     *stmt
	prepared *prepared
	res      bindings.Result
	readers  []reader
	chunk    bindings.DataChunk
	out      backend.Chunk
	done     bool
	closed   bool
}

func (r *rows) Columns() []sqltype.Column { return r.stmt.columns }

// Next fetches a chunk and lays views over its vectors.
func (r *rows) Next(ctx context.Context) (*backend.Chunk, error) {
	if r.done || r.closed {
		return nil, io.EOF
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	through := r.prepared.conn.interruptible(ctx)
	r.dropChunk()
	r.chunk = bindings.FetchChunk(r.res)
	through()
	if r.chunk.Ptr == nil {
		r.done = true
		if text := bindings.ResultError(&r.res); text != "" {
			return nil, resultError(ctx, &r.res)
		}
		return nil, io.EOF
	}
	n := int(bindings.DataChunkGetSize(r.chunk))
	if n == 0 {
		r.done = true
		return nil, io.EOF
	}
	r.out.Len = n
	if r.out.Vectors == nil {
		r.out.Vectors = make([]backend.Vector, len(r.readers))
	}
	for i, rd := range r.readers {
		r.out.Vectors[i] = rd.read(bindings.DataChunkGetVector(r.chunk, bindings.IdxT(i)), n)
	}
	return &r.out, nil
}

func (r *rows) dropChunk() {
	if r.chunk.Ptr != nil {
		bindings.DestroyDataChunk(&r.chunk)
		r.chunk = bindings.DataChunk{}
	}
}

// Close gives the prepared copy back to its statement.
func (r *rows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.dropChunk()
	bindings.DestroyResult(&r.res)
	delete(r.stmt.rows, r)
	if r.stmt.closed {
		r.stmt.release(r.prepared)
	} else {
		r.stmt.idle = append(r.stmt.idle, r.prepared)
	}
	return nil
}
