package wire

import (
	"bytes"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// maxDimensions is how deep PostgreSQL's arrays go (array.h, MAXDIM).
const maxDimensions = 6

// An arrayText writes lists as array literals, lists of lists as arrays of more
// dimensions (array_out).
type arrayText struct {
	list *backend.List
	elem encoder // of what is in the list
	leaf bool    // elem is not a list itself
}

func newArrayText(v *backend.List, t sqltype.Type, env *encodeEnv) encoder {
	e := &arrayText{}
	if inner, nested := v.Child.(*backend.List); nested {
		e.elem = newArrayText(inner, t, env)
	} else {
		e.elem = newEncoder(v.Child, sqltype.Type{OID: t.OID.Elem(), Mod: t.Mod}, formatText, env)
		e.leaf = true
	}
	return e
}

func (e *arrayText) bind(v backend.Vector) bool {
	l, ok := v.(*backend.List)
	if ok {
		e.list = l
	}
	return ok && e.elem.bind(l.Child)
}

func (e *arrayText) append(dst []byte, row int) []byte {
	entry := e.list.Entries[row]
	dst = append(dst, '{')
	for i := range int(entry.Len) {
		if i > 0 {
			dst = append(dst, ',')
		}
		child := int(entry.Offset) + i
		if e.list.Child.Null(child) {
			dst = append(dst, "NULL"...)
			continue
		}
		start := len(dst)
		dst = e.elem.append(dst, child)
		if e.leaf && needsQuotes(dst[start:]) {
			dst = quoteTail(dst, start)
		}
	}
	return append(dst, '}')
}

// needsQuotes reports whether an element must be quoted in an array literal.
func needsQuotes(s []byte) bool {
	for _, c := range s {
		switch c {
		case '"', '\\', '{', '}', ',', ' ', '\t', '\n', '\r', '\v', '\f':
			return true
		}
	}
	return len(s) == 0 || len(s) == 4 && bytes.EqualFold(s, []byte("null"))
}

// quoteTail quotes what dst holds from start on, in place.
func quoteTail(dst []byte, start int) []byte {
	escapes := 0
	for _, c := range dst[start:] {
		if c == '"' || c == '\\' {
			escapes++
		}
	}
	end := len(dst)
	for range escapes + 2 {
		dst = append(dst, '"')
	}
	// Copied from the end, so that nothing is overwritten before it is read.
	to := len(dst) - 2
	for from := end - 1; from >= start; from-- {
		dst[to] = dst[from]
		to--
		if c := dst[from]; c == '"' || c == '\\' {
			dst[to] = '\\'
			to--
		}
	}
	dst[start] = '"'
	return dst
}

// A vectorText writes int2vector and oidvector: numbers with blanks between.
type vectorText struct {
	list *backend.List
	elem encoder
}

func newVectorText(v *backend.List, t sqltype.Type, env *encodeEnv) encoder {
	return &vectorText{elem: newEncoder(v.Child, sqltype.Of(t.OID.Elem()), formatText, env)}
}

func (e *vectorText) bind(v backend.Vector) bool {
	l, ok := v.(*backend.List)
	if ok {
		e.list = l
	}
	return ok && e.elem.bind(l.Child)
}

func (e *vectorText) append(dst []byte, row int) []byte {
	entry := e.list.Entries[row]
	for i := range int(entry.Len) {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = e.elem.append(dst, int(entry.Offset)+i)
	}
	return dst
}

// An arrayBinary writes lists as array_send does: dimensions, whether there are
// NULLs, the type of the elements, the elements with their lengths.
type arrayBinary struct {
	lists []*backend.List // one for each dimension
	leaf  encoder
	elem  sqltype.OID
	bound uint32 // of every dimension; 0 for int2vector and oidvector
	env   *encodeEnv
}

func newArrayBinary(v *backend.List, t sqltype.Type, env *encodeEnv) encoder {
	e := &arrayBinary{elem: t.OID.Elem(), bound: 1, env: env}
	if t.OID == sqltype.Int2Vector || t.OID == sqltype.OidVector {
		e.bound = 0
	}
	lists := listsOf(v)
	e.leaf = newEncoder(lists[len(lists)-1].Child, sqltype.Type{OID: e.elem, Mod: t.Mod}, formatBinary, env)
	return e
}

// listsOf are v and the lists inside it, from the outside.
func listsOf(v *backend.List) []*backend.List {
	lists := []*backend.List{v}
	for {
		inner, ok := lists[len(lists)-1].Child.(*backend.List)
		if !ok {
			return lists
		}
		lists = append(lists, inner)
	}
}

func (e *arrayBinary) bind(v backend.Vector) bool {
	l, ok := v.(*backend.List)
	if !ok {
		return false
	}
	e.lists = listsOf(l)
	return e.leaf.bind(e.lists[len(e.lists)-1].Child)
}

func (e *arrayBinary) append(dst []byte, row int) []byte {
	if len(e.lists) > maxDimensions {
		e.env.fail(sqlstate.New(sqlstate.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)",
			len(e.lists), maxDimensions))
		return dst
	}
	// The first list of each dimension says how long all of them must be.
	var sizes [maxDimensions]uint64
	at := row
	for d, l := range e.lists {
		entry := l.Entries[at]
		if sizes[d] = entry.Len; entry.Len == 0 {
			if d == 0 && e.bound == 0 { // int2vector has its one dimension always
				dst = append(dst, 0, 0, 0, 1, 0, 0, 0, 0)
				dst = appendUint32(dst, uint32(e.elem))
				return append(dst, 0, 0, 0, 0, 0, 0, 0, 0)
			}
			if d == 0 || e.empty(0, row) {
				return append(dst, 0, 0, 0, 0, 0, 0, 0, 0, byte(e.elem>>24), byte(e.elem>>16), byte(e.elem>>8), byte(e.elem))
			}
			e.uneven()
			return dst
		}
		at = int(entry.Offset)
		if d+1 < len(e.lists) && l.Child.Null(at) {
			e.uneven()
			return dst
		}
	}
	dst = appendUint32(dst, uint32(len(e.lists)))
	flags := len(dst)
	dst = appendUint32(dst, 0)
	dst = appendUint32(dst, uint32(e.elem))
	for d := range e.lists {
		dst = appendUint32(dst, uint32(sizes[d]))
		dst = appendUint32(dst, e.bound)
	}
	return e.appendList(dst, flags, 0, row, &sizes)
}

