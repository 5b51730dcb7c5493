package rewrite

import (
	"slices"
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
)

// planRows plans the measures that are wanted for each row of FROM: each part
// is grouped by the key of the root and joined to it.
func (b *block) planRows() error {
	if len(b.rows) == 0 {
		return nil
	}
	q := &semantic.Query{Block: b.b, Metrics: b.rows, PerRow: true, Where: append(b.membersIn(b.where...), b.onMembers()...)}
	var err error
	if b.rowSet, err = q.Plan(); err != nil {
		return modelError(err, b.firstMeasure())
	}
	for _, r := range b.rowRoots() {
		if len(r.Dataset.PrimaryKey) == 0 {
			return unsupported(b.firstMeasure(), "Declare primary_key for it in the model, or group the query.", "rows of %q cannot be told apart, since it declares no primary key", r.Dataset.Name)
		}
	}
	return b.rowsSeparable()
}

// rowRoots are the items whose rows make up a row of FROM, as far as a measure
// of that row can depend on it.
func (b *block) rowRoots() []*semantic.Node {
	var out []*semantic.Node
	for _, r := range b.b.Roots {
		if r.Dataset != nil {
			out = append(out, r)
		}
	}
	return out
}

// rowsSeparable refuses a condition that ties rows behind a to-many step to a
// relation outside of the model: the measure of a row would then depend on a row
// that has no key to join it back by.
func (b *block) rowsSeparable() error {
	conds := slices.Clone(b.where)
	for _, n := range b.stmt.GetFromClause() {
		pgtree.Walk(n, func(k *pgtree.Node) bool {
			if j := k.GetJoinExpr(); j != nil {
				conds = append(conds, pgtree.Conjuncts(j.GetQuals())...)
			}
			return k.GetSelectStmt() == nil
		})
	}
	for _, c := range conds {
		raw, many := false, false
		pgtree.Walk(c, func(k *pgtree.Node) bool {
			if parts, star := pgtree.ColumnParts(k); len(parts) == 2 && !star && b.rawColumn(parts) {
				raw = true
			}
			if m := b.markedMember(k); m != nil && !m.Node.SingleValued() {
				many = true
			}
			return true
		})
		if raw && many {
			return unsupported(c, "Group the query, or evaluate the measure in a subquery over the model's relation alone.", "measures of single rows under a condition between rows of the model and another relation")
		}
	}
	return nil
}

func rowAlias(i int) string {
	if i == 0 {
		return "measures"
	}
	return "measures_" + strconv.Itoa(i+1)
}

// rowColumn is measure i of a row, where the row's parts are joined.
func (b *block) rowColumn(i int) *pgtree.Node {
	n, err := b.value(b.rowSet.Values[i], func(call *semantic.Call) (*pgtree.Node, error) {
		for p, part := range b.rowSet.Parts {
			for j, c := range part.Calls {
				if c == call {
					return zero(call, pgtree.Column(rowAlias(p), "m"+strconv.Itoa(j+1))), nil
				}
			}
		}
		return pgtree.Null(), nil
	})
	if err != nil {
		return pgtree.Null()
	}
	return n
}

// joinRows joins the parts of the rows' measures to a FROM clause.
func (b *block) joinRows(from []*pgtree.Node) []*pgtree.Node {
	if b.rowSet == nil || len(from) == 0 {
		return from
	}
	out := from[0]
	for _, n := range from[1:] {
		out = pgtree.Join(pg.JoinType_JOIN_INNER, out, n, nil)
	}
	roots := b.rowRoots()
	for p, part := range b.rowSet.Parts {
		sub, err := b.rowPart(roots, part)
		if err != nil {
			b.rowErr = err
			return from
		}
		var on []*pgtree.Node
		for _, r := range roots {
			for _, c := range r.Dataset.PrimaryKey {
				l, r1 := pgtree.Column(b.aliasOf(r), c), pgtree.Column(rowAlias(p), "k"+strconv.Itoa(len(on)+1))
				if r.Nullable {
					on = append(on, pgtree.NotDistinct(l, r1))
				} else {
					on = append(on, pgtree.Op("=", l, r1))
				}
			}
		}
		out = pgtree.Join(pg.JoinType_JOIN_LEFT, out, pgtree.Subselect(sub, rowAlias(p)), pgtree.And(on...))
	}
	return []*pgtree.Node{out}
}

// rowPart aggregates one home for each row.
func (b *block) rowPart(roots []*semantic.Node, part *semantic.Part) (*pgtree.Node, error) {
	sub := &block{id: b.id, c: b.c, sc: b.sc, model: b.model, b: b.b, stmt: b.stmt, placed: b.placed, members: b.members, values: b.rows, filters: b.filters, where: b.where, names: b.names, plan: b.rowSet}
	names := map[*semantic.Call]string{}
	for i, c := range part.Calls {
		names[c] = "m" + strconv.Itoa(i+1)
	}
	for _, r := range roots {
		for _, c := range r.Dataset.PrimaryKey {
			sub.keys = append(sub.keys, &key{expr: pgtree.Column(b.aliasOf(r), c), name: "k" + strconv.Itoa(len(sub.keys)+1)})
		}
	}
	return sub.part(part, names, nil)
}

