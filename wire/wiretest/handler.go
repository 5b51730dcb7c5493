// Package wiretest has what tests of the protocol need (floor 2, beside wire): a
// Handler without an engine that knows a few statements, a client that speaks
// messages as lines of text, and a runner of scripts in that language. The same
// scripts run against PostgreSQL, which is the judge of them.
package wiretest

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A Handler answers SELECT lists of constants, parameters and a few functions,
// SHOW, SET, RESET, DEALLOCATE and the statements of transactions, as PostgreSQL
// would. The zero value works.
type Handler struct {
	// Open counts results whose rows have not been closed, and sessions that
	// have not been disconnected; both are 0 when every client has gone.
	OpenRows, OpenSessions atomic.Int64
	// Statements counts prepared statements that have not been closed.
	Statements atomic.Int64
	// Extra are further statements by their exact text: the rows they give.
	Extra map[string]Table
}

// A Table is a result in memory.
type Table struct {
	Columns []sqltype.Column
	Chunks  []*backend.Chunk
}

// Connect refuses the database "nope".
func (h *Handler) Connect(_ context.Context, s *wire.Session) error {
	if s.Database() == "nope" {
		return sqlstate.New(sqlstate.InvalidCatalogName, "database \"nope\" does not exist")
	}
	h.OpenSessions.Add(1)
	return nil
}

// Disconnect counts.
func (h *Handler) Disconnect(*wire.Session) { h.OpenSessions.Add(-1) }

// Split cuts at semicolons outside quotes and comments.
func (h *Handler) Split(sql string) ([]wire.Fragment, error) {
	var all []wire.Fragment
	start := 0
	cut := func(end int) {
		if text := sql[start:end]; len(scan(text)) > 0 {
			all = append(all, wire.Fragment{Text: text, Offset: utf8.RuneCountInString(sql[:start])})
		}
		start = end + 1
	}
	for _, t := range scan(sql) {
		if t.text == ";" {
			cut(t.pos)
		}
	}
	if start < len(sql) {
		cut(len(sql))
	}
	return all, nil
}

// A token is a word, a number, a string with its quotes, or one character.
type token struct {
	text string
	pos  int // bytes before it
}

