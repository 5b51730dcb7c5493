package osi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/semantic"
)

// The dialects that are chosen where an expression is written in several, best
// first, and those whose text is no SQL at all.
var (
	preferred = [...]string{"DUCKDB", "ANSI_SQL"}
	notSQL    = [...]string{"MDX", "DAX", "TABLEAU", "MAQL"}
	otherSQL  = [...]string{"SNOWFLAKE", "DATABRICKS", "BIGQUERY", "THOUGHTSPOT"}
)

// expressionText gives the text of the expression under the key "expression" of
// o, in the dialect that suits best; nil if there is none to read. The short
// form, a string alone, is ANSI_SQL.
func (m *modelReader) expressionText(o *document.Object) *document.Node {
	n := o.Need("expression")
	switch {
	case n == nil:
		return nil
	case n.Kind == document.String:
		return m.notBlank(n, o.What)
	case n.Kind != document.Map:
		m.r.Fault(n.Pos(), "", `"expression" of %s must be a string or a map with the key "dialects", not %s`, o.What, n.Kind)
		return nil
	}
	e, _ := m.r.Object(n, "the expression of "+o.What)
	dialects := e.Need("dialects")
	if dialects == nil || dialects.Kind != document.List || len(dialects.Items) == 0 {
		if dialects != nil {
			m.r.Fault(dialects.Pos(), "", `"dialects" of the expression of %s must be a list of at least one`, o.What)
		}
		e.Done(m.newer)
		return nil
	}
	texts, order := map[string]*document.Node{}, []string(nil)
	for _, item := range dialects.Items {
		d, ok := m.r.Object(item, "a dialect of "+o.What)
		if !ok {
			continue
		}
		name, at := d.NeedText("dialect")
		_, text := d.NeedText("expression")
		d.Done(m.newer)
		if at == nil || text == nil {
			continue
		}
		if texts[name] != nil {
			m.r.Fault(at.Pos(), "", "%s has two expressions in dialect %q", o.What, name)
			continue
		}
		m.checkDialect(name, at)
		texts[name], order = text, append(order, name)
	}
	e.Done(m.newer)
	return m.choose(texts, order, dialects, o.What)
}

// checkDialect warns of a dialect that is not known: it may be a newer one, or
// a slip of the keyboard that hides the expression that was meant.
func (m *modelReader) checkDialect(name string, at *document.Node) {
	known := slices.Concat(preferred[:], notSQL[:], otherSQL[:])
	if slices.Contains(known, name) {
		return
	}
	hint := ""
	if near := semantic.Nearest(name, known); len(near) > 0 {
		hint = fmt.Sprintf("Did you mean %q?", near[0])
	}
	m.r.Warn(at.Pos(), hint, "%q is no dialect that is known", name)
}

func (m *modelReader) choose(texts map[string]*document.Node, order []string, list *document.Node, what string) *document.Node {
	for _, name := range preferred {
		if texts[name] != nil {
			return texts[name]
		}
	}
	for _, name := range order {
		if !slices.Contains(notSQL[:], name) {
			m.r.Warn(texts[name].Pos(), "Add the expression in dialect ANSI_SQL or DUCKDB.", "%s is written for %q only and is read as if it were PostgreSQL", what, name)
			return texts[name]
		}
	}
	if len(order) > 0 {
		m.r.Fault(list.Pos(), "Add the expression in dialect ANSI_SQL or DUCKDB.", "%s is written for %s only, which is not SQL", what, strings.Join(order, ", "))
	}
	return nil
}

func (m *modelReader) notBlank(n *document.Node, what string) *document.Node {
	if strings.TrimSpace(n.Text) == "" {
		m.r.Fault(n.Pos(), "", `"expression" of %s is empty`, what)
		return nil
	}
	return n
}

// scalar parses the row-level expression that stands in n.
func (m *modelReader) scalar(n *document.Node) semantic.Expr {
	if long := n.TooLong(); long != nil {
		m.r.Faults = append(m.r.Faults, *long)
		return nil
	}
	e, err := m.p.Scalar(n.Text)
	if err != nil {
		m.r.Faults = append(m.r.Faults, document.ParseFault(n, err))
		return nil
	}
	m.mention(n, e.Refs())
	return e
}

// formula parses the aggregate expression that stands in n.
func (m *modelReader) formula(n *document.Node) *semantic.Formula {
	if long := n.TooLong(); long != nil {
		m.r.Faults = append(m.r.Faults, *long)
		return nil
	}
	f, err := m.p.Metric(n.Text)
	if err != nil {
		m.r.Faults = append(m.r.Faults, document.ParseFault(n, err))
		return nil
	}
	m.mention(n, slices.Concat(formulaRefs(f)...))
	return f
}

func formulaRefs(f *semantic.Formula) [][]semantic.Ref {
	var all [][]semantic.Ref
	for _, a := range f.Aggregates {
		if a.Arg != nil {
			all = append(all, a.Arg.Refs())
		}
		if a.Filter != nil {
			all = append(all, a.Filter.Refs())
		}
	}
	return all
}

// A mention is a dotted name in an expression. Its first word is looked up when
// every dataset and role of the model is known.
type mention struct {
	word string
	in   *document.Node
}

func (m *modelReader) mention(n *document.Node, refs []semantic.Ref) {
	first := len(m.mentions)
	for _, ref := range refs {
		if len(ref.Path) == 0 {
			continue
		}
		if x := (mention{ref.Path[0], n}); !slices.Contains(m.mentions[first:], x) {
			m.mentions = append(m.mentions, x)
		}
	}
}

// checkMentions reports first words that name nothing in the model. What
// follows them is semantic.New's to resolve.
func (m *modelReader) checkMentions() {
	known := m.words()
	for _, x := range m.mentions {
		if slices.ContainsFunc(known, func(w string) bool { return strings.EqualFold(w, x.word) }) {
			continue
		}
		offset := max(0, strings.Index(strings.ToLower(x.in.Text), strings.ToLower(x.word)))
		m.r.Fault(x.in.At(offset), nearest(x.word, known), "%q is no dataset or role of the model", x.word)
	}
}

// words are all words that a dotted name may start with.
func (m *modelReader) words() []string {
	var out []string
	for _, d := range m.def.Datasets {
		out = append(out, d.Name)
		for _, r := range d.Roles {
			out = append(out, r.Name)
		}
	}
	for _, r := range m.def.Relations {
		out = append(out, r.Name)
		if r.Role != "" {
			out = append(out, r.Role)
		}
	}
	return out
}

func nearest(name string, known []string) string {
	if near := semantic.Nearest(name, known); len(near) > 0 {
		return fmt.Sprintf("Did you mean %q?", near[0])
	}
	return ""
}
