// Package reference evaluates questions to a model by brute force, straight from
// the definition of a measure: hold the tables as rows, build every combination,
// keep those that pass the filter, collect the distinct home rows of each group,
// aggregate. It shares no code with the compiler that it judges.
package reference

import (
	"fmt"
	"sort"
	"strings"
)

// A Value is an integer or NULL.
type Value struct {
	Null bool
	Int  int64
}

// Null is the missing value.
var Null = Value{Null: true}

// Int is a present value.
func Int(i int64) Value { return Value{Int: i} }

func (v Value) String() string {
	if v.Null {
		return "NULL"
	}
	return fmt.Sprint(v.Int)
}

// A Table is rows of named columns.
type Table struct {
	Name    string
	Columns []string
	Rows    []map[string]Value
}

// A Step leads from a row to rows of another table by equality of two columns.
type Step struct {
	To        *Table
	Near, Far string
	Word      string // how a client writes it
}

// A Path is steps from a FROM item; its Key tells paths apart.
type Path struct {
	Item  int
	Steps []Step
}

// Key is equal for equal paths.
func (p Path) Key() string {
	var b strings.Builder
	fmt.Fprint(&b, p.Item)
	for _, s := range p.Steps {
		b.WriteString("/" + s.Word)
	}
	return b.String()
}

// Table is the table at the end.
func (p Path) Table(q *Query) *Table {
	if len(p.Steps) == 0 {
		return q.Items[p.Item]
	}
	return p.Steps[len(p.Steps)-1].To
}

// A Column is a column at the end of a path.
type Column struct {
	Path Path
	Name string
}

// A Truth is SQL's: true, false or unknown.
type Truth int

// The three truths.
const (
	False Truth = iota
	Unknown
	True
)

// A Condition is a filter over columns.
type Condition struct {
	// Op is "=", "<>", "<", "null", "and", "or", "not".
	Op     string
	Column Column
	Other  *Column // compared with a column instead of Int
	Int    int64
	Args   []*Condition
}

// A Metric aggregates a column of its home.
type Metric struct {
	Home   Path   // from an item
	Func   string // sum, count, distinct, max
	Column string
	Filter *Condition // over columns of the home: paths of no steps
	Where  *Condition // the client's FILTER, over the joined rows
}

// A Query is one SELECT with groups. Items are joined in order: Joins[i] says
// how item i+1 joins what stands before it.
type Query struct {
	Items   []*Table
	Joins   []Join
	Keys    []Column
	Where   *Condition
	Metrics []Metric
	Rollup  bool
	Count   bool // COUNT(*): the rows of FROM, each once
	// Merged are paths that another item stands for, by the key of the path.
	Merged map[string]int
}

// A Join joins an item to those before it.
type Join struct {
	Left bool
	On   *Condition
}

// tuple is one combination: the row of each path, -1 for none.
type tuple map[string]int

// Answer gives the rows of the query as text, one line each, sorted.
func Answer(q *Query) []string {
	keySets := [][]bool{all(len(q.Keys))}
	if q.Rollup {
		keySets = nil
		for n := len(q.Keys); n >= 0; n-- {
			set := make([]bool, len(q.Keys))
			for i := 0; i < n; i++ {
				set[i] = true
			}
			keySets = append(keySets, set)
		}
	}
	var out []string
	for _, set := range keySets {
		out = append(out, answerSet(q, set)...)
	}
	sort.Strings(out)
	return out
}

// AnswerRootless gives the rows of a question to the relation without a root:
// each metric over its own home, the groups of all together. The homes are the
// items of the queries, which differ in nothing else that matters.
func AnswerRootless(queries []*Query) []string {
	groups := map[string][]string{}
	var order []string
	for i, q := range queries {
		for _, line := range Answer(q) {
			key, value, keyed := "", line, len(q.Keys) > 0
			if keyed {
				cut := strings.LastIndexByte(line, '|')
				key, value = line[:cut], line[cut+1:]
			}
			row, ok := groups[key]
			if !ok {
				order = append(order, key)
				for _, o := range queries {
					missing := "NULL"
					if f := o.Metrics[0].Func; f == "count" || f == "distinct" {
						missing = "0"
					}
					row = append(row, missing)
				}
				groups[key] = row
			}
			row[i] = value
		}
	}
	var out []string
	for _, key := range order {
		line := strings.Join(groups[key], "|")
		if len(queries[0].Keys) > 0 {
			line = key + "|" + line
		}
		out = append(out, line)
	}
	sort.Strings(out)
	return out
}

