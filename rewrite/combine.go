package rewrite

import (
	"slices"
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
)

// A combination is the FROM clause of an answer in several parts: one subquery
// for each, and where in them keys and aggregates are found.
type combination struct {
	b       *block
	cols    *columns
	plain   []*pgtree.Node
	base    string // the subquery that the keys are read from
	column  map[*semantic.Call]*pgtree.Node
	plainAt map[string]*pgtree.Node
}

func (m *combination) from() ([]*pgtree.Node, error) {
	names := m.names()
	if m.b.plan.Union {
		return m.union(names)
	}
	var from *pgtree.Node
	aliases := newColumns()
	for i, part := range m.b.plan.Parts {
		if part.Rows && len(part.Calls) == 0 && !part.Plain && len(m.b.keys) == 0 && m.b.sets == nil {
			continue // without keys there is one group, whatever the rows
		}
		alias := aliases.unique(m.alias(part), "part"+strconv.Itoa(i+1))
		sub, err := m.b.part(part, names, m.plainOf(part))
		if err != nil {
			return nil, err
		}
		item := pgtree.Subselect(sub, alias)
		for _, call := range part.Calls {
			m.column[call] = pgtree.Column(alias, names[call])
			if !part.Rows {
				m.column[call] = zero(call, m.column[call])
			}
		}
		if part.Plain {
			for j, p := range m.plain {
				col := pgtree.Column(alias, plainName(j))
				if !part.Rows && lower(p.GetFuncCall().GetFuncname()) == "count" {
					col = pgtree.Coalesce(col, pgtree.Int(0))
				}
				m.plainAt[pgtree.Fingerprint(p)] = col
			}
		}
		switch {
		case from == nil:
			from, m.base = item, alias
		case len(m.b.keys) == 0 && m.b.sets == nil:
			from = pgtree.Join(pg.JoinType_JOIN_INNER, from, item, nil)
		default:
			var on []*pgtree.Node
			for _, k := range m.b.keys {
				on = append(on, pgtree.NotDistinct(pgtree.Column(m.base, k.name), pgtree.Column(alias, k.name)))
			}
			if m.b.sets != nil {
				on = append(on, pgtree.Op("=", pgtree.Column(m.base, setName), pgtree.Column(alias, setName)))
			}
			from = pgtree.Join(pg.JoinType_JOIN_LEFT, from, item, pgtree.And(on...))
		}
	}
	return []*pgtree.Node{from}, nil
}

// zero makes a count of a group that has no rows in its part 0.
func zero(call *semantic.Call, n *pgtree.Node) *pgtree.Node {
	if call.ZeroIfMissing {
		return pgtree.Coalesce(n, pgtree.Int(0))
	}
	return n
}

func (m *combination) alias(part *semantic.Part) string {
	if part.Home != nil {
		return part.Home.Dataset.Name
	}
	for _, r := range m.b.placed {
		return r.alias
	}
	return "rows"
}

func (m *combination) plainOf(part *semantic.Part) []*pgtree.Node {
	if part.Plain {
		return m.plain
	}
	return nil
}

func plainName(j int) string { return "rows" + strconv.Itoa(j+1) }

// names gives every call a column: the metric's name if it is the metric.
func (m *combination) names() map[*semantic.Call]string {
	names := map[*semantic.Call]string{}
	var of func(v *semantic.Value)
	of = func(v *semantic.Value) {
		for _, s := range v.Slots {
			if s.Value != nil {
				of(s.Value)
				continue
			}
			if _, ok := names[s.Call]; ok {
				continue
			}
			name := s.Call.Aggregate.Func + "_" + s.Call.Home.Dataset.Name
			if v.Outer == nil {
				name = v.Metric.Name
			}
			names[s.Call] = m.cols.unique(name, "")
		}
	}
	for _, v := range m.b.plan.Values {
		of(v)
	}
	return names
}

