package dialect

import (
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
)

// NameTargets gives every output column without a name the one that PostgreSQL
// gives it (parse_target.c, FigureColname), in the top SELECT, in sub-selects,
// CTEs and the arms of set operations; VALUES get column1, column2, ... It runs
// first, on the client's tree: later steps replace what the names come from.
func NameTargets(root *pgtree.Node) {
	pgtree.Walk(root, func(n *pgtree.Node) bool {
		switch x := n.GetNode().(type) {
		case *pg.Node_SelectStmt:
			nameSelect(x.SelectStmt)
		case *pg.Node_RangeSubselect:
			if v := x.RangeSubselect.GetSubquery().GetSelectStmt(); plainValues(v) && x.RangeSubselect.GetAlias() != nil {
				nameValues(x.RangeSubselect.GetAlias(), v)
				return walkValues(v)
			}
		case *pg.Node_CommonTableExpr:
			cte := x.CommonTableExpr
			if v := cte.GetCtequery().GetSelectStmt(); plainValues(v) {
				a := &pg.Alias{Colnames: cte.GetAliascolnames()}
				nameValues(a, v)
				cte.Aliascolnames = a.GetColnames()
				return walkValues(v)
			}
		}
		return true
	})
}

func plainValues(s *pg.SelectStmt) bool {
	return len(s.GetValuesLists()) > 0 && len(s.GetSortClause()) == 0 && s.GetLimitCount() == nil && s.GetLimitOffset() == nil && s.GetWithClause() == nil
}

// walkValues goes on below VALUES whose names are given by what holds them.
func walkValues(s *pg.SelectStmt) bool {
	for _, row := range s.GetValuesLists() {
		NameTargets(row)
	}
	return false
}

func nameSelect(s *pg.SelectStmt) {
	if lists := s.GetValuesLists(); len(lists) > 0 {
		// VALUES stands for SELECT * FROM (VALUES ...) AS "*VALUES*" (column1, ...).
		inner := &pg.SelectStmt{ValuesLists: lists}
		alias := pgtree.Alias("*VALUES*")
		nameValues(alias, inner)
		s.ValuesLists = nil
		s.TargetList = []*pgtree.Node{pgtree.Target("", star())}
		s.FromClause = []*pgtree.Node{{Node: &pg.Node_RangeSubselect{RangeSubselect: &pg.RangeSubselect{Subquery: pgtree.Select(inner), Alias: alias}}}}
		return
	}
	for _, t := range s.GetTargetList() {
		target := t.GetResTarget()
		if target == nil || target.GetName() != "" || isStar(target.GetVal()) {
			continue
		}
		target.Name, _ = figure(target.GetVal())
		if target.Name == "" {
			target.Name = "?column?"
		}
	}
}

func star() *pgtree.Node {
	return &pgtree.Node{Node: &pg.Node_ColumnRef{ColumnRef: &pg.ColumnRef{Fields: []*pgtree.Node{{Node: &pg.Node_AStar{AStar: &pg.A_Star{}}}}, Location: -1}}}
}

func isStar(n *pgtree.Node) bool {
	if _, star := pgtree.ColumnParts(n); star {
		return true
	}
	list := n.GetAIndirection().GetIndirection()
	return len(list) > 0 && list[len(list)-1].GetAStar() != nil
}

// nameValues completes the column names of VALUES.
func nameValues(a *pg.Alias, v *pg.SelectStmt) {
	width := len(v.GetValuesLists()[0].GetList().GetItems())
	for i := len(a.GetColnames()); i < width; i++ {
		a.Colnames = append(a.Colnames, pgtree.String("column"+strconv.Itoa(i+1)))
	}
}

// The strengths of a name in FigureColnameInternal: a weak one (the name of a
// type, "case") gives way to a better one further in.
const (
	noName = iota
	weakName
	goodName
)

