package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pggate/pggate/semantic"
)

// A Fault is one thing wrong in a model file, or, as a warning, worth knowing.
// Message is a lower-case sentence without a full stop, Hint a whole sentence
// that says what to do, or "". A Pos without a line means the file as a whole.
type Fault struct {
	Pos     semantic.Pos
	Message string
	Hint    string
	Warning bool
}

// String is file:line:col: sentence, and the hint on a line of its own.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.Pos.File)
	if f.Pos.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Pos.Line, f.Pos.Col)
	}
	b.WriteString(": ")
	if f.Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(f.Message)
	if f.Hint != "" {
		b.WriteString("\n\t")
		b.WriteString(f.Hint)
	}
	return b.String()
}

// Faults are all that is wrong, file by file from top to bottom.
type Faults []Fault

// Error lists every fault, warnings included.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Err is fs as an error, or nil if there is nothing but warnings.
func (fs Faults) Err() error {
	if slices.ContainsFunc(fs, func(f Fault) bool { return !f.Warning }) {
		return fs
	}
	return nil
}

// Sort puts the faults of each file in the order of their places. The order of
// files is kept.
func (fs Faults) Sort() {
	file := map[string]int{}
	for _, f := range fs {
		if _, ok := file[f.Pos.File]; !ok {
			file[f.Pos.File] = len(file)
		}
	}
	slices.SortStableFunc(fs, func(a, b Fault) int {
		return cmp.Or(
			cmp.Compare(file[a.Pos.File], file[b.Pos.File]),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
}
