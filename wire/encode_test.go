package wire

import (
	"encoding/hex"
	"errors"
	"math"
	"testing"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// TestVectors: vectors that are wider, narrower or other than their SQL type.
// binary is "" where the binary form is the text,
// or is long and only read back.
func TestVectors(t *testing.T) {
	of := sqltype.Of
	least := backend.Int128{Hi: math.MinInt64}
	points := &backend.Struct{
		Names:  []string{"x", `y"`},
		Fields: []backend.Vector{&backend.Of[int32]{Data: []int32{1}}, backend.NewBytes([]string{"a b\n\"c\""}, nil)},
	}
	decimal := func(v backend.Vector, scale int) backend.Vector { return &backend.Decimal{Unscaled: v, Scale: scale} }
	entries := &backend.Struct{
		Map: true, Names: []string{"key", "value"},
		Fields: []backend.Vector{&backend.Of[int32]{Data: []int32{7, 8}}, backend.NewBytes([]string{"p", ""}, backend.NewNulls(2, 1))},
	}
	one := []backend.ListEntry{{Len: 2}}
	for _, c := range []struct {
		name         string
		vector       backend.Vector
		typ          sqltype.Type
		text, binary string
	}{
		{"hugeint as numeric", &backend.Of[backend.Int128]{Data: []backend.Int128{least}}, of(sqltype.Numeric),
			"-170141183460469231731687303715884105728", ""},
		{"hugeint as int8", &backend.Of[backend.Int128]{Data: []backend.Int128{{Lo: 42}}}, of(sqltype.Int8), "42", "000000000000002a"},
		{"uhugeint", &backend.Of[backend.Uint128]{Data: []backend.Uint128{{Lo: math.MaxUint64, Hi: math.MaxUint64}}}, of(sqltype.Text),
			"340282366920938463463374607431768211455", ""},
		{"ubigint", &backend.Of[uint64]{Data: []uint64{math.MaxUint64}}, of(sqltype.Numeric), "18446744073709551615", ""},
		{"ten to the nineteenth", &backend.Of[backend.Uint128]{Data: []backend.Uint128{{Lo: 10_000_000_000_000_000_000}}}, of(sqltype.Text),
			"10000000000000000000", ""},
		{"usmallint as int4", &backend.Of[uint16]{Data: []uint16{65535}}, of(sqltype.Int4), "65535", "0000ffff"},
		{"tinyint as int2", &backend.Of[int8]{Data: []int8{-1}}, of(sqltype.Int2), "-1", "ffff"},
		{"bigint as oid", &backend.Of[int64]{Data: []int64{4294967295}}, of(sqltype.Oid), "4294967295", "ffffffff"},
		{"integer as numeric(10,2)", &backend.Of[int32]{Data: []int32{5}}, sqltype.NumericOf(10, 2), "5.00", "00010000000000020005"},
		{"bool as int4", &backend.Of[bool]{Data: []bool{true}}, of(sqltype.Int4), "1", "00000001"},
		{"integer as float8", &backend.Of[int32]{Data: []int32{3}}, of(sqltype.Float8), "3", "4008000000000000"},
		{"double as numeric", &backend.Of[float64]{Data: []float64{0.1}}, of(sqltype.Numeric), "0.1", "0001ffff0000000103e8"},
		{"integer as text", &backend.Of[int32]{Data: []int32{-3}}, of(sqltype.Text), "-3", ""},
		{"decimal(4,2)", decimal(&backend.Of[int16]{Data: []int16{-5}}, 2), sqltype.NumericOf(4, 2), "-0.05", "0001ffff4000000201f4"},
		{"decimal(9,0)", decimal(&backend.Of[int32]{Data: []int32{10000}}, 0), sqltype.NumericOf(9, 0), "10000", "00010001000000000001"},
		{"decimal(18,3)", decimal(&backend.Of[int64]{Data: []int64{1234567}}, 3), sqltype.NumericOf(18, 3), "1234.567", "000200000000000304d21626"},
		{"decimal(38,38)", decimal(&backend.Of[backend.Int128]{Data: []backend.Int128{{Lo: 1}}}, 38), sqltype.NumericOf(38, 38),
			"0.00000000000000000000000000000000000001", "0001fff6000000260064"},
		{"decimal as float8", decimal(&backend.Of[int32]{Data: []int32{150}}, 2), of(sqltype.Float8), "1.5", "3ff8000000000000"},
		{"enum", &backend.Dict{Index: &backend.Of[uint8]{Data: []uint8{1}}, Values: []string{"sad", "ok"}}, of(sqltype.Text), "ok", ""},
		{"struct", points, of(sqltype.JSON), `{"x":1,"y\"":"a b\n\"c\""}`, ""},
		{"struct as jsonb", points, of(sqltype.JSONB), `{"x":1,"y\"":"a b\n\"c\""}`, hex.EncodeToString([]byte("\x01" + `{"x":1,"y\"":"a b\n\"c\""}`))},
		{"struct as record", points, of(sqltype.Record), "(1,\"a b\n\"\"c\"\"\")",
			"00000002" + "000000170000000400000001" + "0000001900000007" + hex.EncodeToString([]byte("a b\n\"c\""))},
		{"map", &backend.List{Entries: one, Child: entries}, of(sqltype.JSON), `{"7":"p","8":null}`, ""},
		{"list as json", &backend.List{Entries: one, Child: &backend.Of[bool]{Data: []bool{true, false}}}, of(sqltype.JSON), `[true,false]`, ""},
		{"list of NaN as json", &backend.List{Entries: one, Child: &backend.Of[float64]{Data: []float64{math.NaN(), 1.5}}}, of(sqltype.JSON), `["NaN",1.5]`, ""},
		{"union", &backend.Union{Tags: []uint8{1}, Members: []backend.Vector{&backend.Of[int32]{Data: []int32{1}}, backend.NewBytes([]string{"u"}, nil)}},
			of(sqltype.JSON), `"u"`, ""},
		{"a name as \"char\"", backend.NewBytes([]string{"r"}, nil), of(sqltype.Char), "r", ""},
		{"text as int4", backend.NewBytes([]string{"77"}, nil), of(sqltype.Int4), "77", "0000004d"},
		{"text as timestamp", backend.NewBytes([]string{"2000-01-01 00:00:01"}, nil), of(sqltype.Timestamp), "2000-01-01 00:00:01", "00000000000f4240"},
		{"the engine's infinity", &backend.Of[int64]{Data: []int64{-math.MaxInt64}}, of(sqltype.Timestamptz), "-infinity", "8000000000000000"},
		{"the engine's infinite date", &backend.Of[int32]{Data: []int32{-math.MaxInt32}}, of(sqltype.Date), "-infinity", "80000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := NewSession("u", "d")
			if got := encodeOne(t, s, c.vector, c.typ, formatText); got != c.text {
				t.Errorf("text %q, want %q", got, c.text)
			}
			got := encodeOne(t, s, c.vector, c.typ, formatBinary)
			if c.typ.OID == sqltype.Numeric && c.binary == "" {
				// The reader has been checked with PostgreSQL's own bytes.
				v, err := decodeParameter([]byte(got), c.typ, formatBinary, 1, newDecodeEnv(s))
				if err != nil || v.Text != c.text {
					t.Errorf("binary %x reads %q, %v", got, v.Text, err)
				}
				return
			}
			want := c.binary
			if want == "" {
				want = hex.EncodeToString([]byte(c.text))
			}
			if hex.EncodeToString([]byte(got)) != want {
				t.Errorf("binary %x, want %s", got, want)
			}
		})
	}
}

