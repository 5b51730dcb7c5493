package dialect

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

// A typer gives types to the expressions of a query, as far as they can be told
// without the engine, and picks the entry of the tables for each call and
// operator. It changes nothing.
type typer struct {
	schema Schema
	params []sqltype.Type
	notes  *notes
	err    error // the first refusal
}

func (t *typer) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// query types a SELECT and gives its output columns; false if they are not all
// known.
func (t *typer) query(sel *pg.SelectStmt, outer *scope) ([]sqltype.Column, bool) {
	if sel == nil {
		return nil, false
	}
	s := &scope{outer: outer, ctes: make(map[string]*source)}
	t.with(sel.GetWithClause(), s)
	var columns []sqltype.Column
	known := true
	switch {
	case sel.GetLarg() != nil:
		left, okl := t.query(sel.GetLarg(), s)
		right, okr := t.query(sel.GetRarg(), s)
		columns, known = union(left, right), okl && okr && len(left) == len(right)
		s.sources = []*source{{columns: columns, known: known}}
	case len(sel.GetValuesLists()) > 0:
		columns = t.values(sel.GetValuesLists(), s)
	default:
		for _, f := range sel.GetFromClause() {
			t.from(f, s)
		}
		t.expr(sel.GetWhereClause(), s)
		columns, known = t.targets(sel.GetTargetList(), s)
		for _, g := range sel.GetGroupClause() {
			t.compared(g)
		}
		t.list(sel.GetGroupClause(), s)
		t.list(sel.GetDistinctClause(), s)
		t.expr(sel.GetHavingClause(), s)
		t.list(sel.GetWindowClause(), s)
		// ORDER BY sees the output names as well, after the input's.
		s.sources = append(s.sources, &source{columns: columns, known: true})
	}
	for _, by := range sel.GetSortClause() {
		t.compared(by.GetSortBy().GetNode())
	}
	t.list(sel.GetSortClause(), s)
	t.expr(sel.GetLimitCount(), s)
	t.expr(sel.GetLimitOffset(), s)
	return columns, known
}

func (t *typer) with(w *pg.WithClause, s *scope) {
	for _, n := range w.GetCtes() {
		cte := n.GetCommonTableExpr()
		alias := &pg.Alias{Colnames: cte.GetAliascolnames()}
		if w.GetRecursive() {
			// Its own name is visible in it, with the types of its first arm.
			if first := cte.GetCtequery().GetSelectStmt().GetLarg(); first != nil {
				columns, known := (&typer{schema: t.schema, params: t.params, notes: newNotes()}).query(first, s)
				s.ctes[cte.GetCtename()] = &source{columns: rename(columns, alias), known: known}
			}
		}
		columns, known := t.query(cte.GetCtequery().GetSelectStmt(), s)
		s.ctes[cte.GetCtename()] = &source{columns: rename(columns, alias), known: known}
	}
}

func union(left, right []sqltype.Column) []sqltype.Column {
	out := append([]sqltype.Column(nil), left...)
	for i := range out {
		if i < len(right) {
			out[i].Type = wider(out[i].Type, right[i].Type)
		}
	}
	return out
}

func (t *typer) values(lists []*pgtree.Node, s *scope) []sqltype.Column {
	var columns []sqltype.Column
	for r, row := range lists {
		for i, item := range row.GetList().GetItems() {
			typ := t.expr(item, s)
			switch {
			case r == 0:
				columns = append(columns, sqltype.Column{Type: typ})
			case i < len(columns):
				columns[i].Type = wider(columns[i].Type, typ)
			}
		}
	}
	for i := range columns {
		columns[i].Type = shown(columns[i].Type)
	}
	return columns
}

func (t *typer) targets(list []*pgtree.Node, s *scope) (columns []sqltype.Column, known bool) {
	known = true
	for _, n := range list {
		target := n.GetResTarget()
		parts, star := pgtree.ColumnParts(target.GetVal())
		if !star {
			columns = append(columns, sqltype.Column{Name: target.GetName(), Type: shown(t.expr(target.GetVal(), s))})
			continue
		}
		for _, src := range s.sources {
			if src.named(parts) {
				columns, known = append(columns, src.columns...), known && src.known
			}
		}
	}
	return columns, known
}

func (t *typer) list(list []*pgtree.Node, s *scope) {
	for _, n := range list {
		t.expr(n, s)
	}
}

// expr types n and everything below it.
func (t *typer) expr(n *pgtree.Node, s *scope) sqltype.Type {
	if n == nil || n.Node == nil {
		return none
	}
	typ := t.infer(n, s)
	t.notes.types[n] = typ
	return typ
}

