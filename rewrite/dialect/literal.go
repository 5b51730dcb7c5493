package dialect

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

// An element is one of an array literal.
type element struct {
	text   string
	null   bool
	nested []element // not nil for an array in the array
}

// parseArray reads PostgreSQL's array literal (arrayfuncs.c, array_in) without
// explicit bounds.
func parseArray(n *pgtree.Node, text string) ([]element, error) {
	p := &arrayParser{text: text}
	p.space()
	list, ok := p.list(0)
	p.space()
	if !ok || p.at != len(text) {
		return nil, refuse(n, "22P02", "malformed array literal: %q", text)
	}
	return list, nil
}

type arrayParser struct {
	text string
	at   int
}

func (p *arrayParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\n\r\v\f", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *arrayParser) next() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// maxDimensions is MAXDIM of array.h.
const maxDimensions = 6

func (p *arrayParser) list(depth int) ([]element, bool) {
	if p.next() != '{' || depth >= maxDimensions {
		return nil, false
	}
	p.at++
	out := []element{}
	p.space()
	if p.next() == '}' {
		p.at++
		return out, true
	}
	for {
		p.space()
		e, ok := p.element(depth)
		if !ok {
			return nil, false
		}
		out = append(out, e)
		p.space()
		switch p.next() {
		case ',':
			p.at++
		case '}':
			p.at++
			return out, true
		default:
			return nil, false
		}
	}
}

func (p *arrayParser) element(depth int) (element, bool) {
	switch p.next() {
	case '{':
		list, ok := p.list(depth + 1)
		return element{nested: list}, ok
	case '"':
		var b strings.Builder
		for p.at++; p.at < len(p.text); p.at++ {
			switch c := p.text[p.at]; c {
			case '"':
				p.at++
				return element{text: b.String()}, true
			case '\\':
				p.at++
				if p.at < len(p.text) {
					b.WriteByte(p.text[p.at])
				}
			default:
				b.WriteByte(c)
			}
		}
		return element{}, false
	}
	var b strings.Builder
	escaped := false
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		if c == ',' || c == '}' {
			break
		}
		if c == '{' || c == '"' {
			return element{}, false
		}
		if c == '\\' {
			escaped = true
			if p.at++; p.at >= len(p.text) {
				return element{}, false
			}
			c = p.text[p.at]
		}
		b.WriteByte(c)
	}
	text := strings.TrimRight(b.String(), " \t\n\r\v\f")
	if text == "" {
		return element{}, false
	}
	return element{text: text, null: !escaped && strings.EqualFold(text, "null")}, true
}

// arrayLiteral is a constant array of the given element type.
func arrayLiteral(n *pgtree.Node, text string, elem sqltype.OID) (*pgtree.Node, error) {
	elements, err := parseArray(n, text)
	if err != nil {
		return nil, err
	}
	name, ok := engineTypes[elem]
	if !ok {
		name = "varchar"
	}
	dims, scale := 0, 0
	list, err := arrayNode(n, elements, elem, 1, &dims, &scale)
	if err != nil {
		return nil, err
	}
	typ := &pg.TypeName{Names: pgtree.Names(name), Typemod: -1, Location: -1}
	if elem == sqltype.Numeric {
		typ.Typmods = decimal(38, int64(scale))
	}
	for range max(dims, 1) {
		typ.ArrayBounds = append(typ.ArrayBounds, &pgtree.Node{Node: &pg.Node_Integer{Integer: &pg.Integer{Ival: -1}}})
	}
	return &pgtree.Node{Node: &pg.Node_TypeCast{TypeCast: &pg.TypeCast{Arg: list, TypeName: typ, Location: -1}}}, nil
}

func arrayNode(n *pgtree.Node, elements []element, elem sqltype.OID, depth int, dims, scale *int) (*pgtree.Node, error) {
	*dims = max(*dims, depth)
	out := &pg.A_ArrayExpr{Location: -1}
	for _, e := range elements {
		switch {
		case e.nested != nil:
			inner, err := arrayNode(n, e.nested, elem, depth+1, dims, scale)
			if err != nil {
				return nil, err
			}
			out.Elements = append(out.Elements, inner)
		case e.null:
			out.Elements = append(out.Elements, pgtree.Null())
		default:
			text := e.text
			switch elem {
			case sqltype.Int2, sqltype.Int4, sqltype.Int8:
				if err := checkInteger(n, text, elem); err != nil {
					return nil, err
				}
			case sqltype.Bool:
				v, ok := parseBool(strings.TrimSpace(text))
				if !ok {
					return nil, invalidText(n, "boolean", text)
				}
				text = strconv.FormatBool(v)
			case sqltype.Numeric:
				if plain, ok := plainNumber(strings.TrimLeft(strings.TrimSpace(text), "+-")); ok {
					_, frac, _ := strings.Cut(plain, ".")
					*scale = max(*scale, len(frac))
				}
			case sqltype.Interval:
				iv, err := parseInterval(text, nil)
				if err != nil {
					return nil, refuse(n, "22007", "invalid input syntax for type interval: %q", text)
				}
				text = iv.String()
			}
			out.Elements = append(out.Elements, pgtree.Text(text))
		}
	}
	return &pgtree.Node{Node: &pg.Node_AArrayExpr{AArrayExpr: out}}, nil
}