func all(n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	return out
}

func answerSet(q *Query, set []bool) []string {
	var order []string
	groups := map[string]bool{}
	label := func(t tuple) string {
		var parts []string
		for i, k := range q.Keys {
			if !set[i] {
				parts = append(parts, "NULL")
				continue
			}
			parts = append(parts, value(q, t, k).String())
		}
		return strings.Join(parts, "|")
	}
	var keyPaths []Path
	for _, k := range q.Keys {
		keyPaths = append(keyPaths, k.Path)
	}
	keyPaths = append(keyPaths, pathsOf(q.Where)...)
	for _, t := range tuples(q, keyPaths) {
		if g := label(t); !groups[g] {
			groups[g] = true
			order = append(order, g)
		}
	}
	if none(set) && len(order) == 0 {
		order = append(order, label(nil))
	}
	rows := make([][]string, len(order))
	for _, m := range q.Metrics {
		visible := map[string]map[int]bool{}
		home := Canonical(q, m.Home)
		paths := append([]Path{m.Home}, keyPaths...)
		for _, t := range tuples(q, append(paths, pathsOf(m.Where)...)) {
			row, ok := t[home]
			if !ok || row < 0 || m.Where != nil && truth(q, t, m.Where) != True {
				continue
			}
			g := label(t)
			if visible[g] == nil {
				visible[g] = map[int]bool{}
			}
			visible[g][row] = true
		}
		for i, g := range order {
			rows[i] = append(rows[i], aggregate(q, m, visible[g]).String())
		}
	}
	if q.Count {
		seen := map[string]map[string]bool{}
		for _, t := range tuples(q, keyPaths) {
			g, id := label(t), ""
			for i := range q.Items {
				id += fmt.Sprint(t[fmt.Sprint(i)], "/")
			}
			if seen[g] == nil {
				seen[g] = map[string]bool{}
			}
			seen[g][id] = true
		}
		for i, g := range order {
			rows[i] = append(rows[i], fmt.Sprint(len(seen[g])))
		}
	}
	var out []string
	for i, g := range order {
		line := append([]string{}, rows[i]...)
		if len(q.Keys) > 0 {
			line = append([]string{g}, line...)
		}
		if q.Rollup {
			mask := 0
			for j := range set {
				mask <<= 1
				if !set[j] {
					mask |= 1
				}
			}
			line = append(line, fmt.Sprint(mask))
		}
		out = append(out, strings.Join(line, "|"))
	}
	return out
}

func none(set []bool) bool {
	for _, s := range set {
		if s {
			return false
		}
	}
	return true
}

// Canonical is the key of a path, an item's where the path is merged with it.
func Canonical(q *Query, p Path) string {
	at := Path{Item: p.Item}
	for _, s := range p.Steps {
		at = Path{Item: at.Item, Steps: append(append([]Step{}, at.Steps...), s)}
		if item, ok := q.Merged[at.Key()]; ok {
			at = Path{Item: item}
		}
	}
	return at.Key()
}

// tuples builds the join as written, extends it along the paths, and filters.
func tuples(q *Query, paths []Path) []tuple {
	list := []tuple{}
	for i := range q.Items[0].Rows {
		list = append(list, tuple{"0": i})
	}
	for j, join := range q.Joins {
		item := fmt.Sprint(j + 1)
		var next []tuple
		for _, t := range list {
			hit := false
			for i := range q.Items[j+1].Rows {
				c := t.with(item, i)
				for _, e := range extend(q, c, pathsOf(join.On)) {
					if truth(q, e, join.On) == True {
						next, hit = append(next, c), true
						break
					}
				}
			}
			if !hit && join.Left {
				next = append(next, t.with(item, -1))
			}
		}
		list = next
	}
	var out []tuple
	for _, t := range list {
		for _, e := range extend(q, t, paths) {
			if q.Where == nil || truth(q, e, q.Where) == True {
				out = append(out, e)
			}
		}
	}
	return out
}

