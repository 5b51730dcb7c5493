// Package backend is the contract for running SQL (floor 1): text and typed
// arguments in, column chunks out. It knows no protocol, no model and no engine;
// backend/duckdb implements it and backend/backendtest is the suite that every
// implementation passes.
package backend

import (
	"context"

	"github.com/pggate/pggate/semantic/sqltype"
)

// A Backend opens sessions. It is safe for any number of goroutines.
type Backend interface {
	// Session opens one client's view of the engine.
	Session(ctx context.Context, s Settings) (Session, error)
	// Tables lists the relations of the attached database, for the catalogue
	// and for the binder's closed world.
	Tables(ctx context.Context) ([]sqltype.Table, error)
	Close() error
}

// Settings are what a session may differ in. Equal settings mean that compiled
// statements have the same meaning.
type Settings struct {
	TimeZone string // IANA name; "" is UTC
}

// A Session belongs to one client and one goroutine at a time. It may hold
// engine connections: one for each open Rows, since an engine may allow only
// one streamed result per connection. State that outlives a statement (a
// temporary table, a transaction that writes) has its place here.
type Session interface {
	Prepare(ctx context.Context, sql string) (Stmt, error)
	// Set changes the settings for statements prepared from now on.
	Set(s Settings) error
	// Close ends every statement and result that is still open.
	Close() error
}

// A Stmt is one prepared SELECT. It may be run any number of times, and again
// while an earlier result is still open.
type Stmt interface {
	// Params are the types of $1, $2, ... as the engine infers them;
	// sqltype.Unknown where it cannot tell.
	Params() []sqltype.Type
	Columns() []sqltype.Column
	// Query runs the statement. ctx ends the execution and the reading of
	// its rows; its context.Cause is the error then.
	Query(ctx context.Context, args []Value) (Rows, error)
	Close() error
}

// Rows is a pull cursor over column chunks. It is not safe for concurrent use.
// A Rows that nobody reads is a suspended portal: it holds its place and an
// engine connection, and disturbs no other statement.
type Rows interface {
	Columns() []sqltype.Column
	// Next gives the next chunk, valid until the next call or Close, and
	// io.EOF after the last. A chunk is never empty.
	Next(ctx context.Context) (*Chunk, error)
	// Close may come before the end and may come twice.
	Close() error
}
