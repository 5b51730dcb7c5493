package duckdb

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A conn is one engine connection. It runs one statement at a time, and one
// streamed result: a second statement would end the first.
type conn struct {
	c        bindings.Connection
	settings backend.Settings
}

// maxIdle bounds the connections that wait for work, for each set of settings.
const maxIdle = 64

func (db *DB) connect(s backend.Settings) (*conn, error) {
	c := &conn{settings: normal(s)}
	if bindings.Connect(db.db, &c.c) != bindings.StateSuccess {
		return nil, sqlstate.New(sqlstate.TooManyConnections, "the engine gives no more connections")
	}
	setup := append([]string{}, perConnection...)
	setup = append(setup, "SET TimeZone = '"+strings.ReplaceAll(c.settings.TimeZone, "'", "''")+"'")
	for _, sql := range setup {
		if err := c.exec(context.Background(), sql); err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

// lease takes a connection from the pool or makes one.
func (db *DB) lease(s backend.Settings) (*conn, error) {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil, sqlstate.New(sqlstate.AdminShutdown, "the engine is closed")
	}
	db.open.Add(1)
	if list := db.pool[s]; len(list) > 0 {
		c := list[len(list)-1]
		db.pool[s] = list[:len(list)-1]
		db.mu.Unlock()
		return c, nil
	}
	db.mu.Unlock()
	c, err := db.connect(s)
	if err != nil {
		db.open.Done()
		return nil, err
	}
	return c, nil
}

// giveBack returns a connection whose statements and results are destroyed. It
// carries nothing of its user: no statement that could leave state is ever run.
func (db *DB) giveBack(c *conn) {
	db.mu.Lock()
	keep := !db.closed && len(db.pool[c.settings]) < maxIdle
	if keep {
		db.pool[c.settings] = append(db.pool[c.settings], c)
	}
	db.mu.Unlock()
	if !keep {
		c.close()
	}
	db.open.Done()
}

func (c *conn) close() { bindings.Disconnect(&c.c) }

// exec runs SQL without looking at rows.
func (c *conn) exec(ctx context.Context, sql string) error {
	defer c.interruptible(ctx)()
	var res bindings.Result
	state := bindings.Query(c.c, sql, &res)
	defer bindings.DestroyResult(&res)
	if state != bindings.StateSuccess {
		return resultError(ctx, &res)
	}
	return nil
}

// interruptible makes a done context interrupt the connection until the caller
// is through: an interrupt that comes before the engine has begun is lost, so it
// is repeated.
func (c *conn) interruptible(ctx context.Context) (through func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	var over atomic.Bool
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		for wait := time.Millisecond; !over.Load(); wait = min(2*wait, 50*time.Millisecond) {
			bindings.Interrupt(c.c)
			time.Sleep(wait)
		}
	})
	return func() {
		over.Store(true)
		if !stop() {
			<-ended // nobody may interrupt the connection's next statement
		}
	}
}
