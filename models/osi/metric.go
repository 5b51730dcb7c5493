package osi

import (
	"fmt"
	"strings"

	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/semantic"
)

// readMetric reads a metric of the model, or of dataset d if that is not nil.
func (m *modelReader) readMetric(n *document.Node, d *semantic.DatasetDef) {
	o, ok := m.r.Object(n, "a metric")
	if !ok {
		return
	}
	var out semantic.MetricDef
	out.Name, out.Pos = name(o, "metric")
	text := m.expressionText(o)
	if text != nil {
		out.Formula = m.formula(text)
	}
	out.Description, _ = o.Text("description")
	out.Type, _ = readDatatype(m.r, o)
	out.Context = readContext(m.r, o)
	if d != nil {
		out.Dataset = d.Name
		m.checkOwn(&out, text, d)
	}
	var own *document.Object
	out.Extensions, own = m.readExtensions(o)
	m.extendMetric(own, &out)
	o.Refuse("filter", fmt.Sprintf("Put it into the %s extension of the metric.", Vendor))
	m.done(o)
	m.metrics.add(m.r, out.Name, out.Pos)
	m.def.Metrics = append(m.def.Metrics, out)
}

// checkOwn checks what holds for a metric in the section of a dataset: it names
// no other dataset, and no field is called like it.
func (m *modelReader) checkOwn(out *semantic.MetricDef, text *document.Node, d *semantic.DatasetDef) {
	for _, f := range d.Fields {
		if strings.EqualFold(f.Name, out.Name) {
			m.r.Fault(out.Pos, "Rename one of them.", "metric %q and a field of dataset %q have the same name", out.Name, d.Name)
		}
	}
	if out.Formula == nil {
		return
	}
	for _, refs := range formulaRefs(out.Formula) {
		for _, ref := range refs {
			if len(ref.Path) > 0 && !strings.EqualFold(ref.Path[0], d.Name) {
				m.r.Fault(text.At(max(0, strings.Index(strings.ToLower(text.Text), strings.ToLower(ref.Path[0])))), "Move the metric to the metrics of the model.",
					"metric %q stands in dataset %q and names %q", out.Name, d.Name, ref.String())
			}
		}
	}
}
