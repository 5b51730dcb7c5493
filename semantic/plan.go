package semantic

import (
	"fmt"
	"slices"
)

// A Query is what one grouped SELECT asks: which instances its keys, its filter
// and its plain aggregates need, and which metrics it wants. The expressions
// themselves stay with the caller. A row-level SELECT asks the same with the
// keys of its roots as group keys.
type Query struct {
	Block *Block
	Keys  []*Member
	Where []*Member
	// Plain: the SELECT also aggregates rows itself; PlainMembers are what
	// those aggregates mention.
	Plain        bool
	PlainMembers []*Member
	Metrics      []MetricUse
	Rootless     bool // FROM is the relation without a root
	// PerRow: each row of FROM is a group of its own. Every metric gets a part
	// beside the rows.
	PerRow bool
}

// A MetricUse is one metric with the FILTER that the client put on it.
type MetricUse struct {
	Metric *Metric
	Root   *Node // the item it was asked of; nil: whichever fits
	// Filter names a client's FILTER condition (0 for none); uses with equal
	// numbers have equal conditions. FilterMembers are its dimensions.
	Filter        int
	FilterMembers []*Member
}

// A Plan says in how many parts a query is answered and what each computes.
type Plan struct {
	Parts []*Part
	// Flat: the only part is the client's own SELECT with its FROM extended,
	// and every aggregate can be written in place.
	Flat bool
	// Union: the groups are those of all parts together (no root decides).
	Union bool
	// Values are the metrics asked, in the order of Query.Metrics.
	Values []*Value
	Trace  []Step
}

// A Step is one decision and its reason.
type Step struct{ Rule, Note string }

// A Part is one aggregation over joined instances.
type Part struct {
	Home  *Node   // whose rows it aggregates; nil: the rows of FROM
	Nodes []*Node // what it joins, parents first, roots of FROM included
	// Rows: this part decides which groups there are.
	Rows bool
	// Plain: it holds the SELECT's own aggregates over rows.
	Plain bool
	// Distinct: the joins can repeat a home row within a group, so (keys, row)
	// is made distinct before aggregating.
	Distinct bool
	Calls    []*Call
	// at maps members to instances where the part has roots of its own.
	at map[*Member]*Node
	// block holds those instances.
	block *Block
}

// At is the instance that gives a member its values in this part.
func (p *Part) At(m *Member) (*Node, *Field) {
	if n, ok := p.at[m]; ok {
		f := m.Field
		if m.MetricTime {
			f = n.defaultRole().Field
		}
		return n, f
	}
	return m.Node, m.Field
}

// A Call is one aggregate to compute in a part.
type Call struct {
	Aggregate *Aggregate
	Home      *Node
	// Filters are the conditions of the model: the aggregate's own FILTER and
	// the filters of the metrics around it, all over rows of Home.
	Filters []Expr
	Filter  int // the client's condition, see MetricUse
	// Guard: the joins may leave a group without a home row, so a call that
	// counts rows must ask for one.
	Guard bool
	// ZeroIfMissing: the value for a group without rows is 0, not NULL.
	ZeroIfMissing bool
}

// A Value is a metric over calls: Outer with its slots, or the only slot.
type Value struct {
	Metric *Metric
	Outer  Expr
	Slots  []Slot
}

// A Slot is a call or a metric inside a value; exactly one is set.
type Slot struct {
	Call  *Call
	Value *Value
}

// Nodes of the target of a reference inside the model's expressions.
func (b *Block) Target(home *Node, in *Field, ref Ref) (*Node, Target, error) {
	t, err := home.Dataset.Resolve(in, ref)
	if err != nil {
		return nil, t, err
	}
	return b.Walk(home, t.Path), t, nil
}

// Plan decides how to answer q. The error is a *Error.
func (q *Query) Plan() (*Plan, error) {
	p := &planner{q: q, plan: &Plan{}}
	if q.Rootless {
		return p.rootless()
	}
	return p.rooted()
}

