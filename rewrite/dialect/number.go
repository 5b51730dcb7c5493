package dialect

import (
	"strings"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
)

// A numberPattern is a pattern of to_char for numbers (formatting.c, NUM_): 9
// and 0 for digits, a point, commas between groups of three, and FM.
type numberPattern struct {
	compact  bool
	places   int // digits before the point
	zeros    int // least digits shown before the point
	decimals int
	keep     int // decimals that FM leaves
	point    bool
	comma    bool
	width    int // places, commas and the sign
	overflow string
	before   string
	after    string
}

func patternOfNumber(format string) bool {
	return strings.ContainsAny(format, "90") && strings.Trim(format, "FMfm90.,DGLSPRMI $%\"") == ""
}

// parseNumber reads a pattern; false for what is not translated.
func parseNumber(format string) (numberPattern, bool) {
	var p numberPattern
	rest := format
	if strings.HasPrefix(rest, "FM") || strings.HasPrefix(rest, "fm") {
		p.compact, rest = true, rest[2:]
	}
	for rest != "" && strings.IndexByte("90", rest[0]) < 0 && rest[0] != '.' && rest[0] != 'D' {
		// A sign of money or a blank in front stands for itself.
		if rest[0] != '$' && rest[0] != ' ' {
			return p, false
		}
		p.before += rest[:1]
		rest = rest[1:]
	}
	commas := []int{}
	seenZero := false
	i := 0
loop:
	for ; i < len(rest); i++ {
		switch c := rest[i]; {
		case (c == '9' || c == '0') && !p.point:
			p.places++
			seenZero = seenZero || c == '0'
			if seenZero {
				p.zeros++
			}
			p.overflow += "#"
		case c == '9' || c == '0':
			p.decimals++
			if c == '0' {
				p.keep = p.decimals
			}
			p.overflow += "#"
		case (c == ',' || c == 'G') && !p.point:
			p.comma = true
			commas = append(commas, p.places)
			p.overflow += ","
		case (c == '.' || c == 'D') && !p.point:
			p.point = true
			p.overflow += "."
		default:
			break loop
		}
	}
	for _, at := range commas {
		if (p.places-at)%3 != 0 || at == 0 {
			return p, false
		}
	}
	if p.comma && len(commas) != (p.places-1)/3 {
		return p, false
	}
	p.width = len(p.overflow) + 1
	switch tail := rest[i:]; {
	case tail == "", tail == "%", tail == " ", tail == " %":
		p.after = tail
	case len(tail) > 2 && tail[0] == '"' && strings.IndexByte(tail[1:], '"') == len(tail)-2:
		p.after = tail[1 : len(tail)-1]
	default:
		return p, false
	}
	return p, p.places+p.decimals > 0 && p.places <= 30 && p.decimals <= 18
}

// numberToChar is to_char of a number.
func numberToChar(c *call, format string) (*pgtree.Node, error) {
	p, ok := parseNumber(format)
	if !ok {
		return nil, unsupported(c.args[1], "the pattern %q of to_char for numbers is not supported", format).
			WithHint("Patterns of 9, 0, a point, commas between groups of three and FM are supported.")
	}
	value := pgtree.Func("round", pgtree.Cast(c.args[0], []string{"numeric"}, 38, int64(max(p.decimals, looseScale))), pgtree.Int(int64(p.decimals)))
	if s, known := scale(c.types[0]); known && s > looseScale {
		value = pgtree.Func("round", c.args[0], pgtree.Int(int64(p.decimals)))
	}
	digits := pgtree.Cast(pgtree.Cast(pgtree.Func("abs", value), []string{"numeric"}, 38, int64(p.decimals)), []string{"varchar"})
	comma := ""
	if p.comma {
		comma = ","
	}
	out := macro("number_text", digits, pgtree.Op("<", pgtree.Clone(value), pgtree.Int(0)),
		pgtree.Int(int64(p.places)), pgtree.Int(int64(p.zeros)), pgtree.Bool(p.point), pgtree.Int(int64(p.keep)),
		pgtree.Text(comma), pgtree.Int(int64(p.width)), pgtree.Bool(!p.compact), pgtree.Text(p.overflow))
	if p.before != "" {
		out = pgtree.Op("||", pgtree.Text(p.before), out)
	}
	if p.after != "" {
		out = pgtree.Op("||", out, pgtree.Text(p.after))
	}
	return out, nil
}

// toNumber is to_number: the digits, the point and the sign of a text, as the
// pattern of such a number has them.
func toNumber(c *call) (*pgtree.Node, error) {
	format, ok := constant(c.args[1])
	if !ok {
		return nil, unsupported(c.node, "to_number with a pattern that is no constant is not supported")
	}
	p, ok := parseNumber(format)
	if !ok {
		return nil, unsupported(c.args[1], "the pattern %q of to_number is not supported", format)
	}
	digits := pgtree.Func("regexp_replace", c.args[0], pgtree.Text(`[^0-9.+-]`), pgtree.Text(""), pgtree.Text("g"))
	return pgtree.Cast(digits, []string{"numeric"}, 38, int64(p.decimals)), nil
}
