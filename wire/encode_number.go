package wire

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

type narrow interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32
}

func integerEncoder[T interface {
	narrow
	backend.Fixed
}](t sqltype.Type, binary bool, env *encodeEnv) encoder {
	return &fixed[T]{put: integerPut[T](t, binary, env)}
}

// integerPut is the function that writes integers of one width as type t.
func integerPut[T narrow](t sqltype.Type, binary bool, env *encodeEnv) func([]byte, T) []byte {
	if put := timePut(t.OID, binary, env); put != nil {
		return func(dst []byte, v T) []byte { return put(dst, int64(v)) }
	}
	switch {
	case t.OID == sqltype.Bool:
		return func(dst []byte, v T) []byte { return append(dst, boolByte(v != 0, binary)) }
	case isFloat(t.OID):
		put := floatPut[float64](t, binary, env)
		return func(dst []byte, v T) []byte { return put(dst, float64(v)) }
	case t.OID == sqltype.Numeric:
		scale := numericScale(t)
		return func(dst []byte, v T) []byte { return appendNumeric(dst, signed(int64(v)), 0, scale, binary) }
	case !binary:
		return func(dst []byte, v T) []byte { return strconv.AppendInt(dst, int64(v), 10) }
	case t.OID == sqltype.Int2:
		return func(dst []byte, v T) []byte {
			if int64(v) != int64(int16(v)) {
				env.fail(outOfRange(t))
			}
			return appendUint16(dst, uint16(v))
		}
	case t.OID == sqltype.Int4:
		return func(dst []byte, v T) []byte {
			if int64(v) != int64(int32(v)) {
				env.fail(outOfRange(t))
			}
			return appendUint32(dst, uint32(v))
		}
	case t.OID == sqltype.Int8:
		return func(dst []byte, v T) []byte { return appendUint64(dst, uint64(int64(v))) }
	case isObjectID(t.OID):
		return func(dst []byte, v T) []byte {
			// A negative number is one that was kept as a signed integer.
			if n := int64(v); n > math.MaxUint32 || n < math.MinInt32 {
				env.fail(outOfRange(t))
			}
			return appendUint32(dst, uint32(v))
		}
	}
	return func(dst []byte, v T) []byte { return strconv.AppendInt(dst, int64(v), 10) }
}

func boolByte(v, binary bool) byte {
	switch {
	case binary && v:
		return 1
	case binary:
		return 0
	case v:
		return 't'
	}
	return 'f'
}

func outOfRange(t sqltype.Type) error {
	return sqlstate.New(sqlstate.NumericOutOfRange, "%s out of range", sqltype.Of(t.OID).String())
}

// numericScale is the scale that t's modifier fixes, or 0.
func numericScale(t sqltype.Type) int {
	if t.Mod < 4 {
		return 0
	}
	return int((t.Mod - 4) & 0x7ff)
}

// A magnitude is a sign and 128 bits.
type magnitude struct {
	negative bool
	hi, lo   uint64
}

func signed(v int64) magnitude {
	if v < 0 {
		return magnitude{negative: true, lo: -uint64(v)}
	}
	return magnitude{lo: uint64(v)}
}

func magnitudeOf(v backend.Int128) magnitude {
	if v.Hi >= 0 {
		return magnitude{hi: uint64(v.Hi), lo: v.Lo}
	}
	lo, borrow := bits.Sub64(0, v.Lo, 0)
	hi, _ := bits.Sub64(0, uint64(v.Hi), borrow)
	return magnitude{negative: true, hi: hi, lo: lo}
}

// int64 gives the number if it fits.
func (m magnitude) int64() (int64, bool) {
	switch {
	case m.hi != 0:
		return 0, false
	case m.negative:
		return -int64(m.lo), m.lo <= 1<<63
	}
	return int64(m.lo), m.lo < 1<<63
}

func (m magnitude) float64() float64 {
	f := math.Ldexp(float64(m.hi), 64) + float64(m.lo)
	if m.negative {
		return -f
	}
	return f
}

