package integration

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pggate/pggate/cmd/pggate/gate"
)

// alive asks a question that has one answer: other sessions are unharmed.
func alive(t *testing.T) {
	t.Helper()
	c := shared.connect(t)
	a := simple(c, "SELECT MEASURE(order_count) FROM orders")
	if len(a.rows) != 1 || a.rows[0] != "8" {
		t.Fatalf("another session answers %v", a.rows)
	}
	c.Close(context.Background())
}

func raw(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", net.JoinHostPort(shared.host, shared.port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

func TestGarbageOnThePort(t *testing.T) {
	for _, text := range []string{"GET / HTTP/1.1\r\n\r\n", "\x00\x00\x00\x00", "\x7f\xff\xff\xff\x00\x03\x00\x00", "\x00\x00\x00\x08\x04\xd2\x16\x2f\x00", strings.Repeat("\xff", 5000), "\x16\x03\x01\x02\x00\x01"} {
		c := raw(t)
		if _, err := io.WriteString(c, text); err != nil {
			continue
		}
		if cw, ok := c.(*net.TCPConn); ok {
			cw.CloseWrite()
		}
		if _, err := io.Copy(io.Discard, c); err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%q keeps the connection open", text)
		}
	}
	alive(t)
}

func TestOversizeMessage(t *testing.T) {
	c := shared.connect(t)
	// A header that promises a gigabyte.
	conn := c.Conn()
	msg := binary.BigEndian.AppendUint32([]byte{'Q'}, 1<<30)
	if _, err := conn.Write(append(msg, "SELECT"...)); err != nil {
		t.Fatal(err)
	}
	conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	got, err := io.ReadAll(conn)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) && !strings.Contains(err.Error(), "reset") {
		t.Fatal(err)
	}
	if !bytes.Contains(got, []byte("FATAL")) || !bytes.Contains(got, []byte("08P01")) && !bytes.Contains(got, []byte("54000")) {
		t.Errorf("the answer to an oversize message is %q", got)
	}
	alive(t)
}

func TestTextThatWouldKillTheParser(t *testing.T) {
	c := shared.connect(t)
	for _, sql := range []string{"SELECT 1" + strings.Repeat("+1", 42000), "SELECT " + strings.Repeat("(", 42000), "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 42000)} {
		for _, a := range []answer{simple(c, sql), extended(c, check{sql: sql}, 0)} {
			if len(a.rows) == 0 || !strings.HasPrefix(a.rows[0], "error 54001") {
				t.Errorf("%s: %.40s: %v", a.how, sql, a.rows)
			}
		}
	}
	if a := simple(c, "SELECT 1"); len(a.rows) != 1 || a.rows[0] != "1" {
		t.Errorf("the session answers %v afterwards", a.rows)
	}
	alive(t)
}

func TestErrorThenValidInOnePipeline(t *testing.T) {
	c := shared.connect(t)
	ctx := context.Background()
	p := c.StartPipeline(ctx)
	p.SendQueryParams("SELECT * FROM no_such_relation", nil, nil, nil, nil)
	p.SendPipelineSync()
	p.SendQueryParams("SELECT MEASURE(order_count) FROM orders", nil, nil, nil, nil)
	if err := p.Sync(); err != nil {
		t.Fatal(err)
	}
	var states []string
	var rows int
	for {
		r, err := p.GetResults()
		var pe *pgconn.PgError
		if errors.As(err, &pe) {
			states = append(states, pe.Code)
			continue
		}
		if err != nil || r == nil {
			break
		}
		if rr, ok := r.(*pgconn.ResultReader); ok {
			for rr.NextRow() {
				rows++
			}
			if _, err := rr.Close(); errors.As(err, &pe) {
				states = append(states, pe.Code)
			}
		}
	}
	p.Close()
	if strings.Join(states, " ") != "42P01" || rows != 1 {
		t.Errorf("states %v and %d rows, want 42P01 and one row", states, rows)
	}
}

func TestFailedTransaction(t *testing.T) {
	c := shared.connect(t)
	for _, step := range []struct{ sql, want string }{
		{"BEGIN", ""}, {"SELECT nope FROM orders", "error 42703"}, {"SELECT 1", "error 25P02"}, {"ROLLBACK", ""}, {"SELECT 1", "1"},
	} {
		a := simple(c, step.sql)
		got := strings.Join(a.rows, " ")
		if !strings.HasPrefix(got, step.want) || step.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", step.sql, got, step.want)
		}
	}
}

func TestBadCommandLines(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.yaml")
	if err := os.WriteFile(broken, []byte("version: \"0.2.0.dev0\"\nsemantic_model:\n  - name: m\n    datasets:\n      - name: d\n        sorce: raw.d\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	nodb := filepath.Join(dir, "none.duckdb")
	text := filepath.Join(dir, "text.duckdb")
	if err := os.WriteFile(text, bytes.Repeat([]byte("this is no database\n"), 1000), 0o644); err != nil {
		t.Fatal(err)
	}
	shop := "../models/examples/shop/shop.yaml"
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"broken model", []string{"validate", broken}, 1, []string{broken + ":6:9:", "sorce", "source"}},
		{"missing database", []string{"serve", "--models", shop, "--db", nodb, "--listen", "127.0.0.1:0"}, 1, []string{"does not exist", "none.duckdb"}},
		{"no database", []string{"serve", "--models", shop, "--db", text, "--listen", "127.0.0.1:0"}, 1, []string{"cannot be opened"}},
		{"port in use", []string{"demo", "--listen", net.JoinHostPort(shared.host, shared.port)}, 1, []string{"in use", "--listen"}},
		{"open listener without users", []string{"serve", "--models", shop, "--db", nodb, "--listen", "0.0.0.0:0"}, 1, []string{"does not exist"}},
		{"demo for everyone", []string{"demo", "--listen", "0.0.0.0:5999"}, 2, []string{"127.0.0.1"}},
		{"unknown flag", []string{"serve", "--nope"}, 2, []string{"--nope"}},
		{"unknown command", []string{"sevre"}, 2, []string{"sevre"}},
		{"unknown metric", []string{"compile", "--models", shop, "SELECT revenu FROM orders"}, 1, []string{`column "revenu" does not exist (line 1, column 8)`, `Did you mean "revenue"`}},
		{"nothing asked", []string{"query", "--demo"}, 2, []string{"--metrics"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := &output{}
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			code := gate.Main(ctx, c.args, out, out)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			for _, w := range c.want {
				if !strings.Contains(out.String(), w) {
					t.Errorf("the output does not hold %q:\n%s", w, out)
				}
			}
		})
	}
}

// TestNothingIsLeftOver ends a demo of its own and counts goroutines: clients
// that vanished while rows streamed leave nothing behind.
func TestNothingIsLeftOver(t *testing.T) {
	before := runtime.NumGoroutine()
	d, err := startDemo()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		ctx := context.Background()
		c, err := pgconn.Connect(ctx, d.url())
		if err != nil {
			t.Fatal(err)
		}
		c.Frontend().SendQuery(queryMessage("SELECT a.order_id, b.item_id FROM raw_year.orders a, raw_year.items b"))
		if err := c.Frontend().Flush(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
		c.Conn().Close() // gone in the middle of the rows
	}
	if code := d.stop(); code != 0 {
		t.Errorf("the demo ends with %d: %s", code, d.out)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if n := runtime.NumGoroutine(); n <= before {
			return
		} else if time.Now().After(deadline) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before\n%s", n, before, buf[:runtime.Stack(buf, true)])
		}
	}
}
