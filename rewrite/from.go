package rewrite

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/wire/sqlstate"
)

// fromItem binds one entry of a FROM clause and returns what stands in its
// place. nullable tells that an outer join above can leave it without a row.
func (c *compiler) fromItem(n *pgtree.Node, sc *scope, w *with, nullable bool) (*pgtree.Node, error) {
	switch x := n.GetNode().(type) {
	case *pg.Node_RangeVar:
		return c.fromRelation(x.RangeVar, n, sc, w, nullable)
	case *pg.Node_RangeSubselect:
		return c.fromSubselect(x.RangeSubselect, n, sc, w, nullable)
	case *pg.Node_JoinExpr:
		return c.fromJoin(x.JoinExpr, n, sc, w, nullable)
	case *pg.Node_RangeFunction:
		return c.fromFunction(x.RangeFunction, n, sc, w)
	case *pg.Node_RangeTableSample:
		inner := x.RangeTableSample
		r, err := c.fromItem(inner.GetRelation(), sc, w, nullable)
		if err != nil {
			return nil, err
		}
		if sc.items[len(sc.items)-1].ofModel() {
			return nil, unsupported(n, "Sample the physical table, or filter by a hash of the key.", "TABLESAMPLE of a model's relation is not supported")
		}
		inner.Relation = r
		return n, nil
	}
	return nil, unsupported(n, "Use relations, subqueries, joins and functions.", "this kind of FROM item is not supported")
}

func (c *compiler) addItem(sc *scope, it *item, n *pgtree.Node) error {
	if it.alias != "" && slices.ContainsFunc(sc.items, func(o *item) bool { return o.alias == it.alias }) {
		return at(sqlstate.New(sqlstate.DuplicateAlias, "table name %q specified more than once", it.alias), n)
	}
	sc.items = append(sc.items, it)
	return nil
}

// modelBlock gives the scope's block, which all model relations of a FROM
// clause share.
func (c *compiler) modelBlock(sc *scope, m *semantic.Model, n *pgtree.Node) (*block, error) {
	if sc.block == nil {
		sc.block = &block{id: c.blocks, c: c, sc: sc, model: m, b: semantic.NewBlock(m)}
		c.blocks++
	}
	if sc.block.model != m {
		return nil, unsupported(n, "Aggregate one of them in a subquery of its own and join the result.", "relations of the models %q and %q in one FROM clause", sc.block.model.Name(), m.Name())
	}
	return sc.block, nil
}

func (c *compiler) fromRelation(rv *pg.RangeVar, n *pgtree.Node, sc *scope, w *with, nullable bool) (*pgtree.Node, error) {
	alias := rv.GetRelname()
	if a := rv.GetAlias(); a != nil {
		alias = a.GetAliasname()
	}
	if rv.GetSchemaname() == "" {
		if x := w.find(rv.GetRelname()); x != nil {
			if x.lazy != nil {
				return c.fromLazy(pgtree.Clone(x.lazy), alias, n, sc, x.scope, x.with, nullable)
			}
			return n, c.addItem(sc, &item{alias: alias, columns: renamed(x.columns, rv.GetAlias()), known: x.known}, n)
		}
	}
	r, err := c.relation(rv, n)
	if err != nil {
		return nil, err
	}
	schema := r.schema
	if rv.GetAlias() != nil {
		schema = ""
	}
	switch {
	case r.dataset != nil || r.metrics != nil:
		if len(rv.GetAlias().GetColnames()) > 0 {
			return nil, unsupported(n, "Name the columns in the select list.", "an alias with column names on a model's relation is not supported")
		}
		m := r.metrics
		if r.dataset != nil {
			m = r.dataset.Model()
		}
		b, err := c.modelBlock(sc, m, n)
		if err != nil {
			return nil, err
		}
		it := &item{alias: alias, schema: schema, model: m}
		if r.dataset != nil {
			it.node = b.b.Add(r.dataset)
			it.node.Nullable = nullable
		} else {
			it.rootless, b.rootless = true, true
		}
		if err := c.addItem(sc, it, n); err != nil {
			return nil, err
		}
		return b.placeholder(it, pgtree.Location(n)), nil
	}
	rv.Catalogname, rv.Schemaname, rv.Relname = r.engine[0], r.engine[1], r.engine[2]
	if rv.GetAlias() == nil {
		rv.Alias = pgtree.Alias(alias)
	}
	// In a block with a model relation it is a root of its own kind.
	return n, c.addItem(sc, &item{alias: alias, schema: schema, columns: renamed(r.columns, rv.GetAlias()), known: r.known}, n)
}

