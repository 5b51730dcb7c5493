package gate

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/rewrite"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A command is a statement that is answered without the engine.
type command struct {
	gate *Gate
	stmt rewrite.Statement
}

func (c *command) Params() []sqltype.Type { return nil }
func (c *command) Close() error           { return nil }

func (c *command) Columns() []sqltype.Column {
	text := func(names ...string) []sqltype.Column {
		out := make([]sqltype.Column, len(names))
		for i, n := range names {
			out[i] = sqltype.Column{Name: n, Type: sqltype.Of(sqltype.Text)}
		}
		return out
	}
	switch stmt := c.stmt.(type) {
	case *rewrite.Show:
		if stmt.Name == "all" {
			return text("name", "setting", "description")
		}
		return text(stmt.Name)
	case *rewrite.Explain:
		return text("QUERY PLAN")
	}
	return nil
}

func (c *command) InFailed() bool {
	t, ok := c.stmt.(*rewrite.Transaction)
	return ok && (t.Kind == rewrite.Commit || t.Kind == rewrite.Rollback || t.Kind == rewrite.RollbackTo)
}

func (c *command) Run(_ context.Context, s *wire.Session, _ []backend.Value) (wire.Result, error) {
	switch stmt := c.stmt.(type) {
	case *rewrite.Set:
		return wire.Result{Tag: "SET"}, c.set(s, stmt)
	case *rewrite.Reset:
		if stmt.Name == "all" {
			s.ResetAll()
		} else if err := s.Reset(stmt.Name); err != nil {
			return wire.Result{}, err
		}
		return wire.Result{Tag: "RESET"}, c.follow(s)
	case *rewrite.Show:
		return c.show(s, stmt)
	case *rewrite.Transaction:
		return c.transaction(s, stmt)
	case *rewrite.Discard:
		if stmt.What == "ALL" {
			if s.InTransaction() {
				return wire.Result{}, sqlstate.New(sqlstate.ActiveTransaction, "DISCARD ALL cannot run inside a transaction block")
			}
			s.ResetAll()
			s.DeallocateAll()
		}
		if stmt.What == "PLANS" {
			return wire.Result{Tag: "DISCARD PLANS"}, nil
		}
		return wire.Result{Tag: "DISCARD " + stmt.What}, c.follow(s)
	case *rewrite.Deallocate:
		if stmt.Name == "" {
			s.DeallocateAll()
			return wire.Result{Tag: "DEALLOCATE ALL"}, nil
		}
		return wire.Result{Tag: "DEALLOCATE"}, s.DeallocatePrepared(stmt.Name)
	case *rewrite.Listen:
		return wire.Result{Tag: stmt.Tag}, nil
	case *rewrite.Explain:
		return c.explain(stmt)
	}
	return wire.Result{}, sqlstate.New(sqlstate.FeatureNotSupported, "this statement is not supported").WithHint("Queries, EXPLAIN, SET, SHOW, RESET and transaction statements are.")
}

func (c *command) set(s *wire.Session, stmt *rewrite.Set) error {
	if stmt.Local && !s.InTransaction() {
		s.Notice(&sqlstate.Error{Code: sqlstate.NoActiveTransaction, Message: "SET LOCAL can only be used in transaction blocks"})
		return nil
	}
	if stmt.Default {
		if err := s.Reset(stmt.Name); err != nil {
			return err
		}
	} else if err := s.Set(stmt.Name, stmt.Value, stmt.Local); err != nil {
		return err
	}
	return c.follow(s)
}

// follow lets the engine's session have the settings of the client's.
func (c *command) follow(s *wire.Session) error {
	if s.Backend == nil {
		return nil
	}
	zone, _ := s.Get("TimeZone")
	return s.Backend.Set(backend.Settings{TimeZone: zone})
}

