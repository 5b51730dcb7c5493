package dialect

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

// operatorTable lists the operators that are not arithmetic or comparison.
// Those two kinds are in arith.go.
var operatorTable = [...]entry{
	{name: "+", args: "date int", result: "date"},
	{name: "+", args: "int date", result: "date"},
	{name: "+", args: "date interval", result: "timestamp"},
	{name: "+", args: "interval date", result: "timestamp"},
	{name: "+", args: "timestamptz interval", result: "1"},
	{name: "+", args: "timestamp interval", result: "timestamp"},
	{name: "+", args: "interval timestamp", result: "timestamp"},
	{name: "+", args: "interval timestamptz", result: "timestamptz"},
	{name: "+", args: "time interval", result: "time"},
	{name: "+", args: "interval time", result: "time"},
	{name: "+", args: "date time", result: "timestamp"},
	{name: "+", args: "time date", result: "timestamp"},
	{name: "+", args: "interval interval", result: "interval"},
	{name: "-", args: "date date", result: "int4", as: "CAST($1 - $2 AS int)"},
	{name: "-", args: "date int", result: "date"},
	{name: "-", args: "date interval", result: "timestamp"},
	{name: "-", args: "timestamp timestamp", result: "interval", as: "CAST($1 AS timestamp) - CAST($2 AS timestamp)"},
	{name: "-", args: "timestamptz timestamptz", result: "interval", as: "CAST($1 AS timestamptz) - CAST($2 AS timestamptz)"},
	{name: "-", args: "timestamp interval", result: "timestamp"},
	{name: "-", args: "timestamptz interval", result: "timestamptz"},
	{name: "-", args: "time time", result: "interval", as: "pggate.dialect.time_difference($1, $2)"},
	{name: "-", args: "time interval", result: "time"},
	{name: "-", args: "interval interval", result: "interval"},
	{name: "-", args: "interval", result: "interval"},
	{name: "*", args: "interval int", result: "interval"},
	{name: "*", args: "int interval", result: "interval"},
	{name: "*", args: "interval number", result: "interval", as: "$1 * CAST($2 AS double precision)"},
	{name: "*", args: "number interval", result: "interval", as: "$2 * CAST($1 AS double precision)"},
	{name: "/", args: "interval number", result: "interval", as: "$1 * (1 / CAST(pggate.dialect.nonzero($2) AS double precision))"},

	{name: "||", args: "text text", result: "text", build: concatenate},
	{name: "||", args: "text any", result: "text", build: concatenate},
	{name: "||", args: "any text", result: "text", build: concatenate},
	{name: "||", args: "array array", result: "1"},
	{name: "||", args: "array unknown", result: "1", build: concatenateLiteral},
	{name: "||", args: "unknown array", result: "2", build: concatenateLiteral},
	{name: "||", args: "array any", result: "1", as: "list_append($1, $2)"},
	{name: "||", args: "any array", result: "2", as: "list_prepend($1, $2)"},
	{name: "||", args: "bytea bytea", result: "bytea"},
	{name: "||", args: "json json", result: "jsonb", build: refuseConcat},

	{name: "~", args: "text text", result: "bool", build: regexMatch},
	{name: "!~", args: "text text", result: "bool", build: regexMatch},
	{name: "~*", args: "text text", result: "bool", build: regexMatch},
	{name: "!~*", args: "text text", result: "bool", build: regexMatch},
	{name: "~~", args: "text text", result: "bool", build: like},
	{name: "!~~", args: "text text", result: "bool", build: like},
	{name: "~~*", args: "text text", result: "bool", build: like},
	{name: "!~~*", args: "text text", result: "bool", build: like},
	{name: "^@", args: "text text", result: "bool", as: "starts_with($1, $2)"},

	{name: "->", args: "json text", result: "json", build: jsonKey},
	{name: "->", args: "json int", result: "json", build: jsonKey},
	{name: "->>", args: "json text", result: "text", build: jsonKey},
	{name: "->>", args: "json int", result: "text", build: jsonKey},
	{name: "#>", args: "json any", result: "json", build: jsonPath},
	{name: "#>>", args: "json any", result: "text", build: jsonPath},
	{name: "@>", args: "json json", result: "bool", as: "json_contains($1, $2)"},
	{name: "<@", args: "json json", result: "bool", as: "json_contains($2, $1)"},
	{name: "?", args: "json text", result: "bool", as: "pggate.dialect.json_has($1, $2)"},
	{name: "?|", args: "json array", result: "bool", as: "list_has_any(pggate.dialect.json_names($1), $2)"},
	{name: "?&", args: "json array", result: "bool", as: "list_has_all(pggate.dialect.json_names($1), $2)"},
	{name: "@>", args: "array array", result: "bool", as: "list_has_all($1, $2)"},
	{name: "<@", args: "array array", result: "bool", as: "list_has_all($2, $1)"},
	{name: "&&", args: "array array", result: "bool", as: "list_has_any($1, $2)"},

	{name: "&", args: "int int", result: "wider"},
	{name: "|", args: "int int", result: "wider"},
	{name: "#", args: "int int", result: "wider", as: "xor($1, $2)"},
	{name: "~", args: "int", result: "1"},
	{name: "<<", args: "int int", result: "1"},
	{name: ">>", args: "int int", result: "1"},
	{name: "@", args: "number", result: "1", as: "abs($1)"},
	{name: "|/", args: "number", result: "float8", as: "sqrt($1)"},
	{name: "||/", args: "number", result: "float8", as: "cbrt($1)"},
}

