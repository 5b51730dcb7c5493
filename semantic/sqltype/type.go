// Package sqltype names the types of values as PostgreSQL numbers them
// (floor 0). It knows object ids, type modifiers and SQL names, and nothing of
// values, engines or messages.
package sqltype

import "strconv"

// An OID is the object id of a PostgreSQL type (pg_type.dat).
type OID uint32

// The built-in types that the gateway sends or takes.
const (
	Unknown      OID = 705
	Bool         OID = 16
	Bytea        OID = 17
	Char         OID = 18 // "char", one byte
	Name         OID = 19
	Int8         OID = 20
	Int2         OID = 21
	Int2Vector   OID = 22
	Int4         OID = 23
	RegProc      OID = 24
	Text         OID = 25
	Oid          OID = 26
	Tid          OID = 27
	Xid          OID = 28
	OidVector    OID = 30
	JSON         OID = 114
	PgNodeTree   OID = 194
	Float4       OID = 700
	Float8       OID = 701
	ACLItem      OID = 1033
	BPChar       OID = 1042
	Varchar      OID = 1043
	Date         OID = 1082
	Time         OID = 1083
	Timestamp    OID = 1114
	Timestamptz  OID = 1184
	Interval     OID = 1186
	Timetz       OID = 1266
	Bit          OID = 1560
	Varbit       OID = 1562
	Numeric      OID = 1700
	RegProcedure OID = 2202
	RegOper      OID = 2203
	RegOperator  OID = 2204
	RegClass     OID = 2205
	RegType      OID = 2206
	Void         OID = 2278
	UUID         OID = 2950
	JSONB        OID = 3802
	RegNamespace OID = 4089
	RegRole      OID = 4096
	Record       OID = 2249
)

// A Type is a PostgreSQL type with its modifier: ((p << 16) + s) + 4 for
// numeric(p,s), n + 4 for varchar(n) and char(n), -1 for none.
type Type struct {
	OID OID
	Mod int32
}

// Of is a type without a modifier.
func Of(oid OID) Type { return Type{OID: oid, Mod: -1} }

// NumericOf is numeric(precision, scale).
func NumericOf(precision, scale int) Type {
	return Type{OID: Numeric, Mod: int32(precision<<16|scale) + 4}
}

// A Column is one column of a result or relation.
type Column struct {
	Name    string
	Type    Type
	Table   uint32 // object id of the relation it is taken from unchanged, or 0
	Attr    int16  // its number there, from 1
	NotNull bool   // the relation promises it
}

// A Table is a relation of the engine's database and its columns.
type Table struct {
	Schema, Name string
	View         bool
	Columns      []Column
	PrimaryKey   []string // column names; nil if none is declared
	Comment      string
}

// Find gives the column of that name.
func (t *Table) Find(name string) (Column, bool) {
	for _, c := range t.Columns {
		if c.Name == name {
			return c, true
		}
	}
	return Column{}, false
}

type info struct {
	sql   string // as format_type prints it
	name  string // pg_type.typname
	size  int16  // pg_type.typlen: bytes, -1 variable
	array OID
	elem  OID // for array types
}

