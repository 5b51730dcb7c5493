package dialect

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/wire/sqlstate"
)

// CheckFunctions is the wall in front of the engine: every function, operator,
// type, collation and form of a statement in the client's tree must be listed
// here. isCatalog knows the functions of the catalogue; schema is "" where the
// client gave none.
//
// The error is a *sqlstate.Error: 42883 for a function or operator, 42704 for a
// type or collation, 0A000 for what PostgreSQL has and the gateway does not. Its
// position is a byte offset + 1.
func CheckFunctions(root *pgtree.Node, isCatalog func(schema, name string) bool) error {
	w := &wall{isCatalog: isCatalog}
	pgtree.Walk(root, w.visit)
	if w.err != nil {
		return w.err
	}
	return nil
}

type wall struct {
	isCatalog func(schema, name string) bool
	err       *sqlstate.Error
}

func (w *wall) visit(n *pgtree.Node) bool {
	if w.err != nil {
		return false
	}
	switch x := n.GetNode().(type) {
	case *pg.Node_FuncCall:
		w.err = w.call(n, x.FuncCall)
	case *pg.Node_AExpr:
		w.err = w.operator(n, x.AExpr)
	case *pg.Node_TypeName:
		w.err = typeListed(n, x.TypeName)
	case *pg.Node_CollateClause:
		w.err = collationListed(n, x.CollateClause.GetCollname())
	case *pg.Node_CommonTableExpr:
		if x.CommonTableExpr.GetSearchClause() != nil || x.CommonTableExpr.GetCycleClause() != nil {
			w.err = unsupported(n, "SEARCH and CYCLE of a recursive query are not supported")
		}
	case *pg.Node_ResTarget:
		if len(x.ResTarget.GetIndirection()) > 0 {
			w.err = unsupported(n, "this form of a column is not supported")
		}
	case *pg.Node_ParamRef:
		if x.ParamRef.GetNumber() < 1 {
			w.err = refuse(n, sqlstate.UndefinedParameter, "there is no parameter $%d", x.ParamRef.GetNumber())
		}
	case *pg.Node_AConst:
		if x.AConst.GetBsval() != nil {
			w.err = unsupported(n, "bit strings are not supported")
		}
	case *pg.Node_WithClause, *pg.Node_SelectStmt, *pg.Node_ColumnRef, *pg.Node_AStar, *pg.Node_String_,
		*pg.Node_Integer, *pg.Node_Float, *pg.Node_Boolean, *pg.Node_BoolExpr, *pg.Node_NullTest,
		*pg.Node_BooleanTest, *pg.Node_CaseExpr, *pg.Node_CaseWhen, *pg.Node_CoalesceExpr, *pg.Node_MinMaxExpr,
		*pg.Node_SubLink, *pg.Node_TypeCast, *pg.Node_RowExpr, *pg.Node_AArrayExpr, *pg.Node_AIndirection,
		*pg.Node_AIndices, *pg.Node_SqlvalueFunction, *pg.Node_GroupingFunc, *pg.Node_GroupingSet, *pg.Node_SortBy,
		*pg.Node_WindowDef, *pg.Node_RangeVar, *pg.Node_RangeSubselect, *pg.Node_RangeFunction, *pg.Node_JoinExpr,
		*pg.Node_Alias, *pg.Node_LockingClause, *pg.Node_List, *pg.Node_NamedArgExpr, *pg.Node_ColumnDef, *pg.Node_DefElem:
	default:
		w.err = unsupported(n, "%s is not supported", form(n))
	}
	return w.err == nil
}

// form names a kind of node for a message.
func form(n *pgtree.Node) string {
	switch n.GetNode().(type) {
	case *pg.Node_RangeTableSample:
		return "TABLESAMPLE"
	case *pg.Node_XmlExpr, *pg.Node_XmlSerialize, *pg.Node_RangeTableFunc:
		return "xml"
	case *pg.Node_CurrentOfExpr:
		return "WHERE CURRENT OF"
	case *pg.Node_SetToDefault:
		return "DEFAULT"
	case *pg.Node_IntoClause:
		return "SELECT INTO"
	}
	return "this form of a query"
}

func (w *wall) call(n *pgtree.Node, f *pg.FuncCall) *sqlstate.Error {
	parts := pgtree.NameParts(f.GetFuncname())
	schema, name := "", parts[len(parts)-1]
	if len(parts) > 1 {
		schema = parts[len(parts)-2]
	}
	if w.isCatalog != nil && w.isCatalog(schema, name) {
		return nil
	}
	entries := functions()[name]
	if len(parts) > 2 || schema != "" && schema != "pg_catalog" || len(entries) == 0 {
		if pattern := name == "like_escape" || name == "similar_to_escape"; pattern && schema == "pg_catalog" {
			return nil // the grammar's own, for ESCAPE and SIMILAR TO
		}
		e := refuse(n, sqlstate.UndefinedFunction, "function %s does not exist", strings.Join(parts, "."))
		if near := nearest(name); near != "" {
			e.Hint = "Did you mean " + near + "?"
		}
		return e
	}
	if f.GetFuncVariadic() {
		return unsupported(n, "VARIADIC is not supported")
	}
	count := len(f.GetArgs())
	if f.GetAggWithinGroup() {
		count += len(f.GetAggOrder())
	}
	fits := false
	for _, e := range entries {
		fits = fits || e.fits(count)
	}
	if !fits {
		return refuse(n, sqlstate.UndefinedFunction, "function %s with %d arguments does not exist", name, count)
	}
	return clauses(n, f, entries[0])
}

