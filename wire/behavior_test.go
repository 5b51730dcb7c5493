package wire_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pggate/pggate/wire"
	"github.com/pggate/pggate/wire/auth"
	"github.com/pggate/pggate/wire/wiretest"
)

func cancelLine(pid uint32, secret []byte) string {
	return fmt.Sprintf("bytes 00000010 04d2162e %08x %x", pid, secret)
}

func (f *fixture) cancel(t *testing.T, pid uint32, secret []byte) {
	t.Helper()
	k := wiretest.NewClient(f.dial(t))
	send(t, k, cancelLine(pid, secret))
	expect(t, k, "closed", "closed")
}

func TestCancel(t *testing.T) {
	f := serve(t, nil)
	for name, lines := range map[string][]string{
		"simple":   {"Q select pg_sleep(20)"},
		"extended": {`P "" "select pg_sleep(20)"`, `B "" ""`, `E "" 0`, "S"},
	} {
		t.Run(name, func(t *testing.T) {
			c := f.client(t)
			send(t, c, lines...)
			time.Sleep(50 * time.Millisecond)
			wrong := append([]byte(nil), c.Secret...)
			wrong[0] ^= 1
			f.cancel(t, c.PID, wrong)
			f.cancel(t, c.PID+1000, c.Secret)
			start := time.Now()
			time.Sleep(50 * time.Millisecond)
			f.cancel(t, c.PID, c.Secret)
			expect(t, c, "Z", "E ERROR 57014 canceling statement due to user request", "Z I")
			if d := time.Since(start); d > time.Second {
				t.Errorf("took %v", d)
			}
			send(t, c, "Q select 1")
			expect(t, c, "Z", `D "1"`, "C SELECT 1", "Z I")
		})
	}
}

func TestCancelMissesTheNextStatement(t *testing.T) {
	f := serve(t, nil)
	c := f.client(t)
	f.cancel(t, c.PID, c.Secret)
	send(t, c, "Q select pg_sleep(0.01)")
	expect(t, c, "Z", "C SELECT 1", "Z I")
}

func TestCancelWhileRowsAreWritten(t *testing.T) {
	f := serve(t, nil)
	c := f.client(t)
	send(t, c, "Q select generate_series(1, 300000), 'a text that fills the buffers of the socket before long, so that the server waits'")
	if first, err := c.Receive(); err != nil || !strings.HasPrefix(first, "T") {
		t.Fatal(first, err)
	}
	f.cancel(t, c.PID, c.Secret)
	expect(t, c, "Z", "E ERROR 57014 canceling statement due to user request", "Z I")
}

func TestStatementTimeout(t *testing.T) {
	f := serve(t, nil)
	c := f.client(t)
	send(t, c, "Q set statement_timeout = 50")
	expect(t, c, "Z", "C SET", "Z I")
	start := time.Now()
	send(t, c, "Q select pg_sleep(20)")
	expect(t, c, "Z", "E ERROR 57014 canceling statement due to statement timeout", "Z I")
	send(t, c, `P "" "select pg_sleep(20)"`, `B "" ""`, `E "" 0`, "S")
	expect(t, c, "Z", "E ERROR 57014 canceling statement due to statement timeout", "Z I")
	if d := time.Since(start); d > time.Second {
		t.Errorf("took %v", d)
	}
	// A suspended portal is not on the clock.
	send(t, c, "Q begin", `P "" "select generate_series(1, 3)"`, `B c ""`, "E c 1", "S")
	expect(t, c, "s", `D "1"`, "s")
	time.Sleep(100 * time.Millisecond)
	send(t, c, "E c 0", "S", "Q commit")
	expect(t, c, "C", `D "2"`, `D "3"`, "C SELECT 2")
}

func TestIdleTimeouts(t *testing.T) {
	f := serve(t, nil)
	c := f.client(t)
	send(t, c, "Q set idle_in_transaction_session_timeout = 50", "Q begin")
	expect(t, c, "closed", "E FATAL 25P03 terminating connection due to idle-in-transaction timeout", "closed")
	c = f.client(t)
	send(t, c, "Q set idle_session_timeout = 50")
	expect(t, c, "closed", "E FATAL 57P05 terminating connection due to idle-session timeout", "closed")
}

