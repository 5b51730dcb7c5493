package semantic

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("rewrite", false, "write the expected output into testdata")

// text is an expression for tests: words with dots are references.
type text string

func (t text) String() string { return string(t) }

func (t text) Refs() []Ref {
	var out []Ref
	for _, w := range strings.FieldsFunc(string(t), func(r rune) bool { return strings.ContainsRune(" ()=<>+-*/,'1234567890", r) }) {
		if w == "" || strings.ToUpper(w) == w {
			continue
		}
		parts := strings.Split(w, ".")
		out = append(out, Ref{Path: parts[:len(parts)-1], Name: parts[len(parts)-1]})
	}
	return out
}

func aggregate(fn, arg string) *Formula {
	return &Formula{Text: strings.ToUpper(fn) + "(" + arg + ")", Aggregates: []AggregateDef{{Func: fn, Arg: text(strings.ToUpper(fn) + "(" + arg + ")")}}}
}

// flights has two relationships to one dataset, a composite key, a bridge and a
// dataset without a key.
func flights() Def {
	ds := func(name string, key []string, fields ...string) DatasetDef {
		d := DatasetDef{Name: name, Source: [3]string{"", "raw", name}, PrimaryKey: key}
		for _, f := range fields {
			d.Fields = append(d.Fields, FieldDef{Name: f, Expr: text(f)})
		}
		return d
	}
	legs := ds("legs", []string{"flight", "day"}, "flight", "day", "origin", "destination", "miles", "delay")
	legs.Roles = []RoleDef{{Name: "flown", Field: "day", Default: true}}
	return Def{
		Name: "air",
		Datasets: []DatasetDef{
			ds("airports", []string{"code"}, "code", "city", "elevation"),
			legs,
			ds("seats", []string{"seat"}, "seat", "flight", "day", "fare"),
			ds("crews", []string{"flight", "day", "person"}, "flight", "day", "person"),
			ds("people", []string{"person"}, "person", "base", "salary"),
			ds("complaints", nil, "seat", "severity"),
		},
		Relations: []RelationshipDef{
			{Name: "leg_origin", From: "legs", To: "airports", FromColumns: []string{"origin"}, ToColumns: []string{"code"}, Role: "origin"},
			{Name: "leg_destination", From: "legs", To: "airports", FromColumns: []string{"destination"}, ToColumns: []string{"code"}, Role: "destination"},
			{Name: "seat_leg", From: "seats", To: "legs", FromColumns: []string{"day", "flight"}, ToColumns: []string{"day", "flight"}},
			{Name: "crew_leg", From: "crews", To: "legs", FromColumns: []string{"flight", "day"}, ToColumns: []string{"flight", "day"}},
			{Name: "crew_person", From: "crews", To: "people", FromColumns: []string{"person"}, ToColumns: []string{"person"}},
			{Name: "complaint_seat", From: "complaints", To: "seats", FromColumns: []string{"seat"}, ToColumns: []string{"seat"}},
		},
		Metrics: []MetricDef{
			{Name: "legs_flown", Formula: aggregate("count", "legs.flight")},
			{Name: "miles", Formula: aggregate("sum", "legs.miles")},
			{Name: "fares", Formula: aggregate("sum", "seats.fare")},
			{Name: "payroll", Formula: aggregate("sum", "people.salary")},
			{Name: "severity", Formula: aggregate("max", "complaints.severity")},
			{Name: "late", Formula: aggregate("count", "legs.flight"), Filter: text("legs.delay > 15")},
			{Name: "fare_per_mile", Formula: &Formula{Text: "fares / miles", Outer: text("$1 / $2"), Metrics: []string{"fares", "miles"}}},
			{Name: "uphill", Formula: aggregate("sum", "legs.miles"), Filter: text("destination.elevation > 1000")},
		},
	}
}

