package catalog

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A Session is what of a client enters catalogue functions.
type Session struct {
	Database, User string
	SearchPath     []string // as set; "$user" is the user
	Settings       func(name string) (string, bool)
	PID            int32
}

// path is the search path with pg_catalog in front, where it is not named.
func (s *Session) path() []string {
	out := []string{}
	named := false
	for _, p := range s.SearchPath {
		if p == "$user" {
			p = s.User
		}
		named = named || p == "pg_catalog"
		out = append(out, p)
	}
	if !named {
		out = append([]string{"pg_catalog"}, out...)
	}
	return out
}

// macros are the functions that functions.sql defines under their own names.
var macros = words(`format_type pg_get_userbyid pg_encoding_to_char pg_get_expr pg_get_constraintdef pg_get_indexdef pg_get_viewdef pg_get_ruledef pg_get_triggerdef
	pg_get_partkeydef pg_get_function_result pg_get_function_arguments pg_get_function_identity_arguments pg_get_functiondef pg_get_function_sqlbody
	pg_get_statisticsobjdef_columns pg_get_serial_sequence obj_description col_description shobj_description quote_ident quote_literal array_to_string pg_size_pretty`)

// always are the privileges and properties that hold for everything readable.
var always = words(`has_table_privilege has_schema_privilege has_column_privilege has_any_column_privilege has_database_privilege has_function_privilege has_sequence_privilege has_language_privilege
	has_type_privilege has_tablespace_privilege has_server_privilege has_foreign_data_wrapper_privilege pg_has_role pg_function_is_visible pg_operator_is_visible pg_opclass_is_visible pg_opfamily_is_visible
	pg_collation_is_visible pg_conversion_is_visible pg_ts_config_is_visible pg_ts_dict_is_visible pg_ts_parser_is_visible pg_ts_template_is_visible pg_statistics_obj_is_visible`)

// never are the questions whose answer is no.
var never = words(`pg_relation_is_publishable pg_is_in_recovery pg_is_other_temp_schema pg_column_is_updatable`)

var zeros = words(`pg_relation_size pg_table_size pg_total_relation_size pg_indexes_size pg_database_size pg_tablespace_size pg_relation_is_updatable pg_my_temp_schema`)

var nulls = words(`pg_tablespace_location pg_get_partition_constraintdef inet_server_addr inet_client_addr pg_describe_object`)

// session are answered from what the session knows.
var session = words(`current_database current_schema current_schemas current_setting set_config version pg_backend_pid pg_table_is_visible pg_type_is_visible to_regclass to_regtype
	current_catalog pg_postmaster_start_time getdatabaseencoding pg_char_to_encoding pg_client_encoding pg_partition_ancestors pg_get_keywords txid_current pg_sleep pg_advisory_unlock_all`)

