package rewrite

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
)

// A Parser makes boxes of the expressions in model files. The zero value works.
type Parser struct{}

// An ExprError is an expression that cannot be used, and where in its text.
type ExprError struct {
	Offset  int // bytes from the start of the expression
	Message string
	Hint    string
}

func (e *ExprError) Error() string { return e.Message }

// Position gives the parts of the error, for loaders that map it into a file.
func (e *ExprError) Position() (offset int, message, hint string) {
	return e.Offset, e.Message, e.Hint
}

// An expr is semantic.Expr over a tree.
type expr struct {
	node *pgtree.Node
	refs []semantic.Ref
	text string
}

func (e *expr) Refs() []semantic.Ref { return e.refs }
func (e *expr) String() string       { return e.text }

func newExpr(n *pgtree.Node) *expr {
	e := &expr{node: n, text: pgtree.PrintExpr(n)}
	pgtree.Walk(n, func(c *pgtree.Node) bool {
		if parts, star := pgtree.ColumnParts(c); parts != nil && !star && !isSlot(parts) {
			ref := semantic.Ref{Path: parts[:len(parts)-1], Name: parts[len(parts)-1]}
			if !slices.ContainsFunc(e.refs, func(r semantic.Ref) bool { return r.String() == ref.String() }) {
				e.refs = append(e.refs, ref)
			}
		}
		return true
	})
	return e
}

// fill gives a copy of the expression with every name replaced.
func (e *expr) fill(resolve func(semantic.Ref) (*pgtree.Node, error)) (*pgtree.Node, error) {
	var failed error
	out := pgtree.Map(pgtree.Clone(e.node), func(n *pgtree.Node) *pgtree.Node {
		parts, star := pgtree.ColumnParts(n)
		if parts == nil || star || isSlot(parts) || failed != nil {
			return n
		}
		r, err := resolve(semantic.Ref{Path: parts[:len(parts)-1], Name: parts[len(parts)-1]})
		if err != nil {
			failed = err
			return n
		}
		return r
	})
	return out, failed
}

// slotName is the column name that stands for a slot of a formula. No client
// can write it: a zero byte ends a text on the wire.
const slotName = "\x00slot"

func slotNode(i int) *pgtree.Node { return pgtree.Column(slotName, strconv.Itoa(i)) }

func isSlot(parts []string) bool { return len(parts) == 2 && parts[0] == slotName }

// fillSlots gives a copy of a formula with its slots replaced.
func (e *expr) fillSlots(slot func(int) *pgtree.Node) *pgtree.Node {
	return pgtree.Map(pgtree.Clone(e.node), func(n *pgtree.Node) *pgtree.Node {
		if parts, _ := pgtree.ColumnParts(n); isSlot(parts) {
			i, _ := strconv.Atoi(parts[1])
			return slot(i)
		}
		return n
	})
}

func parseExpr(text string) (*pgtree.Node, error) {
	n, err := pgtree.Expr(text)
	if err != nil {
		se := err.(*pgtree.SyntaxError)
		return nil, &ExprError{Offset: byteOffset(text, se.Pos), Message: se.Message}
	}
	var bad *ExprError
	pgtree.Walk(n, func(c *pgtree.Node) bool {
		at := max(0, pgtree.Location(c))
		switch {
		case bad != nil:
			return false
		case c.GetSubLink() != nil:
			bad = &ExprError{at, "a subquery is not allowed in a model expression", "Make the query a dataset of its own and join it."}
		case c.GetParamRef() != nil:
			bad = &ExprError{at, "a parameter is not allowed in a model expression", ""}
		case c.GetFuncCall().GetOver() != nil:
			bad = &ExprError{at, "a window function is not allowed in a model expression", ""}
		case c.GetColumnRef() != nil:
			if _, star := pgtree.ColumnParts(c); star {
				bad = &ExprError{at, "* is not allowed here", "Name the column."}
			}
		}
		return true
	})
	if bad != nil {
		return nil, bad
	}
	return n, nil
}

func byteOffset(text string, pos int) int {
	if pos <= 0 {
		return 0
	}
	for i := range text {
		if pos--; pos == 0 {
			return i
		}
	}
	return len(text)
}

