package osi

import (
	"fmt"
	"strings"

	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/semantic"
)

// readContext reads ai_context: a string, which is instructions, or a map of
// three known keys and any others.
func readContext(r *document.Reader, o *document.Object) semantic.Context {
	n := o.Get("ai_context")
	if n == nil {
		return semantic.Context{}
	}
	switch n.Kind {
	case document.String:
		return semantic.Context{Instructions: n.Text, Raw: n.JSON()}
	case document.Map:
		c := semantic.Context{Raw: n.JSON()}
		in, _ := r.Object(n, "the ai_context of "+o.What)
		c.Instructions, _ = in.Text("instructions")
		c.Synonyms = in.Texts("synonyms")
		c.Examples = in.Texts("examples")
		return c
	}
	r.Fault(n.Pos(), "", `"ai_context" of %s must be a string or a map, not %s`, o.What, n.Kind)
	return semantic.Context{}
}

// readExtensions reads custom_extensions. All are kept as they are; the one of
// vendor PGGATE is given back, open, to be read.
func (m *modelReader) readExtensions(o *document.Object) ([]semantic.Extension, *document.Object) {
	var out []semantic.Extension
	var own *document.Object
	for _, item := range o.List("custom_extensions") {
		x, ok := m.r.Object(item, "an extension of "+o.What)
		if !ok {
			continue
		}
		vendor, at := x.NeedText("vendor_name")
		data, text := x.Text("data")
		if x.Node.Get("data") == nil {
			x.Need("data")
		}
		x.Done(m.newer)
		if at == nil || text == nil {
			continue
		}
		out = append(out, semantic.Extension{Vendor: vendor, Data: data})
		if vendor != Vendor {
			if strings.EqualFold(vendor, Vendor) {
				m.r.Fault(at.Pos(), fmt.Sprintf("Write %q.", Vendor), "vendor %q is written in capitals", vendor)
			}
			continue
		}
		if own != nil {
			m.r.Fault(at.Pos(), "Put the keys into one.", "%s has two extensions of vendor %q", o.What, Vendor)
			continue
		}
		root, faults := document.Embedded(text)
		m.r.Faults = append(m.r.Faults, faults...)
		if root != nil {
			own, _ = m.r.Object(root, "the "+Vendor+" extension of "+o.What)
		}
	}
	return out, own
}
