package duckdb

import (
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/pggate/pggate/backend"
)

// A reader lays a view over a vector of its type. What it gives is valid as long
// as the vector; buffers of its own are used again.
type reader interface {
	read(v bindings.Vector, n int) backend.Vector
}

func nullsOf(v bindings.Vector, n int) backend.Nulls {
	p := bindings.VectorGetValidity(v)
	if p == nil {
		return nil
	}
	return unsafe.Slice((*uint64)(p), (n+63)/64)
}

func dataOf[T any](v bindings.Vector, n int) []T {
	p := bindings.VectorGetData(v)
	if p == nil || n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(p), n)
}

type fixed[T backend.Fixed] struct{ out backend.Of[T] }

func (r *fixed[T]) read(v bindings.Vector, n int) backend.Vector {
	r.out.Nulls, r.out.Data = nullsOf(v, n), dataOf[T](v, n)
	return &r.out
}

type texts struct{ out backend.Bytes }

func (r *texts) read(v bindings.Vector, n int) backend.Vector {
	r.out.Nulls, r.out.Data = nullsOf(v, n), dataOf[backend.String16](v, n)
	return &r.out
}

// scaled converts timestamps of another unit to microseconds.
type scaled struct {
	out      backend.Of[int64]
	buf      []int64
	mul, div int64
}

func (r *scaled) read(v bindings.Vector, n int) backend.Vector {
	data := dataOf[int64](v, n)
	r.buf = append(r.buf[:0], data...)
	for i, x := range r.buf {
		switch {
		case x == 1<<63-1 || x == -(1<<63-1): // infinity
		case r.mul > 1:
			r.buf[i] = x * r.mul
		case x < 0:
			r.buf[i] = (x - r.div + 1) / r.div
		default:
			r.buf[i] = x / r.div
		}
	}
	r.out.Nulls, r.out.Data = nullsOf(v, n), r.buf
	return &r.out
}

// uuids turns the engine's sortable form, with the first bit flipped, around.
type uuids struct {
	out backend.Of[backend.UUID]
	buf []backend.UUID
}

func (r *uuids) read(v bindings.Vector, n int) backend.Vector {
	r.buf = r.buf[:0]
	for _, x := range dataOf[backend.Int128](v, n) {
		var u backend.UUID
		hi := uint64(x.Hi) ^ 1<<63
		for i := range 8 {
			u[i] = byte(hi >> (56 - 8*i))
			u[8+i] = byte(x.Lo >> (56 - 8*i))
		}
		r.buf = append(r.buf, u)
	}
	r.out.Nulls, r.out.Data = nullsOf(v, n), r.buf
	return &r.out
}

type decimals struct {
	out   backend.Decimal
	inner reader
}

func (r *decimals) read(v bindings.Vector, n int) backend.Vector {
	r.out.Unscaled = r.inner.read(v, n)
	return &r.out
}

type lists struct {
	out   backend.List
	child reader
	size  int // of an array type; 0 for a list
	buf   []backend.ListEntry
}

func (r *lists) read(v bindings.Vector, n int) backend.Vector {
	r.out.Nulls = nullsOf(v, n)
	if r.size > 0 {
		r.buf = r.buf[:0]
		for i := range n {
			r.buf = append(r.buf, backend.ListEntry{Offset: uint64(i * r.size), Len: uint64(r.size)})
		}
		r.out.Entries = r.buf
		r.out.Child = r.child.read(bindings.ArrayVectorGetChild(v), n*r.size)
		return &r.out
	}
	r.out.Entries = dataOf[backend.ListEntry](v, n)
	r.out.Child = r.child.read(bindings.ListVectorGetChild(v), int(bindings.ListVectorGetSize(v)))
	return &r.out
}

type structs struct {
	out    backend.Struct
	fields []reader
}

func (r *structs) read(v bindings.Vector, n int) backend.Vector {
	r.out.Nulls = nullsOf(v, n)
	for i, f := range r.fields {
		r.out.Fields[i] = f.read(bindings.StructVectorGetChild(v, bindings.IdxT(i)), n)
	}
	return &r.out
}

type dicts struct {
	out   backend.Dict
	inner reader
}

func (r *dicts) read(v bindings.Vector, n int) backend.Vector {
	r.out.Index = r.inner.read(v, n)
	return &r.out
}

type unions struct {
	out     backend.Union
	members []reader
}

func (r *unions) read(v bindings.Vector, n int) backend.Vector {
	r.out.Nulls = nullsOf(v, n)
	r.out.Tags = dataOf[uint8](bindings.StructVectorGetChild(v, 0), n)
	for i, m := range r.members {
		r.out.Members[i] = m.read(bindings.StructVectorGetChild(v, bindings.IdxT(i+1)), n)
	}
	return &r.out
}

