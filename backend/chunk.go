package backend

import "unsafe"

// A Chunk is a run of rows by columns. It and all that it points to belong to
// the engine until the next call of Rows.Next.
type Chunk struct {
	Len     int
	Vectors []Vector
}

// A Vector is one column of a chunk. The closed set is *Of[T], *Decimal,
// *Bytes, *List, *Struct, *Dict and *Union.
type Vector interface {
	Null(row int) bool
	vector()
}

// Nulls is a bit mask of valid rows, 64 to a word, lowest bit first; nil means
// that every row is valid. Check it before reading a slot: the slot of a NULL
// holds garbage, in a string vector even a wild pointer.
type Nulls []uint64

// Null reports whether the row is NULL.
func (n Nulls) Null(row int) bool { return n != nil && n[row>>6]&(1<<(uint(row)&63)) == 0 }

func (n Nulls) vector() {}

// Fixed are the values of fixed width. The meaning of an integer (a date, a
// timestamp) is its column's type; units are those of Value, save that
// timestamps of other units are converted by the engine's adapter.
type Fixed interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | Int128 | Uint128 | Interval | UUID
}

// Of is a vector of fixed-width values.
type Of[T Fixed] struct {
	Nulls
	Data []T
}

// Int128 is a signed integer of 128 bits.
type Int128 struct {
	Lo uint64
	Hi int64
}

// Uint128 is an unsigned integer of 128 bits.
type Uint128 struct{ Lo, Hi uint64 }

// Interval is PostgreSQL's: months, days and microseconds kept apart.
type Interval struct {
	Months, Days int32
	Micros       int64
}

// UUID is a uuid in network order.
type UUID [16]byte

// Decimal is a vector of exact numbers: Unscaled / 10^Scale. Unscaled is
// *Of[int16], *Of[int32], *Of[int64] or *Of[Int128].
type Decimal struct {
	Unscaled Vector
	Scale    int
}

// Null reports whether the row is NULL.
func (d *Decimal) Null(row int) bool { return d.Unscaled.Null(row) }
func (d *Decimal) vector()           {}

// String16 is a string of DuckDB's vectors (duckdb.h, duckdb_string_t): four
// bytes of length, then up to twelve bytes inline, or a prefix of four and a
// pointer. The pointer is kept as bytes, so that a copy on a Go stack never
// shows the collector an address that is none.
type String16 struct {
	size uint32
	data [12]byte
}

// Bytes are the bytes of the string, which belong to the chunk.
func (s *String16) Bytes() []byte {
	if s.size <= 12 {
		return s.data[:s.size:s.size]
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&s.data[4])), s.size)
}

// Bytes is a vector of strings or byte strings.
type Bytes struct {
	Nulls
	Data []String16

	keep []byte // what Data points to, if that is Go's memory
}

// List is a vector of lists: row i holds Child rows Offset to Offset+Len.
type List struct {
	Nulls
	Entries []ListEntry
	Child   Vector
}

// A ListEntry is the place of one list in its child vector.
type ListEntry struct{ Offset, Len uint64 }

// Struct is a vector of structs. A map is a List of a Struct with Map set.
type Struct struct {
	Nulls
	Names  []string
	Fields []Vector
	Map    bool // the fields are key and value of a map's entries
}

// Dict is a vector of an enum: Index is *Of[uint8], *Of[uint16] or *Of[uint32].
type Dict struct {
	Index  Vector
	Values []string
}

// Null reports whether the row is NULL.
func (d *Dict) Null(row int) bool { return d.Index.Null(row) }
func (d *Dict) vector()           {}

// Union is a vector of tagged values; row i is Members[Tags.Data[i]] row i.
type Union struct {
	Nulls
	Tags    []uint8
	Members []Vector
}
