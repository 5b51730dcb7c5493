package semantic

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/pggate/pggate/semantic/sqltype"
)

// A Model is an immutable, validated set of datasets, relationships and
// metrics. It is safe for any number of goroutines; a change makes a new Model.
type Model struct {
	name          string
	description   string
	context       Context
	extensions    []Extension
	datasets      []*Dataset
	relationships []*Relationship
	metrics       []*Metric
	dataset       map[string]*Dataset
	metric        map[string]*Metric
	hash          string
}

// Name is the schema in which clients see the model.
func (m *Model) Name() string { return m.name }

// Description is the model's own sentence about itself.
func (m *Model) Description() string { return m.description }

// Datasets are all datasets in the order of the file, hidden ones too.
func (m *Model) Datasets() []*Dataset { return m.datasets }

// Relationships are all edges in the order of the file.
func (m *Model) Relationships() []*Relationship { return m.relationships }

// Metrics are all metrics in the order of the file, hidden ones too.
func (m *Model) Metrics() []*Metric { return m.metrics }

// Dataset finds a dataset by name.
func (m *Model) Dataset(name string) (*Dataset, bool) {
	d, ok := m.dataset[name]
	return d, ok
}

// Metric finds a metric by name.
func (m *Model) Metric(name string) (*Metric, bool) {
	x, ok := m.metric[name]
	return x, ok
}

// Hash names this model in cache keys: equal hashes mean equal answers.
func (m *Model) Hash() string { return m.hash }

// A Dataset is a table or query with a grain.
type Dataset struct {
	Name        string
	Description string
	Context     Context
	Extensions  []Extension
	Source      [3]string // database, schema, name; or
	Query       string    // a SELECT text
	PrimaryKey  []string  // physical columns; nil if none is declared
	UniqueKeys  [][]string
	Fields      []*Field
	Roles       []*Role
	Hidden      bool
	Pos         Pos

	model   *Model
	edges   []Edge // forward and backward
	members []Visible
	visible map[string]int // name to index of members
	measure []*Metric
	shadow  map[string][]string // ambiguous names and the choices
}

// Model is the model that the dataset belongs to.
func (d *Dataset) Model() *Model { return d.model }

// Field finds a field of the dataset itself.
func (d *Dataset) Field(name string) (*Field, bool) {
	for _, f := range d.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return nil, false
}

// Role finds a time role of the dataset itself.
func (d *Dataset) Role(name string) (*Role, bool) {
	for _, r := range d.Roles {
		if r.Name == name {
			return r, true
		}
	}
	return nil, false
}

// Members are the dimensions that a relation with this root shows: its own
// fields, then those along to-one paths, each under the name a client writes.
func (d *Dataset) Members() []Visible { return d.members }

// Measures are the metrics that a relation with this root shows.
func (d *Dataset) Measures() []*Metric { return d.measure }

// keyed reports whether columns hold a declared key of the dataset, so that at
// most one row has given values in them.
func (d *Dataset) keyed(columns []string) bool {
	holds := func(key []string) bool {
		if len(key) == 0 {
			return false
		}
		for _, k := range key {
			if !slices.Contains(columns, k) {
				return false
			}
		}
		return true
	}
	return holds(d.PrimaryKey) || slices.ContainsFunc(d.UniqueKeys, holds)
}

// A Visible is a dimension as a root shows it.
type Visible struct {
	Name  string // field, or role__field where the field's name alone is ambiguous
	Path  []Edge
	Field *Field
}

// A Field is a row-level attribute of a dataset.
type Field struct {
	Name        string
	Description string
	Label       string
	Context     Context
	Extensions  []Extension
	Dataset     *Dataset
	Expr        Expr
	Time        bool
	Type        sqltype.Type
	Hidden      bool
	Pos         Pos
}

// Column is the physical column that the field is, or "" if it is computed.
func (f *Field) Column() string {
	refs := f.Expr.Refs()
	if len(refs) == 1 && len(refs[0].Path) == 0 && f.Expr.String() == quoteIdent(refs[0].Name) {
		return refs[0].Name
	}
	return ""
}

