package pgtree

import (
	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Walk calls visit for n and, where it answers true, for everything below it,
// parents first. Typed parts that are not wrapped in a Node by the parser (a
// left arm of a UNION, the type of a cast, an alias) are visited wrapped.
func Walk(n *Node, visit func(*Node) bool) {
	if n == nil || n.Node == nil || !visit(n) {
		return
	}
	mapChildren(n, func(c *Node) *Node {
		Walk(c, visit)
		return c
	})
}

// MapChildren replaces each direct child of n by f(child).
func MapChildren(n *Node, f func(*Node) *Node) {
	if n != nil {
		mapChildren(n, f)
	}
}

// Map replaces every node of the tree by f(node), children first, and returns
// the new root.
func Map(n *Node, f func(*Node) *Node) *Node {
	if n == nil || n.Node == nil {
		return n
	}
	mapChildren(n, func(c *Node) *Node { return Map(c, f) })
	return f(n)
}

func mapList(list []*Node, f func(*Node) *Node) {
	for i, c := range list {
		if c != nil {
			if r := f(c); r != nil {
				list[i] = r
			}
		}
	}
}

// inner is the message inside a Node.
func inner(n *Node) protoreflect.Message {
	m := n.ProtoReflect()
	fd := m.WhichOneof(m.Descriptor().Oneofs().Get(0))
	if fd == nil {
		return nil
	}
	return m.Get(fd).Message()
}

func setLocation(n *Node, set func(old int32) int32) {
	m := inner(n)
	if m == nil {
		return
	}
	for _, name := range [...]protoreflect.Name{"location", "rexpr_list_start", "rexpr_list_end", "name_location"} {
		fd := m.Descriptor().Fields().ByName(name)
		if fd == nil || fd.Kind() != protoreflect.Int32Kind {
			continue
		}
		m.Set(fd, protoreflect.ValueOfInt32(set(int32(m.Get(fd).Int()))))
	}
}

func clearLocation(n *Node) { setLocation(n, func(int32) int32 { return 0 }) }

// DropLocation forgets where n itself stood in a text.
func DropLocation(n *Node) {
	setLocation(n, func(old int32) int32 {
		if old < 0 {
			return old
		}
		return -1
	})
}

func shift(n *Node, by int32) {
	setLocation(n, func(old int32) int32 {
		if old < 0 {
			return old
		}
		return max(0, old+by)
	})
}

// Location is the byte offset of n in the statement's text, or -1.
func Location(n *Node) int {
	switch x := n.GetNode().(type) {
	case *pg.Node_ColumnRef:
		return int(x.ColumnRef.GetLocation())
	case *pg.Node_FuncCall:
		return int(x.FuncCall.GetLocation())
	case *pg.Node_RangeVar:
		return int(x.RangeVar.GetLocation())
	case *pg.Node_ResTarget:
		return int(x.ResTarget.GetLocation())
	}
	if n == nil {
		return -1
	}
	m := inner(n)
	if m == nil {
		return -1
	}
	fd := m.Descriptor().Fields().ByName("location")
	if fd == nil || fd.Kind() != protoreflect.Int32Kind {
		return -1
	}
	return int(m.Get(fd).Int())
}
