// Package dialect gives a PostgreSQL parse tree DuckDB's words without changing
// what it means (floor 2, under rewrite). It gets one SELECT whose names are
// bound, and turns it pass by pass into a tree whose printed text means in
// DuckDB what the original means in PostgreSQL 15. It knows no model and runs
// nothing. What neither a setting of the engine nor a pass can make equal is
// refused by CheckFunctions.
package dialect

import (
	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

// Schema answers for base relations of the final tree.
type Schema interface {
	Columns(database, schema, name string) ([]sqltype.Column, bool)
}

// Settings are what of a session enters a statement.
type Settings struct {
	TimeZone       string
	Database, User string
	Params         []sqltype.Type // declared types of $1, $2, ...
}

// A pass is one kind of difference between the two.
type pass struct {
	name   string
	reason string
	run    func(*state, *pgtree.Node) (*pgtree.Node, error)
}

// passes run in this order, each over the whole tree, children first.
var passes = [...]pass{
	{"locking", "DuckDB has no row locks, and nothing here writes", dropLocking},
	{"nulls", "PostgreSQL sorts NULL as the largest value, in windows and aggregates, too", explicitNulls},
	{"series", "a function in FROM gives its alias to its column", nameSeries},
	{"functions", "the same function has another name or form", mapFunction},
	{"aggregates", "sum and avg of integers have types of their own", typeAggregate},
	{"operators", "regular expressions match anywhere, division by zero is an error", mapOperator},
	{"casts", "types have other names, varchar(n) cuts, numeric has no limit", mapCast},
	{"params", "a parameter has the type that the client declared", typeParam},
}

// state is what the passes know of a tree.
type state struct {
	schema   Schema
	settings Settings
	types    *inference
	inside   []*pgtree.Node
}

// Apply runs all passes over a statement in place. Errors are
// *sqlstate.Error whose Position is a byte offset plus one.
func Apply(root *pgtree.Node, schema Schema, s Settings) error {
	st := &state{schema: schema, settings: s}
	st.types = infer(root, schema, s)
	for _, p := range passes {
		var failed error
		pgtree.Map(root, func(n *pgtree.Node) *pgtree.Node {
			if failed != nil {
				return n
			}
			r, err := p.run(st, n)
			if err != nil {
				failed = err
				return n
			}
			return r
		})
		if failed != nil {
			return failed
		}
	}
	return nil
}
