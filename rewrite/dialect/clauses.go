package dialect

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
)

// locking drops FOR UPDATE and FOR SHARE.
func locking(_ *translation, n *pgtree.Node) (*pgtree.Node, error) {
	if s := n.GetSelectStmt(); s != nil {
		s.LockingClause = nil
	}
	return n, nil
}

func limit(_ *translation, n *pgtree.Node) (*pgtree.Node, error) {
	s := n.GetSelectStmt()
	if s.GetLimitOption() == pg.LimitOption_LIMIT_OPTION_WITH_TIES {
		return nil, unsupported(s.GetLimitCount(), "FETCH FIRST WITH TIES is not supported").
			WithHint("Rank the rows with rank() in a sub-select and keep those up to the limit.")
	}
	return n, nil
}

// order makes the place of NULLs explicit: last when ascending, first when
// descending.
func order(_ *translation, n *pgtree.Node) (*pgtree.Node, error) {
	by := n.GetSortBy()
	if by == nil {
		return n, nil
	}
	if by.GetSortbyDir() == pg.SortByDir_SORTBY_USING {
		ops := by.GetUseOp()
		switch op := ops[len(ops)-1].GetString_().GetSval(); op {
		case "<":
			by.SortbyDir = pg.SortByDir_SORTBY_ASC
		case ">":
			by.SortbyDir = pg.SortByDir_SORTBY_DESC
		default:
			return nil, refuse(n, "42809", "operator %s is not a valid ordering operator", op)
		}
		by.UseOp = nil
	}
	if by.GetSortbyNulls() == pg.SortByNulls_SORTBY_NULLS_DEFAULT {
		by.SortbyNulls = pg.SortByNulls_SORTBY_NULLS_LAST
		if by.GetSortbyDir() == pg.SortByDir_SORTBY_DESC {
			by.SortbyNulls = pg.SortByNulls_SORTBY_NULLS_FIRST
		}
	}
	return n, nil
}

// collation drops the collations that order by bytes, as the engine does.
// CheckFunctions has refused the others.
func collation(_ *translation, n *pgtree.Node) (*pgtree.Node, error) {
	if c := n.GetCollateClause(); c != nil {
		return c.GetArg(), nil
	}
	return n, nil
}

// session puts in what the gateway knows about the session.
func session(t *translation, n *pgtree.Node) (*pgtree.Node, error) {
	v := n.GetSqlvalueFunction()
	if v == nil {
		return n, nil
	}
	now := pgtree.Func("now")
	switch name := valueFunctionName(v.GetOp()); name {
	case "current_user", "session_user", "user", "current_role":
		return pgtree.Text(t.settings.User), nil
	case "current_catalog":
		return pgtree.Text(t.settings.Database), nil
	case "current_date":
		return pgtree.Cast(now, []string{"date"}), nil
	case "current_timestamp":
		return toPrecision(now, "timestamptz", v), nil
	case "localtimestamp":
		return toPrecision(pgtree.Cast(now, []string{"timestamp"}), "timestamp", v), nil
	case "localtime":
		return toPrecision(pgtree.Cast(pgtree.Cast(now, []string{"timestamp"}), []string{"time"}), "time", v), nil
	case "current_time":
		return toPrecision(pgtree.Cast(now, []string{"timetz"}), "timetz", v), nil
	}
	return n, nil
}

// toPrecision rounds to the digits that CURRENT_TIMESTAMP(n) asks for.
func toPrecision(n *pgtree.Node, kind string, v *pg.SQLValueFunction) *pgtree.Node {
	switch v.GetOp() {
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N, pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N,
		pg.SQLValueFunctionOp_SVFOP_LOCALTIME_N, pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N:
		return rounded(n, kind, int64(v.GetTypmod()))
	}
	return n
}

// rounded cuts a time to so many digits of a second, rounding the rest.
func rounded(n *pgtree.Node, kind string, digits int64) *pgtree.Node {
	if digits < 0 || digits >= 6 || kind == "timetz" {
		return n
	}
	unit := int64(1)
	for range 6 - digits {
		unit *= 10
	}
	return macro("round_"+kind, n, pgtree.Int(unit))
}

// row refuses a row that would have to be shown, and takes the test of a row for
// NULL apart: it asks every field.
func row(t *translation, n *pgtree.Node) (*pgtree.Node, error) {
	if test := n.GetNullTest(); test.GetArg().GetRowExpr() != nil {
		conds := make([]*pgtree.Node, 0, len(test.GetArg().GetRowExpr().GetArgs()))
		for _, a := range test.GetArg().GetRowExpr().GetArgs() {
			conds = append(conds, pgtree.IsNull(a, test.GetNulltesttype() == pg.NullTestType_IS_NOT_NULL))
		}
		if len(conds) > 0 {
			return pgtree.And(conds...), nil
		}
	}
	if n.GetRowExpr() != nil && !t.notes.within[n] {
		return nil, unsupported(n, "a row as a value is not supported").
			WithHint("Select its fields as columns of their own.")
	}
	return n, nil
}

// parameter casts a parameter to the type that the client declared. A numeric
// one keeps the digits of its value.
func parameter(t *translation, n *pgtree.Node) (*pgtree.Node, error) {
	if n.GetParamRef() == nil {
		return n, nil
	}
	typ := t.notes.typeOf(n)
	name, ok := parameterTypes[typ.OID]
	if !ok {
		return n, nil
	}
	return pgtree.Cast(n, []string{name}), nil
}
