package rewrite

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
)

// leaf binds a SELECT that is no set operation, clause by clause in the order
// in which names come to exist, and compiles it if it asks a model.
func (c *compiler) leaf(n *pgtree.Node, outer *scope, w *with) error {
	s := n.GetSelectStmt()
	sc := &scope{parent: outer}
	var err error
	for i, f := range s.GetFromClause() {
		if s.FromClause[i], err = c.fromItem(f, sc, w, false); err != nil {
			return err
		}
	}
	b := sc.block
	if b != nil {
		if err := b.begin(s, n, w); err != nil {
			return err
		}
	}
	if s.GetWhereClause() != nil {
		if b != nil {
			b.context = contextWhere
		}
		if s.WhereClause, err = c.expr(s.GetWhereClause(), sc, w); err != nil {
			return err
		}
		if b != nil {
			b.unify(s.WhereClause)
		}
	}
	if b != nil {
		if err := b.checkCrossed(); err != nil {
			return err
		}
	}
	if err := c.groupClause(s, sc, w); err != nil {
		return err
	}
	if b != nil {
		b.context = contextOutput
	}
	for _, t := range s.GetTargetList() {
		rt := t.GetResTarget()
		if rt.Val, err = c.expr(rt.GetVal(), sc, w); err != nil {
			return err
		}
	}
	for _, part := range []**pgtree.Node{&s.HavingClause, &s.LimitCount, &s.LimitOffset} {
		if *part != nil {
			if *part, err = c.expr(*part, sc, w); err != nil {
				return err
			}
		}
	}
	for i, d := range s.GetDistinctClause() {
		if d.GetNode() == nil {
			continue // plain DISTINCT
		}
		if j := outputIndex(d, s); j >= 0 && b != nil {
			s.DistinctClause[i] = pgtree.Clone(s.GetTargetList()[j].GetResTarget().GetVal())
			continue
		}
		if s.DistinctClause[i], err = c.expr(d, sc, w); err != nil {
			return err
		}
	}
	for _, o := range s.GetSortClause() {
		by := o.GetSortBy()
		if by.Node, err = c.outputOr(by.GetNode(), s, sc, w); err != nil {
			return err
		}
	}
	for i, d := range s.GetWindowClause() {
		if s.WindowClause[i], err = c.expr(d, sc, w); err != nil {
			return err
		}
	}
	if b == nil {
		return nil
	}
	return b.compile()
}

// outputOr binds an entry of ORDER BY or DISTINCT ON: the bare name of an output
// column means that column (parse_clause.c, findTargetlistEntrySQL92).
func (c *compiler) outputOr(n *pgtree.Node, s *pg.SelectStmt, sc *scope, w *with) (*pgtree.Node, error) {
	if i := outputIndex(n, s); i >= 0 {
		if sc.block != nil {
			return pgtree.Int(int64(i + 1)), nil
		}
		return n, nil
	}
	return c.expr(n, sc, w)
}

// outputIndex finds the output column that a bare name means, or -1.
func outputIndex(n *pgtree.Node, s *pg.SelectStmt) int {
	parts, star := pgtree.ColumnParts(n)
	if len(parts) != 1 || star {
		return -1
	}
	return slices.IndexFunc(s.GetTargetList(), func(t *pgtree.Node) bool { return t.GetResTarget().GetName() == parts[0] })
}