// renamed applies the column names of an alias.
func renamed(columns []string, a *pg.Alias) []string {
	names := pgtree.NameParts(a.GetColnames())
	if len(names) == 0 {
		return columns
	}
	if len(names) >= len(columns) {
		return names
	}
	return append(slices.Clone(names), columns[len(names):]...)
}

func (c *compiler) fromSubselect(x *pg.RangeSubselect, n *pgtree.Node, sc *scope, w *with, nullable bool) (*pgtree.Node, error) {
	outer := sc.parent
	if x.GetLateral() {
		outer = sc
	}
	alias := x.GetAlias().GetAliasname()
	if !x.GetLateral() && len(x.GetAlias().GetColnames()) == 0 && alias != "" && c.isLazy(x.GetSubquery(), w) {
		return c.fromLazy(x.GetSubquery(), alias, n, sc, outer, w, nullable)
	}
	if err := c.query(x.GetSubquery(), outer, w); err != nil {
		return nil, err
	}
	columns, known := outputNames(x.GetSubquery())
	return n, c.addItem(sc, &item{alias: alias, columns: renamed(columns, x.GetAlias()), known: known}, n)
}

func (c *compiler) fromFunction(x *pg.RangeFunction, n *pgtree.Node, sc *scope, w *with) (*pgtree.Node, error) {
	for i, f := range x.GetFunctions() {
		r, err := c.expr(f, sc, w)
		if err != nil {
			return nil, err
		}
		x.Functions[i] = r
	}
	it := &item{alias: x.GetAlias().GetAliasname()}
	if names := pgtree.NameParts(x.GetAlias().GetColnames()); len(names) > 0 {
		it.columns, it.known = names, true
	} else if it.alias == "" && len(x.GetFunctions()) == 1 {
		if items := x.GetFunctions()[0].GetList().GetItems(); len(items) > 0 && items[0].GetFuncCall() != nil {
			it.alias = lower(items[0].GetFuncCall().GetFuncname())
		}
	}
	return n, c.addItem(sc, it, n)
}

func (c *compiler) fromJoin(x *pg.JoinExpr, n *pgtree.Node, sc *scope, w *with, nullable bool) (*pgtree.Node, error) {
	left := nullable || x.GetJointype() == pg.JoinType_JOIN_RIGHT || x.GetJointype() == pg.JoinType_JOIN_FULL
	right := nullable || x.GetJointype() == pg.JoinType_JOIN_LEFT || x.GetJointype() == pg.JoinType_JOIN_FULL
	from := len(sc.items)
	var err error
	if x.Larg, err = c.fromItem(x.GetLarg(), sc, w, left); err != nil {
		return nil, err
	}
	middle := len(sc.items)
	if x.Rarg, err = c.fromItem(x.GetRarg(), sc, w, right); err != nil {
		return nil, err
	}
	l, r := sc.items[from:middle], sc.items[middle:]
	ofModel := slices.ContainsFunc(sc.items[from:], (*item).ofModel)
	if x.GetAlias() != nil && ofModel {
		return nil, unsupported(n, "Give the relations aliases instead.", "an alias of a join over a model's relation is not supported")
	}
	if x.GetIsNatural() && ofModel {
		return nil, unsupported(n, "Write the join condition with ON.", "NATURAL JOIN of a model's relation is not supported")
	}
	if using := pgtree.NameParts(x.GetUsingClause()); len(using) > 0 {
		if err := c.using(x, using, l, r, ofModel, sc, n); err != nil {
			return nil, err
		}
	}
	if x.GetIsNatural() {
		for _, name := range commonNames(l, r) {
			sc.merged = append(sc.merged, merge{name: name})
		}
	}
	if x.GetQuals() != nil {
		if x.Quals, err = c.expr(x.GetQuals(), sc, w); err != nil {
			return nil, err
		}
		if b := sc.block; b != nil {
			if has(x.Quals, b.id, markValue, markRow) {
				return nil, grouping(firstMarked(x.Quals, b.id), "Join a subquery that evaluates the measure: JOIN (SELECT key, MEASURE(m) AS m FROM relation GROUP BY key) AS t ON ...", "measures are not allowed in JOIN conditions")
			}
			b.unify(x.Quals)
		}
	}
	return n, nil
}

