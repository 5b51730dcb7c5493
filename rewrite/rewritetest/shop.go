// Package rewritetest is the model of the examples, for tests of packages that
// compile statements without reading model files.
package rewritetest

import (
	"github.com/pggate/pggate/rewrite"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/semantic/sqltype"
)

// Shop is the model of a small shop over the tables of schema raw: two fact
// legs, a many-to-many bridge, time roles and a filtered metric.
func Shop() semantic.Def {
	p := rewrite.Parser{}
	scalar := func(text string) semantic.Expr {
		e, err := p.Scalar(text)
		if err != nil {
			panic(err)
		}
		return e
	}
	dataset := func(name string, key []string, columns ...string) semantic.DatasetDef {
		d := semantic.DatasetDef{Name: name, Source: [3]string{"", "raw", name}, PrimaryKey: key}
		for _, c := range columns {
			d.Fields = append(d.Fields, semantic.FieldDef{Name: c, Expr: scalar(c), Type: sqltype.Of(sqltype.Unknown)})
		}
		return d
	}
	edge := func(name, from, to, column string) semantic.RelationshipDef {
		return semantic.RelationshipDef{Name: name, From: from, To: to, FromColumns: []string{column}, ToColumns: []string{column}}
	}
	metric := func(name, text, filter string) semantic.MetricDef {
		f, err := p.Metric(text)
		if err != nil {
			panic(err)
		}
		m := semantic.MetricDef{Name: name, Formula: f, Type: sqltype.Of(sqltype.Unknown)}
		if filter != "" {
			m.Filter = scalar(filter)
		}
		return m
	}
	orders := dataset("orders", []string{"order_id"}, "order_id", "customer_id", "ordered_at", "shipped_at", "status", "freight")
	orders.Roles = []semantic.RoleDef{{Name: "ordered", Field: "ordered_at", Default: true}, {Name: "shipped", Field: "shipped_at"}}
	visits := dataset("visits", []string{"visit_id"}, "visit_id", "customer_id", "visited_at", "source")
	visits.Roles = []semantic.RoleDef{{Name: "visited", Field: "visited_at", Default: true}}
	return semantic.Def{
		Name: "shop",
		Datasets: []semantic.DatasetDef{
			dataset("regions", []string{"region_id"}, "region_id", "region"),
			dataset("customers", []string{"customer_id"}, "customer_id", "name", "region_id", "tier", "credit"),
			orders,
			dataset("items", []string{"item_id"}, "item_id", "order_id", "product_id", "qty", "amount"),
			dataset("payments", []string{"payment_id"}, "payment_id", "order_id", "paid", "method"),
			dataset("products", []string{"product_id"}, "product_id", "product", "category", "weight"),
			dataset("product_tags", []string{"product_id", "tag"}, "product_id", "tag"),
			dataset("balances", []string{"account_id", "as_of"}, "account_id", "customer_id", "as_of", "balance"),
			visits,
		},
		Relations: []semantic.RelationshipDef{
			edge("order_customer", "orders", "customers", "customer_id"),
			edge("customer_region", "customers", "regions", "region_id"),
			edge("item_order", "items", "orders", "order_id"),
			edge("item_product", "items", "products", "product_id"),
			edge("payment_order", "payments", "orders", "order_id"),
			edge("tag_product", "product_tags", "products", "product_id"),
			edge("balance_customer", "balances", "customers", "customer_id"),
			edge("visit_customer", "visits", "customers", "customer_id"),
		},
		Metrics: []semantic.MetricDef{
			metric("order_count", "COUNT(orders.order_id)", ""),
			metric("freight_total", "SUM(orders.freight)", ""),
			metric("avg_freight", "AVG(orders.freight)", ""),
			metric("median_freight", "MEDIAN(orders.freight)", ""),
			metric("done_count", "COUNT(orders.order_id)", "orders.status = 'done'"),
			metric("done_rate", "done_count / order_count", ""),
			metric("customer_count", "COUNT(DISTINCT orders.customer_id)", ""),
			metric("item_count", "COUNT(items.item_id)", ""),
			metric("item_qty", "SUM(items.qty)", ""),
			metric("revenue", "SUM(items.amount)", ""),
			metric("paid_total", "SUM(payments.paid)", ""),
			metric("credit_total", "SUM(customers.credit)", ""),
			metric("visit_count", "COUNT(visits.visit_id)", ""),
			metric("avg_order_value", "revenue / order_count", ""),
		},
	}
}

// Targets is the physical table of goals that the model does not know.
func Targets() sqltype.Table {
	return sqltype.Table{Schema: "raw", Name: "targets", Columns: []sqltype.Column{
		{Name: "region", Type: sqltype.Of(sqltype.Text)}, {Name: "quarter", Type: sqltype.Of(sqltype.Text)}, {Name: "goal", Type: sqltype.Of(sqltype.Int4)},
	}}
}