func words(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// IsFunction tells a function of the catalogue.
func IsFunction(schema, name string) bool {
	if schema == "information_schema" && name == expandArray {
		return true
	}
	if schema != "" && schema != "pg_catalog" {
		return false
	}
	return macros[name] || always[name] || never[name] || zeros[name] || nulls[name] || session[name]
}

// expandArray numbers the elements of an array, as rows of x and n
// (information_schema.sql). pgjdbc reads keys with it.
const expandArray = "_pg_expandarray"

// Apply rewrites catalogue functions, reg* casts and the parts of catalogue
// queries that the engine cannot plan, in a tree whose relations are bound.
// Errors are *sqlstate.Error with a byte offset plus one as Position.
func Apply(root *pgtree.Node, s *Session) error {
	prune(root)
	a := &applier{s: s}
	pgtree.Map(root, a.node)
	return a.err
}

type applier struct {
	s   *Session
	err error
}

func (a *applier) node(n *pgtree.Node) *pgtree.Node {
	if a.err != nil {
		return n
	}
	switch x := n.GetNode().(type) {
	case *pg.Node_FuncCall:
		return a.call(n, x.FuncCall)
	case *pg.Node_TypeCast:
		return a.cast(n, x.TypeCast)
	case *pg.Node_AIndirection:
		if list := x.AIndirection.GetIndirection(); len(list) == 1 && list[0].GetString_() != nil {
			if field := list[0].GetString_().GetSval(); field == "x" || field == "n" {
				return fn("pair_"+field, x.AIndirection.GetArg())
			}
		}
	case *pg.Node_CollateClause:
		parts := pgtree.NameParts(x.CollateClause.GetCollname())
		if name := parts[len(parts)-1]; name == "default" || name == "C" || name == "POSIX" {
			return x.CollateClause.GetArg()
		}
	case *pg.Node_ResTarget:
		// A bare 'x'::regclass is shown as a name.
		if c := x.ResTarget.GetVal().GetFuncCall(); c != nil {
			parts := pgtree.NameParts(c.GetFuncname())
			if len(parts) == 3 && parts[2] == "regclass_oid" {
				x.ResTarget.Val = fn("regclass_text", x.ResTarget.GetVal(), a.path())
			}
		}
	}
	return n
}

func fn(name string, args ...*pgtree.Node) *pgtree.Node {
	return pgtree.QualifiedFunc([]string{engineDatabase, fnSchema, name}, args...)
}

func (a *applier) path() *pgtree.Node {
	out := &pg.A_ArrayExpr{Location: -1}
	for _, p := range a.s.path() {
		out.Elements = append(out.Elements, pgtree.Text(p))
	}
	return &pgtree.Node{Node: &pg.Node_AArrayExpr{AArrayExpr: out}}
}

func (a *applier) call(n *pgtree.Node, c *pg.FuncCall) *pgtree.Node {
	parts := pgtree.NameParts(c.GetFuncname())
	if len(parts) == 2 && parts[0] == "information_schema" && parts[1] == expandArray && len(c.GetArgs()) == 1 {
		return pgtree.Func("unnest", fn("expandarray", c.GetArgs()[0]))
	}
	if len(parts) > 2 || len(parts) == 2 && parts[0] != "pg_catalog" {
		return n
	}
	name, args := parts[len(parts)-1], c.GetArgs()
	switch {
	case macros[name]:
		return fn(name, args...)
	case always[name]:
		return fn("always", args...)
	case never[name]:
		return pgtree.Bool(false)
	case zeros[name]:
		return fn("zero", args...)
	case nulls[name]:
		return pgtree.Cast(pgtree.Null(), []string{"text"})
	}
	switch name {
	case "current_database", "current_catalog":
		return pgtree.Text(a.s.Database)
	case "current_schema":
		if p := a.s.path(); len(p) > 1 {
			return pgtree.Text(p[1])
		}
		return pgtree.Null()
	case "current_schemas":
		path := a.path()
		if len(args) == 1 && args[0].GetAConst() != nil && !args[0].GetAConst().GetBoolval().GetBoolval() {
			arr := path.GetAArrayExpr()
			arr.Elements = arr.Elements[1:]
		}
		return path
	case "current_setting":
		return a.setting(n, args)
	case "version":
		return pgtree.Text("PostgreSQL 15.18 (pggate)")
	case "pg_backend_pid":
		return pgtree.Int(int64(a.s.PID))
	case "pg_table_is_visible":
		return fn("relation_visible", append(args, a.path())...)
	case "pg_type_is_visible":
		return fn("type_visible", append(args, a.path())...)
	case "to_regclass":
		return a.regclass(n, args[0], false)
	case "to_regtype":
		return fn("regtype_oid", args...)
	case "getdatabaseencoding", "pg_client_encoding":
		return pgtree.Text("UTF8")
	case "pg_char_to_encoding":
		return pgtree.Int(6)
	case "pg_postmaster_start_time":
		return pgtree.Func("now")
	case "txid_current":
		return pgtree.Int(1)
	case "pg_advisory_unlock_all":
		return pgtree.Cast(pgtree.Null(), []string{"text"})
	case "pg_partition_ancestors":
		return pgtree.Func("unnest", emptyOIDs())
	case "set_config", "pg_get_keywords", "pg_sleep":
		a.err = at(sqlstate.New(sqlstate.FeatureNotSupported, "function %s is not supported", name).WithHint("Use SET for settings."), n)
	}
	return n
}

func emptyOIDs() *pgtree.Node {
	arr := &pgtree.Node{Node: &pg.Node_AArrayExpr{AArrayExpr: &pg.A_ArrayExpr{Location: -1}}}
	t := &pg.TypeName{Names: pgtree.Names("int8"), ArrayBounds: []*pgtree.Node{pg.MakeIntNode(-1)}, Typemod: -1, Location: -1}
	return &pgtree.Node{Node: &pg.Node_TypeCast{TypeCast: &pg.TypeCast{Arg: arr, TypeName: t, Location: -1}}}
}

func (a *applier) setting(n *pgtree.Node, args []*pgtree.Node) *pgtree.Node {
	if len(args) == 0 || args[0].GetAConst().GetSval() == nil {
		a.err = at(sqlstate.New(sqlstate.FeatureNotSupported, "current_setting needs a constant name").WithHint("Write the name as a literal."), n)
		return n
	}
	name := args[0].GetAConst().GetSval().GetSval()
	if a.s.Settings != nil {
		if v, ok := a.s.Settings(name); ok {
			return pgtree.Text(v)
		}
	}
	if len(args) == 2 {
		return pgtree.Cast(pgtree.Null(), []string{"text"})
	}
	a.err = at(sqlstate.New(sqlstate.UndefinedObject, "unrecognized configuration parameter \"%s\"", name), n)
	return n
}

// regclass resolves the text of a relation's name, or a number, to its id.
func (a *applier) regclass(n, arg *pgtree.Node, strict bool) *pgtree.Node {
	k := arg.GetAConst()
	if k.GetSval() == nil {
		return arg
	}
	text := k.GetSval().GetSval()
	if _, err := strconv.ParseUint(text, 10, 32); err == nil {
		return pgtree.Int(atoi(text))
	}
	schema, name := "", text
	if parts := splitName(text); len(parts) == 2 {
		schema, name = parts[0], parts[1]
	} else if len(parts) == 1 {
		name = parts[0]
	}
	var s *pgtree.Node = pgtree.Cast(pgtree.Null(), []string{"text"})
	if schema != "" {
		s = pgtree.Text(schema)
	}
	return fn("regclass_oid", s, pgtree.Text(name), a.path())
}

func atoi(s string) int64 { v, _ := strconv.ParseInt(s, 10, 64); return v }

// splitName cuts a dotted name with quotes, as regclassin reads it.
func splitName(text string) []string {
	var parts []string
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' && quoted && i+1 < len(text) && text[i+1] == '"':
			b.WriteByte('"')
			i++
		case c == '"':
			quoted = !quoted
		case c == '.' && !quoted:
			parts = append(parts, b.String())
			b.Reset()
		case quoted:
			b.WriteByte(c)
		default:
			b.WriteString(strings.ToLower(string(c)))
		}
	}
	return append(parts, b.String())
}

