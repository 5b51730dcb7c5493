package wire

import (
	"encoding/hex"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A byteString encodes strings by one function.
type byteString struct {
	data []backend.String16
	put  func(dst, v []byte) []byte
}

func (e *byteString) bind(v backend.Vector) bool {
	b, ok := v.(*backend.Bytes)
	if ok {
		e.data = b.Data
	}
	return ok
}

func (e *byteString) append(dst []byte, row int) []byte { return e.put(dst, e.data[row].Bytes()) }

// A rawString is the common case of byteString: the bytes are what is sent.
type rawString struct{ data []backend.String16 }

func (e *rawString) bind(v backend.Vector) bool {
	b, ok := v.(*backend.Bytes)
	if ok {
		e.data = b.Data
	}
	return ok
}

func (e *rawString) append(dst []byte, row int) []byte { return append(dst, e.data[row].Bytes()...) }

// bytesEncoder is for string vectors. Their bytes are the text of whatever type
// the column has; where the binary form is another, the text is read as a
// client's parameter would be and sent anew.
func bytesEncoder(t sqltype.Type, binary bool, env *encodeEnv) encoder {
	switch {
	case t.OID == sqltype.Bytea && !binary && env.byteaEscape:
		return &byteString{put: appendByteaEscape}
	case t.OID == sqltype.Bytea && !binary:
		return &byteString{put: appendByteaHex}
	case t.OID == sqltype.Char:
		return &byteString{put: func(dst, v []byte) []byte {
			switch {
			case len(v) > 0:
				return append(dst, v[0])
			case binary:
				return append(dst, 0)
			}
			return dst
		}}
	case binary && t.OID == sqltype.Numeric:
		return &byteString{put: func(dst, v []byte) []byte { return appendNumericText(dst, v, true) }}
	case binary && !isText(t.OID):
		return &byteString{put: func(dst, v []byte) []byte { return appendParsed(dst, v, t, env) }}
	}
	return &rawString{}
}

// isText is for the types whose binary form is their text.
func isText(oid sqltype.OID) bool {
	switch oid {
	case sqltype.Text, sqltype.Varchar, sqltype.BPChar, sqltype.Name, sqltype.Unknown, sqltype.JSON, sqltype.JSONB,
		sqltype.Bytea, sqltype.PgNodeTree, sqltype.ACLItem:
		return true
	}
	return oid.Name() == "" // an enum, or what the catalogue has added
}

// appendParsed writes in binary a value that the engine gave as text.
func appendParsed(dst, text []byte, t sqltype.Type, env *encodeEnv) []byte {
	v, err := parseText(string(text), t, &decodeEnv{location: env.zone.location})
	if err != nil {
		env.fail(err)
		return dst
	}
	return appendBinaryValue(dst, v, env)
}

// appendBinaryValue writes a single value in the binary form of its type.
func appendBinaryValue(dst []byte, v backend.Value, env *encodeEnv) []byte {
	t := v.Type
	switch {
	case t.OID == sqltype.Bool:
		return append(dst, boolByte(v.Int != 0, true))
	case isFloat(t.OID):
		return floatPut[float64](t, true, env)(dst, v.Float)
	case isInteger(t.OID) || isTime(t.OID):
		return integerPut[int64](t, true, env)(dst, v.Int)
	case t.OID == sqltype.Interval:
		dst = appendUint64(dst, uint64(v.Int))
		return appendUint32(appendUint32(dst, uint32(v.Days)), uint32(v.Months))
	case t.OID == sqltype.UUID:
		if u, ok := parseUUID(v.Text); ok {
			return append(dst, u[:]...)
		}
	case t.OID == sqltype.Numeric:
		return appendNumericText(dst, []byte(v.Text), true)
	case t.OID.Elem() != 0:
		env.fail(sqlstate.New(sqlstate.FeatureNotSupported, "values of type %s cannot be sent in binary format here", t).
			WithHint("Ask for this column in text format."))
		return dst
	}
	return append(dst, v.Text...)
}

func appendByteaHex(dst, v []byte) []byte {
	return hex.AppendEncode(append(dst, '\\', 'x'), v)
}

// appendByteaEscape writes bytea in the escape format (byteaout).
func appendByteaEscape(dst, v []byte) []byte {
	for _, c := range v {
		switch {
		case c == '\\':
			dst = append(dst, '\\', '\\')
		case c < 0x20 || c > 0x7e:
			dst = append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// An enumEncoder writes the labels of an enum.
type enumEncoder struct {
	values []string
	index  func(row int) int
}

func (e *enumEncoder) bind(v backend.Vector) bool {
	d, ok := v.(*backend.Dict)
	if !ok {
		return false
	}
	e.values = d.Values
	switch index := d.Index.(type) {
	case *backend.Of[uint8]:
		e.index = func(row int) int { return int(index.Data[row]) }
	case *backend.Of[uint16]:
		e.index = func(row int) int { return int(index.Data[row]) }
	case *backend.Of[uint32]:
		e.index = func(row int) int { return int(index.Data[row]) }
	default:
		return false
	}
	return true
}

func (e *enumEncoder) append(dst []byte, row int) []byte {
	return append(dst, e.values[e.index(row)]...)
}
