package dialect

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

// fields are the fields of extract that are whole numbers, by the names that
// PostgreSQL takes (datetime.c, deltatktbl and datetktbl), and the engine's.
var fields = map[string]string{
	"year": "year", "years": "year", "y": "year", "yr": "year", "yrs": "year",
	"month": "month", "months": "month", "mon": "month", "mons": "month",
	"day": "day", "days": "day", "d": "day", "hour": "hour", "hours": "hour", "h": "hour", "hr": "hour", "hrs": "hour",
	"minute": "minute", "minutes": "minute", "m": "minute", "min": "minute", "mins": "minute",
	"quarter": "quarter", "qtr": "quarter", "week": "week", "weeks": "week", "w": "week",
	"dow": "dow", "isodow": "isodow", "doy": "doy", "isoyear": "isoyear",
	"century": "century", "centuries": "century", "c": "century", "decade": "decade", "decades": "decade",
	"millennium": "millennium", "millennia": "millennium", "mil": "millennium",
	"timezone": "timezone", "timezone_hour": "timezone_hour", "timezone_minute": "timezone_minute",
	"microsecond": "microsecond", "microseconds": "microsecond", "us": "microsecond", "usec": "microsecond",
}

// extract is EXTRACT, which is numeric, and date_part, which is float8.
func extract(c *call) (*pgtree.Node, error) {
	text, ok := constant(c.args[0])
	if !ok {
		return nil, unsupported(c.node, "the field to extract must be a constant")
	}
	field := strings.ToLower(text)
	value, typ := c.args[1], c.types[1]
	double := callName(c.node) == "date_part"
	var out *pgtree.Node
	switch name, whole := fields[field]; {
	case whole:
		out = pgtree.Cast(pgtree.Func("date_part", pgtree.Text(name), value), []string{"numeric"}, 18, 0)
	case field == "second" || field == "seconds" || field == "sec" || field == "secs" || field == "s":
		out = decimals(pgtree.Func("date_part", pgtree.Text("microsecond"), value), 6)
	case field == "millisecond" || field == "milliseconds" || field == "ms" || field == "msec" || field == "msecs":
		out = decimals(pgtree.Func("date_part", pgtree.Text("microsecond"), value), 3)
	case field == "epoch" && typ.OID == sqltype.Date:
		out = pgtree.Cast(pgtree.Func("epoch", value), []string{"numeric"}, 18, 0)
	case field == "epoch" && typ.OID == sqltype.Interval:
		// A year has 365.25 days here, which only epoch() knows.
		out = pgtree.Cast(pgtree.Func("epoch", value), []string{"numeric"}, 18, 6)
	case field == "epoch":
		out = decimals(pgtree.Func("epoch_us", value), 6)
	case field == "julian":
		out = pgtree.Cast(pgtree.Func("julian", value), []string{"numeric"}, 38, quotientScale)
		if typ.OID == sqltype.Date {
			out = pgtree.Cast(pgtree.Func("julian", value), []string{"numeric"}, 18, 0)
		}
	default:
		return nil, refuse(c.args[0], "22023", "unit %q not recognized for type %s", text, typeName(typ))
	}
	if double {
		return pgtree.Cast(out, []string{"float8"}), nil
	}
	return out, nil
}

// extractType is the type of EXTRACT(field FROM value), which has the digits that
// the field can have.
func extractType(value sqltype.Type, nodes []*pgtree.Node) sqltype.Type {
	text, ok := constant(nodes[0])
	field := strings.ToLower(text)
	switch {
	case !ok || field == "julian":
		return sqltype.Of(sqltype.Numeric)
	case fields[field] != "" || field == "epoch" && value.OID == sqltype.Date:
		return sqltype.NumericOf(18, 0)
	case strings.HasPrefix(field, "m"):
		return sqltype.NumericOf(25, 3)
	}
	return sqltype.NumericOf(25, 6)
}

