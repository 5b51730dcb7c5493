package dialect

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

// quotientScale are the digits after the point of an exact quotient. PostgreSQL
// gives at least 16 significant digits (numeric.c, select_div_scale), which is
// 16 after the point for quotients from 1 to 9999; the engine's decimals have
// one scale for all rows.
const quotientScale = 16

// arithmetic gives the type of + - * / % ^ and unary + - over numbers.
func arithmetic(op string, args []sqltype.Type) (sqltype.Type, bool) {
	if len(args) == 1 {
		return args[0], (op == "-" || op == "+") && isNumber(args[0])
	}
	switch op {
	case "+", "-", "*", "/", "%", "^":
	default:
		return none, false
	}
	a, b := args[0], args[1]
	// A string constant takes the type of the other side.
	if a.OID == sqltype.Unknown && isNumber(b) {
		a = loose(b)
	}
	if b.OID == sqltype.Unknown && isNumber(a) {
		b = loose(a)
	}
	if !isNumber(a) || !isNumber(b) {
		return none, false
	}
	if op == "^" {
		return sqltype.Of(sqltype.Float8), true
	}
	common := wider(a, b)
	if common.OID != sqltype.Numeric {
		return common, true
	}
	sa, oka := scale(a)
	sb, okb := scale(b)
	switch {
	case !oka || !okb:
		if op == "/" {
			return sqltype.Of(sqltype.Float8), true
		}
		return sqltype.Of(sqltype.Numeric), true
	case op == "*":
		return sqltype.NumericOf(38, sa+sb), true
	case op == "/":
		return sqltype.NumericOf(38, quotientScale), true
	}
	return sqltype.NumericOf(38, max(sa, sb)), true
}

// loose is a type whose digits a constant still to be read decides.
func loose(t sqltype.Type) sqltype.Type { return sqltype.Of(t.OID) }

// divide is / and %: exact for numeric, and an error for zero.
func divide(t *translation, n *pgtree.Node, x *pg.A_Expr, op string) (*pgtree.Node, error) {
	a, b := t.notes.typeOf(x.GetLexpr()), t.notes.typeOf(x.GetRexpr())
	var err error
	if x.GetLexpr() != nil && isNumber(b) && a.OID == sqltype.Unknown {
		if x.Lexpr, err = literalAs(x.GetLexpr(), b.OID); err != nil {
			return nil, err
		}
		a = castType(sqltype.Of(b.OID), x.GetLexpr().GetTypeCast().GetArg(), t.notes)
	}
	if isNumber(a) && b.OID == sqltype.Unknown {
		if x.Rexpr, err = literalAs(x.GetRexpr(), a.OID); err != nil {
			return nil, err
		}
		b = castType(sqltype.Of(a.OID), x.GetRexpr().GetTypeCast().GetArg(), t.notes)
	}
	if op != "/" && op != "%" || x.GetLexpr() == nil {
		return n, nil
	}
	if op == "/" && (a.OID == sqltype.Numeric || b.OID == sqltype.Numeric) {
		sa, oka := scale(a)
		sb, okb := scale(b)
		if oka && okb && max(sa, sb) <= 19 {
			return quotient(x.GetLexpr(), a, x.GetRexpr(), b), nil
		}
		// Digits are not known: the engine's double, but never its integer
		// division, since a wide integer is numeric to PostgreSQL.
		if oka || a.OID == sqltype.Numeric {
			x.Lexpr = pgtree.Cast(x.GetLexpr(), []string{"pg_catalog", "float8"})
		}
	}
	if !neverZero(x.GetRexpr()) {
		x.Rexpr = macro("nonzero", x.GetRexpr())
	}
	return n, nil
}

// quotient divides two exact numbers of known scales.
func quotient(a *pgtree.Node, ta sqltype.Type, b *pgtree.Node, tb sqltype.Type) *pgtree.Node {
	sa, _ := scale(ta)
	sb, _ := scale(tb)
	digits := max(sa, sb)
	name := "quotient"
	if heavy(a) || heavy(b) {
		name = "quotient_once"
	}
	return macro(name, scaled(a, ta, sa, digits), scaled(b, tb, sb, digits))
}

// heavy tells an expression that must not be computed more than once, which a
// macro that names its argument several times would do: a query, a window
// function or a volatile one.
func heavy(n *pgtree.Node) bool {
	found := false
	pgtree.Walk(n, func(c *pgtree.Node) bool {
		f := c.GetFuncCall()
		found = found || c.GetSubLink() != nil || f.GetOver() != nil || f != nil && callName(c) == "random"
		return !found
	})
	return found
}

