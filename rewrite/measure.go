package rewrite

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
)

// measureCall tells the markers of a measure: all three mean the same.
func measureCall(name string) bool {
	return name == "measure" || name == "agg" || name == "aggregate"
}

// nameMeasures names an output MEASURE(m) after the measure. PostgreSQL would name
// it after the function, which says nothing where every column is one.
func nameMeasures(root *pgtree.Node) {
	pgtree.Walk(root, func(n *pgtree.Node) bool {
		rt := n.GetResTarget()
		if call := rt.GetVal().GetFuncCall(); call != nil && rt.GetName() == "" && len(call.GetFuncname()) == 1 && measureCall(lower(call.GetFuncname())) && len(call.GetArgs()) == 1 {
			if parts, star := pgtree.ColumnParts(call.GetArgs()[0]); len(parts) > 0 && !star {
				rt.Name = parts[len(parts)-1]
			}
		}
		return true
	})
}

// measure binds a call if it is a measure in one of its forms: MEASURE(m), or an
// aggregate whose argument is the bare name of a metric. done is false for any
// other call, which is then bound like every expression.
func (c *compiler) measure(n *pgtree.Node, call *pg.FuncCall, sc *scope, w *with) (r *pgtree.Node, done bool, err error) {
	names := pgtree.NameParts(call.GetFuncname())
	name := strings.ToLower(names[len(names)-1])
	marker := len(names) == 1 && measureCall(name)
	if !marker && !isAggregateName(names) {
		return n, false, nil
	}
	if !marker && (call.GetAggStar() || len(call.GetArgs()) != 1) {
		return n, false, c.insideAggregate(n, call, sc, w)
	}
	if marker && len(call.GetArgs()) != 1 {
		return n, true, wrongObject(n, "Write MEASURE(name).", "%s takes one measure", strings.ToUpper(name))
	}
	parts, star := pgtree.ColumnParts(call.GetArgs()[0])
	if parts == nil || star || len(parts) == 0 {
		if marker {
			return n, true, wrongObject(n, "Write the name of a measure between the brackets, and arithmetic around the call.", "the argument of %s is not a measure", strings.ToUpper(name))
		}
		return n, false, c.insideAggregate(n, call, sc, w)
	}
	if _, b, _ := marked(call.GetArgs()[0]); b >= 0 {
		return n, false, nil
	}
	m, err := c.lookup(sc, parts, call.GetArgs()[0])
	if err != nil {
		return n, true, err
	}
	if m.metric == nil {
		if marker {
			return n, true, wrongObject(n, "A plain column takes an ordinary aggregate, such as SUM or COUNT.", "%q is not a measure", strings.Join(parts, "."))
		}
		return n, false, nil
	}
	if call.GetOver() != nil {
		if marker {
			return n, true, unsupported(n, "Window the displayed values instead: SUM(MEASURE(m)) OVER (...).", "%s with OVER is not supported", strings.ToUpper(name))
		}
		return n, false, nil // a window function over displayed values
	}
	if !marker {
		if err := c.fits(n, name, call, m.metric); err != nil {
			return n, true, err
		}
	}
	b := m.block
	filter := 0
	if call.GetAggFilter() != nil {
		was := b.context
		b.context = contextFilter
		cond, err := c.expr(call.GetAggFilter(), sc, w)
		b.context = was
		if err != nil {
			return n, true, err
		}
		filter = b.filter(cond)
	}
	r, err = b.use(m, filter, n)
	return r, true, err
}

func isAggregateName(names []string) bool {
	return aggregates[strings.ToLower(names[len(names)-1])] && (len(names) == 1 || names[0] == "pg_catalog")
}