func TestClientGone(t *testing.T) {
	f := serve(t, nil)
	for name, lines := range map[string][]string{
		"while a statement runs": {"Q select pg_sleep(20)"},
		"with more written":      {"Q select pg_sleep(20)", "Q select 1", "X"},
		"with a portal open":     {"Q begin", `P "" "select generate_series(1, 9)"`, `B c ""`, "E c 1", "S"},
	} {
		t.Run(name, func(t *testing.T) {
			c := f.client(t)
			send(t, c, lines...)
			time.Sleep(50 * time.Millisecond)
			start := time.Now()
			c.Close()
			for f.handler.OpenSessions.Load() > 0 && time.Since(start) < 5*time.Second {
				time.Sleep(time.Millisecond)
			}
			if d := time.Since(start); d > time.Second {
				t.Errorf("the session ended after %v", d)
			}
		})
	}
}

func TestPanic(t *testing.T) {
	f := serve(t, nil)
	other := f.client(t)
	c := f.client(t)
	send(t, c, "Q select panic()")
	lines, err := c.Until("closed", 1)
	if err != nil || len(lines) != 2 || !strings.HasPrefix(lines[0], "E FATAL XX000 internal error, reference ") {
		t.Fatalf("got %q, %v", lines, err)
	}
	if ref := lines[0][strings.LastIndex(lines[0], " ")+1:]; !strings.Contains(f.log.String(), ref) || !strings.Contains(f.log.String(), "asked for") {
		t.Errorf("the log does not tell of %s:\n%s", ref, f.log)
	}
	send(t, other, "Q select 1")
	expect(t, other, "Z", `D "1"`, "C SELECT 1", "Z I")
}

func TestTooManyClients(t *testing.T) {
	f := serve(t, func(s *wire.Server) { s.MaxConns = 1 })
	first := f.client(t)
	c := wiretest.NewClient(f.dial(t))
	send(t, c, wiretest.StartupLine)
	expect(t, c, "closed", "E FATAL 53300 sorry, too many clients already", "closed")
	first.Close()
	deadline := time.Now().Add(2 * time.Second)
	for {
		c := wiretest.NewClient(f.dial(t))
		send(t, c, wiretest.StartupLine)
		lines, err := c.Until("Z", 1)
		if err != nil {
			t.Fatal(err)
		}
		if lines[len(lines)-1] == "Z I" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the place of the first client stays taken")
		}
	}
}

func TestLongMessages(t *testing.T) {
	f := serve(t, nil)
	c := f.client(t)
	send(t, c, "bytes 51 7fffffff")
	expect(t, c, "closed", "E FATAL 54000 message of 2147483643 bytes is too long", "closed")
	c = f.client(t)
	text := strings.Repeat("x", 300_000)
	send(t, c, "Q select '"+text+"' as t")
	expect(t, c, "Z", `D "`+text+`"`, "C SELECT 1", "Z I")
}

func TestShutdown(t *testing.T) {
	f := serve(t, nil)
	idle, inBlock, running := f.client(t), f.client(t), f.client(t)
	send(t, inBlock, "Q begin")
	expect(t, inBlock, "Z", "Z T")
	send(t, running, "Q select pg_sleep(0.3)")
	time.Sleep(50 * time.Millisecond)
	done := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		done <- f.server.Shutdown(ctx)
	}()
	const goodbye = "E FATAL 57P01 terminating connection due to administrator command"
	expect(t, idle, "closed", goodbye, "closed")
	expect(t, inBlock, "closed", goodbye, "closed")
	expect(t, running, "closed", "C SELECT 1", "Z I", goodbye, "closed")
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", f.addr); err == nil {
		t.Error("the server still accepts")
	}
}

func TestShutdownCutsStatements(t *testing.T) {
	f := serve(t, nil)
	c := f.client(t)
	send(t, c, "Q select pg_sleep(20)")
	time.Sleep(50 * time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := f.server.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown: %v", err)
	}
	expect(t, c, "closed", "E FATAL 57P01 terminating connection due to administrator command", "closed")
}

