package document

import (
	"errors"

	"github.com/pggate/pggate/semantic"
)

// A Parser turns the text of expressions into boxes. Its errors may be
// ParseErrors; others are placed at the start of the expression.
type Parser interface {
	// Scalar parses a row-level expression.
	Scalar(text string) (semantic.Expr, error)
	// Metric parses an aggregate expression, or arithmetic over metrics.
	Metric(text string) (*semantic.Formula, error)
	// IsQuery tells a query text from the name of a relation.
	IsQuery(source string) bool
}

// A ParseError is an error that knows its place: offset is in bytes from the
// start of the text, hint is a sentence or "".
type ParseError interface {
	error
	Position() (offset int, message, hint string)
}

// ParseFault places what a Parser said about the text of n.
func ParseFault(n *Node, err error) Fault {
	var pe ParseError
	if errors.As(err, &pe) {
		offset, message, hint := pe.Position()
		return Fault{Pos: n.At(offset), Message: message, Hint: hint}
	}
	return Fault{Pos: n.Pos(), Message: err.Error()}
}