// compileRows answers a SELECT without groups: one row for each row of FROM.
func (b *block) compileRows() error {
	s := b.stmt
	if err := b.planRows(); err != nil {
		return err
	}
	var outputs []*semantic.Member
	b.outputs(func(n *pgtree.Node) { outputs = append(outputs, b.membersIn(n)...) })
	q := &semantic.Query{Block: b.b, Where: append(b.membersIn(b.where...), b.onMembers()...), PlainMembers: outputs}
	for _, m := range outputs {
		if !m.Node.SingleValued() {
			return grouping(b.whereMarked(m), "Group the query, or query the relation \""+m.Node.Dataset.Name+"\" itself.", "column %q has many values for one row", m.Name())
		}
	}
	var err error
	if b.plan, err = q.Plan(); err != nil {
		return modelError(err, nil)
	}
	b.report()
	part := b.plan.Parts[0]
	f := b.filler(part)
	var many []*pgtree.Node // conditions on rows that a row has many of
	var one []*pgtree.Node
	for _, w := range b.where {
		single := true
		for _, m := range b.membersIn(w) {
			single = single && m.Node.SingleValued()
		}
		if single {
			one = append(one, w)
		} else {
			many = append(many, w)
		}
	}
	conds := []*pgtree.Node{f.conditions(append(one, b.having...))}
	if len(many) > 0 {
		exists, err := b.semiJoin(f, part)
		if err != nil {
			return err
		}
		conds = append(conds, exists)
	}
	where := pgtree.And(conds...)
	s.FromClause = f.from(singleNodes(part.Nodes))
	s.WhereClause = where
	for _, t := range s.GetTargetList() {
		rt := t.GetResTarget()
		rt.Val = f.expr(rt.GetVal())
	}
	for _, list := range [][]*pgtree.Node{s.GetSortClause(), s.GetDistinctClause(), s.GetWindowClause()} {
		for i, n := range list {
			if n.GetNode() != nil {
				list[i] = f.expr(n)
			}
		}
	}
	if b.rowErr != nil {
		return b.rowErr
	}
	return f.err
}

func (b *block) whereMarked(m *semantic.Member) *pgtree.Node {
	var at *pgtree.Node
	b.outputs(func(n *pgtree.Node) {
		pgtree.Walk(n, func(k *pgtree.Node) bool {
			if at == nil && b.markedMember(k) == m {
				at = k
			}
			return at == nil
		})
	})
	return at
}

func singleNodes(nodes []*semantic.Node) []*semantic.Node {
	var out []*semantic.Node
	for _, n := range nodes {
		if n.SingleValued() {
			out = append(out, n)
		}
	}
	return out
}

// semiJoin keeps the rows for which the joined rows pass the whole filter: a
// condition on a to-many path must not repeat them.
func (b *block) semiJoin(f *filler, part *semantic.Part) (*pgtree.Node, error) {
	roots := b.b.Roots
	if len(roots) > 1 {
		return nil, unsupported(nil, "Filter with EXISTS (SELECT ...), or group the query.", "a filter on a to-many column over the rows of a join")
	}
	root := roots[0]
	key := root.Dataset.PrimaryKey
	if len(key) == 0 {
		return nil, unsupported(nil, "Declare primary_key for it in the model, or filter with EXISTS.", "rows of %q cannot be told apart, since it declares no primary key", root.Dataset.Name)
	}
	inner := &filler{b: b, part: part, numbered: map[*semantic.Node]bool{}}
	q := &pg.SelectStmt{WhereClause: inner.conditions(b.where), FromClause: inner.from(part.Nodes)}
	var left []*pgtree.Node
	for _, c := range key {
		q.TargetList = append(q.TargetList, pgtree.Target("", pgtree.Column(b.aliasOf(root), c)))
		left = append(left, pgtree.Column(b.aliasOf(root), c))
	}
	test := left[0]
	if len(left) > 1 {
		test = &pgtree.Node{Node: &pg.Node_RowExpr{RowExpr: &pg.RowExpr{Args: left, RowFormat: pg.CoercionForm_COERCE_IMPLICIT_CAST, Location: -1}}}
	}
	return &pgtree.Node{Node: &pg.Node_SubLink{SubLink: &pg.SubLink{SubLinkType: pg.SubLinkType_ANY_SUBLINK, Testexpr: test, Subselect: pgtree.Select(q), Location: -1}}}, inner.err
}
