package semantic

import (
	"fmt"
	"slices"
	"strings"
)

// A Block is the FROM clause of one SELECT as the model sees it: the root rows
// of its items, and every further row that keys, filters and metrics reach from
// them. It is built by one goroutine while a statement is compiled.
//
// Each dataset that a path reaches is an instance of its own, one per item and
// path, so that two conditions on one path speak of the same row.
type Block struct {
	Model *Model
	Roots []*Node
	nodes []*Node
}

// NewBlock starts a block over a model.
func NewBlock(m *Model) *Block { return &Block{Model: m} }

// A Node is one instance: the rows of a dataset at the end of a path.
type Node struct {
	Dataset *Dataset // nil for a relation that the model does not know
	Root    *Node    // the FROM item that it belongs to; itself for a root
	Parent  *Node    // nil for a root
	Edge    Edge     // from Parent
	// Nullable: an outer join of the client can leave the item without a row.
	Nullable bool
	ID       int

	kids  []*Node
	links []link
}

// A link says that the path from a node along an edge is another FROM item.
type link struct {
	edge Edge
	to   *Node
}

// Add makes a FROM item; d is nil for one that the model does not know.
func (b *Block) Add(d *Dataset) *Node {
	n := &Node{Dataset: d, ID: len(b.nodes)}
	n.Root = n
	b.Roots = append(b.Roots, n)
	b.nodes = append(b.nodes, n)
	return n
}

// Nodes are all instances made so far, parents before children.
func (b *Block) Nodes() []*Node { return b.nodes }

// Unify says that the path from n along e is the FROM item g, since the client
// joined the two by that edge's columns. It holds in both directions.
func (b *Block) Unify(n *Node, e Edge, g *Node) {
	n.links = append(n.links, link{e, g})
	g.links = append(g.links, link{e.inverse(), n})
}

// Step gives the instance at the far side of an edge of n's dataset.
func (b *Block) Step(n *Node, e Edge) *Node {
	for _, l := range n.links {
		if l.edge == e {
			return l.to
		}
	}
	// Down an edge and up again is the row that one came from.
	if n.Parent != nil && n.Edge == e.inverse() && e.ToOne() {
		return n.Parent
	}
	for _, k := range n.kids {
		if k.Edge == e {
			return k
		}
	}
	k := &Node{Dataset: e.To(), Root: n.Root, Parent: n, Edge: e, ID: len(b.nodes)}
	n.kids = append(n.kids, k)
	b.nodes = append(b.nodes, k)
	return k
}

// Walk follows edges from n.
func (b *Block) Walk(n *Node, path []Edge) *Node {
	for _, e := range path {
		n = b.Step(n, e)
	}
	return n
}

// Path is the way from the item's root.
func (n *Node) Path() []Edge {
	var path []Edge
	for ; n.Parent != nil; n = n.Parent {
		path = append(path, n.Edge)
	}
	slices.Reverse(path)
	return path
}

// SingleValued reports whether a row of the item has at most one row here.
func (n *Node) SingleValued() bool {
	for ; n.Parent != nil; n = n.Parent {
		if !n.Edge.ToOne() {
			return false
		}
	}
	return true
}

// A Member is a dimension that the block mentions.
type Member struct {
	Node  *Node  // where its rows are; nil on the relation without a root
	Field *Field // nil for metric_time
	Grain string // truncate to it, if not empty
	// MetricTime: the default time of whatever metric is asked.
	MetricTime bool
	// Via is the relationship whose role the client named on the relation
	// without a root, or nil.
	Via *Relationship
}

// Name is how messages call the member.
func (m *Member) Name() string {
	switch {
	case m.MetricTime:
		return MetricTime
	case m.Via != nil:
		return m.Via.Role + "." + m.Field.Name
	case m.Node == nil || m.Node.Parent == nil:
		return m.Field.Name
	}
	path := m.Node.Path()
	root := m.Node.Root.Dataset
	if i, ok := root.visible[m.Field.Name]; ok && root.members[i].Field == m.Field && samePath(root.members[i].Path, path) {
		return m.Field.Name
	}
	return PathString(path) + "." + m.Field.Name
}

// MetricTime is the dimension of the relation without a root that is each
// metric's own default time.
const MetricTime = "metric_time"

// Grains are the time grains that a role can be cut to.
var grains = []string{"second", "minute", "hour", "day", "week", "month", "quarter", "year"}

