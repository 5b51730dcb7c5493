package dialect

import (
	"sort"
	"strings"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/wire/sqlstate"
)

// functions are PostgreSQL's functions that exist here, by kind. What is not
// listed does not exist: file readers and the like are refused as any slip is.
var functions = func() map[string]bool {
	m := map[string]bool{}
	for _, list := range []string{
		// aggregates
		"sum count avg min max any_value stddev stddev_pop stddev_samp variance var_pop var_samp bool_and bool_or every bit_and bit_or bit_xor string_agg array_agg json_agg jsonb_agg json_object_agg jsonb_object_agg percentile_cont percentile_disc mode median corr covar_pop covar_samp regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy approx_count_distinct approx_percentile quantile_cont quantile_disc mad",
		// windows
		"row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value",
		// numbers
		"abs ceil ceiling floor round trunc sign sqrt cbrt exp ln log log10 power mod div random pi degrees radians sin cos tan asin acos atan atan2 cot gcd lcm factorial",
		// text
		"lower upper length char_length character_length octet_length bit_length concat concat_ws substr substring left right lpad rpad ltrim rtrim btrim trim replace translate reverse repeat position strpos split_part starts_with md5 sha256 chr ascii to_hex initcap regexp_replace regexp_matches regexp_split_to_array string_to_array array_to_string overlay",
		// dates
		"now clock_timestamp statement_timestamp transaction_timestamp date_trunc date_part extract age to_char to_date to_timestamp make_date make_time make_timestamp timezone isfinite date_bin",
		// conditionals, arrays, json, rows
		"greatest least nullif coalesce array_length array_upper array_lower array_append array_cat array_position cardinality unnest generate_series generate_subscripts to_json to_jsonb row_to_json json_build_object jsonb_build_object json_build_array jsonb_build_array json_array_length jsonb_array_length jsonb_typeof json_typeof pg_typeof gen_random_uuid encode decode hashtext",
	} {
		for _, f := range strings.Fields(list) {
			m[f] = true
		}
	}
	return m
}()

// CheckFunctions refuses calls of functions that are neither listed here nor the
// catalogue's. The error is 42883 with a byte offset plus one as Position.
func CheckFunctions(root *pgtree.Node, isCatalog func(schema, name string) bool) error {
	var bad error
	pgtree.Walk(root, func(n *pgtree.Node) bool {
		call := n.GetFuncCall()
		if call == nil || bad != nil {
			return bad == nil
		}
		parts := pgtree.NameParts(call.GetFuncname())
		schema, name := "", parts[len(parts)-1]
		if len(parts) > 1 {
			schema = parts[0]
		}
		if (schema == "" || schema == "pg_catalog") && functions[name] || isCatalog(schema, name) {
			return true
		}
		err := sqlstate.New(sqlstate.UndefinedFunction, "function %s(%s) does not exist", strings.Join(parts, "."), strings.TrimSuffix(strings.Repeat("unknown, ", len(call.GetArgs())), ", "))
		known := make([]string, 0, len(functions))
		for f := range functions {
			known = append(known, f)
		}
		sort.Strings(known)
		err.Hint = "No function matches the given name. docs/sql.md lists those that exist."
		if near := semantic.Nearest(name, known); len(near) > 0 {
			err.Hint = "Did you mean \"" + strings.Join(near, "\" or \"") + "\"?"
		}
		bad = at(err, n)
		return false
	})
	return bad
}
