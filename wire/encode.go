package wire

import (
	"strconv"
	"time"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
)

// The format codes of the protocol.
const (
	formatText   = 0
	formatBinary = 1
)

// An encoder writes the values of one column. It is chosen once, by the kind of
// the vector, the SQL type and the format; what no rule foresees is written as
// text, in either format.
type encoder interface {
	// bind goes over to another vector; false if it is of another kind.
	bind(v backend.Vector) bool
	// append writes the value of a row that is not NULL, without its length.
	append(dst []byte, row int) []byte
}

// encodeEnv is what the values of a result depend on besides their types, and
// the place where an encoder that cannot write a value says so.
type encodeEnv struct {
	zone          zoneCache
	intervalStyle string
	byteaEscape   bool
	floatDigits   int // extra_float_digits
	err           error
}

func newEncodeEnv(s *Session) *encodeEnv {
	return &encodeEnv{
		zone:          zoneCache{location: s.Location()},
		intervalStyle: s.settings["intervalstyle"].current().text,
		byteaEscape:   s.settings["bytea_output"].current().text == "escape",
		floatDigits:   int(s.number("extra_float_digits")),
	}
}

// fail keeps the first error.
func (env *encodeEnv) fail(err error) {
	if env.err == nil {
		env.err = err
	}
}

// newEncoder chooses the encoder of a column and binds it to v.
func newEncoder(v backend.Vector, t sqltype.Type, format int16, env *encodeEnv) encoder {
	e := chooseEncoder(v, t, format, env)
	e.bind(v)
	if format == formatBinary && t.OID == sqltype.JSONB {
		return &prefixed{e}
	}
	return e
}

func chooseEncoder(v backend.Vector, t sqltype.Type, format int16, env *encodeEnv) encoder {
	if t.OID == sqltype.JSON || t.OID == sqltype.JSONB {
		if _, text := v.(*backend.Bytes); !text {
			return &jsonEncoder{env: env}
		}
	}
	binary := format == formatBinary
	switch v := v.(type) {
	case *backend.Of[bool]:
		return boolEncoder(t, binary)
	case *backend.Of[int8]:
		return integerEncoder[int8](t, binary, env)
	case *backend.Of[int16]:
		return integerEncoder[int16](t, binary, env)
	case *backend.Of[int32]:
		return integerEncoder[int32](t, binary, env)
	case *backend.Of[int64]:
		return integerEncoder[int64](t, binary, env)
	case *backend.Of[uint8]:
		return integerEncoder[uint8](t, binary, env)
	case *backend.Of[uint16]:
		return integerEncoder[uint16](t, binary, env)
	case *backend.Of[uint32]:
		return integerEncoder[uint32](t, binary, env)
	case *backend.Of[uint64]:
		return wideEncoder(t, binary, env, func(v uint64) magnitude { return magnitude{lo: v} })
	case *backend.Of[backend.Int128]:
		return wideEncoder(t, binary, env, magnitudeOf)
	case *backend.Of[backend.Uint128]:
		return wideEncoder(t, binary, env, func(v backend.Uint128) magnitude { return magnitude{hi: v.Hi, lo: v.Lo} })
	case *backend.Of[float32]:
		return floatEncoder[float32](t, binary, env)
	case *backend.Of[float64]:
		return floatEncoder[float64](t, binary, env)
	case *backend.Of[backend.Interval]:
		return intervalEncoder(t, binary, env)
	case *backend.Of[backend.UUID]:
		return uuidEncoder(t, binary)
	case *backend.Decimal:
		return decimalEncoder(v, t, binary, env)
	case *backend.Bytes:
		return bytesEncoder(t, binary, env)
	case *backend.Dict:
		return &enumEncoder{}
	case *backend.List:
		switch {
		case t.OID == sqltype.Int2Vector || t.OID == sqltype.OidVector:
			if !binary {
				return newVectorText(v, t, env)
			}
			return newArrayBinary(v, t, env)
		case t.OID.Elem() == 0:
			return &jsonEncoder{env: env}
		case binary:
			return newArrayBinary(v, t, env)
		}
		return newArrayText(v, t, env)
	case *backend.Struct:
		if t.OID == sqltype.Record {
			return newRecord(v, binary, env)
		}
		return &jsonEncoder{env: env}
	}
	return &jsonEncoder{env: env}
}

