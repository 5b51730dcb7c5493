package wire

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pggate/pggate/wire/sqlstate"
)

const (
	maxMessage  = 64 << 20 // bytes of one message after login
	readStep    = 64 << 10 // bytes of a body that are made room for at a time
	inputBuffer = 16 << 10 // bytes of read-ahead
	flushSize   = 64 << 10 // bytes of output in one write
	keepBuffer  = 1 << 20  // a buffer that grew beyond this is given back
)

// A frameReader reads messages: a type byte, a length that counts itself, a
// body. It reads through a bufio.Reader of our own, so that the bytes already
// there can be counted (is more input waiting?) and the next byte can be
// awaited without taking it (is the client still there?).
type frameReader struct {
	br  *bufio.Reader
	buf []byte
}

// A lengthError is a length that no message has. PostgreSQL closes the
// connection without a word then, since the place of the next message is lost.
type lengthError int32

func (e lengthError) Error() string { return fmt.Sprintf("invalid message length %d", int32(e)) }

// header reads the type of the next message and the length of its body.
func (r *frameReader) header() (typ byte, size int, err error) {
	var h [5]byte
	for i := range h {
		if h[i], err = r.br.ReadByte(); err != nil {
			if err == io.EOF && i > 0 {
				err = io.ErrUnexpectedEOF
			}
			return 0, 0, err
		}
	}
	n := int32(binary.BigEndian.Uint32(h[1:]))
	if n < 4 {
		return 0, 0, lengthError(n)
	}
	return h[0], int(n) - 4, nil
}

// body reads size bytes; they are valid until the next call. Room is made step
// by step as the bytes come, never from the number alone.
func (r *frameReader) body(size int) ([]byte, error) {
	if size > maxMessage {
		return nil, sqlstate.New(sqlstate.ProgramLimitExceeded, "message of %d bytes is too long", size).
			WithDetail("The limit is %d bytes.", maxMessage)
	}
	if cap(r.buf) > keepBuffer && size <= keepBuffer {
		r.buf = nil
	}
	r.buf = r.buf[:0]
	for len(r.buf) < size {
		have := len(r.buf)
		step := min(size-have, max(readStep, have))
		if cap(r.buf) < have+step {
			grown := make([]byte, have, have+step)
			copy(grown, r.buf)
			r.buf = grown
		}
		r.buf = r.buf[:have+step]
		if _, err := io.ReadFull(r.br, r.buf[have:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return r.buf, nil
}

// An output gathers messages and writes them 64 KiB at a time. The first
// failure to write stays; what is sent after it is dropped.
type output struct {
	w   io.Writer
	buf []byte
	due bool // a Sync or Flush has asked for what is in buf
	err error
}

// send appends a message.
func (o *output) send(m pgproto3.BackendMessage) {
	buf, err := m.Encode(o.buf)
	if err != nil {
		if o.err == nil {
			o.err = err
		}
		return
	}
	o.buf = buf
}

// flush writes what has been gathered.
func (o *output) flush() error {
	if o.err == nil && len(o.buf) > 0 {
		_, o.err = o.w.Write(o.buf)
	}
	if cap(o.buf) > keepBuffer {
		o.buf = nil
	}
	o.buf = o.buf[:0]
	o.due = false
	return o.err
}