func scan(sql string) (tokens []token) {
	for i := 0; i < len(sql); {
		start := i
		switch c := sql[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
			continue
		case strings.HasPrefix(sql[i:], "--"):
			for i < len(sql) && sql[i] != '\n' {
				i++
			}
			continue
		case c == '\'' || c == '"':
			for i++; i < len(sql) && sql[i] != c; i++ {
			}
			i = min(i+1, len(sql))
		case isWord(c):
			for i < len(sql) && isWord(sql[i]) {
				i++
			}
		case strings.HasPrefix(sql[i:], "::"):
			i += 2
		default:
			i++
		}
		tokens = append(tokens, token{sql[start:i], start})
	}
	return tokens
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '.' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// Prepare parses one statement.
func (h *Handler) Prepare(_ context.Context, s *wire.Session, sql string, params []sqltype.Type) (wire.Statement, error) {
	if table, ok := h.Extra[strings.TrimSpace(sql)]; ok {
		return h.count(&statement{handler: h, table: &table, columns: table.Columns, tag: "SELECT"}), nil
	}
	tokens := scan(sql)
	if n := len(tokens); n > 0 && tokens[n-1].text == ";" {
		tokens = tokens[:n-1]
	}
	if len(tokens) == 0 {
		return nil, nil
	}
	p := &parser{sql: sql, tokens: tokens, declared: params}
	st, err := p.statement(s)
	if err != nil {
		return nil, err
	}
	st.handler = h
	return h.count(st), nil
}

func (h *Handler) count(st *statement) *statement {
	h.Statements.Add(1)
	return st
}

type statement struct {
	handler  *Handler
	params   []sqltype.Type
	columns  []sqltype.Column
	items    []item
	table    *Table
	tag      string
	inFailed bool
	command  func(s *wire.Session) (tag string, err error)
	show     string
}

// An item is one output column of a SELECT.
type item struct {
	param    int    // $n
	text     string // constant
	null     bool
	add      int64 // added to an integer
	series   int64 // generate_series(1, n)
	sleep    float64
	divide   bool // 1/0
	panicked bool
}

func (st *statement) Params() []sqltype.Type    { return st.params }
func (st *statement) Columns() []sqltype.Column { return st.columns }
func (st *statement) InFailed() bool            { return st.inFailed }
func (st *statement) Close() error {
	st.handler.Statements.Add(-1)
	return nil
}

func (st *statement) Run(ctx context.Context, s *wire.Session, args []backend.Value) (wire.Result, error) {
	switch {
	case st.command != nil:
		tag, err := st.command(s)
		return wire.Result{Tag: tag}, err
	case st.show != "":
		v, ok := s.Get(st.show)
		if !ok {
			return wire.Result{}, sqlstate.New(sqlstate.UndefinedObject, "unrecognized configuration parameter %q", st.show)
		}
		return st.rows(&backend.Chunk{Len: 1, Vectors: []backend.Vector{backend.NewBytes([]string{v}, nil)}}), nil
	case st.table != nil:
		return st.rows(st.table.Chunks...), nil
	}
	return st.selectRows(ctx, args)
}

func (st *statement) rows(chunks ...*backend.Chunk) wire.Result {
	st.handler.OpenRows.Add(1)
	return wire.Result{Rows: &rows{Rows: backend.NewRows(st.columns, chunks...), handler: st.handler}, Tag: st.tag}
}

// rows counts itself until it is closed.
type rows struct {
	backend.Rows
	handler *Handler
	closed  bool
}

func (r *rows) Close() error {
	if !r.closed {
		r.closed = true
		r.handler.OpenRows.Add(-1)
	}
	return r.Rows.Close()
}

// chunkSize is small, so that pages of portals end inside chunks and between
// them.
const chunkSize = 3

func (st *statement) selectRows(ctx context.Context, args []backend.Value) (wire.Result, error) {
	n := int64(1)
	for _, it := range st.items {
		switch {
		case it.series > 0:
			n = it.series
		case it.divide:
			return wire.Result{}, sqlstate.New(sqlstate.DivisionByZero, "division by zero")
		case it.panicked:
			panic("asked for")
		case it.sleep > 0:
			select {
			case <-ctx.Done():
				return wire.Result{}, context.Cause(ctx)
			case <-time.After(time.Duration(it.sleep * float64(time.Second))):
			}
		}
	}
	var chunks []*backend.Chunk
	for from := int64(1); from <= n; from += chunkSize {
		c := &backend.Chunk{Len: int(min(chunkSize, n-from+1))}
		for i, it := range st.items {
			c.Vectors = append(c.Vectors, it.vector(st.columns[i].Type, from, c.Len, args))
		}
		chunks = append(chunks, c)
	}
	return st.rows(chunks...), nil
}

// vector makes the column's values of rows from to from+n-1.
func (it item) vector(t sqltype.Type, from int64, n int, args []backend.Value) backend.Vector {
	v := backend.Value{Text: it.text, Null: it.null}
	if it.param > 0 {
		v = args[it.param-1]
	} else if it.text != "" {
		v.Int, _ = strconv.ParseInt(it.text, 10, 64) // 0 for what is no number, which is not read then
	}
	var nulls backend.Nulls
	if v.Null {
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		nulls = backend.NewNulls(n, rows...)
	}
	switch t.OID {
	case sqltype.Int4:
		data := make([]int32, n)
		for i := range data {
			if data[i] = int32(v.Int + it.add); it.series > 0 {
				data[i] = int32(from) + int32(i)
			}
		}
		return &backend.Of[int32]{Nulls: nulls, Data: data}
	case sqltype.Int8:
		data := make([]int64, n)
		for i := range data {
			data[i] = v.Int
		}
		return &backend.Of[int64]{Nulls: nulls, Data: data}
	case sqltype.Bool:
		data := make([]bool, n)
		for i := range data {
			data[i] = v.Int != 0
		}
		return &backend.Of[bool]{Nulls: nulls, Data: data}
	}
	data := make([]string, n)
	for i := range data {
		data[i] = v.Text
	}
	return backend.NewBytes(data, nulls)
}
