package rewrite

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
)

// name gives every instance an alias: an item keeps the client's, a path is
// called by its last word.
func (b *block) name() {
	b.names = map[*semantic.Node]string{}
}

// aliasOf is the alias of an instance.
func (b *block) aliasOf(n *semantic.Node) string {
	if name, ok := b.names[n]; ok {
		return name
	}
	name := ""
	for _, it := range b.placed {
		if it.node == n {
			name = it.alias
		}
	}
	if name == "" && n.Parent == nil { // home of a part without a root
		name = n.Dataset.Name
		b.names[n] = name
		return name
	}
	if name != "" {
		b.names[n] = name
		return name
	}
	word := n.Edge.Word()
	try := word
	for i := 2; b.aliasTaken(try, n); i++ {
		try = word + "_" + strconv.Itoa(i)
	}
	b.names[n] = try
	return try
}

func (b *block) aliasTaken(name string, n *semantic.Node) bool {
	if slices.ContainsFunc(b.sc.items, func(it *item) bool { return it.alias == name && !it.rootless }) {
		return true
	}
	for s := b.sc.parent; s != nil; s = s.parent {
		if slices.ContainsFunc(s.items, func(it *item) bool { return it.alias == name }) {
			return true
		}
	}
	if b.rootless && n.Root.Dataset.Name == name {
		return true
	}
	for o, taken := range b.names {
		if taken == name && (!b.rootless || o.Root == n.Root) {
			return true
		}
	}
	return false
}

// A filler replaces markers for one part of a plan. The first error stays.
type filler struct {
	b        *block
	part     *semantic.Part
	numbered map[*semantic.Node]bool // scans that number their rows
	rowJoins bool                    // join the measures of a row to the items
	err      error
}

func (b *block) filler(part *semantic.Part) *filler {
	return &filler{b: b, part: part, numbered: map[*semantic.Node]bool{}, rowJoins: true}
}

// expr fills a copy of an expression over rows.
func (f *filler) expr(n *pgtree.Node) *pgtree.Node {
	return pgtree.Map(pgtree.Clone(n), func(k *pgtree.Node) *pgtree.Node {
		kind, id, i := marked(k)
		if id != f.b.id || f.err != nil {
			return k
		}
		switch kind {
		case markMember:
			r, err := f.member(f.b.members[i])
			if err != nil {
				f.err = modelError(err, k)
				return k
			}
			return r
		case markRow:
			return f.b.rowColumn(i)
		}
		return k
	})
}

// outer fills an expression over groups in place, measures included.
func (f *filler) outer(n *pgtree.Node, value func(int) (*pgtree.Node, error)) *pgtree.Node {
	return f.expr(pgtree.Map(n, func(k *pgtree.Node) *pgtree.Node {
		kind, id, i := marked(k)
		if id != f.b.id || kind != markValue || f.err != nil {
			return k
		}
		r, err := value(i)
		if err != nil {
			f.err = err
			return k
		}
		return r
	}))
}

func (f *filler) conditions(list []*pgtree.Node) *pgtree.Node {
	var out []*pgtree.Node
	for _, n := range list {
		out = append(out, f.expr(n))
	}
	return pgtree.And(out...)
}

func (f *filler) member(m *semantic.Member) (*pgtree.Node, error) {
	node, field := f.part.At(m)
	n, err := f.b.field(node, field)
	if err != nil {
		return nil, err
	}
	if m.Grain != "" {
		n = pgtree.Func("date_trunc", pgtree.Text(m.Grain), n)
	}
	return n, nil
}

// field writes a field as an expression over its instance's columns.
func (b *block) field(n *semantic.Node, f *semantic.Field) (*pgtree.Node, error) {
	return f.Expr.(*expr).fill(func(ref semantic.Ref) (*pgtree.Node, error) { return b.target(n, f, ref) })
}

