package osi

import (
	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/semantic"
)

// Vendor is the vendor_name of pggate's own extensions. Their data is described
// by pggate-extension.schema.json.
const Vendor = "PGGATE"

// later are the keys by which a model might ask for what is not implemented.
// Each would change numbers, so none may be taken for a misspelled other key.
var later = [...]string{"semi_additive", "conversion", "policies", "rollups"}

// finish reports the keys of an extension that nobody read. Other than in the
// rest of a file, a newer version is no excuse: the vendor is pggate.
func finish(x *document.Object) {
	for _, key := range later {
		x.Refuse(key, "This version of pggate does not implement it.")
	}
	x.Done(false)
}

// extendModel reads the extension of a model, which has no keys.
func (m *modelReader) extendModel(x *document.Object) {
	if x != nil {
		finish(x)
	}
}

// extendDataset reads {"roles": [{"name", "field", "default"}], "hidden"}.
func (m *modelReader) extendDataset(x *document.Object, d *semantic.DatasetDef) {
	if x == nil {
		return
	}
	seen := newNames("role")
	defaults := 0
	for _, item := range x.List("roles") {
		o, ok := m.r.Object(item, "a role of dataset \""+d.Name+"\"")
		if !ok {
			continue
		}
		role := semantic.RoleDef{Pos: item.Pos()}
		var name, field *document.Node
		role.Name, name = o.NeedText("name")
		role.Field, field = o.NeedText("field")
		role.Default, _ = o.Flag("default")
		o.Done(false)
		if name == nil || field == nil {
			continue
		}
		role.Pos = name.Pos()
		seen.add(m.r, role.Name, role.Pos)
		m.checkRole(&role, field, d)
		if role.Default {
			if defaults++; defaults > 1 {
				m.r.Fault(o.Get("default").Pos(), "Mark one role only.", "dataset %q has two default roles", d.Name)
			}
		}
		d.Roles = append(d.Roles, role)
	}
	d.Hidden, _ = x.Flag("hidden")
	finish(x)
}

func (m *modelReader) checkRole(role *semantic.RoleDef, field *document.Node, d *semantic.DatasetDef) {
	var known []string
	for _, f := range d.Fields {
		if f.Name == role.Field {
			if !f.Time {
				m.r.Fault(field.Pos(), "Give the field a datatype of time, or dimension: {is_time: true}.", "role %q needs a time field, and %q is none", role.Name, f.Name)
			}
			return
		}
		known = append(known, f.Name)
	}
	m.r.Fault(field.Pos(), nearest(role.Field, known), "dataset %q has no field %q", d.Name, role.Field)
}

// extendField reads {"hidden"}.
func (m *modelReader) extendField(x *document.Object, f *semantic.FieldDef) {
	if x == nil {
		return
	}
	f.Hidden, _ = x.Flag("hidden")
	finish(x)
}

// extendRelationship reads {"role"}.
func (m *modelReader) extendRelationship(x *document.Object, rel *semantic.RelationshipDef) {
	if x == nil {
		return
	}
	if x.Get("role") != nil {
		rel.Role, _ = x.NeedText("role")
	}
	finish(x)
}

// extendMetric reads {"filter", "dataset", "format", "hidden"}.
func (m *modelReader) extendMetric(x *document.Object, d *semantic.MetricDef) {
	if x == nil {
		return
	}
	if x.Get("filter") != nil {
		if _, n := x.NeedText("filter"); n != nil {
			d.Filter = m.scalar(n)
		}
	}
	if x.Get("dataset") != nil {
		if name, n := x.NeedText("dataset"); n != nil {
			if d.Dataset != "" && d.Dataset != name {
				m.r.Fault(n.Pos(), "", "metric %q stands in dataset %q and cannot belong to %q", d.Name, d.Dataset, name)
			}
			m.wantDataset(name, n)
			d.Dataset = name
		}
	}
	d.Format, _ = x.Text("format")
	d.Hidden, _ = x.Flag("hidden")
	finish(x)
}