// operatorName is the name without a schema.
func operatorName(e *pg.A_Expr) string {
	names := e.GetName()
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1].GetString_().GetSval()
}

func comparison(op string) bool {
	switch op {
	case "=", "<>", "!=", "<", "<=", ">", ">=":
		return true
	}
	return false
}

// operator types an operator.
func (t *typer) operator(n *pgtree.Node, x *pg.A_Expr, s *scope) sqltype.Type {
	op := operatorName(x)
	t.compared(x.GetLexpr())
	t.compared(x.GetRexpr())
	if f := x.GetRexpr().GetFuncCall(); f != nil && patternCall(x) {
		t.expr(x.GetLexpr(), s)
		t.list(f.GetArgs(), s)
		return sqltype.Of(sqltype.Bool)
	}
	var args []sqltype.Type
	if x.GetLexpr() != nil {
		args = append(args, t.expr(x.GetLexpr(), s))
	}
	args = append(args, t.expr(x.GetRexpr(), s))
	switch x.GetKind() {
	case pg.A_Expr_Kind_AEXPR_NULLIF:
		return args[0]
	case pg.A_Expr_Kind_AEXPR_OP, pg.A_Expr_Kind_AEXPR_LIKE, pg.A_Expr_Kind_AEXPR_ILIKE:
	default:
		return sqltype.Of(sqltype.Bool)
	}
	if comparison(op) {
		return sqltype.Of(sqltype.Bool)
	}
	if typ, ok := arithmetic(op, args); ok {
		return typ
	}
	switch op {
	case "+", "-", "*", "/", "%":
		// What is not known may well be a number: the engine can tell.
		for _, a := range args {
			if isNone(a) {
				return none
			}
		}
	}
	e := pick(operators()[op], args)
	if e == nil {
		return none
	}
	t.notes.calls[n] = e
	return e.resultType(args, []*pgtree.Node{x.GetLexpr(), x.GetRexpr()})
}

// patternCall tells that the right side is the grammar's call for ESCAPE or
// SIMILAR TO, not one of the client's.
func patternCall(x *pg.A_Expr) bool {
	switch x.GetKind() {
	case pg.A_Expr_Kind_AEXPR_LIKE, pg.A_Expr_Kind_AEXPR_ILIKE:
		return callName(x.GetRexpr()) == "like_escape"
	case pg.A_Expr_Kind_AEXPR_SIMILAR:
		return callName(x.GetRexpr()) == "similar_to_escape"
	}
	return false
}

// operator is the pass over operators.
func operator(t *translation, n *pgtree.Node) (*pgtree.Node, error) {
	x := n.GetAExpr()
	if x == nil {
		return n, nil
	}
	// OPERATOR(pg_catalog.=) is the plain operator.
	if len(x.GetName()) > 1 {
		x.Name = x.GetName()[len(x.GetName())-1:]
	}
	op := operatorName(x)
	switch x.GetKind() {
	case pg.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		return symmetric(x), nil
	case pg.A_Expr_Kind_AEXPR_SIMILAR:
		return similar(t, n, x)
	case pg.A_Expr_Kind_AEXPR_OP_ANY, pg.A_Expr_Kind_AEXPR_OP_ALL:
		return quantified(t, n, x)
	case pg.A_Expr_Kind_AEXPR_LIKE, pg.A_Expr_Kind_AEXPR_ILIKE:
		return like(&call{node: n, args: []*pgtree.Node{x.GetLexpr(), x.GetRexpr()}, t: t})
	case pg.A_Expr_Kind_AEXPR_OP:
	default:
		return n, nil
	}
	if e := t.notes.calls[n]; e != nil {
		c := &call{node: n, t: t}
		if x.GetLexpr() != nil {
			c.args = append(c.args, x.GetLexpr())
		}
		c.args = append(c.args, x.GetRexpr())
		for i, a := range c.args {
			typ := t.notes.typeOf(a)
			fit, err := e.coerce(i, a, typ)
			if err != nil {
				return nil, err
			}
			c.args[i] = fit
			c.types = append(c.types, typ)
		}
		if x.GetLexpr() != nil {
			x.Lexpr = c.args[0]
		}
		x.Rexpr = c.args[len(c.args)-1]
		return e.apply(c)
	}
	return divide(t, n, x, op)
}