// Member finds a dimension of the relation whose item is n by a bare name.
// The error is a *Error of UnknownName or AmbiguousName.
func (b *Block) Member(n *Node, name string) (*Member, error) {
	d := n.Dataset
	if choices, ok := d.shadow[name]; ok {
		if _, own := d.visible[name]; !own {
			return nil, &Error{
				Code:    AmbiguousName,
				Message: fmt.Sprintf("column reference %q is ambiguous", name),
				Hint:    fmt.Sprintf("Write %s.", strings.Join(choices, " or ")),
			}
		}
	}
	i, ok := d.visible[name]
	if !ok {
		return nil, unknownName("column", name, d.names())
	}
	v := d.members[i]
	return &Member{Node: b.Walk(n, v.Path), Field: v.Field}, nil
}

// OwnerBeyond gives the one visible dataset beyond a to-many step that has a
// field of the name, or nil.
func (d *Dataset) OwnerBeyond(name string) *Dataset {
	var owner *Dataset
	for _, o := range d.model.datasets {
		f, ok := o.Field(name)
		if !ok || f.Hidden || o.Hidden || o == d {
			continue
		}
		if _, err := d.toOnePath(o); err == nil {
			continue
		}
		if _, err := d.pathTo(o); err != nil || owner != nil {
			return nil
		}
		owner = o
	}
	return owner
}

// names are all names that a relation with root d shows.
func (d *Dataset) names() []string {
	var out []string
	for _, v := range d.members {
		out = append(out, v.Name)
	}
	for _, m := range d.measure {
		out = append(out, m.Name)
	}
	return out
}

// Names are the columns of the relation with root d: dimensions, then measures.
func (d *Dataset) Names() []string { return d.names() }

// Dotted finds a dimension by a path of roles, relationships or datasets, then
// a field; or by a time role and a grain. ok is false where the first word
// means nothing here.
func (b *Block) Dotted(n *Node, parts []string) (m *Member, ok bool, err error) {
	at := n
	words, name := parts[:len(parts)-1], parts[len(parts)-1]
	for i, word := range words {
		if role, at2 := b.role(at, word); role != nil && i == len(words)-1 && slices.Contains(grains, name) {
			return &Member{Node: at2, Field: role.Field, Grain: name}, true, nil
		}
		if i == 0 && word == at.Dataset.Name {
			continue
		}
		next, err := b.stepWord(at, word)
		if err != nil {
			var unknown bool
			if e, isErr := err.(*Error); isErr && e.Code == UnknownName {
				unknown = true
			}
			return nil, !(unknown && i == 0), err
		}
		at = next
	}
	f, found := at.Dataset.Field(name)
	if !found || f.Hidden {
		return nil, true, unknownName("column", strings.Join(parts, "."), fieldNames(at.Dataset))
	}
	return &Member{Node: at, Field: f}, true, nil
}

// role finds a time role of the item's dataset or of the only dataset along
// to-one paths that has one of that name.
func (b *Block) role(n *Node, word string) (*Role, *Node) {
	if r, ok := n.Dataset.Role(word); ok {
		return r, n
	}
	var hit *Role
	var path []Edge
	for _, d := range n.Dataset.model.datasets {
		if r, ok := d.Role(word); ok {
			p, err := n.Dataset.toOnePath(d)
			if err != nil {
				continue
			}
			if hit != nil {
				return nil, nil
			}
			hit, path = r, p
		}
	}
	if hit == nil {
		return nil, nil
	}
	return hit, b.Walk(n, path)
}

// stepWord walks one word of a client's dotted name, to-many steps included.
func (b *Block) stepWord(n *Node, word string) (*Node, error) {
	var hits []Edge
	for _, e := range n.Dataset.edges {
		if e.Word() == word && !e.To().Hidden || e.Rel.Name == word && !e.Back {
			hits = append(hits, e)
		}
	}
	switch {
	case len(hits) == 1:
		return b.Step(n, hits[0]), nil
	case len(hits) > 1:
		return nil, ambiguousEdges(n.Dataset, hits)
	}
	to, ok := b.Model.dataset[word]
	if !ok || to.Hidden {
		return nil, unknownName("dataset or role", word, datasetNames(b.Model))
	}
	path, err := n.Dataset.pathTo(to)
	if err != nil {
		return nil, err
	}
	return b.Walk(n, path), nil
}

