package rewrite

import (
	"slices"
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
)

// compileGrouped answers a SELECT with groups: in place if one SELECT can hold
// every aggregate, else from one subquery for each part of the plan.
func (b *block) compileGrouped() error {
	plain := b.plainCalls()
	q := &semantic.Query{Block: b.b, Rootless: b.rootless, Metrics: b.values, Plain: len(plain) > 0}
	for _, k := range b.keys {
		q.Keys = append(q.Keys, b.membersIn(k.expr)...)
	}
	q.Where = b.membersIn(b.where...)
	q.Where = append(q.Where, b.onMembers()...)
	for _, p := range plain {
		q.PlainMembers = append(q.PlainMembers, b.membersIn(p)...)
	}
	if b.rootless && len(plain) > 0 {
		return grouping(plain[0], "Aggregate over the relation whose rows you mean.", "the relation %q has no rows to aggregate", semantic.MetricsRelation)
	}
	if err := b.checkGroups(); err != nil {
		return err
	}
	var err error
	if b.plan, err = q.Plan(); err != nil {
		return modelError(err, b.firstMeasure())
	}
	if err := b.planRows(); err != nil {
		return err
	}
	b.report()
	if b.plan.Flat && !b.correlates() {
		return b.inPlace(b.plan.Parts[0])
	}
	return b.combined(plain)
}

// correlates tells a subquery in an output that speaks of the block's own names.
// Over a grouped expression engines refuse it, so the keys get names in an inner
// SELECT first.
func (b *block) correlates() bool {
	found := false
	b.outputs(func(n *pgtree.Node) {
		pgtree.Walk(n, func(k *pgtree.Node) bool {
			if sub := k.GetSubLink(); sub != nil {
				found = found || has(sub.GetSubselect(), b.id, markMember, markValue, markRow)
			}
			return !found
		})
	})
	return found
}

// firstMeasure is where an error of the plan points: the first measure written.
func (b *block) firstMeasure() *pgtree.Node {
	var first *pgtree.Node
	for _, t := range b.stmt.GetTargetList() {
		pgtree.Walk(t, func(n *pgtree.Node) bool {
			if k, id, _ := marked(n); first == nil && id == b.id && (k == markValue || k == markRow) {
				first = n
			}
			return first == nil
		})
	}
	return first
}

// onMembers are the dimensions that JOIN conditions mention: they are joined
// before the condition, in every part.
func (b *block) onMembers() []*semantic.Member {
	return b.membersIn(b.stmt.GetFromClause()...)
}

// plainCalls are the SELECT's own aggregates over rows, each once.
func (b *block) plainCalls() []*pgtree.Node {
	var out []*pgtree.Node
	b.outputs(func(n *pgtree.Node) {
		pgtree.Walk(n, func(k *pgtree.Node) bool {
			if k.GetSubLink() != nil {
				return false
			}
			if !isAggregate(k) {
				return true
			}
			if !slices.ContainsFunc(out, func(o *pgtree.Node) bool { return pgtree.Equal(o, k) }) {
				out = append(out, k)
			}
			return false
		})
	})
	return out
}

// outputs visits every expression that is computed from groups.
func (b *block) outputs(visit func(*pgtree.Node)) {
	for _, t := range b.stmt.GetTargetList() {
		visit(t)
	}
	for _, n := range append([]*pgtree.Node{b.stmt.GetHavingClause()}, b.having...) {
		if n != nil {
			visit(n)
		}
	}
	for _, list := range [][]*pgtree.Node{b.stmt.GetSortClause(), b.stmt.GetDistinctClause(), b.stmt.GetWindowClause()} {
		for _, n := range list {
			visit(n)
		}
	}
}

// inPlace writes joins, dimensions and aggregates into the client's SELECT.
func (b *block) inPlace(part *semantic.Part) error {
	s := b.stmt
	fill := b.filler(part)
	value := func(i int) (*pgtree.Node, error) {
		return b.value(b.plan.Values[i], func(call *semantic.Call) (*pgtree.Node, error) { return b.call(part, call, nil) })
	}
	s.FromClause = fill.from(part.Nodes)
	// Groups come from GROUP BY; equal output columns are named by number, so
	// that the engine compares positions, not expressions.
	if b.implied {
		s.GroupClause = nil
		for _, k := range b.keys {
			s.GroupClause = append(s.GroupClause, pgtree.Clone(k.expr))
		}
	}
	for i, g := range s.GetGroupClause() {
		if n := b.outputOf(g); n > 0 && g.GetGroupingSet() == nil {
			s.GroupClause[i] = pgtree.Int(int64(n))
			continue
		}
		s.GroupClause[i] = fill.expr(g)
	}
	s.WhereClause = fill.conditions(b.where)
	all := append(pgtree.Conjuncts(s.GetHavingClause()), b.having...)
	s.HavingClause = nil
	finish := func(n *pgtree.Node) *pgtree.Node { return fill.outer(n, value) }
	for _, t := range s.GetTargetList() {
		rt := t.GetResTarget()
		rt.Val = finish(rt.GetVal())
	}
	var having []*pgtree.Node
	for _, h := range all {
		having = append(having, finish(h))
	}
	s.HavingClause = pgtree.And(having...)
	for i, o := range s.GetSortClause() {
		s.SortClause[i] = finish(o)
	}
	for i, d := range s.GetDistinctClause() {
		if d.GetNode() != nil {
			s.DistinctClause[i] = finish(d)
		}
	}
	for i, d := range s.GetWindowClause() {
		s.WindowClause[i] = finish(d)
	}
	return fill.err
}

