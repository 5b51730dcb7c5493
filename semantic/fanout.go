package semantic

// A set is the instances that one aggregation joins. What a join does to a sum
// is read off it: the instances form a graph whose edges are the to-one or
// to-many steps between them, and whatever is not joined by an edge of the
// model (two items under any other condition) counts as to-many both ways.
type set struct {
	block *Block
	has   map[*Node]bool
}

func newSet(b *Block) *set { return &set{block: b, has: map[*Node]bool{}} }

func (s *set) clone() *set {
	c := newSet(s.block)
	for n := range s.has {
		c.has[n] = true
	}
	return c
}

// add takes instances with their ancestors.
func (s *set) add(nodes ...*Node) {
	for _, n := range nodes {
		for ; n != nil && !s.has[n]; n = n.Parent {
			s.has[n] = true
		}
	}
}

func (s *set) addSet(o *set) {
	for n := range o.has {
		s.has[n] = true
	}
}

// addMembers takes the instances of dimensions and of all that their fields
// are made of.
func (s *set) addMembers(lists ...[]*Member) error {
	for _, list := range lists {
		for _, m := range list {
			if m.Node == nil || m.Field == nil {
				continue
			}
			var need []*Node
			if err := s.block.needField(m.Node, m.Field, &need); err != nil {
				return err
			}
			s.add(m.Node)
			s.add(need...)
		}
	}
	return nil
}

// list is the set in the order of the block: parents before children.
func (s *set) list() []*Node {
	var out []*Node
	for _, n := range s.block.nodes {
		if s.has[n] {
			out = append(out, n)
		}
	}
	return out
}

// reach walks from a node over to-one steps, within the set.
func (s *set) reach(from *Node) map[*Node]bool {
	seen := map[*Node]bool{from: true}
	queue := []*Node{from}
	visit := func(n *Node, e Edge) {
		if e.ToOne() && s.has[n] && !seen[n] {
			seen[n] = true
			queue = append(queue, n)
		}
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if n.Parent != nil {
			visit(n.Parent, n.Edge.inverse())
		}
		for _, k := range n.kids {
			visit(k, k.Edge)
		}
		for _, l := range n.links {
			visit(l.to, l.edge)
		}
	}
	return seen
}

// repeats reports whether a row of home can appear more than once in the joined
// rows: not everything is reached from it by to-one steps.
func (s *set) repeats(home *Node) bool { return len(s.reach(home)) < len(s.has) }

// multiplies reports whether the joined rows can be more than the rows of FROM:
// some instance beyond the roots hangs on a to-many step.
func (s *set) multiplies() bool {
	for n := range s.has {
		if n.Parent != nil && !n.Edge.ToOne() {
			return true
		}
	}
	return false
}

// singleFrom reports whether members have one value for a row of home.
func (s *set) singleFrom(home *Node, members []*Member) bool {
	reach := s.reach(home)
	for _, m := range members {
		if m.Node != nil && !reach[m.Node] {
			return false
		}
	}
	return true
}
