package backend

import (
	"context"
	"encoding/binary"
	"io"
	"unsafe"

	"github.com/pggate/pggate/semantic/sqltype"
)

// NewBytes is a vector of strings in Go's memory, for answers that no engine
// gives.
func NewBytes(values []string, nulls Nulls) *Bytes {
	size := 0
	for _, v := range values {
		if len(v) > len(String16{}.data) {
			size += len(v)
		}
	}
	b := &Bytes{Nulls: nulls, Data: make([]String16, len(values)), keep: make([]byte, 0, size)}
	for i, v := range values {
		s := &b.Data[i]
		s.size = uint32(len(v))
		if len(v) <= len(s.data) {
			copy(s.data[:], v)
			continue
		}
		at := len(b.keep)
		b.keep = append(b.keep, v...)
		copy(s.data[:4], v)
		// The address as bytes, as the engine writes it; keep holds the memory.
		binary.NativeEndian.PutUint64(s.data[4:], uint64(uintptr(unsafe.Pointer(&b.keep[at]))))
	}
	return b
}

// NewNulls is the mask in which the given rows of n are NULL.
func NewNulls(n int, rows ...int) Nulls {
	m := make(Nulls, (n+63)/64)
	for i := range m {
		m[i] = ^uint64(0)
	}
	for _, r := range rows {
		m[r>>6] &^= 1 << (uint(r) & 63)
	}
	return m
}

// NewRows is a cursor over chunks in memory, which may be shared by many.
func NewRows(columns []sqltype.Column, chunks ...*Chunk) Rows {
	return &memoryRows{columns: columns, chunks: chunks}
}

type memoryRows struct {
	columns []sqltype.Column
	chunks  []*Chunk
}

func (r *memoryRows) Columns() []sqltype.Column { return r.columns }

func (r *memoryRows) Next(ctx context.Context) (*Chunk, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(r.chunks) == 0 {
		return nil, io.EOF
	}
	c := r.chunks[0]
	r.chunks = r.chunks[1:]
	return c, nil
}

func (r *memoryRows) Close() error {
	r.chunks = nil
	return nil
}
