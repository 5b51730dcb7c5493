// Package demo builds the example warehouse that `pggate demo` serves: the small
// shop, row for row, and a generated year of the same shape (floor 3). It gives
// SQL; the gate runs it.
package demo

import (
	_ "embed"
	"strings"
)

//go:embed shop.sql
var shop string

//go:embed year.sql
var year string

// Database is the name of the demo's database, in which both scripts create
// their schemas.
const Database = "shop"

// A Step is one statement of the building and what to tell while it runs.
type Step struct {
	SQL   string
	About string
}

// Steps are the statements that build the warehouse, in order.
func Steps() []Step {
	var out []Step
	for _, part := range []struct{ name, script string }{{"the shop", shop}, {"a year of orders", year}} {
		for _, stmt := range statements(part.script) {
			out = append(out, Step{SQL: stmt, About: part.name})
		}
	}
	return out
}

// statements cuts a script of our own at the semicolons that end lines; none of
// its literals holds one.
func statements(script string) []string {
	var out []string
	for _, s := range strings.Split(script, ";\n") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// A Query is worth trying on the demo.
type Query struct{ About, SQL string }

// Queries are what the demo proposes.
func Queries() []Query {
	return []Query{
		{"Three facts side by side; no join counts anything twice", "SELECT region, order_count, revenue, paid_total FROM orders GROUP BY 1 ORDER BY 1;"},
		{"Totals of distinct counts and ratios are re-evaluated, not added", "SELECT status, customer_count, done_rate FROM orders GROUP BY ROLLUP(status) ORDER BY 1;"},
		{"Any metric by any shared dimension, no relation to choose", "SELECT name, order_count, visit_count FROM metrics ORDER BY 1;"},
		{"The same model over 200,000 orders", "SELECT date_trunc('month', ordered_at) AS month, revenue, avg_order_value FROM year.orders GROUP BY 1 ORDER BY 1;"},
	}
}
