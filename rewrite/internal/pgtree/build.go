package pgtree

import (
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// String wraps a name.
func String(s string) *Node { return pg.MakeStrNode(s) }

// Names wraps the parts of a dotted name.
func Names(parts ...string) []*Node {
	list := make([]*Node, len(parts))
	for i, p := range parts {
		list[i] = String(p)
	}
	return list
}

// Column is a reference to a column by its dotted name.
func Column(parts ...string) *Node {
	return &Node{Node: &pg.Node_ColumnRef{ColumnRef: &pg.ColumnRef{Fields: Names(parts...), Location: -1}}}
}

// ColumnParts gives the names of a column reference; star tells that the last
// part is *. A nil slice means that n is no column reference.
func ColumnParts(n *Node) (parts []string, star bool) {
	ref := n.GetColumnRef()
	if ref == nil {
		return nil, false
	}
	parts = make([]string, 0, len(ref.GetFields()))
	for _, f := range ref.GetFields() {
		if f.GetAStar() != nil {
			return parts, true
		}
		parts = append(parts, f.GetString_().GetSval())
	}
	return parts, false
}

// NameParts gives the strings of a list of names.
func NameParts(list []*Node) []string {
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = n.GetString_().GetSval()
	}
	return parts
}

// Func is a call of a function by its unqualified name.
func Func(name string, args ...*Node) *Node { return QualifiedFunc([]string{name}, args...) }

// QualifiedFunc is a call of a function by its dotted name.
func QualifiedFunc(name []string, args ...*Node) *Node {
	return &Node{Node: &pg.Node_FuncCall{FuncCall: &pg.FuncCall{Funcname: Names(name...), Args: args, Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL, Location: -1}}}
}

// Op is a binary operator, or a unary one where l is nil.
func Op(name string, l, r *Node) *Node {
	return &Node{Node: &pg.Node_AExpr{AExpr: &pg.A_Expr{Kind: pg.A_Expr_Kind_AEXPR_OP, Name: Names(name), Lexpr: l, Rexpr: r, Location: -1}}}
}

// NotDistinct is l IS NOT DISTINCT FROM r: equality that holds between NULLs.
func NotDistinct(l, r *Node) *Node {
	return &Node{Node: &pg.Node_AExpr{AExpr: &pg.A_Expr{Kind: pg.A_Expr_Kind_AEXPR_NOT_DISTINCT, Name: Names("="), Lexpr: l, Rexpr: r, Location: -1}}}
}

// And joins conditions; nil for none, the condition itself for one.
func And(conds ...*Node) *Node { return boolExpr(pg.BoolExprType_AND_EXPR, conds) }

// Or joins conditions likewise.
func Or(conds ...*Node) *Node { return boolExpr(pg.BoolExprType_OR_EXPR, conds) }

func boolExpr(kind pg.BoolExprType, conds []*Node) *Node {
	args := make([]*Node, 0, len(conds))
	for _, c := range conds {
		if c != nil {
			args = append(args, c)
		}
	}
	switch len(args) {
	case 0:
		return nil
	case 1:
		return args[0]
	}
	return &Node{Node: &pg.Node_BoolExpr{BoolExpr: &pg.BoolExpr{Boolop: kind, Args: args, Location: -1}}}
}

// Conjuncts splits a condition at its ANDs.
func Conjuncts(n *Node) []*Node {
	if n == nil {
		return nil
	}
	if b := n.GetBoolExpr(); b != nil && b.GetBoolop() == pg.BoolExprType_AND_EXPR {
		var out []*Node
		for _, a := range b.GetArgs() {
			out = append(out, Conjuncts(a)...)
		}
		return out
	}
	return []*Node{n}
}

// IsNull is n IS NULL, or IS NOT NULL.
func IsNull(n *Node, not bool) *Node {
	kind := pg.NullTestType_IS_NULL
	if not {
		kind = pg.NullTestType_IS_NOT_NULL
	}
	return &Node{Node: &pg.Node_NullTest{NullTest: &pg.NullTest{Arg: n, Nulltesttype: kind, Location: -1}}}
}