// newReader chooses the reader of a type, once for each column of a result.
func newReader(t bindings.LogicalType) reader {
	switch id := bindings.GetTypeId(t); id {
	case bindings.TypeBoolean:
		return &fixed[bool]{}
	case bindings.TypeTinyInt:
		return &fixed[int8]{}
	case bindings.TypeSmallInt:
		return &fixed[int16]{}
	case bindings.TypeInteger, bindings.TypeDate:
		return &fixed[int32]{}
	case bindings.TypeBigInt, bindings.TypeTime, bindings.TypeTimestamp, bindings.TypeTimestampTZ, bindings.TypeTimeTZ:
		return &fixed[int64]{}
	case bindings.TypeUTinyInt:
		return &fixed[uint8]{}
	case bindings.TypeUSmallInt:
		return &fixed[uint16]{}
	case bindings.TypeUInteger:
		return &fixed[uint32]{}
	case bindings.TypeUBigInt:
		return &fixed[uint64]{}
	case bindings.TypeFloat:
		return &fixed[float32]{}
	case bindings.TypeDouble:
		return &fixed[float64]{}
	case bindings.TypeHugeInt:
		return &fixed[backend.Int128]{}
	case bindings.TypeUHugeInt:
		return &fixed[backend.Uint128]{}
	case bindings.TypeInterval:
		return &fixed[backend.Interval]{}
	case bindings.TypeTimestampS:
		return &scaled{mul: 1_000_000}
	case bindings.TypeTimestampMS:
		return &scaled{mul: 1_000}
	case bindings.TypeTimestampNS, bindings.TypeTimeNS:
		return &scaled{div: 1_000}
	case bindings.TypeUUID:
		return &uuids{}
	case bindings.TypeDecimal:
		return &decimals{out: backend.Decimal{Scale: int(bindings.DecimalScale(t))}, inner: integers(bindings.DecimalInternalType(t))}
	case bindings.TypeEnum:
		d := &dicts{inner: integers(bindings.EnumInternalType(t))}
		for i := range bindings.EnumDictionarySize(t) {
			d.out.Values = append(d.out.Values, bindings.EnumDictionaryValue(t, bindings.IdxT(i)))
		}
		return d
	case bindings.TypeList:
		return &lists{child: child(bindings.ListTypeChildType(t))}
	case bindings.TypeArray:
		return &lists{child: child(bindings.ArrayTypeChildType(t)), size: int(bindings.ArrayTypeArraySize(t))}
	case bindings.TypeMap:
		entry := &structs{fields: []reader{child(bindings.MapTypeKeyType(t)), child(bindings.MapTypeValueType(t))}}
		entry.out = backend.Struct{Names: []string{"key", "value"}, Fields: make([]backend.Vector, 2), Map: true}
		return &lists{child: entry}
	case bindings.TypeStruct:
		s := &structs{}
		for i := range bindings.StructTypeChildCount(t) {
			s.out.Names = append(s.out.Names, bindings.StructTypeChildName(t, i))
			s.fields = append(s.fields, child(bindings.StructTypeChildType(t, i)))
		}
		s.out.Fields = make([]backend.Vector, len(s.fields))
		return s
	case bindings.TypeUnion:
		u := &unions{}
		for i := range bindings.UnionTypeMemberCount(t) {
			u.members = append(u.members, child(bindings.UnionTypeMemberType(t, i)))
		}
		u.out.Members = make([]backend.Vector, len(u.members))
		return u
	case bindings.TypeSQLNull:
		return &nothing{}
	}
	return &texts{}
}

// nothing reads a column that is NULL in every row and has no type.
type nothing struct{ out backend.Bytes }

func (r *nothing) read(_ bindings.Vector, n int) backend.Vector {
	r.out.Nulls = make(backend.Nulls, (n+63)/64)
	r.out.Data = make([]backend.String16, n)
	return &r.out
}

func child(t bindings.LogicalType) reader {
	defer bindings.DestroyLogicalType(&t)
	return newReader(t)
}

// integers reads the integers behind a decimal or an enum.
func integers(id bindings.Type) reader {
	switch id {
	case bindings.TypeSmallInt:
		return &fixed[int16]{}
	case bindings.TypeInteger:
		return &fixed[int32]{}
	case bindings.TypeBigInt:
		return &fixed[int64]{}
	case bindings.TypeHugeInt:
		return &fixed[backend.Int128]{}
	case bindings.TypeUTinyInt:
		return &fixed[uint8]{}
	case bindings.TypeUSmallInt:
		return &fixed[uint16]{}
	}
	return &fixed[uint32]{}
}
