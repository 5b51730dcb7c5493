// Package osi reads model files of Apache Ossie, the Open Semantic Interchange
// (floor 2, under models): versions 0.1.1 and 0.2. It knows the format, checks
// all that one file can tell about itself, and leaves to semantic.New what needs
// the whole model: paths, grains and cycles.
//
// The specification is core-spec/spec.md and osi-schema.json of apache/ossie;
// pggate's own additions are in pggate.go and pggate-extension.schema.json.
package osi

import (
	"slices"
	"strings"

	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/semantic"
)

// Format is the Ossie format. The zero value is ready to use.
type Format struct{}

// Claims tells that the document is of this format: it has the list of models
// or the ontology that the specification speaks of.
func (Format) Claims(root *document.Node) bool {
	if root.Get("semantic_model") != nil || root.Get("ontology") != nil {
		return true
	}
	version := root.Get("version")
	return version != nil && strings.HasPrefix(version.Text, "0.")
}

// Read gives the models of the document. If a fault is more than a warning,
// what it gives is not whole and must not be used.
func (Format) Read(doc *document.Document, p document.Parser) ([]semantic.Def, document.Faults) {
	var r document.Reader
	var defs []semantic.Def
	root, ok := r.Object(doc.Root, "the file")
	if !ok {
		return nil, r.Faults
	}
	version, newer, ok := readVersion(&r, root)
	if !ok {
		return nil, r.Faults
	}
	if n := root.Get("ontology"); n != nil {
		r.Warn(n.Pos(), "", "an ontology describes concepts and no data: the file is not read")
		return nil, r.Faults
	}
	if version == oldest { // declarations of what the file uses, gone since
		root.Get("dialects")
		root.Get("vendors")
	}
	models := root.Need("semantic_model")
	if models != nil && models.Kind != document.List {
		r.Fault(models.Pos(), `Put a "-" in front of the model.`, `"semantic_model" must be a list of models, not %s`, models.Kind)
		models = nil
	}
	if models != nil {
		names := newNames("model")
		for _, n := range models.Items {
			m := modelReader{r: &r, p: p, newer: newer}
			m.read(n)
			names.add(&r, m.def.Name, m.def.Pos)
			defs = append(defs, m.def)
		}
		if len(models.Items) == 0 {
			r.Fault(models.Pos(), "", `"semantic_model" has no model`)
		}
	}
	root.Done(newer)
	r.Faults.Sort()
	return defs, slices.Compact(r.Faults) // an alias repeats the faults of its anchor
}