// outputOf gives the number of the output column that a key is, or 0.
func (b *block) outputOf(key *pgtree.Node) int {
	print := pgtree.Fingerprint(key)
	for i, t := range b.stmt.GetTargetList() {
		if pgtree.Fingerprint(t.GetResTarget().GetVal()) == print {
			return i + 1
		}
	}
	return 0
}

// combined answers from a subquery for each part, joined on the keys; the
// client's SELECT is computed from their columns.
func (b *block) combined(plain []*pgtree.Node) error {
	s := b.stmt
	cols := newColumns()
	for i, k := range b.keys {
		k.name = cols.unique(k.name, "key"+strconv.Itoa(i+1))
	}
	b.groupingCalls(cols)
	build := &combination{b: b, cols: cols, plain: plain, column: map[*semantic.Call]*pgtree.Node{}, plainAt: map[string]*pgtree.Node{}}
	from, err := build.from()
	if err != nil {
		return err
	}
	replace := func(n *pgtree.Node) (*pgtree.Node, error) { return build.outer(n) }
	for _, t := range s.GetTargetList() {
		rt := t.GetResTarget()
		if rt.Val, err = replace(rt.GetVal()); err != nil {
			return err
		}
	}
	var having []*pgtree.Node
	for _, h := range append(pgtree.Conjuncts(s.GetHavingClause()), b.having...) {
		r, err := replace(h)
		if err != nil {
			return err
		}
		having = append(having, r)
	}
	s.FromClause, s.GroupClause, s.HavingClause = from, nil, nil
	s.WhereClause = pgtree.And(having...)
	for _, list := range [][]*pgtree.Node{s.GetSortClause(), s.GetDistinctClause(), s.GetWindowClause()} {
		for i, n := range list {
			if n.GetNode() == nil {
				continue
			}
			if list[i], err = replace(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// columns gives out column names of a subquery, each once.
type columns struct{ taken map[string]bool }

func newColumns() *columns { return &columns{taken: map[string]bool{}} }

func (c *columns) unique(name, otherwise string) string {
	if name == "" || name == "?column?" {
		name = otherwise
	}
	try := name
	for i := 2; c.taken[try]; i++ {
		try = name + "_" + strconv.Itoa(i)
	}
	c.taken[try] = true
	return try
}

// setName is the column that tells the grouping sets apart.
const setName = "grouping_set"

// groupingCalls gives every GROUPING(...) of the SELECT a place.
func (b *block) groupingCalls(cols *columns) {
	if b.sets != nil {
		cols.taken[setName] = true
	}
}

// groupingOf computes GROUPING(args) for rows of a set, from the column that
// holds GROUPING of all keys: bit i from the right is key i from the right.
func (b *block) groupingOf(g *pg.GroupingFunc, n *pgtree.Node, set *pgtree.Node) (*pgtree.Node, error) {
	var sum *pgtree.Node
	args := g.GetArgs()
	for j, a := range args {
		print := pgtree.Fingerprint(a)
		i := slices.IndexFunc(b.keys, func(k *key) bool { return k.print == print })
		if i < 0 {
			return nil, grouping(n, "Write an expression of the GROUP BY clause.", "arguments to GROUPING must be grouping expressions of the associated query level")
		}
		if set == nil {
			continue
		}
		bit := pgtree.Op("&", pgtree.Op(">>", pgtree.Clone(set), pgtree.Int(int64(len(b.keys)-1-i))), pgtree.Int(1))
		if shift := len(args) - 1 - j; shift > 0 {
			bit = pgtree.Op("<<", bit, pgtree.Int(int64(shift)))
		}
		if sum == nil {
			sum = bit
		} else {
			sum = pgtree.Op("|", sum, bit)
		}
	}
	if sum == nil {
		return pgtree.Int(0), nil
	}
	return pgtree.Cast(sum, []string{"int4"}), nil
}