// Scalar parses a row-level expression.
func (Parser) Scalar(text string) (semantic.Expr, error) {
	n, err := parseExpr(text)
	if err != nil {
		return nil, err
	}
	var bad *ExprError
	pgtree.Walk(n, func(c *pgtree.Node) bool {
		if bad == nil && isAggregate(c) {
			bad = &ExprError{max(0, pgtree.Location(c)), "an aggregate is not allowed in a row-level expression", "Define a metric for it."}
		}
		return true
	})
	if bad != nil {
		return nil, bad
	}
	dropLocations(n)
	return newExpr(portable(n)), nil
}

// Metric parses an aggregate expression. Divisions in it are made true
// divisions that give NULL where the divisor is zero.
func (Parser) Metric(text string) (*semantic.Formula, error) {
	n, err := parseExpr(text)
	if err != nil {
		return nil, err
	}
	f := &semantic.Formula{Text: text}
	var aggs []*pgtree.Node
	var bad *ExprError
	var find func(*pgtree.Node) *pgtree.Node
	find = func(c *pgtree.Node) *pgtree.Node {
		if bad != nil {
			return c
		}
		if isAggregate(c) {
			pgtree.MapChildren(c, func(k *pgtree.Node) *pgtree.Node {
				pgtree.Walk(k, func(in *pgtree.Node) bool {
					if isAggregate(in) {
						bad = &ExprError{max(0, pgtree.Location(in)), "an aggregate inside an aggregate", "Define the inner one at a dataset of its own grain."}
					}
					return true
				})
				return k
			})
			aggs = append(aggs, c)
			return slotNode(len(aggs) - 1)
		}
		if parts, _ := pgtree.ColumnParts(c); parts != nil && !isSlot(parts) {
			if len(parts) > 1 {
				bad = &ExprError{max(0, pgtree.Location(c)), strconv.Quote(strings.Join(parts, ".")) + " stands outside of an aggregate", "Aggregate the field; metrics are named without a dataset."}
				return c
			}
			f.Metrics = append(f.Metrics, parts[0])
			return pgtree.Column(slotName, "m"+strconv.Itoa(len(f.Metrics)-1))
		}
		pgtree.MapChildren(c, find)
		return c
	}
	outer := find(n)
	if bad != nil {
		return nil, bad
	}
	if len(aggs) == 0 && len(f.Metrics) == 0 {
		return nil, &ExprError{0, "the expression aggregates nothing", "Write an aggregate such as SUM(orders.amount), or arithmetic over metrics."}
	}
	outer = pgtree.Map(outer, func(c *pgtree.Node) *pgtree.Node {
		parts, _ := pgtree.ColumnParts(c)
		if isSlot(parts) && parts[1][0] == 'm' {
			j, _ := strconv.Atoi(parts[1][1:])
			return slotNode(len(aggs) + j)
		}
		return c
	})
	dropLocations(outer)
	if parts, _ := pgtree.ColumnParts(outer); !isSlot(parts) {
		f.Outer = newExpr(guardDivision(portable(outer)))
	}
	for _, a := range aggs {
		dropLocations(a)
		call := a.GetFuncCall()
		def := semantic.AggregateDef{
			Func:     strings.ToLower(call.GetFuncname()[len(call.GetFuncname())-1].GetString_().GetSval()),
			Distinct: call.GetAggDistinct(), Star: call.GetAggStar(),
		}
		if c := call.GetAggFilter(); c != nil {
			def.Filter = newExpr(portable(guardDivision(c)))
			call.AggFilter = nil
		}
		def.Arg = newExpr(portable(guardDivision(a)))
		f.Aggregates = append(f.Aggregates, def)
	}
	return f, nil
}

// IsQuery tells a SELECT from the name of a relation.
func (Parser) IsQuery(source string) bool {
	stmts, err := pgtree.Parse(source)
	return err == nil && len(stmts) == 1 && stmts[0].Node.GetSelectStmt() != nil
}

// dropLocations forgets where model text stood: positions in errors are the
// client's.
func dropLocations(n *pgtree.Node) {
	pgtree.Walk(n, func(c *pgtree.Node) bool {
		pgtree.DropLocation(c)
		return true
	})
}

