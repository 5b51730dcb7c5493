// Package document reads a model file, YAML or JSON, into a tree that knows
// where everything stands (floor 2, under models). It is what the formats share:
// the limits on foreign files, the faults and their places, and reading maps
// key by key. It knows no format.
package document

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pggate/pggate/semantic"
)

// The limits on one file. They bound the time and the memory that a hostile
// file can cost; a file that needs more is refused, never read in part.
const (
	MaxSize    = 4 << 20  // bytes
	MaxDepth   = 64       // maps and lists inside each other
	MaxNodes   = 250_000  // scalars, lists and maps, aliases counted as what they repeat
	MaxText    = 64 << 10 // bytes of one expression or embedded JSON text
	aliasRatio = 10       // how many times larger than written aliases may make a file,
	aliasFloor = 1_000    // counted in nodes, once it is larger than this
)

// A Document is one file.
type Document struct {
	File string
	Root *Node // Null for an empty file
}

// Read reads the text of a file. A name that ends in .json is read as JSON,
// every other as one YAML document. The Document is nil if there are faults.
func Read(file string, text []byte) (*Document, Faults) {
	src := newSource(file, strings.TrimPrefix(string(text), "\ufeff"))
	if f := src.checkText(); f != nil {
		return nil, Faults{*f}
	}
	var root *Node
	var faults Faults
	if strings.EqualFold(filepath.Ext(file), ".json") {
		root, faults = readJSON(src)
	} else {
		root, faults = readYAML(src)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return &Document{File: file, Root: root}, nil
}

// Embedded reads the JSON text that a string of a file holds. Positions are
// those in the file.
func Embedded(n *Node) (*Node, Faults) {
	if f := n.TooLong(); f != nil {
		return nil, Faults{*f}
	}
	return readJSON(&source{file: n.src.file, text: n.Text, outer: n})
}

// A source is the text that nodes stand in: a file, or a string inside one.
type source struct {
	file  string
	text  string
	lines []int // where each line starts, in bytes; of a file only
	runes []int // how many characters stand before each multiple of stride, in bytes
	outer *Node // the string that holds the text; nil for a file
}

// stride is how far apart the counts of characters are. They keep the way from a
// byte to its column short, in files of one long line too.
const stride = 1 << 10

func newSource(file, text string) *source {
	s := &source{file: file, text: text, lines: []int{0}}
	for i, n := 0, 0; i <= len(text); i += stride {
		s.runes = append(s.runes, n)
		n += runeStarts(text[i:min(i+stride, len(text))])
	}
	for i := 0; i < len(text); {
		if n := breakAt(text, i); n > 0 {
			i += n
			s.lines = append(s.lines, i)
			continue
		}
		i++
	}
	return s
}

// breakAt gives the length of the line break at i, or 0. The breaks are those
// that the YAML scanner counts, so that its line numbers find their bytes.
func breakAt(text string, i int) int {
	switch text[i] {
	case '\n':
		return 1
	case '\r':
		if strings.HasPrefix(text[i:], "\r\n") {
			return 2
		}
		return 1
	case 0xC2:
		if strings.HasPrefix(text[i:], "\u0085") {
			return 2
		}
	case 0xE2:
		if strings.HasPrefix(text[i:], "\u2028") || strings.HasPrefix(text[i:], "\u2029") {
			return 3
		}
	}
	return 0
}

// pos gives the line and column, in characters, of a byte.
func (s *source) pos(offset int) semantic.Pos {
	offset = max(0, min(offset, len(s.text)))
	if s.outer != nil {
		return s.outer.At(offset)
	}
	lo, hi := 0, len(s.lines) // the last line that starts at or before offset
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; s.lines[mid] <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	return semantic.Pos{File: s.file, Line: lo + 1, Col: 1 + s.before(offset) - s.before(s.lines[lo])}
}

// offset gives the byte at a line and column, both from 1.
func (s *source) offset(line, col int) int {
	if line < 1 || line > len(s.lines) {
		return len(s.text)
	}
	start := s.lines[line-1]
	target := s.before(start) + col - 1
	k, _ := slices.BinarySearch(s.runes, target+1) // the first count above target
	i := max(start, (k-1)*stride)
	for n := s.before(i); i < len(s.text); i++ {
		if utf8.RuneStart(s.text[i]) {
			if n == target {
				break
			}
			n++
		}
	}
	return i
}

// before gives the number of characters that start before a byte.
func (s *source) before(offset int) int {
	k := offset / stride
	return s.runes[k] + runeStarts(s.text[k*stride:offset])
}

func runeStarts(text string) int {
	n := 0
	for i := range len(text) {
		if utf8.RuneStart(text[i]) {
			n++
		}
	}
	return n
}

func (s *source) fault(offset int, hint, format string, args ...any) Fault {
	return Fault{Pos: s.pos(offset), Message: fmt.Sprintf(format, args...), Hint: hint}
}

// checkText refuses what is no text before a parser sees it.
func (s *source) checkText() *Fault {
	if len(s.text) > MaxSize {
		return &Fault{Pos: semantic.Pos{File: s.file}, Message: fmt.Sprintf("the file is larger than %d MB", MaxSize>>20),
			Hint: "Split the model: one file for each schema."}
	}
	for i, r := range s.text {
		if r == utf8.RuneError && !strings.HasPrefix(s.text[i:], "\ufffd") {
			f := s.fault(i, "Save the file as UTF-8.", "the file is not UTF-8 here")
			return &f
		}
		if r == 0 {
			f := s.fault(i, "", "the file has a zero byte here")
			return &f
		}
	}
	return nil
}
