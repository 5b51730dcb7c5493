package backend_test

import (
	"context"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/pggate/pggate/backend"
)

func TestNewBytes(t *testing.T) {
	values := []string{"", "twelve bytes", "thirteen byte", strings.Repeat("long ", 1000)}
	v := backend.NewBytes(values, backend.NewNulls(len(values), 1))
	runtime.GC()
	for i, want := range values {
		if got := string(v.Data[i].Bytes()); got != want {
			t.Errorf("row %d: got %q, want %q", i, got, want)
		}
		if got := v.Null(i); got != (i == 1) {
			t.Errorf("row %d: NULL is %v", i, got)
		}
	}
}

func TestNewRows(t *testing.T) {
	chunk := &backend.Chunk{Len: 1, Vectors: []backend.Vector{&backend.Of[int32]{Data: []int32{1}}}}
	rows := backend.NewRows(nil, chunk)
	if got, err := rows.Next(context.Background()); got != chunk || err != nil {
		t.Fatalf("first Next: %v, %v", got, err)
	}
	if _, err := rows.Next(context.Background()); err != io.EOF {
		t.Fatalf("second Next: %v, want EOF", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(io.ErrClosedPipe)
	if _, err := backend.NewRows(nil, chunk).Next(ctx); err != io.ErrClosedPipe {
		t.Fatalf("Next of an ended context: %v, want its cause", err)
	}
}