// scaled is the integer n * 10^digits, as a HUGEINT.
func scaled(n *pgtree.Node, typ sqltype.Type, own, digits int) *pgtree.Node {
	if digits == 0 {
		return pgtree.Cast(n, []string{"hugeint"})
	}
	if own == 0 {
		return pgtree.Op("*", pgtree.Cast(n, []string{"hugeint"}), power(digits))
	}
	if precision := int(typ.Mod-4) >> 16; typ.Mod >= 0 && precision+digits <= 18 {
		// The product cannot leave the 64 bits in which the engine keeps it.
		return pgtree.Cast(pgtree.Op("*", n, power(digits)), []string{"hugeint"})
	}
	return macro("scaled", n, power(digits))
}

func power(digits int) *pgtree.Node {
	if digits < 10 {
		v := int64(1)
		for range digits {
			v *= 10
		}
		return pgtree.Int(v)
	}
	return &pgtree.Node{Node: &pg.Node_AConst{AConst: &pg.A_Const{Val: &pg.A_Const_Fval{Fval: &pg.Float{Fval: "1" + strings.Repeat("0", digits)}}, Location: -1}}}
}

// neverZero tells that a divisor needs no check: a constant, or NULLIF(x, 0).
func neverZero(n *pgtree.Node) bool {
	if c := n.GetAConst(); c != nil {
		switch v := c.GetVal().(type) {
		case *pg.A_Const_Ival:
			return v.Ival.GetIval() != 0
		case *pg.A_Const_Fval:
			return strings.Trim(v.Fval.GetFval(), "0.") != "" && !strings.ContainsAny(v.Fval.GetFval(), "eE")
		}
		return c.GetIsnull()
	}
	switch {
	case n.GetTypeCast() != nil:
		// A cast to a number of fewer digits could round to zero; one of a
		// constant to another kind of number does not.
		return isFloat(typeOf(n.GetTypeCast().GetTypeName())) && neverZero(n.GetTypeCast().GetArg())
	case n.GetAExpr().GetKind() == pg.A_Expr_Kind_AEXPR_NULLIF:
		v, ok := integer(n.GetAExpr().GetRexpr())
		return ok && v == 0
	}
	return false
}

// literal is the pass over constants: a number with an exponent is numeric to
// PostgreSQL and a double to DuckDB.
func literal(t *translation, n *pgtree.Node) (*pgtree.Node, error) {
	f, ok := n.GetAConst().GetVal().(*pg.A_Const_Fval)
	if !ok || n.GetAConst().GetIsnull() || !strings.ContainsAny(f.Fval.GetFval(), "eE") {
		return n, nil
	}
	plain, ok := plainNumber(f.Fval.GetFval())
	if !ok {
		return n, nil
	}
	return &pgtree.Node{Node: &pg.Node_AConst{AConst: &pg.A_Const{Val: &pg.A_Const_Fval{Fval: &pg.Float{Fval: plain}}, Location: -1}}}, nil
}

// plainNumber writes a number without an exponent; false if it has more digits
// than a decimal of the engine holds.
func plainNumber(text string) (string, bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	whole, frac, _ := strings.Cut(mantissa, ".")
	shift, negative := 0, false
	for i, c := range exponent {
		switch {
		case c == '-' && i == 0:
			negative = true
		case c == '+' && i == 0:
		case c >= '0' && c <= '9' && shift < 1000:
			shift = shift*10 + int(c-'0')
		default:
			return "", false
		}
	}
	if shift > 38 {
		return "", false
	}
	if negative {
		for ; shift > 0; shift-- {
			if whole == "" {
				frac = "0" + frac
				continue
			}
			frac, whole = whole[len(whole)-1:]+frac, whole[:len(whole)-1]
		}
	} else {
		for ; shift > 0; shift-- {
			if frac == "" {
				whole += "0"
				continue
			}
			whole, frac = whole+frac[:1], frac[1:]
		}
	}
	whole = strings.TrimLeft(whole, "0")
	if len(whole)+len(frac) > 38 {
		return "", false
	}
	if whole == "" {
		whole = "0"
	}
	if frac == "" {
		return whole + ".", true
	}
	return whole + "." + frac, true
}
