package rewrite

import (
	"strings"
	"unicode/utf8"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/wire/sqlstate"
)

// Errors inside this package carry Position as a byte offset plus one; Rewrite
// turns it into characters once, at the end.

func at(err *sqlstate.Error, n *pgtree.Node) *sqlstate.Error {
	if loc := pgtree.Location(n); loc >= 0 && err.Position == 0 {
		err.Position = loc + 1
	}
	return err
}

// characters turns a byte offset plus one into a character position.
func characters(text string, err error) error {
	se, ok := err.(*sqlstate.Error)
	if !ok || se.Position <= 0 {
		return err
	}
	off := min(se.Position-1, len(text))
	se.Position = utf8.RuneCountInString(text[:off]) + 1
	return se
}

func syntaxError(err error) error {
	se, ok := err.(*pgtree.SyntaxError)
	if !ok {
		return err
	}
	if se.TooLong {
		return sqlstate.New(sqlstate.StatementTooComplex, "%s", se.Message).WithHint("Split the statement, or put the values into a table and join it.")
	}
	return sqlstate.New(sqlstate.SyntaxError, "%s", se.Message).At(se.Pos)
}

// modelError gives an error of the model its SQLSTATE.
func modelError(err error, n *pgtree.Node) error {
	e, ok := err.(*semantic.Error)
	if !ok {
		return err
	}
	code := map[semantic.Code]sqlstate.Code{
		semantic.UnknownName:     sqlstate.UndefinedColumn,
		semantic.AmbiguousName:   sqlstate.AmbiguousColumn,
		semantic.AmbiguousPath:   sqlstate.AmbiguousColumn,
		semantic.NoPath:          sqlstate.InvalidColumnReference,
		semantic.NotSingleValued: sqlstate.InvalidColumnReference,
		semantic.NoKey:           sqlstate.FeatureNotSupported,
	}[e.Code]
	return at(&sqlstate.Error{Code: code, Message: e.Message, Hint: e.Hint}, n)
}

func undefinedTable(name string, known []string, n *pgtree.Node) error {
	err := sqlstate.New(sqlstate.UndefinedTable, "relation %q does not exist", name)
	last := name[strings.LastIndexByte(name, '.')+1:]
	if near := semantic.Nearest(last, known); len(near) > 0 {
		err.WithHint("Did you mean %s?", orList(near))
	}
	return at(err, n)
}

func undefinedColumn(name string, known []string, n *pgtree.Node) error {
	err := sqlstate.New(sqlstate.UndefinedColumn, "column %s does not exist", displayColumn(name))
	if near := semantic.Nearest(name[strings.LastIndexByte(name, '.')+1:], known); len(near) > 0 {
		err.WithHint("Did you mean %s?", orList(near))
	}
	return at(err, n)
}

// displayColumn quotes a bare name and leaves a dotted one, as PostgreSQL does.
func displayColumn(name string) string {
	if strings.Contains(name, ".") {
		return name
	}
	return `"` + name + `"`
}

func ambiguousColumn(name string, choices []string, n *pgtree.Node) error {
	err := sqlstate.New(sqlstate.AmbiguousColumn, "column reference %q is ambiguous", name)
	if len(choices) > 0 {
		err.WithHint("Write %s.", strings.Join(choices, " or "))
	}
	return at(err, n)
}

func orList(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = `"` + n + `"`
	}
	return strings.Join(out, " or ")
}

func unsupported(n *pgtree.Node, hint, format string, args ...any) error {
	err := sqlstate.New(sqlstate.FeatureNotSupported, format, args...)
	err.Hint = hint
	return at(err, n)
}

func grouping(n *pgtree.Node, hint, format string, args ...any) error {
	err := sqlstate.New(sqlstate.GroupingError, format, args...)
	err.Hint = hint
	return at(err, n)
}

func wrongObject(n *pgtree.Node, hint, format string, args ...any) error {
	err := sqlstate.New(sqlstate.WrongObjectType, format, args...)
	err.Hint = hint
	return at(err, n)
}

func undefinedTableError(format string, args ...any) *sqlstate.Error {
	return sqlstate.New(sqlstate.UndefinedTable, format, args...)
}

func undefinedPosition(format string, args ...any) *sqlstate.Error {
	return sqlstate.New(sqlstate.InvalidColumnReference, format, args...)
}