// digits writes the decimal digits of m without sign to the end of buf and
// gives them; 39 digits are enough.
func (m magnitude) digits(buf *[40]byte) []byte {
	i := len(buf)
	for m.hi != 0 {
		const block = 1e19 // the largest power of ten in 64 bits
		var rest uint64
		hi := m.hi / block
		m.lo, rest = bits.Div64(m.hi%block, m.lo, block)
		m.hi = hi
		for range 19 {
			i--
			buf[i] = byte('0' + rest%10)
			rest /= 10
		}
	}
	for m.lo != 0 {
		i--
		buf[i] = byte('0' + m.lo%10)
		m.lo /= 10
	}
	// A block may have left zeros in front.
	for i < len(buf)-1 && buf[i] == '0' {
		i++
	}
	if i == len(buf) {
		i--
		buf[i] = '0'
	}
	return buf[i:]
}

// wideEncoder encodes integers that may exceed 64 bits.
func wideEncoder[T backend.Fixed](t sqltype.Type, binary bool, env *encodeEnv, split func(T) magnitude) encoder {
	var put func(dst []byte, m magnitude) []byte
	switch {
	case isFloat(t.OID):
		float := floatPut[float64](t, binary, env)
		put = func(dst []byte, m magnitude) []byte { return float(dst, m.float64()) }
	case t.OID == sqltype.Numeric:
		scale := numericScale(t)
		put = func(dst []byte, m magnitude) []byte { return appendNumeric(dst, m, 0, scale, binary) }
	case !isTime(t.OID) && t.OID != sqltype.Bool && (!binary || !isInteger(t.OID)):
		put = func(dst []byte, m magnitude) []byte { return appendNumeric(dst, m, 0, 0, false) }
	default:
		integer := integerPut[int64](t, binary, env)
		put = func(dst []byte, m magnitude) []byte {
			n, ok := m.int64()
			if !ok {
				env.fail(outOfRange(t))
			}
			return integer(dst, n)
		}
	}
	return &fixed[T]{put: func(dst []byte, v T) []byte { return put(dst, split(v)) }}
}

// A decimal encodes exact numbers by the encoder of its unscaled integers.
type decimal struct {
	unscaled encoder
	scale    int
}

func (e *decimal) bind(v backend.Vector) bool {
	d, ok := v.(*backend.Decimal)
	return ok && d.Scale == e.scale && e.unscaled.bind(d.Unscaled)
}

func (e *decimal) append(dst []byte, row int) []byte { return e.unscaled.append(dst, row) }

func decimalEncoder(d *backend.Decimal, t sqltype.Type, binary bool, env *encodeEnv) encoder {
	put := decimalPut(d.Scale, t, binary, env)
	e := &decimal{scale: d.Scale}
	switch d.Unscaled.(type) {
	case *backend.Of[int16]:
		e.unscaled = &fixed[int16]{put: func(dst []byte, v int16) []byte { return put(dst, signed(int64(v))) }}
	case *backend.Of[int32]:
		e.unscaled = &fixed[int32]{put: func(dst []byte, v int32) []byte { return put(dst, signed(int64(v))) }}
	case *backend.Of[int64]:
		e.unscaled = &fixed[int64]{put: func(dst []byte, v int64) []byte { return put(dst, signed(v)) }}
	default:
		e.unscaled = &fixed[backend.Int128]{put: func(dst []byte, v backend.Int128) []byte { return put(dst, magnitudeOf(v)) }}
	}
	return e
}

func decimalPut(scale int, t sqltype.Type, binary bool, env *encodeEnv) func([]byte, magnitude) []byte {
	switch {
	case isFloat(t.OID):
		float := floatPut[float64](t, binary, env)
		return func(dst []byte, m magnitude) []byte {
			var scratch [48]byte
			// The digits are a number, so that parsing cannot fail.
			f, _ := strconv.ParseFloat(string(appendNumeric(scratch[:0], m, scale, scale, false)), 64)
			return float(dst, f)
		}
	case binary && isInteger(t.OID):
		integer := integerPut[int64](t, true, env)
		return func(dst []byte, m magnitude) []byte {
			for range scale {
				var rest uint64
				hi := m.hi / 10
				m.lo, rest = bits.Div64(m.hi%10, m.lo, 10)
				m.hi = hi
				if rest != 0 {
					env.fail(sqlstate.New(sqlstate.InternalError, "a number with a fraction cannot be sent as %s", t))
				}
			}
			n, ok := m.int64()
			if !ok {
				env.fail(outOfRange(t))
			}
			return integer(dst, n)
		}
	}
	binary = binary && t.OID == sqltype.Numeric
	return func(dst []byte, m magnitude) []byte { return appendNumeric(dst, m, scale, scale, binary) }
}