// union stacks the parts and takes each group once: no part decides alone which
// groups there are.
func (m *combination) union(names map[*semantic.Call]string) ([]*pgtree.Node, error) {
	const alias = "metrics"
	var stacked *pgtree.Node
	var from *pgtree.Node
	keyed := len(m.b.keys) > 0 || m.b.sets != nil
	for i, part := range m.b.plan.Parts {
		sub, err := m.b.part(part, names, nil)
		if err != nil {
			return nil, err
		}
		own := part.Home.Dataset.Name
		if !keyed {
			own = alias + "_" + own
			item := pgtree.Subselect(sub, own)
			for _, call := range part.Calls {
				m.column[call] = pgtree.Column(own, names[call])
			}
			if from == nil {
				from = item
			} else {
				from = pgtree.Join(pg.JoinType_JOIN_INNER, from, item, nil)
			}
			continue
		}
		var targets []*pgtree.Node
		for _, name := range m.keyNames() {
			targets = append(targets, pgtree.Target(name, pgtree.Column(own, name)))
		}
		for j, other := range m.b.plan.Parts {
			for _, call := range other.Calls {
				val := pgtree.Null()
				if j == i {
					val = pgtree.Column(own, names[call])
				}
				targets = append(targets, pgtree.Target(names[call], val))
			}
		}
		arm := pgtree.Select(&pg.SelectStmt{TargetList: targets, FromClause: []*pgtree.Node{pgtree.Subselect(sub, own)}})
		if stacked == nil {
			stacked = arm
		} else {
			stacked = pgtree.Select(&pg.SelectStmt{Op: pg.SetOperation_SETOP_UNION, All: true, Larg: stacked.GetSelectStmt(), Rarg: arm.GetSelectStmt()})
		}
	}
	if !keyed {
		return []*pgtree.Node{from}, nil
	}
	const parts = "parts"
	var targets, group []*pgtree.Node
	for _, name := range m.keyNames() {
		targets = append(targets, pgtree.Target(name, pgtree.Column(parts, name)))
		group = append(group, pgtree.Column(parts, name))
	}
	for _, part := range m.b.plan.Parts {
		for _, call := range part.Calls {
			targets = append(targets, pgtree.Target(names[call], pgtree.Func("any_value", pgtree.Column(parts, names[call]))))
			m.column[call] = zero(call, pgtree.Column(alias, names[call]))
		}
	}
	m.base = alias
	all := pgtree.Select(&pg.SelectStmt{TargetList: targets, FromClause: []*pgtree.Node{pgtree.Subselect(stacked, parts)}, GroupClause: group})
	return []*pgtree.Node{pgtree.Subselect(all, alias)}, nil
}

func (m *combination) keyNames() []string {
	var out []string
	for _, k := range m.b.keys {
		out = append(out, k.name)
	}
	if m.b.sets != nil {
		out = append(out, setName)
	}
	return out
}

// outer rewrites an expression over groups into one over the parts' columns.
func (m *combination) outer(n *pgtree.Node) (*pgtree.Node, error) {
	b := m.b
	g := &groups{b: b}
	return g.walk(n, groupHandlers{
		key: func(i int) *pgtree.Node { return pgtree.Column(m.base, b.keys[i].name) },
		aggregate: func(n *pgtree.Node) *pgtree.Node {
			if col, ok := m.plainAt[pgtree.Fingerprint(n)]; ok {
				return pgtree.Clone(col)
			}
			return n
		},
		value: func(i int) (*pgtree.Node, error) {
			return b.value(b.plan.Values[i], func(call *semantic.Call) (*pgtree.Node, error) { return pgtree.Clone(m.column[call]), nil })
		},
		grouping: func(f *pg.GroupingFunc, n *pgtree.Node) (*pgtree.Node, error) {
			var set *pgtree.Node
			if b.sets != nil {
				set = pgtree.Column(m.base, setName)
			}
			return b.groupingOf(f, n, set)
		},
	}), g.err
}

func (b *block) notGrouped(name string, n *pgtree.Node) error {
	hint := "Add it to GROUP BY, or aggregate it."
	if len(b.stmt.GetGroupClause()) == 0 {
		hint = "Write GROUP BY " + name + "; SET pggate.ungrouped_marker = 'group' groups by the other columns of itself."
	}
	return grouping(n, hint, "column %q must appear in the GROUP BY clause or be used in an aggregate function", name)
}

// rawColumn tells a column of a FROM item that no model knows.
func (b *block) rawColumn(parts []string) bool {
	return slices.ContainsFunc(b.sc.items, func(it *item) bool { return !it.ofModel() && it.alias == parts[0] })
}
