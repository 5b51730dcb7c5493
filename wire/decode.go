package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// decodeEnv is what the text of a parameter depends on besides its type.
type decodeEnv struct {
	location *time.Location
	order    dateOrder
	now      func() time.Time
}

func newDecodeEnv(s *Session) *decodeEnv {
	env := &decodeEnv{location: s.Location(), now: time.Now}
	switch style := s.settings["datestyle"].current().text; {
	case strings.HasSuffix(style, "DMY"):
		env.order = orderDMY
	case strings.HasSuffix(style, "YMD"):
		env.order = orderYMD
	}
	return env
}

// decodeParameter reads parameter number (from 1) of a Bind; nil is NULL.
func decodeParameter(b []byte, t sqltype.Type, format int16, number int, env *decodeEnv) (backend.Value, error) {
	switch {
	case format != formatText && format != formatBinary:
		return backend.Value{}, sqlstate.New(sqlstate.InvalidParameterValue, "unsupported format code: %d", format)
	case b == nil:
		return backend.Value{Type: t, Null: true}, nil
	case format == formatBinary:
		v, rest, err := parseBinary(b, t, 0)
		if err == nil && len(rest) > 0 {
			err = sqlstate.New(sqlstate.InvalidBinaryRepr, "incorrect binary data format in bind parameter %d", number)
		}
		return v, err
	}
	text, err := textOf(b)
	if err != nil {
		return backend.Value{}, err
	}
	return parseText(text, t, env)
}

// textOf takes bytes as text, which must be UTF-8 without zero bytes.
func textOf(b []byte) (string, error) {
	if bytes.IndexByte(b, 0) >= 0 {
		return "", sqlstate.New(sqlstate.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": 0x00")
	}
	return validText(string(b))
}

// parseText reads the text form of a value, as the type's input function would.
func parseText(s string, t sqltype.Type, env *decodeEnv) (backend.Value, error) {
	v := backend.Value{Type: t}
	var err error
	switch oid := t.OID; oid {
	case sqltype.Bool:
		on, ok := parseBool(trimSpace(s))
		if !ok {
			return v, invalidText(t, s)
		}
		if on {
			v.Int = 1
		}
	case sqltype.Int2:
		v.Int, err = parseInteger(s, t, 16)
	case sqltype.Int4:
		v.Int, err = parseInteger(s, t, 32)
	case sqltype.Int8:
		v.Int, err = parseInteger(s, t, 64)
	case sqltype.Float4:
		v.Float, err = parseFloat(s, t, 32)
	case sqltype.Float8:
		v.Float, err = parseFloat(s, t, 64)
	case sqltype.Numeric:
		v.Text, err = parseNumeric(s)
	case sqltype.Bytea:
		v.Text, err = parseBytea(s)
	case sqltype.UUID:
		u, ok := parseUUID(s)
		if !ok {
			return v, invalidText(t, s)
		}
		v.Text = string(appendUUID(nil, u))
	case sqltype.JSON, sqltype.JSONB:
		if !json.Valid([]byte(s)) {
			return v, sqlstate.New(sqlstate.InvalidTextRepr, "invalid input syntax for type json").WithDetail("The text is not valid JSON.")
		}
		v.Text = s
	case sqltype.Date, sqltype.Time, sqltype.Timetz, sqltype.Timestamp, sqltype.Timestamptz:
		v.Int, err = parseTime(s, t, env)
	case sqltype.Interval:
		var i backend.Interval
		i, err = parseInterval(s)
		v.Months, v.Days, v.Int = i.Months, i.Days, i.Micros
	case sqltype.Char:
		v.Text = s[:min(len(s), 1)]
	case sqltype.Int2Vector, sqltype.OidVector:
		return parseNumberVector(s, t, env)
	case sqltype.Record:
		return v, sqlstate.New(sqlstate.FeatureNotSupported, "input of anonymous composite types is not implemented")
	default:
		switch {
		case isObjectID(oid):
			return parseObjectID(s, t)
		case oid.Elem() != 0:
			return parseArray(s, t, env)
		}
		// Text in all its forms, and types whose input only the engine knows.
		v.Text = s
	}
	return v, err
}

func invalidText(t sqltype.Type, s string) error {
	return sqlstate.New(sqlstate.InvalidTextRepr, "invalid input syntax for type %s: \"%s\"", sqltype.Of(t.OID), s)
}

// isSpace is C's isspace.
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func trimSpace(s string) string { return strings.Trim(s, " \t\n\v\f\r") }

func parseInteger(s string, t sqltype.Type, size int) (int64, error) {
	n, err := strconv.ParseInt(trimSpace(s), 10, size)
	if errors.Is(err, strconv.ErrRange) {
		return 0, valueOutOfRange(s, t)
	}
	if err != nil {
		return 0, invalidText(t, s)
	}
	return n, nil
}

func valueOutOfRange(s string, t sqltype.Type) error {
	return sqlstate.New(sqlstate.NumericOutOfRange, "value \"%s\" is out of range for type %s", s, sqltype.Of(t.OID))
}

// parseObjectID reads an object id; a negative one counts from the end, as
// strtoul has it. A name (of a relation, a type) is passed on as text, for only
// the catalogue knows it.
func parseObjectID(s string, t sqltype.Type) (backend.Value, error) {
	n, err := strconv.ParseInt(trimSpace(s), 10, 64)
	switch {
	case err == nil && n >= math.MinInt32 && n <= math.MaxUint32:
		return backend.Value{Type: t, Int: int64(uint32(n))}, nil
	case err == nil || errors.Is(err, strconv.ErrRange):
		return backend.Value{}, valueOutOfRange(s, t)
	case t.OID == sqltype.Oid || t.OID == sqltype.Xid:
		return backend.Value{}, invalidText(t, s)
	}
	return backend.Value{Type: sqltype.Of(sqltype.Text), Text: s}, nil
}

