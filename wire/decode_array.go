package wire

import (
	"strings"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// An arrayReader reads an array literal (arrayfuncs.c, array_in).
type arrayReader struct {
	text, rest string
	typ        sqltype.Type
	elem       sqltype.Type
	env        *decodeEnv
	sizes      []int // elements in the first list of each dimension, -1 while it is open
	leaf       int   // depth at which elements stand, 0 while none has been seen
}

func parseArray(s string, t sqltype.Type, env *decodeEnv) (backend.Value, error) {
	r := &arrayReader{text: s, rest: trimSpace(s), typ: t, elem: sqltype.Type{OID: t.OID.Elem(), Mod: t.Mod}, env: env}
	if strings.HasPrefix(r.rest, "[") {
		return backend.Value{}, sqlstate.New(sqlstate.FeatureNotSupported, "array literals with explicit bounds are not supported").
			WithHint("Write the elements only: \"{1,2,3}\".")
	}
	if !strings.HasPrefix(r.rest, "{") {
		return backend.Value{}, r.malformed(`Array value must start with "{" or dimension information.`)
	}
	v, err := r.list(1)
	if err == nil && trimSpace(r.rest) != "" {
		err = r.malformed("Junk after closing right brace.")
	}
	return v, err
}

func (r *arrayReader) malformed(detail string) error {
	return sqlstate.New(sqlstate.InvalidTextRepr, "malformed array literal: \"%s\"", r.text).WithDetail("%s", detail)
}

// list reads from an opening brace to the closing one.
func (r *arrayReader) list(depth int) (backend.Value, error) {
	v := backend.Value{Type: r.typ, Elems: []backend.Value{}}
	if depth > maxDimensions {
		return v, sqlstate.New(sqlstate.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", depth, maxDimensions)
	}
	if len(r.sizes) < depth {
		r.sizes = append(r.sizes, -1)
	}
	r.rest = r.rest[1:]
	r.skipSpace()
	if strings.HasPrefix(r.rest, "}") {
		r.rest = r.rest[1:]
		return v, r.closed(depth, 0)
	}
	for {
		e, err := r.element(depth)
		if err != nil {
			return v, err
		}
		v.Elems = append(v.Elems, e)
		r.skipSpace()
		switch {
		case strings.HasPrefix(r.rest, ","):
			r.rest = r.rest[1:]
			r.skipSpace()
		case strings.HasPrefix(r.rest, "}"):
			r.rest = r.rest[1:]
			return v, r.closed(depth, len(v.Elems))
		case r.rest == "":
			return v, r.malformed("Unexpected end of input.")
		default:
			return v, r.malformed("Unexpected array element.")
		}
	}
}

// closed checks that every list of a dimension is as long as the first.
func (r *arrayReader) closed(depth, n int) error {
	if r.sizes[depth-1] < 0 {
		r.sizes[depth-1] = n
	}
	if r.sizes[depth-1] != n {
		return r.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
	}
	return nil
}

func (r *arrayReader) skipSpace() { r.rest = strings.TrimLeft(r.rest, " \t\n\v\f\r") }

// element reads a list or a single value.
func (r *arrayReader) element(depth int) (backend.Value, error) {
	if strings.HasPrefix(r.rest, "{") {
		if r.leaf != 0 && depth >= r.leaf {
			return backend.Value{}, r.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
		}
		return r.list(depth + 1)
	}
	if r.leaf == 0 && depth == len(r.sizes) {
		r.leaf = depth
	}
	if depth != r.leaf {
		return backend.Value{}, r.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
	}
	text, quoted, err := r.word()
	if err != nil {
		return backend.Value{}, err
	}
	if !quoted && strings.EqualFold(text, "null") {
		return backend.Value{Type: r.elem, Null: true}, nil
	}
	if !quoted && text == "" {
		return backend.Value{}, r.malformed("Unexpected array element.")
	}
	return parseText(text, r.elem, r.env)
}

// word reads one element's text up to the comma or brace that ends it.
func (r *arrayReader) word() (text string, quoted bool, err error) {
	var b strings.Builder
	kept := 0 // length up to the last character that is not a blank at the end
	inside := false
	for i := 0; i < len(r.rest); i++ {
		c := r.rest[i]
		switch {
		case c == '\\':
			if i++; i == len(r.rest) {
				return "", false, r.malformed("Unexpected end of input.")
			}
			b.WriteByte(r.rest[i])
			kept = b.Len()
			continue
		case c == '"':
			if !inside && (quoted || trimSpace(b.String()) != "") {
				return "", false, r.malformed("Unexpected array element.")
			}
			inside, quoted = !inside, true
			kept = b.Len()
			continue
		case inside:
			b.WriteByte(c)
			kept = b.Len()
			continue
		case c == ',' || c == '}':
			r.rest = r.rest[i:]
			return b.String()[:kept], quoted, nil
		case c == '{':
			return "", false, r.malformed(`Unexpected "{" character.`)
		}
		if isSpace(c) {
			if !quoted {
				b.WriteByte(c)
			}
			continue
		}
		if quoted {
			return "", false, r.malformed("Unexpected array element.")
		}
		b.WriteByte(c)
		kept = b.Len()
	}
	return "", false, r.malformed("Unexpected end of input.")
}
