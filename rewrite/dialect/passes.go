package dialect

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

func at(err *sqlstate.Error, n *pgtree.Node) *sqlstate.Error {
	if loc := pgtree.Location(n); loc >= 0 {
		err.Position = loc + 1
	}
	return err
}

func dropLocking(_ *state, n *pgtree.Node) (*pgtree.Node, error) {
	if s := n.GetSelectStmt(); s != nil {
		s.LockingClause = nil
	}
	return n, nil
}

func explicitNulls(_ *state, n *pgtree.Node) (*pgtree.Node, error) {
	by := n.GetSortBy()
	if by == nil || by.GetSortbyNulls() != pg.SortByNulls_SORTBY_NULLS_DEFAULT {
		return n, nil
	}
	by.SortbyNulls = pg.SortByNulls_SORTBY_NULLS_LAST
	if by.GetSortbyDir() == pg.SortByDir_SORTBY_DESC {
		by.SortbyNulls = pg.SortByNulls_SORTBY_NULLS_FIRST
	}
	return n, nil
}

// nameSeries names the column of generate_series(...) AS g, which is g in
// PostgreSQL (parse_relation.c, addRangeTableEntryForFunction).
func nameSeries(_ *state, n *pgtree.Node) (*pgtree.Node, error) {
	f := n.GetRangeFunction()
	if f == nil || len(f.GetFunctions()) != 1 || len(f.GetColdeflist()) > 0 {
		return n, nil
	}
	items := f.GetFunctions()[0].GetList().GetItems()
	if len(items) == 0 || items[0].GetFuncCall() == nil {
		return n, nil
	}
	name := lastName(items[0].GetFuncCall().GetFuncname())
	if name != "generate_series" && name != "unnest" && name != "generate_subscripts" {
		return n, nil
	}
	if f.GetAlias() == nil {
		f.Alias = pgtree.Alias(name)
	}
	if len(f.GetAlias().GetColnames()) == 0 {
		f.Alias.Colnames = pgtree.Names(f.GetAlias().GetAliasname())
	}
	return n, nil
}

func lastName(list []*pgtree.Node) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1].GetString_().GetSval()
}

// renamed are functions that DuckDB has under another name.
var renamed = map[string]string{
	"btrim": "trim", "every": "bool_and", "char_length": "length", "character_length": "length", "octet_length": "strlen",
	"strpos": "strpos", "clock_timestamp": "now", "statement_timestamp": "now", "transaction_timestamp": "now",
	"jsonb_array_length": "json_array_length", "jsonb_typeof": "json_type", "to_jsonb": "to_json", "jsonb_agg": "json_group_array", "json_agg": "json_group_array",
	"json_build_object": "json_object", "jsonb_build_object": "json_object", "json_build_array": "json_array", "jsonb_build_array": "json_array",
	"json_object_agg": "json_group_object", "jsonb_object_agg": "json_group_object",
	"trunc": "trunc", "sha256": "sha256", "array_cat": "list_concat", "array_append": "list_append", "cardinality": "len",
	"array_remove": "list_filter", "string_to_array": "string_split", "approx_percentile": "approx_quantile",
}