// An interval as PostgreSQL keeps it.
type interval struct {
	months, days, micros int64
}

func (iv interval) String() string {
	return fmt.Sprintf("%d months %d days %d microseconds", iv.months, iv.days, iv.micros)
}

// Microseconds of the units of time.
const (
	usSecond = int64(1_000_000)
	usMinute = 60 * usSecond
	usHour   = 60 * usMinute
	usDay    = 24 * usHour
)

// The fields of an interval's type modifier (timestamp.h, INTERVAL_MASK).
const (
	maskMonth  = 1 << 1
	maskYear   = 1 << 2
	maskDay    = 1 << 3
	maskHour   = 1 << 10
	maskMinute = 1 << 11
	maskSecond = 1 << 12
	maskAll    = 0x7FFF
)

var errInterval = errors.New("not an interval")

// parseInterval reads PostgreSQL's forms of an interval (datetime.c,
// DecodeInterval and DecodeISO8601Interval). The fields of mods say what a bare
// number counts and what is cut off.
func parseInterval(text string, mods []*pgtree.Node) (interval, error) {
	mask := int64(maskAll)
	if len(mods) > 0 {
		v, ok := integer(mods[0])
		if !ok {
			return interval{}, errInterval
		}
		mask = v
	}
	s := strings.ToLower(strings.TrimSpace(text))
	var iv interval
	var err error
	if strings.HasPrefix(s, "p") {
		iv, err = isoInterval(s)
	} else {
		iv, err = wordInterval(s, bareUnit(mask))
	}
	if err != nil {
		return interval{}, err
	}
	switch bareUnit(mask) {
	case "year":
		return interval{months: iv.months - iv.months%12}, nil
	case "month":
		return interval{months: iv.months}, nil
	case "day":
		iv.micros = 0
	case "hour":
		iv.micros -= iv.micros % usHour
	case "minute":
		iv.micros -= iv.micros % usMinute
	}
	return iv, nil
}

// bareUnit is the finest field of a mask, which a number without a unit counts.
func bareUnit(mask int64) string {
	switch {
	case mask&maskSecond != 0:
		return "second"
	case mask&maskMinute != 0:
		return "minute"
	case mask&maskHour != 0:
		return "hour"
	case mask&maskDay != 0:
		return "day"
	case mask&maskMonth != 0:
		return "month"
	case mask&maskYear != 0:
		return "year"
	}
	return "second"
}

// add counts value units; a fraction runs over into the smaller fields.
func (iv *interval) add(value float64, unit string) error {
	whole := int64(value)
	rest := value - float64(whole)
	switch unit {
	case "millennium", "millennia", "mil", "mils":
		return iv.add(value*1000, "year")
	case "century", "centuries", "c", "cent":
		return iv.add(value*100, "year")
	case "decade", "decades", "dec", "decs":
		return iv.add(value*10, "year")
	case "year", "years", "y", "yr", "yrs":
		iv.months += whole*12 + int64(rest*12)
	case "month", "months", "mon", "mons":
		iv.months += whole
		return iv.add(rest*30, "day")
	case "week", "weeks", "w":
		iv.days += whole * 7
		return iv.add(rest*7, "day")
	case "day", "days", "d":
		iv.days += whole
		iv.micros += round(rest * float64(usDay))
	case "hour", "hours", "h", "hr", "hrs":
		iv.micros += round(value * float64(usHour))
	case "minute", "minutes", "m", "min", "mins":
		iv.micros += round(value * float64(usMinute))
	case "second", "seconds", "s", "sec", "secs":
		iv.micros += round(value * float64(usSecond))
	case "millisecond", "milliseconds", "ms", "msec", "msecs":
		iv.micros += round(value * 1000)
	case "microsecond", "microseconds", "us", "usec", "usecs":
		iv.micros += round(value)
	default:
		return errInterval
	}
	return nil
}

