package gate

import (
	"context"
	"time"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/rewrite"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A query is a SELECT that the engine has prepared.
type query struct {
	gate     *Gate
	stmt     *rewrite.Select
	prepared backend.Stmt
	params   []sqltype.Type
	columns  []sqltype.Column
	compile  time.Duration
	text     string
}

func (q *query) Params() []sqltype.Type    { return q.params }
func (q *query) Columns() []sqltype.Column { return q.columns }
func (q *query) InFailed() bool            { return false }
func (q *query) Close() error              { return q.prepared.Close() }

func (q *query) Run(ctx context.Context, s *wire.Session, args []backend.Value) (wire.Result, error) {
	for _, n := range q.stmt.Notices {
		s.Notice(&sqlstate.Error{Code: "00000", Message: n})
	}
	start := time.Now()
	rows, err := q.prepared.Query(ctx, args)
	q.gate.Log.Debug("statement", "user", s.User(), "compile", q.compile, "engine", time.Since(start), "error", err, "sql", q.text)
	if err != nil {
		return wire.Result{}, err
	}
	return wire.Result{Rows: rows, Tag: "SELECT"}, nil
}