type planner struct {
	q     *Query
	plan  *Plan
	calls []*Call
	// needs are the instances of a call's arguments and filters.
	needs map[*Call][]*Node
	outer map[*Call][]*Member // the client's FILTER
}

func (p *planner) step(rule, format string, args ...any) {
	p.plan.Trace = append(p.plan.Trace, Step{rule, fmt.Sprintf(format, args...)})
}

// value resolves a metric to calls. Equal calls are shared.
func (p *planner) value(b *Block, use MetricUse, m *Metric, home func(*Dataset) (*Node, error), filters []Expr) (*Value, error) {
	v := &Value{Metric: m, Outer: m.outer}
	if m.Filter != nil {
		filters = append(slices.Clone(filters), m.Filter)
	}
	for _, a := range m.aggregates {
		node, err := home(a.Home)
		if err != nil {
			return nil, err
		}
		c, err := p.call(b, use, a, node, filters)
		if err != nil {
			return nil, err
		}
		v.Slots = append(v.Slots, Slot{Call: c})
	}
	for _, in := range m.inputs {
		w, err := p.value(b, use, in, home, filters)
		if err != nil {
			return nil, err
		}
		v.Slots = append(v.Slots, Slot{Value: w})
	}
	return v, nil
}

func (p *planner) call(b *Block, use MetricUse, a *Aggregate, home *Node, filters []Expr) (*Call, error) {
	all := slices.Clone(filters)
	if a.Filter != nil {
		all = append(all, a.Filter)
	}
	for _, c := range p.calls {
		if c.Aggregate == a && c.Home == home && c.Filter == use.Filter && sameExprs(c.Filters, all) {
			return c, nil
		}
	}
	c := &Call{Aggregate: a, Home: home, Filters: all, Filter: use.Filter}
	c.ZeroIfMissing = a.Func == "count" || a.Func == "approx_count_distinct"
	refs := slices.Clone(a.Arg.Refs())
	for _, f := range all {
		refs = append(refs, f.Refs()...)
	}
	need := []*Node{home}
	for _, ref := range refs {
		if err := b.need(home, nil, ref, &need); err != nil {
			return nil, err
		}
	}
	if p.needs == nil {
		p.needs, p.outer = map[*Call][]*Node{}, map[*Call][]*Member{}
	}
	p.needs[c], p.outer[c] = need, use.FilterMembers
	p.calls = append(p.calls, c)
	return c, nil
}

// need adds the instance of a reference and of all that its field is made of.
func (b *Block) need(home *Node, in *Field, ref Ref, need *[]*Node) error {
	n, t, err := b.Target(home, in, ref)
	if err != nil {
		return err
	}
	*need = append(*need, n)
	if t.Field != nil {
		return b.needField(n, t.Field, need)
	}
	return nil
}

func (b *Block) needField(n *Node, f *Field, need *[]*Node) error {
	for _, ref := range f.Expr.Refs() {
		if err := b.need(n, f, ref, need); err != nil {
			return err
		}
	}
	return nil
}

func sameExprs(a, b []Expr) bool {
	return slices.EqualFunc(a, b, func(x, y Expr) bool { return x.String() == y.String() })
}