func round(v float64) int64 {
	if v < 0 {
		return -int64(-v + 0.5)
	}
	return int64(v + 0.5)
}

// maxCount bounds a number in an interval: what fits all its units.
const maxCount = 1e9

func number(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v > maxCount || v < -maxCount || strings.ContainsAny(s, "xinpe_") {
		return 0, errInterval
	}
	return v, nil
}

// wordInterval reads "1 year 2 mons -3 days 04:05:06.7", "@ 1 day ago", "1-2".
func wordInterval(s, bare string) (interval, error) {
	var iv interval
	words := intervalWords(strings.TrimPrefix(s, "@"))
	if len(words) == 0 {
		return iv, errInterval
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "ago" && i == len(words)-1 && i > 0:
			return interval{-iv.months, -iv.days, -iv.micros}, nil
		case strings.Contains(w, ":"):
			us, err := clock(w, bare)
			if err != nil {
				return iv, err
			}
			iv.micros += us
		case strings.Contains(strings.TrimLeft(w, "+-"), "-"):
			months, err := yearMonth(w)
			if err != nil {
				return iv, err
			}
			iv.months += months
		default:
			v, err := number(w)
			if err != nil {
				return iv, err
			}
			unit := bare
			if i+1 < len(words) {
				switch next := words[i+1]; {
				case strings.Contains(next, ":"):
					unit = "day" // 3 04:05:06
				case next != "ago":
					unit = next
					i++
				}
			}
			if err := iv.add(v, unit); err != nil {
				return iv, err
			}
		}
	}
	return iv, nil
}

// intervalWords splits at blanks and between a number and its unit.
func intervalWords(s string) []string {
	var out []string
	for _, f := range strings.Fields(s) {
		at := strings.IndexFunc(f, func(r rune) bool { return r >= 'a' && r <= 'z' })
		if at > 0 {
			out = append(out, f[:at], f[at:])
			continue
		}
		out = append(out, f)
	}
	return out
}

// clock reads h:m, h:m:s and m:s.f with a sign.
func clock(w, bare string) (int64, error) {
	sign := int64(1)
	if rest, ok := strings.CutPrefix(w, "-"); ok {
		sign, w = -1, rest
	}
	parts := strings.Split(strings.TrimPrefix(w, "+"), ":")
	if len(parts) > 3 {
		return 0, errInterval
	}
	units := []int64{usHour, usMinute, usSecond}
	if len(parts) == 2 && (strings.Contains(parts[1], ".")) {
		units = units[1:]
	}
	total := int64(0)
	for i, p := range parts {
		v, err := number(p)
		if err != nil || v < 0 || i > 0 && v >= 61 || i < len(parts)-1 && strings.Contains(p, ".") {
			return 0, errInterval
		}
		total += round(v * float64(units[i]))
	}
	return sign * total, nil
}

// yearMonth reads the SQL form 1-2.
func yearMonth(w string) (int64, error) {
	sign := int64(1)
	if rest, ok := strings.CutPrefix(w, "-"); ok {
		sign, w = -1, rest
	}
	years, months, _ := strings.Cut(strings.TrimPrefix(w, "+"), "-")
	y, err := number(years)
	if err != nil {
		return 0, err
	}
	m, err := number(months)
	if err != nil || m < 0 || m > 11 {
		return 0, errInterval
	}
	return sign * (int64(y)*12 + int64(m)), nil
}

// isoInterval reads P1Y2M3DT4H5M6S and P2W.
func isoInterval(s string) (interval, error) {
	var iv interval
	units := map[byte]string{'y': "year", 'm': "month", 'w': "week", 'd': "day"}
	some := false
	for i := 1; i < len(s); {
		if s[i] == 't' {
			units = map[byte]string{'h': "hour", 'm': "minute", 's': "second"}
			i++
			continue
		}
		j := i
		for j < len(s) && strings.IndexByte("+-.0123456789", s[j]) >= 0 {
			j++
		}
		if j == i || j == len(s) {
			return iv, errInterval
		}
		v, err := number(s[i:j])
		if err != nil {
			return iv, err
		}
		unit, ok := units[s[j]]
		if !ok {
			return iv, errInterval
		}
		if err := iv.add(v, unit); err != nil {
			return iv, err
		}
		some = true
		i = j + 1
	}
	if !some {
		return iv, errInterval
	}
	return iv, nil
}