// groupClause binds GROUP BY. A bare name is an input column first, then an
// output column; a number is an output column.
func (c *compiler) groupClause(s *pg.SelectStmt, sc *scope, w *with) error {
	b := sc.block
	var err error
	for i, g := range s.GetGroupClause() {
		if s.GroupClause[i], err = c.groupItem(g, s, sc, w, b); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) groupItem(g *pgtree.Node, s *pg.SelectStmt, sc *scope, w *with, b *block) (*pgtree.Node, error) {
	if set := g.GetGroupingSet(); set != nil {
		for i, m := range set.GetContent() {
			r, err := c.groupItem(m, s, sc, w, b)
			if err != nil {
				return nil, err
			}
			set.Content[i] = r
		}
		return g, nil
	}
	if b == nil {
		if i := outputIndex(g, s); i >= 0 {
			parts, _ := pgtree.ColumnParts(g)
			m, found, err := c.lookupHere(sc, parts, g)
			if err != nil {
				return nil, err
			}
			if !found || m.expr == nil {
				return g, nil
			}
			return m.expr, nil
		}
		return c.expr(g, sc, w)
	}
	b.context = contextRow
	if k := g.GetAConst(); k != nil && k.GetIval() != nil {
		i := int(k.GetIval().GetIval())
		if i < 1 || i > len(s.GetTargetList()) {
			return nil, at(undefinedPosition("GROUP BY position %d is not in select list", i).WithHint("The select list has %d columns.", len(s.GetTargetList())), g)
		}
		return c.groupOutput(i-1, s, sc, w)
	}
	if i := outputIndex(g, s); i >= 0 {
		parts, _ := pgtree.ColumnParts(g)
		m, found, err := c.lookupHere(sc, parts, g)
		if err != nil {
			return nil, err
		}
		if !found {
			return c.groupOutput(i, s, sc, w)
		}
		if m.metric != nil {
			return b.use(m, 0, g)
		}
		if m.expr != nil {
			return m.expr, nil
		}
	}
	return c.expr(g, sc, w)
}

// groupOutput makes an output column a key. The column is bound as a key, where
// a measure means a row's, and so becomes equal to the key wherever it stands.
func (c *compiler) groupOutput(i int, s *pg.SelectStmt, sc *scope, w *with) (*pgtree.Node, error) {
	rt := s.GetTargetList()[i].GetResTarget()
	if containsAggregate(rt.GetVal()) {
		return nil, grouping(rt.GetVal(), "Group by the other columns.", "aggregate functions are not allowed in GROUP BY")
	}
	val, err := c.expr(rt.GetVal(), sc, w)
	if err != nil {
		return nil, err
	}
	rt.Val = val
	return pgtree.Clone(val), nil
}

// containsAggregate tells an aggregate or MEASURE call at the expression's own
// level.
func containsAggregate(n *pgtree.Node) bool {
	found := false
	pgtree.Walk(n, func(k *pgtree.Node) bool {
		if k.GetSubLink() != nil {
			return false
		}
		if call := k.GetFuncCall(); call != nil && call.GetOver() == nil {
			names := pgtree.NameParts(call.GetFuncname())
			if isAggregate(k) || len(names) == 1 && measureCall(lower(call.GetFuncname())) {
				found = true
			}
		}
		return !found
	})
	return found
}

// begin reads from the shape of a SELECT whether it groups, and writes out its
// stars, before anything is bound.
func (b *block) begin(s *pg.SelectStmt, n *pgtree.Node, w *with) error {
	b.stmt, b.node = s, n
	if b.rootless && len(b.sc.items) > 1 {
		return unsupported(s.GetFromClause()[0], "Aggregate it in a subquery: JOIN (SELECT key, MEASURE(m) AS m FROM metrics GROUP BY key) AS t ON ...", "the relation %q cannot be joined, since it has no rows", semantic.MetricsRelation)
	}
	for _, it := range b.sc.items {
		if !it.ofModel() {
			b.b.Add(nil)
		}
	}
	if err := b.stars(); err != nil {
		return err
	}
	aggregate := s.GetHavingClause() != nil && len(s.GetGroupClause()) == 0
	bareMeasures, dims := false, false
	for _, t := range s.GetTargetList() {
		val := t.GetResTarget().GetVal()
		aggregate = aggregate || containsAggregate(val)
		bareMeasures = bareMeasures || b.namesMeasure(val)
		dims = dims || !containsAggregate(val) && hasColumn(val)
	}
	for _, o := range s.GetSortClause() {
		aggregate = aggregate || containsAggregate(o.GetSortBy().GetNode())
	}
	b.grouped = len(s.GetGroupClause()) > 0 || aggregate || b.rootless
	b.implied = b.rootless && len(s.GetGroupClause()) == 0
	if len(s.GetDistinctClause()) == 1 && s.GetDistinctClause()[0].GetNode() == nil && bareMeasures && !b.grouped {
		b.grouped, b.implied = true, true
	}
	if aggregate && dims && len(s.GetGroupClause()) == 0 && !b.rootless {
		switch b.c.env.setting("pggate.ungrouped_marker", "error") {
		case "group":
			b.implied = true
		case "row":
			if !plainAggregates(s) {
				b.grouped = false
			}
		}
	}
	b.context = contextOutput
	if !b.grouped {
		b.context = contextRow
	}
	return nil
}

// plainAggregates tells aggregates other than MEASURE in the select list.
func plainAggregates(s *pg.SelectStmt) bool {
	found := false
	for _, t := range s.GetTargetList() {
		pgtree.Walk(t, func(k *pgtree.Node) bool {
			found = found || isAggregate(k)
			return !found && k.GetSubLink() == nil
		})
	}
	return found
}

func hasColumn(n *pgtree.Node) bool {
	found := false
	pgtree.Walk(n, func(k *pgtree.Node) bool {
		if k.GetColumnRef() != nil {
			found = true
		}
		return !found && k.GetSubLink() == nil
	})
	return found
}

// namesMeasure tells whether a bare name in an expression is a metric that the
// items show.
func (b *block) namesMeasure(n *pgtree.Node) bool {
	found := false
	pgtree.Walk(n, func(k *pgtree.Node) bool {
		if parts, star := pgtree.ColumnParts(k); len(parts) > 0 && !star {
			if m, err := b.c.lookup(b.sc, parts, k); err == nil && m.metric != nil {
				found = true
			}
		}
		return !found && k.GetSubLink() == nil
	})
	return found
}

// stars writes * and t.* of a model's relations out as columns.
func (b *block) stars() error {
	var out []*pgtree.Node
	for _, t := range b.stmt.GetTargetList() {
		parts, star := pgtree.ColumnParts(t.GetResTarget().GetVal())
		if !star {
			out = append(out, t)
			continue
		}
		val := t.GetResTarget().GetVal()
		found := false
		for _, it := range b.sc.items {
			if len(parts) > 0 && !it.answers(parts) {
				continue
			}
			found = true
			if it.rootless {
				return grouping(val, "Name dimensions and metrics: SELECT dimension, metric FROM metrics.", "the relation %q has no rows to show as *", semantic.MetricsRelation)
			}
			if !it.ofModel() && !it.known {
				star := pgtree.Column(it.alias)
				star.GetColumnRef().Fields = append(star.GetColumnRef().Fields, pg.MakeAStarNode())
				out = append(out, pgtree.Target("", star))
				continue
			}
			for _, name := range it.names() {
				col := pgtree.Column(it.alias, name)
				col.GetColumnRef().Location = int32(pgtree.Location(val))
				out = append(out, pgtree.Target(name, col))
			}
		}
		if !found {
			return missingFrom(parts[len(parts)-1], val)
		}
	}
	b.stmt.TargetList = out
	return nil
}
