package osi

import (
	"strings"

	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/semantic"
)

// readSource reads where the rows of a dataset come from: a relation, written
// database.schema.table with leading parts left out at will, or a query text.
// The format has no mark that tells them apart.
func (m *modelReader) readSource(o *document.Object, d *semantic.DatasetDef) {
	text, n := o.NeedText("source")
	if n == nil {
		return
	}
	d.SourcePos = n.Pos()
	if long := n.TooLong(); long != nil {
		m.r.Faults = append(m.r.Faults, *long)
		return
	}
	if m.p.IsQuery(text) {
		d.Query = text
		return
	}
	parts, bad := splitName(text)
	switch {
	case bad >= 0 && looksLikeQuery(text):
		m.r.Fault(n.Pos(), "", "the source of %s is a query that cannot be parsed", o.What)
	case bad >= 0:
		m.r.Fault(n.At(bad), `Write "schema.table", a name with other characters in double quotes, or a SELECT.`, "the source of %s is neither the name of a relation nor a query", o.What)
	case len(parts) > len(d.Source):
		m.r.Fault(n.Pos(), "Write database.schema.table.", "the source of %s has %d parts", o.What, len(parts))
	default:
		copy(d.Source[len(d.Source)-len(parts):], parts)
	}
}

func looksLikeQuery(text string) bool {
	word := strings.ToLower(strings.TrimLeft(text, " \t\r\n("))
	for _, start := range []string{"select", "with", "values", "from"} {
		if rest, ok := strings.CutPrefix(word, start); ok && (rest == "" || strings.ContainsRune(" \t\r\n(", rune(rest[0]))) {
			return true
		}
	}
	return false
}

// splitName splits a dotted name whose parts may be in double quotes. bad is the
// byte at which it is none, or -1.
func splitName(text string) (parts []string, bad int) {
	for i := 0; ; {
		var part strings.Builder
		start := i
		if i < len(text) && text[i] == '"' {
			for i++; ; i++ {
				if i >= len(text) {
					return nil, start
				}
				if text[i] != '"' {
					part.WriteByte(text[i])
				} else if strings.HasPrefix(text[i:], `""`) {
					part.WriteByte('"')
					i++
				} else {
					i++
					break
				}
			}
		} else {
			for i < len(text) && nameByte(text[i]) {
				part.WriteByte(text[i])
				i++
			}
		}
		if part.Len() == 0 {
			return nil, min(start, max(0, len(text)-1))
		}
		parts = append(parts, part.String())
		if i == len(text) {
			return parts, -1
		}
		if text[i] != '.' {
			return nil, i
		}
		i++
	}
}

func nameByte(c byte) bool {
	return c == '_' || c == '$' || c == '-' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
