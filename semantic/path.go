package semantic

import "strings"

// maxHops bounds the search for paths; a longer way is no help to anyone.
const maxHops = 12

// pathTo finds the one way from d to a dataset. To-one ways come before ways
// that only descend (every step to-many backwards over a to-one edge), and those
// before mixed ways; within a class there must be exactly one.
func (d *Dataset) pathTo(to *Dataset) ([]Edge, error) {
	if d == to {
		return nil, nil
	}
	var found [3][][]Edge
	var walk func(at *Dataset, path []Edge, seen map[*Dataset]bool, up, down bool)
	walk = func(at *Dataset, path []Edge, seen map[*Dataset]bool, up, down bool) {
		if at == to {
			class := 2
			switch {
			case up:
				class = 0
			case down:
				class = 1
			}
			if len(found[class]) < 8 {
				found[class] = append(found[class], append([]Edge(nil), path...))
			}
			return
		}
		if len(path) == maxHops || len(found[2]) >= 8 && !up && !down {
			return
		}
		seen[at] = true
		for _, e := range at.edges {
			if !seen[e.To()] {
				walk(e.To(), append(path, e), seen, up && e.ToOne(), down && e.inverse().ToOne())
			}
		}
		delete(seen, at)
	}
	walk(d, nil, map[*Dataset]bool{}, true, true)
	for _, paths := range found {
		switch {
		case len(paths) == 1:
			return paths[0], nil
		case len(paths) > 1:
			return nil, ambiguousPath(d, to, paths)
		}
	}
	return nil, noPath(d, to)
}

// toOnePath is pathTo confined to to-one steps.
func (d *Dataset) toOnePath(to *Dataset) ([]Edge, error) {
	path, err := d.pathTo(to)
	if err != nil {
		return nil, err
	}
	for _, e := range path {
		if !e.ToOne() {
			return nil, notSingleValued(d, to, path)
		}
	}
	return path, nil
}

// PathString is the path as a client can write it.
func PathString(path []Edge) string {
	words := make([]string, len(path))
	for i, e := range path {
		words[i] = e.Word()
	}
	return strings.Join(words, ".")
}

// index fills what the relation with root d shows: own fields first, then
// fields along to-one paths. A name that two paths share is shown as
// role__field for each, unless the two are joined to be equal.
func (d *Dataset) index() {
	type found struct {
		path  []Edge
		field *Field
	}
	byName := map[string][]found{}
	var names []string
	add := func(path []Edge, f *Field) {
		if f.Hidden {
			return
		}
		if _, ok := byName[f.Name]; !ok {
			names = append(names, f.Name)
		}
		byName[f.Name] = append(byName[f.Name], found{append([]Edge(nil), path...), f})
	}
	for _, f := range d.Fields {
		add(nil, f)
	}
	var walk func(at *Dataset, path []Edge, seen map[*Dataset]bool)
	walk = func(at *Dataset, path []Edge, seen map[*Dataset]bool) {
		if len(path) == maxHops {
			return
		}
		seen[at] = true
		for _, e := range at.edges {
			if e.Back || !e.ToOne() || seen[e.To()] {
				continue
			}
			next := append(append([]Edge(nil), path...), e)
			for _, f := range e.To().Fields {
				add(next, f)
			}
			walk(e.To(), next, seen)
		}
		delete(seen, at)
	}
	walk(d, nil, map[*Dataset]bool{})

	d.visible = map[string]int{}
	d.shadow = map[string][]string{}
	put := func(name string, f found) {
		if _, taken := d.visible[name]; !taken {
			d.visible[name] = len(d.members)
			d.members = append(d.members, Visible{Name: name, Path: f.path, Field: f.field})
		}
	}
	for _, name := range names {
		list := byName[name]
		if len(list[0].path) == 0 {
			put(name, list[0]) // the root's own field hides the others
			continue
		}
		var distinct []found
		for _, f := range list {
			if !joinedEqual(f.path, f.field, func(path []Edge, other *Field) bool {
				for _, g := range list {
					if g.field == other && samePath(g.path, path) {
						return true
					}
				}
				return false
			}) {
				distinct = append(distinct, f)
			}
		}
		if len(distinct) == 1 {
			put(name, distinct[0])
			continue
		}
		for _, f := range distinct {
			d.shadow[name] = append(d.shadow[name], PathString(f.path)+"."+name)
			put(strings.ReplaceAll(PathString(f.path), ".", "__")+"__"+name, f)
		}
	}
}

// joinedEqual reports whether the last step of path joins field to be equal to
// a field of the same name one step nearer, which then stands for both.
func joinedEqual(path []Edge, field *Field, listed func([]Edge, *Field) bool) bool {
	if len(path) == 0 || field.Column() == "" {
		return false
	}
	last := path[len(path)-1]
	near, far := last.Columns()
	for i, c := range far {
		if c != field.Column() {
			continue
		}
		for _, f := range last.From().Fields {
			if f.Name == field.Name && f.Column() == near[i] && listed(path[:len(path)-1], f) {
				return true
			}
		}
	}
	return false
}

func samePath(a, b []Edge) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
