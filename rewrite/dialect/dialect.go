// Package dialect turns a finished tree of PostgreSQL's grammar into one whose
// printed text means the same to DuckDB (floor 2).
//
// NameTargets and CheckFunctions look at the client's tree, before names are
// bound; Apply is the last step before printing. Apply first gives types to the
// expressions (types.go, beside the tree), then goes over the tree once,
// children first, and lets the passes of the table below look at each node.
// What DuckDB cannot say in one expression is a macro of macros.sql, which
// Script gives to whoever opens the engine.
package dialect

import (
	_ "embed"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A Schema answers for the base relations of the final tree.
type Schema interface {
	Columns(database, schema, name string) ([]sqltype.Column, bool)
}

// Settings are what a statement depends on besides its text.
type Settings struct {
	TimeZone       string
	Database, User string
	Params         []sqltype.Type // declared types of $1, $2, ...; OID 0 for none
}

// Script puts the macros into this schema of the engine's in-memory database for
// the gateway's own objects.
const (
	macroDatabase = "pggate"
	macroSchema   = "dialect"
)

//go:embed macros.sql
var script string

// Script is the SQL that creates the macros that translated statements call.
// It is run once when the engine is opened, after the in-memory database
// "pggate" has been attached.
func Script() string { return script }

// A pass rewrites one kind of difference. The first pass that answers with
// another node decides; what it put in is not looked at again.
type pass struct {
	name   string
	reason string
	run    func(t *translation, n *pgtree.Node) (*pgtree.Node, error)
}

// passes in the order in which they look at a node. Most care for one kind of
// node, so the order matters only between those that share one.
var passes = [...]pass{
	{"locking", "rows of a read-only database need no locks, and DuckDB has no FOR UPDATE", locking},
	{"limit", "DuckDB has no WITH TIES", limit},
	{"order", "the place of NULLs is written out, and USING becomes ASC or DESC", order},
	{"collation", "text is compared by its bytes, as under the collation C", collation},
	{"session", "the session's values are the gateway's, not the engine's", session},
	{"literal", "numbers with an exponent are numeric, not double", literal},
	{"cast", "types have other names and other rules of conversion", cast},
	{"operator", "operators that DuckDB lacks, or reads otherwise", operator},
	{"function", "functions that DuckDB lacks, names otherwise or answers otherwise", function},
	{"from", "a function in FROM gives named columns", from},
	{"row", "a row has no text form in DuckDB", row},
	{"parameter", "a declared parameter has its type whatever stands around it", parameter},
}

// Apply translates the SELECT statement root in place. The error is a
// *sqlstate.Error whose position is a byte offset + 1 into the client's text.
func Apply(root *pgtree.Node, schema Schema, s Settings) error {
	sel := root.GetSelectStmt()
	if sel == nil {
		return sqlstate.New(sqlstate.InternalError, "only a query can be translated")
	}
	t := &translation{settings: s, notes: newNotes(), names: make(map[*pgtree.Node]string)}
	typer := &typer{schema: schema, params: s.Params, notes: t.notes}
	typer.query(sel, nil)
	if typer.err != nil {
		return typer.err
	}
	pgtree.Map(root, t.node)
	if t.err == nil {
		output(sel)
	}
	return t.err
}

// output gives the columns that a client sees PostgreSQL's types where only the
// description would tell the difference: a bare NULL is text, which the engine
// has for an int4, and GROUPING is an int4, which the engine has for an int8.
func output(sel *pg.SelectStmt) {
	if sel.GetLarg() != nil {
		return
	}
	for _, n := range sel.GetTargetList() {
		switch target := n.GetResTarget(); {
		case isNull(target.GetVal()):
			target.Val = pgtree.Cast(target.GetVal(), []string{"varchar"})
		case target.GetVal().GetGroupingFunc() != nil:
			target.Val = pgtree.Cast(target.GetVal(), []string{"int4"})
		}
	}
}

// A translation is one run of Apply.
type translation struct {
	settings Settings
	notes    *notes
	names    map[*pgtree.Node]string // of calls in FROM that were replaced
	err      error                   // the first refusal
}

func (t *translation) node(n *pgtree.Node) *pgtree.Node {
	if t.err != nil {
		return n
	}
	for _, p := range passes {
		out, err := p.run(t, n)
		if err != nil {
			t.err = err
			return n
		}
		if out != n {
			t.notes.carry(n, out)
			if t.notes.from[n] {
				t.names[out] = callName(n)
			}
			return out
		}
	}
	return n
}

// refuse is an error at n.
func refuse(n *pgtree.Node, code sqlstate.Code, format string, args ...any) *sqlstate.Error {
	e := sqlstate.New(code, format, args...)
	if at := pgtree.Location(n); at >= 0 {
		e.Position = at + 1
	}
	return e
}

func unsupported(n *pgtree.Node, format string, args ...any) *sqlstate.Error {
	return refuse(n, sqlstate.FeatureNotSupported, format, args...)
}

// constant gives the text of a string constant, also under a cast to text.
func constant(n *pgtree.Node) (string, bool) {
	if c := n.GetAConst(); c != nil {
		if s, ok := c.GetVal().(*pg.A_Const_Sval); ok && !c.GetIsnull() {
			return s.Sval.GetSval(), true
		}
		return "", false
	}
	if c := n.GetTypeCast(); c != nil && len(c.GetTypeName().GetTypmods()) == 0 {
		switch oid, array := typeOID(c.GetTypeName()); {
		case array:
		case oid == sqltype.Text, oid == sqltype.Varchar, oid == sqltype.BPChar, oid == sqltype.Name:
			return constant(c.GetArg())
		}
	}
	return "", false
}

// integer gives the value of an integer constant, also a negative one.
func integer(n *pgtree.Node) (int64, bool) {
	if c := n.GetAConst(); c != nil {
		if i, ok := c.GetVal().(*pg.A_Const_Ival); ok && !c.GetIsnull() {
			return int64(i.Ival.GetIval()), true
		}
		return 0, false
	}
	if e := n.GetAExpr(); e != nil && e.GetLexpr() == nil && operatorName(e) == "-" {
		v, ok := integer(e.GetRexpr())
		return -v, ok
	}
	return 0, false
}

func isNull(n *pgtree.Node) bool { return n.GetAConst().GetIsnull() }