func (t tuple) with(key string, row int) tuple {
	c := tuple{}
	for k, v := range t {
		c[k] = v
	}
	c[key] = row
	return c
}

// extend joins the rows along each path to a tuple, keeping it where there are
// none.
func extend(q *Query, t tuple, paths []Path) []tuple {
	list := []tuple{t}
	for _, p := range paths {
		at := Path{Item: p.Item}
		for _, s := range p.Steps {
			next := Path{Item: at.Item, Steps: append(append([]Step{}, at.Steps...), s)}
			if item, ok := q.Merged[next.Key()]; ok {
				at = Path{Item: item}
				continue
			}
			var grown []tuple
			for _, u := range list {
				if _, done := u[next.Key()]; done {
					grown = append(grown, u)
					continue
				}
				from := u[at.Key()]
				hit := false
				if from >= 0 {
					near := at.Table(q).Rows[from][s.Near]
					for i, r := range s.To.Rows {
						if !near.Null && !r[s.Far].Null && near.Int == r[s.Far].Int {
							grown, hit = append(grown, u.with(next.Key(), i)), true
						}
					}
				}
				if !hit {
					grown = append(grown, u.with(next.Key(), -1))
				}
			}
			list, at = grown, next
		}
	}
	return list
}

func pathsOf(c *Condition) []Path {
	if c == nil {
		return nil
	}
	if len(c.Args) > 0 {
		var out []Path
		for _, a := range c.Args {
			out = append(out, pathsOf(a)...)
		}
		return out
	}
	out := []Path{c.Column.Path}
	if c.Other != nil {
		out = append(out, c.Other.Path)
	}
	return out
}

func value(q *Query, t tuple, c Column) Value {
	key := Canonical(q, c.Path)
	row, ok := t[key]
	if !ok || row < 0 {
		return Null
	}
	return tableOf(q, c.Path).Rows[row][c.Name]
}

func tableOf(q *Query, p Path) *Table { return p.Table(q) }

func truth(q *Query, t tuple, c *Condition) Truth {
	switch c.Op {
	case "and":
		worst := True
		for _, a := range c.Args {
			worst = min(worst, truth(q, t, a))
		}
		return worst
	case "or":
		best := False
		for _, a := range c.Args {
			best = max(best, truth(q, t, a))
		}
		return best
	case "not":
		return True - truth(q, t, c.Args[0])
	}
	return compare(c, value(q, t, c.Column), func() Value {
		if c.Other != nil {
			return value(q, t, *c.Other)
		}
		return Int(c.Int)
	})
}

func compare(c *Condition, v Value, other func() Value) Truth {
	if c.Op == "null" {
		return boolean(v.Null)
	}
	o := other()
	if v.Null || o.Null {
		return Unknown
	}
	switch c.Op {
	case "=":
		return boolean(v.Int == o.Int)
	case "<>":
		return boolean(v.Int != o.Int)
	}
	return boolean(v.Int < o.Int)
}

func boolean(b bool) Truth {
	if b {
		return True
	}
	return False
}

func aggregate(q *Query, m Metric, rows map[int]bool) Value {
	table := m.Home.Table(q)
	var sum, count, top int64
	seen := map[int64]bool{}
	any := false
	for i := range rows {
		r := table.Rows[i]
		if m.Filter != nil && compare(m.Filter, r[m.Filter.Column.Name], func() Value { return Int(m.Filter.Int) }) != True {
			continue
		}
		v := r[m.Column]
		if v.Null {
			continue
		}
		if !any || v.Int > top {
			top = v.Int
		}
		any = true
		sum += v.Int
		count++
		seen[v.Int] = true
	}
	switch m.Func {
	case "count":
		return Int(count)
	case "distinct":
		return Int(int64(len(seen)))
	}
	if !any {
		return Null
	}
	if m.Func == "max" {
		return Int(top)
	}
	return Int(sum)
}
