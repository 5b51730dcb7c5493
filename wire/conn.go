package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pggate/pggate/wire/sqlstate"
)

// A conn serves one client. Everything but the fields under mu and the slot
// running belongs to the goroutine of serve.
type conn struct {
	server  *Server
	sock    net.Conn // the TLS connection, once there is one
	in      frameReader
	out     output
	log     *slog.Logger
	session *Session

	ctx     context.Context // ends with the connection
	stop    context.CancelCauseFunc
	running running
	watcher watcher

	counted  bool     // among the server's clients
	told     []string // values of the reported settings as the client knows them
	skipping bool     // an extended message has failed: everything up to Sync is dropped

	mu      sync.Mutex
	idle    bool // waiting for the client's next message
	leaving bool // Shutdown has asked the client to go
}

func newConn(s *Server, sock net.Conn) *conn {
	c := &conn{server: s, log: s.log().With(slog.String("remote", sock.RemoteAddr().String()))}
	c.ctx, c.stop = context.WithCancelCause(context.Background())
	c.use(sock)
	return c
}

// use makes sock the connection; there must be nothing buffered of an old one.
func (c *conn) use(sock net.Conn) {
	c.sock = sock
	c.in.br = bufio.NewReaderSize(sock, inputBuffer)
	c.out.w = sock
}

// errEnd ends the message loop without a word: the client has said goodbye or
// is gone.
var errEnd = errors.New("connection ended")

// A fatalError ends the connection after the client has been told.
type fatalError struct{ err error }

func (e fatalError) Error() string { return e.err.Error() }
func (e fatalError) Unwrap() error { return e.err }

// serve is the life of a connection. Only a panic of the Handler, or of ours,
// is recovered here; it costs this client its connection and nobody else.
func (c *conn) serve() {
	defer c.sock.Close()
	defer c.stop(errGone)
	var pid int32
	defer func() {
		if pid != 0 {
			c.server.keys.remove(pid)
		}
	}()
	defer c.recover("serving")
	_ = c.sock.SetDeadline(time.Now().Add(startupTimeout))
	session, err := c.login()
	c.server.pending.Add(-1)
	if c.counted {
		defer c.server.clients.Add(-1)
	}
	if err != nil {
		c.end(err)
		return
	}
	_ = c.sock.SetDeadline(time.Time{})
	c.session = session
	c.log = c.log.With(slog.String("user", session.user))
	if err := c.server.Handler.Connect(c.ctx, session); err != nil {
		c.end(fatalError{err})
		return
	}
	defer c.disconnect()
	var secret [4]byte
	pid, secret = c.server.keys.add(&c.running)
	session.pid = pid
	c.announce(secret)
	c.end(c.loop())
}

// disconnect closes what the client has left open and tells the Handler.
func (c *conn) disconnect() {
	defer c.recover("disconnecting")
	c.session.objects.closeAll()
	c.server.Handler.Disconnect(c.session)
}

// recover turns a panic into XX000 for this client and ends its connection.
func (c *conn) recover(doing string) {
	p := recover()
	if p == nil {
		return
	}
	err := fmt.Errorf("panic while %s: %v\n%s", doing, p, debug.Stack())
	c.out.sendError(severityFatal, c.internal(err))
	_ = c.out.flush()
}

// end says why the connection ends, where there is somebody to hear it.
func (c *conn) end(err error) {
	var length lengthError
	if err == nil || errors.Is(err, errEnd) || errors.As(err, &length) || isNetwork(err) {
		_ = c.out.flush()
		return
	}
	e, _ := c.translate(c.ctx, err)
	if e.Code == sqlstate.ConnectionFailure {
		return
	}
	c.out.sendError(severityFatal, e)
	_ = c.sock.SetWriteDeadline(time.Now().Add(parting))
	_ = c.out.flush()
}

// isNetwork reports whether err is the end of the connection itself.
func isNetwork(err error) bool {
	var network net.Error
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &network)
}

// leave asks a client to go: at once if it is idle, else after its statement.
func (c *conn) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leaving = true
	if c.idle {
		_ = c.sock.SetReadDeadline(time.Unix(1, 0))
	}
}

// loop reads and runs messages until the connection ends.
func (c *conn) loop() error {
	for {
		typ, body, err := c.receive()
		if err != nil {
			return err
		}
		if err := c.dispatch(typ, body); err != nil {
			return err
		}
		if c.out.err != nil {
			return c.out.err
		}
	}
}

// receive gives the next message. Before it waits for the client it sends what
// the client may be waiting for.
func (c *conn) receive() (typ byte, body []byte, err error) {
	if c.in.br.Buffered() == 0 {
		if err := c.await(); err != nil {
			return 0, nil, err
		}
	}
	typ, size, err := c.in.header()
	if err != nil {
		return 0, nil, err
	}
	if !isFrontendMessage(typ) {
		return 0, nil, sqlstate.New(sqlstate.ProtocolViolation, "invalid frontend message type %d", typ)
	}
	if c.in.br.Buffered() < size && c.out.due {
		if err := c.out.flush(); err != nil {
			return 0, nil, err
		}
	}
	if c.skipping && typ != 'S' && typ != 'X' {
		// Skipped by its length, however long it is.
		_, err := io.CopyN(io.Discard, c.in.br, int64(size))
		return 0, nil, err
	}
	body, err = c.in.body(size)
	return typ, body, err
}

