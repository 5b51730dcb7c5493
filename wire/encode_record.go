package wire

import (
	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
)

// A record writes a struct as a composite value (record_out, record_send).
type record struct {
	vector *backend.Struct
	fields []encoder
	types  []sqltype.Type
	binary bool
}

func newRecord(v *backend.Struct, binary bool, env *encodeEnv) encoder {
	e := &record{binary: binary}
	format := int16(formatText)
	if binary {
		format = formatBinary
	}
	for _, f := range v.Fields {
		t := naturalType(f)
		e.types = append(e.types, t)
		e.fields = append(e.fields, newEncoder(f, t, format, env))
	}
	return e
}

func (e *record) bind(v backend.Vector) bool {
	s, ok := v.(*backend.Struct)
	if !ok || len(s.Fields) != len(e.fields) {
		return false
	}
	e.vector = s
	for i, f := range s.Fields {
		if !e.fields[i].bind(f) {
			return false
		}
	}
	return true
}

func (e *record) append(dst []byte, row int) []byte {
	if e.binary {
		return e.appendBinary(dst, row)
	}
	dst = append(dst, '(')
	for i, f := range e.vector.Fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		if f.Null(row) {
			continue
		}
		start := len(dst)
		dst = e.fields[i].append(dst, row)
		dst = quoteField(dst, start)
	}
	return append(dst, ')')
}

// quoteField quotes what dst holds from start on, if a composite value needs
// it; a quote and a backslash are doubled.
func quoteField(dst []byte, start int) []byte {
	needed := len(dst) == start
	for _, c := range dst[start:] {
		switch c {
		case '"', '\\', '(', ')', ',', ' ', '\t', '\n', '\r', '\v', '\f':
			needed = true
		}
	}
	if !needed {
		return dst
	}
	text := string(dst[start:])
	dst = append(dst[:start], '"')
	for i := range len(text) {
		if c := text[i]; c == '"' || c == '\\' {
			dst = append(dst, c)
		}
		dst = append(dst, text[i])
	}
	return append(dst, '"')
}

func (e *record) appendBinary(dst []byte, row int) []byte {
	dst = appendUint32(dst, uint32(len(e.fields)))
	for i, f := range e.vector.Fields {
		dst = appendUint32(dst, uint32(e.types[i].OID))
		if f.Null(row) {
			dst = append(dst, 0xff, 0xff, 0xff, 0xff)
			continue
		}
		at := len(dst)
		dst = appendUint32(dst, 0)
		dst = e.fields[i].append(dst, row)
		n := uint32(len(dst) - at - 4)
		dst[at], dst[at+1], dst[at+2], dst[at+3] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	}
	return dst
}