// Dimension finds a dimension of the relation without a root.
func (b *Block) Dimension(parts []string) (*Member, error) {
	name := parts[len(parts)-1]
	if len(parts) == 1 && name == MetricTime {
		return &Member{MetricTime: true}, nil
	}
	if len(parts) == 2 {
		if via, err := b.Model.role(parts[0]); err != nil {
			return nil, err
		} else if via != nil {
			if f, ok := via.To.Field(name); ok && !f.Hidden {
				return &Member{Field: f, Via: via}, nil
			}
			return nil, unknownName("column", strings.Join(parts, "."), fieldNames(via.To))
		}
		if d, ok := b.Model.dataset[parts[0]]; ok && !d.Hidden {
			if f, ok := d.Field(name); ok && !f.Hidden {
				return &Member{Field: f}, nil
			}
			return nil, unknownName("column", strings.Join(parts, "."), fieldNames(d))
		}
	}
	if len(parts) > 1 {
		return nil, unknownName("dataset", parts[0], datasetNames(b.Model))
	}
	list := b.Model.dimensions()[name]
	switch len(list) {
	case 0:
		for _, r := range b.Model.RoleDimensions() {
			if r.Name == name {
				return &Member{Field: r.Field, Via: r.Path[0].Rel}, nil
			}
		}
		var known []string
		for n := range b.Model.dimensions() {
			known = append(known, n)
		}
		for _, m := range b.Model.metrics {
			if !m.Hidden {
				known = append(known, m.Name)
			}
		}
		slices.Sort(known)
		return nil, unknownName("column", name, known)
	case 1:
		return &Member{Field: list[0]}, nil
	}
	var choices []string
	for _, f := range list {
		choices = append(choices, f.Dataset.Name+"."+name)
	}
	return nil, &Error{
		Code:    AmbiguousName,
		Message: fmt.Sprintf("column reference %q is ambiguous", name),
		Hint:    fmt.Sprintf("Write %s.", strings.Join(choices, " or ")),
	}
}

// role finds the relationship of a role name; nil if there is none.
func (m *Model) role(word string) (*Relationship, error) {
	var hit *Relationship
	for _, r := range m.relationships {
		if r.Role != word || r.To.Hidden {
			continue
		}
		if hit != nil {
			return nil, &Error{Code: AmbiguousName, Message: fmt.Sprintf("role %q belongs to more than one relationship", word), Hint: fmt.Sprintf("Query %q or %q, and write the role there.", hit.From.Name, r.From.Name)}
		}
		hit = r
	}
	return hit, nil
}

// RoleDimensions are the dimensions that the relation without a root shows as
// role__field, for each relationship that has a role of its own.
func (m *Model) RoleDimensions() []Visible {
	var out []Visible
	for _, r := range m.relationships {
		if only, err := m.role(r.Role); r.Role == "" || err != nil || only != r || !r.toOne {
			continue
		}
		for _, f := range r.To.Fields {
			if !f.Hidden {
				out = append(out, Visible{Name: r.Role + "__" + f.Name, Path: []Edge{{Rel: r}}, Field: f})
			}
		}
	}
	return out
}

// Dimensions are the fields that the relation without a root shows by a bare
// name, in the order of the model.
func (m *Model) Dimensions() []*Field {
	byName := m.dimensions()
	var out []*Field
	for _, d := range m.datasets {
		for _, f := range d.Fields {
			if list := byName[f.Name]; len(list) == 1 && list[0] == f {
				out = append(out, f)
			}
		}
	}
	return out
}

// dimensions lists the fields of visible datasets by name. A foreign key that
// has the name of the key it refers to gives way to that key.
func (m *Model) dimensions() map[string][]*Field {
	out := map[string][]*Field{}
	for _, d := range m.datasets {
		if d.Hidden {
			continue
		}
		for _, f := range d.Fields {
			if f.Hidden || refersToSameName(d, f) {
				continue
			}
			out[f.Name] = append(out[f.Name], f)
		}
	}
	return out
}

func refersToSameName(d *Dataset, f *Field) bool {
	for _, e := range d.edges {
		if e.Back || !e.ToOne() {
			continue
		}
		near, far := e.Columns()
		for i, c := range near {
			if c != f.Column() || c == "" {
				continue
			}
			if g, ok := e.To().Field(f.Name); ok && g.Column() == far[i] && !g.Hidden {
				return true
			}
		}
	}
	return false
}