// await sends what is due and waits for the client to write something.
func (c *conn) await() error {
	if c.out.due {
		if err := c.out.flush(); err != nil {
			return err
		}
	}
	limit, expired := c.idleLimit()
	c.mu.Lock()
	if c.leaving {
		c.mu.Unlock()
		return shutdownError()
	}
	c.idle = true
	if limit > 0 {
		_ = c.sock.SetReadDeadline(time.Now().Add(limit))
	}
	c.mu.Unlock()

	_, err := c.in.br.Peek(1)

	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = false
	if limit > 0 || c.leaving {
		_ = c.sock.SetReadDeadline(time.Time{})
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if c.leaving {
			return shutdownError()
		}
		return expired
	}
	return err
}

// idleLimit is how long the client may now be idle, 0 for ever, and the error
// if it is idle for longer. Between the messages of one Sync it is not idle.
func (c *conn) idleLimit() (time.Duration, *sqlstate.Error) {
	if c.session.transaction.block {
		return time.Duration(c.session.number("idle_in_transaction_session_timeout")) * time.Millisecond,
			sqlstate.New(sqlstate.IdleInTransactionTimeout, "terminating connection due to idle-in-transaction timeout")
	}
	return time.Duration(c.session.number("idle_session_timeout")) * time.Millisecond,
		sqlstate.New(sqlstate.IdleSessionTimeout, "terminating connection due to idle-session timeout")
}

// isFrontendMessage knows the types that a client may send after login
// (postgres.c, SocketBackend).
func isFrontendMessage(typ byte) bool {
	switch typ {
	case 'Q', 'P', 'B', 'D', 'E', 'C', 'S', 'H', 'X', 'F', 'd', 'c', 'f':
		return true
	}
	return false
}

// dispatch runs one message. Its error ends the connection; what only the
// statement has failed with is told to the client on the way.
func (c *conn) dispatch(typ byte, body []byte) error {
	switch typ {
	case 'Q':
		return c.simpleQuery(body)
	case 'S':
		return c.sync()
	case 'X':
		return errEnd
	case 'H':
		c.out.due = true
		return nil
	case 'F':
		err := c.failed(c.ctx, sqlstate.New(sqlstate.FeatureNotSupported, "function calls by the fast path are not supported").
			WithHint("Call the function in a SELECT."))
		c.ready()
		return err
	case 'P', 'B', 'D', 'E', 'C':
		if err := c.extended(typ, body); err != nil {
			c.skipping = true
			return c.failed(c.ctx, err)
		}
	}
	// CopyData, CopyDone and CopyFail come here when a COPY has failed that
	// the client was still feeding; they are dropped without a word. So is
	// what receive has skipped.
	return nil
}

// failed tells the client of an error and lets the transaction fail. Its own
// error is for the errors that end the connection.
func (c *conn) failed(ctx context.Context, err error) error {
	var fatal fatalError
	if errors.As(err, &fatal) {
		return fatal
	}
	if c.out.err != nil {
		return c.out.err
	}
	e, severity := c.translate(ctx, err)
	if severity == severityFatal {
		if e.Code == sqlstate.ConnectionFailure {
			return errEnd
		}
		return fatalError{e}
	}
	c.sendNotices()
	c.out.sendError(severity, e)
	c.session.fail()
	return nil
}

// ready ends a Query or a Sync: settings that changed, then ReadyForQuery.
func (c *conn) ready() {
	c.sendNotices()
	if c.session.unreport {
		c.reportChanges()
	}
	c.out.send(&pgproto3.ReadyForQuery{TxStatus: c.session.status()})
	c.out.due = true
}

func (c *conn) sendNotices() {
	if len(c.session.notices) == 0 {
		return
	}
	for _, n := range c.session.Notices() {
		c.out.sendNotice(n)
	}
}

// attend puts cancel where a CancelRequest, statement_timeout and the end of
// the client find it; the returned function takes it away again.
func (c *conn) attend(cancel context.CancelCauseFunc) (release func()) {
	number := c.running.start(cancel)
	var timer *time.Timer
	if ms := c.session.number("statement_timeout"); ms > 0 {
		timer = time.AfterFunc(time.Duration(ms)*time.Millisecond, func() { c.running.interrupt(number, errTimeout) })
	}
	c.watcher.start(&c.in, func() { c.running.interrupt(number, errGone) })
	return func() {
		c.running.end()
		if timer != nil {
			timer.Stop()
		}
		c.watcher.stop(c.sock)
	}
}