func parseFloat(s string, t sqltype.Type, size int) (float64, error) {
	word := trimSpace(s)
	switch strings.ToLower(word) {
	case "nan":
		return math.NaN(), nil
	case "infinity", "inf", "+infinity", "+inf":
		return math.Inf(1), nil
	case "-infinity", "-inf":
		return math.Inf(-1), nil
	}
	if strings.Trim(word, "0123456789+-.eE") != "" {
		return 0, invalidText(t, s)
	}
	f, err := strconv.ParseFloat(word, size)
	if errors.Is(err, strconv.ErrRange) || err == nil && f == 0 && strings.Trim(mantissa(word), "+-.0") != "" {
		return 0, sqlstate.New(sqlstate.NumericOutOfRange, "\"%s\" is out of range for type %s", word, t)
	}
	if err != nil {
		return 0, invalidText(t, s)
	}
	return f, nil
}

func mantissa(number string) string {
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		return number[:i]
	}
	return number
}

// The digits that numeric allows before and after the point (numeric.c).
const (
	numericWhole    = 131072
	numericFraction = 16383
)

// parseNumeric gives a number as plain decimal digits, without exponent.
func parseNumeric(s string) (string, error) {
	word := trimSpace(s)
	switch strings.ToLower(word) {
	case "nan":
		return "NaN", nil
	case "infinity", "inf", "+infinity", "+inf":
		return "Infinity", nil
	case "-infinity", "-inf":
		return "-Infinity", nil
	}
	invalid := invalidText(sqltype.Of(sqltype.Numeric), s)
	exponent := 0
	number := mantissa(word)
	if len(number) < len(word) {
		n, err := strconv.Atoi(word[len(number)+1:])
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return "", invalid
		}
		exponent = n
	}
	digits, negative, scale, special, ok := splitNumeric([]byte(number))
	if !ok || special != 0 {
		return "", invalid
	}
	if exponent > numericWhole || exponent < -numericFraction || len(digits)-scale > numericWhole {
		return "", numericOverflow()
	}
	scale -= exponent
	for ; scale < 0; scale++ {
		digits = append(digits, '0')
	}
	for len(digits) <= scale {
		digits = append([]byte{'0'}, digits...)
	}
	for len(digits) > scale+1 && digits[0] == '0' {
		digits = digits[1:]
	}
	if scale > numericFraction || len(digits)-scale > numericWhole {
		return "", numericOverflow()
	}
	negative = negative && len(bytes.Trim(digits, "0")) > 0
	out := make([]byte, 0, len(digits)+2)
	if negative {
		out = append(out, '-')
	}
	out = append(out, digits[:len(digits)-scale]...)
	if scale > 0 {
		out = append(out, '.')
		out = append(out, digits[len(digits)-scale:]...)
	}
	return string(out), nil
}

func numericOverflow() error {
	return sqlstate.New(sqlstate.NumericOutOfRange, "value overflows numeric format")
}

// parseBytea reads the hex format and the escape format (byteain).
func parseBytea(s string) (string, error) {
	if hexed, ok := strings.CutPrefix(s, `\x`); ok {
		b := make([]byte, 0, len(hexed)/2)
		for i := 0; i < len(hexed); {
			if isSpace(hexed[i]) {
				i++
				continue
			}
			var pair [1]byte
			if i+1 == len(hexed) {
				return "", sqlstate.New(sqlstate.InvalidParameterValue, "invalid hexadecimal data: odd number of digits")
			}
			if _, err := hex.Decode(pair[:], []byte(hexed[i:i+2])); err != nil {
				bad := hexed[i]
				if strings.IndexByte("0123456789abcdefABCDEF", bad) >= 0 {
					bad = hexed[i+1]
				}
				return "", sqlstate.New(sqlstate.InvalidParameterValue, "invalid hexadecimal digit: \"%c\"", bad)
			}
			b = append(b, pair[0])
			i += 2
		}
		return string(b), nil
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		switch rest := s[i+1:]; {
		case strings.HasPrefix(rest, `\`):
			b = append(b, '\\')
			i++
		case len(rest) >= 3 && rest[0] >= '0' && rest[0] <= '3' && isOctal(rest[1]) && isOctal(rest[2]):
			b = append(b, (rest[0]-'0')<<6|(rest[1]-'0')<<3|(rest[2]-'0'))
			i += 3
		default:
			return "", sqlstate.New(sqlstate.InvalidTextRepr, "invalid input syntax for type bytea")
		}
	}
	return string(b), nil
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

// parseUUID takes 32 hex digits, in braces if need be, with a hyphen after any
// group of four (uuid.c, string_to_uuid).
func parseUUID(s string) (u backend.UUID, ok bool) {
	if inner, braced := strings.CutPrefix(s, "{"); braced {
		if s, ok = strings.CutSuffix(inner, "}"); !ok {
			return u, false
		}
	}
	for i := range u {
		if len(s) < 2 {
			return u, false
		}
		if _, err := hex.Decode(u[i:i+1], []byte(s[:2])); err != nil {
			return u, false
		}
		s = s[2:]
		if i%2 == 1 && i < len(u)-1 {
			s = strings.TrimPrefix(s, "-")
		}
	}
	return u, s == ""
}

func parseNumberVector(s string, t sqltype.Type, env *decodeEnv) (backend.Value, error) {
	v := backend.Value{Type: t, Elems: []backend.Value{}}
	for word := range strings.FieldsSeq(s) {
		e, err := parseText(word, sqltype.Of(t.OID.Elem()), env)
		if err != nil {
			return v, err
		}
		v.Elems = append(v.Elems, e)
	}
	return v, nil
}
