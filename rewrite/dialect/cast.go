package dialect

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

// looseScale are the digits that a value gets that becomes numeric without a
// modifier and does not tell how many it has: a float has at most 15.
const looseScale = 10

// engineTypes are the names under which DuckDB knows PostgreSQL's types.
var engineTypes = map[sqltype.OID]string{
	sqltype.Bool: "bool", sqltype.Int2: "int2", sqltype.Int4: "int4", sqltype.Int8: "int8",
	sqltype.Float4: "float4", sqltype.Float8: "float8", sqltype.Numeric: "numeric",
	sqltype.Text: "varchar", sqltype.Varchar: "varchar", sqltype.BPChar: "varchar", sqltype.Char: "varchar", sqltype.Name: "varchar",
	sqltype.Bytea: "bytea", sqltype.Date: "date", sqltype.Time: "time", sqltype.Timetz: "timetz",
	sqltype.Timestamp: "timestamp", sqltype.Timestamptz: "timestamptz", sqltype.Interval: "interval",
	sqltype.UUID: "uuid", sqltype.JSON: "json", sqltype.JSONB: "json",
}

// parameterTypes are those that a parameter is cast to. A numeric one is not: a
// cast would fix its digits.
var parameterTypes = map[sqltype.OID]string{
	sqltype.Bool: "bool", sqltype.Int2: "int2", sqltype.Int4: "int4", sqltype.Int8: "int8",
	sqltype.Float4: "float4", sqltype.Float8: "float8", sqltype.Text: "varchar", sqltype.Varchar: "varchar",
	sqltype.Date: "date", sqltype.Time: "time", sqltype.Timestamp: "timestamp", sqltype.Timestamptz: "timestamptz",
	sqltype.Interval: "interval", sqltype.UUID: "uuid",
}

// castType is the type of CAST(arg AS target), as the engine will give it.
func castType(target sqltype.Type, arg *pgtree.Node, notes *notes) sqltype.Type {
	if target.OID != sqltype.Numeric {
		return target
	}
	if target.Mod >= 0 {
		s, _ := scale(target)
		return sqltype.NumericOf(min(38, int((target.Mod-4)>>16)), s)
	}
	if text, ok := constant(arg); ok {
		if plain, ok := plainNumber(strings.TrimLeft(strings.TrimSpace(text), "+-")); ok {
			_, frac, _ := strings.Cut(plain, ".")
			return sqltype.NumericOf(38, len(frac))
		}
	}
	if s, ok := scale(notes.typeOf(arg)); ok {
		return sqltype.NumericOf(38, s)
	}
	return sqltype.NumericOf(38, looseScale)
}

// cast is the pass over casts.
func cast(t *translation, n *pgtree.Node) (*pgtree.Node, error) {
	c := n.GetTypeCast()
	if c == nil {
		return n, nil
	}
	oid, array := typeOID(c.GetTypeName())
	name, known := engineTypes[oid]
	if !known || len(c.GetTypeName().GetNames()) > 2 {
		// An alias type of the catalogue, or one that the engine knows by itself.
		return n, nil
	}
	arg := c.GetArg()
	from := t.notes.typeOf(arg)
	to := c.GetTypeName()
	mods := to.GetTypmods()
	to.Names, to.Typmods = pgtree.Names(name), nil
	if array {
		if text, ok := constant(arg); ok {
			return arrayLiteral(arg, text, oid)
		}
		if oid == sqltype.Numeric {
			to.Typmods = decimal(38, looseScale)
			if len(mods) > 0 {
				to.Typmods = mods
			}
		}
		return n, nil
	}
	if text, ok := constant(arg); ok {
		if out, err := castConstant(n, text, oid, mods); out != nil || err != nil {
			return out, err
		}
	}
	switch oid {
	case sqltype.Text, sqltype.Name:
		return asText(n, arg, from), nil
	case sqltype.Varchar, sqltype.BPChar, sqltype.Char:
		return cut(n, arg, from, oid, mods)
	case sqltype.Int2, sqltype.Int4, sqltype.Int8:
		if isText(from) {
			c.Arg = macro("integer_text", arg, pgtree.Text(sqltype.Of(oid).String()))
		}
	case sqltype.Bool:
		if isText(from) {
			return macro("boolean_text", arg), nil
		}
	case sqltype.Numeric:
		return n, numericModifier(n, to, mods, t.notes.typeOf(n))
	case sqltype.Timestamp, sqltype.Timestamptz, sqltype.Time, sqltype.Timetz:
		if len(mods) == 1 {
			if digits, ok := integer(mods[0]); ok {
				return rounded(n, name, digits), nil
			}
		}
	case sqltype.Interval:
		if len(mods) > 0 {
			return nil, unsupported(n, "the fields of an interval can be chosen for a constant only")
		}
	case sqltype.Float4, sqltype.Float8, sqltype.Bytea:
	}
	return n, nil
}