// quoteIdent quotes a name as PostgreSQL's printer would, so far as Column
// needs it: what is not plain lower case is quoted.
func quoteIdent(s string) string {
	plain := s != ""
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c == '_' || i > 0 && (c >= '0' && c <= '9' || c == '$')) {
			plain = false
		}
	}
	if plain {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// A Role names what happened at a time field.
type Role struct {
	Name    string
	Field   *Field
	Default bool
}

// A Relationship is a to-one edge between datasets, by equality of columns.
type Relationship struct {
	Name        string
	From, To    *Dataset
	FromColumns []string
	ToColumns   []string
	Role        string
	Context     Context
	Extensions  []Extension
	Pos         Pos

	toOne   bool // a row of From has at most one row of To: ToColumns hold a key
	fromOne bool // and the other way round
}

// Cardinality is "many-to-one", "one-to-one", "one-to-many" or "many-to-many",
// read from From to To, as the declared keys have it.
func (r *Relationship) Cardinality() string {
	name := func(one bool) string {
		if one {
			return "one"
		}
		return "many"
	}
	return name(r.fromOne) + "-to-" + name(r.toOne)
}

// An Edge is a relationship walked in one direction.
type Edge struct {
	Rel  *Relationship
	Back bool // from To to From
}

// From is the dataset that the edge leaves.
func (e Edge) From() *Dataset {
	if e.Back {
		return e.Rel.To
	}
	return e.Rel.From
}

// To is the dataset that the edge reaches.
func (e Edge) To() *Dataset {
	if e.Back {
		return e.Rel.From
	}
	return e.Rel.To
}

// ToOne reports whether a row on the near side has at most one on the far side.
func (e Edge) ToOne() bool {
	if e.Back {
		return e.Rel.fromOne
	}
	return e.Rel.toOne
}

// Columns are the joined columns of the near and the far side, in pairs.
func (e Edge) Columns() (near, far []string) {
	if e.Back {
		return e.Rel.ToColumns, e.Rel.FromColumns
	}
	return e.Rel.FromColumns, e.Rel.ToColumns
}

// Word is the name under which a client walks the edge.
func (e Edge) Word() string {
	if e.Back {
		return e.Rel.From.Name
	}
	if e.Rel.Role != "" {
		return e.Rel.Role
	}
	return e.Rel.To.Name
}

func (e Edge) inverse() Edge { return Edge{Rel: e.Rel, Back: !e.Back} }

// A Metric is an aggregate, or arithmetic over aggregates and other metrics.
type Metric struct {
	Name        string
	Description string
	Context     Context
	Extensions  []Extension
	Type        sqltype.Type
	Format      string
	Hidden      bool
	Text        string // the formula as the file has it
	Filter      Expr   // rows that count, or nil
	Pos         Pos

	model      *Model
	aggregates []*Aggregate
	inputs     []*Metric
	outer      Expr
}

// Aggregates are the metric's own aggregate calls, slots 0.. of Outer.
func (m *Metric) Aggregates() []*Aggregate { return m.aggregates }

// Inputs are the metrics that the formula names, the slots after Aggregates.
func (m *Metric) Inputs() []*Metric { return m.inputs }

// Outer is the arithmetic around the slots; nil if slot 0 is the whole formula.
func (m *Metric) Outer() Expr { return m.outer }

// An Aggregate is one aggregate call over the rows of its home.
type Aggregate struct {
	Func     string
	Distinct bool
	Star     bool
	Arg      Expr // the whole call
	Filter   Expr // FILTER of the call, or nil
	Home     *Dataset
}

// Additivity says how values of a metric combine.
type Additivity string

// The classes of additivity, strongest first.
const (
	Additive    Additivity = "additive"     // sums of parts are the total
	SemiLattice Additivity = "semi-lattice" // min, max and the like
	Algebraic   Additivity = "algebraic"    // a function of additive parts
	Holistic    Additivity = "holistic"     // needs the rows
)

// Additivity is the class of the metric: the weakest of its parts, and at most
// algebraic where there is arithmetic around them.
func (m *Metric) Additivity() Additivity {
	order := []Additivity{Additive, SemiLattice, Algebraic, Holistic}
	worst := 0
	for _, a := range m.aggregates {
		worst = max(worst, slices.Index(order, a.additivity()))
	}
	for _, in := range m.inputs {
		worst = max(worst, slices.Index(order, in.Additivity()))
	}
	if m.outer != nil && worst < 2 {
		worst = 2
	}
	return order[worst]
}

func (a *Aggregate) additivity() Additivity {
	if a.Distinct && a.Func != "min" && a.Func != "max" {
		return Holistic
	}
	switch a.Func {
	case "sum", "count":
		return Additive
	case "min", "max", "bool_and", "bool_or", "every", "bit_and", "bit_or":
		return SemiLattice
	case "avg", "stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp":
		return Algebraic
	}
	return Holistic
}

// SingleAggregate gives the aggregate that the metric is, if it is one alone.
func (m *Metric) SingleAggregate() (*Aggregate, bool) {
	if m.outer == nil && len(m.aggregates) == 1 {
		return m.aggregates[0], true
	}
	if m.outer == nil && len(m.inputs) == 1 {
		return m.inputs[0].SingleAggregate()
	}
	return nil, false
}

// homes adds the homes of all aggregates inside the metric.
func (m *Metric) homes(add func(*Dataset)) {
	for _, a := range m.aggregates {
		add(a.Home)
	}
	for _, in := range m.inputs {
		in.homes(add)
	}
}

func hashDef(d *Def) string {
	h := sha256.New()
	w := func(parts ...string) {
		for _, p := range parts {
			h.Write([]byte(p))
			h.Write([]byte{0})
		}
	}
	text := func(e Expr) string {
		if e == nil {
			return ""
		}
		return e.String()
	}
	w(d.Name)
	for i := range d.Datasets {
		s := &d.Datasets[i]
		w("dataset", s.Name, s.Source[0], s.Source[1], s.Source[2], s.Query)
		w(s.PrimaryKey...)
		for _, k := range s.UniqueKeys {
			w("key")
			w(k...)
		}
		for _, f := range s.Fields {
			w("field", f.Name, text(f.Expr))
		}
		for _, r := range s.Roles {
			w("role", r.Name, r.Field)
		}
	}
	for _, r := range d.Relations {
		w("edge", r.Name, r.From, r.To, r.Role)
		w(r.FromColumns...)
		w("to")
		w(r.ToColumns...)
	}
	for _, m := range d.Metrics {
		w("metric", m.Name, m.Dataset, text(m.Filter))
		if m.Formula != nil {
			w(m.Formula.Text)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