func (c *command) show(s *wire.Session, stmt *rewrite.Show) (wire.Result, error) {
	if stmt.Name == "all" {
		var names, values, about []string
		for _, x := range s.Settings() {
			names, values, about = append(names, x.Name), append(values, x.Value), append(about, x.Description)
		}
		return wire.Result{Rows: textRows(c.Columns(), names, values, about), Tag: "SHOW"}, nil
	}
	value, ok := s.Get(stmt.Name)
	if !ok {
		return wire.Result{}, sqlstate.New(sqlstate.UndefinedObject, "unrecognized configuration parameter %q", stmt.Name)
	}
	columns := c.Columns()
	if name, ok := s.SettingName(stmt.Name); ok {
		columns[0].Name = name
	}
	return wire.Result{Rows: textRows(columns, []string{value}), Tag: "SHOW"}, nil
}

// textRows is a result of text columns, all of one length.
func textRows(columns []sqltype.Column, values ...[]string) backend.Rows {
	if len(values[0]) == 0 {
		return backend.NewRows(columns)
	}
	chunk := &backend.Chunk{Len: len(values[0])}
	for _, v := range values {
		chunk.Vectors = append(chunk.Vectors, backend.NewBytes(v, nil))
	}
	return backend.NewRows(columns, chunk)
}

func (c *command) transaction(s *wire.Session, stmt *rewrite.Transaction) (wire.Result, error) {
	apply := func() error {
		for _, x := range stmt.Settings {
			if err := s.Set(x.Name, x.Value, x.Local); err != nil {
				return err
			}
		}
		return nil
	}
	switch stmt.Kind {
	case rewrite.Begin:
		s.Begin()
		tag := "BEGIN"
		if stmt.Start {
			tag = "START TRANSACTION"
		}
		return wire.Result{Tag: tag}, apply()
	case rewrite.Commit:
		tag := s.Commit()
		if stmt.Chain {
			s.Begin()
		}
		return wire.Result{Tag: tag}, c.follow(s)
	case rewrite.Rollback:
		s.Rollback()
		if stmt.Chain {
			s.Begin()
		}
		return wire.Result{Tag: "ROLLBACK"}, c.follow(s)
	case rewrite.Savepoint:
		return wire.Result{Tag: "SAVEPOINT"}, s.Savepoint(stmt.Name)
	case rewrite.Release:
		return wire.Result{Tag: "RELEASE"}, s.Release(stmt.Name)
	case rewrite.RollbackTo:
		if err := s.RollbackTo(stmt.Name); err != nil {
			return wire.Result{}, err
		}
		return wire.Result{Tag: "ROLLBACK"}, c.follow(s)
	}
	if !stmt.Session && !s.InTransaction() {
		s.Notice(&sqlstate.Error{Code: sqlstate.NoActiveTransaction, Message: "SET TRANSACTION can only be used in transaction blocks"})
		return wire.Result{Tag: "SET"}, nil
	}
	return wire.Result{Tag: "SET"}, apply()
}

func (c *command) explain(stmt *rewrite.Explain) (wire.Result, error) {
	if stmt.Format == "json" {
		raw, err := json.MarshalIndent(stmt.Select, "", "  ")
		if err != nil {
			return wire.Result{}, err
		}
		return wire.Result{Rows: textRows(c.Columns(), []string{string(raw)}), Tag: "EXPLAIN"}, nil
	}
	return wire.Result{Rows: textRows(c.Columns(), Explanation(stmt.Select)), Tag: "EXPLAIN"}, nil
}

// Explanation says in lines how a statement is answered.
func Explanation(s *rewrite.Select) []string {
	var out []string
	add := func(title, text string) {
		if text = strings.TrimRight(text, "\n"); text == "" {
			return
		}
		out = append(out, title)
		for _, l := range strings.Split(text, "\n") {
			out = append(out, "  "+l)
		}
	}
	for _, b := range s.Blocks {
		add("Query on "+b.Relation, b.Query)
		add("Plan", b.Plan)
		add("Because", strings.Join(b.Trace, "\n"))
	}
	add("SQL", s.SQL)
	return out
}