func decimal(precision, scale int64) []*pgtree.Node {
	return []*pgtree.Node{pgtree.Int(precision), pgtree.Int(scale)}
}

// numericModifier gives a cast to numeric the digits that the value needs:
// without them DuckDB rounds to three.
func numericModifier(n *pgtree.Node, to *pg.TypeName, mods []*pgtree.Node, typ sqltype.Type) error {
	if len(mods) == 0 {
		s, ok := scale(typ)
		if !ok {
			s = looseScale
		}
		to.Typmods = decimal(38, int64(s))
		return nil
	}
	p, okp := integer(mods[0])
	s, oks := int64(0), true
	if len(mods) > 1 {
		s, oks = integer(mods[1])
	}
	switch {
	case !okp || !oks:
		return refuse(n, "22023", "type modifiers must be simple constants or identifiers")
	case p < 1 || p > 1000:
		return refuse(n, "22023", "NUMERIC precision %d must be between 1 and 1000", p)
	case s < 0 || s > p:
		return unsupported(n, "numeric scale %d outside of 0 to the precision is not supported", s)
	case s > 38:
		return unsupported(n, "numeric scale %d is not supported", s).WithHint("The engine keeps up to 38 digits.")
	}
	to.Typmods = decimal(min(p, 38), s)
	return nil
}

func asText(n, arg *pgtree.Node, from sqltype.Type) *pgtree.Node {
	if isText(from) || from.OID == sqltype.Unknown || isNone(from) {
		return n
	}
	return toText(arg, from)
}

// cut is a cast to varchar(n), char(n) or "char": an explicit cast cuts. The
// blanks that pad a char(n) are not kept; they count neither in comparisons nor
// in its length.
func cut(n, arg *pgtree.Node, from sqltype.Type, oid sqltype.OID, mods []*pgtree.Node) (*pgtree.Node, error) {
	out := asText(n, arg, from)
	length := int64(-1)
	if len(mods) == 1 {
		v, ok := integer(mods[0])
		if !ok || v < 1 {
			return nil, refuse(n, "22023", "length for type %s must be at least 1", oid.Name())
		}
		length = v
	}
	if oid == sqltype.Char {
		length = 1
	}
	if oid == sqltype.BPChar {
		out = pgtree.Func("rtrim", out, pgtree.Text(" "))
	}
	if length < 0 {
		return out, nil
	}
	return pgtree.Func("left", out, pgtree.Int(length)), nil
}