// prefixed puts the version byte of jsonb before a value (jsonb_send).
type prefixed struct{ encoder }

func (e *prefixed) append(dst []byte, row int) []byte {
	return e.encoder.append(append(dst, 1), row)
}

// fixed encodes a vector of fixed-width values by one function.
type fixed[T backend.Fixed] struct {
	data []T
	put  func(dst []byte, v T) []byte
}

func (e *fixed[T]) bind(v backend.Vector) bool {
	of, ok := v.(*backend.Of[T])
	if ok {
		e.data = of.Data
	}
	return ok
}

func (e *fixed[T]) append(dst []byte, row int) []byte { return e.put(dst, e.data[row]) }

func boolEncoder(t sqltype.Type, binary bool) encoder {
	put := func(dst []byte, v bool) []byte {
		if v {
			return append(dst, 't')
		}
		return append(dst, 'f')
	}
	if number := isInteger(t.OID) || t.OID == sqltype.Numeric || isFloat(t.OID); binary && t.OID == sqltype.Bool || number {
		inner := integerPut[uint8](t, binary, &encodeEnv{})
		put = func(dst []byte, v bool) []byte {
			if v {
				return inner(dst, 1)
			}
			return inner(dst, 0)
		}
	}
	return &fixed[bool]{put: put}
}

func isInteger(oid sqltype.OID) bool {
	switch oid {
	case sqltype.Int2, sqltype.Int4, sqltype.Int8:
		return true
	}
	return isObjectID(oid)
}

// isObjectID is for the types that are four unsigned bytes in binary form.
func isObjectID(oid sqltype.OID) bool {
	switch oid {
	case sqltype.Oid, sqltype.Xid, sqltype.RegProc, sqltype.RegProcedure, sqltype.RegOper, sqltype.RegOperator,
		sqltype.RegClass, sqltype.RegType, sqltype.RegNamespace, sqltype.RegRole:
		return true
	}
	return false
}

func isFloat(oid sqltype.OID) bool { return oid == sqltype.Float4 || oid == sqltype.Float8 }

// A zoneCache finds the offset of a point in time, and remembers for how long
// the last one holds: rows are mostly close to each other in time.
type zoneCache struct {
	location *time.Location
	from, to int64 // Unix seconds in which offset holds
	offset   int64
	valid    bool
}

func (z *zoneCache) at(seconds int64) (offset int64) {
	if z.location == time.UTC {
		return 0
	}
	if z.valid && seconds >= z.from && seconds < z.to {
		return z.offset
	}
	t := time.Unix(seconds, 0).In(z.location)
	_, off := t.Zone()
	start, end := t.ZoneBounds()
	z.from, z.to = -1<<62, 1<<62
	if !start.IsZero() {
		z.from = start.Unix()
	}
	if !end.IsZero() {
		z.to = end.Unix()
	}
	z.offset, z.valid = int64(off), true
	return z.offset
}

func appendUint16(dst []byte, v uint16) []byte { return append(dst, byte(v>>8), byte(v)) }

func appendUint32(dst []byte, v uint32) []byte {
	return append(dst, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

func appendUint64(dst []byte, v uint64) []byte {
	return append(dst, byte(v>>56), byte(v>>48), byte(v>>40), byte(v>>32), byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

// appendTwo writes a number of at least two digits.
func appendTwo(dst []byte, v int) []byte {
	if v >= 0 && v < 100 {
		return append(dst, byte('0'+v/10), byte('0'+v%10))
	}
	return strconv.AppendInt(dst, int64(v), 10)
}
