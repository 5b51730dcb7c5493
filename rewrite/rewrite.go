package rewrite

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/catalog"
	"github.com/pggate/pggate/rewrite/dialect"
	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// An Env is what a statement is compiled against. Two equal Envs and texts give
// equal Statements.
type Env struct {
	World      *World
	Database   string // as the client knows it
	User       string
	SearchPath []string // as set; "$user" is the user
	TimeZone   string
	PID        int32
	// Params are the types that the client declared for $1, $2, ...; nil where
	// there can be none, as in a simple Query.
	Params []sqltype.Type
	// Report asks for Select.Blocks, which EXPLAIN shows; otherwise they are
	// left out, since printing them costs more than compiling.
	Report bool
	// Setting gives the value of a session setting.
	Setting func(name string) (string, bool)
}

func (e *Env) setting(name, otherwise string) string {
	if e.Setting != nil {
		if v, ok := e.Setting(name); ok && v != "" {
			return v
		}
	}
	return otherwise
}

// schemas is the search path with the user's name put in.
func (e *Env) schemas() []string {
	var out []string
	for _, s := range e.SearchPath {
		if s == "$user" {
			s = e.User
		}
		out = append(out, s)
	}
	return out
}

// Rewrite compiles one statement. The error is a *sqlstate.Error with its
// position in sql. Nothing in it waits.
func Rewrite(env *Env, sql string) (Statement, error) {
	stmts, err := pgtree.Parse(sql)
	if err != nil {
		return nil, syntaxError(err)
	}
	switch len(stmts) {
	case 0:
		return &Empty{}, nil
	case 1:
	default:
		return nil, sqlstate.New(sqlstate.SyntaxError, "cannot insert multiple commands into a prepared statement")
	}
	stmt, err := rewrite(env, stmts[0].Node)
	if err != nil {
		return nil, characters(sql, err)
	}
	return stmt, nil
}

func rewrite(env *Env, n *pgtree.Node) (Statement, error) {
	if x := n.GetExplainStmt(); x != nil {
		return explain(env, x)
	}
	if n.GetSelectStmt() == nil {
		return command(n)
	}
	return selectStatement(env, n)
}

// selectStatement is the path of a query on one screen.
func selectStatement(env *Env, n *pgtree.Node) (*Select, error) {
	if err := refuse(n, env.Params == nil); err != nil {
		return nil, err
	}
	nameMeasures(n)
	dialect.NameTargets(n)
	c := &compiler{env: env}
	if err := dialect.CheckFunctions(n, c.knownFunction); err != nil {
		return nil, err
	}
	if err := c.query(n, nil, nil); err != nil {
		return nil, err
	}
	out := &Select{Blocks: c.reports, Notices: c.notices, Volatile: c.volatile}
	if names, known := outputNames(n); known {
		out.Columns = names
	}
	session := &catalog.Session{Database: env.Database, User: env.User, SearchPath: env.SearchPath, Settings: env.Setting, PID: env.PID}
	if err := catalog.Apply(n, session); err != nil {
		return nil, err
	}
	settings := dialect.Settings{TimeZone: env.TimeZone, Database: env.Database, User: env.User, Params: env.Params}
	if err := dialect.Apply(n, schema{env.World}, settings); err != nil {
		return nil, err
	}
	text, err := pgtree.Print(n)
	if err != nil {
		return nil, sqlstate.New(sqlstate.InternalError, "the statement cannot be printed").WithDetail("%v", err)
	}
	out.SQL = text
	return out, nil
}