// appendNumeric writes m / 10^scale with at least show digits after the point,
// in PostgreSQL's text or binary form.
func appendNumeric(dst []byte, m magnitude, scale, show int, binary bool) []byte {
	var buf [40]byte
	digits := m.digits(&buf)
	if binary {
		return appendNumericBinary(dst, m.negative, digits, scale, max(scale, show))
	}
	if m.negative {
		dst = append(dst, '-')
	}
	whole := len(digits) - scale
	if whole <= 0 {
		dst = append(dst, '0')
	} else {
		dst = append(dst, digits[:whole]...)
	}
	if scale > 0 || show > 0 {
		dst = append(dst, '.')
		for ; whole < 0; whole++ {
			dst = append(dst, '0')
		}
		dst = append(dst, digits[whole:]...)
		for ; scale < show; scale++ {
			dst = append(dst, '0')
		}
	}
	return dst
}

// The sign words of numeric's binary form (numeric.c).
const (
	numericNegative = 0x4000
	numericNaN      = 0xC000
	numericPosInf   = 0xD000
	numericNegInf   = 0xF000

	infinityScale = 0x20 // the display scale that comes with an infinity
)

// appendNumericBinary writes digits / 10^scale as numeric_send does: groups of
// four decimal digits around the point, without empty groups at either end.
func appendNumericBinary(dst []byte, negative bool, digits []byte, scale, dscale int) []byte {
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
	}
	whole := len(digits) - scale // digits before the point; may be negative
	// The first group holds the digits from a position that is a multiple of
	// four before the point.
	weight := floorDiv(whole+3, 4) - 1
	pos := whole - (weight+1)*4 // at most 0: digits missing in front of the first group
	start := len(dst)
	sign := uint16(0)
	if negative {
		sign = numericNegative
	}
	dst = appendUint16(dst, 0)
	dst = appendUint16(dst, uint16(int16(weight)))
	dst = appendUint16(dst, sign)
	dst = appendUint16(dst, uint16(dscale))
	groups, last := 0, 0 // last: groups up to the last that is not zero
	mark := len(dst)
	for pos < len(digits) {
		g := uint16(0)
		for range 4 {
			g *= 10
			if pos >= 0 && pos < len(digits) {
				g += uint16(digits[pos] - '0')
			}
			pos++
		}
		dst = appendUint16(dst, g)
		groups++
		if g != 0 {
			last = groups
		}
	}
	dst = dst[:mark+2*last]
	if last == 0 { // zero has no sign and no weight
		dst[start+2], dst[start+3], dst[start+4], dst[start+5] = 0, 0, 0, 0
	}
	dst[start], dst[start+1] = byte(last>>8), byte(last)
	return dst
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func floatEncoder[T float32 | float64](t sqltype.Type, binary bool, env *encodeEnv) encoder {
	put := floatPut[T](t, binary, env)
	switch put := any(put).(type) {
	case func([]byte, float32) []byte:
		return &fixed[float32]{put: put}
	case func([]byte, float64) []byte:
		return &fixed[float64]{put: put}
	}
	return nil // not reached: T has no third type
}

func floatPut[T float32 | float64](t sqltype.Type, binary bool, env *encodeEnv) func([]byte, T) []byte {
	digits := env.floatDigits
	switch {
	case binary && t.OID == sqltype.Float4:
		return func(dst []byte, v T) []byte {
			if v != v {
				return append(dst, 0x7f, 0xc0, 0, 0) // PostgreSQL's NaN, whatever bits the engine's has
			}
			return appendUint32(dst, math.Float32bits(float32(v)))
		}
	case binary && t.OID == sqltype.Float8:
		return func(dst []byte, v T) []byte {
			if v != v {
				return append(dst, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0)
			}
			return appendUint64(dst, math.Float64bits(float64(v)))
		}
	case t.OID == sqltype.Numeric:
		return func(dst []byte, v T) []byte { return appendFloatNumeric(dst, float64(v), binary) }
	case t.OID == sqltype.Float4:
		return func(dst []byte, v T) []byte { return appendFloat4(dst, float32(v), digits) }
	case t.OID == sqltype.Float8:
		return func(dst []byte, v T) []byte { return appendFloat8(dst, float64(v), digits) }
	}
	var zero T
	if _, single := any(zero).(float32); single {
		return func(dst []byte, v T) []byte { return appendFloat4(dst, float32(v), digits) }
	}
	return func(dst []byte, v T) []byte { return appendFloat8(dst, float64(v), digits) }
}

