package dialect

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

// substring is substring and substr by position. DuckDB counts a start before
// the first character from the end.
func substring(c *call) (*pgtree.Node, error) {
	start, ok := integer(c.args[1])
	n, okn := int64(0), true
	if len(c.args) > 2 {
		n, okn = integer(c.args[2])
	}
	if ok && okn && start >= 1 && n >= 0 {
		return pgtree.Func("substring", c.args...), nil
	}
	if len(c.args) == 2 {
		return macro("substring2", c.args...), nil
	}
	return macro("substring3", c.args...), nil
}

// roundDigits is round and trunc of a numeric to so many digits. The digits of
// the result are those that were asked for, also where the value has fewer.
func roundDigits(c *call) (*pgtree.Node, error) {
	digits, ok := integer(c.args[1])
	arg := c.args[0]
	if !ok || digits > 38 || digits < -38 {
		return nil, unsupported(c.node, "%s to a number of digits that is no constant is not supported", callName(c.node))
	}
	s, known := scale(c.types[0])
	if isInteger(c.types[0]) || !known {
		s = looseScale
		if isInteger(c.types[0]) {
			s = 0
		}
		arg = pgtree.Cast(arg, []string{"numeric"}, 38, int64(s))
	}
	out := pgtree.Func(callName(c.node), arg, pgtree.Int(digits))
	if digits > int64(s) {
		return pgtree.Cast(arg, []string{"numeric"}, 38, digits), nil
	}
	return out, nil
}

// average is the exact average: a sum divided by a count.
func average(c *call) (*pgtree.Node, error) {
	s, ok := scale(c.types[0])
	if !ok {
		s = looseScale
	}
	f := c.node.GetFuncCall()
	sum := pgtree.Func("sum", pgtree.Clone(c.args[0]))
	count := pgtree.Func("count", pgtree.Clone(c.args[0]))
	decorate(sum, f)
	decorate(count, pgtree.Clone(c.node).GetFuncCall())
	zero := &pgtree.Node{Node: &pg.Node_AExpr{AExpr: &pg.A_Expr{Kind: pg.A_Expr_Kind_AEXPR_NULLIF, Name: pgtree.Names("="), Lexpr: count, Rexpr: pgtree.Int(0), Location: -1}}}
	name := "quotient"
	if f.GetOver() != nil {
		name = "quotient_once"
	}
	return macro(name, scaled(sum, none, s, s), scaled(zero, none, 0, s)), nil
}

// wholeQuotient is div() of numerics: the quotient without what is after the
// point.
func wholeQuotient(c *call) (*pgtree.Node, error) {
	sa, oka := scale(c.types[0])
	sb, okb := scale(c.types[1])
	if !oka || !okb || max(sa, sb) > 19 {
		return nil, unsupported(c.node, "div of numbers whose digits are not known is not supported").WithHint("Cast them to numeric(p, s).")
	}
	digits := max(sa, sb)
	return pgtree.Cast(pgtree.Op("/", scaled(c.args[0], c.types[0], sa, digits), macro("nonzero", scaled(c.args[1], c.types[1], sb, digits))), []string{"numeric"}, 38, 0), nil
}

// percentile is percentile_cont, which is a double whatever it is taken of.
func percentile(c *call) (*pgtree.Node, error) {
	f := c.node.GetFuncCall()
	for _, o := range f.GetAggOrder() {
		by := o.GetSortBy()
		by.Node = pgtree.Cast(by.GetNode(), []string{"float8"})
	}
	f.Funcname = pgtree.Names("percentile_cont")
	return c.node, nil
}

// encode is encode and decode.
func encode(c *call) (*pgtree.Node, error) {
	form, ok := constant(c.args[1])
	if !ok {
		return nil, unsupported(c.node, "an encoding must be a constant")
	}
	to := callName(c.node) == "encode"
	switch form {
	case "hex":
		if to {
			return pgtree.Func("lower", pgtree.Func("to_hex", c.args[0])), nil
		}
		return pgtree.Func("from_hex", c.args[0]), nil
	case "base64":
		if to {
			return pgtree.Func("to_base64", c.args[0]), nil
		}
		return pgtree.Func("from_base64", c.args[0]), nil
	}
	return nil, unsupported(c.node, "the encoding %q is not supported", form).WithHint("Use hex or base64.")
}

// arrayLength is array_length, array_upper and array_lower of the first
// dimension: an array of the engine starts at 1.
func arrayLength(c *call) (*pgtree.Node, error) {
	dim, ok := integer(c.args[1])
	if !ok {
		return nil, unsupported(c.node, "a dimension must be a constant")
	}
	list := c.args[0]
	if text, ok := constant(list); ok {
		var err error
		if list, err = arrayLiteral(list, text, sqltype.Text); err != nil {
			return nil, err
		}
	}
	if dim < 1 {
		return pgtree.Cast(pgtree.Null(), []string{"int4"}), nil
	}
	for range dim - 1 {
		list = &pgtree.Node{Node: &pg.Node_AIndirection{AIndirection: &pg.A_Indirection{Arg: list,
			Indirection: []*pgtree.Node{{Node: &pg.Node_AIndices{AIndices: &pg.A_Indices{Uidx: pgtree.Int(1)}}}}}}}
	}
	length := &pgtree.Node{Node: &pg.Node_AExpr{AExpr: &pg.A_Expr{Kind: pg.A_Expr_Kind_AEXPR_NULLIF, Name: pgtree.Names("="),
		Lexpr: pgtree.Func("len", list), Rexpr: pgtree.Int(0), Location: -1}}}
	if callName(c.node) == "array_lower" {
		length = pgtree.Func("sign", length)
	}
	return pgtree.Cast(length, []string{"int4"}), nil
}

// makeInterval is make_interval with arguments by place or by name.
func makeInterval(c *call) (*pgtree.Node, error) {
	fields := [...]struct{ name, fn string }{
		{"years", "to_years"}, {"months", "to_months"}, {"weeks", "to_weeks"}, {"days", "to_days"},
		{"hours", "to_hours"}, {"mins", "to_minutes"}, {"secs", "to_seconds"},
	}
	var out *pgtree.Node
	for i, a := range c.args {
		fn := fields[i].fn
		if named := a.GetNamedArgExpr(); named != nil {
			fn = ""
			for _, f := range fields {
				if f.name == named.GetName() {
					fn = f.fn
				}
			}
			if fn == "" {
				return nil, refuse(c.node, "42883", "function make_interval has no argument %q", named.GetName())
			}
			a = named.GetArg()
		}
		part := pgtree.Func(fn, a)
		if out != nil {
			part = pgtree.Op("+", out, part)
		}
		out = part
	}
	if out == nil {
		out = pgtree.Func("to_days", pgtree.Int(0))
	}
	return out, nil
}

// typeOfValue is pg_typeof, told from the tree.
func typeOfValue(c *call) (*pgtree.Node, error) {
	typ := c.types[0]
	if typ.OID == 0 {
		return nil, unsupported(c.node, "the type of this expression is not known")
	}
	return pgtree.Text(sqltype.Of(typ.OID).String()), nil
}

// countNulls is num_nulls and num_nonnulls.
func countNulls(c *call) (*pgtree.Node, error) {
	var out *pgtree.Node
	for _, a := range c.args {
		one := pgtree.Cast(pgtree.IsNull(a, callName(c.node) == "num_nonnulls"), []string{"int4"})
		if out != nil {
			one = pgtree.Op("+", out, one)
		}
		out = one
	}
	return out, nil
}
