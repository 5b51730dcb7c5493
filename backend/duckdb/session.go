package duckdb

import (
	"context"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A session is one client's view: settings, and statements to end with it.
type session struct {
	db       *DB
	settings backend.Settings
	stmts    map[*stmt]struct{}
}

// Set changes the settings for statements prepared from now on.
func (s *session) Set(to backend.Settings) error {
	s.settings = normal(to)
	return nil
}

// Close ends every statement and result that is still open.
func (s *session) Close() error {
	for st := range s.stmts {
		st.Close()
	}
	return nil
}

// Prepare prepares exactly one SELECT. The text comes from the gateway's own
// compiler; that it is one query is checked all the same.
func (s *session) Prepare(ctx context.Context, sql string) (backend.Stmt, error) {
	st := &stmt{session: s, sql: sql, settings: s.settings, rows: map[*rows]struct{}{}}
	p, err := st.prepare(ctx)
	if err != nil {
		return nil, err
	}
	st.describe(p)
	st.idle = append(st.idle, p)
	s.stmts[st] = struct{}{}
	return st, nil
}

// A stmt is one prepared SELECT. Each prepared copy of it has a connection of
// its own, since an open result keeps its connection busy.
type stmt struct {
	session  *session
	sql      string
	settings backend.Settings
	params   []sqltype.Type
	columns  []sqltype.Column
	idle     []*prepared
	rows     map[*rows]struct{}
	closed   bool
}

// A prepared is the statement on one connection.
type prepared struct {
	conn *conn
	p    bindings.PreparedStatement
}

func (st *stmt) prepare(ctx context.Context) (*prepared, error) {
	c, err := st.session.db.lease(st.settings)
	if err != nil {
		return nil, err
	}
	p := &prepared{conn: c}
	if err := p.prepare(ctx, st.sql); err != nil {
		st.session.db.giveBack(c)
		return nil, err
	}
	return p, nil
}

func (p *prepared) prepare(ctx context.Context, sql string) error {
	defer p.conn.interruptible(ctx)()
	var list bindings.ExtractedStatements
	n := bindings.ExtractStatements(p.conn.c, sql, &list)
	defer bindings.DestroyExtracted(&list)
	if n == 0 {
		return translate(ctx, bindings.ErrorTypeParser, bindings.ExtractStatementsError(list))
	}
	if n != 1 {
		return sqlstate.New(sqlstate.InternalError, "the compiled text is %d statements", n)
	}
	if bindings.PrepareExtractedStatement(p.conn.c, list, 0, &p.p) != bindings.StateSuccess {
		err := prepareError(ctx, bindings.PrepareError(p.p))
		bindings.DestroyPrepare(&p.p)
		return err
	}
	if kind := bindings.PreparedStatementType(p.p); kind != bindings.StatementTypeSelect {
		bindings.DestroyPrepare(&p.p)
		return sqlstate.New(sqlstate.InternalError, "the compiled text is no query")
	}
	return nil
}

func (st *stmt) describe(p *prepared) {
	for i := bindings.IdxT(1); i <= bindings.NParams(p.p); i++ {
		t := bindings.ParamLogicalType(p.p, i)
		st.params = append(st.params, paramType(t))
		bindings.DestroyLogicalType(&t)
	}
	for i := bindings.IdxT(0); i < bindings.PreparedStatementColumnCount(p.p); i++ {
		t := bindings.PreparedStatementColumnLogicalType(p.p, i)
		st.columns = append(st.columns, sqltype.Column{Name: bindings.PreparedStatementColumnName(p.p, i), Type: sqlType(t)})
		bindings.DestroyLogicalType(&t)
	}
}

func (st *stmt) Params() []sqltype.Type    { return st.params }
func (st *stmt) Columns() []sqltype.Column { return st.columns }

// Close ends the statement; results of it that are open end, too.
func (st *stmt) Close() error {
	if st.closed {
		return nil
	}
	st.closed = true
	delete(st.session.stmts, st)
	for r := range st.rows {
		r.Close()
	}
	for _, p := range st.idle {
		st.release(p)
	}
	st.idle = nil
	return nil
}

func (st *stmt) release(p *prepared) {
	bindings.DestroyPrepare(&p.p)
	st.session.db.giveBack(p.conn)
}

// Query runs the statement on a copy that no open result uses.
func (st *stmt) Query(ctx context.Context, args []backend.Value) (backend.Rows, error) {
	if st.closed {
		return nil, sqlstate.New(sqlstate.InvalidStatementName, "the statement is closed")
	}
	if len(args) != len(st.params) {
		return nil, sqlstate.New(sqlstate.ProtocolViolation, "%d arguments for %d parameters", len(args), len(st.params))
	}
	var p *prepared
	if n := len(st.idle); n > 0 {
		p, st.idle = st.idle[n-1], st.idle[:n-1]
	} else {
		var err error
		if p, err = st.prepare(ctx); err != nil {
			return nil, err
		}
	}
	r, err := st.run(ctx, p, args)
	if err != nil {
		st.idle = append(st.idle, p)
		return nil, err
	}
	st.rows[r] = struct{}{}
	return r, nil
}

func (st *stmt) run(ctx context.Context, p *prepared, args []backend.Value) (*rows, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	defer p.conn.interruptible(ctx)()
	for i := range args {
		if err := bind(p.p, bindings.IdxT(i+1), &args[i]); err != nil {
			return nil, err
		}
	}
	var pending bindings.PendingResult
	if bindings.PendingPreparedStreaming(p.p, &pending) != bindings.StateSuccess {
		err := prepareError(ctx, bindings.PendingError(pending))
		bindings.DestroyPending(&pending)
		return nil, err
	}
	defer bindings.DestroyPending(&pending)
	r := &rows{stmt: st, prepared: p}
	if bindings.ExecutePending(pending, &r.res) != bindings.StateSuccess {
		err := resultError(ctx, &r.res)
		bindings.DestroyResult(&r.res)
		return nil, err
	}
	for i := bindings.IdxT(0); i < bindings.ColumnCount(&r.res); i++ {
		t := bindings.ColumnLogicalType(&r.res, i)
		r.readers = append(r.readers, newReader(t))
		bindings.DestroyLogicalType(&t)
	}
	return r, nil
}
