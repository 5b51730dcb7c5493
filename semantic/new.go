package semantic

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// New checks a definition and makes a Model of it. It reports everything wrong
// at once; the Model is nil then.
func New(def Def) (*Model, []Fault) {
	b := &builder{def: &def, m: &Model{
		name: def.Name, description: def.Description, context: def.Context, extensions: def.Extensions,
		dataset: map[string]*Dataset{}, metric: map[string]*Metric{},
	}}
	b.datasets()
	b.relationships()
	b.fields()
	b.metrics()
	if len(b.faults) > 0 {
		return nil, b.faults
	}
	for _, d := range b.m.datasets {
		d.index()
	}
	for _, d := range b.m.datasets {
		d.measures()
	}
	b.m.hash = hashDef(&def)
	return b.m, nil
}

// MetricsRelation is the name of the relation without a root.
const MetricsRelation = "metrics"

type builder struct {
	def    *Def
	m      *Model
	faults []Fault
}

func (b *builder) fault(pos Pos, hint, format string, args ...any) {
	b.faults = append(b.faults, Fault{Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (b *builder) datasets() {
	if b.def.Name == "" {
		b.fault(b.def.Pos, "Give the model a name: it becomes the schema that clients see.", "the model has no name")
	}
	for i := range b.def.Datasets {
		s := &b.def.Datasets[i]
		if _, dup := b.m.dataset[s.Name]; dup {
			b.fault(s.Pos, "Rename one of the two.", "dataset %q is defined twice", s.Name)
			continue
		}
		if s.Name == MetricsRelation {
			b.fault(s.Pos, "Rename the dataset.", "%q is the name of the relation without a root", s.Name)
		}
		d := &Dataset{
			Name: s.Name, Description: s.Description, Context: s.Context, Extensions: s.Extensions,
			Source: s.Source, Query: s.Query, PrimaryKey: s.PrimaryKey, UniqueKeys: s.UniqueKeys, Hidden: s.Hidden,
			Pos: s.Pos, model: b.m,
		}
		for _, f := range s.Fields {
			if _, dup := d.Field(f.Name); dup {
				b.fault(f.Pos, "Rename one of the two.", "field %q of dataset %q is defined twice", f.Name, s.Name)
				continue
			}
			d.Fields = append(d.Fields, &Field{
				Name: f.Name, Description: f.Description, Label: f.Label, Context: f.Context, Extensions: f.Extensions,
				Dataset: d, Expr: f.Expr, Time: f.Time, Type: f.Type, Hidden: f.Hidden, Pos: f.Pos,
			})
		}
		defaults := 0
		for _, r := range s.Roles {
			f, ok := d.Field(r.Field)
			if !ok {
				b.fault(r.Pos, didYouMean(r.Field, fieldNames(d)), "role %q names no field of dataset %q: %q", r.Name, d.Name, r.Field)
				continue
			}
			if _, dup := d.Role(r.Name); dup {
				b.fault(r.Pos, "Rename one of the two.", "role %q of dataset %q is defined twice", r.Name, d.Name)
				continue
			}
			if r.Default {
				defaults++
			}
			if defaults > 1 {
				b.fault(r.Pos, "Mark one role only as default.", "dataset %q has two default roles", d.Name)
			}
			d.Roles = append(d.Roles, &Role{Name: r.Name, Field: f, Default: r.Default})
		}
		b.m.dataset[d.Name] = d
		b.m.datasets = append(b.m.datasets, d)
	}
}

func (b *builder) relationships() {
	names := map[string]bool{}
	for i := range b.def.Relations {
		s := &b.def.Relations[i]
		from, okFrom := b.m.dataset[s.From]
		to, okTo := b.m.dataset[s.To]
		if !okFrom {
			b.fault(s.Pos, didYouMean(s.From, b.datasetNames()), "relationship %q starts at an unknown dataset %q", s.Name, s.From)
		}
		if !okTo {
			b.fault(s.Pos, didYouMean(s.To, b.datasetNames()), "relationship %q leads to an unknown dataset %q", s.Name, s.To)
		}
		if names[s.Name] {
			b.fault(s.Pos, "Rename one of the two.", "relationship %q is defined twice", s.Name)
		}
		names[s.Name] = true
		if len(s.FromColumns) == 0 || len(s.FromColumns) != len(s.ToColumns) {
			b.fault(s.Pos, "List from_columns and to_columns in pairs.", "relationship %q joins %d columns to %d", s.Name, len(s.FromColumns), len(s.ToColumns))
			continue
		}
		if !okFrom || !okTo {
			continue
		}
		r := &Relationship{
			Name: s.Name, From: from, To: to, FromColumns: s.FromColumns, ToColumns: s.ToColumns, Role: s.Role,
			Context: s.Context, Extensions: s.Extensions, Pos: s.Pos,
			toOne: to.keyed(s.ToColumns), fromOne: from.keyed(s.FromColumns),
		}
		b.m.relationships = append(b.m.relationships, r)
		from.edges = append(from.edges, Edge{Rel: r})
		to.edges = append(to.edges, Edge{Rel: r, Back: true})
	}
}

func (b *builder) datasetNames() []string {
	var names []string
	for _, d := range b.m.datasets {
		names = append(names, d.Name)
	}
	return names
}

func fieldNames(d *Dataset) []string {
	var names []string
	for _, f := range d.Fields {
		names = append(names, f.Name)
	}
	return names
}

func didYouMean(name string, known []string) string {
	if near := Nearest(name, known); len(near) > 0 {
		return "Did you mean " + strings.Join(quoteAll(near), " or ") + "?"
	}
	return ""
}

// fields checks that what field expressions name can be reached, and that no
// field is made of itself.
func (b *builder) fields() {
	for _, d := range b.m.datasets {
		for _, f := range d.Fields {
			if f.Expr == nil {
				continue
			}
			for _, ref := range f.Expr.Refs() {
				if _, err := b.resolve(d, f, ref); err != nil {
					b.fault(f.Pos, err.Hint, "field %q of dataset %q: %s", f.Name, d.Name, err.Message)
				}
			}
		}
	}
	state := map[*Field]int{}
	var visit func(f *Field) bool
	visit = func(f *Field) bool {
		if state[f] == 2 {
			return true
		}
		if state[f] == 1 {
			return false
		}
		state[f] = 1
		for _, ref := range f.Expr.Refs() {
			if t, err := b.resolve(f.Dataset, f, ref); err == nil && t.Field != nil && !visit(t.Field) {
				return false
			}
		}
		state[f] = 2
		return true
	}
	for _, d := range b.m.datasets {
		for _, f := range d.Fields {
			if f.Expr != nil && !visit(f) {
				b.fault(f.Pos, "Write one of the fields over columns of the source.", "field %q of dataset %q is made of itself", f.Name, d.Name)
				return
			}
		}
	}
}

func (b *builder) resolve(d *Dataset, in *Field, ref Ref) (Target, *Error) {
	t, err := d.Resolve(in, ref)
	var e *Error
	if err != nil && errors.As(err, &e) {
		return t, e
	}
	return t, nil
}

func (b *builder) metrics() {
	for i := range b.def.Metrics {
		s := &b.def.Metrics[i]
		if _, dup := b.m.metric[s.Name]; dup {
			b.fault(s.Pos, "Rename one of the two.", "metric %q is defined twice", s.Name)
			continue
		}
		m := &Metric{
			Name: s.Name, Description: s.Description, Context: s.Context, Extensions: s.Extensions,
			Type: s.Type, Format: s.Format, Hidden: s.Hidden, Filter: s.Filter, Pos: s.Pos, model: b.m,
		}
		b.m.metric[s.Name] = m
		b.m.metrics = append(b.m.metrics, m)
	}
	for i := range b.def.Metrics {
		s := &b.def.Metrics[i]
		m := b.m.metric[s.Name]
		if s.Formula == nil || m == nil || m.Pos != s.Pos {
			continue
		}
		m.Text, m.outer = s.Formula.Text, s.Formula.Outer
		for _, name := range s.Formula.Metrics {
			in, ok := b.m.metric[name]
			if !ok {
				b.fault(s.Pos, didYouMean(name, b.metricNames()), "metric %q uses an unknown metric %q", s.Name, name)
				continue
			}
			m.inputs = append(m.inputs, in)
		}
		for j := range s.Formula.Aggregates {
			if a := b.aggregate(s, &s.Formula.Aggregates[j]); a != nil {
				m.aggregates = append(m.aggregates, a)
			}
		}
	}
	b.metricCycles()
	if len(b.faults) > 0 {
		return
	}
	for i := range b.def.Metrics {
		s := &b.def.Metrics[i]
		if s.Filter == nil {
			continue
		}
		b.m.metric[s.Name].homes(func(home *Dataset) {
			for _, ref := range s.Filter.Refs() {
				if _, err := b.resolveHome(home, ref); err != nil {
					b.fault(s.Pos, err.Hint, "the filter of metric %q: %s", s.Name, err.Message)
				}
			}
		})
	}
}

func (b *builder) metricNames() []string {
	var names []string
	for _, m := range b.m.metrics {
		names = append(names, m.Name)
	}
	return names
}

func (b *builder) metricCycles() {
	state := map[*Metric]int{}
	var visit func(m *Metric) bool
	visit = func(m *Metric) bool {
		switch state[m] {
		case 1:
			return false
		case 2:
			return true
		}
		state[m] = 1
		for _, in := range m.inputs {
			if !visit(in) {
				return false
			}
		}
		state[m] = 2
		return true
	}
	for _, m := range b.m.metrics {
		if !visit(m) {
			b.fault(m.Pos, "Write one of the metrics over fields.", "metric %q is made of itself", m.Name)
			return
		}
	}
}

// resolveHome resolves a name of a metric's text against its home. A dotted
// name that starts with a dataset is looked up along to-one paths.
func (b *builder) resolveHome(home *Dataset, ref Ref) (Target, *Error) {
	return b.resolve(home, nil, ref)
}

// aggregate finds the home of one aggregate: the finest of the datasets that it
// names, from which all others are reached along to-one paths.
func (b *builder) aggregate(s *MetricDef, def *AggregateDef) *Aggregate {
	a := &Aggregate{Func: def.Func, Distinct: def.Distinct, Star: def.Star, Arg: def.Arg, Filter: def.Filter}
	var named []*Dataset
	refs := slices.Clone(def.Arg.Refs())
	if def.Filter != nil {
		refs = append(refs, def.Filter.Refs()...)
	}
	own := b.m.dataset[s.Dataset]
	if s.Dataset != "" && own == nil {
		b.fault(s.Pos, didYouMean(s.Dataset, b.datasetNames()), "metric %q belongs to an unknown dataset %q", s.Name, s.Dataset)
		return nil
	}
	for _, ref := range refs {
		if len(ref.Path) == 0 {
			if own == nil {
				b.fault(s.Pos, fmt.Sprintf("Write dataset.%s, or the name of a metric outside of an aggregate.", ref.Name), "metric %q: %q has no dataset in front of it", s.Name, ref.Name)
				return nil
			}
			if !slices.Contains(named, own) {
				named = append(named, own)
			}
			continue
		}
		d, ok := b.m.dataset[ref.Path[0]]
		if !ok {
			b.fault(s.Pos, didYouMean(ref.Path[0], b.datasetNames()), "metric %q names an unknown dataset %q", s.Name, ref.Path[0])
			return nil
		}
		if !slices.Contains(named, d) {
			named = append(named, d)
		}
	}
	if len(named) == 0 && own == nil && s.Filter != nil { // count(*) of what the filter speaks of
		for _, ref := range s.Filter.Refs() {
			if len(ref.Path) > 0 {
				if d := b.m.dataset[ref.Path[0]]; d != nil && !slices.Contains(named, d) {
					named = append(named, d)
				}
			}
		}
	}
	if len(named) == 0 {
		named = append(named, own)
	}
	if own != nil && !slices.Contains(named, own) {
		named = append(named, own)
	}
	if named[0] == nil {
		b.fault(s.Pos, `Name the dataset: {"dataset": "..."} in the PGGATE extension, or count a column of it.`, "metric %q does not say which rows it aggregates", s.Name)
		return nil
	}
	for _, d := range named {
		if b.reachesAll(d, named) {
			if a.Home != nil && a.Home != own {
				if d != own {
					continue
				}
			}
			a.Home = d
		}
	}
	if a.Home == nil {
		var names []string
		for _, d := range named {
			names = append(names, d.Name)
		}
		b.fault(s.Pos, "Aggregate each dataset in a metric of its own and combine the metrics.", "metric %q: none of the datasets %s reaches the others along to-one relationships", s.Name, strings.Join(quoteAll(names), ", "))
		return nil
	}
	for _, ref := range refs {
		if _, err := b.resolveHome(a.Home, ref); err != nil {
			b.fault(s.Pos, err.Hint, "metric %q: %s", s.Name, err.Message)
			return nil
		}
	}
	return a
}

func (b *builder) reachesAll(from *Dataset, all []*Dataset) bool {
	for _, d := range all {
		if _, err := from.toOnePath(d); err != nil {
			return false
		}
	}
	return true
}

// measures lists the metrics that can be asked with root d: every home is
// connected with it in one way.
func (d *Dataset) measures() {
	for _, m := range d.model.metrics {
		if m.Hidden {
			continue
		}
		reachable := true
		m.homes(func(home *Dataset) {
			if _, err := d.pathTo(home); err != nil {
				reachable = false
			}
		})
		if reachable {
			d.measure = append(d.measure, m)
		}
	}
}
