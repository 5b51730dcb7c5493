package document

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// locate gives the byte of the source at which the byte of Text at offset was
// written.
func (n *Node) locate(offset int) int {
	if n.Kind < Bool || n.Kind > String {
		return n.at
	}
	text, i := n.src.text, n.at
	if i < len(text) && text[i] == '&' { // the place of a node includes its anchor
		for i < len(text) && !isBlank(text[i]) && breakAt(text, i) == 0 {
			i++
		}
		i, _ = skipBlank(text, i)
	}
	switch n.style {
	case single, double:
		return locateQuoted(text, i+1, offset, n.style)
	case block:
		for i < len(text) && breakAt(text, i) == 0 {
			i++
		}
	}
	if at, ok := locateLines(text, i, n.Text, offset); ok {
		return at
	}
	return n.at
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// skipBlank gives the first byte at or after i that is no blank and no line
// break, and the number of breaks on the way.
func skipBlank(text string, i int) (next, breaks int) {
	for i < len(text) {
		if isBlank(text[i]) {
			i++
		} else if n := breakAt(text, i); n > 0 {
			i, breaks = i+n, breaks+1
		} else {
			break
		}
	}
	return i, breaks
}

// locateQuoted walks a quoted scalar from the byte after its quote, undoing
// escapes and the folding of lines (YAML 1.2.2, 7.3).
func locateQuoted(text string, i, offset int, s style) int {
	for value := 0; i < len(text) && value < offset; {
		size, width := 1, 1 // bytes of the value, bytes of the source
		switch c := text[i]; {
		case c == '\\' && s == double:
			size, width = escape(text[i:])
		case c == '\'' && s == single:
			width = 2
		case isBlank(c) || breakAt(text, i) > 0:
			if next, breaks := skipBlank(text, i); breaks > 0 {
				size, width = max(1, breaks-1), next-i
			}
		}
		if value+size > offset {
			break
		}
		value, i = value+size, i+width
	}
	return i
}

// escape gives the bytes of value that the escape at the start of text stands
// for, and its own length. (YAML 1.2.2, 5.7; RFC 8259, 7.)
func escape(text string) (size, width int) {
	if len(text) < 2 {
		return 1, len(text)
	}
	if breakAt(text, 1) > 0 { // an escaped break and the indentation after it are nothing
		next, _ := skipBlank(text, 1)
		return 0, next
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 {
		switch text[1] {
		case 'N', '_':
			return 2, 2
		case 'L', 'P':
			return 3, 2
		}
		return 1, 2
	}
	r, ok := hex(text, 2, digits)
	if !ok {
		return 1, min(len(text), 2+digits)
	}
	if utf16.IsSurrogate(r) {
		if low, ok := hex(text, 8, 4); ok && text[6:8] == `\u` && utf16.DecodeRune(r, low) != utf8.RuneError {
			return 4, 12
		}
		r = utf8.RuneError
	}
	return max(1, utf8.RuneLen(r)), 2 + digits
}

func hex(text string, from, digits int) (rune, bool) {
	if len(text) < from+digits {
		return 0, false
	}
	v, err := strconv.ParseUint(text[from:from+digits], 16, 32)
	return rune(v), err == nil
}

// locateLines finds an offset of value, which was written without quotes from
// byte i on, over one line or several. Each line of the source, without the
// blanks at its ends, stands in value as it is; only what is between them
// differs: breaks that were folded to blanks, indentation that was dropped.
func locateLines(text string, i int, value string, offset int) (int, bool) {
	for p := 0; i < len(text); {
		i, _ = skipBlank(text, i)
		end := i
		for end < len(text) && breakAt(text, end) == 0 {
			end++
		}
		line := strings.TrimRight(text[i:end], " \t")
		for p < len(value) && strings.ContainsRune(" \t\n", rune(value[p])) {
			p++
		}
		if offset <= p {
			return i, true
		}
		rest := value[p:]
		if len(rest) < len(line) { // the last line of a plain scalar may go on with what is not its own
			line = line[:len(rest)]
		}
		if line == "" || !strings.HasPrefix(rest, line) {
			return 0, false
		}
		if offset <= p+len(line) {
			return i + offset - p, true
		}
		p, i = p+len(line), end
	}
	return 0, false
}
