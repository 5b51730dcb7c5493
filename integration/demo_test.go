package integration

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pggate/pggate/cmd/pggate/gate"
)

// output collects what the command prints, for one reader at a time.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

var served = regexp.MustCompile(`psql -h (\S+) -p (\d+)`)

// A demo is `pggate demo` running in this process.
type demo struct {
	host, port string
	out        *output
	stop       func() int // ends it as Ctrl-C would, and gives the exit code
}

func startDemo() (*demo, error) {
	ctx, cancel := context.WithCancel(context.Background())
	out := &output{}
	code := make(chan int, 1)
	go func() { code <- gate.Main(ctx, []string{"demo", "--listen", "127.0.0.1:0"}, out, out) }()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if m := served.FindStringSubmatch(out.String()); m != nil {
			return &demo{host: m[1], port: m[2], out: out, stop: func() int { cancel(); return <-code }}, nil
		}
		select {
		case c := <-code:
			cancel()
			return nil, fmt.Errorf("the demo ended with %d: %s", c, out)
		default:
		}
	}
	cancel()
	return nil, fmt.Errorf("the demo did not come up: %s", out)
}

func (d *demo) url() string {
	return fmt.Sprintf("postgres://ann@%s:%s/shop?sslmode=disable", d.host, d.port)
}

func (d *demo) connect(t testing.TB) *pgconn.PgConn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c, err := pgconn.Connect(ctx, d.url())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// shared is one demo for all tests that only ask.
var shared *demo

func TestMain(m *testing.M) {
	var err error
	if shared, err = startDemo(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if c := shared.stop(); c != 0 && code == 0 {
		fmt.Fprintf(os.Stderr, "the demo ended with %d: %s\n", c, shared.out)
		code = 1
	}
	os.Exit(code)
}

func TestDemoSaysHowToConnect(t *testing.T) {
	out := shared.out.String()
	for _, want := range []string{"building the shop", "building a year of orders", "psql -h 127.0.0.1", "order_count"} {
		if !strings.Contains(out, want) {
			t.Errorf("the demo does not print %q:\n%s", want, out)
		}
	}
}
