package wire

import (
	"bufio"
	"bytes"
	"testing"
	"time"

	"github.com/pggate/pggate/semantic/sqltype"
)

// FuzzFrames: whatever comes, frames end in an error without more memory than
// bytes came.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("Q\x00\x00\x00\x0dselect 1\x00S\x00\x00\x00\x04"))
	f.Add([]byte("Q\x7f\xff\xff\xffabc"))
	f.Add([]byte("Q\x00\x00\x00\x03"))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := frameReader{br: bufio.NewReaderSize(bytes.NewReader(b), 64)}
		for {
			_, size, err := in.header()
			if err != nil {
				return
			}
			body, err := in.body(size)
			if cap(in.buf) > 2*len(b)+2*readStep {
				t.Fatalf("%d bytes of memory for %d that came", cap(in.buf), len(b))
			}
			if err != nil {
				return
			}
			if len(body) != size {
				t.Fatalf("a body of %d bytes, not %d", len(body), size)
			}
		}
	})
}

// FuzzStartup: packets give pairs or an error.
func FuzzStartup(f *testing.F) {
	f.Add([]byte("\x00\x03\x00\x00user\x00u\x00options\x00-c a=b --c-d=e\\ f\x00\x00"))
	f.Add([]byte("\x00\x03\x00\x00user"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 4 {
			return
		}
		p, err := parseStartup(b)
		if err != nil {
			return
		}
		for _, pair := range p.params {
			if pair.name == "" {
				t.Fatal("a setting without a name")
			}
			if pair.name == "options" {
				_, _ = parseOptions(pair.value)
			}
		}
	})
}

// FuzzBind: the fields of messages stay inside them.
func FuzzBind(f *testing.F) {
	f.Add([]byte("c\x00s\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x01x\xff\xff\xff\xff\x00\x01\x00\x01"))
	f.Add([]byte("\x00\x00\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m := messageReader{rest: b}
		m.text()
		m.text()
		m.formats()
		values := m.values()
		m.formats()
		total := 0
		for _, v := range values {
			total += len(v)
		}
		if m.end() == nil && total > len(b) {
			t.Fatalf("%d bytes of values in a message of %d", total, len(b))
		}
	})
}

var fuzzTypes = []sqltype.OID{
	sqltype.Bool, sqltype.Bytea, sqltype.Char, sqltype.Int8, sqltype.Int2, sqltype.Int4, sqltype.Text, sqltype.Oid, sqltype.JSON,
	sqltype.JSONB, sqltype.Float4, sqltype.Float8, sqltype.Date, sqltype.Time, sqltype.Timetz, sqltype.Timestamp, sqltype.Timestamptz,
	sqltype.Interval, sqltype.Numeric, sqltype.UUID, sqltype.Int4.Array(), sqltype.Text.Array(), sqltype.Numeric.Array(),
	sqltype.Timestamptz.Array(), sqltype.Int2Vector, sqltype.OidVector,
}

// FuzzText: text that reads as a value is written again, and what is written
// reads as the same value.
func FuzzText(f *testing.F) {
	for _, c := range readValues(f) {
		for i, oid := range fuzzTypes {
			if oid == c.oid(f).OID {
				f.Add(uint8(i), c.input)
			}
		}
	}
	s := NewSession("u", "d")
	env := newDecodeEnv(s)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	env.now = func() time.Time { return now }
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		typ := sqltype.Of(fuzzTypes[int(which)%len(fuzzTypes)])
		if _, err := textOf([]byte(text)); err != nil {
			return
		}
		v, err := parseText(text, typ, env)
		if err != nil || typ.OID.Elem() != 0 {
			return
		}
		once := encodeOne(t, s, vectorOf(v), typ, formatText)
		again, err := parseText(once, typ, env)
		if err != nil {
			t.Fatalf("%s: %q is written %q, which does not read: %v", typ, text, once, err)
		}
		if twice := encodeOne(t, s, vectorOf(again), typ, formatText); twice != once {
			t.Fatalf("%s: %q is written %q, then %q", typ, text, once, twice)
		}
	})
}

// FuzzBinary: bytes that read as a value are written as text that reads.
func FuzzBinary(f *testing.F) {
	for _, c := range readValues(f) {
		for i, oid := range fuzzTypes {
			if b := []byte(c.binary); oid == c.oid(f).OID && len(b) > 0 {
				raw := make([]byte, len(b)/2)
				for j := range raw {
					raw[j] = unhex(b[2*j])<<4 | unhex(b[2*j+1])
				}
				f.Add(uint8(i), raw)
			}
		}
	}
	s := NewSession("u", "d")
	env := newDecodeEnv(s)
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		typ := sqltype.Of(fuzzTypes[int(which)%len(fuzzTypes)])
		v, err := decodeParameter(b, typ, formatBinary, 1, env)
		if err != nil || v.Null || typ.OID.Elem() != 0 || typ.OID == sqltype.Char {
			return
		}
		text := encodeOne(t, s, vectorOf(v), typ, formatText)
		if _, err := parseText(text, typ, env); err != nil {
			t.Fatalf("%s: %x is written as %d bytes, which do not read: %v", typ, b, len(text), err)
		}
	})
}

func unhex(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}