var types = map[OID]info{
	Unknown: {"unknown", "unknown", -2, 0, 0},
	Bool:    {"boolean", "bool", 1, 1000, 0}, Bytea: {"bytea", "bytea", -1, 1001, 0},
	Char: {`"char"`, "char", 1, 1002, 0}, Name: {"name", "name", 64, 1003, 0},
	Int8: {"bigint", "int8", 8, 1016, 0}, Int2: {"smallint", "int2", 2, 1005, 0},
	Int2Vector: {"int2vector", "int2vector", -1, 1006, Int2}, Int4: {"integer", "int4", 4, 1007, 0},
	RegProc: {"regproc", "regproc", 4, 1008, 0}, Text: {"text", "text", -1, 1009, 0},
	Oid: {"oid", "oid", 4, 1028, 0}, Tid: {"tid", "tid", 6, 1010, 0}, Xid: {"xid", "xid", 4, 1011, 0},
	OidVector: {"oidvector", "oidvector", -1, 1013, Oid}, JSON: {"json", "json", -1, 199, 0},
	PgNodeTree: {"pg_node_tree", "pg_node_tree", -1, 0, 0},
	Float4:     {"real", "float4", 4, 1021, 0}, Float8: {"double precision", "float8", 8, 1022, 0},
	ACLItem: {"aclitem", "aclitem", 12, 1034, 0}, BPChar: {"character", "bpchar", -1, 1014, 0},
	Varchar: {"character varying", "varchar", -1, 1015, 0}, Date: {"date", "date", 4, 1182, 0},
	Time: {"time without time zone", "time", 8, 1183, 0}, Timestamp: {"timestamp without time zone", "timestamp", 8, 1115, 0},
	Timestamptz: {"timestamp with time zone", "timestamptz", 8, 1185, 0}, Interval: {"interval", "interval", 16, 1187, 0},
	Timetz: {"time with time zone", "timetz", 12, 1270, 0}, Bit: {"bit", "bit", -1, 1561, 0},
	Varbit: {"bit varying", "varbit", -1, 1563, 0}, Numeric: {"numeric", "numeric", -1, 1231, 0},
	RegProcedure: {"regprocedure", "regprocedure", 4, 2207, 0}, RegOper: {"regoper", "regoper", 4, 2208, 0},
	RegOperator: {"regoperator", "regoperator", 4, 2209, 0}, RegClass: {"regclass", "regclass", 4, 2210, 0},
	RegType: {"regtype", "regtype", 4, 2211, 0}, Void: {"void", "void", 4, 0, 0},
	UUID: {"uuid", "uuid", 16, 2951, 0}, JSONB: {"jsonb", "jsonb", -1, 3807, 0},
	RegNamespace: {"regnamespace", "regnamespace", 4, 4090, 0}, RegRole: {"regrole", "regrole", 4, 4097, 0},
	Record: {"record", "record", -1, 2287, 0},
}

var byName = func() map[string]OID {
	m := make(map[string]OID, 2*len(types))
	for oid, t := range types {
		m[t.name] = oid
		if t.array != 0 {
			m["_"+t.name] = t.array
		}
	}
	return m
}()

// ByName gives the type of that pg_type.typname (int4, not integer).
func ByName(name string) (OID, bool) {
	oid, ok := byName[name]
	return oid, ok
}

var elements = func() map[OID]OID {
	m := make(map[OID]OID, len(types))
	for oid, t := range types {
		if t.array != 0 {
			m[t.array] = oid
		}
	}
	return m
}()

// String is the SQL name with its modifier, as format_type prints it.
func (t Type) String() string {
	if elem := t.OID.Elem(); elem != 0 && types[t.OID].sql == "" {
		return Type{OID: elem, Mod: t.Mod}.String() + "[]"
	}
	in, ok := types[t.OID]
	if !ok {
		return "???"
	}
	if t.Mod >= 0 {
		switch t.OID {
		case Numeric:
			m := t.Mod - 4
			return "numeric(" + strconv.Itoa(int(m>>16)) + "," + strconv.Itoa(int(m&0xffff)) + ")"
		case Varchar, BPChar:
			return in.sql + "(" + strconv.Itoa(int(t.Mod-4)) + ")"
		}
	}
	return in.sql
}

// Name is pg_type.typname, or "" for a type that is not built in.
func (o OID) Name() string {
	if in, ok := types[o]; ok {
		return in.name
	}
	if e := o.Elem(); e != 0 {
		return "_" + types[e].name
	}
	return ""
}

// Size is pg_type.typlen: the bytes of a value, -1 where they vary.
func (o OID) Size() int16 {
	if in, ok := types[o]; ok {
		return in.size
	}
	return -1
}

// Array is the type of arrays of o, or 0.
func (o OID) Array() OID { return types[o].array }

// Elem is the type of the elements of the array type o, or 0.
func (o OID) Elem() OID {
	if e, ok := elements[o]; ok {
		return e
	}
	return types[o].elem
}
