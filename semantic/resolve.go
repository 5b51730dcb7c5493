package semantic

import "slices"

// A Target is what a name in a model expression means: a field, or a physical
// column, of the dataset at the end of a to-one path.
type Target struct {
	Path    []Edge
	Dataset *Dataset
	Field   *Field // nil for a physical column
	Column  string // the physical column, if Field is nil
}

// Resolve finds what ref means in an expression over rows of d. in is the field
// whose expression it is, or nil in a metric or filter.
//
// A bare name in a field is a physical column, unless another field has that
// name and is not itself such a column (Ossie: physical, then logical). In a
// metric it is a field, then a physical column. A dotted name is a field of d or
// of a dataset along a to-one path.
func (d *Dataset) Resolve(in *Field, ref Ref) (Target, error) {
	if len(ref.Path) == 0 {
		f, ok := d.Field(ref.Name)
		switch {
		case !ok || f == in:
			return Target{Dataset: d, Column: ref.Name}, nil
		case in != nil && f.mentionsItself():
			return Target{Dataset: d, Column: ref.Name}, nil
		}
		return Target{Dataset: d, Field: f}, nil
	}
	at, path, words := d, []Edge(nil), ref.Path
	if words[0] == d.Name {
		words = words[1:]
	}
	for _, word := range words {
		more, err := at.toOneStep(word)
		if err != nil {
			return Target{}, err
		}
		path = append(path, more...)
		at = path[len(path)-1].To()
	}
	if f, ok := at.Field(ref.Name); ok {
		return Target{Path: path, Dataset: at, Field: f}, nil
	}
	if at.hasColumn(ref.Name) {
		return Target{Path: path, Dataset: at, Column: ref.Name}, nil
	}
	return Target{}, unknownName("field of dataset \""+at.Name+"\",", ref.Name, fieldNames(at))
}

// mentionsItself tells that the field's expression names a physical column of
// the field's own name.
func (f *Field) mentionsItself() bool {
	return slices.ContainsFunc(f.Expr.Refs(), func(r Ref) bool { return len(r.Path) == 0 && r.Name == f.Name })
}

// hasColumn reports whether keys or relationships speak of a physical column.
func (d *Dataset) hasColumn(name string) bool {
	if slices.Contains(d.PrimaryKey, name) {
		return true
	}
	for _, k := range d.UniqueKeys {
		if slices.Contains(k, name) {
			return true
		}
	}
	for _, e := range d.edges {
		near, _ := e.Columns()
		if slices.Contains(near, name) {
			return true
		}
	}
	return false
}

// toOneStep walks one word of a dotted name: a role, a relationship, or a
// dataset that one to-one path leads to.
func (d *Dataset) toOneStep(word string) ([]Edge, error) {
	var hits []Edge
	for _, e := range d.edges {
		if !e.Back && e.ToOne() && (e.Word() == word || e.Rel.Name == word) {
			hits = append(hits, e)
		}
	}
	switch {
	case len(hits) == 1:
		return hits, nil
	case len(hits) > 1:
		return nil, ambiguousEdges(d, hits)
	}
	to, ok := d.model.dataset[word]
	if !ok {
		return nil, unknownName("dataset", word, datasetNames(d.model))
	}
	return d.toOnePath(to)
}

func ambiguousEdges(d *Dataset, hits []Edge) *Error {
	e := ambiguousPath(d, hits[0].To(), nil)
	var names []string
	for _, h := range hits {
		names = append(names, h.Rel.Name)
	}
	e.Message = "relationships " + joinQuoted(names) + " both lead from \"" + d.Name + "\" to \"" + hits[0].To().Name + "\""
	e.Hint = "Write the name of the relationship, or give each a role in the model."
	return e
}

func joinQuoted(names []string) string {
	s := ""
	for i, n := range quoteAll(names) {
		if i > 0 {
			s += " and "
		}
		s += n
	}
	return s
}

func datasetNames(m *Model) []string {
	var names []string
	for _, d := range m.datasets {
		if !d.Hidden {
			names = append(names, d.Name)
		}
	}
	return names
}
