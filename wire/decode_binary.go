package wire

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A binaryReader takes fixed-width fields from the front of a message; a short
// one is an error that stays (pqformat.c).
type binaryReader struct {
	b     []byte
	short bool
}

func (r *binaryReader) take(n int) []byte {
	if n < 0 || len(r.b) < n {
		r.short = true
		r.b = nil
		return make([]byte, max(0, min(n, 16)))
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *binaryReader) int16() int16 { return int16(binary.BigEndian.Uint16(r.take(2))) }
func (r *binaryReader) int32() int32 { return int32(binary.BigEndian.Uint32(r.take(4))) }
func (r *binaryReader) int64() int64 { return int64(binary.BigEndian.Uint64(r.take(8))) }

func (r *binaryReader) err() error {
	if r.short {
		return sqlstate.New(sqlstate.ProtocolViolation, "insufficient data left in message")
	}
	return nil
}

// parseBinary reads the binary form of a value, as the type's receive function
// would, and gives the bytes that it has left. depth counts arrays in arrays.
func parseBinary(b []byte, t sqltype.Type, depth int) (v backend.Value, rest []byte, err error) {
	v.Type = t
	r := &binaryReader{b: b}
	switch t.OID {
	case sqltype.Bool:
		if r.take(1)[0] != 0 {
			v.Int = 1
		}
	case sqltype.Int2:
		v.Int = int64(r.int16())
	case sqltype.Int4:
		v.Int = int64(r.int32())
	case sqltype.Int8:
		v.Int = r.int64()
	case sqltype.Float4:
		v.Float = float64(math.Float32frombits(uint32(r.int32())))
	case sqltype.Float8:
		v.Float = math.Float64frombits(uint64(r.int64()))
	case sqltype.Numeric:
		v.Text, err = r.numeric()
	case sqltype.Bytea:
		v.Text = string(r.take(len(b)))
	case sqltype.Char:
		v.Text = strings.TrimRight(string(r.take(1)), "\x00")
	case sqltype.UUID:
		v.Text = string(appendUUID(nil, backend.UUID(r.take(16))))
	case sqltype.JSONB:
		if version := r.take(1)[0]; version != 1 && !r.short {
			return v, nil, sqlstate.New(sqlstate.InvalidBinaryRepr, "unsupported jsonb version number %d", version)
		}
		v.Text, err = r.json()
	case sqltype.JSON:
		v.Text, err = r.json()
	case sqltype.Date, sqltype.Time, sqltype.Timetz, sqltype.Timestamp, sqltype.Timestamptz:
		v.Int, err = r.time(t.OID)
	case sqltype.Interval:
		v.Int, v.Days, v.Months = r.int64(), r.int32(), r.int32()
	case sqltype.Record, sqltype.Bit, sqltype.Varbit, sqltype.Tid, sqltype.ACLItem:
		return v, nil, sqlstate.New(sqlstate.FeatureNotSupported, "binary input of type %s is not supported", t).
			WithHint("Send the parameter in text format.")
	default:
		switch {
		case isObjectID(t.OID):
			v.Int = int64(uint32(r.int32()))
		case t.OID.Elem() != 0:
			return r.array(t, depth)
		default:
			v.Text, err = textOf(r.take(len(b)))
		}
	}
	if err == nil {
		err = r.err()
	}
	return v, r.b, err
}

func (r *binaryReader) json() (string, error) {
	s, err := textOf(r.take(len(r.b)))
	if err == nil && !json.Valid([]byte(s)) && !r.short {
		err = sqlstate.New(sqlstate.InvalidTextRepr, "invalid input syntax for type json").WithDetail("The text is not valid JSON.")
	}
	return s, err
}

// time reads a date or time and checks that it is one.
func (r *binaryReader) time(oid sqltype.OID) (int64, error) {
	switch oid {
	case sqltype.Date:
		switch days := r.int32(); {
		case days == math.MaxInt32 || days == math.MinInt32:
			return int64(days), nil
		case days > maxDate-epochDays || days < minDate-epochDays:
			return 0, sqlstate.New(sqlstate.DatetimeFieldOverflow, "date out of range")
		default:
			return int64(days) + epochDays, nil
		}
	case sqltype.Time, sqltype.Timetz:
		clock := r.int64()
		if clock < 0 || clock > microsPerDay {
			return 0, sqlstate.New(sqlstate.DatetimeFieldOverflow, "time out of range")
		}
		if oid == sqltype.Time {
			return clock, nil
		}
		west := r.int32()
		if west <= -maxOffset || west >= maxOffset {
			return 0, sqlstate.New("22009", "time zone displacement out of range")
		}
		return joinTimetz(clock, -int(west)), nil
	}
	switch micros := r.int64(); {
	case micros == math.MaxInt64 || micros == math.MinInt64:
		return micros, nil
	case micros >= maxTimestamp-epochMicros || micros < minTimestamp-epochMicros:
		return 0, sqlstate.New(sqlstate.DatetimeFieldOverflow, "timestamp out of range")
	default:
		return micros + epochMicros, nil
	}
}

// numeric reads groups of four decimal digits (numeric_recv) as plain digits.
func (r *binaryReader) numeric() (string, error) {
	groups, weight := int(uint16(r.int16())), int(r.int16())
	sign, dscale := uint16(r.int16()), int(uint16(r.int16()))
	if r.short {
		return "", nil
	}
	invalid := func(what string) error {
		return sqlstate.New(sqlstate.InvalidBinaryRepr, "invalid %s in external \"numeric\" value", what)
	}
	switch sign {
	case numericNaN:
		return "NaN", nil
	case numericPosInf:
		return "Infinity", nil
	case numericNegInf:
		return "-Infinity", nil
	case 0, numericNegative:
	default:
		return "", invalid("sign")
	}
	if dscale > numericFraction {
		return "", invalid("scale")
	}
	if len(r.b) < 2*groups {
		r.take(2 * groups)
		return "", nil
	}
	var whole, fraction []byte
	for i := weight; i < -1; i++ {
		fraction = append(fraction, "0000"...)
	}
	for i := range groups {
		g := int(r.int16())
		if g < 0 || g > 9999 {
			return "", invalid("digit")
		}
		four := []byte{byte('0' + g/1000), byte('0' + g/100%10), byte('0' + g/10%10), byte('0' + g%10)}
		if i <= weight {
			whole = append(whole, four...)
		} else {
			fraction = append(fraction, four...)
		}
	}
	for i := groups; i <= weight && groups > 0; i++ {
		whole = append(whole, "0000"...)
	}
	for len(fraction) < dscale {
		fraction = append(fraction, '0')
	}
	text := strings.TrimLeft(string(whole), "0")
	if text == "" {
		text = "0"
	}
	if dscale > 0 {
		text += "." + string(fraction[:dscale])
	}
	if sign == numericNegative && strings.Trim(text, "0.") != "" {
		text = "-" + text
	}
	return text, nil
}

// array reads dimensions and elements (array_recv). Lower bounds are not kept:
// the engine's lists begin at one.
func (r *binaryReader) array(t sqltype.Type, depth int) (backend.Value, []byte, error) {
	v := backend.Value{Type: t, Elems: []backend.Value{}}
	dimensions, flags, elem := r.int32(), r.int32(), sqltype.OID(r.int32())
	if err := r.err(); err != nil {
		return v, nil, err
	}
	switch {
	case depth > 0 || dimensions < 0:
		return v, nil, sqlstate.New(sqlstate.InvalidBinaryRepr, "invalid number of dimensions: %d", dimensions)
	case dimensions > maxDimensions:
		return v, nil, sqlstate.New(sqlstate.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", dimensions, maxDimensions)
	case flags != 0 && flags != 1:
		return v, nil, sqlstate.New(sqlstate.InvalidBinaryRepr, "invalid array flags")
	case elem != t.OID.Elem():
		return v, nil, sqlstate.New(sqlstate.DatatypeMismatch, "binary data has array element type %d (%s) instead of expected %d (%s)",
			elem, sqltype.Of(elem), t.OID.Elem(), sqltype.Of(t.OID.Elem()))
	}
	sizes := make([]int, dimensions)
	total := 1
	for i := range sizes {
		sizes[i] = int(r.int32())
		r.int32()
		// Every element takes four bytes at least.
		if total *= sizes[i]; r.short || sizes[i] < 0 || total > len(r.b)/4 {
			r.short = true
			return v, nil, r.err()
		}
	}
	if len(sizes) == 0 || total == 0 {
		return v, r.b, nil
	}
	v, err := r.elements(t, sizes)
	if err == nil {
		err = r.err()
	}
	return v, r.b, err
}

func (r *binaryReader) elements(t sqltype.Type, sizes []int) (backend.Value, error) {
	v := backend.Value{Type: t, Elems: make([]backend.Value, 0, sizes[0])}
	for range sizes[0] {
		if len(sizes) > 1 {
			inner, err := r.elements(t, sizes[1:])
			if err != nil {
				return v, err
			}
			v.Elems = append(v.Elems, inner)
			continue
		}
		elem := sqltype.Type{OID: t.OID.Elem(), Mod: t.Mod}
		size := int(r.int32())
		if size == -1 && !r.short {
			v.Elems = append(v.Elems, backend.Value{Type: elem, Null: true})
			continue
		}
		b := r.take(size)
		if err := r.err(); err != nil {
			return v, err
		}
		e, rest, err := parseBinary(b, elem, 1)
		if err == nil && len(rest) > 0 {
			err = sqlstate.New(sqlstate.InvalidBinaryRepr, "improper binary format in array element %d", len(v.Elems)+1)
		}
		if err != nil {
			return v, err
		}
		v.Elems = append(v.Elems, e)
	}
	return v, nil
}