// decimals counts n in units of 10^-digits.
func decimals(n *pgtree.Node, digits int) *pgtree.Node {
	unit := "0." + strings.Repeat("0", digits-1) + "1"
	return pgtree.Op("*", pgtree.Cast(n, []string{"numeric"}, 18, 0),
		&pgtree.Node{Node: &pg.Node_AConst{AConst: &pg.A_Const{Val: &pg.A_Const_Fval{Fval: &pg.Float{Fval: unit}}, Location: -1}}})
}

// A template is one pattern of to_char for dates (formatting.c, DCH_keywords).
type template struct {
	pattern string
	// format is strftime's sign for it; "" where an expression is needed.
	format string
	// short is the sign without leading zeros or blanks, for the prefix FM.
	short string
	// as is an expression over $1, a timestamp.
	as string
	// read tells that to_date and to_timestamp can read it.
	read bool
}

// templates in the order in which they are tried: of two that start alike, the
// longer one first.
var templates = [...]template{
	{pattern: "HH24", format: "%H", short: "%-H", read: true},
	{pattern: "HH12", format: "%I", short: "%-I", read: true},
	{pattern: "HH", format: "%I", short: "%-I", read: true},
	{pattern: "MI", format: "%M", short: "%-M", read: true},
	{pattern: "SSSSS", as: "CAST(date_part('hour', $1) * 3600 + date_part('minute', $1) * 60 + date_part('second', $1) AS varchar)"},
	{pattern: "SSSS", as: "CAST(date_part('hour', $1) * 3600 + date_part('minute', $1) * 60 + date_part('second', $1) AS varchar)"},
	{pattern: "SS", format: "%S", short: "%-S", read: true},
	{pattern: "MS", format: "%g", read: true},
	{pattern: "US", format: "%f", read: true},
	{pattern: "AM", format: "%p", read: true}, {pattern: "PM", format: "%p", read: true},
	{pattern: "am", as: "lower(strftime($1, '%p'))", read: true}, {pattern: "pm", as: "lower(strftime($1, '%p'))", read: true},
	{pattern: "A.M.", as: "CASE WHEN date_part('hour', $1) < 12 THEN 'A.M.' ELSE 'P.M.' END"},
	{pattern: "P.M.", as: "CASE WHEN date_part('hour', $1) < 12 THEN 'A.M.' ELSE 'P.M.' END"},
	{pattern: "Y,YYY", as: "regexp_replace(strftime($1, '%Y'), '(...)$', ',\\1')"},
	{pattern: "YYYY", format: "%Y", read: true},
	{pattern: "YYY", as: "right(strftime($1, '%Y'), 3)"},
	{pattern: "YY", format: "%y", read: true},
	{pattern: "Y", as: "right(strftime($1, '%Y'), 1)"},
	{pattern: "IYYY", format: "%G"},
	{pattern: "IYY", as: "right(strftime($1, '%G'), 3)"},
	{pattern: "IY", as: "right(strftime($1, '%G'), 2)"},
	{pattern: "IW", format: "%V"},
	{pattern: "IDDD", as: "lpad(CAST((date_part('week', $1) - 1) * 7 + date_part('isodow', $1) AS varchar), 3, '0')"},
	{pattern: "ID", as: "CAST(date_part('isodow', $1) AS varchar)"},
	{pattern: "I", as: "right(strftime($1, '%G'), 1)"},
	{pattern: "MONTH", as: "upper(strftime($1, '%B'))"}, {pattern: "Month", format: "%B", read: true}, {pattern: "month", as: "lower(strftime($1, '%B'))"},
	{pattern: "MON", as: "upper(strftime($1, '%b'))", read: true}, {pattern: "Mon", format: "%b", read: true}, {pattern: "mon", as: "lower(strftime($1, '%b'))", read: true},
	{pattern: "MM", format: "%m", short: "%-m", read: true},
	{pattern: "DAY", as: "upper(strftime($1, '%A'))"}, {pattern: "Day", format: "%A", read: true}, {pattern: "day", as: "lower(strftime($1, '%A'))"},
	{pattern: "DDD", format: "%j", short: "%-j", read: true},
	{pattern: "DD", format: "%d", short: "%-d", read: true},
	{pattern: "DY", as: "upper(strftime($1, '%a'))"}, {pattern: "Dy", format: "%a", read: true}, {pattern: "dy", as: "lower(strftime($1, '%a'))"},
	{pattern: "D", as: "CAST(date_part('dow', $1) + 1 AS varchar)"},
	{pattern: "WW", as: "lpad(CAST((date_part('doy', $1) - 1) / 7 + 1 AS varchar), 2, '0')"},
	{pattern: "W", as: "CAST((date_part('day', $1) - 1) / 7 + 1 AS varchar)"},
	{pattern: "Q", as: "CAST(date_part('quarter', $1) AS varchar)"},
	{pattern: "CC", as: "lpad(CAST(date_part('century', $1) AS varchar), 2, '0')"},
	{pattern: "J", as: "CAST(CAST(julian(CAST($1 AS date)) AS bigint) AS varchar)"},
	{pattern: "RM", as: "rpad(list_extract(string_split('I,II,III,IV,V,VI,VII,VIII,IX,X,XI,XII', ','), date_part('month', $1)), 4, ' ')"},
}

