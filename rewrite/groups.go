package rewrite

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
)

// groups walks expressions that are computed from groups: what is a key, an
// aggregate or a measure is handed on, and any other column is an error, as in
// PostgreSQL (parse_agg.c, check_ungrouped_columns).
type groups struct {
	b   *block
	err error
}

type groupHandlers struct {
	key       func(i int) *pgtree.Node
	aggregate func(*pgtree.Node) *pgtree.Node
	value     func(i int) (*pgtree.Node, error)
	grouping  func(*pg.GroupingFunc, *pgtree.Node) (*pgtree.Node, error)
}

func (g *groups) walk(n *pgtree.Node, h groupHandlers) *pgtree.Node {
	if g.err != nil || n == nil || n.GetNode() == nil {
		return n
	}
	b := g.b
	if i := b.keyOf(n); i >= 0 {
		return h.key(i)
	}
	if f := n.GetGroupingFunc(); f != nil {
		return g.checked(h.grouping(f, n))
	}
	if isAggregate(n) {
		return h.aggregate(n)
	}
	switch kind, id, i := marked(n); {
	case id != b.id:
	case kind == markValue:
		return g.checked(h.value(i))
	case kind == markMember:
		g.err = b.notGrouped(b.members[i].Name(), n)
		return n
	case kind == markRow:
		name := b.rows[i].Metric.Name
		g.err = grouping(n, "Write MEASURE("+name+").", "measure %q must be grouped or marked here", name)
		return n
	}
	if parts, star := pgtree.ColumnParts(n); len(parts) == 2 && !star && b.rawColumn(parts) {
		g.err = b.notGrouped(parts[0]+"."+parts[1], n)
		return n
	}
	pgtree.MapChildren(n, func(k *pgtree.Node) *pgtree.Node { return g.walk(k, h) })
	return n
}

func (g *groups) checked(n *pgtree.Node, err error) *pgtree.Node {
	if err != nil {
		g.err = err
	}
	return n
}

// keyOf finds the key that an expression is, or -1. Only nodes of a key's own
// kind are compared.
func (b *block) keyOf(n *pgtree.Node) int {
	kind, print := pgtree.Kind(n), ""
	for i, k := range b.keys {
		if pgtree.Kind(k.expr) != kind {
			continue
		}
		if print == "" {
			print = pgtree.Fingerprint(n)
		}
		if print == k.print {
			return i
		}
	}
	return -1
}

// checkGroups refuses columns that are neither grouped nor aggregated.
func (b *block) checkGroups() error {
	g := &groups{b: b}
	same := groupHandlers{
		key:       func(i int) *pgtree.Node { return b.keys[i].expr },
		aggregate: func(n *pgtree.Node) *pgtree.Node { return n },
		value:     func(int) (*pgtree.Node, error) { return pgtree.Null(), nil },
		grouping: func(f *pg.GroupingFunc, n *pgtree.Node) (*pgtree.Node, error) {
			return b.groupingOf(f, n, nil)
		},
	}
	b.outputs(func(n *pgtree.Node) { g.walk(pgtree.Clone(n), same) })
	return g.err
}
