// Package modelstest is a parser of expressions for the tests of loaders. It
// knows words, strings and parentheses and is no judge of SQL.
package modelstest

import (
	"slices"
	"strings"

	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/semantic"
)

// Parser implements document.Parser.
type Parser struct{}

var _ document.Parser = Parser{}

// An expr is a text with the names in it.
type expr struct {
	text string
	refs []semantic.Ref
}

func (e *expr) Refs() []semantic.Ref { return e.refs }
func (e *expr) String() string       { return e.text }

// A fault is what is wrong with an expression; it is a document.ParseError.
type fault struct {
	offset  int
	message string
}

func (f *fault) Error() string                   { return f.message }
func (f *fault) Position() (int, string, string) { return f.offset, f.message, "" }

// A token is a word, a string in single quotes, or one other byte.
type token struct {
	text       string
	start, end int
}

func (t token) isWord() bool { return isLetter(t.text[0]) || t.text[0] == '"' }

func isLetter(c byte) bool {
	return c == '_' || c >= 0x80 || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func scan(text string) ([]token, error) {
	var out []token
	var open []int
	for i := 0; i < len(text); {
		start := i
		switch c := text[i]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
			continue
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return nil, &fault{i, "the quoted text does not end"}
			}
			i += end + 2
		case isLetter(c) || isDigit(c):
			for i < len(text) && (isLetter(text[i]) || isDigit(text[i])) {
				i++
			}
		case c == ';':
			return nil, &fault{i, `";" is not allowed in an expression`}
		default:
			if c == '(' {
				open = append(open, i)
			} else if c == ')' {
				if len(open) == 0 {
					return nil, &fault{i, `")" closes nothing`}
				}
				open = open[:len(open)-1]
			}
			i++
		}
		out = append(out, token{text[start:i], start, i})
	}
	if len(open) > 0 {
		return nil, &fault{open[len(open)-1], `"(" is not closed`}
	}
	if len(out) == 0 {
		return nil, &fault{0, "the expression is empty"}
	}
	return out, nil
}

var keywords = strings.Fields("and or not case when then else end is null distinct in like between filter where true false as select with from")

// refs are the names among tokens: chains of words and dots that are neither
// keywords nor functions.
func refs(tokens []token) []semantic.Ref {
	var out []semantic.Ref
	for i := 0; i < len(tokens); i++ {
		if !tokens[i].isWord() || slices.Contains(keywords, strings.ToLower(tokens[i].text)) {
			continue
		}
		parts := []string{fold(tokens[i].text)}
		for i+2 < len(tokens) && tokens[i+1].text == "." && tokens[i+2].isWord() {
			i += 2
			parts = append(parts, fold(tokens[i].text))
		}
		if i+1 < len(tokens) && tokens[i+1].text == "(" {
			continue
		}
		ref := semantic.Ref{Path: parts[:len(parts)-1], Name: parts[len(parts)-1]}
		if !slices.ContainsFunc(out, func(r semantic.Ref) bool { return r.String() == ref.String() }) {
			out = append(out, ref)
		}
	}
	return out
}

func fold(word string) string {
	if word[0] == '"' {
		return strings.Trim(word, `"`)
	}
	return strings.ToLower(word)
}

var aggregates = strings.Fields("sum count avg min max median stddev")

func isAggregate(tokens []token, i int) bool {
	return i+1 < len(tokens) && tokens[i+1].text == "(" && slices.Contains(aggregates, strings.ToLower(tokens[i].text))
}

// Scalar takes everything that is not an aggregate.
func (Parser) Scalar(text string) (semantic.Expr, error) {
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	for i, t := range tokens {
		if isAggregate(tokens, i) {
			return nil, &fault{t.start, "an aggregate is not allowed in a row-level expression"}
		}
	}
	return &expr{text, refs(tokens)}, nil
}

// Metric takes aggregate calls apart and takes the bare names around them for
// metrics.
func (Parser) Metric(text string) (*semantic.Formula, error) {
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	f := &semantic.Formula{Text: text}
	var around []token
	for i := 0; i < len(tokens); i++ {
		if !isAggregate(tokens, i) {
			around = append(around, tokens[i])
			continue
		}
		start, depth := i, 0
		for i++; ; i++ {
			if tokens[i].text == "(" {
				depth++
			} else if tokens[i].text == ")" {
				if depth--; depth == 0 {
					break
				}
			}
		}
		inside := tokens[start+2 : i]
		f.Aggregates = append(f.Aggregates, semantic.AggregateDef{
			Func:     strings.ToLower(tokens[start].text),
			Distinct: len(inside) > 0 && strings.EqualFold(inside[0].text, "distinct"),
			Star:     len(inside) == 1 && inside[0].text == "*",
			Arg:      &expr{text[tokens[start].start:tokens[i].end], refs(inside)},
		})
	}
	for _, ref := range refs(around) {
		if len(ref.Path) > 0 {
			return nil, &fault{0, "\"" + ref.String() + "\" stands outside of an aggregate"}
		}
		f.Metrics = append(f.Metrics, ref.Name)
	}
	if len(around) > 1 || len(around) == 1 && len(f.Aggregates) > 0 {
		f.Outer = &expr{text, nil}
	}
	return f, nil
}

// IsQuery takes a text that starts with SELECT or WITH.
func (Parser) IsQuery(source string) bool {
	tokens, err := scan(source)
	return err == nil && len(tokens) > 1 && (strings.EqualFold(tokens[0].text, "select") || strings.EqualFold(tokens[0].text, "with"))
}