// homeNode finds the instance of a metric's home for a block with roots.
func (p *planner) homeNode(asked *Node) func(*Dataset) (*Node, error) {
	b := p.q.Block
	return func(home *Dataset) (*Node, error) {
		if asked != nil {
			path, err := asked.Dataset.pathTo(home)
			if err != nil {
				return nil, err
			}
			return b.Walk(asked, path), nil
		}
		type way struct {
			node *Node
			path []Edge
		}
		var ways []way
		var failed error
		for _, r := range b.Roots {
			if r.Dataset == nil {
				continue
			}
			path, err := r.Dataset.pathTo(home)
			if err != nil {
				failed = err
				continue
			}
			ways = append(ways, way{r, path})
		}
		if len(ways) == 0 {
			return nil, failed
		}
		rank := func(w way) int {
			mixed, down := 0, 0
			for _, e := range w.path {
				if !e.ToOne() {
					down = 1
				}
				if !e.ToOne() && !e.inverse().ToOne() {
					mixed = 1
				}
			}
			up := 0
			if down == 1 && slices.ContainsFunc(w.path, func(e Edge) bool { return e.ToOne() && !e.inverse().ToOne() }) {
				up = 1
			}
			return (mixed+down+up)*100 + len(w.path)
		}
		slices.SortStableFunc(ways, func(x, y way) int { return rank(x) - rank(y) })
		if len(ways) > 1 && rank(ways[0]) == rank(ways[1]) {
			a, c := b.Walk(ways[0].node, ways[0].path), b.Walk(ways[1].node, ways[1].path)
			if a != c {
				return nil, &Error{
					Code:    AmbiguousName,
					Message: fmt.Sprintf("two relations of the FROM clause lead to %q alike", home.Name),
					Hint:    "Write the relation in front of the measure.",
				}
			}
		}
		return b.Walk(ways[0].node, ways[0].path), nil
	}
}

func (p *planner) rooted() (*Plan, error) {
	q, b := p.q, p.q.Block
	for _, use := range q.Metrics {
		v, err := p.value(b, use, use.Metric, p.homeNode(use.Root), nil)
		if err != nil {
			return nil, err
		}
		p.plan.Values = append(p.plan.Values, v)
	}
	base := newSet(b)
	base.add(b.Roots...)
	if err := base.addMembers(q.Keys, q.Where); err != nil {
		return nil, err
	}
	rows := base.clone()
	if err := rows.addMembers(q.PlainMembers); err != nil {
		return nil, err
	}

	if q.PerRow {
		return p.split(base, rows, nil)
	}

	// One SELECT, if no join that any part needs repeats a row of another.
	all := rows.clone()
	for _, c := range p.calls {
		all.add(p.needs[c]...)
		if err := all.addMembers(p.outer[c]); err != nil {
			return nil, err
		}
	}
	flat := !(q.Plain && all.multiplies())
	for _, c := range p.calls {
		flat = flat && !all.repeats(c.Home)
	}
	if flat {
		part := &Part{Nodes: all.list(), Rows: true, Plain: q.Plain, Calls: p.calls, block: b}
		for _, c := range p.calls {
			c.Guard = c.Home.Parent != nil || c.Home.Nullable
		}
		p.plan.Parts, p.plan.Flat = []*Part{part}, true
		if len(p.calls) > 0 {
			p.step("one select", "every row of %s appears once in the joins", homes(p.calls))
		}
		return p.plan, nil
	}

	// Otherwise the groups come from FROM and WHERE alone, and each home is
	// aggregated beside them.
	first := &Part{Nodes: rows.list(), Rows: true, Plain: q.Plain, block: b}
	p.plan.Parts = append(p.plan.Parts, first)
	if q.Plain && rows.multiplies() {
		// The rows of FROM are counted once, beside the groups, which exist
		// even where no row does.
		first.Nodes, first.Plain = base.list(), false
		p.plan.Parts = append(p.plan.Parts, &Part{Nodes: rows.list(), Plain: true, Distinct: true, block: b})
		p.step("distinct rows", "a filter or key crosses a to-many relationship: rows of FROM are counted once")
		rows = base.clone()
	}
	return p.split(base, rows, first)
}