// guardDivision makes a / b of a model a true division without an error: a::float8 /
// nullif(b, 0). A ratio of counts is a fraction, and nothing over nothing is NULL.
func guardDivision(n *pgtree.Node) *pgtree.Node {
	return pgtree.Map(n, func(c *pgtree.Node) *pgtree.Node {
		e := c.GetAExpr()
		if e == nil || e.GetKind() != pg.A_Expr_Kind_AEXPR_OP || e.GetLexpr() == nil || opName(e) != "/" {
			return c
		}
		if k := e.GetRexpr().GetAConst(); k == nil || k.GetIval().GetIval() == 0 && k.GetFval().GetFval() == "" {
			if inner := e.GetRexpr().GetAExpr(); inner == nil || inner.GetKind() != pg.A_Expr_Kind_AEXPR_NULLIF {
				e.Rexpr = nullIf(e.GetRexpr(), pgtree.Int(0))
			}
		}
		e.Lexpr = pgtree.Cast(e.GetLexpr(), []string{"float8"})
		return c
	})
}

func nullIf(a, b *pgtree.Node) *pgtree.Node {
	return &pgtree.Node{Node: &pg.Node_AExpr{AExpr: &pg.A_Expr{Kind: pg.A_Expr_Kind_AEXPR_NULLIF, Name: pgtree.Names("="), Lexpr: a, Rexpr: b, Location: -1}}}
}

func opName(e *pg.A_Expr) string {
	if len(e.GetName()) == 0 {
		return ""
	}
	return e.GetName()[len(e.GetName())-1].GetString_().GetSval()
}

// aggregates are the aggregate functions of PostgreSQL that have one meaning
// over a set of rows, and median, which model formats have.
var aggregates = map[string]bool{
	"sum": true, "count": true, "avg": true, "min": true, "max": true, "any_value": true,
	"stddev": true, "stddev_pop": true, "stddev_samp": true, "variance": true, "var_pop": true, "var_samp": true,
	"bool_and": true, "bool_or": true, "every": true, "bit_and": true, "bit_or": true, "bit_xor": true,
	"string_agg": true, "array_agg": true, "json_agg": true, "jsonb_agg": true, "json_object_agg": true, "jsonb_object_agg": true,
	"percentile_cont": true, "percentile_disc": true, "mode": true, "median": true, "quantile_cont": true, "quantile_disc": true, "mad": true,
	"corr": true, "covar_pop": true, "covar_samp": true, "regr_avgx": true, "regr_avgy": true, "regr_count": true,
	"regr_intercept": true, "regr_r2": true, "regr_slope": true, "regr_sxx": true, "regr_sxy": true, "regr_syy": true,
	"approx_count_distinct": true, "approx_percentile": true,
}

// isAggregate tells an aggregate call, not one with OVER.
func isAggregate(n *pgtree.Node) bool {
	call := n.GetFuncCall()
	if call == nil || call.GetOver() != nil {
		return false
	}
	name := pgtree.NameParts(call.GetFuncname())
	return aggregates[strings.ToLower(name[len(name)-1])] && (len(name) == 1 || name[0] == "pg_catalog")
}

// portable puts functions of the interchange formats into PostgreSQL's words.
func portable(n *pgtree.Node) *pgtree.Node {
	return pgtree.Map(n, func(c *pgtree.Node) *pgtree.Node {
		call := c.GetFuncCall()
		if call == nil || len(call.GetFuncname()) != 1 {
			return c
		}
		args := call.GetArgs()
		switch name := call.GetFuncname()[0].GetString_().GetSval(); {
		case (name == "iff" || name == "if") && len(args) == 3:
			choice := pg.MakeCaseExprNode(nil, []*pgtree.Node{pg.MakeCaseWhenNode(args[0], args[1], -1)}, -1)
			choice.GetCaseExpr().Defresult = args[2]
			return choice
		case (name == "nvl" || name == "ifnull") && len(args) == 2:
			return pgtree.Coalesce(args...)
		case name == "zeroifnull" && len(args) == 1:
			return pgtree.Coalesce(args[0], pgtree.Int(0))
		case name == "nullifzero" && len(args) == 1:
			return nullIf(args[0], pgtree.Int(0))
		}
		return c
	})
}
