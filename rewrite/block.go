package rewrite

import (
	"slices"
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A block is one SELECT that asks a model: what its names mean stands in the
// tree as markers into the lists below.
type block struct {
	id    int
	c     *compiler
	sc    *scope
	model *semantic.Model
	b     *semantic.Block
	stmt  *pg.SelectStmt
	node  *pgtree.Node

	placed    []*item        // placeholders in FROM, by number
	inherited []*pgtree.Node // filters of queries that were put in place
	members   []*semantic.Member
	values    []semantic.MetricUse // measures of a group
	rows      []semantic.MetricUse // measures of a row
	filters   []*pgtree.Node       // FILTER conditions on measures

	grouped  bool
	implied  bool // the keys are the outputs without aggregates
	rootless bool
	context  context

	keys   []*key
	sets   [][]int // grouping sets as indexes of keys; nil for one set of all
	where  []*pgtree.Node
	having []*pgtree.Node
	plan   *semantic.Plan
	rowSet *semantic.Plan // of the measures of a row
	names  map[*semantic.Node]string
	rowErr error
}

// A key is one expression of GROUP BY.
type key struct {
	expr  *pgtree.Node
	print string // fingerprint, to find it in other clauses
	name  string
}

// placeholder is what stands for a model's relation in FROM until rendering.
func (b *block) placeholder(it *item, loc int) *pgtree.Node {
	b.placed = append(b.placed, it)
	n := pgtree.Relation("", string(markItem)+strconv.Itoa(b.id), strconv.Itoa(len(b.placed)-1), "")
	n.GetRangeVar().Location = int32(loc)
	return n
}

// rename lets another item take the place of one that was put in place.
func (b *block) rename(from, to *item) {
	for i, it := range b.placed {
		if it == from {
			b.placed[i] = to
		}
	}
}

func (b *block) member(m *semantic.Member) int {
	for i, o := range b.members {
		if *o == *m {
			return i
		}
	}
	b.members = append(b.members, m)
	return len(b.members) - 1
}

func (b *block) filter(cond *pgtree.Node) int {
	for i, f := range b.filters {
		if pgtree.Equal(f, cond) {
			return i + 1
		}
	}
	b.filters = append(b.filters, cond)
	return len(b.filters)
}

// membersIn are the dimensions that an expression mentions.
func (b *block) membersIn(list ...*pgtree.Node) []*semantic.Member {
	var out []*semantic.Member
	for _, n := range list {
		each(n, b.id, markMember, func(i int) {
			if !slices.Contains(out, b.members[i]) {
				out = append(out, b.members[i])
			}
		})
	}
	return out
}

// unify finds FROM items that a condition joins by the columns of a
// relationship: the path along it is then the item itself.
func (b *block) unify(cond *pgtree.Node) {
	type pair struct{ near, far *semantic.Member }
	var pairs []pair
	for _, conj := range pgtree.Conjuncts(cond) {
		e := conj.GetAExpr()
		if e == nil || e.GetKind() != pg.A_Expr_Kind_AEXPR_OP || opName(e) != "=" {
			continue
		}
		l, r := b.markedMember(e.GetLexpr()), b.markedMember(e.GetRexpr())
		if l != nil && r != nil && l.Node != nil && r.Node != nil && l.Node.Root != r.Node.Root {
			pairs = append(pairs, pair{l, r}, pair{r, l})
		}
	}
	for _, rel := range b.model.Relationships() {
		edge := semantic.Edge{Rel: rel}
		near, far := edge.Columns()
		for _, p := range pairs {
			n, g := p.near.Node, p.far.Node
			if n.Dataset != rel.From || g.Dataset != rel.To || p.near.Field.Column() != near[0] || p.far.Field.Column() != far[0] {
				continue
			}
			all := true
			for i := 1; i < len(near); i++ {
				all = all && slices.ContainsFunc(pairs, func(q pair) bool {
					return q.near.Node == n && q.far.Node == g && q.near.Field.Column() == near[i] && q.far.Field.Column() == far[i]
				})
			}
			// One of the two must be a FROM item itself; the other may lie
			// on a path.
			if all && (g.Parent == nil || n.Parent == nil) {
				b.b.Unify(n, edge, g)
			}
		}
	}
}

func (b *block) markedMember(n *pgtree.Node) *semantic.Member {
	if kind, id, i := marked(n); kind == markMember && id == b.id {
		return b.members[i]
	}
	return nil
}

// checkCrossed refuses relations of the model that no condition connects: as SQL
// they would be every pair of rows, and a client that writes this means something
// else. It is called when WHERE is bound.
func (b *block) checkCrossed() error {
	conds := pgtree.Conjuncts(b.stmt.GetWhereClause())
	for _, n := range b.stmt.GetFromClause() {
		pgtree.Walk(n, func(k *pgtree.Node) bool {
			if j := k.GetJoinExpr(); j != nil {
				conds = append(conds, pgtree.Conjuncts(j.GetQuals())...)
			}
			return k.GetSelectStmt() == nil
		})
	}
	group := map[*semantic.Node]*semantic.Node{}
	for _, r := range b.b.Roots {
		group[r] = r
	}
	var find func(n *semantic.Node) *semantic.Node
	find = func(n *semantic.Node) *semantic.Node {
		if group[n] != n {
			return find(group[n])
		}
		return n
	}
	for _, c := range conds {
		var first *semantic.Node
		for _, m := range b.membersIn(c) {
			if m.Node == nil {
				continue
			}
			if first == nil {
				first = m.Node.Root
			}
			group[find(m.Node.Root)] = find(first)
		}
	}
	var first *semantic.Node
	for _, r := range b.b.Roots {
		if r.Dataset == nil {
			return nil // connected through a relation outside of the model, or meant so
		}
		if first == nil {
			first = r
		}
		if find(r) != find(first) {
			return unsupported(b.placeOf(r), "Join them ON the columns of their relationship.",
				"no condition joins the relations \"%s\" and \"%s\"", first.Dataset.Name, r.Dataset.Name)
		}
	}
	return nil
}

// placeOf is where an item stands in FROM.
func (b *block) placeOf(root *semantic.Node) *pgtree.Node {
	var place *pgtree.Node
	for _, n := range b.stmt.GetFromClause() {
		pgtree.Walk(n, func(k *pgtree.Node) bool {
			if rv := k.GetRangeVar(); rv != nil && rv.GetSchemaname() == string(markItem)+strconv.Itoa(b.id) {
				if i, err := strconv.Atoi(rv.GetRelname()); err == nil && b.placed[i].node == root {
					place = k
				}
			}
			return place == nil
		})
	}
	return place
}

// compile plans the bound block and writes the answer into its SELECT.
func (b *block) compile() error {
	b.name()
	if err := b.conditions(); err != nil {
		return err
	}
	if b.grouped {
		if err := b.groupKeys(); err != nil {
			return err
		}
		return b.compileGrouped()
	}
	return b.compileRows()
}

// conditions sorts the conjuncts of WHERE: rows are filtered by those without
// measures, groups (or finished rows) by the others.
func (b *block) conditions() error {
	for _, conj := range append(pgtree.Conjuncts(b.stmt.GetWhereClause()), b.inheritedConjuncts()...) {
		if has(conj, b.id, markValue, markRow) {
			b.having = append(b.having, conj)
			continue
		}
		if containsAggregate(conj) {
			return grouping(conj, "Put the condition into HAVING.", "aggregate functions are not allowed in WHERE")
		}
		b.where = append(b.where, conj)
	}
	return nil
}

func (b *block) inheritedConjuncts() []*pgtree.Node {
	var out []*pgtree.Node
	for _, n := range b.inherited {
		out = append(out, pgtree.Conjuncts(n)...)
	}
	return out
}

// groupKeys reads GROUP BY, or implies it.
func (b *block) groupKeys() error {
	if b.implied {
		for _, t := range b.stmt.GetTargetList() {
			val := t.GetResTarget().GetVal()
			if !has(val, b.id, markValue) && !containsAggregate(val) && (has(val, b.id, markMember, markRow) || hasColumn(val)) {
				b.key(val, t.GetResTarget().GetName())
			}
		}
		return nil
	}
	sets := [][]int{{}}
	plain := true
	for _, g := range b.stmt.GetGroupClause() {
		list, isSet, err := b.groupSets(g)
		if err != nil {
			return err
		}
		plain = plain && !isSet
		var product [][]int
		for _, a := range sets {
			for _, c := range list {
				product = append(product, union(a, c))
			}
		}
		if len(product) > 4096 {
			return at(sqlstate.New(sqlstate.StatementTooComplex, "too many grouping sets present (maximum 4096)"), g)
		}
		sets = product
	}
	if !plain {
		b.sets = sets
	}
	return nil
}

func union(a, c []int) []int {
	out := slices.Clone(a)
	for _, i := range c {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// groupSets gives the sets that one entry of GROUP BY stands for.
func (b *block) groupSets(g *pgtree.Node) (sets [][]int, isSet bool, err error) {
	set := g.GetGroupingSet()
	if set == nil {
		if row := g.GetRowExpr(); row != nil {
			var all []int
			for _, a := range row.GetArgs() {
				all = union(all, []int{b.key(a, "")})
			}
			return [][]int{all}, false, nil
		}
		return [][]int{{b.key(g, "")}}, false, nil
	}
	var parts [][][]int
	for _, m := range set.GetContent() {
		list, _, err := b.groupSets(m)
		if err != nil {
			return nil, true, err
		}
		parts = append(parts, list)
	}
	switch set.GetKind() {
	case pg.GroupingSetKind_GROUPING_SET_EMPTY:
		return [][]int{{}}, true, nil
	case pg.GroupingSetKind_GROUPING_SET_ROLLUP:
		for k := len(parts); k >= 0; k-- {
			var all []int
			for _, p := range parts[:k] {
				all = union(all, p[0])
			}
			sets = append(sets, all)
		}
		return sets, true, nil
	case pg.GroupingSetKind_GROUPING_SET_CUBE:
		if len(parts) > 12 {
			return nil, true, at(sqlstate.New(sqlstate.StatementTooComplex, "CUBE is limited to 12 elements"), g)
		}
		for mask := 1<<len(parts) - 1; mask >= 0; mask-- {
			var all []int
			for i, p := range parts {
				if mask&(1<<(len(parts)-1-i)) != 0 {
					all = union(all, p[0])
				}
			}
			sets = append(sets, all)
		}
		return sets, true, nil
	case pg.GroupingSetKind_GROUPING_SET_SETS:
		for _, p := range parts {
			sets = append(sets, p...)
		}
		return sets, true, nil
	}
	var all []int
	for _, p := range parts {
		all = union(all, p[0])
	}
	return [][]int{all}, true, nil
}

// key gives the number of a key, adding it if it is new.
func (b *block) key(n *pgtree.Node, name string) int {
	print := pgtree.Fingerprint(n)
	for i, k := range b.keys {
		if k.print == print {
			return i
		}
	}
	if name == "" {
		for _, t := range b.stmt.GetTargetList() {
			if pgtree.Fingerprint(t.GetResTarget().GetVal()) == print {
				name = t.GetResTarget().GetName()
				break
			}
		}
	}
	if name == "" {
		if m := b.markedMember(n); m != nil && m.Field != nil {
			name = m.Field.Name
		}
	}
	b.keys = append(b.keys, &key{expr: n, print: print, name: name})
	return len(b.keys) - 1
}
