package dialect

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

// A source is one FROM item. Its columns may be unknown.
type source struct {
	database, schema, name string // of a base relation
	alias                  string
	columns                []sqltype.Column
	known                  bool
}

// A scope is what the names in one SELECT can mean.
type scope struct {
	outer   *scope
	sources []*source
	ctes    map[string]*source // of this level
}

func (s *scope) cte(name string) *source {
	for ; s != nil; s = s.outer {
		if c, ok := s.ctes[name]; ok {
			return c
		}
	}
	return nil
}

// column finds the type of a column by its dotted name. whole tells that the
// name means a FROM item, all its columns at once.
func (s *scope) column(parts []string) (t sqltype.Type, whole bool) {
	name := parts[len(parts)-1]
	for ; s != nil; s = s.outer {
		open := false
		for _, src := range s.sources {
			if !src.named(parts[:len(parts)-1]) {
				continue
			}
			for _, c := range src.columns {
				if c.Name == name {
					return c.Type, false
				}
			}
			open = open || !src.known
		}
		if open {
			return none, false
		}
		if len(parts) == 1 {
			for _, src := range s.sources {
				if src.label() == name {
					return none, true
				}
			}
		}
	}
	return none, false
}

func (src *source) label() string {
	if src.alias != "" {
		return src.alias
	}
	return src.name
}

// named tells whether a qualifier, from the right, is the item's name.
func (src *source) named(qualifier []string) bool {
	switch len(qualifier) {
	case 0:
		return true
	case 1:
		return src.label() == qualifier[0]
	case 2:
		return src.alias == "" && src.name == qualifier[1] && src.schema == qualifier[0]
	}
	return src.alias == "" && src.name == qualifier[2] && src.schema == qualifier[1] && src.database == qualifier[0]
}

// rename puts the column names of an alias in front.
func rename(columns []sqltype.Column, a *pg.Alias) []sqltype.Column {
	names := pgtree.NameParts(a.GetColnames())
	if len(names) == 0 {
		return columns
	}
	out := append([]sqltype.Column(nil), columns...)
	for i := range out {
		if i < len(names) {
			out[i].Name = names[i]
		}
	}
	return out
}

// from adds the sources of a FROM item to s and types the expressions in it.
func (t *typer) from(n *pgtree.Node, s *scope) {
	switch x := n.GetNode().(type) {
	case *pg.Node_RangeVar:
		t.relation(x.RangeVar, s)
	case *pg.Node_RangeSubselect:
		// What stands to its left is visible to LATERAL alone; a name that is
		// only there is refused by the engine, so it does no harm here.
		columns, known := t.query(x.RangeSubselect.GetSubquery().GetSelectStmt(), s)
		s.sources = append(s.sources, &source{alias: x.RangeSubselect.GetAlias().GetAliasname(),
			columns: rename(columns, x.RangeSubselect.GetAlias()), known: known})
	case *pg.Node_JoinExpr:
		j := x.JoinExpr
		t.from(j.GetLarg(), s)
		t.from(j.GetRarg(), s)
		t.expr(j.GetQuals(), s)
		if a := j.GetAlias(); a != nil {
			s.sources = append(s.sources, &source{alias: a.GetAliasname()})
		}
	case *pg.Node_RangeFunction:
		t.rangeFunction(x.RangeFunction, s)
	}
}

func (t *typer) relation(v *pg.RangeVar, s *scope) {
	alias := v.GetAlias()
	src := &source{database: v.GetCatalogname(), schema: v.GetSchemaname(), name: v.GetRelname(), alias: alias.GetAliasname()}
	if src.schema == "" {
		if c := s.cte(src.name); c != nil {
			src.columns, src.known = rename(c.columns, alias), c.known
			s.sources = append(s.sources, src)
			return
		}
	}
	if t.schema != nil {
		columns, ok := t.schema.Columns(src.database, src.schema, src.name)
		if ok {
			src.columns, src.known = rename(baseColumns(columns), alias), true
		}
	}
	s.sources = append(s.sources, src)
}

// baseColumns gives a numeric column without a modifier its digits: of the
// engine's types only the wide integers come without.
func baseColumns(columns []sqltype.Column) []sqltype.Column {
	out := append([]sqltype.Column(nil), columns...)
	for i := range out {
		if out[i].Type.OID == sqltype.Numeric && out[i].Type.Mod < 0 {
			out[i].Type = sqltype.NumericOf(38, 0)
		}
	}
	return out
}

func (t *typer) rangeFunction(f *pg.RangeFunction, s *scope) {
	src := &source{alias: f.GetAlias().GetAliasname(), known: true}
	for _, item := range f.GetFunctions() {
		call := item.GetList().GetItems()[0]
		t.notes.from[call] = true
		typ := t.expr(call, s)
		e := t.notes.calls[call]
		switch {
		case e != nil && strings.Contains(e.columns, " "):
			src.known = false
		case e != nil && e.columns != "":
			src.columns = append(src.columns, sqltype.Column{Name: e.columns, Type: typ})
		case e == nil || e.kind != rows:
			src.known = src.known && e != nil
			src.columns = append(src.columns, sqltype.Column{Name: callName(call), Type: typ})
		default:
			src.columns = append(src.columns, sqltype.Column{Name: callName(call), Type: typ})
		}
	}
	if len(f.GetFunctions()) == 1 && len(src.columns) == 1 && src.alias != "" && src.columns[0].Name != "value" {
		src.columns[0].Name = src.alias
	}
	if f.GetOrdinality() {
		src.columns = append(src.columns, sqltype.Column{Name: "ordinality", Type: sqltype.Of(sqltype.Int8)})
	}
	src.columns = rename(src.columns, f.GetAlias())
	if src.alias == "" && len(f.GetFunctions()) > 0 {
		src.alias = callName(f.GetFunctions()[0].GetList().GetItems()[0])
	}
	s.sources = append(s.sources, src)
}

// callName is the unqualified name of what is called.
func callName(n *pgtree.Node) string {
	if f := n.GetFuncCall(); f != nil {
		parts := f.GetFuncname()
		return parts[len(parts)-1].GetString_().GetSval()
	}
	if v := n.GetSqlvalueFunction(); v != nil {
		return valueFunctionName(v.GetOp())
	}
	return ""
}
