package dialect

import (
	"strings"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/wire/sqlstate"
)

// patterns are the pieces of a format of to_char and to_date that strftime has,
// longest first (formatting.c, DCH_keywords).
var patterns = []struct{ pg, duck string }{
	{"YYYY", "%Y"}, {"HH24", "%H"}, {"HH12", "%I"}, {"MON", ""}, {"Month", "%B"}, {"FMMonth", "%B"}, {"Mon", "%b"}, {"MI", "%M"}, {"MM", "%m"}, {"SS", "%S"},
	{"MS", "%g"}, {"US", "%f"}, {"DDD", "%j"}, {"DD", "%d"}, {"Day", ""}, {"FMDay", "%A"}, {"Dy", "%a"}, {"YY", "%y"}, {"IYYY", "%G"}, {"IW", "%V"}, {"ID", "%u"}, {"HH", "%I"}, {"AM", "%p"}, {"PM", "%p"},
}

// dateFormat translates a literal format; ok is false where it holds a piece
// that strftime cannot say.
func dateFormat(f string) (string, bool) {
	var b strings.Builder
	for f != "" {
		if f[0] == '"' {
			end := strings.IndexByte(f[1:], '"')
			if end < 0 {
				return "", false
			}
			b.WriteString(strings.ReplaceAll(f[1:end+1], "%", "%%"))
			f = f[end+2:]
			continue
		}
		hit := false
		for _, p := range patterns {
			if strings.HasPrefix(f, p.pg) {
				if p.duck == "" {
					return "", false
				}
				b.WriteString(p.duck)
				f, hit = f[len(p.pg):], true
				break
			}
		}
		if hit {
			continue
		}
		if c := f[0]; c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return "", false
		}
		if f[0] == '%' {
			b.WriteByte('%')
		}
		b.WriteByte(f[0])
		f = f[1:]
	}
	return b.String(), true
}

func literalFormat(n, arg *pgtree.Node, name string) (string, error) {
	k := arg.GetAConst()
	if k.GetSval() == nil {
		return "", at(sqlstate.New(sqlstate.FeatureNotSupported, "%s needs a constant format", name).WithHint("Write the format as a literal."), n)
	}
	f, ok := dateFormat(k.GetSval().GetSval())
	if !ok {
		return "", at(sqlstate.New(sqlstate.FeatureNotSupported, "the format %q of %s is not supported", k.GetSval().GetSval(), name).
			WithHint("Supported are YYYY, YY, IYYY, MM, Mon, FMMonth, DD, DDD, FMDay, Dy, HH24, HH12, MI, SS, MS, US, IW, ID, AM and quoted text."), n)
	}
	return f, nil
}

func toChar(n *pgtree.Node, args []*pgtree.Node) (*pgtree.Node, error) {
	if len(args) != 2 {
		return n, nil
	}
	f, err := literalFormat(n, args[1], "to_char")
	if err != nil {
		return n, err
	}
	return pgtree.Func("strftime", args[0], pgtree.Text(f)), nil
}

func toDate(n *pgtree.Node, name string, args []*pgtree.Node) (*pgtree.Node, error) {
	f, err := literalFormat(n, args[1], name)
	if err != nil {
		return n, err
	}
	parsed := pgtree.Func("strptime", args[0], pgtree.Text(f))
	if name == "to_date" {
		return pgtree.Cast(parsed, []string{"date"}), nil
	}
	return pgtree.Cast(parsed, []string{"timestamptz"}), nil
}
