package osi

import (
	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/semantic"
)

func (m *modelReader) readRelationship(n *document.Node) (semantic.RelationshipDef, bool) {
	var rel semantic.RelationshipDef
	o, ok := m.r.Object(n, "a relationship")
	if !ok {
		return rel, false
	}
	rel.Name, rel.Pos = name(o, "relationship")
	var at *document.Node
	if rel.From, at = o.NeedText("from"); at != nil {
		m.wantDataset(rel.From, at)
	}
	if rel.To, at = o.NeedText("to"); at != nil {
		m.wantDataset(rel.To, at)
	}
	rel.FromColumns = m.joinColumns(o, "from_columns")
	rel.ToColumns = m.joinColumns(o, "to_columns")
	if n, k := len(rel.FromColumns), len(rel.ToColumns); n > 0 && k > 0 && n != k {
		m.r.Fault(o.Get("to_columns").Pos(), "List the columns in pairs.", "%s joins %d of its columns to %d", o.What, n, k)
	}
	rel.Context = readContext(m.r, o)
	var own *document.Object
	rel.Extensions, own = m.readExtensions(o)
	m.extendRelationship(own, &rel)
	m.done(o)
	return rel, true
}

func (m *modelReader) joinColumns(o *document.Object, key string) []string {
	n := o.Need(key)
	if n == nil {
		return nil
	}
	if n.Kind == document.List && len(n.Items) == 0 {
		m.r.Fault(n.Pos(), "", "%q of %s is empty", key, o.What)
		return nil
	}
	return m.readKey(o, n, key)
}
