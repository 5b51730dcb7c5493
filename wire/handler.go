package wire

import (
	"context"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
)

// A Handler turns text into statements. The server calls it from one goroutine
// for each client; a *sqlstate.Error that it returns is what the client reads,
// and any other error becomes XX000 with a reference number. Its panic ends
// that client's connection only.
type Handler interface {
	// Connect is called once a client has been authenticated and its
	// settings applied. It refuses an unknown database (3D000) and may set
	// s.Backend. Disconnect is not called if it fails.
	Connect(ctx context.Context, s *Session) error
	// Disconnect is called once, after every statement of s is closed.
	Disconnect(s *Session)
	// Split takes a simple Query apart and drops the empty statements.
	Split(sql string) ([]Fragment, error)
	// Prepare makes a statement of text that holds exactly one; for none
	// both results are nil, and for several the error is 42601. params are
	// the declared types of $1, $2, ...; there may be fewer than parameters,
	// and object id 0 or sqltype.Unknown leaves one to be inferred. A nil
	// slice means a simple Query, where no parameter may occur (42P02).
	Prepare(ctx context.Context, s *Session, sql string, params []sqltype.Type) (Statement, error)
}

// A Fragment is one statement of a simple Query. Offset is the number of
// characters before it, by which the positions of its errors are moved.
type Fragment struct {
	Text   string
	Offset int
}

// A Statement is prepared text. It may run any number of times, and again while
// an earlier result is still being read.
type Statement interface {
	// Params are the types of the parameters, all of them known.
	Params() []sqltype.Type
	// Columns describe the rows; nil for a statement that gives none.
	Columns() []sqltype.Column
	// InFailed reports whether it may run in a failed transaction: COMMIT,
	// ROLLBACK and ROLLBACK TO may.
	InFailed() bool
	// Run executes the statement. ctx lasts until the result's rows are
	// closed; when it ends early, the rows end with an error.
	Run(ctx context.Context, s *Session, args []backend.Value) (Result, error)
	Close() error
}

// A Result is the outcome of a statement. With Rows, which the server closes,
// the number of rows is appended to a Tag that has one: "SELECT" becomes
// "SELECT 5", "FETCH" becomes "FETCH 2", "SHOW" stays.
type Result struct {
	Rows backend.Rows
	Tag  string
}
