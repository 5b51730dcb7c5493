package wire

import (
	"errors"
	"net"
	"os"
	"time"
)

// watchDelay is how long a statement runs before anybody looks whether its
// client is still there: most are over by then and need no goroutine.
const watchDelay = 100 * time.Millisecond

// A watcher waits for input while a statement runs and so notices the end of
// the connection, as net/http does with its background read. Between start and
// stop it alone may use the reader; what it reads ahead stays in the buffer.
type watcher struct {
	timer *time.Timer
	done  chan struct{}
}

func (w *watcher) start(in *frameReader, gone func()) {
	done := make(chan struct{})
	w.done = done
	w.timer = time.AfterFunc(watchDelay, func() {
		defer close(done)
		for {
			n := in.br.Buffered()
			if n == in.br.Size() {
				return // a client that writes this much is there
			}
			if _, err := in.br.Peek(n + 1); err != nil {
				if !errors.Is(err, os.ErrDeadlineExceeded) {
					gone()
				}
				return
			}
		}
	})
}

// stop gives the reader back: it ends the goroutine by a deadline in the past
// and waits for it.
func (w *watcher) stop(sock net.Conn) {
	if w.timer.Stop() {
		return
	}
	// A socket that refuses a deadline is closed; the read has ended then.
	_ = sock.SetReadDeadline(time.Unix(1, 0))
	<-w.done
	_ = sock.SetReadDeadline(time.Time{})
}