func (t *typer) infer(n *pgtree.Node, s *scope) sqltype.Type {
	switch x := n.GetNode().(type) {
	case *pg.Node_AConst:
		return constantType(x.AConst)
	case *pg.Node_ParamRef:
		if i := int(x.ParamRef.GetNumber()) - 1; i >= 0 && i < len(t.params) && t.params[i].OID != 0 && t.params[i].OID != sqltype.Unknown {
			return t.params[i]
		}
		return none
	case *pg.Node_ColumnRef:
		parts, star := pgtree.ColumnParts(n)
		if star || len(parts) == 0 {
			return none
		}
		typ, whole := s.column(parts)
		if whole && !t.notes.within[n] {
			t.fail(unsupported(n, "a whole row as a value is not supported: %q", parts[len(parts)-1]).
				WithHint("Name the columns, or use %s.* in the select list.", parts[len(parts)-1]))
		}
		return typ
	case *pg.Node_TypeCast:
		t.expr(x.TypeCast.GetArg(), s)
		return castType(typeOf(x.TypeCast.GetTypeName()), x.TypeCast.GetArg(), t.notes)
	case *pg.Node_FuncCall:
		return t.call(n, x.FuncCall, s)
	case *pg.Node_AExpr:
		return t.operator(n, x.AExpr, s)
	case *pg.Node_BoolExpr:
		t.list(x.BoolExpr.GetArgs(), s)
		return sqltype.Of(sqltype.Bool)
	case *pg.Node_NullTest:
		t.compared(x.NullTest.GetArg())
		t.expr(x.NullTest.GetArg(), s)
		return sqltype.Of(sqltype.Bool)
	case *pg.Node_BooleanTest:
		t.expr(x.BooleanTest.GetArg(), s)
		return sqltype.Of(sqltype.Bool)
	case *pg.Node_CoalesceExpr:
		return t.common(x.CoalesceExpr.GetArgs(), s)
	case *pg.Node_MinMaxExpr:
		return t.common(x.MinMaxExpr.GetArgs(), s)
	case *pg.Node_CaseExpr:
		return t.caseExpr(x.CaseExpr, s)
	case *pg.Node_CollateClause:
		return t.expr(x.CollateClause.GetArg(), s)
	case *pg.Node_SubLink:
		return t.subLink(x.SubLink, s)
	case *pg.Node_AArrayExpr:
		elem := t.common(x.AArrayExpr.GetElements(), s)
		if isArray(elem) {
			return elem // PostgreSQL has one type for arrays of all dimensions
		}
		return sqltype.Of(shown(elem).OID.Array())
	case *pg.Node_AIndirection:
		return t.indirection(x.AIndirection, s)
	case *pg.Node_RowExpr:
		t.list(x.RowExpr.GetArgs(), s)
		return sqltype.Of(sqltype.Record)
	case *pg.Node_SqlvalueFunction:
		return valueFunctionType(x.SqlvalueFunction.GetOp())
	case *pg.Node_GroupingFunc:
		t.list(x.GroupingFunc.GetArgs(), s)
		return sqltype.Of(sqltype.Int4)
	case *pg.Node_SortBy:
		t.expr(x.SortBy.GetNode(), s)
	case *pg.Node_WindowDef:
		t.window(x.WindowDef, s)
	case *pg.Node_GroupingSet:
		for _, set := range x.GroupingSet.GetContent() {
			t.notes.within[set] = true // (a, b) in a list of sets is no value
		}
		t.list(x.GroupingSet.GetContent(), s)
	case *pg.Node_List:
		t.list(x.List.GetItems(), s)
	case *pg.Node_NamedArgExpr:
		return t.expr(x.NamedArgExpr.GetArg(), s)
	case *pg.Node_ResTarget:
		return t.expr(x.ResTarget.GetVal(), s)
	}
	return none
}

func constantType(c *pg.A_Const) sqltype.Type {
	if c.GetIsnull() {
		return sqltype.Of(sqltype.Unknown)
	}
	switch v := c.GetVal().(type) {
	case *pg.A_Const_Ival:
		return sqltype.Of(sqltype.Int4)
	case *pg.A_Const_Fval:
		return numberType(v.Fval.GetFval())
	case *pg.A_Const_Boolval:
		return sqltype.Of(sqltype.Bool)
	case *pg.A_Const_Sval:
		return sqltype.Of(sqltype.Unknown)
	}
	return none
}

// numberType is the type of a number that is no int4 (make_const).
func numberType(text string) sqltype.Type {
	if !strings.ContainsAny(text, ".eE") {
		if len(text) < 19 || len(text) == 19 && text <= "9223372036854775807" {
			return sqltype.Of(sqltype.Int8)
		}
		return sqltype.NumericOf(38, 0)
	}
	plain, ok := plainNumber(text)
	if !ok {
		return sqltype.Of(sqltype.Numeric)
	}
	_, frac, _ := strings.Cut(plain, ".")
	return sqltype.NumericOf(38, len(frac))
}

func valueFunctionType(op pg.SQLValueFunctionOp) sqltype.Type {
	switch valueFunctionName(op) {
	case "current_date":
		return sqltype.Of(sqltype.Date)
	case "current_timestamp":
		return sqltype.Of(sqltype.Timestamptz)
	case "localtimestamp":
		return sqltype.Of(sqltype.Timestamp)
	case "current_time":
		return sqltype.Of(sqltype.Timetz)
	case "localtime":
		return sqltype.Of(sqltype.Time)
	}
	return sqltype.Of(sqltype.Name)
}

