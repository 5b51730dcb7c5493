package wire

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"sync"
)

// A running is the slot of the statement that a connection is working on. The
// statement's number keeps a late time-out away from the one that follows.
type running struct {
	mu     sync.Mutex
	number uint64
	cancel context.CancelCauseFunc // nil between statements
}

func (r *running) start(cancel context.CancelCauseFunc) (number uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	r.cancel = cancel
	return r.number
}

func (r *running) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cancel = nil
}

// interrupt ends statement number, or whichever is running for number 0.
func (r *running) interrupt(number uint64, cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel != nil && (number == 0 || number == r.number) {
		r.cancel(cause)
	}
}

// cancelKeys finds the connection that a CancelRequest means.
type cancelKeys struct {
	mu   sync.Mutex
	last int32
	keys map[int32]cancelKey
}

type cancelKey struct {
	secret  [4]byte
	running *running
}

// add gives a connection its process id and secret.
func (k *cancelKeys) add(r *running) (pid int32, secret [4]byte) {
	rand.Read(secret[:]) // never fails (crypto/rand)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keys == nil {
		k.keys = make(map[int32]cancelKey)
	}
	for {
		if k.last++; k.last <= 0 {
			k.last = 1
		}
		if _, used := k.keys[k.last]; !used {
			break
		}
	}
	k.keys[k.last] = cancelKey{secret, r}
	return k.last, secret
}

func (k *cancelKeys) remove(pid int32) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.keys, pid)
}

// cancel ends what the connection pid is running if the secret is its own. It
// tells nobody whether it was (protocol-flow, "Canceling Requests in Progress").
func (k *cancelKeys) cancel(pid int32, secret []byte) {
	k.mu.Lock()
	key, ok := k.keys[pid]
	k.mu.Unlock()
	if subtle.ConstantTimeCompare(key.secret[:], secret) == 1 && ok {
		key.running.interrupt(0, errCanceled)
	}
}
