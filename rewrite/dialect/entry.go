package dialect

import (
	"strings"
	"sync"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

type kind byte

const (
	scalar kind = iota
	aggregate
	window // needs OVER
	rows   // gives a set of rows
)

// An entry is one form of a function or operator that a client may use.
type entry struct {
	name string
	kind kind
	// args are the classes of the arguments: text, int, numeric, float, number,
	// any, bool, date, timestamp, timestamptz, time, interval, json, array,
	// bytea, uuid. A last "..." repeats the class before it; "?" behind a class
	// makes it optional.
	args string
	// result is a type's name, a digit for the type of that argument, elem1 or
	// array1, sum1, round1, or "" where it is not known.
	result string
	// as is the engine's expression over $1, $2, ...; "=name" calls that name
	// with the same arguments; "" leaves the call as it is. In the expression of
	// an aggregate every call of an aggregate gets the DISTINCT, FILTER, ORDER
	// BY and OVER of the client's.
	as string
	// build makes the expression where it depends on constants.
	build func(c *call) (*pgtree.Node, error)
	// columns are the output columns of a function in FROM that has several.
	columns string

	params   []string
	least    int // arguments
	variadic bool
	template *pgtree.Node
}

// A call is what build gets.
type call struct {
	node  *pgtree.Node // the whole call
	args  []*pgtree.Node
	types []sqltype.Type
	t     *translation
}

func (e *entry) prepare() error {
	for _, p := range strings.Fields(e.args) {
		switch {
		case p == "...":
			e.variadic = true
		case strings.HasSuffix(p, "?"):
			e.params = append(e.params, strings.TrimSuffix(p, "?"))
		default:
			e.params = append(e.params, p)
			e.least = len(e.params)
		}
	}
	if e.as == "" || e.as[0] == '=' {
		return nil
	}
	n, err := pgtree.Expr(e.as)
	if err != nil {
		return err
	}
	pgtree.Walk(n, func(c *pgtree.Node) bool {
		pgtree.DropLocation(c)
		return true
	})
	e.template = n
	return nil
}

// functions gives the entries of a function by PostgreSQL's name.
var functions = sync.OnceValue(func() map[string][]*entry { return index(functionTable[:]) })

// operators gives the entries of an operator; a prefix operator has one
// argument.
var operators = sync.OnceValue(func() map[string][]*entry { return index(operatorTable[:]) })

func index(table []entry) map[string][]*entry {
	m := make(map[string][]*entry, len(table))
	for i := range table {
		e := table[i]
		if err := e.prepare(); err != nil {
			// The table is part of the program; a test reads every entry.
			e.build = func(c *call) (*pgtree.Node, error) {
				return nil, unsupported(c.node, "function %s cannot be translated", e.name)
			}
		}
		m[e.name] = append(m[e.name], &e)
	}
	return m
}

// fits tells whether n arguments can be given.
func (e *entry) fits(n int) bool {
	return n >= e.least && (n <= len(e.params) || e.variadic)
}

// pick takes the entry whose parameters fit the arguments best; the first of
// equals, so a table starts with the form that is right when nothing is known.
func pick(entries []*entry, args []sqltype.Type) *entry {
	var best *entry
	bestScore := -1
	for _, e := range entries {
		if !e.fits(len(args)) {
			continue
		}
		score := 0
		for i, a := range args {
			p := e.params[min(i, len(e.params)-1)]
			m := match(p, a)
			if m < 0 {
				score = -1
				break
			}
			score += m
		}
		if score > bestScore {
			best, bestScore = e, score
		}
	}
	return best
}

// match says how well an argument fits a class of parameters, -1 for not.
func match(class string, t sqltype.Type) int {
	switch {
	case class == "any":
		return 1
	case class == "unknown":
		if t.OID == sqltype.Unknown {
			return 4
		}
		return -1
	case isNone(t):
		return 1
	case t.OID == sqltype.Unknown:
		if class == "text" {
			return 3 // the preferred type of a string constant
		}
		return 2
	}
	exact := false
	near := false
	switch class {
	case "text":
		exact = isText(t)
	case "int":
		exact = isInteger(t)
	case "int8":
		exact, near = t.OID == sqltype.Int8, isInteger(t)
	case "small":
		exact = t.OID == sqltype.Int2 || t.OID == sqltype.Int4
	case "numeric":
		exact, near = t.OID == sqltype.Numeric, isInteger(t)
	case "float":
		exact, near = isFloat(t), isNumber(t)
	case "float4":
		exact = t.OID == sqltype.Float4
	case "number":
		exact = isNumber(t)
	case "date":
		exact = t.OID == sqltype.Date
	case "timestamp":
		exact, near = t.OID == sqltype.Timestamp, t.OID == sqltype.Date
	case "timestamptz":
		exact, near = t.OID == sqltype.Timestamptz, t.OID == sqltype.Timestamp || t.OID == sqltype.Date
	case "json":
		exact = isJSON(t)
	case "array":
		exact = isArray(t)
	default:
		oid, _ := sqltype.ByName(class)
		exact = t.OID == oid
	}
	switch {
	case exact:
		return 4
	case near:
		return 2
	}
	return -1
}

// resultType is the type of the value, as the engine will give it.
func (e *entry) resultType(args []sqltype.Type, nodes []*pgtree.Node) sqltype.Type {
	arg := func(i int) sqltype.Type {
		if i < len(args) {
			return shown(args[i])
		}
		return none
	}
	switch e.result {
	case "":
		return none
	case "1", "2":
		return arg(int(e.result[0] - '1'))
	case "elem1":
		return sqltype.Of(arg(0).OID.Elem())
	case "array1":
		if isArray(arg(0)) {
			return arg(0)
		}
		return sqltype.Of(arg(0).OID.Array())
	case "wider":
		return wider(arg(0), arg(1))
	case "sum1":
		if s, ok := scale(arg(0)); ok {
			return sqltype.NumericOf(38, s)
		}
		return sqltype.Of(sqltype.Numeric)
	case "whole1": // of floor and the like
		if arg(0).OID == sqltype.Numeric {
			return sqltype.NumericOf(38, 0)
		}
		return arg(0)
	case "extract":
		return extractType(arg(1), nodes)
	case "round2": // of round(numeric, constant)
		if len(nodes) > 1 {
			if v, ok := integer(nodes[1]); ok && v >= 0 && v <= 38 {
				return sqltype.NumericOf(38, int(v))
			}
		}
		return arg(0)
	}
	name, digits, ok := strings.Cut(e.result, ":")
	oid, known := sqltype.ByName(name)
	if !known {
		return none
	}
	if ok && len(digits) > 0 { // numeric:6 has six digits after the point
		s := 0
		for _, c := range digits {
			s = s*10 + int(c-'0')
		}
		return sqltype.NumericOf(38, s)
	}
	return sqltype.Of(oid)
}

// apply makes the engine's expression of a call with these arguments.
func (e *entry) apply(c *call) (*pgtree.Node, error) {
	switch {
	case e.build != nil:
		return e.build(c)
	case e.template != nil:
		out := expand(e.template, c.args)
		if f := c.node.GetFuncCall(); f != nil {
			decorate(out, f)
		}
		return out, nil
	}
	f := c.node.GetFuncCall()
	if f == nil {
		return c.node, nil
	}
	name := callName(c.node)
	if e.as != "" {
		name = e.as[1:]
	}
	f.Funcname = pgtree.Names(strings.Split(name, ".")...)
	f.Funcformat = pg.CoercionForm_COERCE_EXPLICIT_CALL
	return c.node, nil
}

// literalTypes are the classes of parameters that a string constant is read as.
// The engine would take it for text where it has a function over text as well.
var literalTypes = map[string]sqltype.OID{
	"date": sqltype.Date, "timestamp": sqltype.Timestamp, "timestamptz": sqltype.Timestamptz, "time": sqltype.Time,
	"interval": sqltype.Interval, "json": sqltype.JSON, "bytea": sqltype.Bytea, "int": sqltype.Int4, "int8": sqltype.Int8, "small": sqltype.Int4,
}

// coerce reads a string constant as what parameter i takes.
func (e *entry) coerce(i int, arg *pgtree.Node, typ sqltype.Type) (*pgtree.Node, error) {
	if typ.OID != sqltype.Unknown || len(e.params) == 0 {
		return arg, nil
	}
	oid, ok := literalTypes[e.params[min(i, len(e.params)-1)]]
	if !ok {
		return arg, nil
	}
	return literalAs(arg, oid)
}

// expand puts the arguments in the place of $1, $2, ... of a template.
func expand(template *pgtree.Node, args []*pgtree.Node) *pgtree.Node {
	used := make([]bool, len(args))
	return pgtree.Map(pgtree.Clone(template), func(n *pgtree.Node) *pgtree.Node {
		p := n.GetParamRef()
		if p == nil {
			return n
		}
		i := int(p.GetNumber()) - 1
		if i >= len(args) {
			return pgtree.Null()
		}
		if used[i] {
			return pgtree.Clone(args[i])
		}
		used[i] = true
		return args[i]
	})
}

// decorate gives the aggregate and window calls of an expanded template what
// the client wrote behind its call.
func decorate(out *pgtree.Node, from *pg.FuncCall) {
	if !from.GetAggDistinct() && from.GetAggFilter() == nil && from.GetOver() == nil && len(from.GetAggOrder()) == 0 {
		return
	}
	own := make(map[*pgtree.Node]bool)
	for _, a := range from.GetArgs() {
		own[a] = true
	}
	first := true
	pgtree.Walk(out, func(n *pgtree.Node) bool {
		if own[n] {
			return false
		}
		f := n.GetFuncCall()
		if f == nil || !engineAggregates[callName(n)] {
			return true
		}
		f.AggDistinct, f.AggWithinGroup = from.GetAggDistinct(), from.GetAggWithinGroup()
		f.AggFilter, f.Over, f.AggOrder = from.GetAggFilter(), from.GetOver(), from.GetAggOrder()
		if !first {
			copied := pgtree.Clone(&pgtree.Node{Node: &pg.Node_FuncCall{FuncCall: &pg.FuncCall{AggFilter: f.AggFilter, Over: f.Over, AggOrder: f.AggOrder}}}).GetFuncCall()
			f.AggFilter, f.Over, f.AggOrder = copied.GetAggFilter(), copied.GetOver(), copied.GetAggOrder()
		}
		first = false
		return false
	})
}

// engineAggregates are the aggregate and window functions that templates call.
var engineAggregates = map[string]bool{
	"sum": true, "count": true, "avg": true, "min": true, "max": true, "bool_and": true, "corr": true,
	"regr_slope": true, "regr_intercept": true, "regr_r2": true, "json_group_array": true, "json_group_object": true,
	"quantile_cont": true, "quantile_disc": true, "percentile_cont": true, "percentile_disc": true, "mode": true, "list": true, "string_agg": true, "ntile": true,
	"stddev_samp": true, "stddev_pop": true, "var_samp": true, "var_pop": true, "array_agg": true,
}

// function is the pass over calls.
func function(t *translation, n *pgtree.Node) (*pgtree.Node, error) {
	f := n.GetFuncCall()
	if f == nil {
		return n, nil
	}
	if _, ours := functionName(f); !ours {
		return n, nil
	}
	e := t.notes.calls[n]
	if e == nil {
		return unpicked(t, n, f)
	}
	c := &call{node: n, t: t}
	for i, a := range f.GetArgs() {
		typ := t.notes.typeOf(a)
		fit, err := e.coerce(i, a, typ)
		if err != nil {
			return nil, err
		}
		f.Args[i] = fit
		c.types = append(c.types, typ)
	}
	c.args = f.GetArgs()
	out, err := e.apply(c)
	if err != nil {
		return nil, err
	}
	if e.kind == rows && !t.notes.from[n] && e.name != "unnest" {
		if strings.Contains(e.columns, " ") {
			return nil, unsupported(n, "%s in a select list is not supported", e.name).WithHint("Call it in FROM.")
		}
		// The tables give sets as lists.
		return pgtree.Func("unnest", out), nil
	}
	return out, nil
}

// unpicked is a call that no entry fits: an error of types as PostgreSQL's, or
// a function of the engine that the gateway itself put in.
func unpicked(t *translation, n *pgtree.Node, f *pg.FuncCall) (*pgtree.Node, error) {
	name, _ := functionName(f)
	if len(functions()[name]) == 0 {
		if len(f.GetFuncname()) == 2 {
			f.Funcname = f.GetFuncname()[1:]
		}
		return n, nil
	}
	list := make([]string, 0, len(f.GetArgs()))
	for _, a := range f.GetArgs() {
		list = append(list, typeName(t.notes.typeOf(a)))
	}
	return nil, refuse(n, "42883", "function %s(%s) does not exist", name, strings.Join(list, ", ")).
		WithHint("No function matches the given name and argument types. You might need to add explicit type casts.")
}

func typeName(t sqltype.Type) string {
	if isNone(t) {
		return "unknown"
	}
	return sqltype.Of(t.OID).String()
}