// refuse turns down what no part of a query may hold.
func refuse(n *pgtree.Node, noParams bool) error {
	var bad error
	pgtree.Walk(n, func(c *pgtree.Node) bool {
		switch {
		case bad != nil:
			return false
		case c.GetParamRef() != nil && noParams:
			bad = at(sqlstate.New(sqlstate.UndefinedParameter, "there is no parameter $%d", c.GetParamRef().GetNumber()), c)
		case c.GetIntoClause() != nil:
			bad = at(sqlstate.New(sqlstate.ReadOnlyTransaction, "cannot execute SELECT INTO in a read-only transaction"), c)
		case c.GetInsertStmt() != nil, c.GetUpdateStmt() != nil, c.GetDeleteStmt() != nil, c.GetMergeStmt() != nil:
			bad = at(sqlstate.New(sqlstate.ReadOnlyTransaction, "cannot execute a data-modifying statement in a read-only transaction"), c)
		case c.GetColumnRef() != nil, c.GetRangeVar() != nil, c.GetFuncCall() != nil:
			// A zero byte marks what this package puts into a tree.
			parts, _ := pgtree.ColumnParts(c)
			if rv := c.GetRangeVar(); rv != nil {
				parts = []string{rv.GetCatalogname(), rv.GetSchemaname(), rv.GetRelname()}
			}
			if call := c.GetFuncCall(); call != nil {
				parts = pgtree.NameParts(call.GetFuncname())
				if len(parts) > 2 {
					bad = at(sqlstate.New(sqlstate.FeatureNotSupported, "cross-database references are not implemented: %s", strings.Join(parts, ".")), c)
				}
			}
			if slices.ContainsFunc(parts, func(s string) bool { return strings.IndexByte(s, 0) >= 0 }) {
				bad = at(sqlstate.New(sqlstate.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": 0x00"), c)
			}
		}
		return true
	})
	return bad
}

// knownFunction tells dialect.CheckFunctions which names besides its own exist.
func (c *compiler) knownFunction(schema, name string) bool {
	// ANY_VALUE is younger than PostgreSQL 15, and a form of a measure.
	if schema == "" && (measureCall(name) || name == "any_value") {
		return true
	}
	if catalog.IsFunction(schema, name) {
		c.volatile = true
		return true
	}
	return false
}

// schema answers dialect.Schema from the world.
type schema struct{ world *World }

func (s schema) Columns(database, schema, name string) ([]sqltype.Column, bool) {
	if t, ok := s.world.tables[[2]string{schema, name}]; ok && database == s.world.database {
		return t.Columns, true
	}
	return catalog.Columns(database, schema, name)
}

// explain compiles the query of an EXPLAIN.
func explain(env *Env, x *pg.ExplainStmt) (Statement, error) {
	out := &Explain{Format: "text"}
	for _, o := range x.GetOptions() {
		d := o.GetDefElem()
		switch strings.ToLower(d.GetDefname()) {
		case "analyze":
			out.Analyze = defElemBool(d)
		case "format":
			out.Format = strings.ToLower(d.GetArg().GetString_().GetSval())
			if out.Format != "text" && out.Format != "json" {
				return nil, unsupported(o, "Use FORMAT TEXT or FORMAT JSON.", "EXPLAIN format %q is not supported", out.Format)
			}
		case "verbose", "costs", "settings", "generic_plan", "buffers", "wal", "timing", "summary", "memory", "serialize", "semantic":
		default:
			return nil, at(sqlstate.New(sqlstate.SyntaxError, "unrecognized EXPLAIN option %q", d.GetDefname()), o)
		}
	}
	if out.Analyze {
		return nil, unsupported(nil, "Use EXPLAIN without ANALYZE.", "EXPLAIN ANALYZE is not supported")
	}
	if x.GetQuery().GetSelectStmt() == nil {
		return nil, unsupported(x.GetQuery(), "Explain a SELECT.", "only a query can be explained")
	}
	asked := *env
	asked.Report = true
	sel, err := selectStatement(&asked, x.GetQuery())
	if err != nil {
		return nil, err
	}
	out.Select = sel
	return out, nil
}

func defElemBool(d *pg.DefElem) bool {
	if d.GetArg() == nil {
		return true
	}
	switch {
	case d.GetArg().GetBoolean() != nil:
		return d.GetArg().GetBoolean().GetBoolval()
	case d.GetArg().GetInteger() != nil:
		return d.GetArg().GetInteger().GetIval() != 0
	}
	switch strings.ToLower(d.GetArg().GetString_().GetSval()) {
	case "false", "off":
		return false
	}
	return true
}

// A Fragment is one statement of a text and the characters before it.
type Fragment struct {
	Text   string
	Offset int
}

// Split cuts a text into its statements; empty ones are dropped. The error is a
// *sqlstate.Error: as in PostgreSQL nothing of a text runs that does not parse.
func Split(sql string) ([]Fragment, error) {
	stmts, err := pgtree.Parse(sql)
	if err != nil {
		return nil, syntaxError(err)
	}
	out := make([]Fragment, 0, len(stmts))
	for _, s := range stmts {
		out = append(out, Fragment{Text: sql[s.Start:s.End], Offset: len([]rune(sql[:s.Start]))})
	}
	return out, nil
}
