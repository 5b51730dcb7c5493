package rewrite

import (
	"slices"
	"strings"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A scope is what the names of one SELECT can mean: its FROM items, then those
// of the SELECTs around it.
type scope struct {
	parent *scope
	items  []*item
	block  *block // nil where no item is a model's
	merged []merge
}

// A merge is a column that USING or NATURAL made of two.
type merge struct {
	name string
	expr *pgtree.Node
}

// An item is one FROM item.
type item struct {
	alias  string
	schema string // of a relation without an alias: schema.alias.column is allowed
	// A relation that no model knows has columns; known tells that they are
	// all of them.
	columns []string
	known   bool
	// A model's relation has node (nil for the relation without a root).
	model    *semantic.Model
	node     *semantic.Node
	rootless bool
	// exposed, if not nil, is all that an inlined subquery shows of node.
	exposed []exposed
}

// exposed is one output column of an inlined subquery: a dimension as an
// expression with markers, or a measure that is still to be evaluated.
type exposed struct {
	name   string
	expr   *pgtree.Node
	metric *semantic.Metric
}

func (it *item) ofModel() bool { return it.node != nil && it.model != nil || it.rootless }

// names are the columns that the item shows, in order.
func (it *item) names() []string {
	switch {
	case it.exposed != nil:
		var out []string
		for _, e := range it.exposed {
			out = append(out, e.name)
		}
		return out
	case it.rootless:
		return rootlessNames(it.model)
	case it.ofModel():
		return it.node.Dataset.Names()
	}
	return it.columns
}

func rootlessNames(m *semantic.Model) []string {
	var out []string
	if hasDefaultTime(m) {
		out = append(out, semantic.MetricTime)
	}
	for _, f := range m.Dimensions() {
		out = append(out, f.Name)
	}
	for _, v := range m.RoleDimensions() {
		out = append(out, v.Name)
	}
	for _, x := range m.Metrics() {
		if !x.Hidden {
			out = append(out, x.Name)
		}
	}
	return out
}

// answers tells whether the words in front of a column mean this item.
func (it *item) answers(qualifier []string) bool {
	switch len(qualifier) {
	case 1:
		return qualifier[0] == it.alias
	case 2:
		return it.schema != "" && qualifier[0] == it.schema && qualifier[1] == it.alias
	}
	return false
}

// A meaning is what a name was bound to.
type meaning struct {
	expr   *pgtree.Node // what to put in its place; nil: leave it
	metric *semantic.Metric
	root   *semantic.Node // the item that the metric was asked of, if written
	block  *block         // the block that the metric belongs to
}

// lookup binds a column name in a scope and those around it. What SQL itself
// says comes first: columns and aliases, innermost scope first. Then a dotted
// name may be a path of the model.
func (c *compiler) lookup(sc *scope, parts []string, n *pgtree.Node) (meaning, error) {
	for s := sc; s != nil; s = s.parent {
		if m, found, err := c.lookupHere(s, parts, n); found || err != nil {
			return m, err
		}
		// An item whose columns are not known may have any column.
		if len(parts) == 1 && slices.ContainsFunc(s.items, func(it *item) bool { return !it.ofModel() && !it.known }) {
			return meaning{}, nil
		}
	}
	if len(parts) == 1 {
		return meaning{}, c.unknownColumn(sc, parts[0], n)
	}
	var failed error
	for s := sc; s != nil; s = s.parent {
		m, found, err := c.path(s, parts, n)
		if found {
			return m, err
		}
		if err != nil && failed == nil {
			failed = err
		}
	}
	if failed != nil {
		return meaning{}, failed
	}
	return meaning{}, missingFrom(parts[len(parts)-2], n)
}

// unknownColumn says that no item has the column, and where else it is.
func (c *compiler) unknownColumn(sc *scope, name string, n *pgtree.Node) error {
	var known []string
	for s := sc; s != nil; s = s.parent {
		for _, it := range s.items {
			if it.ofModel() && !it.rootless && it.exposed == nil {
				if d := it.node.Dataset.OwnerBeyond(name); d != nil {
					return at(&sqlstate.Error{
						Code: sqlstate.UndefinedColumn, Message: "column \"" + name + "\" does not exist",
						Hint: "A row of \"" + it.node.Dataset.Name + "\" has many rows of \"" + d.Name + "\". Write " + d.Name + "." + name + " in a query with GROUP BY, or query \"" + d.Name + "\".",
					}, n)
				}
			}
			known = append(known, it.names()...)
		}
	}
	return undefinedColumn(name, known, n)
}

// lookupHere binds a name to a column of one scope's items.
func (c *compiler) lookupHere(s *scope, parts []string, n *pgtree.Node) (m meaning, found bool, err error) {
	name := parts[len(parts)-1]
	if len(parts) == 1 {
		for _, g := range s.merged {
			if g.name == name {
				return meaning{expr: pgtree.Clone(g.expr)}, true, nil
			}
		}
		var hits []meaning
		var hit []*item
		for _, it := range s.items {
			got, ok, e := c.inItem(s, it, name, n)
			if e != nil {
				return meaning{}, true, e
			}
			if ok {
				hits, hit = append(hits, got), append(hit, it)
			}
		}
		switch {
		case len(hits) == 1:
			if hits[0].metric != nil {
				hits[0].root = nil
			}
			return hits[0], true, nil
		case len(hits) > 1:
			if same := oneMetric(hits); same != nil {
				return meaning{metric: same, block: s.block}, true, nil
			}
			var choices []string
			for _, it := range hit {
				choices = append(choices, it.alias+"."+name)
			}
			return meaning{}, true, ambiguousColumn(name, choices, n)
		}
		return meaning{}, false, nil
	}
	qualifier := parts[:len(parts)-1]
	for _, it := range s.items {
		if !it.answers(qualifier) {
			continue
		}
		got, ok, e := c.inItem(s, it, name, n)
		if e != nil {
			return meaning{}, true, e
		}
		if ok {
			return got, true, nil
		}
		if !it.ofModel() && !it.known {
			return meaning{expr: bare(it, name, n)}, true, nil
		}
		if it.ofModel() && it.exposed == nil {
			if m, found, err := c.path(s, parts, n); found && err == nil {
				return m, true, nil
			}
		}
		return meaning{}, true, undefinedColumn(strings.Join(parts, "."), it.names(), n)
	}
	return meaning{}, false, nil
}

// oneMetric gives the metric if all meanings are the same one.
func oneMetric(hits []meaning) *semantic.Metric {
	for _, h := range hits {
		if h.metric == nil || h.metric != hits[0].metric {
			return nil
		}
	}
	return hits[0].metric
}

// bare is alias.column of a relation that no model knows.
func bare(it *item, name string, n *pgtree.Node) *pgtree.Node {
	col := pgtree.Column(it.alias, name)
	col.GetColumnRef().Location = int32(pgtree.Location(n))
	return col
}

// inItem looks a name up in one item.
func (c *compiler) inItem(s *scope, it *item, name string, n *pgtree.Node) (meaning, bool, error) {
	switch {
	case it.exposed != nil:
		for _, e := range it.exposed {
			if e.name == name {
				if e.metric != nil {
					return meaning{metric: e.metric, root: it.node, block: s.block}, true, nil
				}
				return meaning{expr: pgtree.Clone(e.expr)}, true, nil
			}
		}
		return meaning{}, false, nil
	case it.rootless:
		if x, ok := it.model.Metric(name); ok && !x.Hidden {
			return meaning{metric: x, block: s.block}, true, nil
		}
		mem, err := s.block.b.Dimension([]string{name})
		return s.block.meaning(mem, err, n)
	case it.ofModel():
		if x, ok := it.model.Metric(name); ok && slices.Contains(it.node.Dataset.Measures(), x) {
			if _, _, err := s.block.meaning0(it.node, name); err != nil {
				return meaning{metric: x, root: it.node, block: s.block}, true, nil
			}
		}
		mem, err := s.block.b.Member(it.node, name)
		return s.block.meaning(mem, err, n)
	}
	if slices.Contains(it.columns, name) {
		return meaning{expr: bare(it, name, n)}, true, nil
	}
	return meaning{}, false, nil
}

// meaning0 tells whether the item's own dimensions have the name.
func (b *block) meaning0(node *semantic.Node, name string) (meaning, bool, error) {
	_, err := b.b.Member(node, name)
	return meaning{}, err == nil, err
}

// meaning makes a marker of a member; an unknown name is no error yet.
func (b *block) meaning(mem *semantic.Member, err error, n *pgtree.Node) (meaning, bool, error) {
	if err != nil {
		if e, ok := err.(*semantic.Error); ok && e.Code == semantic.UnknownName {
			return meaning{}, false, nil
		}
		return meaning{}, true, modelError(err, n)
	}
	return meaning{expr: mark(markMember, b.id, b.member(mem), pgtree.Location(n))}, true, nil
}

// path binds a dotted name whose first word is no item: a role, a relationship
// or a dataset that one of the items leads to, or a role and a grain.
func (c *compiler) path(s *scope, parts []string, n *pgtree.Node) (meaning, bool, error) {
	var hits []*semantic.Member
	var failed error
	for _, it := range s.items {
		words := parts
		if it.ofModel() && len(parts) > 2 && parts[0] == it.alias {
			words = parts[1:]
		} else if len(s.items) > 1 && len(parts) > 2 && slices.ContainsFunc(s.items, func(o *item) bool { return o.alias == parts[0] }) {
			continue
		}
		if it.rootless {
			mem, err := s.block.b.Dimension(words)
			if err != nil {
				failed = modelError(err, n)
				continue
			}
			hits = append(hits, mem)
			continue
		}
		if !it.ofModel() || it.exposed != nil {
			continue
		}
		mem, ok, err := s.block.b.Dotted(it.node, words)
		if err != nil {
			if ok {
				return meaning{}, true, modelError(err, n)
			}
			continue
		}
		hits = append(hits, mem)
	}
	switch len(hits) {
	case 0:
		return meaning{}, false, failed
	case 1:
		return s.block.meaning(hits[0], nil, n)
	}
	for _, h := range hits[1:] {
		if h.Node != hits[0].Node || h.Field != hits[0].Field || h.Grain != hits[0].Grain {
			return meaning{}, true, ambiguousColumn(strings.Join(parts, "."), nil, n)
		}
	}
	return s.block.meaning(hits[0], nil, n)
}

func missingFrom(name string, n *pgtree.Node) error {
	return at(undefinedTableError("missing FROM-clause entry for table %q", name), n)
}