func (b *block) target(n *semantic.Node, in *semantic.Field, ref semantic.Ref) (*pgtree.Node, error) {
	at, t, err := b.b.Target(n, in, ref)
	if err != nil {
		return nil, err
	}
	if t.Field != nil {
		return b.field(at, t.Field)
	}
	return pgtree.Column(b.aliasOf(at), t.Column), nil
}

// from writes the FROM clause of a part: every item of a model with the
// instances that hang on it, everything else as the client wrote it.
func (f *filler) from(nodes []*semantic.Node) []*pgtree.Node {
	b := f.b
	if b.rootless {
		return []*pgtree.Node{f.tree(f.part.Home, nodes)}
	}
	var out []*pgtree.Node
	for _, n := range b.stmt.GetFromClause() {
		out = append(out, f.place(pgtree.Clone(n), nodes))
	}
	for i, n := range out {
		out[i] = f.expr(n)
	}
	if f.rowJoins {
		out = b.joinRows(out)
	}
	return out
}

func (f *filler) place(n *pgtree.Node, nodes []*semantic.Node) *pgtree.Node {
	return pgtree.Map(n, func(k *pgtree.Node) *pgtree.Node {
		rv := k.GetRangeVar()
		if rv == nil || rv.GetSchemaname() != string(markItem)+strconv.Itoa(f.b.id) {
			return k
		}
		i, _ := strconv.Atoi(rv.GetRelname())
		return f.tree(f.b.placed[i].node, nodes)
	})
}

// tree is a root and what hangs on it, joined to the left.
func (f *filler) tree(root *semantic.Node, nodes []*semantic.Node) *pgtree.Node {
	out := f.scan(root)
	for _, n := range nodes {
		if n.Root != root || n == root {
			continue
		}
		near, far := n.Edge.Columns()
		var on []*pgtree.Node
		for i := range near {
			on = append(on, pgtree.Op("=", pgtree.Column(f.b.aliasOf(n.Parent), near[i]), pgtree.Column(f.b.aliasOf(n), far[i])))
		}
		out = pgtree.Join(pg.JoinType_JOIN_LEFT, out, f.scan(n), pgtree.And(on...))
	}
	return out
}

// rowNumber is the column that tells the rows of a source without a key apart,
// within one scan of it.
const rowNumber = "row#"

// scan is the source of an instance under its alias.
func (f *filler) scan(n *semantic.Node) *pgtree.Node {
	d, alias := n.Dataset, f.b.aliasOf(n)
	var source *pgtree.Node
	if q := f.b.c.env.World.queries[d]; q != nil {
		source = pgtree.Subselect(pgtree.Clone(q), alias)
	} else {
		database := d.Source[0]
		if database == "" {
			database = f.b.c.env.World.database
		}
		if d.Source[1] == "" {
			database = ""
		}
		source = pgtree.Relation(database, d.Source[1], d.Source[2], alias)
	}
	if !f.numbered[n] {
		return source
	}
	star := &pgtree.Node{Node: &pg.Node_ColumnRef{ColumnRef: &pg.ColumnRef{Fields: []*pgtree.Node{pg.MakeAStarNode()}, Location: -1}}}
	number := pgtree.Func("row_number")
	number.GetFuncCall().Over = &pg.WindowDef{FrameOptions: 1058, Location: -1}
	return pgtree.Subselect(pgtree.Select(&pg.SelectStmt{TargetList: []*pgtree.Node{pgtree.Target("", star), pgtree.Target(rowNumber, number)}, FromClause: []*pgtree.Node{source}}), alias)
}

// identity are the columns that tell an instance's rows apart.
func (f *filler) identity(n *semantic.Node) []*pgtree.Node {
	var out []*pgtree.Node
	for _, c := range n.Dataset.PrimaryKey {
		out = append(out, pgtree.Column(f.b.aliasOf(n), c))
	}
	if out == nil {
		f.numbered[n] = true
		out = append(out, pgtree.Column(f.b.aliasOf(n), rowNumber))
	}
	return out
}

// presence is a column that is NULL only where a join found no row.
func (f *filler) presence(n *semantic.Node) *pgtree.Node {
	if n.Parent != nil {
		_, far := n.Edge.Columns()
		return pgtree.Column(f.b.aliasOf(n), far[0])
	}
	return f.identity(n)[0]
}

