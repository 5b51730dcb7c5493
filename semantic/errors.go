package semantic

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// A Code is a rule that a query breaks.
type Code int

// The rules. Each has a case in testdata/errors.txt.
const (
	// UnknownName: no member, dataset or metric of that name.
	UnknownName Code = iota
	// AmbiguousName: a name that several paths share.
	AmbiguousName
	// AmbiguousPath: two datasets are connected in more than one way.
	AmbiguousPath
	// NoPath: two datasets are not connected.
	NoPath
	// NotSingleValued: a dimension that has several values for one row of the
	// metric's home, where one is needed.
	NotSingleValued
	// NoKey: rows must be told apart and the dataset declares no primary key.
	NoKey
)

// An Error is a query that the model cannot answer, and why. Hint is a full
// sentence. The caller knows the place in the client's text.
type Error struct {
	Code    Code
	Message string
	Hint    string
}

func (e *Error) Error() string { return e.Message }

// A Fault is one thing wrong in a model.
type Fault struct {
	Pos     Pos
	Message string
	Hint    string
}

func (f Fault) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.Pos.File, f.Pos.Line, f.Pos.Col, f.Message)
}

func ambiguousPath(from, to *Dataset, paths [][]Edge) *Error {
	e := &Error{
		Code:    AmbiguousPath,
		Message: fmt.Sprintf("there are %d paths from %q to %q", len(paths), from.Name, to.Name),
	}
	words := make([]string, len(paths))
	inverse, backwards := make([]string, len(paths)), true
	for i, p := range paths {
		words[i] = PathString(p)
		back := slices.Clone(p)
		slices.Reverse(back)
		for j := range back {
			back[j] = back[j].inverse()
			backwards = backwards && back[j].ToOne()
		}
		inverse[i] = PathString(back)
	}
	sort.Strings(words)
	sort.Strings(inverse)
	e.Hint = fmt.Sprintf("Write the path: %s.", strings.Join(words, " or "))
	if backwards { // seen from the other end the paths have words of their own
		e.Hint = fmt.Sprintf("Query %q instead, and write the path to %q: %s.", to.Name, from.Name, strings.Join(inverse, " or "))
	}
	return e
}

func noPath(from, to *Dataset) *Error {
	return &Error{
		Code:    NoPath,
		Message: fmt.Sprintf("%q and %q are not connected by a relationship", from.Name, to.Name),
		Hint:    "Aggregate each in a subquery of its own and join the results.",
	}
}

func notSingleValued(from, to *Dataset, path []Edge) *Error {
	for _, e := range path {
		if !e.ToOne() {
			return &Error{
				Code:    NotSingleValued,
				Message: fmt.Sprintf("one row of %q has many rows of %q", from.Name, to.Name),
				Hint:    fmt.Sprintf("Query %q instead, whose rows each have one %q.", to.Name, from.Name),
			}
		}
	}
	return nil
}

func noKey(d *Dataset) *Error {
	return &Error{
		Code:    NoKey,
		Message: fmt.Sprintf("dataset %q declares no primary key, so its rows cannot be told apart", d.Name),
		Hint:    fmt.Sprintf("Declare primary_key for %q in the model.", d.Name),
	}
}

func unknownName(what, name string, known []string) *Error {
	e := &Error{Code: UnknownName, Message: fmt.Sprintf("%s %q does not exist", what, name)}
	if near := Nearest(name, known); len(near) > 0 {
		e.Hint = fmt.Sprintf("Did you mean %s?", strings.Join(quoteAll(near), " or "))
	}
	return e
}

func quoteAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = `"` + n + `"`
	}
	return out
}

// Nearest gives up to three of the known names that a slip of the keyboard may
// have meant, nearest first.
func Nearest(name string, known []string) []string {
	type near struct {
		name string
		far  int
	}
	var list []near
	name = strings.ToLower(name)
	for _, k := range known {
		far := distance(name, strings.ToLower(k))
		lower := strings.ToLower(k)
		switch {
		case far <= 1+len(name)/4:
		case len(name) >= 3 && (strings.HasPrefix(lower, name) || strings.HasSuffix(lower, "_"+name) || strings.HasPrefix(name, lower) && len(lower) >= 3):
			far = 2 + len(name)/4
		default:
			continue
		}
		list = append(list, near{k, far})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].far < list[j].far })
	var out []string
	for _, n := range list {
		if len(out) < 3 && !slices.Contains(out, n.name) {
			out = append(out, n.name)
		}
	}
	return out
}

// distance is the number of insertions, deletions, substitutions and swaps of
// neighbours that turn a into b (optimal string alignment).
func distance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