// symmetric writes BETWEEN SYMMETRIC out.
func symmetric(x *pg.A_Expr) *pgtree.Node {
	bounds := x.GetRexpr().GetList().GetItems()
	between := func(lo, hi *pgtree.Node) *pgtree.Node {
		list := &pgtree.Node{Node: &pg.Node_List{List: &pg.List{Items: []*pgtree.Node{lo, hi}}}}
		return &pgtree.Node{Node: &pg.Node_AExpr{AExpr: &pg.A_Expr{Kind: pg.A_Expr_Kind_AEXPR_BETWEEN, Name: pgtree.Names("BETWEEN"), Lexpr: pgtree.Clone(x.GetLexpr()), Rexpr: list, Location: -1}}}
	}
	out := pgtree.Or(between(bounds[0], bounds[1]), between(pgtree.Clone(bounds[1]), pgtree.Clone(bounds[0])))
	if x.GetKind() == pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM {
		return not(out)
	}
	return out
}

func not(n *pgtree.Node) *pgtree.Node {
	return &pgtree.Node{Node: &pg.Node_BoolExpr{BoolExpr: &pg.BoolExpr{Boolop: pg.BoolExprType_NOT_EXPR, Args: []*pgtree.Node{n}, Location: -1}}}
}

// quantified is x op ANY (array) and x op ALL (array). DuckDB has them for
// comparisons; an array literal gets the type of the other side.
func quantified(t *translation, n *pgtree.Node, x *pg.A_Expr) (*pgtree.Node, error) {
	left := t.notes.typeOf(x.GetLexpr())
	if text, ok := constant(x.GetRexpr()); ok && x.GetRexpr().GetAConst() != nil {
		list, err := arrayLiteral(x.GetRexpr(), text, shown(left).OID)
		if err != nil {
			return nil, err
		}
		x.Rexpr = list
	}
	op := operatorName(x)
	all := x.GetKind() == pg.A_Expr_Kind_AEXPR_OP_ALL
	if comparison(op) {
		return n, nil
	}
	// Every element of a written list is compared on its own.
	elements := x.GetRexpr().GetAArrayExpr().GetElements()
	if c := x.GetRexpr().GetTypeCast(); c != nil {
		elements = c.GetArg().GetAArrayExpr().GetElements()
	}
	if len(elements) == 0 {
		return nil, unsupported(n, "%s ANY or ALL of an array that is no constant is not supported", op).
			WithHint("Write the elements out: ARRAY['a', 'b'].")
	}
	var conds []*pgtree.Node
	for _, e := range elements {
		one := pgtree.Op(op, pgtree.Clone(x.GetLexpr()), e)
		c := &call{node: one, args: []*pgtree.Node{one.GetAExpr().GetLexpr(), e}, t: t}
		var out *pgtree.Node
		var err error
		switch op {
		case "~~", "!~~", "~~*", "!~~*":
			out, err = like(c)
		case "~", "!~", "~*", "!~*":
			out, err = regexMatch(c)
		default:
			return nil, unsupported(n, "%s ANY or ALL of an array is not supported", op)
		}
		if err != nil {
			return nil, err
		}
		conds = append(conds, out)
	}
	if all {
		return pgtree.And(conds...), nil
	}
	return pgtree.Or(conds...), nil
}

// refuseConcat is jsonb || jsonb: the engine only merges, which goes deeper.
func refuseConcat(c *call) (*pgtree.Node, error) {
	return nil, unsupported(c.node, "|| of json values is not supported")
}

// concatenate puts a number into PostgreSQL's text form first.
func concatenate(c *call) (*pgtree.Node, error) {
	args := make([]*pgtree.Node, 2)
	for i, a := range c.args {
		args[i] = toText(a, c.types[i])
	}
	return pgtree.Op("||", args[0], args[1]), nil
}

// concatenateLiteral is array || '{1,2}'.
func concatenateLiteral(c *call) (*pgtree.Node, error) {
	args := make([]*pgtree.Node, 2)
	for i, a := range c.args {
		args[i] = a
		if text, ok := constant(a); ok {
			list, err := arrayLiteral(a, text, c.types[1-i].OID.Elem())
			if err != nil {
				return nil, err
			}
			args[i] = list
		}
	}
	return pgtree.Op("||", args[0], args[1]), nil
}
