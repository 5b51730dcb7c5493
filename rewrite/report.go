package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
)

// report writes down how the block is answered, for EXPLAIN and the log.
func (b *block) report() {
	if !b.c.env.Report {
		return
	}
	r := Block{}
	for i, it := range b.sc.items {
		if i > 0 {
			r.Relation += ", "
		}
		r.Relation += it.alias
	}
	var q strings.Builder
	for i, v := range append(slices.Clone(b.values), b.rows...) {
		kind := "metric"
		if i >= len(b.values) {
			kind = "per row"
		}
		fmt.Fprintf(&q, "%s %s", kind, v.Metric.Name)
		if v.Filter > 0 {
			fmt.Fprintf(&q, " filter %s", b.text(b.filters[v.Filter-1]))
		}
		q.WriteByte('\n')
	}
	for _, k := range b.keys {
		fmt.Fprintf(&q, "by %s\n", b.text(k.expr))
	}
	for _, w := range b.where {
		fmt.Fprintf(&q, "where %s\n", b.text(w))
	}
	for _, h := range b.having {
		fmt.Fprintf(&q, "having %s\n", b.text(h))
	}
	r.Query = q.String()
	var p strings.Builder
	for _, plan := range []*semantic.Plan{b.plan, b.rowSet} {
		if plan == nil {
			continue
		}
		for _, part := range plan.Parts {
			p.WriteString(describe(part, plan == b.rowSet))
		}
		for _, s := range plan.Trace {
			r.Trace = append(r.Trace, s.Rule+": "+s.Note)
		}
	}
	r.Plan = p.String()
	b.c.reports = append(b.c.reports, r)
}

func describe(part *semantic.Part, perRow bool) string {
	var p strings.Builder
	what := "groups"
	switch {
	case perRow:
		what = "measures of a row"
	case part.Home != nil && !part.Rows:
		what = part.Home.Dataset.Name
	case part.Plain && !part.Rows:
		what = "rows"
	}
	fmt.Fprintf(&p, "aggregate %s", what)
	for i, c := range part.Calls {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		p.WriteString(sep + c.Aggregate.Arg.String())
		for _, f := range c.Filters {
			p.WriteString(" filter " + f.String())
		}
	}
	p.WriteByte('\n')
	if part.Distinct {
		p.WriteString("  distinct (keys, row)\n")
	}
	for _, n := range part.Nodes {
		if n.Dataset == nil {
			p.WriteString("  relation outside of the model\n")
			continue
		}
		if n.Parent == nil {
			fmt.Fprintf(&p, "  scan %s\n", n.Dataset.Name)
			continue
		}
		card := "to-many"
		if n.Edge.ToOne() {
			card = "to-one"
		}
		near, far := n.Edge.Columns()
		var on []string
		for i := range near {
			on = append(on, n.Parent.Dataset.Name+"."+near[i]+" = "+n.Dataset.Name+"."+far[i])
		}
		fmt.Fprintf(&p, "  join %s %s on %s\n", card, n.Dataset.Name, strings.Join(on, " and "))
	}
	return p.String()
}

// text prints an expression with the members' names in place of markers.
func (b *block) text(n *pgtree.Node) string {
	c := pgtree.Map(pgtree.Clone(n), func(k *pgtree.Node) *pgtree.Node {
		kind, id, i := marked(k)
		if id != b.id {
			return k
		}
		switch kind {
		case markMember:
			m := b.members[i]
			name := strings.Split(m.Name(), ".")
			if m.Grain != "" {
				return pgtree.Func("date_trunc", pgtree.Text(m.Grain), pgtree.Column(name...))
			}
			return pgtree.Column(name...)
		case markValue:
			return pgtree.Func("measure", pgtree.Column(b.values[i].Metric.Name))
		case markRow:
			return pgtree.Column(b.rows[i].Metric.Name)
		}
		return k
	})
	return pgtree.PrintExpr(c)
}
