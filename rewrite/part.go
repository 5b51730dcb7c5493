package rewrite

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
)

// part writes one part of a plan as a query with the block's keys and a column
// for each of its calls and of the SELECT's own aggregates.
func (b *block) part(part *semantic.Part, names map[*semantic.Call]string, plain []*pgtree.Node) (*pgtree.Node, error) {
	if part.Distinct || b.sets != nil {
		return b.nestedPart(part, names, plain)
	}
	f := b.filler(part)
	s := &pg.SelectStmt{}
	for i, k := range b.keys {
		s.TargetList = append(s.TargetList, pgtree.Target(k.name, f.expr(k.expr)))
		s.GroupClause = append(s.GroupClause, pgtree.Int(int64(i+1)))
	}
	for _, call := range part.Calls {
		n, err := b.call(part, call, nil)
		if err != nil {
			return nil, err
		}
		s.TargetList = append(s.TargetList, pgtree.Target(names[call], n))
	}
	for j, p := range plain {
		s.TargetList = append(s.TargetList, pgtree.Target(plainName(j), f.expr(p)))
	}
	if len(s.TargetList) == 0 {
		s.TargetList = []*pgtree.Node{pgtree.Target("one", pgtree.Int(1))}
	}
	s.WhereClause = b.partWhere(f, part)
	s.FromClause = f.from(part.Nodes)
	return pgtree.Select(s), f.err
}

// partWhere is the block's filter, and that there is a home row at all.
func (b *block) partWhere(f *filler, part *semantic.Part) *pgtree.Node {
	conds := []*pgtree.Node{f.conditions(b.where)}
	if part.Home != nil && !b.rootless {
		conds = append(conds, pgtree.IsNull(f.presence(part.Home), true))
	}
	return pgtree.And(conds...)
}

// nestedPart names keys, identities and arguments in an inner SELECT, makes the
// home rows distinct for each group, and aggregates outside. Where there are
// grouping sets they are made distinct for each set by itself.
func (b *block) nestedPart(part *semantic.Part, names map[*semantic.Call]string, plain []*pgtree.Node) (*pgtree.Node, error) {
	const rows, distinct = "rows", "distinct_rows"
	f := b.filler(part)
	inner := newProjection(rows)
	var keyCols []*pgtree.Node
	for _, k := range b.keys {
		keyCols = append(keyCols, inner.named(f.expr(k.expr), k.name, b.sets == nil))
	}
	var ids []*pgtree.Node
	if part.Distinct {
		homes := []*semantic.Node{part.Home}
		if part.Home == nil {
			homes = b.b.Roots
		}
		for _, h := range homes {
			if h.Dataset == nil {
				return nil, unsupported(nil, "Filter with EXISTS (SELECT ...) instead of naming the column of another relation.", "an aggregate over a join with a relation outside of the model, filtered by a to-many column")
			}
			for _, id := range f.identity(h) {
				ids = append(ids, inner.column(id, h.Dataset.Name+"_key"))
			}
		}
	}
	var outs []*pgtree.Node
	for _, call := range part.Calls {
		n, err := b.call(part, call, inner)
		if err != nil {
			return nil, err
		}
		outs = append(outs, pgtree.Target(names[call], n))
	}
	for j, p := range plain {
		outs = append(outs, pgtree.Target(plainName(j), b.plainOver(f, p, inner)))
	}
	if f.err != nil {
		return nil, f.err
	}
	query := &pg.SelectStmt{WhereClause: b.partWhere(f, part)}
	query.FromClause = f.from(part.Nodes)
	query.TargetList = inner.targets
	source := rows
	if part.Distinct && b.sets == nil {
		query.DistinctClause = []*pgtree.Node{{}}
	}
	from := pgtree.Subselect(pgtree.Select(query), rows)
	if part.Distinct && b.sets != nil {
		middle := &pg.SelectStmt{FromClause: []*pgtree.Node{from}}
		isKey := map[string]bool{}
		for _, c := range append(keyCols, ids...) {
			name := columnName(c)
			isKey[name] = true
			middle.TargetList = append(middle.TargetList, pgtree.Target(name, pgtree.Clone(c)))
		}
		middle.TargetList = append(middle.TargetList, pgtree.Target(setName, groupingCall(keyCols)))
		for _, t := range inner.targets {
			if name := t.GetResTarget().GetName(); !isKey[name] {
				middle.TargetList = append(middle.TargetList, pgtree.Target(name, pgtree.Func("any_value", pgtree.Column(rows, name))))
			}
		}
		middle.GroupClause = []*pgtree.Node{b.groupingSets(keyCols, ids, false)}
		// The outer SELECT reads from the distinct rows under the same names.
		from, source = pgtree.Subselect(pgtree.Select(middle), distinct), distinct
	}
	s := &pg.SelectStmt{FromClause: []*pgtree.Node{from}}
	for i, c := range keyCols {
		s.TargetList = append(s.TargetList, pgtree.Target(b.keys[i].name, from0(c, source)))
	}
	switch {
	case b.sets != nil && part.Distinct:
		s.TargetList = append(s.TargetList, pgtree.Target(setName, pgtree.Column(source, setName)))
		for i := range len(keyCols) + 1 {
			s.GroupClause = append(s.GroupClause, pgtree.Int(int64(i+1)))
		}
	case b.sets != nil:
		s.TargetList = append(s.TargetList, pgtree.Target(setName, groupingCall(keyCols)))
		s.GroupClause = []*pgtree.Node{b.groupingSets(keyCols, nil, part.Rows)}
	default:
		for i := range keyCols {
			s.GroupClause = append(s.GroupClause, pgtree.Int(int64(i+1)))
		}
	}
	for _, o := range outs {
		s.TargetList = append(s.TargetList, reroot(o, rows, source))
	}
	if len(s.TargetList) == 0 {
		s.TargetList = []*pgtree.Node{pgtree.Target("one", pgtree.Int(1))}
	}
	return pgtree.Select(s), f.err
}