func commonNames(l, r []*item) []string {
	var out []string
	for _, a := range l {
		for _, name := range a.names() {
			if slices.ContainsFunc(r, func(b *item) bool { return slices.Contains(b.names(), name) }) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// using turns USING over a model's relation into ON, since its columns may lie
// at the end of a path; over others it stays, and the merged name stays bare.
func (c *compiler) using(x *pg.JoinExpr, names []string, l, r []*item, ofModel bool, sc *scope, n *pgtree.Node) error {
	if !ofModel {
		for _, name := range names {
			sc.merged = append(sc.merged, merge{name: name})
		}
		return nil
	}
	var conds []*pgtree.Node
	for _, name := range names {
		side := func(items []*item) (*pgtree.Node, error) {
			m, found, err := c.lookupHere(&scope{items: items, block: sc.block, merged: sc.merged}, []string{name}, n)
			if err != nil {
				return nil, err
			}
			if !found || m.expr == nil {
				return nil, at(sqlstate.New(sqlstate.UndefinedColumn, "column %q specified in USING clause does not exist on both sides", name), n)
			}
			return m.expr, nil
		}
		a, err := side(l)
		if err != nil {
			return err
		}
		b, err := side(r)
		if err != nil {
			return err
		}
		conds = append(conds, pgtree.Op("=", a, b))
		merged := a
		switch x.GetJointype() {
		case pg.JoinType_JOIN_RIGHT:
			merged = b
		case pg.JoinType_JOIN_FULL:
			merged = pgtree.Coalesce(a, b)
		}
		sc.merged = append(sc.merged, merge{name: name, expr: pgtree.Clone(merged)})
	}
	x.UsingClause = nil
	x.Quals = pgtree.And(conds...)
	return nil
}

// isLazy tells a query that only chooses rows and columns of one model
// relation, so that measures on top of it can be evaluated from its base rows.
func (c *compiler) isLazy(n *pgtree.Node, w *with) bool {
	s := n.GetSelectStmt()
	if s == nil || s.GetOp() != pg.SetOperation_SETOP_NONE || len(s.GetFromClause()) != 1 || len(s.GetGroupClause()) > 0 ||
		s.GetHavingClause() != nil || len(s.GetDistinctClause()) > 0 || s.GetLimitCount() != nil || s.GetLimitOffset() != nil ||
		len(s.GetWindowClause()) > 0 || s.GetWithClause() != nil || len(s.GetValuesLists()) > 0 || len(s.GetTargetList()) == 0 {
		return false
	}
	if s.GetWhereClause() != nil && c.mentionsMeasure(s.GetWhereClause()) {
		return false
	}
	for _, t := range s.GetTargetList() {
		if !rowLevel(t.GetResTarget().GetVal()) {
			return false
		}
	}
	switch x := s.GetFromClause()[0].GetNode().(type) {
	case *pg.Node_RangeVar:
		if x.RangeVar.GetSchemaname() == "" {
			if found := w.find(x.RangeVar.GetRelname()); found != nil {
				return found.lazy != nil
			}
		}
		r, err := c.relation(x.RangeVar, s.GetFromClause()[0])
		return err == nil && r.dataset != nil && len(x.RangeVar.GetAlias().GetColnames()) == 0
	case *pg.Node_RangeSubselect:
		sub := x.RangeSubselect
		return !sub.GetLateral() && len(sub.GetAlias().GetColnames()) == 0 && sub.GetAlias() != nil && c.isLazy(sub.GetSubquery(), w)
	}
	return false
}

// mentionsMeasure tells whether a name in the tree could be a metric's. A
// measure in an inner WHERE is evaluated there, so the query is not lazy.
func (c *compiler) mentionsMeasure(n *pgtree.Node) bool {
	found := false
	pgtree.Walk(n, func(k *pgtree.Node) bool {
		if parts, star := pgtree.ColumnParts(k); len(parts) > 0 && !star {
			for _, m := range c.env.World.order {
				if _, ok := m.Metric(parts[len(parts)-1]); ok {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// rowLevel tells an expression without aggregates, windows and set-returning
// functions at its own level.
func rowLevel(n *pgtree.Node) bool {
	ok := true
	pgtree.Walk(n, func(k *pgtree.Node) bool {
		if k.GetSubLink() != nil {
			ok = false
		}
		if call := k.GetFuncCall(); call != nil {
			name := lower(call.GetFuncname())
			if isAggregate(k) || call.GetOver() != nil || measureCall(name) || setReturning(name) {
				ok = false
			}
		}
		return ok
	})
	return ok
}

func setReturning(name string) bool {
	switch name {
	case "generate_series", "unnest", "regexp_matches", "regexp_split_to_table", "string_to_table", "generate_subscripts", "json_array_elements", "jsonb_array_elements", "json_each", "jsonb_each", "random":
		return true
	}
	return false
}

// fromLazy puts a lazy query in place of the reference to it: its relation
// becomes an item that shows the query's columns, its filter joins the block's.
func (c *compiler) fromLazy(q *pgtree.Node, alias string, n *pgtree.Node, sc *scope, outer *scope, w *with, nullable bool) (*pgtree.Node, error) {
	s := q.GetSelectStmt()
	if nullable && s.GetWhereClause() != nil {
		// An outer join keeps rows that the filter must not touch: the query
		// is evaluated by itself, its measures row by row.
		if err := c.query(q, outer, w); err != nil {
			return nil, err
		}
		columns, known := outputNames(q)
		return pgtree.Subselect(q, alias), c.addItem(sc, &item{alias: alias, columns: columns, known: known}, n)
	}
	inner := &scope{parent: outer, block: sc.block}
	place, err := c.fromItem(s.GetFromClause()[0], inner, w, nullable)
	if err != nil {
		return nil, err
	}
	if sc.block != nil && inner.block != sc.block {
		return nil, unsupported(n, "Aggregate one of them in a subquery of its own and join the result.", "relations of two models in one FROM clause")
	}
	sc.block = inner.block
	b := sc.block
	b.sc = sc
	src := inner.items[0]
	it := &item{alias: alias, model: src.model, node: src.node, exposed: []exposed{}}
	for _, t := range s.GetTargetList() {
		rt := t.GetResTarget()
		if parts, star := pgtree.ColumnParts(rt.GetVal()); star {
			if len(parts) > 0 && !src.answers(parts) {
				return nil, missingFrom(parts[len(parts)-1], rt.GetVal())
			}
			for _, name := range src.names() {
				e, err := c.expose(inner, src, name, pgtree.Column(name), w)
				if err != nil {
					return nil, err
				}
				it.exposed = append(it.exposed, e)
			}
			continue
		}
		e, err := c.expose(inner, src, outputName(rt), rt.GetVal(), w)
		if err != nil {
			return nil, err
		}
		it.exposed = append(it.exposed, e)
	}
	if s.GetWhereClause() != nil {
		cond, err := c.expr(s.GetWhereClause(), inner, w)
		if err != nil {
			return nil, err
		}
		b.inherited = append(b.inherited, cond)
	}
	if err := c.addItem(sc, it, n); err != nil {
		return nil, err
	}
	b.rename(src, it)
	return place, nil
}

func (c *compiler) expose(sc *scope, src *item, name string, val *pgtree.Node, w *with) (exposed, error) {
	if parts, star := pgtree.ColumnParts(val); len(parts) > 0 && !star {
		m, err := c.lookup(sc, parts, val)
		if err != nil {
			return exposed{}, err
		}
		if m.metric != nil {
			return exposed{name: name, metric: m.metric}, nil
		}
	}
	sc.block.context = contextRow
	e, err := c.expr(val, sc, w)
	return exposed{name: name, expr: e}, err
}
