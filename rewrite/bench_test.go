package rewrite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pggate/pggate/rewrite"
	"github.com/pggate/pggate/rewrite/rewritetest"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/semantic/sqltype"
)

func shopEnv(t testing.TB) *rewrite.Env {
	m, faults := semantic.New(rewritetest.Shop())
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	w := rewrite.NewWorld([]*semantic.Model{m}, []sqltype.Table{rewritetest.Targets()}, "")
	return &rewrite.Env{World: w, Database: "shop", User: "ann", SearchPath: []string{"shop", "raw"}}
}

// large are statements as big as BI tools make them.
func large() map[string]string {
	values := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("'v%d'", i))
		}
		return strings.Join(list, ", ")
	}
	var outputs []string
	for i := range 45 {
		outputs = append(outputs, fmt.Sprintf("MEASURE(revenue) AS r%d", i))
	}
	var ctes []string
	for i := range 40 {
		ctes = append(ctes, fmt.Sprintf("c%d AS (SELECT region, MEASURE(revenue) AS r FROM orders WHERE freight > %d GROUP BY 1)", i, i))
	}
	var union []string
	for i := range 40 {
		union = append(union, fmt.Sprintf("SELECT region, r FROM c%d", i))
	}
	var wide []string
	for i := range 300 {
		wide = append(wide, fmt.Sprintf("MEASURE(revenue) + %d AS w%d", i, i))
	}
	return map[string]string{
		"small":        "SELECT region, MEASURE(order_count) FROM orders GROUP BY 1 ORDER BY 1",
		"two facts":    "SELECT region, MEASURE(order_count), MEASURE(revenue), MEASURE(paid_total) FROM orders GROUP BY 1 ORDER BY 1",
		"in 95":        "SELECT region, MEASURE(order_count) FROM orders WHERE status IN (" + values(95) + ") GROUP BY 1",
		"in 2000":      "SELECT region, MEASURE(order_count) FROM orders WHERE status IN (" + values(2000) + ") GROUP BY 1",
		"45 outputs":   "SELECT region, " + strings.Join(outputs, ", ") + " FROM orders GROUP BY 1",
		"both":         "SELECT region, " + strings.Join(outputs, ", ") + " FROM orders WHERE status IN (" + values(2000) + ") GROUP BY 1",
		"40 ctes":      "WITH " + strings.Join(ctes, ", ") + " " + strings.Join(union, " UNION ALL "),
		"300 outputs":  "SELECT region, " + strings.Join(wide, ", ") + ", MEASURE(order_count) FROM orders GROUP BY 1",
		"select star":  "SELECT * FROM orders LIMIT 0",
		"no semantics": "SELECT t.region, sum(t.goal) FROM raw.targets t GROUP BY 1",
	}
}

func BenchmarkRewrite(b *testing.B) {
	env := shopEnv(b)
	for name, sql := range large() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rewrite.Rewrite(env, sql); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
