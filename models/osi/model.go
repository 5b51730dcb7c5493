package osi

import (
	"slices"
	"strconv"

	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/semantic"
)

// A modelReader reads one model. What refers to something that may come later
// in the file is noted and checked at the end.
type modelReader struct {
	r     *document.Reader
	p     document.Parser
	newer bool // the file may be newer than this program: unknown keys are warnings
	def   semantic.Def

	wanted   []want    // names of datasets
	mentions []mention // first words of dotted names in expressions
	metrics  *names    // in all sections: a client names a metric without its dataset
}

// A want is the name of a dataset where one is needed.
type want struct {
	name string
	at   *document.Node
}

func (m *modelReader) wantDataset(name string, at *document.Node) {
	m.wanted = append(m.wanted, want{name, at})
}

func (m *modelReader) read(n *document.Node) {
	o, ok := m.r.Object(n, "a model")
	if !ok {
		return
	}
	m.def.Name, m.def.Pos = name(o, "model")
	m.def.Description, _ = o.Text("description")
	m.def.Context = readContext(m.r, o)

	m.metrics = newNames("metric")
	datasets := newNames("dataset")
	if o.Need("datasets") != nil {
		items := o.List("datasets")
		if list := o.Get("datasets"); list.Kind == document.List && len(items) == 0 {
			m.r.Fault(list.Pos(), "", "%s has no dataset", o.What)
		}
		for _, item := range items {
			if d, ok := m.readDataset(item); ok {
				datasets.add(m.r, d.Name, d.Pos)
				m.def.Datasets = append(m.def.Datasets, d)
			}
		}
	}
	relationships := newNames("relationship")
	for _, item := range o.List("relationships") {
		if rel, ok := m.readRelationship(item); ok {
			relationships.add(m.r, rel.Name, rel.Pos)
			m.def.Relations = append(m.def.Relations, rel)
		}
	}
	for _, item := range o.List("metrics") {
		m.readMetric(item, nil)
	}
	var own *document.Object
	m.def.Extensions, own = m.readExtensions(o)
	m.extendModel(own)
	o.Done(m.newer)

	m.checkDatasets()
	m.checkMentions()
}

// checkDatasets reports the names that should be datasets and are none.
func (m *modelReader) checkDatasets() {
	var known []string
	for _, d := range m.def.Datasets {
		known = append(known, d.Name)
	}
	for _, w := range m.wanted {
		if !slices.Contains(known, w.name) {
			m.r.Fault(w.at.Pos(), nearest(w.name, known), "dataset %q does not exist", w.name)
		}
	}
}

// name reads the name of o, which from then on is called by it in messages, and
// the place at which the thing stands: that of its name.
func name(o *document.Object, kind string) (string, semantic.Pos) {
	text, n := o.NeedText("name")
	if n == nil {
		return "", o.Node.Pos()
	}
	o.What = kind + " " + strconv.Quote(text)
	return text, n.Pos()
}