func (t *typer) common(args []*pgtree.Node, s *scope) sqltype.Type {
	out := sqltype.Of(sqltype.Unknown)
	for _, a := range args {
		out = wider(out, t.expr(a, s))
	}
	return out
}

func (t *typer) caseExpr(c *pg.CaseExpr, s *scope) sqltype.Type {
	t.expr(c.GetArg(), s)
	out := sqltype.Of(sqltype.Unknown)
	for _, w := range c.GetArgs() {
		t.expr(w.GetCaseWhen().GetExpr(), s)
		out = wider(out, t.expr(w.GetCaseWhen().GetResult(), s))
	}
	if c.GetDefresult() != nil {
		out = wider(out, t.expr(c.GetDefresult(), s))
	}
	return out
}

func (t *typer) subLink(l *pg.SubLink, s *scope) sqltype.Type {
	t.compared(l.GetTestexpr())
	t.expr(l.GetTestexpr(), s)
	columns, _ := t.query(l.GetSubselect().GetSelectStmt(), s)
	switch l.GetSubLinkType() {
	case pg.SubLinkType_EXPR_SUBLINK:
		if len(columns) == 1 {
			return columns[0].Type
		}
		return none
	case pg.SubLinkType_ARRAY_SUBLINK:
		if len(columns) == 1 {
			return sqltype.Of(columns[0].Type.OID.Array())
		}
		return none
	}
	return sqltype.Of(sqltype.Bool)
}

func (t *typer) indirection(x *pg.A_Indirection, s *scope) sqltype.Type {
	typ := t.expr(x.GetArg(), s)
	slice := false
	for _, n := range x.GetIndirection() {
		i := n.GetAIndices()
		if i == nil {
			// A field of a row, which a struct of the engine may be.
			if !isNone(typ) && typ.OID != sqltype.Record && !isJSON(typ) {
				t.fail(refuse(x.GetArg(), "42809", "column notation .%s applied to type %s, which is not a composite type",
					n.GetString_().GetSval(), typeName(typ)))
			}
			return none
		}
		t.expr(i.GetLidx(), s)
		t.expr(i.GetUidx(), s)
		slice = slice || i.GetIsSlice()
	}
	if slice || !isArray(typ) {
		return typ
	}
	return sqltype.Of(typ.OID.Elem())
}

func (t *typer) window(w *pg.WindowDef, s *scope) {
	if w == nil {
		return
	}
	t.list(w.GetPartitionClause(), s)
	t.list(w.GetOrderClause(), s)
	t.expr(w.GetStartOffset(), s)
	t.expr(w.GetEndOffset(), s)
}

// compared marks a row that is compared, grouped or counted: DuckDB has those.
func (t *typer) compared(n *pgtree.Node) {
	if n == nil {
		return
	}
	if n.GetRowExpr() != nil {
		t.notes.within[n] = true
		for _, a := range n.GetRowExpr().GetArgs() {
			t.compared(a)
		}
	}
	if l := n.GetList(); l != nil {
		for _, a := range l.GetItems() {
			t.compared(a)
		}
	}
}

// call types a function call and picks its entry.
func (t *typer) call(n *pgtree.Node, f *pg.FuncCall, s *scope) sqltype.Type {
	name, ours := functionName(f)
	for _, a := range f.GetArgs() {
		if ours && (name == "count" || name == "row_to_json" || name == "to_json" || name == "to_jsonb" || name == "json_agg" || name == "jsonb_agg") {
			t.compared(a)
			t.notes.within[a] = true // the engine knows rows as values of these
		}
	}
	args := make([]sqltype.Type, 0, len(f.GetArgs())+1)
	for _, a := range f.GetArgs() {
		args = append(args, t.expr(a, s))
	}
	for _, o := range f.GetAggOrder() {
		typ := t.expr(o.GetSortBy().GetNode(), s)
		if f.GetAggWithinGroup() {
			args = append(args, typ)
		}
	}
	t.expr(f.GetAggFilter(), s)
	t.window(f.GetOver(), s)
	if !ours {
		return none
	}
	e := pick(functions()[name], args)
	if e == nil {
		if name == "any_value" && len(args) == 1 {
			return args[0] // not a client's: it stands in translated questions to a model
		}
		return none
	}
	t.notes.calls[n] = e
	return e.resultType(args, f.GetArgs())
}

// functionName is PostgreSQL's name of what is called; false for a name that is
// the engine's already.
func functionName(f *pg.FuncCall) (string, bool) {
	parts := pgtree.NameParts(f.GetFuncname())
	switch {
	case len(parts) == 1:
		return parts[0], true
	case len(parts) == 2 && parts[0] == "pg_catalog":
		return parts[1], true
	}
	return "", false
}
