package wire

import (
	"fmt"
	"io"
	"testing"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
)

const benchRows = 2048

// benchChunk is bigint, double precision, text of twelve bytes, timestamp.
func benchChunk() ([]sqltype.Column, *backend.Chunk) {
	ints, floats := make([]int64, benchRows), make([]float64, benchRows)
	stamps, texts := make([]int64, benchRows), make([]string, benchRows)
	for i := range benchRows {
		ints[i] = int64(i) * 1_000_003
		floats[i] = float64(i) * 1.37
		stamps[i] = 1_767_323_045_000_000 + int64(i)*1_234_567
		texts[i] = fmt.Sprintf("customer%04d", i)
	}
	columns := []sqltype.Column{
		{Name: "a", Type: sqltype.Of(sqltype.Int8)}, {Name: "b", Type: sqltype.Of(sqltype.Float8)},
		{Name: "c", Type: sqltype.Of(sqltype.Text)}, {Name: "d", Type: sqltype.Of(sqltype.Timestamp)},
	}
	return columns, &backend.Chunk{Len: benchRows, Vectors: []backend.Vector{
		&backend.Of[int64]{Data: ints}, &backend.Of[float64]{Data: floats}, backend.NewBytes(texts, nil), &backend.Of[int64]{Data: stamps},
	}}
}

func benchWriter(format int16) (*rowWriter, *output, *backend.Chunk) {
	columns, chunk := benchChunk()
	w := &rowWriter{}
	w.init(NewSession("u", "d"), columns, func(int) int16 { return format })
	return w, &output{w: io.Discard, buf: make([]byte, 0, 2*flushSize)}, chunk
}

func benchmarkRows(b *testing.B, format int16) {
	w, o, chunk := benchWriter(format)
	b.ReportAllocs()
	for n := 0; n < b.N; n += benchRows {
		if err := w.bind(chunk); err != nil {
			b.Fatal(err)
		}
		if _, err := w.write(o, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkRowsText(b *testing.B)   { benchmarkRows(b, formatText) }
func BenchmarkRowsBinary(b *testing.B) { benchmarkRows(b, formatBinary) }

// TestRowsDoNotAllocate holds the writer to its promise, per chunk.
func TestRowsDoNotAllocate(t *testing.T) {
	for _, format := range []int16{formatText, formatBinary} {
		w, o, chunk := benchWriter(format)
		run := func() {
			if err := w.bind(chunk); err != nil {
				t.Fatal(err)
			}
			if _, err := w.write(o, 0); err != nil {
				t.Fatal(err)
			}
		}
		run()
		if n := testing.AllocsPerRun(20, run); n != 0 {
			t.Errorf("format %d: %v allocations for %d rows", format, n, benchRows)
		}
	}
}

// countingWriter counts writes and bytes.
type countingWriter struct{ writes, bytes, least int }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.writes++
	w.bytes += len(p)
	if w.least == 0 || len(p) < w.least {
		w.least = len(p)
	}
	return len(p), nil
}

// TestRowsAreWrittenInLargePieces: one write for each 64 KiB.
func TestRowsAreWrittenInLargePieces(t *testing.T) {
	w, o, chunk := benchWriter(formatText)
	count := &countingWriter{}
	o.w = count
	for range 20 {
		if err := w.bind(chunk); err != nil {
			t.Fatal(err)
		}
		if _, err := w.write(o, 0); err != nil {
			t.Fatal(err)
		}
	}
	if count.writes == 0 || count.least < flushSize {
		t.Errorf("%d writes of %d bytes, the smallest of %d", count.writes, count.bytes, count.least)
	}
}