// clauses checks what stands behind a call.
func clauses(n *pgtree.Node, f *pg.FuncCall, e *entry) *sqlstate.Error {
	aggregated := e.kind == aggregate
	switch {
	case f.GetAggStar() && e.name != "count":
		return refuse(n, sqlstate.UndefinedFunction, "function %s() does not exist", e.name)
	case e.name == "count" && len(f.GetArgs()) == 0 && !f.GetAggStar():
		return refuse(n, sqlstate.WrongObjectType, "count(*) must be used to call a parameterless aggregate function")
	case e.kind == window && f.GetOver() == nil:
		return refuse(n, sqlstate.WrongObjectType, "window function %s requires an OVER clause", e.name)
	case f.GetOver() != nil && !aggregated && e.kind != window:
		return refuse(n, sqlstate.WrongObjectType, "OVER specified, but %s is not a window function nor an aggregate function", e.name)
	case f.GetAggFilter() != nil && !aggregated:
		return refuse(n, sqlstate.WrongObjectType, "FILTER specified, but %s is not an aggregate function", e.name)
	case f.GetAggDistinct() && !aggregated:
		return refuse(n, sqlstate.WrongObjectType, "DISTINCT specified, but %s is not an aggregate function", e.name)
	case len(f.GetAggOrder()) > 0 && !aggregated:
		return refuse(n, sqlstate.WrongObjectType, "ORDER BY specified, but %s is not an aggregate function", e.name)
	case f.GetAggWithinGroup() != (e.name == "percentile_cont" || e.name == "percentile_disc" || e.name == "mode") && aggregated:
		if f.GetAggWithinGroup() {
			return refuse(n, sqlstate.WrongObjectType, "%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP", e.name)
		}
		return refuse(n, sqlstate.WrongObjectType, "WITHIN GROUP is required for ordered-set aggregate %s", e.name)
	}
	return nil
}

func (w *wall) operator(n *pgtree.Node, x *pg.A_Expr) *sqlstate.Error {
	names := pgtree.NameParts(x.GetName())
	if len(names) > 1 && names[0] != "pg_catalog" {
		return refuse(n, sqlstate.UndefinedFunction, "operator does not exist: %s", strings.Join(names, "."))
	}
	op := operatorName(x)
	switch x.GetKind() {
	case pg.A_Expr_Kind_AEXPR_OP, pg.A_Expr_Kind_AEXPR_OP_ANY, pg.A_Expr_Kind_AEXPR_OP_ALL:
	default:
		return nil
	}
	switch op {
	case "=", "<>", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "^":
		return nil
	}
	if len(operators()[op]) == 0 {
		return refuse(n, sqlstate.UndefinedFunction, "operator does not exist: %s", op).
			WithHint("No operator matches the given name and argument types. You might need to add explicit type casts.")
	}
	return nil
}

// catalogTypes are types that only the catalogue's values have.
var catalogTypes = map[string]bool{
	"regclass": true, "regtype": true, "regproc": true, "regprocedure": true, "regoper": true, "regoperator": true,
	"regnamespace": true, "regrole": true, "regconfig": true, "regdictionary": true, "oid": true, "xid": true, "xid8": true, "cid": true,
	"tid": true, "aclitem": true, "int2vector": true, "oidvector": true, "pg_node_tree": true, "inet": true, "anyarray": true,
}

// otherTypes are PostgreSQL's types that the gateway does not have.
var otherTypes = map[string]bool{
	"money": true, "xml": true, "cidr": true, "macaddr": true, "macaddr8": true, "point": true, "line": true,
	"lseg": true, "box": true, "path": true, "polygon": true, "circle": true, "tsvector": true, "tsquery": true, "bit": true, "varbit": true,
	"int4range": true, "int8range": true, "numrange": true, "tsrange": true, "tstzrange": true, "daterange": true,
	"jsonpath": true, "txid_snapshot": true, "pg_lsn": true, "pg_snapshot": true, "record": true, "refcursor": true,
}

func typeListed(n *pgtree.Node, t *pg.TypeName) *sqlstate.Error {
	names := pgtree.NameParts(t.GetNames())
	if len(names) == 0 {
		return nil
	}
	name := names[len(names)-1]
	if t.GetPctType() || t.GetSetof() {
		return unsupported(n, "this form of a type is not supported")
	}
	builtin := len(names) == 1 || names[0] == "pg_catalog"
	if oid, _ := typeOID(t); oid != 0 {
		if _, ok := engineTypes[oid]; ok {
			return nil
		}
	}
	switch {
	case builtin && catalogTypes[strings.TrimPrefix(name, "_")]:
		return nil
	case builtin && otherTypes[strings.TrimPrefix(name, "_")]:
		return unsupported(n, "type %s is not supported", name)
	}
	return refuse(n, sqlstate.UndefinedObject, "type %q does not exist", strings.Join(names, "."))
}

func collationListed(n *pgtree.Node, names []*pgtree.Node) *sqlstate.Error {
	parts := pgtree.NameParts(names)
	if len(parts) == 1 || len(parts) == 2 && parts[0] == "pg_catalog" {
		switch parts[len(parts)-1] {
		case "default", "C", "POSIX", "ucs_basic", "C.UTF-8", "C.utf8":
			return nil
		}
	}
	return refuse(n, sqlstate.UndefinedObject, "collation %q for encoding \"UTF8\" does not exist", strings.Join(parts, ".")).
		WithHint(`Text is compared by its bytes: use COLLATE "C".`)
}

// nearest gives the listed function whose name differs least, if it differs
// little.
func nearest(name string) string {
	best, bestDistance := "", len(name)/3+1
	for _, e := range functionTable {
		if d := distance(name, e.name, bestDistance); d < bestDistance || d == bestDistance && best == "" {
			best, bestDistance = e.name, d
		}
	}
	return best
}

// distance counts the letters to insert, delete or replace; it gives limit + 1
// for more than limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return min(row[len(b)], limit+1)
}
