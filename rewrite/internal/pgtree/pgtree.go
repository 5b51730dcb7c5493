// Package pgtree is the only importer of PostgreSQL's parser (floor 0).
//
// It gives the parse tree under short names, a guarded way in (Parse), the only
// way out (Print), and a way around (Map, Walk). It knows nothing of models,
// dialects or catalogues. Everything above keeps the tree as PostgreSQL's
// grammar made it and replaces parts of it; nothing mirrors it.
package pgtree

//go:generate go run ./gen

import (
	"fmt"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"github.com/pganalyze/pg_query_go/v6/parser"
	"google.golang.org/protobuf/proto"
)

// Node is a node of PostgreSQL's parse tree. Package pg_query's types may be
// used by name through a type switch on Node.Node.
type Node = pg.Node

// A Stmt is one statement of a text and where it lies in that text, in bytes.
type Stmt struct {
	Node  *Node
	Start int
	End   int
}

// A SyntaxError is the parser's refusal. Pos counts characters from 1, as the
// protocol's field P does; 0 is unknown.
type SyntaxError struct {
	Message string
	Pos     int
	TooLong bool // refused before parsing: the text exceeds a limit of Guard
}

func (e *SyntaxError) Error() string { return e.Message }

// version is what the parser puts in front of its trees and asks back when it
// prints one (PG_VERSION_NUM of the grammar).
const version = 170007

// Parse reads text, which may hold several statements, after Guard has passed
// it. The error is a *SyntaxError.
func Parse(text string) ([]Stmt, error) {
	if err := Guard(text); err != nil {
		return nil, err
	}
	res, err := pg.Parse(text)
	if err != nil {
		return nil, syntaxError(text, err)
	}
	stmts := make([]Stmt, 0, len(res.GetStmts()))
	for _, s := range res.GetStmts() {
		end := int(s.GetStmtLocation()) + int(s.GetStmtLen())
		if s.GetStmtLen() == 0 {
			end = len(text)
		}
		stmts = append(stmts, Stmt{Node: s.GetStmt(), Start: int(s.GetStmtLocation()), End: end})
	}
	return stmts, nil
}

func syntaxError(text string, err error) *SyntaxError {
	if pe, ok := err.(*parser.Error); ok {
		return &SyntaxError{Message: pe.Message, Pos: pe.Cursorpos}
	}
	// The protobuf decoder refuses trees deeper than its own limit.
	if strings.Contains(err.Error(), "recursion depth") {
		return &SyntaxError{Message: "statement is nested too deeply", TooLong: true}
	}
	return &SyntaxError{Message: err.Error()}
}

// Expr parses one expression. Locations in the tree are offsets into text.
// The error is a *SyntaxError whose position counts in text.
func Expr(text string) (*Node, error) {
	const prefix = "SELECT "
	stmts, err := Parse(prefix + text)
	if err != nil {
		if se, ok := err.(*SyntaxError); ok && se.Pos > 0 {
			se.Pos = max(1, se.Pos-len(prefix))
		}
		return nil, err
	}
	if len(stmts) != 1 {
		return nil, &SyntaxError{Message: "an expression is expected, not several statements"}
	}
	sel := stmts[0].Node.GetSelectStmt()
	if sel == nil || len(sel.GetTargetList()) != 1 || sel.GetFromClause() != nil || sel.GetWhereClause() != nil ||
		sel.GetGroupClause() != nil || sel.GetSortClause() != nil || sel.GetLimitCount() != nil || sel.GetOp() != pg.SetOperation_SETOP_NONE {
		return nil, &SyntaxError{Message: "one expression is expected"}
	}
	target := sel.GetTargetList()[0].GetResTarget()
	if target.GetName() != "" {
		return nil, &SyntaxError{Message: "an expression has no alias"}
	}
	n := target.GetVal()
	Walk(n, func(c *Node) bool {
		shift(c, -int32(len(prefix)))
		return true
	})
	return n, nil
}

// Print makes SQL text of a statement: the only place that does.
func Print(stmt *Node) (string, error) {
	text, err := pg.Deparse(&pg.ParseResult{Version: version, Stmts: []*pg.RawStmt{{Stmt: stmt}}})
	if err != nil {
		return "", fmt.Errorf("print: %w", err)
	}
	return text, nil
}

// PrintExpr makes SQL text of an expression, for messages and golden files.
func PrintExpr(n *Node) string {
	text, err := Print(Select(&pg.SelectStmt{TargetList: []*Node{Target("", n)}}))
	if err != nil {
		return "?"
	}
	return strings.TrimPrefix(text, "SELECT ")
}

// Clone copies a tree.
func Clone(n *Node) *Node {
	if n == nil {
		return nil
	}
	return proto.Clone(n).(*Node)
}

// Kind tells nodes of different kinds apart: it is equal for equal kinds.
func Kind(n *Node) int {
	m := n.ProtoReflect()
	if fd := m.WhichOneof(m.Descriptor().Oneofs().Get(0)); fd != nil {
		return int(fd.Number())
	}
	return 0
}

// Equal reports whether two expressions are the same but for their locations.
func Equal(a, b *Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return Fingerprint(a) == Fingerprint(b)
}

// Fingerprint is text that is equal for two expressions that differ in nothing
// but their locations in the source.
func Fingerprint(n *Node) string {
	c := Clone(n)
	Walk(c, func(n *Node) bool {
		clearLocation(n)
		return true
	})
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(c)
	if err != nil {
		return PrintExpr(n)
	}
	return string(raw)
}