func figure(n *pgtree.Node) (string, int) {
	switch x := n.GetNode().(type) {
	case *pg.Node_ColumnRef:
		if parts, star := pgtree.ColumnParts(n); len(parts) > 0 && !star {
			return parts[len(parts)-1], goodName
		}
	case *pg.Node_AIndirection:
		list := x.AIndirection.GetIndirection()
		for i := len(list) - 1; i >= 0; i-- {
			if s := list[i].GetString_(); s != nil {
				return s.GetSval(), goodName
			}
		}
		return figure(x.AIndirection.GetArg())
	case *pg.Node_FuncCall:
		parts := x.FuncCall.GetFuncname()
		return parts[len(parts)-1].GetString_().GetSval(), goodName
	case *pg.Node_AExpr:
		if x.AExpr.GetKind() == pg.A_Expr_Kind_AEXPR_NULLIF {
			return "nullif", goodName
		}
	case *pg.Node_TypeCast:
		name, strength := figure(x.TypeCast.GetArg())
		if parts := x.TypeCast.GetTypeName().GetNames(); strength <= weakName && len(parts) > 0 {
			return parts[len(parts)-1].GetString_().GetSval(), weakName
		}
		return name, strength
	case *pg.Node_CollateClause:
		return figure(x.CollateClause.GetArg())
	case *pg.Node_GroupingFunc:
		return "grouping", goodName
	case *pg.Node_SubLink:
		return figureSubLink(x.SubLink)
	case *pg.Node_CaseExpr:
		if name, strength := figure(x.CaseExpr.GetDefresult()); strength > weakName {
			return name, strength
		}
		return "case", weakName
	case *pg.Node_AArrayExpr:
		return "array", goodName
	case *pg.Node_RowExpr:
		return "row", goodName
	case *pg.Node_CoalesceExpr:
		return "coalesce", goodName
	case *pg.Node_MinMaxExpr:
		if x.MinMaxExpr.GetOp() == pg.MinMaxOp_IS_LEAST {
			return "least", goodName
		}
		return "greatest", goodName
	case *pg.Node_SqlvalueFunction:
		return valueFunctionName(x.SqlvalueFunction.GetOp()), goodName
	}
	return "", noName
}

func figureSubLink(s *pg.SubLink) (string, int) {
	switch s.GetSubLinkType() {
	case pg.SubLinkType_EXISTS_SUBLINK:
		return "exists", goodName
	case pg.SubLinkType_ARRAY_SUBLINK:
		return "array", goodName
	case pg.SubLinkType_EXPR_SUBLINK:
		// A set operation is named by its first arm.
		sel := s.GetSubselect().GetSelectStmt()
		for sel.GetLarg() != nil {
			sel = sel.GetLarg()
		}
		if len(sel.GetTargetList()) == 0 {
			if len(sel.GetValuesLists()) > 0 {
				return "column1", goodName
			}
			return "", noName
		}
		target := sel.GetTargetList()[0].GetResTarget()
		if target.GetName() != "" {
			return target.GetName(), goodName
		}
		return figure(target.GetVal())
	}
	return "", noName
}

func valueFunctionName(op pg.SQLValueFunctionOp) string {
	switch op {
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_DATE:
		return "current_date"
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME, pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N:
		return "current_time"
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP, pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N:
		return "current_timestamp"
	case pg.SQLValueFunctionOp_SVFOP_LOCALTIME, pg.SQLValueFunctionOp_SVFOP_LOCALTIME_N:
		return "localtime"
	case pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP, pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N:
		return "localtimestamp"
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_ROLE:
		return "current_role"
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_USER:
		return "current_user"
	case pg.SQLValueFunctionOp_SVFOP_USER:
		return "user"
	case pg.SQLValueFunctionOp_SVFOP_SESSION_USER:
		return "session_user"
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_CATALOG:
		return "current_catalog"
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_SCHEMA:
		return "current_schema"
	}
	return ""
}
