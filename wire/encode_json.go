package wire

import (
	"strconv"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
)

// A jsonEncoder writes what no PostgreSQL type has a form for (structs, maps,
// unions, lists of such) as JSON text, spelled as row_to_json spells it.
type jsonEncoder struct {
	vector backend.Vector
	env    *encodeEnv
}

func (e *jsonEncoder) bind(v backend.Vector) bool {
	e.vector = v
	return true
}

func (e *jsonEncoder) append(dst []byte, row int) []byte {
	return appendJSON(dst, e.vector, row, e.env)
}

func appendJSON(dst []byte, v backend.Vector, row int, env *encodeEnv) []byte {
	if v.Null(row) {
		return append(dst, "null"...)
	}
	switch v := v.(type) {
	case *backend.List:
		return appendJSONList(dst, v, row, env)
	case *backend.Struct:
		dst = append(dst, '{')
		for i, name := range v.Names {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSONString(dst, []byte(name))
			dst = append(dst, ':')
			dst = appendJSON(dst, v.Fields[i], row, env)
		}
		return append(dst, '}')
	case *backend.Union:
		return appendJSON(dst, v.Members[v.Tags[row]], row, env)
	case *backend.Of[bool]:
		return strconv.AppendBool(dst, v.Data[row])
	}
	start := len(dst)
	dst = newEncoder(v, naturalType(v), formatText, env).append(dst, row)
	if isJSONNumber(v) && dst[len(dst)-1] >= '0' && dst[len(dst)-1] <= '9' {
		return dst
	}
	text := string(dst[start:])
	return appendJSONString(dst[:start], []byte(text))
}

func appendJSONList(dst []byte, v *backend.List, row int, env *encodeEnv) []byte {
	entry := v.Entries[row]
	from, to := int(entry.Offset), int(entry.Offset+entry.Len)
	if entries, ok := v.Child.(*backend.Struct); ok && entries.Map && len(entries.Fields) == 2 {
		dst = append(dst, '{')
		for i := from; i < to; i++ {
			if i > from {
				dst = append(dst, ',')
			}
			dst = appendJSONKey(dst, entries.Fields[0], i, env)
			dst = append(dst, ':')
			dst = appendJSON(dst, entries.Fields[1], i, env)
		}
		return append(dst, '}')
	}
	dst = append(dst, '[')
	for i := from; i < to; i++ {
		if i > from {
			dst = append(dst, ',')
		}
		dst = appendJSON(dst, v.Child, i, env)
	}
	return append(dst, ']')
}

// appendJSONKey writes a map's key, which in JSON is a string whatever it is.
func appendJSONKey(dst []byte, v backend.Vector, row int, env *encodeEnv) []byte {
	start := len(dst)
	dst = appendJSON(dst, v, row, env)
	if dst[start] == '"' {
		return dst
	}
	text := string(dst[start:])
	return appendJSONString(dst[:start], []byte(text))
}

func isJSONNumber(v backend.Vector) bool {
	switch v.(type) {
	case *backend.Bytes, *backend.Dict, *backend.Of[backend.UUID], *backend.Of[backend.Interval]:
		return false
	}
	return true // NaN and the infinities end in a letter
}

// naturalType is the type that a vector says it has; inside structs nothing
// else is known.
func naturalType(v backend.Vector) sqltype.Type {
	switch v := v.(type) {
	case *backend.Of[bool]:
		return sqltype.Of(sqltype.Bool)
	case *backend.Of[int8], *backend.Of[int16], *backend.Of[uint8]:
		return sqltype.Of(sqltype.Int2)
	case *backend.Of[int32], *backend.Of[uint16]:
		return sqltype.Of(sqltype.Int4)
	case *backend.Of[int64], *backend.Of[uint32]:
		return sqltype.Of(sqltype.Int8)
	case *backend.Of[uint64], *backend.Of[backend.Int128], *backend.Of[backend.Uint128], *backend.Decimal:
		return sqltype.Of(sqltype.Numeric)
	case *backend.Of[float32]:
		return sqltype.Of(sqltype.Float4)
	case *backend.Of[float64]:
		return sqltype.Of(sqltype.Float8)
	case *backend.Of[backend.Interval]:
		return sqltype.Of(sqltype.Interval)
	case *backend.Of[backend.UUID]:
		return sqltype.Of(sqltype.UUID)
	case *backend.List:
		if inner := naturalType(v.Child); inner.OID.Elem() == 0 && inner.OID.Array() != 0 {
			return sqltype.Of(inner.OID.Array())
		}
		return sqltype.Of(sqltype.JSON)
	case *backend.Struct, *backend.Union:
		return sqltype.Of(sqltype.JSON)
	}
	return sqltype.Of(sqltype.Text)
}

const hexDigits = "0123456789abcdef"

// appendJSONString quotes a string as escape_json does.
func appendJSONString(dst, s []byte) []byte {
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\b':
			dst = append(dst, '\\', 'b')
		case c == '\f':
			dst = append(dst, '\\', 'f')
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