// TestUnsendable: what has no room in its type is an error, never cut.
func TestUnsendable(t *testing.T) {
	uneven := &backend.List{
		Entries: []backend.ListEntry{{Len: 2}},
		Child: &backend.List{
			Entries: []backend.ListEntry{{Len: 1}, {Offset: 1, Len: 2}},
			Child:   &backend.Of[int32]{Data: []int32{1, 2, 3}},
		},
	}
	for _, c := range []struct {
		name   string
		vector backend.Vector
		typ    sqltype.OID
		code   sqlstate.Code
	}{
		{"int4", &backend.Of[int64]{Data: []int64{1 << 31}}, sqltype.Int4, sqlstate.NumericOutOfRange},
		{"int2", &backend.Of[int32]{Data: []int32{1 << 15}}, sqltype.Int2, sqlstate.NumericOutOfRange},
		{"int8", &backend.Of[uint64]{Data: []uint64{1 << 63}}, sqltype.Int8, sqlstate.NumericOutOfRange},
		{"oid", &backend.Of[int64]{Data: []int64{1 << 32}}, sqltype.Oid, sqlstate.NumericOutOfRange},
		{"timestamp", &backend.Of[int64]{Data: []int64{math.MinInt64 + 2}}, sqltype.Timestamp, sqlstate.DatetimeFieldOverflow},
		{"uneven lists", uneven, sqltype.Int4.Array(), sqlstate.ArraySubscript},
		{"text that is no number", backend.NewBytes([]string{"x"}, nil), sqltype.Int4, sqlstate.InvalidTextRepr},
	} {
		w := &rowWriter{}
		w.init(NewSession("u", "d"), []sqltype.Column{{Type: sqltype.Of(c.typ)}}, func(int) int16 { return formatBinary })
		o := &output{buf: []byte("before")}
		err := w.bind(&backend.Chunk{Len: 1, Vectors: []backend.Vector{c.vector}})
		if err == nil {
			_, err = w.write(o, 0)
		}
		var e *sqlstate.Error
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s: %v, want %s", c.name, err, c.code)
		}
		if string(o.buf) != "before" {
			t.Errorf("%s: a part of the row was left: %q", c.name, o.buf)
		}
	}
}

// TestSettingTable: every setting takes its own initial value and shows it.
func TestSettingTable(t *testing.T) {
	s := NewSession("u", "d")
	for i := range settingTable {
		def := &settingTable[i]
		v, err := def.parse(def.name, def.initial)
		if err != nil {
			t.Errorf("%s: %v", def.name, err)
			continue
		}
		again, err := def.parse(def.name, v.text)
		if err != nil || again.text != v.text {
			t.Errorf("%s: %q is shown %q, which is taken as %q, %v", def.name, def.initial, v.text, again.text, err)
		}
		if def.about == "" {
			t.Errorf("%s has no description", def.name)
		}
	}
	if all := s.Settings(); len(all) != len(settingTable) {
		t.Errorf("%d lines of SHOW ALL for %d settings", len(all), len(settingTable))
	}
	for _, name := range reported {
		if _, ok := s.Get(name); !ok {
			t.Errorf("no setting %q", name)
		}
	}
}
