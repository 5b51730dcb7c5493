package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pggate/pggate/wire/auth"
)

const (
	defaultVersion = "15.18"
	// startupTimeout is how long a login may take. Whoever takes longer is
	// not a client but somebody who holds a socket.
	startupTimeout = 10 * time.Second
	// maxPending is how many connections may be logging in at a time.
	maxPending = 200
	// parting is how long a client that is being sent away may take to read
	// the message that says so.
	parting = time.Second
)

// ErrServerClosed is what Serve returns after Shutdown.
var ErrServerClosed = errors.New("wire: server closed")

// A Server accepts clients and runs their messages. The zero value with a
// Handler works. Its fields must not change while it serves; its methods may be
// called from any goroutine.
type Server struct {
	Handler  Handler
	Auth     auth.Method // nil: trust
	Log      *slog.Logger
	TLS      *tls.Config // nil: SSLRequest is declined
	MaxConns int         // clients that are logged in or logging in; 0: no limit

	// ServerVersion is what clients take for PostgreSQL's, "15.18" if empty.
	ServerVersion string
	// Defaults are values of settings in place of the built-in ones, also of
	// those that no client may change. A name that begins with "pggate."
	// makes a setting of that name.
	Defaults map[string]string

	keys    cancelKeys
	pending atomic.Int32 // connections that are logging in
	clients atomic.Int32 // connections that count towards MaxConns

	mu        sync.Mutex
	closed    bool
	listeners map[net.Listener]struct{}
	conns     map[*conn]struct{}
	wait      sync.WaitGroup // one for each connection
}

// Serve accepts clients until Shutdown, when it returns ErrServerClosed, or
// until the listener fails.
func (s *Server) Serve(l net.Listener) error {
	if !s.track(l) {
		l.Close()
		return ErrServerClosed
	}
	defer s.untrack(l)
	pause := time.Duration(0)
	for {
		sock, err := l.Accept()
		if err != nil {
			if s.isClosed() {
				return ErrServerClosed
			}
			// Out of descriptors, most likely: the next close frees one.
			var temporary interface{ Temporary() bool }
			if errors.As(err, &temporary) && temporary.Temporary() {
				pause = min(max(2*pause, 5*time.Millisecond), time.Second)
				s.log().Warn("accept failed", slog.Any("error", err))
				time.Sleep(pause)
				continue
			}
			return err
		}
		pause = 0
		s.accept(sock)
	}
}

// accept starts the goroutine of a connection.
func (s *Server) accept(sock net.Conn) {
	if tcp, ok := sock.(*net.TCPConn); ok {
		// A peer that vanished without a word is found within a minute.
		_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 15 * time.Second, Count: 3})
	}
	if s.pending.Load() >= maxPending {
		sock.Close()
		return
	}
	c := newConn(s, sock)
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		sock.Close()
		return
	}
	if s.conns == nil {
		s.conns = make(map[*conn]struct{})
	}
	s.conns[c] = struct{}{}
	s.wait.Add(1)
	s.mu.Unlock()
	s.pending.Add(1)
	go func() {
		defer s.wait.Done()
		defer s.forget(c)
		c.serve()
	}()
}

func (s *Server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// Shutdown stops accepting and sends idle clients away with 57P01. Running
// statements may finish until ctx ends; then they are cancelled and their
// clients sent away too, and the error is that of ctx. It returns when every
// connection is closed.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	for l := range s.listeners {
		l.Close()
	}
	conns := make([]*conn, 0, len(s.conns))
	for c := range s.conns {
		conns = append(conns, c)
	}
	s.mu.Unlock()
	for _, c := range conns {
		c.leave()
	}
	done := make(chan struct{})
	go func() {
		s.wait.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	for _, c := range conns {
		c.stop(errShutdown)
		// Whoever does not read shall not hold up the rest.
		_ = c.sock.SetWriteDeadline(time.Now().Add(parting))
	}
	select {
	case <-done:
		return ctx.Err()
	case <-time.After(2 * parting):
	}
	for _, c := range conns {
		c.sock.Close()
	}
	<-done
	return ctx.Err()
}

func (s *Server) track(l net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	if s.listeners == nil {
		s.listeners = make(map[net.Listener]struct{})
	}
	s.listeners[l] = struct{}{}
	return true
}

func (s *Server) untrack(l net.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, l)
	l.Close()
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *Server) log() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}

func (s *Server) version() string {
	if s.ServerVersion == "" {
		return defaultVersion
	}
	return s.ServerVersion
}
