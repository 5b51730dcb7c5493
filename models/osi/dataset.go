package osi

import (
	"fmt"
	"slices"

	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/semantic"
)

// deferred are the keys of open proposals for the format. Each changes what the
// model means, so none is ignored, whatever the version of the file.
var deferred = [...]string{"referential_integrity", "condition", "asof", "range", "grain", "filter", "natural_grain"}

// done ends the reading of a part of the file.
func (m *modelReader) done(o *document.Object) {
	for _, key := range deferred {
		o.Refuse(key, "It is a proposal for later versions of the format.")
	}
	o.Done(m.newer)
}

func (m *modelReader) readDataset(n *document.Node) (semantic.DatasetDef, bool) {
	var d semantic.DatasetDef
	o, ok := m.r.Object(n, "a dataset")
	if !ok {
		return d, false
	}
	d.Name, d.Pos = name(o, "dataset")
	m.readSource(o, &d)
	if n := o.Get("primary_key"); n != nil {
		d.PrimaryKey = m.readKey(o, n, "primary_key")
	}
	for _, key := range o.List("unique_keys") {
		if cols := m.readKey(o, key, "unique_keys"); len(cols) > 0 {
			d.UniqueKeys = append(d.UniqueKeys, cols)
		}
	}
	d.Description, _ = o.Text("description")
	d.Context = readContext(m.r, o)
	fields := newNames("field")
	for _, item := range o.List("fields") {
		if f, ok := m.readField(item, &d); ok {
			fields.add(m.r, f.Name, f.Pos)
			d.Fields = append(d.Fields, f)
		}
	}
	for _, item := range o.List("metrics") {
		m.readMetric(item, &d)
	}
	var own *document.Object
	d.Extensions, own = m.readExtensions(o)
	m.extendDataset(own, &d)
	m.done(o)
	return d, true
}

// readKey reads the columns of a key.
func (m *modelReader) readKey(o *document.Object, n *document.Node, key string) []string {
	cols := o.TextsOf(n, key)
	for i, c := range cols {
		if slices.Contains(cols[:i], c) {
			m.r.Fault(n.Items[i].Pos(), "", "column %q stands twice in a key of %s", c, o.What)
		}
	}
	return cols
}

func (m *modelReader) readField(n *document.Node, d *semantic.DatasetDef) (semantic.FieldDef, bool) {
	var f semantic.FieldDef
	o, ok := m.r.Object(n, "a field of dataset \""+d.Name+"\"")
	if !ok {
		return f, false
	}
	f.Name, f.Pos = name(o, "field")
	if text := m.expressionText(o); text != nil {
		f.Expr = m.scalar(text)
	}
	f.Type, f.Time = readDatatype(m.r, o)
	if n := o.Get("dimension"); n != nil {
		if dim, ok := m.r.Object(n, fmt.Sprintf("the dimension of %s", o.What)); ok {
			if is, ok := dim.Flag("is_time"); ok {
				f.Time = is
			}
			m.done(dim)
		}
	}
	f.Label, _ = o.Text("label")
	f.Description, _ = o.Text("description")
	f.Context = readContext(m.r, o)
	var own *document.Object
	f.Extensions, own = m.readExtensions(o)
	m.extendField(own, &f)
	m.done(o)
	return f, true
}