// padded are the patterns that PostgreSQL fills with blanks to nine places.
func padded(pattern string) bool {
	switch strings.ToLower(pattern) {
	case "month", "day":
		return true
	}
	return false
}

// unreadable are patterns that mean something to PostgreSQL and are not
// translated; to let them pass as text would be wrong.
var unreadable = []string{"TZH", "TZM", "TZ", "tz", "OF", "TM", "FX", "BC", "AD", "bc", "ad", "B.C.", "A.D.", "rm", "FF", "SP"}

// A piece is one part of a pattern.
type piece struct {
	t       *template
	text    string // where t is nil
	compact bool   // FM
	ordinal string // TH or th
}

// parsePattern cuts a pattern of to_char, to_date or to_timestamp.
func parsePattern(n *pgtree.Node, format string) ([]piece, error) {
	var out []piece
	text := func(s string) {
		if len(out) > 0 && out[len(out)-1].t == nil {
			out[len(out)-1].text += s
			return
		}
		out = append(out, piece{text: s})
	}
	compact := false
	for i := 0; i < len(format); {
		rest := format[i:]
		switch {
		case rest[0] == '"':
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				end = len(rest) - 1
			}
			text(rest[1:min(end+1, len(rest))])
			i += min(end+2, len(rest))
			continue
		case rest[0] == '\\' && len(rest) > 1:
			text(rest[1:2])
			i += 2
			continue
		case strings.HasPrefix(rest, "FM") || strings.HasPrefix(rest, "fm"):
			compact = true
			i += 2
			continue
		}
		if t := findTemplate(rest); t != nil {
			p := piece{t: t, compact: compact}
			compact = false
			i += len(t.pattern)
			if after := format[i:]; strings.HasPrefix(after, "TH") || strings.HasPrefix(after, "th") {
				p.ordinal = after[:2]
				i += 2
			}
			out = append(out, p)
			continue
		}
		for _, u := range unreadable {
			if strings.HasPrefix(rest, u) {
				return nil, unsupported(n, "the pattern %q of a date format is not supported", u)
			}
		}
		text(rest[:1])
		i++
	}
	return out, nil
}

// findTemplate finds the pattern that rest starts with. Those of digits may be
// written in small letters, too.
func findTemplate(rest string) *template {
	var best *template
	for i := range templates {
		t := &templates[i]
		lower := strings.ToLower(t.pattern)
		same := strings.HasPrefix(rest, t.pattern) ||
			strings.HasPrefix(rest, lower) && (t.format != "" && t.format != "%p" && t.format != "%B" && t.format != "%b" && t.format != "%A" && t.format != "%a" ||
				t.format == "" && strings.Trim(t.pattern, "YISDWQCJ,") == "")
		if same && (best == nil || len(t.pattern) > len(best.pattern)) {
			best = t
		}
	}
	return best
}

