// Package gate is the composition of pggate (floor 3): the only package that
// sees the protocol, the compiler and the engine. Its Gate answers a client's
// statements by handing each from one floor to the next.
package gate

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/rewrite"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A Gate implements wire.Handler over a database and the models that describe
// it. It is safe for any number of clients.
type Gate struct {
	// Database is the name that clients connect to.
	Database string
	Backend  backend.Backend
	Log      *slog.Logger

	world atomic.Pointer[rewrite.World]
	cache *cache
}

// New makes a gate of a world. More memory than entries compiled statements is
// never held.
func New(database string, engine backend.Backend, world *rewrite.World, log *slog.Logger) *Gate {
	g := &Gate{Database: database, Backend: engine, Log: log, cache: newCache(1024)}
	g.world.Store(world)
	return g
}

// World is what names mean now.
func (g *Gate) World() *rewrite.World { return g.world.Load() }

// Connect opens the client's session with the engine.
func (g *Gate) Connect(ctx context.Context, s *wire.Session) error {
	if s.Database() != g.Database {
		return sqlstate.New(sqlstate.InvalidCatalogName, "database %q does not exist", s.Database())
	}
	zone, _ := s.Get("TimeZone")
	var err error
	s.Backend, err = g.Backend.Session(ctx, backend.Settings{TimeZone: zone})
	return err
}

// Disconnect gives the engine's session back.
func (g *Gate) Disconnect(s *wire.Session) {
	if s.Backend == nil {
		return
	}
	if err := s.Backend.Close(); err != nil {
		g.Log.Warn("the engine's session did not close", "error", err)
	}
}

// Split takes a simple Query apart.
func (g *Gate) Split(sql string) ([]wire.Fragment, error) {
	list, err := rewrite.Split(sql)
	if err != nil {
		return nil, err
	}
	out := make([]wire.Fragment, len(list))
	for i, f := range list {
		out[i] = wire.Fragment{Text: f.Text, Offset: f.Offset}
	}
	return out, nil
}

// Prepare compiles a statement, or finds it compiled, and prepares it.
func (g *Gate) Prepare(ctx context.Context, s *wire.Session, sql string, params []sqltype.Type) (wire.Statement, error) {
	start := time.Now()
	env := g.env(s, params)
	stmt, err := g.cache.compile(env, sql)
	if err != nil {
		return nil, err
	}
	compiled := time.Since(start)
	switch stmt := stmt.(type) {
	case *rewrite.Empty:
		return nil, nil
	case *rewrite.Select:
		prepared, err := s.Backend.Prepare(ctx, stmt.SQL)
		if err != nil {
			return nil, err
		}
		return &query{gate: g, stmt: stmt, prepared: prepared, params: declared(prepared.Params(), params), columns: named(prepared.Columns(), stmt.Columns), compile: compiled, text: sql}, nil
	}
	return &command{gate: g, stmt: stmt}, nil
}

// env is what the session's statements are compiled against.
func (g *Gate) env(s *wire.Session, params []sqltype.Type) *rewrite.Env {
	path, _ := s.Get("search_path")
	zone, _ := s.Get("TimeZone")
	names, _ := wire.SplitIdentifiers(path)
	return &rewrite.Env{
		World: g.world.Load(), Database: g.Database, User: s.User(), SearchPath: names, TimeZone: zone, PID: s.PID(),
		Params: params, Setting: s.Get,
	}
}

// declared prefers the types that the client gave to those the engine infers.
// What neither knows is text, as in PostgreSQL.
func declared(inferred, given []sqltype.Type) []sqltype.Type {
	out := make([]sqltype.Type, len(inferred))
	for i, t := range inferred {
		switch {
		case i < len(given) && given[i].OID != 0 && given[i].OID != sqltype.Unknown:
			out[i] = given[i]
		case t.OID == 0 || t.OID == sqltype.Unknown:
			out[i] = sqltype.Of(sqltype.Text)
		default:
			out[i] = t
		}
	}
	return out
}

// named gives the columns PostgreSQL's names.
func named(columns []sqltype.Column, names []string) []sqltype.Column {
	if len(names) != len(columns) {
		return columns
	}
	out := make([]sqltype.Column, len(columns))
	copy(out, columns)
	for i := range out {
		out[i].Name = names[i]
	}
	return out
}