// insideAggregate remembers that arguments of a plain aggregate are bound, where
// a measure has no meaning. Its own binding follows.
func (c *compiler) insideAggregate(n *pgtree.Node, call *pg.FuncCall, sc *scope, w *with) error {
	if call.GetOver() != nil || sc.block == nil {
		return nil
	}
	for _, a := range call.GetArgs() {
		var bad *pgtree.Node
		var name string
		pgtree.Walk(a, func(k *pgtree.Node) bool {
			if k.GetSubLink() != nil {
				return false
			}
			if parts, star := pgtree.ColumnParts(k); len(parts) > 0 && !star && bad == nil {
				if m, err := c.lookup(sc, parts, k); err == nil && m.metric != nil {
					bad, name = k, m.metric.Name
				}
			}
			return bad == nil
		})
		if bad != nil {
			return wrongObject(bad, "Write the arithmetic around the measure: MEASURE("+name+") * 2; or aggregate a subquery: SELECT ... FROM (SELECT key, MEASURE("+name+") AS "+name+" FROM relation GROUP BY key) AS t.",
				"measure %q stands inside an aggregate of an expression", name)
		}
	}
	return nil
}

// fits checks an ordinary aggregate over a metric: SUM and ANY_VALUE always
// mean the measure; another means it if it is what the metric does.
func (c *compiler) fits(n *pgtree.Node, name string, call *pg.FuncCall, m *semantic.Metric) error {
	if name == "sum" && !call.GetAggDistinct() || name == "any_value" {
		if name == "sum" && m.Additivity() != semantic.Additive {
			c.notices = append(c.notices, "SUM(\""+m.Name+"\") gives the measure itself, which is not a sum of its parts")
		}
		return nil
	}
	if a, ok := m.SingleAggregate(); ok && a.Func == name && a.Distinct == call.GetAggDistinct() {
		return nil
	}
	if c.env.setting("pggate.aggregate_mismatch", "error") == "measure" {
		return nil
	}
	return wrongObject(n, "Write MEASURE("+m.Name+"), or SUM("+m.Name+") which means the same; SET pggate.aggregate_mismatch = 'measure' reads any aggregate so.",
		"aggregate %s does not fit measure %q", aggregateWords(name, call.GetAggDistinct()), m.Name)
}

func aggregateWords(name string, distinct bool) string {
	if distinct {
		return name + "(DISTINCT)"
	}
	return name
}

// A context is the clause that is being bound: it decides whether a measure
// means the group or the row.
type context int

const (
	contextOutput context = iota // select list, HAVING, ORDER BY
	contextRow                   // a key, or any clause of a query without groups
	contextWhere
	contextFilter // FILTER of a measure
	contextOn
)

// bareMeasure binds the bare name of a metric.
func (b *block) bareMeasure(m meaning, n *pgtree.Node) (*pgtree.Node, error) { return b.use(m, 0, n) }

// use makes the marker for a measure in the clause that is being bound.
func (b *block) use(m meaning, filter int, n *pgtree.Node) (*pgtree.Node, error) {
	u := semantic.MetricUse{Metric: m.metric, Root: m.root, Filter: filter}
	if filter > 0 {
		u.FilterMembers = b.membersIn(b.filters[filter-1])
	}
	row := !b.grouped
	switch b.context {
	case contextRow:
		row = true
	case contextFilter:
		return nil, grouping(n, "Filter by dimensions.", "measures are not allowed in FILTER")
	}
	if row {
		if b.rootless {
			return nil, grouping(n, "Query the relation whose rows should be bucketed.", "the relation %q has no rows in which measure %q could be a key", semantic.MetricsRelation, m.metric.Name)
		}
		if filter > 0 {
			return nil, unsupported(n, "Use FILTER in a query with GROUP BY.", "FILTER on a measure of a single row is not supported")
		}
		return mark(markRow, b.id, find(&b.rows, u), pgtree.Location(n)), nil
	}
	return mark(markValue, b.id, find(&b.values, u), pgtree.Location(n)), nil
}

// find gives the place of a use in a list, adding it if it is new.
func find(list *[]semantic.MetricUse, u semantic.MetricUse) int {
	for i, v := range *list {
		if v.Metric == u.Metric && v.Root == u.Root && v.Filter == u.Filter {
			return i
		}
	}
	*list = append(*list, u)
	return len(*list) - 1
}