// empty reports whether no list at or under a row has an element.
func (e *arrayBinary) empty(d, row int) bool {
	entry := e.lists[d].Entries[row]
	for i := range int(entry.Len) {
		child := int(entry.Offset) + i
		if d+1 == len(e.lists) || e.lists[d].Child.Null(child) || !e.empty(d+1, child) {
			return false
		}
	}
	return true
}

func (e *arrayBinary) appendList(dst []byte, flags, d, row int, sizes *[maxDimensions]uint64) []byte {
	entry := e.lists[d].Entries[row]
	if entry.Len != sizes[d] {
		e.uneven()
		return dst
	}
	child := e.lists[d].Child
	for i := range int(entry.Len) {
		at := int(entry.Offset) + i
		switch null := child.Null(at); {
		case null && d+1 < len(e.lists):
			e.uneven()
			return dst
		case null:
			dst[flags+3] = 1
			dst = append(dst, 0xff, 0xff, 0xff, 0xff)
		case d+1 < len(e.lists):
			dst = e.appendList(dst, flags, d+1, at, sizes)
		default:
			size := len(dst)
			dst = appendUint32(dst, 0)
			dst = e.leaf.append(dst, at)
			n := uint32(len(dst) - size - 4)
			dst[size], dst[size+1], dst[size+2], dst[size+3] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
		}
	}
	return dst
}

func (e *arrayBinary) uneven() {
	e.env.fail(sqlstate.New(sqlstate.ArraySubscript, "multidimensional arrays must have sub-arrays with matching dimensions").
		WithHint("Ask for this column in text format, or for its to_json."))
}