// cast rewrites the reg* types, which are numbers that print as names.
func (a *applier) cast(n *pgtree.Node, c *pg.TypeCast) *pgtree.Node {
	parts := pgtree.NameParts(c.GetTypeName().GetNames())
	name := parts[len(parts)-1]
	constant := c.GetArg().GetAConst().GetSval() != nil
	if len(c.GetTypeName().GetArrayBounds()) > 0 {
		return n
	}
	switch name {
	case "regclass":
		if constant {
			return a.regclass(n, c.GetArg(), true)
		}
		if isFn(c.GetArg(), "regclass_oid") {
			return c.GetArg()
		}
		return fn("regclass_text", c.GetArg(), a.path())
	case "regtype":
		if constant {
			return fn("regtype_oid", c.GetArg())
		}
		return fn("regtype_text", c.GetArg())
	case "regnamespace":
		if constant {
			return fn("regnamespace_oid", c.GetArg())
		}
		return fn("regnamespace_text", c.GetArg())
	case "regproc", "regprocedure", "regoper", "regoperator", "regrole":
		return pgtree.Cast(c.GetArg(), []string{"text"})
	case "oid":
		for _, text := range []string{"regclass_text", "regtype_text", "regnamespace_text"} {
			if isFn(c.GetArg(), text) {
				return c.GetArg().GetFuncCall().GetArgs()[0]
			}
		}
		if isFn(c.GetArg(), "regclass_oid") || isFn(c.GetArg(), "regtype_oid") || isFn(c.GetArg(), "regnamespace_oid") {
			return c.GetArg()
		}
		c.TypeName.Names = pgtree.Names(engineDatabase, pgSchema, "t_oid")
	case "text", "varchar", "name":
		if isFn(c.GetArg(), "regclass_oid") {
			return fn("regclass_text", c.GetArg(), a.path())
		}
		if isFn(c.GetArg(), "regtype_oid") {
			return fn("regtype_text", c.GetArg())
		}
		if name == "name" {
			c.TypeName.Names = pgtree.Names(engineDatabase, pgSchema, "t_name")
		}
	case "char":
		if len(c.GetTypeName().GetTypmods()) == 0 && len(parts) == 1 {
			c.TypeName.Names = pgtree.Names(engineDatabase, pgSchema, "t_char")
		}
	}
	return n
}

func isFn(n *pgtree.Node, name string) bool {
	parts := pgtree.NameParts(n.GetFuncCall().GetFuncname())
	return len(parts) == 3 && parts[0] == engineDatabase && parts[2] == name
}

func at(err *sqlstate.Error, n *pgtree.Node) *sqlstate.Error {
	if loc := pgtree.Location(n); loc >= 0 {
		err.Position = loc + 1
	}
	return err
}