// castConstant converts a string constant where PostgreSQL reads more, or less,
// than the engine. A nil node leaves it to the engine.
func castConstant(n *pgtree.Node, text string, oid sqltype.OID, mods []*pgtree.Node) (*pgtree.Node, error) {
	arg := n.GetTypeCast().GetArg()
	trimmed := strings.TrimSpace(text)
	switch oid {
	case sqltype.Int2, sqltype.Int4, sqltype.Int8:
		return nil, checkInteger(arg, text, oid)
	case sqltype.Bool:
		v, ok := parseBool(trimmed)
		if !ok {
			return nil, invalidText(arg, "boolean", text)
		}
		return pgtree.Cast(pgtree.Text(strconv.FormatBool(v)), []string{"bool"}), nil
	case sqltype.Interval:
		iv, err := parseInterval(text, mods)
		if err != nil {
			return nil, refuse(arg, "22007", "invalid input syntax for type interval: %q", text)
		}
		return pgtree.Cast(pgtree.Text(iv.String()), []string{"interval"}), nil
	case sqltype.Bytea:
		if rest, ok := strings.CutPrefix(trimmed, `\x`); ok {
			return pgtree.Func("from_hex", pgtree.Text(strings.Join(strings.Fields(rest), ""))), nil
		}
		return pgtree.Func("encode", pgtree.Text(strings.ReplaceAll(text, `\\`, `\`))), nil
	case sqltype.Date, sqltype.Timestamp, sqltype.Timestamptz:
		return dateConstant(n, trimmed, oid, mods), nil
	case sqltype.JSON, sqltype.JSONB:
		return nil, jsonDepth(arg, text)
	}
	return nil, nil
}

func invalidText(n *pgtree.Node, typ, text string) error {
	return refuse(n, "22P02", "invalid input syntax for type %s: %q", typ, text)
}

func checkInteger(n *pgtree.Node, text string, oid sqltype.OID) error {
	bits := map[sqltype.OID]int{sqltype.Int2: 16, sqltype.Int4: 32, sqltype.Int8: 64}[oid]
	name := sqltype.Of(oid).String()
	v := strings.TrimSpace(text)
	if _, err := strconv.ParseInt(v, 10, bits); err != nil {
		if ne, ok := err.(*strconv.NumError); ok && ne.Err == strconv.ErrRange {
			return refuse(n, "22003", "value %q is out of range for type %s", text, name)
		}
		return invalidText(n, name, text)
	}
	return nil
}

// parseBool reads what boolin does: a prefix of true, false, yes, no, and on,
// off, 1, 0.
func parseBool(text string) (value, ok bool) {
	s := strings.ToLower(text)
	switch {
	case s == "":
		return false, false
	case s == "1" || s == "on" || strings.HasPrefix("true", s) || strings.HasPrefix("yes", s):
		return true, true
	case s == "0" || s == "of" || s == "off" || strings.HasPrefix("false", s) || strings.HasPrefix("no", s):
		return false, true
	}
	return false, false
}

// dateConstant gives the words that PostgreSQL reads as dates (datetime.c) and
// cuts a time of day off a date.
func dateConstant(n *pgtree.Node, text string, oid sqltype.OID, mods []*pgtree.Node) *pgtree.Node {
	name := engineTypes[oid]
	today := pgtree.Cast(pgtree.Func("now"), []string{"date"})
	var out *pgtree.Node
	switch strings.ToLower(text) {
	case "now":
		out = pgtree.Func("now")
	case "today":
		out = today
	case "tomorrow":
		out = pgtree.Op("+", today, pgtree.Int(1))
	case "yesterday":
		out = pgtree.Op("-", today, pgtree.Int(1))
	case "epoch":
		out = pgtree.Text("1970-01-01 00:00:00")
		if oid == sqltype.Timestamptz {
			out = pgtree.Text("1970-01-01 00:00:00+00")
		}
		if oid == sqltype.Date {
			out = pgtree.Text("1970-01-01")
		}
	default:
		day, clock, ok := strings.Cut(strings.Replace(text, "T", " ", 1), " ")
		if !ok || !isoDate(day) {
			return nil
		}
		if oid == sqltype.Date {
			out = pgtree.Text(day)
			break
		}
		// Before a zone the engine wants the seconds, too.
		at := strings.IndexAny(clock, "+-Zz ")
		if at < 0 || strings.Count(clock[:at], ":") != 1 || len(mods) > 0 {
			return nil
		}
		out = pgtree.Text(day + " " + clock[:at] + ":00" + clock[at:])
	}
	return pgtree.Cast(out, []string{name})
}

// isoDate tells a text like 2024-01-15.
func isoDate(s string) bool {
	parts := strings.Split(s, "-")
	if len(parts) != 3 {
		return false
	}
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return true
}

// maxJSONDepth bounds constants that the engine's reader would recurse into.
const maxJSONDepth = 128

func jsonDepth(n *pgtree.Node, text string) error {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxJSONDepth {
				return refuse(n, "54001", "json value is nested deeper than %d levels", maxJSONDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// literalAs reads a string constant as a type, as PostgreSQL does with one whose
// type its surroundings tell.
func literalAs(n *pgtree.Node, oid sqltype.OID) (*pgtree.Node, error) {
	out := pgtree.Cast(n, []string{engineTypes[oid]})
	text, ok := constant(n)
	if !ok {
		return out, nil
	}
	read, err := castConstant(out, text, oid, nil)
	switch {
	case err != nil:
		return nil, err
	case read != nil:
		return read, nil
	case oid == sqltype.Numeric:
		s, known := scale(castType(sqltype.Of(oid), n, newNotes()))
		if !known {
			s = looseScale
		}
		out.GetTypeCast().TypeName.Typmods = decimal(38, int64(s))
	}
	return out, nil
}
