package backend

import "github.com/pggate/pggate/semantic/sqltype"

// A Value is one argument of a statement. Which field holds it depends on the
// type:
//
//	Int    bool (0, 1), int2, int4, int8, oid; date: days since 1970-01-01;
//	       time: microseconds since midnight; timestamp, timestamptz:
//	       microseconds since 1970-01-01 00:00 (UTC for timestamptz);
//	       interval: microseconds (with Months and Days)
//	Float  float4, float8
//	Text   text, varchar, bpchar, name, json, jsonb, unknown; numeric in
//	       decimal digits; uuid in its canonical form; bytea as raw bytes
//	Elems  arrays
//
// math.MaxInt32/MinInt32 days and math.MaxInt64/MinInt64 microseconds are
// infinity and -infinity.
type Value struct {
	Type   sqltype.Type
	Null   bool
	Int    int64
	Float  float64
	Text   string
	Months int32
	Days   int32
	Elems  []Value
}