// appendFloatNumeric writes a float as numeric: its shortest digits.
func appendFloatNumeric(dst []byte, v float64, binary bool) []byte {
	var scratch [400]byte
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return appendNumericText(dst, appendFloat8(scratch[:0], v, 1), binary)
	}
	return appendNumericText(dst, strconv.AppendFloat(scratch[:0], v, 'f', -1, 64), binary)
}

// appendNumericText writes a number given as plain decimal digits, NaN or
// Infinity. Text that is no such number is passed on as it is.
func appendNumericText(dst, text []byte, binary bool) []byte {
	if !binary {
		return append(dst, text...)
	}
	digits, negative, scale, special, ok := splitNumeric(text)
	switch {
	case !ok:
		return append(dst, text...)
	case special != 0:
		dst = append(dst, 0, 0, 0, 0)
		dst = appendUint16(dst, special)
		if special == numericNaN {
			return append(dst, 0, 0)
		}
		return append(dst, 0, infinityScale)
	}
	return appendNumericBinary(dst, negative, digits, scale, scale)
}

// splitNumeric takes -12.50 apart: digits 1250, scale 2.
func splitNumeric(text []byte) (digits []byte, negative bool, scale int, special uint16, ok bool) {
	switch string(text) {
	case "NaN":
		return nil, false, 0, numericNaN, true
	case "Infinity":
		return nil, false, 0, numericPosInf, true
	case "-Infinity":
		return nil, false, 0, numericNegInf, true
	}
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		text = text[1:]
	}
	point := false
	digits = make([]byte, 0, len(text))
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			digits = append(digits, c)
			if point {
				scale++
			}
		case c == '.' && !point:
			point = true
		default:
			return nil, false, 0, 0, false
		}
	}
	return digits, negative, scale, 0, len(digits) > 0
}

// appendFloat8 writes a double as float8out does. With extra_float_digits above
// 0 these are the shortest digits that read back as the same number, with an
// exponent below 1e-4 and from 1e15 on (d2s.c); otherwise 15 digits plus that
// many.
func appendFloat8(dst []byte, v float64, extra int) []byte {
	if special := specialFloat(v); special != "" {
		return append(dst, special...)
	}
	if extra <= 0 {
		return strconv.AppendFloat(dst, v, 'g', max(1, 15+extra), 64)
	}
	abs := math.Abs(v)
	if abs >= 1e15 || abs < 1e-4 && abs != 0 {
		return strconv.AppendFloat(dst, v, 'e', -1, 64)
	}
	// Whole numbers need no search for the shortest digits; -0 keeps its sign.
	if n := int64(v); float64(n) == v && (n != 0 || !math.Signbit(v)) {
		return strconv.AppendInt(dst, n, 10)
	}
	return strconv.AppendFloat(dst, v, 'f', -1, 64)
}

// appendFloat4 writes a single as float4out does; the exponent comes from 1e6
// on (f2s.c).
func appendFloat4(dst []byte, v float32, extra int) []byte {
	if special := specialFloat(float64(v)); special != "" {
		return append(dst, special...)
	}
	if extra <= 0 {
		return strconv.AppendFloat(dst, float64(v), 'g', max(1, 6+extra), 32)
	}
	abs := v
	if v < 0 {
		abs = -v
	}
	if abs >= 1e6 || abs < 1e-4 && abs != 0 {
		return strconv.AppendFloat(dst, float64(v), 'e', -1, 32)
	}
	return strconv.AppendFloat(dst, float64(v), 'f', -1, 32)
}

func specialFloat(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	return ""
}
