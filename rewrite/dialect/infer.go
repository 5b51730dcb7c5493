package dialect

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

// An inference knows the types of columns by the alias of their relation, and
// from them the types of simple expressions. What it cannot tell is
// sqltype.Unknown, and passes then leave the expression to the engine.
type inference struct {
	columns map[[2]string]sqltype.Type // alias and column; Unknown if two relations differ
	params  []sqltype.Type
}

func infer(root *pgtree.Node, schema Schema, s Settings) *inference {
	inf := &inference{columns: map[[2]string]sqltype.Type{}, params: s.Params}
	pgtree.Walk(root, func(n *pgtree.Node) bool {
		rv := n.GetRangeVar()
		if rv == nil {
			return true
		}
		columns, ok := schema.Columns(rv.GetCatalogname(), rv.GetSchemaname(), rv.GetRelname())
		if !ok {
			return true
		}
		alias := rv.GetRelname()
		if rv.GetAlias() != nil {
			alias = rv.GetAlias().GetAliasname()
		}
		for _, c := range columns {
			key := [2]string{alias, c.Name}
			if was, seen := inf.columns[key]; seen && was.OID != c.Type.OID {
				inf.columns[key] = sqltype.Of(sqltype.Unknown)
				continue
			}
			inf.columns[key] = c.Type
		}
		return true
	})
	return inf
}

func (inf *inference) of(n *pgtree.Node) sqltype.Type {
	unknown := sqltype.Of(sqltype.Unknown)
	switch x := n.GetNode().(type) {
	case *pg.Node_ColumnRef:
		if parts, star := pgtree.ColumnParts(n); len(parts) == 2 && !star {
			if t, ok := inf.columns[[2]string{parts[0], parts[1]}]; ok {
				return t
			}
		}
	case *pg.Node_AConst:
		switch {
		case x.AConst.GetIsnull():
			return unknown
		case x.AConst.GetIval() != nil:
			return sqltype.Of(sqltype.Int4)
		case x.AConst.GetFval() != nil:
			return sqltype.Of(sqltype.Numeric)
		case x.AConst.GetSval() != nil:
			return sqltype.Of(sqltype.Text)
		case x.AConst.GetBoolval() != nil:
			return sqltype.Of(sqltype.Bool)
		}
	case *pg.Node_ParamRef:
		if i := int(x.ParamRef.GetNumber()) - 1; i >= 0 && i < len(inf.params) && inf.params[i].OID != 0 {
			return inf.params[i]
		}
	case *pg.Node_TypeCast:
		if len(x.TypeCast.GetTypeName().GetArrayBounds()) > 0 {
			return unknown
		}
		if oid, ok := sqltype.ByName(lastName(x.TypeCast.GetTypeName().GetNames())); ok {
			return sqltype.Of(oid)
		}
	case *pg.Node_AExpr:
		if x.AExpr.GetKind() != pg.A_Expr_Kind_AEXPR_OP || x.AExpr.GetLexpr() == nil {
			return unknown
		}
		switch lastName(x.AExpr.GetName()) {
		case "+", "-", "*", "/", "%":
			return wider(inf.of(x.AExpr.GetLexpr()), inf.of(x.AExpr.GetRexpr()))
		case "||", "->>":
			return sqltype.Of(sqltype.Text)
		}
	case *pg.Node_CaseExpr:
		if d := x.CaseExpr.GetDefresult(); d != nil && d.GetAConst() == nil {
			return inf.of(d)
		}
	case *pg.Node_CoalesceExpr:
		return inf.of(x.CoalesceExpr.GetArgs()[0])
	case *pg.Node_FuncCall:
		switch lastName(x.FuncCall.GetFuncname()) {
		case "count":
			return sqltype.Of(sqltype.Int8)
		case "lower", "upper", "concat", "substr", "substring", "replace", "trim", "ltrim", "rtrim", "left", "right", "to_char", "split_part", "md5":
			return sqltype.Of(sqltype.Text)
		case "length", "strpos":
			return sqltype.Of(sqltype.Int4)
		case "min", "max", "abs":
			if len(x.FuncCall.GetArgs()) == 1 {
				return inf.of(x.FuncCall.GetArgs()[0])
			}
		}
	}
	return unknown
}

// wider is the type of arithmetic between two numbers; Unknown if either is not
// a number of known type.
func wider(a, b sqltype.Type) sqltype.Type {
	rank := map[sqltype.OID]int{sqltype.Int2: 1, sqltype.Int4: 2, sqltype.Int8: 3, sqltype.Numeric: 4, sqltype.Float4: 5, sqltype.Float8: 6}
	x, y := rank[a.OID], rank[b.OID]
	if x == 0 || y == 0 {
		return sqltype.Of(sqltype.Unknown)
	}
	if x >= y {
		return sqltype.Of(a.OID)
	}
	return sqltype.Of(b.OID)
}