// toChar is to_char with a constant pattern.
func toChar(c *call) (*pgtree.Node, error) {
	format, ok := constant(c.args[1])
	if !ok {
		return nil, unsupported(c.node, "to_char with a pattern that is no constant is not supported")
	}
	typ := c.types[0]
	switch {
	case isNumber(typ):
		return numberToChar(c, format)
	case typ.OID == sqltype.Interval:
		return nil, unsupported(c.node, "to_char of an interval is not supported").WithHint("Use extract for its fields.")
	case typ.OID == sqltype.Timestamp || isNone(typ) && patternOfNumber(format):
		if isNone(typ) {
			return numberToChar(c, format)
		}
	}
	pieces, err := parsePattern(c.args[1], format)
	if err != nil {
		return nil, err
	}
	value := c.args[0]
	if typ.OID != sqltype.Timestamp {
		value = pgtree.Cast(value, []string{"timestamp"})
	}
	var parts []*pgtree.Node
	var run strings.Builder
	flush := func() {
		if run.Len() == 0 {
			return
		}
		parts = append(parts, pgtree.Func("strftime", pgtree.Clone(value), pgtree.Text(run.String())))
		run.Reset()
	}
	for _, p := range pieces {
		switch {
		case p.t == nil:
			run.WriteString(strings.ReplaceAll(p.text, "%", "%%"))
			continue
		case p.ordinal == "" && p.t.format != "" && (!padded(p.t.pattern) || p.compact):
			if p.compact && p.t.short != "" {
				run.WriteString(p.t.short)
			} else {
				run.WriteString(p.t.format)
			}
			continue
		}
		flush()
		one, err := p.expression(value)
		if err != nil {
			return nil, err
		}
		parts = append(parts, one)
	}
	flush()
	if len(parts) == 0 {
		return pgtree.Text(""), nil
	}
	out := parts[0]
	for _, p := range parts[1:] {
		out = pgtree.Op("||", out, p)
	}
	return out, nil
}

func (p piece) expression(value *pgtree.Node) (*pgtree.Node, error) {
	var out *pgtree.Node
	if p.t.as != "" {
		template, err := pgtree.Expr(p.t.as)
		if err != nil {
			return nil, unsupported(value, "the pattern %q of a date format is not supported", p.t.pattern)
		}
		out = expand(template, []*pgtree.Node{pgtree.Clone(value)})
	} else {
		sign := p.t.format
		if p.compact && p.t.short != "" {
			sign = p.t.short
		}
		out = pgtree.Func("strftime", pgtree.Clone(value), pgtree.Text(sign))
	}
	switch {
	case p.ordinal != "":
		out = macro("ordinal", out)
		if p.ordinal == "TH" {
			out = pgtree.Func("upper", out)
		}
	case p.compact && p.t.as != "":
		out = pgtree.Func("ltrim", pgtree.Func("rtrim", out), pgtree.Text("0"))
		if padded(p.t.pattern) {
			out = out.GetFuncCall().GetArgs()[0]
		}
	case padded(p.t.pattern):
		out = pgtree.Func("rpad", out, pgtree.Int(9), pgtree.Text(" "))
	}
	return out, nil
}

// toDate is to_date and to_timestamp with a constant pattern.
func toDate(c *call) (*pgtree.Node, error) {
	format, ok := constant(c.args[1])
	if !ok {
		return nil, unsupported(c.node, "%s with a pattern that is no constant is not supported", callName(c.node))
	}
	pieces, err := parsePattern(c.args[1], format)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, p := range pieces {
		if p.t == nil {
			b.WriteString(strings.ReplaceAll(p.text, "%", "%%"))
			continue
		}
		if !p.t.read || p.ordinal != "" {
			return nil, unsupported(c.args[1], "%s with the pattern %q is not supported", callName(c.node), p.t.pattern)
		}
		switch {
		case p.t.format != "":
			b.WriteString(p.t.format)
		case strings.EqualFold(p.t.pattern, "mon"):
			b.WriteString("%b")
		default:
			b.WriteString("%p")
		}
	}
	name := "date"
	if callName(c.node) == "to_timestamp" {
		name = "timestamptz"
	}
	return pgtree.Cast(pgtree.Func("strptime", c.args[0], pgtree.Text(b.String())), []string{name}), nil
}
