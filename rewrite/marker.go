package rewrite

import (
	"strconv"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
)

// While a block is compiled, what its expressions mean stands in the tree as
// markers: column references that no client can write. They are replaced when
// the block is rendered, each part in its own way.
type markerKind string

const (
	// markMember is a dimension: block.members[i].
	markMember markerKind = "\x00member"
	// markValue is a measure of a group: block.values[i].
	markValue markerKind = "\x00value"
	// markRow is a measure of one row of FROM: block.rows[i].
	markRow markerKind = "\x00row"
	// markItem is a FROM item: the schema of a relation whose name is i.
	markItem markerKind = "\x00item"
)

func mark(kind markerKind, block, i int, loc int) *pgtree.Node {
	n := pgtree.Column(string(kind), strconv.Itoa(block), strconv.Itoa(i))
	n.GetColumnRef().Location = int32(loc)
	return n
}

// marked reads a marker; block is -1 where n is none.
func marked(n *pgtree.Node) (kind markerKind, block, i int) {
	ref := n.GetColumnRef()
	if ref == nil || len(ref.GetFields()) != 3 {
		return "", -1, 0
	}
	k := ref.GetFields()[0].GetString_().GetSval()
	if k == "" || k[0] != 0 {
		return "", -1, 0
	}
	b, err1 := strconv.Atoi(ref.GetFields()[1].GetString_().GetSval())
	i, err2 := strconv.Atoi(ref.GetFields()[2].GetString_().GetSval())
	if err1 != nil || err2 != nil {
		return "", -1, 0
	}
	return markerKind(k), b, i
}

// has reports whether a tree holds a marker of one of the kinds of the block.
func has(n *pgtree.Node, block int, kinds ...markerKind) bool {
	found := false
	pgtree.Walk(n, func(c *pgtree.Node) bool {
		if k, b, _ := marked(c); b == block {
			for _, want := range kinds {
				found = found || k == want
			}
		}
		return !found
	})
	return found
}

// each calls visit for every marker of the kind in a tree.
func each(n *pgtree.Node, block int, kind markerKind, visit func(i int)) {
	pgtree.Walk(n, func(c *pgtree.Node) bool {
		if k, b, i := marked(c); b == block && k == kind {
			visit(i)
		}
		return true
	})
}

// firstMarked is the first measure in a tree, for positions of errors.
func firstMarked(n *pgtree.Node, block int) *pgtree.Node {
	var first *pgtree.Node
	pgtree.Walk(n, func(k *pgtree.Node) bool {
		if kind, b, _ := marked(k); first == nil && b == block && (kind == markValue || kind == markRow) {
			first = k
		}
		return first == nil
	})
	return first
}