// Coalesce is COALESCE(args...).
func Coalesce(args ...*Node) *Node {
	return &Node{Node: &pg.Node_CoalesceExpr{CoalesceExpr: &pg.CoalesceExpr{Args: args, Location: -1}}}
}

// Int is an integer constant.
func Int(v int64) *Node {
	if v >= -1<<31 && v < 1<<31 {
		return pg.MakeAConstIntNode(v, -1)
	}
	return &Node{Node: &pg.Node_AConst{AConst: &pg.A_Const{Val: &pg.A_Const_Fval{Fval: &pg.Float{Fval: strconv.FormatInt(v, 10)}}, Location: -1}}}
}

// Text is a string constant.
func Text(s string) *Node { return pg.MakeAConstStrNode(s, -1) }

// Null is the constant NULL.
func Null() *Node {
	return &Node{Node: &pg.Node_AConst{AConst: &pg.A_Const{Isnull: true, Location: -1}}}
}

// Bool is a boolean constant.
func Bool(v bool) *Node {
	return &Node{Node: &pg.Node_AConst{AConst: &pg.A_Const{Val: &pg.A_Const_Boolval{Boolval: &pg.Boolean{Boolval: v}}, Location: -1}}}
}

// Cast is CAST(n AS type), the type by its dotted name and modifiers.
func Cast(n *Node, name []string, mods ...int64) *Node {
	t := &pg.TypeName{Names: Names(name...), Typemod: -1, Location: -1}
	for _, m := range mods {
		t.Typmods = append(t.Typmods, Int(m))
	}
	return &Node{Node: &pg.Node_TypeCast{TypeCast: &pg.TypeCast{Arg: n, TypeName: t, Location: -1}}}
}

// Target is one entry of a select list; an empty name gives none.
func Target(name string, val *Node) *Node {
	return &Node{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Name: name, Val: val, Location: -1}}}
}

// Select wraps a statement. Limit option and set operation get their defaults.
func Select(s *pg.SelectStmt) *Node {
	if s.LimitOption == pg.LimitOption_LIMIT_OPTION_UNDEFINED {
		s.LimitOption = pg.LimitOption_LIMIT_OPTION_DEFAULT
	}
	if s.Op == pg.SetOperation_SET_OPERATION_UNDEFINED {
		s.Op = pg.SetOperation_SETOP_NONE
	}
	return &Node{Node: &pg.Node_SelectStmt{SelectStmt: s}}
}

// Alias names a FROM item.
func Alias(name string, columns ...string) *pg.Alias {
	if name == "" {
		return nil
	}
	return &pg.Alias{Aliasname: name, Colnames: Names(columns...)}
}

// Relation is a FROM item: a relation by its qualified name (database, schema,
// name; empty parts are left out) under an alias.
func Relation(database, schema, name, alias string) *Node {
	return &Node{Node: &pg.Node_RangeVar{RangeVar: &pg.RangeVar{Catalogname: database, Schemaname: schema, Relname: name, Inh: true, Relpersistence: "p", Alias: Alias(alias), Location: -1}}}
}

// Subselect is a FROM item: a query under an alias.
func Subselect(query *Node, alias string) *Node {
	return &Node{Node: &pg.Node_RangeSubselect{RangeSubselect: &pg.RangeSubselect{Subquery: query, Alias: Alias(alias)}}}
}

// Join joins two FROM items.
func Join(kind pg.JoinType, l, r, on *Node) *Node {
	return &Node{Node: &pg.Node_JoinExpr{JoinExpr: &pg.JoinExpr{Jointype: kind, Larg: l, Rarg: r, Quals: on}}}
}

// Sort is one entry of ORDER BY.
func Sort(n *Node, dir pg.SortByDir, nulls pg.SortByNulls) *Node {
	return pg.MakeSortByNode(n, dir, nulls, -1)
}