// split gives each home a part of its own; calls that need no join which
// repeats a row go with the groups.
func (p *planner) split(base, rows *set, first *Part) (*Plan, error) {
	b := p.q.Block
	var parts []*Part
	byPart := map[*Part]*set{}
	for _, c := range p.calls {
		want := base.clone()
		want.add(p.needs[c]...)
		if err := want.addMembers(p.outer[c]); err != nil {
			return nil, err
		}
		if first != nil {
			with := rows.clone()
			with.addSet(want)
			if !with.repeats(c.Home) && c.Home.Parent == nil && !c.Home.Nullable && !with.multiplies() {
				rows.addSet(want)
				first.Nodes, first.Calls = rows.list(), append(first.Calls, c)
				p.step("with the groups", "%s of %s needs no join that repeats a row", c.Aggregate.Func, c.Home.Dataset.Name)
				continue
			}
		}
		// A client's FILTER over a dimension with several values per home row
		// must not share the distinct rows of others.
		filterAlone := c.Filter != 0 && !want.singleFrom(c.Home, p.outer[c])
		var part *Part
		if !filterAlone {
			for _, cand := range parts {
				if cand.Home == c.Home && cand.Calls[0].Filter == c.Filter {
					part = cand
					break
				}
			}
		}
		if part == nil {
			part = &Part{Home: c.Home, block: b}
			parts = append(parts, part)
			byPart[part] = base.clone()
		}
		s := byPart[part]
		s.addSet(want)
		part.Calls = append(part.Calls, c)
		part.Nodes = s.list()
		part.Distinct = s.repeats(c.Home)
	}
	for _, part := range parts {
		if part.Distinct {
			p.step("distinct "+part.Home.Dataset.Name, "the joins can repeat a row of %q within a group: (keys, row) is made distinct first", part.Home.Dataset.Name)
		} else {
			p.step("aggregate "+part.Home.Dataset.Name, "joined up to the groups, each row of %q appears once", part.Home.Dataset.Name)
		}
	}
	p.plan.Parts = append(p.plan.Parts, parts...)
	return p.plan, nil
}