// named adds a key under its own name. shared lets equal expressions use its
// column; not so with grouping sets, which make keys NULL and nothing else.
func (p *projection) named(n *pgtree.Node, name string, shared bool) *pgtree.Node {
	p.cols.taken[name] = true
	if shared {
		p.by[pgtree.Fingerprint(n)] = name
	}
	p.targets = append(p.targets, pgtree.Target(name, n))
	return pgtree.Column(p.alias, name)
}

// plainOver writes one of the SELECT's own aggregates over the inner columns.
func (b *block) plainOver(f *filler, call *pgtree.Node, inner *projection) *pgtree.Node {
	return pgtree.Map(pgtree.Clone(call), func(n *pgtree.Node) *pgtree.Node {
		if kind, id, i := marked(n); id == b.id && kind == markMember {
			return inner.column(f.expr(n), b.members[i].Name())
		} else if id == b.id && kind == markRow {
			return inner.column(f.expr(n), "measure")
		}
		if parts, star := pgtree.ColumnParts(n); len(parts) == 2 && !star && b.rawColumn(parts) {
			return inner.column(pgtree.Clone(n), parts[1])
		}
		return n
	})
}

func columnName(n *pgtree.Node) string {
	parts, _ := pgtree.ColumnParts(n)
	return parts[len(parts)-1]
}

func from0(c *pgtree.Node, source string) *pgtree.Node {
	return pgtree.Column(source, columnName(c))
}

func reroot(n *pgtree.Node, from, to string) *pgtree.Node {
	if from == to {
		return n
	}
	return pgtree.Map(n, func(k *pgtree.Node) *pgtree.Node {
		if parts, star := pgtree.ColumnParts(k); len(parts) == 2 && !star && parts[0] == from {
			return pgtree.Column(to, parts[1])
		}
		return k
	})
}

// groupingCall is GROUPING(keys): which keys a row's set leaves out.
func groupingCall(keys []*pgtree.Node) *pgtree.Node {
	if len(keys) == 0 {
		return pgtree.Int(0)
	}
	g := &pg.GroupingFunc{Location: -1}
	for _, k := range keys {
		g.Args = append(g.Args, pgtree.Clone(k))
	}
	return &pgtree.Node{Node: &pg.Node_GroupingFunc{GroupingFunc: g}}
}

// groupingSets writes the block's sets, each with the identities added. A set
// that stands twice gives its groups twice where the groups come from (repeated);
// elsewhere it is the same rows.
func (b *block) groupingSets(keys, ids []*pgtree.Node, repeated bool) *pgtree.Node {
	out := &pg.GroupingSet{Kind: pg.GroupingSetKind_GROUPING_SET_SETS, Location: -1}
	seen := map[string]bool{}
	for _, set := range b.sets {
		var cols []*pgtree.Node
		print := ""
		for i := range keys {
			for _, j := range set {
				if i == j {
					cols = append(cols, pgtree.Clone(keys[i]))
					print += "," + b.keys[i].name
				}
			}
		}
		if seen[print] && !repeated {
			continue
		}
		seen[print] = true
		for _, id := range ids {
			cols = append(cols, pgtree.Clone(id))
		}
		if len(cols) == 0 {
			out.Content = append(out.Content, &pgtree.Node{Node: &pg.Node_GroupingSet{GroupingSet: &pg.GroupingSet{Kind: pg.GroupingSetKind_GROUPING_SET_EMPTY, Location: -1}}})
			continue
		}
		out.Content = append(out.Content, &pgtree.Node{Node: &pg.Node_RowExpr{RowExpr: &pg.RowExpr{Args: cols, RowFormat: pg.CoercionForm_COERCE_IMPLICIT_CAST, Location: -1}}})
	}
	return &pgtree.Node{Node: &pg.Node_GroupingSet{GroupingSet: out}}
}