func mapFunction(st *state, n *pgtree.Node) (*pgtree.Node, error) {
	if f := n.GetSqlvalueFunction(); f != nil {
		return valueOf(st, f, n), nil
	}
	call := n.GetFuncCall()
	if call == nil {
		return n, nil
	}
	parts := pgtree.NameParts(call.GetFuncname())
	if len(parts) == 3 {
		return n, nil
	}
	if len(parts) == 2 && parts[0] == "pg_catalog" {
		call.Funcname = call.Funcname[1:]
	}
	name, args := lastName(call.GetFuncname()), call.GetArgs()
	call.Funcformat = explicitFormat(name, call.GetFuncformat())
	switch {
	case name == "array_upper" && len(args) == 2:
		return pgtree.Func("array_length", args...), nil
	case name == "array_lower" && len(args) == 2:
		return pgtree.Cast(pgtree.Int(1), []string{"int4"}), nil
	case (name == "date_part" || name == "extract") && len(args) == 2:
		if name == "date_part" {
			return pgtree.Cast(n, []string{"float8"}), nil
		}
		return n, nil
	case name == "initcap" && len(args) == 1:
		return n, at(sqlstate.New(sqlstate.FeatureNotSupported, "function initcap is not supported").WithHint("Use upper or lower."), n)
	case name == "to_char":
		return toChar(n, args)
	case (name == "to_date" || name == "to_timestamp") && len(args) == 2:
		return toDate(n, name, args)
	case name == "random", name == "now":
		return n, nil
	case name == "regexp_matches":
		return n, at(sqlstate.New(sqlstate.FeatureNotSupported, "function regexp_matches is not supported").WithHint("Use the operator ~, substring(text from pattern) or regexp_replace."), n)
	case name == "concat" || name == "concat_ws":
		return n, nil
	case name == "substring" && len(args) == 2 && st.types.of(args[1]).OID == sqltype.Text:
		return pgtree.Func("regexp_extract", args...), nil
	case name == "mod" && len(args) == 2:
		return guardedDivision("%", args[0], args[1]), nil
	case name == "div" && len(args) == 2:
		return pgtree.Func("trunc", guardedDivision("/", pgtree.Cast(args[0], []string{"float8"}), args[1])), nil
	}
	if to, ok := renamed[name]; ok {
		call.Funcname = pgtree.Names(to)
	}
	return n, nil
}

// explicitFormat keeps SQL's own call syntax only where DuckDB reads it.
func explicitFormat(name string, was pg.CoercionForm) pg.CoercionForm {
	switch name {
	case "extract", "position", "substring", "overlay", "timezone":
		return was
	}
	return pg.CoercionForm_COERCE_EXPLICIT_CALL
}

func valueOf(st *state, f *pg.SQLValueFunction, n *pgtree.Node) *pgtree.Node {
	switch f.GetOp() {
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_USER, pg.SQLValueFunctionOp_SVFOP_SESSION_USER, pg.SQLValueFunctionOp_SVFOP_USER, pg.SQLValueFunctionOp_SVFOP_CURRENT_ROLE:
		return pgtree.Text(st.settings.User)
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_CATALOG:
		return pgtree.Text(st.settings.Database)
	case pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP, pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N:
		return pgtree.Cast(pgtree.Func("now"), []string{"timestamp"})
	case pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N:
		return pgtree.Func("now")
	}
	return n
}

// typeAggregate gives sum and avg PostgreSQL's types: sum of smallint and
// integer is bigint, which DuckDB makes 128 bits wide.
func typeAggregate(st *state, n *pgtree.Node) (*pgtree.Node, error) {
	call := n.GetFuncCall()
	if call == nil || len(call.GetArgs()) != 1 || len(call.GetFuncname()) != 1 {
		return n, nil
	}
	if name := lastName(call.GetFuncname()); name == "sum" {
		switch st.types.of(call.GetArgs()[0]).OID {
		case sqltype.Int2, sqltype.Int4:
			return pgtree.Cast(n, []string{"int8"}), nil
		}
	}
	return n, nil
}

func mapOperator(st *state, n *pgtree.Node) (*pgtree.Node, error) {
	e := n.GetAExpr()
	if e == nil {
		return n, nil
	}
	if len(e.GetName()) == 2 && e.GetName()[0].GetString_().GetSval() == "pg_catalog" {
		e.Name = e.Name[1:]
	}
	if e.GetKind() != pg.A_Expr_Kind_AEXPR_OP {
		return n, nil
	}
	l, r := e.GetLexpr(), e.GetRexpr()
	match := func(not bool, flags ...*pgtree.Node) *pgtree.Node {
		m := pgtree.Func("regexp_matches", append([]*pgtree.Node{l, r}, flags...)...)
		if not {
			return &pgtree.Node{Node: &pg.Node_BoolExpr{BoolExpr: &pg.BoolExpr{Boolop: pg.BoolExprType_NOT_EXPR, Args: []*pgtree.Node{m}, Location: -1}}}
		}
		return m
	}
	switch op := lastName(e.GetName()); op {
	case "~", "!~":
		if l != nil {
			return match(op == "!~"), nil
		}
	case "~*", "!~*":
		return match(op == "!~*", pgtree.Text("i")), nil
	case "/", "%":
		if l != nil {
			return guardedDivision(op, l, r), nil
		}
	case "||":
		lt, rt := st.types.of(l).OID, st.types.of(r).OID
		if lt.Array() != 0 && lt != sqltype.Text && rt == sqltype.Text {
			e.Lexpr = pgtree.Cast(l, []string{"text"})
		}
	case "#":
		return pgtree.Func("xor", l, r), nil
	}
	return n, nil
}

