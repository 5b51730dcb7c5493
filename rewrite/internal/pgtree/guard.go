package pgtree

// Limits of a statement text. The C code of the parser recurses without a check
// of its stack: about 42 kB of `1+1+1...` end the process, and nothing in Go can
// catch that. Chains cost one token per level, so the number of tokens that are
// not literals, names, commas or closing signs bounds the depth. Measured with
// pg_query_go 6.2.5 on an 8 MB stack: 21,250 levels are survived.
const (
	MaxText  = 1 << 20 // bytes
	MaxDepth = 5000    // tokens that can add a level to the tree
)

// Guard refuses text that could exhaust the parser's stack. It reads the text
// as PostgreSQL's scanner does (scan.l): strings, quoted names, dollar quotes
// and comments hide what is in them.
func Guard(text string) error {
	if len(text) > MaxText {
		return &SyntaxError{Message: "statement text exceeds 1048576 bytes", TooLong: true}
	}
	levels := 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v' || c == ',':
			i++
		case c == '\'':
			// A backslash escapes only behind E; taking it for an escape
			// everywhere could end a string too late and hide tokens, so the
			// prefix decides.
			i = skipQuoted(text, i, '\'', i > 0 && (text[i-1] == 'e' || text[i-1] == 'E') && (i == 1 || !identChar(text[i-2])))
		case c == '"':
			i = skipQuoted(text, i, '"', false)
		case c == '-' && i+1 < len(text) && text[i+1] == '-':
			for i < len(text) && text[i] != '\n' && text[i] != '\r' {
				i++
			}
		case c == '/' && i+1 < len(text) && text[i+1] == '*':
			i = skipComment(text, i)
		case c == '$':
			i = skipDollar(text, i)
		case c >= '0' && c <= '9':
			for i < len(text) && (identChar(text[i]) || text[i] == '.') {
				i++
			}
		case identStart(c):
			start := i
			for i < len(text) && identChar(text[i]) {
				i++
			}
			if deepening(text[start:i]) {
				levels++
			}
		case c == '.' || c == ')' || c == ']' || c == ';':
			i++ // part of a flat list, or paid for by its opening sign
		default:
			levels++
			i++
		}
		if levels > MaxDepth {
			return &SyntaxError{Message: "statement is too complex: more than 5000 operators, brackets and clauses", TooLong: true}
		}
	}
	return nil
}

// deepening tells whether a word can add a level without any sign: joins, set
// operations, NOT NOT ..., CASE chains, x IS NULL IS NULL, COLLATE, AT TIME ZONE.
func deepening(word string) bool {
	if len(word) < 2 || len(word) > 12 {
		return false
	}
	var buf [12]byte
	for i := 0; i < len(word); i++ {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf[i] = c
	}
	switch string(buf[:len(word)]) {
	case "join", "union", "except", "intersect", "not", "case", "is", "isnull", "notnull", "collate", "at",
		"and", "or", "in", "like", "ilike", "similar", "between", "select", "values", "operator", "escape":
		return true
	}
	return false
}

func identStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func identChar(c byte) bool { return identStart(c) || c >= '0' && c <= '9' || c == '$' }

func skipQuoted(text string, i int, quote byte, escapes bool) int {
	for i++; i < len(text); i++ {
		if escapes && text[i] == '\\' {
			i++
			continue
		}
		if text[i] == quote {
			if i+1 < len(text) && text[i+1] == quote {
				i++
				continue
			}
			return i + 1
		}
	}
	return len(text)
}

// skipComment skips a block comment; PostgreSQL's nest.
func skipComment(text string, i int) int {
	depth := 0
	for i < len(text) {
		switch {
		case i+1 < len(text) && text[i] == '/' && text[i+1] == '*':
			depth++
			i += 2
		case i+1 < len(text) && text[i] == '*' && text[i+1] == '/':
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(text)
}

// skipDollar skips $1 or $tag$ ... $tag$.
func skipDollar(text string, i int) int {
	j := i + 1
	for j < len(text) && (identStart(text[j]) || j > i+1 && text[j] >= '0' && text[j] <= '9') {
		j++
	}
	if j < len(text) && text[j] == '$' {
		tag := text[i : j+1]
		for k := j + 1; k+len(tag) <= len(text); k++ {
			if text[k:k+len(tag)] == tag {
				return k + len(tag)
			}
		}
		return len(text)
	}
	for j = i + 1; j < len(text) && text[j] >= '0' && text[j] <= '9'; j++ {
	}
	return j
}
