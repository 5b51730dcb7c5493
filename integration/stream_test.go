package integration

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

func queryMessage(sql string) *pgproto3.Query { return &pgproto3.Query{String: sql} }

// tenMillion gives ten million rows of four columns.
const tenMillion = "SELECT i::int8 AS a, i / 3.0::float8 AS b, 'row ' || i AS c, timestamp '2024-01-01' AS d FROM generate_series(1, 10000000) AS s(i)"

// resident is the memory of this process in use, in bytes (proc(5)).
func resident(t *testing.T) int64 {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("no /proc here")
	}
	pages, err := strconv.ParseInt(strings.Fields(string(raw))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

func TestTenMillionRowsInFlatMemory(t *testing.T) {
	c := shared.connect(t)
	ctx := context.Background()
	simple(c, "SELECT count(*) FROM generate_series(1, 1000)")
	before := resident(t)
	start := time.Now()
	rows, peak, first := 0, before, time.Duration(0)
	r := c.ExecParams(ctx, tenMillion, nil, nil, nil, []int16{1})
	for r.NextRow() {
		if rows == 0 {
			first = time.Since(start)
		}
		if rows++; rows%500_000 == 0 {
			peak = max(peak, resident(t))
		}
	}
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if rows != 10_000_000 {
		t.Errorf("%d rows", rows)
	}
	t.Logf("first row after %v, %.1f M rows/s, memory grew by %d MB", first, float64(rows)/1e6/time.Since(start).Seconds(), (peak-before)>>20)
	if grown := peak - before; grown > 150<<20 {
		t.Errorf("memory grew by %d MB", grown>>20)
	}
}

func TestCancelStopsAStream(t *testing.T) {
	for _, how := range []string{"simple", "extended"} {
		t.Run(how, func(t *testing.T) {
			c := shared.connect(t)
			ctx := context.Background()
			var r *pgconn.ResultReader
			var m *pgconn.MultiResultReader
			if how == "simple" {
				m = c.Exec(ctx, tenMillion)
				if !m.NextResult() {
					t.Fatal(m.Close())
				}
				r = m.ResultReader()
			} else {
				r = c.ExecParams(ctx, tenMillion, nil, nil, nil, nil)
			}
			for range 1000 {
				if !r.NextRow() {
					t.Fatal("the stream ended early")
				}
			}
			start := time.Now()
			if err := c.CancelRequest(ctx); err != nil {
				t.Fatal(err)
			}
			rows := 0
			for r.NextRow() {
				rows++
			}
			_, err := r.Close()
			if m != nil {
				err = errors.Join(err, m.Close())
			}
			var pe *pgconn.PgError
			if !errors.As(err, &pe) || pe.Code != "57014" {
				t.Errorf("the stream ended with %v", err)
			}
			t.Logf("stopped after %v and %d more rows", time.Since(start), rows)
			if a := simple(c, "SELECT 1"); len(a.rows) != 1 || a.rows[0] != "1" {
				t.Errorf("the session answers %v afterwards", a.rows)
			}
		})
	}
}

func TestStatementTimeout(t *testing.T) {
	c := shared.connect(t)
	a := simple(c, "SET statement_timeout = 100; SELECT count(*) FROM raw_year.items a, raw_year.items b WHERE a.amount + b.amount = 3")
	if len(a.rows) != 2 && len(a.rows) != 1 || !strings.HasPrefix(a.rows[0], "error 57014") {
		t.Errorf("%v", a.rows)
	}
}

// TestPortalsInterleave reads two suspended results in turn, with a new statement
// between, as a JDBC client with two result sets does.
func TestPortalsInterleave(t *testing.T) {
	c := shared.connect(t)
	f := c.Frontend()
	send := func(msgs ...pgproto3.FrontendMessage) {
		for _, m := range msgs {
			f.Send(m)
		}
		f.Send(&pgproto3.Flush{})
		if err := f.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	receive := func(until func(pgproto3.BackendMessage) bool) (values []string) {
		for {
			m, err := f.Receive()
			if err != nil {
				t.Fatal(err)
			}
			switch m := m.(type) {
			case *pgproto3.DataRow:
				values = append(values, string(m.Values[0]))
			case *pgproto3.ErrorResponse:
				t.Fatalf("%s %s", m.Code, m.Message)
			}
			if until(m) {
				return values
			}
		}
	}
	suspended := func(m pgproto3.BackendMessage) bool { _, ok := m.(*pgproto3.PortalSuspended); return ok }
	complete := func(m pgproto3.BackendMessage) bool { _, ok := m.(*pgproto3.CommandComplete); return ok }
	sql := "SELECT i FROM generate_series(1, 100000) AS s(i)"
	send(&pgproto3.Parse{Name: "b", Query: "BEGIN"}, &pgproto3.Bind{PreparedStatement: "b"}, &pgproto3.Execute{})
	receive(complete)
	send(&pgproto3.Parse{Name: "s", Query: sql}, &pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "s"}, &pgproto3.Bind{DestinationPortal: "q", PreparedStatement: "s"},
		&pgproto3.Execute{Portal: "p", MaxRows: 2})
	got := receive(suspended)
	for i := range 3 {
		send(&pgproto3.Execute{Portal: "q", MaxRows: uint32(i + 1)})
		got = append(got, receive(suspended)...)
		send(&pgproto3.Parse{Query: "SELECT MEASURE(order_count) FROM orders"}, &pgproto3.Bind{}, &pgproto3.Execute{})
		got = append(got, receive(complete)...)
		send(&pgproto3.Execute{Portal: "p", MaxRows: 1})
		got = append(got, receive(suspended)...)
	}
	if s := strings.Join(got, " "); s != "1 2 1 8 3 2 3 8 4 4 5 6 8 5" {
		t.Errorf("read %s", s)
	}
}