// guardedDivision raises 22012 where the divisor is zero. A constant or NULLIF
// needs no guard.
func guardedDivision(op string, l, r *pgtree.Node) *pgtree.Node {
	if e := r.GetAExpr(); e != nil && e.GetKind() == pg.A_Expr_Kind_AEXPR_NULLIF {
		return pgtree.Op(op, l, r)
	}
	if k := r.GetAConst(); k != nil && (k.GetIval().GetIval() != 0 || k.GetFval() != nil) {
		return pgtree.Op(op, l, r)
	}
	raise := pgtree.Func("error", pgtree.Text("\x01SQLSTATE 22012\x01division by zero"))
	guard := pg.MakeCaseExprNode(nil, []*pgtree.Node{pg.MakeCaseWhenNode(pgtree.Op("=", pgtree.Clone(r), pgtree.Int(0)), raise, -1)}, -1)
	guard.GetCaseExpr().Defresult = r
	return pgtree.Op(op, l, guard)
}

// typeNames are PostgreSQL's type names in DuckDB's words.
var typeNames = map[string]string{
	"name": "varchar", "bpchar": "varchar", "char": "varchar", "text": "varchar", "jsonb": "json", "oid": "uinteger", "xid": "uinteger",
	"regtype": "varchar", "regproc": "varchar", "regclass": "varchar", "cardinal_number": "int4", "sql_identifier": "varchar", "character_data": "varchar", "yes_or_no": "varchar",
	"int2": "int2", "int4": "int4", "int8": "int8", "float4": "float4", "float8": "float8", "bool": "bool", "varchar": "varchar", "numeric": "numeric",
	"date": "date", "time": "time", "timetz": "timetz", "timestamp": "timestamp", "timestamptz": "timestamptz", "interval": "interval", "uuid": "uuid", "json": "json", "bytea": "blob", "bit": "bit", "varbit": "bit",
	"decimal": "numeric", "integer": "int4", "bigint": "int8", "smallint": "int2", "string": "varchar", "double": "float8", "unknown": "varchar", "money": "",
}

func mapCast(st *state, n *pgtree.Node) (*pgtree.Node, error) {
	c := n.GetTypeCast()
	if c == nil {
		return n, nil
	}
	t := c.GetTypeName()
	parts := pgtree.NameParts(t.GetNames())
	if len(parts) == 3 {
		return n, nil
	}
	name := parts[len(parts)-1]
	to, ok := typeNames[name]
	if !ok || to == "" {
		return n, at(sqlstate.New(sqlstate.UndefinedObject, "type %q does not exist", strings.Join(parts, ".")), n)
	}
	array := len(t.GetArrayBounds()) > 0
	if k := c.GetArg().GetAConst(); k != nil && k.GetSval() != nil && !array {
		if err := checkLiteral(name, k.GetSval().GetSval()); err != nil {
			return n, at(err, c.GetArg())
		}
	}
	if array {
		if k := c.GetArg().GetAConst(); k != nil && k.GetSval() != nil {
			items, err := arrayLiteral(k.GetSval().GetSval())
			if err != nil {
				return n, at(err, c.GetArg())
			}
			c.Arg = items
		}
	}
	length := -1
	if (name == "varchar" || name == "bpchar") && len(t.GetTypmods()) == 1 && !array {
		length = int(t.GetTypmods()[0].GetAConst().GetIval().GetIval())
	}
	if name == "varchar" || name == "bpchar" {
		t.Typmods = nil
	}
	if name == "numeric" && len(t.GetTypmods()) == 0 && !array {
		scale := int64(10)
		switch k := c.GetArg().GetAConst(); {
		case k.GetIval() != nil:
			scale = 0
		case k.GetFval() != nil:
			scale = decimals(k.GetFval().GetFval())
		case k.GetSval() != nil:
			scale = decimals(k.GetSval().GetSval())
		default:
			switch in := st.types.of(c.GetArg()); in.OID {
			case sqltype.Int2, sqltype.Int4, sqltype.Int8:
				scale = 0
			case sqltype.Numeric:
				if in.Mod >= 0 {
					return c.GetArg(), nil
				}
			}
		}
		t.Typmods = []*pgtree.Node{pgtree.Int(38), pgtree.Int(scale)}
	}
	if to != name || len(parts) == 2 {
		t.Names = pgtree.Names(to)
	}
	if length >= 0 {
		return pgtree.Func("substr", n, pgtree.Int(1), pgtree.Int(int64(length))), nil
	}
	return n, nil
}

