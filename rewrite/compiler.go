package rewrite

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/catalog"
	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A compiler holds what one statement has shown so far. It lives as long as one
// call of Rewrite.
type compiler struct {
	env     *Env
	blocks  int
	reports []Block
	notices []string
	depth   int
	// volatile: catalogue relations or functions are named, whose text holds
	// values of the session.
	volatile bool
	// done are the queries that are bound already: a select-list entry that is
	// a key, too, is met twice.
	done map[*pg.SelectStmt]bool
}

// maxNesting bounds queries inside queries.
const maxNesting = 200

// A with is the names that WITH clauses in sight define, innermost first.
type with struct {
	parent *with
	ctes   []*cte
}

type cte struct {
	name    string
	columns []string
	known   bool
	// lazy is a query over one model relation that only chooses rows and
	// columns: it is put in place of each reference, so that measures are
	// still to be evaluated outside.
	lazy  *pgtree.Node
	scope *scope // the scope around its WITH clause
	with  *with
}

func (w *with) find(name string) *cte {
	for ; w != nil; w = w.parent {
		for i := len(w.ctes) - 1; i >= 0; i-- {
			if w.ctes[i].name == name {
				return w.ctes[i]
			}
		}
	}
	return nil
}

// query binds and rewrites a SELECT in place, the queries inside it too.
func (c *compiler) query(n *pgtree.Node, outer *scope, w *with) error {
	s := n.GetSelectStmt()
	if s == nil {
		return unsupported(n, "Use a SELECT.", "only SELECT is allowed here")
	}
	if c.done[s] {
		return nil
	}
	if c.done == nil {
		c.done = map[*pg.SelectStmt]bool{}
	}
	c.done[s] = true
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > maxNesting {
		return sqlstate.New(sqlstate.StatementTooComplex, "queries are nested more than %d levels deep", maxNesting).WithHint("Give inner queries names in a WITH clause.")
	}
	w, err := c.withClause(s, outer, w)
	if err != nil {
		return err
	}
	switch {
	case s.GetOp() != pg.SetOperation_SETOP_NONE:
		for _, arm := range []*pg.SelectStmt{s.GetLarg(), s.GetRarg()} {
			if err := c.query(&pgtree.Node{Node: &pg.Node_SelectStmt{SelectStmt: arm}}, outer, w); err != nil {
				return err
			}
		}
		return c.tail(s, outer, w)
	case len(s.GetValuesLists()) > 0:
		sc := &scope{parent: outer}
		for i, row := range s.GetValuesLists() {
			if s.ValuesLists[i], err = c.expr(row, sc, w); err != nil {
				return err
			}
		}
		return c.tail(s, outer, w)
	}
	return c.leaf(n, outer, w)
}

