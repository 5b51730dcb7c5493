package wiretest

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A parser reads the Handler's statements.
type parser struct {
	sql      string
	tokens   []token
	at       int
	declared []sqltype.Type
	params   []sqltype.Type
}

func (p *parser) peek() string {
	if p.at < len(p.tokens) {
		return strings.ToLower(p.tokens[p.at].text)
	}
	return ""
}

func (p *parser) next() string {
	s := p.peek()
	p.at++
	return s
}

// accept takes the words if they come next.
func (p *parser) accept(words ...string) bool {
	for i, w := range words {
		if p.at+i >= len(p.tokens) || !strings.EqualFold(p.tokens[p.at+i].text, w) {
			return false
		}
	}
	p.at += len(words)
	return true
}

func (p *parser) syntaxError() error {
	if p.at >= len(p.tokens) {
		return sqlstate.New(sqlstate.SyntaxError, "syntax error at end of input").At(utf8.RuneCountInString(p.sql) + 1)
	}
	t := p.tokens[p.at]
	return sqlstate.New(sqlstate.SyntaxError, "syntax error at or near \"%s\"", t.text).At(p.position())
}

func (p *parser) position() int { return utf8.RuneCountInString(p.sql[:p.tokens[p.at].pos]) + 1 }

func (p *parser) statement(s *wire.Session) (*statement, error) {
	st := &statement{}
	switch p.next() {
	case "select":
		if err := p.selectList(st); err != nil {
			return nil, err
		}
		if p.declared == nil && len(p.params) > 0 {
			return nil, sqlstate.New(sqlstate.UndefinedParameter, "there is no parameter $1").At(strings.Index(p.sql, "$") + 1)
		}
		st.params, st.tag = p.params, "SELECT"
	case "show":
		name := p.next()
		name, ok := s.SettingName(name)
		if !ok {
			return nil, sqlstate.New(sqlstate.UndefinedObject, "unrecognized configuration parameter %q", p.tokens[1].text)
		}
		st.show, st.tag = name, "SHOW"
		st.columns = []sqltype.Column{{Name: name, Type: sqltype.Of(sqltype.Text)}}
	case "set":
		local := p.accept("local")
		name := p.next()
		if !p.accept("=") && !p.accept("to") {
			return nil, p.syntaxError()
		}
		sign := ""
		if p.accept("-") {
			sign = "-"
		}
		value := sign + strings.Trim(p.tokens[p.at].text, "'")
		p.at++
		st.command = func(s *wire.Session) (string, error) { return "SET", s.Set(name, value, local) }
	case "reset":
		name := p.next()
		st.command = func(s *wire.Session) (string, error) {
			if name == "all" {
				s.ResetAll()
				return "RESET", nil
			}
			return "RESET", s.Reset(name)
		}
	case "begin":
		st.command = func(s *wire.Session) (string, error) { s.Begin(); return "BEGIN", nil }
	case "commit":
		st.inFailed = true
		st.command = func(s *wire.Session) (string, error) { return s.Commit(), nil }
	case "rollback":
		st.inFailed = true
		if p.accept("to") {
			name := p.next()
			st.command = func(s *wire.Session) (string, error) { return "ROLLBACK", s.RollbackTo(name) }
			break
		}
		st.command = func(s *wire.Session) (string, error) { s.Rollback(); return "ROLLBACK", nil }
	case "savepoint":
		name := p.next()
		st.command = func(s *wire.Session) (string, error) { return "SAVEPOINT", s.Savepoint(name) }
	case "release":
		name := p.next()
		st.command = func(s *wire.Session) (string, error) { return "RELEASE", s.Release(name) }
	case "deallocate":
		name := p.next()
		st.command = func(s *wire.Session) (string, error) {
			if name == "all" {
				s.DeallocateAll()
				return "DEALLOCATE ALL", nil
			}
			return "DEALLOCATE", s.DeallocatePrepared(name)
		}
	default:
		p.at = 0
		return nil, p.syntaxError()
	}
	if p.peek() == ";" {
		return nil, sqlstate.New(sqlstate.SyntaxError, "cannot insert multiple commands into a prepared statement")
	}
	if p.at != len(p.tokens) {
		return nil, p.syntaxError()
	}
	return st, nil
}

func (p *parser) selectList(st *statement) error {
	for {
		it, col, err := p.item()
		if err != nil {
			return err
		}
		if p.accept("as") {
			col.Name = p.next()
		}
		st.items = append(st.items, it)
		st.columns = append(st.columns, col)
		if !p.accept(",") {
			return nil
		}
	}
}

var typeNames = map[string]sqltype.OID{
	"int": sqltype.Int4, "int4": sqltype.Int4, "int8": sqltype.Int8, "text": sqltype.Text, "bool": sqltype.Bool,
}

func (p *parser) item() (it item, col sqltype.Column, err error) {
	col = sqltype.Column{Name: "?column?", Type: sqltype.Of(sqltype.Text)}
	start := p.peek()
	switch {
	case p.accept("1", "/", "0"):
		it.divide = true
		col.Type = sqltype.Of(sqltype.Int4)
	case p.accept("generate_series", "(", "1", ","):
		it.series, err = strconv.ParseInt(p.next(), 10, 64)
		col = sqltype.Column{Name: "generate_series", Type: sqltype.Of(sqltype.Int4)}
		if err != nil || !p.accept(")") {
			return it, col, p.syntaxError()
		}
	case p.accept("pg_sleep", "("):
		it.sleep, err = strconv.ParseFloat(p.next(), 64)
		col = sqltype.Column{Name: "pg_sleep", Type: sqltype.Of(sqltype.Void)}
		if err != nil || !p.accept(")") {
			return it, col, p.syntaxError()
		}
	case p.accept("panic", "(", ")"):
		it.panicked = true
	case p.accept("null"):
		it.null = true
	case strings.HasPrefix(start, "'"):
		it.text = strings.Trim(p.tokens[p.at].text, "'")
		p.at++
	case strings.HasPrefix(start, "$"):
		it.param, err = strconv.Atoi(start[1:])
		if err != nil || it.param < 1 || it.param > 100 {
			return it, col, p.syntaxError()
		}
		p.at++
	case start != "" && start[0] >= '0' && start[0] <= '9':
		it.text = p.next()
		col.Type = sqltype.Of(sqltype.Int4)
	case start == "" || !isWord(start[0]):
		return it, col, p.syntaxError()
	default:
		return it, col, sqlstate.New(sqlstate.UndefinedColumn, "column %q does not exist", start).At(p.position())
	}
	if p.accept("::") {
		oid, ok := typeNames[p.next()]
		if !ok {
			p.at--
			return it, col, p.syntaxError()
		}
		col.Type = sqltype.Of(oid)
		if col.Name == "?column?" && it.param == 0 {
			col.Name = oid.Name()
		}
		if it.param > 0 {
			col.Name = oid.Name()
		}
	}
	if it.param > 0 {
		p.declare(it.param, &col.Type)
	}
	if p.accept("+") {
		it.add, err = strconv.ParseInt(p.next(), 10, 64)
		col.Name = "?column?"
		if err != nil {
			return it, col, p.syntaxError()
		}
	}
	return it, col, nil
}

// declare settles the type of $n: what the client has declared, else that of
// the cast, else text.
func (p *parser) declare(n int, t *sqltype.Type) {
	for len(p.params) < n {
		p.params = append(p.params, sqltype.Of(sqltype.Text))
	}
	if n <= len(p.declared) && p.declared[n-1].OID != 0 && p.declared[n-1].OID != sqltype.Unknown {
		*t = p.declared[n-1]
	}
	p.params[n-1] = *t
}