// value writes a metric over its calls.
func (b *block) value(v *semantic.Value, call func(*semantic.Call) (*pgtree.Node, error)) (*pgtree.Node, error) {
	slots := make([]*pgtree.Node, len(v.Slots))
	for i, s := range v.Slots {
		var err error
		if s.Call != nil {
			slots[i], err = call(s.Call)
		} else {
			slots[i], err = b.value(s.Value, call)
		}
		if err != nil {
			return nil, err
		}
	}
	if v.Outer == nil {
		return slots[0], nil
	}
	return v.Outer.(*expr).fillSlots(func(i int) *pgtree.Node { return pgtree.Clone(slots[i]) }), nil
}

// call writes one aggregate. inner, if not nil, gives the columns of an inner
// SELECT in place of the instances' own.
func (b *block) call(part *semantic.Part, call *semantic.Call, inner *projection) (*pgtree.Node, error) {
	f := b.filler(part)
	resolve := func(ref semantic.Ref) (*pgtree.Node, error) {
		n, err := b.target(call.Home, nil, ref)
		if err != nil || inner == nil {
			return n, err
		}
		return inner.column(n, ref.Name), nil
	}
	out, err := call.Aggregate.Arg.(*expr).fill(resolve)
	if err != nil {
		return nil, modelError(err, nil)
	}
	var conds []*pgtree.Node
	for _, c := range call.Filters {
		cond, err := c.(*expr).fill(resolve)
		if err != nil {
			return nil, modelError(err, nil)
		}
		conds = append(conds, pgtree.Conjuncts(cond)...)
	}
	if call.Filter > 0 {
		cond := f.expr(b.filters[call.Filter-1])
		if inner != nil {
			cond = inner.column(cond, "filter"+strconv.Itoa(call.Filter))
		}
		conds = append(conds, cond)
	}
	if call.Guard && inner == nil && !ignoresNull(call) {
		conds = append(conds, pgtree.IsNull(f.presence(call.Home), true))
	}
	fc := out.GetFuncCall()
	if fc == nil {
		return nil, unsupported(nil, "", "metric text %q is no aggregate call", call.Aggregate.Arg.String())
	}
	fc.AggFilter = pgtree.And(conds...)
	return out, f.err
}

// ignoresNull tells an aggregate of one plain column: a row that a join left
// empty is NULL there and does not count.
func ignoresNull(call *semantic.Call) bool {
	a := call.Aggregate
	if a.Star || len(call.Filters) > 0 {
		return false
	}
	switch a.Func {
	case "sum", "count", "avg", "min", "max", "median", "stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp", "bool_and", "bool_or", "approx_count_distinct":
	default:
		return false
	}
	refs := a.Arg.Refs()
	if len(refs) != 1 {
		return false
	}
	fc := a.Arg.(*expr).node.GetFuncCall()
	if len(fc.GetArgs()) != 1 || fc.GetArgs()[0].GetColumnRef() == nil {
		return false
	}
	t, err := call.Home.Dataset.Resolve(nil, refs[0])
	return err == nil && len(t.Path) == 0 && (t.Field == nil || t.Field.Column() != "")
}

// A projection is the select list of an inner SELECT: every expression once.
type projection struct {
	cols    *columns
	targets []*pgtree.Node
	by      map[string]string
	alias   string
}

func newProjection(alias string) *projection {
	return &projection{cols: newColumns(), by: map[string]string{}, alias: alias}
}

// column adds an expression under a name near to the one wanted and refers to it.
func (p *projection) column(n *pgtree.Node, name string) *pgtree.Node {
	print := pgtree.Fingerprint(n)
	have, ok := p.by[print]
	if !ok {
		have = p.cols.unique(strings.ToLower(name), "column1")
		p.by[print] = have
		p.targets = append(p.targets, pgtree.Target(have, n))
	}
	return pgtree.Column(p.alias, have)
}