// tail binds what may follow a set operation: limits are expressions without
// columns, ORDER BY names outputs.
func (c *compiler) tail(s *pg.SelectStmt, outer *scope, w *with) error {
	var err error
	empty := &scope{parent: outer}
	for _, part := range []**pgtree.Node{&s.LimitCount, &s.LimitOffset} {
		if *part != nil {
			if *part, err = c.expr(*part, empty, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// withClause binds the queries of WITH and drops those that are put in place.
func (c *compiler) withClause(s *pg.SelectStmt, outer *scope, w *with) (*with, error) {
	clause := s.GetWithClause()
	if clause == nil {
		return w, nil
	}
	w = &with{parent: w}
	kept := clause.Ctes[:0]
	for _, n := range clause.GetCtes() {
		x := n.GetCommonTableExpr()
		q := x.GetCtequery()
		names := pgtree.NameParts(x.GetAliascolnames())
		if w.has(x.GetCtename()) {
			return nil, at(sqlstate.New(sqlstate.DuplicateAlias, "WITH query name %q specified more than once", x.GetCtename()), n)
		}
		if len(names) == 0 && x.GetCtematerialized() != pg.CTEMaterialize_CTEMaterializeAlways && c.isLazy(q, w) {
			w.ctes = append(w.ctes, &cte{name: x.GetCtename(), lazy: q, scope: outer, with: &with{parent: w.parent, ctes: slices.Clone(w.ctes)}})
			continue
		}
		if clause.GetRecursive() {
			own := &cte{name: x.GetCtename(), columns: names, known: len(names) > 0}
			if !own.known {
				own.columns, own.known = outputNames(q)
			}
			w.ctes = append(w.ctes, own)
			if err := c.query(q, outer, w); err != nil {
				return nil, err
			}
			kept = append(kept, n)
			continue
		}
		if err := c.query(q, outer, w); err != nil {
			return nil, err
		}
		columns, known := outputNames(q)
		if len(names) > 0 {
			if len(names) >= len(columns) {
				columns = names
			} else {
				columns = append(slices.Clone(names), columns[len(names):]...)
			}
		}
		w.ctes = append(w.ctes, &cte{name: x.GetCtename(), columns: columns, known: known})
		kept = append(kept, n)
	}
	clause.Ctes = kept
	if len(kept) == 0 {
		s.WithClause = nil
	}
	return w, nil
}

func (w *with) has(name string) bool {
	return slices.ContainsFunc(w.ctes, func(x *cte) bool { return x.name == name })
}

// outputNames are the names of a bound query's columns; known is false where a
// star of an unknown relation is among them.
func outputNames(n *pgtree.Node) (names []string, known bool) {
	s := n.GetSelectStmt()
	if s == nil {
		return nil, false
	}
	if s.GetOp() != pg.SetOperation_SETOP_NONE {
		return outputNames(&pgtree.Node{Node: &pg.Node_SelectStmt{SelectStmt: s.GetLarg()}})
	}
	if len(s.GetValuesLists()) > 0 {
		for i := range s.GetValuesLists()[0].GetList().GetItems() {
			names = append(names, "column"+strconv.Itoa(i+1))
		}
		return names, true
	}
	known = true
	for _, t := range s.GetTargetList() {
		rt := t.GetResTarget()
		if _, star := pgtree.ColumnParts(rt.GetVal()); star {
			known = false
			continue
		}
		names = append(names, outputName(rt))
	}
	return names, known
}

func outputName(rt *pg.ResTarget) string {
	if rt.GetName() != "" {
		return rt.GetName()
	}
	if parts, _ := pgtree.ColumnParts(rt.GetVal()); len(parts) > 0 {
		return parts[len(parts)-1]
	}
	return "?column?"
}

// relation finds what a relation name means. Exactly one result is set; engine
// is a bound name for the engine.
type relation struct {
	dataset *semantic.Dataset
	metrics *semantic.Model
	engine  [3]string
	columns []string
	known   bool
	schema  string
}

func (c *compiler) relation(rv *pg.RangeVar, n *pgtree.Node) (*relation, error) {
	if db := rv.GetCatalogname(); db != "" && db != c.env.Database {
		return nil, at(sqlstate.New(sqlstate.FeatureNotSupported, "cross-database references are not implemented: \"%s.%s.%s\"", db, rv.GetSchemaname(), rv.GetRelname()).
			WithHint("Connect to that database, or leave its name out."), n)
	}
	name := rv.GetRelname()
	if s := rv.GetSchemaname(); s != "" {
		if r := c.inSchema(s, name); r != nil {
			return r, nil
		}
		return nil, undefinedTable(s+"."+name, c.relationNames(), n)
	}
	path := c.env.schemas()
	if !slices.Contains(path, "pg_catalog") {
		path = append([]string{"pg_catalog"}, path...)
	}
	for _, s := range path {
		if r := c.inSchema(s, name); r != nil {
			return r, nil
		}
	}
	return nil, undefinedTable(name, c.relationNames(), n)
}

func (c *compiler) inSchema(schema, name string) *relation {
	if m, ok := c.env.World.models[schema]; ok {
		if d, ok := m.Dataset(name); ok && !d.Hidden {
			return &relation{dataset: d, schema: schema}
		}
		if name == semantic.MetricsRelation && len(m.Metrics()) > 0 {
			return &relation{metrics: m, schema: schema}
		}
	}
	if schema == "pg_catalog" || schema == "information_schema" {
		if engine, ok := catalog.Lookup(schema, name); ok {
			c.volatile = true
			return &relation{engine: engine, schema: schema}
		}
	}
	if t, ok := c.env.World.tables[[2]string{schema, name}]; ok {
		r := &relation{engine: [3]string{c.env.World.database, schema, name}, known: true, schema: schema}
		for _, col := range t.Columns {
			r.columns = append(r.columns, col.Name)
		}
		return r
	}
	// One model alone answers to "semantic.metrics", too.
	if schema == "semantic" && name == semantic.MetricsRelation && len(c.env.World.order) == 1 {
		return &relation{metrics: c.env.World.order[0], schema: schema}
	}
	return nil
}

// relationNames are the names that a slip may have meant.
func (c *compiler) relationNames() []string {
	var out []string
	for _, m := range c.env.World.order {
		for _, d := range m.Datasets() {
			if !d.Hidden && !slices.Contains(out, d.Name) {
				out = append(out, d.Name)
			}
		}
	}
	if len(c.env.World.order) > 0 {
		out = append(out, semantic.MetricsRelation)
	}
	for _, t := range c.env.World.list {
		if !slices.Contains(out, t.Name) {
			out = append(out, t.Name)
		}
	}
	return out
}

// expr binds an expression: columns, and the queries inside it.
func (c *compiler) expr(n *pgtree.Node, sc *scope, w *with) (*pgtree.Node, error) {
	if n == nil || n.GetNode() == nil {
		return n, nil
	}
	if sub := n.GetSubLink(); sub != nil {
		var err error
		if sub.GetTestexpr() != nil {
			if sub.Testexpr, err = c.expr(sub.GetTestexpr(), sc, w); err != nil {
				return nil, err
			}
		}
		return n, c.query(sub.GetSubselect(), sc, w)
	}
	if call := n.GetFuncCall(); call != nil {
		r, done, err := c.measure(n, call, sc, w)
		if done || err != nil {
			return r, err
		}
	}
	if parts, star := pgtree.ColumnParts(n); parts != nil || star {
		if _, b, _ := marked(n); b >= 0 || star {
			return n, nil
		}
		return c.column(n, parts, sc)
	}
	var failed error
	pgtree.MapChildren(n, func(k *pgtree.Node) *pgtree.Node {
		if failed != nil {
			return k
		}
		r, err := c.expr(k, sc, w)
		if err != nil {
			failed = err
			return k
		}
		return r
	})
	return n, failed
}

func (c *compiler) column(n *pgtree.Node, parts []string, sc *scope) (*pgtree.Node, error) {
	m, err := c.lookup(sc, parts, n)
	if err != nil {
		return nil, err
	}
	if m.metric != nil {
		return m.block.bareMeasure(m, n)
	}
	if m.expr != nil {
		return m.expr, nil
	}
	return n, nil
}

func lower(list []*pgtree.Node) string {
	parts := pgtree.NameParts(list)
	return strings.ToLower(parts[len(parts)-1])
}
