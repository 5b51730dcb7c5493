package dialect

import (
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
)

// NameTargets gives every output column without a name the one that PostgreSQL
// would give it (parse_target.c, FigureColname), in every SELECT of the tree.
// It runs on the client's tree, before anything in it is replaced.
func NameTargets(root *pgtree.Node) {
	pgtree.Walk(root, func(n *pgtree.Node) bool {
		if s := n.GetSelectStmt(); s != nil {
			nameSelect(s)
		}
		if sub := n.GetRangeSubselect(); sub != nil {
			if v := sub.GetSubquery().GetSelectStmt(); len(v.GetValuesLists()) > 0 && sub.GetAlias() != nil {
				nameValues(sub.GetAlias(), v)
			}
		}
		return true
	})
}

func nameSelect(s *pg.SelectStmt) {
	for _, t := range s.GetTargetList() {
		rt := t.GetResTarget()
		if rt == nil || rt.GetName() != "" {
			continue
		}
		if _, star := pgtree.ColumnParts(rt.GetVal()); star {
			continue
		}
		if ind := rt.GetVal().GetAIndirection(); ind != nil && len(ind.GetIndirection()) > 0 && ind.GetIndirection()[len(ind.GetIndirection())-1].GetAStar() != nil {
			continue
		}
		rt.Name, _ = figure(rt.GetVal())
		if rt.Name == "" {
			rt.Name = "?column?"
		}
	}
}

// nameValues completes the column names of VALUES in FROM.
func nameValues(a *pg.Alias, v *pg.SelectStmt) {
	width := len(v.GetValuesLists()[0].GetList().GetItems())
	for i := len(a.GetColnames()); i < width; i++ {
		a.Colnames = append(a.Colnames, pgtree.String("column"+strconv.Itoa(i+1)))
	}
}

// figure is FigureColnameInternal: the name and how good it is, 0 for none, 1
// for a weak one that a better inner name replaces, 2 for a good one.
func figure(n *pgtree.Node) (string, int) {
	switch x := n.GetNode().(type) {
	case *pg.Node_ColumnRef:
		if parts, star := pgtree.ColumnParts(n); len(parts) > 0 && !star {
			return parts[len(parts)-1], 2
		}
	case *pg.Node_AIndirection:
		list := x.AIndirection.GetIndirection()
		for i := len(list) - 1; i >= 0; i-- {
			if s := list[i].GetString_(); s != nil {
				return s.GetSval(), 2
			}
		}
		return figure(x.AIndirection.GetArg())
	case *pg.Node_FuncCall:
		parts := pgtree.NameParts(x.FuncCall.GetFuncname())
		return parts[len(parts)-1], 2
	case *pg.Node_AExpr:
		if x.AExpr.GetKind() == pg.A_Expr_Kind_AEXPR_NULLIF {
			return "nullif", 2
		}
	case *pg.Node_TypeCast:
		name, strength := figure(x.TypeCast.GetArg())
		if strength <= 1 && x.TypeCast.GetTypeName() != nil {
			if parts := pgtree.NameParts(x.TypeCast.GetTypeName().GetNames()); len(parts) > 0 {
				return parts[len(parts)-1], 1
			}
		}
		return name, strength
	case *pg.Node_CollateClause:
		return figure(x.CollateClause.GetArg())
	case *pg.Node_GroupingFunc:
		return "grouping", 2
	case *pg.Node_SubLink:
		switch x.SubLink.GetSubLinkType() {
		case pg.SubLinkType_EXISTS_SUBLINK:
			return "exists", 2
		case pg.SubLinkType_ARRAY_SUBLINK:
			return "array", 2
		case pg.SubLinkType_EXPR_SUBLINK:
			if s := x.SubLink.GetSubselect().GetSelectStmt(); s != nil && len(s.GetTargetList()) > 0 {
				rt := s.GetTargetList()[0].GetResTarget()
				if rt.GetName() != "" {
					return rt.GetName(), 2
				}
				return figure(rt.GetVal())
			}
		}
	case *pg.Node_CaseExpr:
		name, strength := figure(x.CaseExpr.GetDefresult())
		if strength <= 1 {
			return "case", 1
		}
		return name, strength
	case *pg.Node_AArrayExpr:
		return "array", 2
	case *pg.Node_RowExpr:
		return "row", 2
	case *pg.Node_CoalesceExpr:
		return "coalesce", 2
	case *pg.Node_MinMaxExpr:
		if x.MinMaxExpr.GetOp() == pg.MinMaxOp_IS_GREATEST {
			return "greatest", 2
		}
		return "least", 2
	case *pg.Node_SqlvalueFunction:
		return valueFunction[x.SqlvalueFunction.GetOp()], 2
	}
	return "", 0
}

var valueFunction = map[pg.SQLValueFunctionOp]string{
	pg.SQLValueFunctionOp_SVFOP_CURRENT_DATE: "current_date", pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME: "current_time",
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N: "current_time", pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP: "current_timestamp",
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N: "current_timestamp", pg.SQLValueFunctionOp_SVFOP_LOCALTIME: "localtime",
	pg.SQLValueFunctionOp_SVFOP_LOCALTIME_N: "localtime", pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP: "localtimestamp",
	pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N: "localtimestamp", pg.SQLValueFunctionOp_SVFOP_CURRENT_ROLE: "current_role",
	pg.SQLValueFunctionOp_SVFOP_CURRENT_USER: "current_user", pg.SQLValueFunctionOp_SVFOP_USER: "user",
	pg.SQLValueFunctionOp_SVFOP_SESSION_USER: "session_user", pg.SQLValueFunctionOp_SVFOP_CURRENT_CATALOG: "current_catalog",
	pg.SQLValueFunctionOp_SVFOP_CURRENT_SCHEMA: "current_schema",
}