// TestPlans reads testdata/plans.txt: a question in lines of `from`, `join`,
// `by`, `where`, `metric`, `rows`, then the plan or the error that must come.
func TestPlans(t *testing.T) {
	m, faults := New(flights())
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	const file = "testdata/plans.txt"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range strings.Split(strings.TrimSpace(string(raw)), "\n\n") {
		question, want, _ := strings.Cut(c+"\n", "\n----\n")
		want = strings.TrimSuffix(want, "\n")
		got := answer(m, question)
		out = append(out, question+"\n----\n"+got)
		if !*update && got != want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", question, got, want)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(out, "\n\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func answer(m *Model, question string) string {
	b := NewBlock(m)
	q := &Query{Block: b}
	members := func(words []string) ([]*Member, error) {
		var out []*Member
		for _, w := range words {
			parts := strings.Split(w, ".")
			var mem *Member
			var err error
			switch {
			case q.Rootless:
				mem, err = b.Dimension(parts)
			case len(parts) == 1:
				mem, err = b.Member(b.Roots[0], w)
			default:
				var ok bool
				if mem, ok, err = b.Dotted(b.Roots[0], parts); err == nil && !ok {
					err = fmt.Errorf("%s means nothing", w)
				}
			}
			if err != nil {
				return nil, err
			}
			out = append(out, mem)
		}
		return out, nil
	}
	fail := func(err error) string {
		if e, ok := err.(*Error); ok && e.Hint != "" {
			return "error: " + e.Message + "\nhint: " + e.Hint
		}
		return "error: " + err.Error()
	}
	for _, line := range strings.Split(question, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		var err error
		switch word {
		case "from":
			if rest == MetricsRelation {
				q.Rootless = true
				continue
			}
			d, _ := m.Dataset(rest)
			b.Add(d)
		case "join": // join seats along seat_leg, or join outside
			to, edge, _ := strings.Cut(rest, " along ")
			d, _ := m.Dataset(to)
			g := b.Add(d)
			for _, r := range m.Relationships() {
				if r.Name == edge {
					e := Edge{Rel: r}
					if r.To == b.Roots[0].Dataset {
						e.Back = true
					}
					b.Unify(b.Roots[0], e, g)
				}
			}
		case "by":
			q.Keys, err = members(strings.Fields(rest))
		case "where":
			q.Where, err = members(strings.Fields(rest))
		case "rows":
			q.Plain = true
			q.PlainMembers, err = members(strings.Fields(rest))
		case "metric":
			for _, name := range strings.Fields(rest) {
				x, ok := m.Metric(name)
				if !ok {
					return "no metric " + name
				}
				q.Metrics = append(q.Metrics, MetricUse{Metric: x})
			}
		}
		if err != nil {
			return fail(err)
		}
	}
	p, err := q.Plan()
	if err != nil {
		return fail(err)
	}
	var s strings.Builder
	for _, part := range p.Parts {
		var calls, nodes []string
		for _, c := range part.Calls {
			text := c.Aggregate.Arg.String()
			for _, f := range c.Filters {
				text += " where " + f.String()
			}
			if c.Guard {
				text += " guarded"
			}
			calls = append(calls, text)
		}
		for _, n := range part.Nodes {
			switch {
			case n.Dataset == nil:
				nodes = append(nodes, "outside")
			case n.Parent == nil:
				nodes = append(nodes, n.Dataset.Name)
			default:
				nodes = append(nodes, n.Root.Dataset.Name+"."+PathString(n.Path()))
			}
		}
		what := "part"
		switch {
		case p.Flat:
			what = "flat"
		case part.Rows && part.Home == nil:
			what = "groups"
		case part.Plain:
			what = "rows"
		}
		if part.Distinct {
			what += " distinct"
		}
		fmt.Fprintf(&s, "%s: %s\n  over %s\n", what, strings.Join(calls, ", "), strings.Join(nodes, ", "))
	}
	return strings.TrimRight(s.String(), "\n")
}

func TestFaultsAreReportedAllAtOnce(t *testing.T) {
	d := flights()
	d.Relations[0].To = "airprots"
	d.Relations[2].ToColumns = []string{"day"}
	d.Metrics[0].Formula = aggregate("count", "legs.fligth")
	d.Metrics[6].Formula = &Formula{Text: "fares / mile", Outer: text("$1 / $2"), Metrics: []string{"fares", "mile"}}
	d.Metrics[1].Formula = aggregate("sum", "seats.fare * people.salary")
	d.Datasets[1].Roles[0].Field = "dya"
	_, faults := New(d)
	var got []string
	for _, f := range faults {
		got = append(got, f.Message+" / "+f.Hint)
	}
	want := []string{
		`role "flown" names no field of dataset "legs": "dya" / Did you mean "day"?`,
		`relationship "leg_origin" leads to an unknown dataset "airprots" / Did you mean "airports"?`,
		`relationship "seat_leg" joins 2 columns to 1 / List from_columns and to_columns in pairs.`,
		`metric "legs_flown": field of dataset "legs", "fligth" does not exist / Did you mean "flight"?`,
		`metric "miles": none of the datasets "seats", "people" reaches the others along to-one relationships / Aggregate each dataset in a metric of its own and combine the metrics.`,
		`metric "fare_per_mile" uses an unknown metric "mile" / Did you mean "miles" or "fare_per_mile"?`,
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
}

func TestCyclesAreFaults(t *testing.T) {
	d := flights()
	d.Metrics[1].Formula = &Formula{Text: "fare_per_mile", Metrics: []string{"fare_per_mile"}}
	if _, faults := New(d); len(faults) != 1 || !strings.Contains(faults[0].Message, "made of itself") {
		t.Errorf("metric cycle: %v", faults)
	}
	d = flights()
	d.Datasets[0].Fields[1].Expr = text("elevation")
	d.Datasets[0].Fields[2].Expr = text("city")
	if _, faults := New(d); len(faults) != 1 || !strings.Contains(faults[0].Message, "made of itself") {
		t.Errorf("field cycle: %v", faults)
	}
}

func TestEqualModelsHaveEqualHashes(t *testing.T) {
	a, _ := New(flights())
	b, _ := New(flights())
	d := flights()
	d.Metrics[5].Filter = text("legs.delay > 16")
	c, _ := New(d)
	if a.Hash() != b.Hash() || a.Hash() == c.Hash() {
		t.Errorf("hashes %s %s %s", a.Hash(), b.Hash(), c.Hash())
	}
}

func TestNearest(t *testing.T) {
	known := []string{"revenue", "region", "order_count", "orders"}
	for name, want := range map[string]string{"revenu": "revenue", "regoin": "region", "order": "orders order_count", "count": "order_count", "zzz": ""} {
		if got := strings.Join(Nearest(name, known), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