func homes(calls []*Call) string {
	var names []string
	for _, c := range calls {
		if n := `"` + c.Home.Dataset.Name + `"`; !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	s := ""
	for i, n := range names {
		if i > 0 {
			s += ", "
		}
		s += n
	}
	return s
}

// rootless plans for the relation without a root: each home by itself, with the
// dimensions that it reaches along to-one paths.
func (p *planner) rootless() (*Plan, error) {
	q := p.q
	roots := map[*Dataset]*Part{}
	var parts []*Part
	part := func(home *Dataset) *Part {
		if pt, ok := roots[home]; ok {
			return pt
		}
		b := NewBlock(q.Block.Model)
		pt := &Part{block: b, Home: b.Add(home), at: map[*Member]*Node{}, Rows: true}
		roots[home], parts = pt, append(parts, pt)
		return pt
	}
	for _, use := range q.Metrics {
		v, err := p.rootlessValue(use, use.Metric, part, nil)
		if err != nil {
			return nil, err
		}
		p.plan.Values = append(p.plan.Values, v)
	}
	if len(q.Metrics) == 0 { // dimensions alone: the rows of the dataset that reaches them all
		home, err := dimensionHome(append(slices.Clone(q.Keys), q.Where...))
		if err != nil {
			return nil, err
		}
		part(home)
	}
	for _, pt := range parts {
		s := newSet(pt.block)
		s.add(pt.Home)
		members := append(append(slices.Clone(q.Keys), q.Where...), q.PlainMembers...)
		for _, c := range pt.Calls {
			s.add(p.needs[c]...)
			members = append(members, p.outer[c]...)
		}
		for _, m := range members {
			if _, ok := pt.at[m]; ok {
				continue
			}
			n, err := pt.block.reachDimension(pt.Home, m)
			if err != nil {
				return nil, err
			}
			pt.at[m] = n
			s.add(n)
			_, f := pt.At(m)
			var need []*Node
			if err := pt.block.needField(n, f, &need); err != nil {
				return nil, err
			}
			s.add(need...)
		}
		pt.Nodes = s.list()
		p.step("aggregate "+pt.Home.Dataset.Name, "its dimensions are reached along to-one paths")
	}
	p.plan.Parts = parts
	p.plan.Flat = len(parts) == 1
	p.plan.Union = len(parts) > 1
	if p.plan.Union {
		p.step("union of groups", "no root decides which groups there are")
	}
	return p.plan, nil
}

func (p *planner) rootlessValue(use MetricUse, m *Metric, part func(*Dataset) *Part, filters []Expr) (*Value, error) {
	v := &Value{Metric: m, Outer: m.outer}
	if m.Filter != nil {
		filters = append(slices.Clone(filters), m.Filter)
	}
	for _, a := range m.aggregates {
		pt := part(a.Home)
		before := len(p.calls)
		c, err := p.call(pt.block, use, a, pt.Home, filters)
		if err != nil {
			return nil, err
		}
		if len(p.calls) > before {
			pt.Calls = append(pt.Calls, c)
		}
		v.Slots = append(v.Slots, Slot{Call: c})
	}
	for _, in := range m.inputs {
		w, err := p.rootlessValue(use, in, part, filters)
		if err != nil {
			return nil, err
		}
		v.Slots = append(v.Slots, Slot{Value: w})
	}
	return v, nil
}

func dimensionHome(members []*Member) (*Dataset, error) {
	var home *Dataset
	for _, m := range members {
		if m.MetricTime {
			return nil, &Error{Code: NoPath, Message: "\"metric_time\" needs a metric", Hint: "Select a metric, or the time dimension of a relation."}
		}
		d := m.Field.Dataset
		if m.Via != nil {
			d = m.Via.From
		}
		if home == nil {
			home = d
			continue
		}
		if _, err := home.toOnePath(d); err == nil {
			continue
		}
		if _, err := d.toOnePath(home); err == nil {
			home = d
			continue
		}
		return nil, noPath(home, d)
	}
	if home == nil {
		return nil, &Error{Code: NoPath, Message: "neither a metric nor a dimension is selected", Hint: "Select a metric of the model."}
	}
	return home, nil
}

// reachDimension finds a dimension of the relation without a root from a home.
func (b *Block) reachDimension(home *Node, m *Member) (*Node, error) {
	if m.MetricTime {
		return b.defaultTime(home)
	}
	path, err := home.Dataset.toOnePath(m.Field.Dataset)
	if m.Via != nil {
		if path, err = home.Dataset.toOnePath(m.Via.From); err == nil {
			path = append(slices.Clone(path), Edge{Rel: m.Via})
		}
	}
	if err != nil {
		e := *err.(*Error)
		e.Message = fmt.Sprintf("%q is no dimension of metrics over %q: %s", m.Field.Name, home.Dataset.Name, e.Message)
		e.Hint = fmt.Sprintf("Dimensions of %q: %s.", home.Dataset.Name, limited(home.Dataset.members))
		return nil, &e
	}
	return b.Walk(home, path), nil
}

func limited(members []Visible) string {
	s := ""
	for i, m := range members {
		if i == 12 {
			return s + ", ..."
		}
		if i > 0 {
			s += ", "
		}
		s += m.Name
	}
	return s
}

func (n *Node) defaultRole() *Role {
	for _, r := range n.Dataset.Roles {
		if r.Default {
			return r
		}
	}
	if len(n.Dataset.Roles) == 1 {
		return n.Dataset.Roles[0]
	}
	return nil
}

// defaultTime finds the default time of metrics over home: the dataset's own
// default role, or that of the only dataset along to-one paths that has one.
func (b *Block) defaultTime(home *Node) (*Node, error) {
	if home.defaultRole() != nil {
		return home, nil
	}
	var hit *Node
	for _, d := range b.Model.datasets {
		path, err := home.Dataset.toOnePath(d)
		if err != nil || len(path) == 0 {
			continue
		}
		probe := &Node{Dataset: d}
		if probe.defaultRole() == nil {
			continue
		}
		if hit != nil {
			return nil, &Error{Code: AmbiguousName, Message: fmt.Sprintf("metrics over %q have more than one default time", home.Dataset.Name), Hint: fmt.Sprintf("Give %q a role marked default in the model, or name the time dimension.", home.Dataset.Name)}
		}
		hit = b.Walk(home, path)
	}
	if hit == nil {
		return nil, &Error{Code: UnknownName, Message: fmt.Sprintf("metrics over %q have no default time", home.Dataset.Name), Hint: fmt.Sprintf("Give %q a role marked default in the model.", home.Dataset.Name)}
	}
	return hit, nil
}