func decimals(text string) int64 {
	_, frac, ok := strings.Cut(text, ".")
	if !ok {
		return 0
	}
	return int64(min(len(frac), 30))
}

// checkLiteral refuses text that PostgreSQL's input function refuses where
// DuckDB's cast is more generous.
func checkLiteral(name, text string) *sqlstate.Error {
	switch name {
	case "int2", "int4", "int8":
		s := strings.TrimSpace(text)
		s = strings.TrimLeft(s, "+-")
		if s == "" || strings.Trim(s, "0123456789") != "" {
			full := map[string]string{"int2": "smallint", "int4": "integer", "int8": "bigint"}[name]
			return sqlstate.New(sqlstate.InvalidTextRepr, "invalid input syntax for type %s: \"%s\"", full, text)
		}
	}
	return nil
}

// arrayLiteral reads a one-dimensional array in text form, '{a,"b c",NULL}'.
func arrayLiteral(text string) (*pgtree.Node, *sqlstate.Error) {
	malformed := sqlstate.New(sqlstate.InvalidTextRepr, "malformed array literal: \"%s\"", text)
	s := strings.TrimSpace(text)
	if len(s) < 2 || s[0] != '{' || s[len(s)-1] != '}' {
		return nil, malformed
	}
	out := &pg.A_ArrayExpr{Location: -1}
	for s = s[1 : len(s)-1]; strings.TrimSpace(s) != ""; {
		s = strings.TrimLeft(s, " ")
		var b strings.Builder
		quoted := false
		if s[0] == '"' {
			quoted = true
			i := 1
			for ; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
				if i < len(s) {
					b.WriteByte(s[i])
				}
			}
			if i >= len(s) {
				return nil, malformed
			}
			s = s[i+1:]
		} else {
			end := strings.IndexByte(s, ',')
			if end < 0 {
				end = len(s)
			}
			b.WriteString(strings.TrimSpace(s[:end]))
			s = s[end:]
		}
		if strings.ContainsAny(b.String(), "{}") && !quoted {
			return nil, malformed
		}
		if !quoted && strings.EqualFold(b.String(), "null") {
			out.Elements = append(out.Elements, pgtree.Null())
		} else {
			out.Elements = append(out.Elements, pgtree.Text(b.String()))
		}
		if s != "" {
			if s[0] != ',' {
				return nil, malformed
			}
			s = s[1:]
		}
	}
	return &pgtree.Node{Node: &pg.Node_AArrayExpr{AArrayExpr: out}}, nil
}

// typeParam casts a parameter to the type that the client declared, so that the
// engine does not infer another.
func typeParam(st *state, n *pgtree.Node) (*pgtree.Node, error) {
	p := n.GetParamRef()
	if p == nil {
		return n, nil
	}
	i := int(p.GetNumber()) - 1
	if i < 0 || i >= len(st.settings.Params) {
		return n, nil
	}
	t := st.settings.Params[i]
	if to := typeNames[t.OID.Name()]; to != "" && t.OID != sqltype.Unknown && t.OID != sqltype.Numeric {
		return pgtree.Cast(n, []string{to}), nil
	}
	return n, nil
}
