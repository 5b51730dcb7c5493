package wire_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pggate/pggate/wire"
	"github.com/pggate/pggate/wire/wiretest"
)

var rewrite = flag.Bool("rewrite", false, "write what came back into the scripts")

// A fixture is a server on a loopback port; when its test ends, everything it
// had must be gone.
type fixture struct {
	server  *wire.Server
	handler *wiretest.Handler
	addr    string
	log     *lockedBuffer
	done    chan error
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func serve(t testing.TB, change func(*wire.Server)) *fixture {
	t.Helper()
	before := runtime.NumGoroutine()
	log := &lockedBuffer{}
	h := &wiretest.Handler{}
	f := &fixture{
		server:  &wire.Server{Handler: h, Log: slog.New(slog.NewTextHandler(log, nil))},
		handler: h, log: log, done: make(chan error, 1),
	}
	if change != nil {
		change(f.server)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.addr = l.Addr().String()
	go func() { f.done <- f.server.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := f.server.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := <-f.done; !errors.Is(err, wire.ErrServerClosed) {
			t.Errorf("Serve: %v", err)
		}
		for what, n := range map[string]int64{"rows": h.OpenRows.Load(), "sessions": h.OpenSessions.Load(), "statements": h.Statements.Load()} {
			if n != 0 {
				t.Errorf("%d %s are still open", n, what)
			}
		}
		deadline := time.Now().Add(2 * time.Second)
		for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		if n := runtime.NumGoroutine(); n > before {
			stacks := make([]byte, 1<<16)
			t.Errorf("%d goroutines, %d at the start\n%s", n, before, stacks[:runtime.Stack(stacks, true)])
		}
	})
	return f
}

func (f *fixture) dial(t testing.TB) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", f.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// client is one that has logged in.
func (f *fixture) client(t testing.TB) *wiretest.Client {
	t.Helper()
	c := wiretest.NewClient(f.dial(t))
	send(t, c, wiretest.StartupLine)
	expect(t, c, "Z", "Z I")
	return c
}

func send(t testing.TB, c *wiretest.Client, lines ...string) {
	t.Helper()
	if err := c.Send(lines...); err != nil {
		t.Fatal(err)
	}
}

// expect reads up to a message with the letter and compares the last ones.
func expect(t testing.TB, c *wiretest.Client, letter string, want ...string) {
	t.Helper()
	got, err := c.Until(letter, 1)
	if err != nil {
		t.Fatalf("got %q, then %v", got, err)
	}
	if len(got) < len(want) || strings.Join(got[len(got)-len(want):], "\n") != strings.Join(want, "\n") {
		t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestScripts(t *testing.T) {
	f := serve(t, nil)
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			wiretest.RunScript(t, path, func(t *testing.T) net.Conn { return f.dial(t) }, false, *rewrite)
		})
	}
}

// TestScriptsAgainstPostgreSQL runs the same scripts against PostgreSQL 15 at
// the address in PGGATE_POSTGRES, which must trust the user postgres.
func TestScriptsAgainstPostgreSQL(t *testing.T) {
	addr := os.Getenv("PGGATE_POSTGRES")
	if addr == "" {
		t.Skip("PGGATE_POSTGRES is not set")
	}
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			wiretest.RunScript(t, path, func(t *testing.T) net.Conn {
				c, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				return c
			}, true, *rewrite)
		})
	}
}