// TestShutdownOfAClientThatDoesNotRead must not wait for it.
func TestShutdownOfAClientThatDoesNotRead(t *testing.T) {
	f := serve(t, nil)
	c := f.client(t)
	send(t, c, "Q select generate_series(1, 300000), 'a text that fills the buffers of the socket before long, so that the server waits'")
	time.Sleep(100 * time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := f.server.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown: %v", err)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestDefaults(t *testing.T) {
	f := serve(t, func(s *wire.Server) {
		s.ServerVersion = "15.4"
		s.Defaults = map[string]string{"search_path": "shop", "default_transaction_read_only": "on", "pggate.max_rows": "7"}
	})
	c := f.client(t)
	for sql, want := range map[string]string{
		"show search_path": "shop", "show server_version_num": "150004", "show server_version": "15.4",
		"show transaction_read_only": "on", "show pggate.max_rows": "7",
	} {
		send(t, c, "Q "+sql)
		expect(t, c, "Z", fmt.Sprintf("D %q", want), "C SHOW", "Z I")
	}
	send(t, c, "Q set pggate.nope = 1")
	expect(t, c, "Z", `E ERROR 42704 unrecognized configuration parameter "pggate.nope"`, "Z I")
	send(t, c, "Q set pggate.max_rows = 8", "Q reset all", "Q show pggate.max_rows")
	expect(t, c, "D", `D "7"`)
}

func scram(t *testing.T, users map[string]string) *auth.SCRAM {
	t.Helper()
	verifiers := make(map[string]string)
	for user, password := range users {
		v, err := auth.NewVerifier(password)
		if err != nil {
			t.Fatal(err)
		}
		verifiers[user] = v
	}
	return &auth.SCRAM{Verifier: func(_ context.Context, user string) (string, bool) {
		v, ok := verifiers[user]
		return v, ok
	}}
}

func TestSCRAM(t *testing.T) {
	f := serve(t, func(s *wire.Server) { s.Auth = scram(t, map[string]string{"ann": "secret"}) })
	ctx := context.Background()
	for _, c := range []struct{ user, password, code string }{
		{"ann", "secret", ""}, {"ann", "wrong", "28P01"}, {"bob", "secret", "28P01"}, {"ann", "", "28P01"},
	} {
		conn, err := pgconn.Connect(ctx, fmt.Sprintf("postgres://%s:%s@%s/d?sslmode=prefer", c.user, c.password, f.addr))
		var e *pgconn.PgError
		switch {
		case err == nil && c.code == "":
			conn.Close(ctx)
		case c.password == "" && err != nil:
		case !errors.As(err, &e) || e.Code != c.code || e.Message != fmt.Sprintf("password authentication failed for user %q", c.user):
			t.Errorf("%s with %q: %v", c.user, c.password, err)
		}
	}
}

func TestSCRAMTakesNothingElse(t *testing.T) {
	f := serve(t, func(s *wire.Server) { s.Auth = scram(t, nil) })
	for _, line := range []string{"Q select 1", wiretest.StartupLine, "S", "msg p 00", `p "SCRAM-SHA-1\x00\x00\x00\x00\x03n,,"`, "bytes 70 7fffffff"} {
		c := wiretest.NewClient(f.dial(t))
		send(t, c, wiretest.StartupLine)
		expect(t, c, "R", `R 10 "SCRAM-SHA-256\x00\x00"`)
		send(t, c, line)
		lines, err := c.Until("closed", 1)
		if err != nil || !strings.HasPrefix(lines[0], "E FATAL 08P01 ") && lines[0] != "closed" {
			t.Errorf("%s: got %q, %v", line, lines, err)
		}
	}
}

func TestTLS(t *testing.T) {
	cert, pool := certificate(t)
	f := serve(t, func(s *wire.Server) { s.TLS = &tls.Config{Certificates: []tls.Certificate{cert}} })
	config, err := pgconn.ParseConfig("postgres://u@" + f.addr + "/d?sslmode=require")
	if err != nil {
		t.Fatal(err)
	}
	config.TLSConfig = &tls.Config{RootCAs: pool, ServerName: "localhost"}
	ctx := context.Background()
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	r := conn.ExecParams(ctx, "select $1::text", [][]byte{[]byte("encrypted")}, nil, nil, nil).Read()
	if r.Err != nil || string(r.Rows[0][0]) != "encrypted" {
		t.Errorf("got %q, %v", r.Rows, r.Err)
	}
	c := wiretest.NewClient(f.dial(t))
	send(t, c, "bytes 00000008 04d2162f 0000000800030000")
	expect(t, c, "closed", "E FATAL 08P01 received unencrypted data after SSL request", "closed")
}

func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}
