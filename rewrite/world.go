package rewrite

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/semantic/sqltype"
)

// A World is the closed set of relations that statements may name, besides the
// catalogue: the relations of the models and the physical tables that the
// configuration exposes. It is immutable and safe for any number of goroutines.
type World struct {
	database string
	models   map[string]*semantic.Model
	order    []*semantic.Model
	tables   map[[2]string]*sqltype.Table
	list     []sqltype.Table
	queries  map[*semantic.Dataset]*pgtree.Node
	hash     string
}

// NewWorld makes the world of some models over a database of that name; ""
// where there is none, as when statements are only compiled.
func NewWorld(models []*semantic.Model, tables []sqltype.Table, database string) *World {
	w := &World{database: database, models: map[string]*semantic.Model{}, order: models, tables: map[[2]string]*sqltype.Table{}, list: tables, queries: map[*semantic.Dataset]*pgtree.Node{}}
	for _, m := range models {
		w.models[m.Name()] = m
		for _, d := range m.Datasets() {
			if d.Query == "" {
				continue
			}
			if stmts, err := pgtree.Parse(d.Query); err == nil && len(stmts) == 1 {
				dropLocations(stmts[0].Node)
				w.queries[d] = stmts[0].Node
			}
		}
	}
	h := sha256.New()
	for _, m := range models {
		fmt.Fprintln(h, m.Name(), m.Hash())
	}
	fmt.Fprintln(h, database, tables)
	w.hash = hex.EncodeToString(h.Sum(nil)[:12])
	for i := range tables {
		w.tables[[2]string{tables[i].Schema, tables[i].Name}] = &tables[i]
	}
	return w
}

// Models are the models of the world in their order.
func (w *World) Models() []*semantic.Model { return w.order }

// Database is the name under which the engine holds the physical tables.
func (w *World) Database() string { return w.database }

// Hash names the world in cache keys: equal hashes mean that statements compile
// alike.
func (w *World) Hash() string { return w.hash }

// Schemas are the schemas that relations of the world are in, models first.
func (w *World) Schemas() []string {
	var out []string
	for _, m := range w.order {
		out = append(out, m.Name())
	}
	for _, t := range w.list {
		if !slices.Contains(out, t.Schema) {
			out = append(out, t.Schema)
		}
	}
	return out
}

// A Relation is a relation of a model as clients see it.
type Relation struct {
	Schema, Name string
	Comment      string
	Columns      []RelationColumn
	PrimaryKey   []string
	ForeignKeys  []ForeignKey
	Dataset      *semantic.Dataset // nil for the relation without a root
}

// A RelationColumn is a dimension or a measure.
type RelationColumn struct {
	Name    string
	Comment string
	Measure bool
	Expr    string // the definition, as the model has it
	Type    sqltype.Type
}

// A ForeignKey leads to another relation of the model.
type ForeignKey struct {
	Name       string
	Columns    []string
	Schema     string
	Relation   string
	RefColumns []string
}

// Relations are what clients see of the models: one relation for each visible
// dataset and one without a root for each model that has metrics.
func (w *World) Relations() []Relation {
	var out []Relation
	for _, m := range w.order {
		for _, d := range m.Datasets() {
			if d.Hidden {
				continue
			}
			out = append(out, w.relation(m, d))
		}
		if len(m.Metrics()) > 0 {
			out = append(out, w.metrics(m))
		}
	}
	return out
}

func (w *World) relation(m *semantic.Model, d *semantic.Dataset) Relation {
	r := Relation{Schema: m.Name(), Name: d.Name, Comment: d.Description, Dataset: d}
	for _, v := range d.Members() {
		r.Columns = append(r.Columns, RelationColumn{Name: v.Name, Comment: v.Field.Description, Expr: v.Field.Expr.String(), Type: v.Field.Type})
	}
	r.Columns = append(r.Columns, measureColumns(d.Measures())...)
	r.PrimaryKey = fieldsOf(d, d.PrimaryKey)
	for _, e := range m.Relationships() {
		if e.From != d || e.To.Hidden || e.Cardinality() == "many-to-many" || e.Cardinality() == "one-to-many" {
			continue
		}
		from, to := fieldsOf(e.From, e.FromColumns), fieldsOf(e.To, e.ToColumns)
		if from != nil && to != nil {
			r.ForeignKeys = append(r.ForeignKeys, ForeignKey{Name: e.Name, Columns: from, Schema: m.Name(), Relation: e.To.Name, RefColumns: to})
		}
	}
	return r
}

func (w *World) metrics(m *semantic.Model) Relation {
	r := Relation{Schema: m.Name(), Name: semantic.MetricsRelation, Comment: "Every metric of the model by the dimensions that they share; no relation decides which rows there are."}
	if hasDefaultTime(m) {
		r.Columns = append(r.Columns, RelationColumn{Name: semantic.MetricTime, Comment: "Each metric's own default time."})
	}
	for _, f := range m.Dimensions() {
		r.Columns = append(r.Columns, RelationColumn{Name: f.Name, Comment: f.Description, Expr: f.Expr.String(), Type: f.Type})
	}
	for _, v := range m.RoleDimensions() {
		r.Columns = append(r.Columns, RelationColumn{Name: v.Name, Comment: v.Field.Description, Expr: v.Field.Expr.String(), Type: v.Field.Type})
	}
	var visible []*semantic.Metric
	for _, x := range m.Metrics() {
		if !x.Hidden {
			visible = append(visible, x)
		}
	}
	r.Columns = append(r.Columns, measureColumns(visible)...)
	return r
}

func hasDefaultTime(m *semantic.Model) bool {
	return slices.ContainsFunc(m.Datasets(), func(d *semantic.Dataset) bool {
		return slices.ContainsFunc(d.Roles, func(r *semantic.Role) bool { return r.Default }) || len(d.Roles) == 1
	})
}

func measureColumns(metrics []*semantic.Metric) []RelationColumn {
	var out []RelationColumn
	for _, x := range metrics {
		comment := x.Description
		if comment != "" {
			comment += " "
		}
		comment += "[" + x.Text
		if x.Filter != nil {
			comment += " where " + x.Filter.String()
		}
		comment += "; " + string(x.Additivity()) + "]"
		out = append(out, RelationColumn{Name: x.Name, Comment: comment, Measure: true, Expr: x.Text, Type: x.Type})
	}
	return out
}

// fieldsOf names the fields that show physical columns; nil if one is not shown.
func fieldsOf(d *semantic.Dataset, columns []string) []string {
	var out []string
	for _, c := range columns {
		found := ""
		for _, f := range d.Fields {
			if f.Column() == c && !f.Hidden {
				found = f.Name
				break
			}
		}
		if found == "" {
			return nil
		}
		out = append(out, found)
	}
	return out
}
