package wire

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// testdata/values.tsv holds a type, the text of a value, and what PostgreSQL 15
// makes of it as a parameter: its text and its binary form in hex, or an error.
// With PGGATE_POSTGRES the two last columns are checked against that server,
// and written anew with -values.
var writeValues = flag.Bool("values", false, "write testdata/values.tsv from PGGATE_POSTGRES")

const valuesFile = "testdata/values.tsv"

type valueCase struct {
	typ, settings, input string
	text, binary         string // text is "!SQLSTATE message" for an error
}

func (c valueCase) String() string {
	return strings.Join([]string{c.typ, c.settings, strconv.Quote(c.input), strconv.Quote(c.text), c.binary}, "\t")
}

func readValues(t testing.TB) []valueCase {
	t.Helper()
	f, err := os.Open(valuesFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []valueCase
	for lines := bufio.NewScanner(f); lines.Scan(); {
		col := strings.Split(lines.Text(), "\t")
		for len(col) < 5 {
			col = append(col, "")
		}
		c := valueCase{typ: col[0], settings: col[1], binary: col[4]}
		if c.input, err = strconv.Unquote(col[2]); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		if col[3] != "" {
			if c.text, err = strconv.Unquote(col[3]); err != nil {
				t.Fatalf("%q: %v", lines.Text(), err)
			}
		}
		all = append(all, c)
	}
	return all
}

// session has the settings of the case.
func (c valueCase) session(t testing.TB) *Session {
	t.Helper()
	s := NewSession("u", "d")
	for setting := range strings.SplitSeq(c.settings, ";") {
		if name, v, ok := strings.Cut(setting, "="); ok {
			if err := s.Set(name, v, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.settle()
	return s
}

func (c valueCase) oid(t testing.TB) sqltype.Type {
	t.Helper()
	oid, ok := sqltype.ByName(c.typ)
	if !ok {
		t.Fatalf("no type %q", c.typ)
	}
	return sqltype.Of(oid)
}

func TestValues(t *testing.T) {
	for _, c := range readValues(t) {
		t.Run(c.typ+"_"+c.input, func(t *testing.T) {
			s, typ := c.session(t), c.oid(t)
			v, err := parseText(c.input, typ, newDecodeEnv(s))
			if err != nil {
				var e *sqlstate.Error
				if !errors.As(err, &e) {
					t.Fatal(err)
				}
				if got := "!" + string(e.Code) + " " + e.Message; got != c.text {
					t.Fatalf("got  %s\nwant %s", got, c.text)
				}
				return
			}
			if strings.HasPrefix(c.text, "!") {
				t.Fatalf("got %+v, want %s", v, c.text)
			}
			vec := vectorOf(v)
			if got := encodeOne(t, s, vec, typ, formatText); got != c.text {
				t.Errorf("text %q, want %q", got, c.text)
			}
			if got := hex.EncodeToString([]byte(encodeOne(t, s, vec, typ, formatBinary))); got != c.binary {
				t.Errorf("binary %s, want %s", got, c.binary)
			}
			b, err := hex.DecodeString(c.binary)
			if err != nil {
				t.Fatal(err)
			}
			again, err := decodeParameter(b, typ, formatBinary, 1, newDecodeEnv(s))
			if err != nil {
				t.Fatalf("the binary form does not read: %v", err)
			}
			if got := encodeOne(t, s, vectorOf(again), typ, formatText); got != c.text {
				t.Errorf("read from binary: text %q, want %q", got, c.text)
			}
		})
	}
}

func encodeOne(t testing.TB, s *Session, v backend.Vector, typ sqltype.Type, format int16) string {
	t.Helper()
	env := newEncodeEnv(s)
	got := newEncoder(v, typ, format, env).append(nil, 0)
	if env.err != nil {
		t.Fatal(env.err)
	}
	return string(got)
}

// vectorOf holds one value as the engine would.
func vectorOf(v backend.Value) backend.Vector {
	oid := v.Type.OID
	var nulls backend.Nulls
	if v.Null {
		nulls = backend.NewNulls(1, 0)
	}
	switch {
	case oid.Elem() != 0:
		l := &backend.List{Nulls: nulls, Entries: []backend.ListEntry{{Len: uint64(len(v.Elems))}}}
		var parts []backend.Vector
		for _, e := range v.Elems {
			parts = append(parts, vectorOf(e))
		}
		if len(parts) == 0 {
			parts = append(parts, vectorOf(backend.Value{Type: sqltype.Of(oid.Elem())}))
		}
		l.Child = join(parts)
		return l
	case oid == sqltype.Bool:
		return &backend.Of[bool]{Nulls: nulls, Data: []bool{v.Int != 0}}
	case oid == sqltype.Int2:
		return &backend.Of[int16]{Nulls: nulls, Data: []int16{int16(v.Int)}}
	case oid == sqltype.Int4 || oid == sqltype.Date:
		return &backend.Of[int32]{Nulls: nulls, Data: []int32{int32(v.Int)}}
	case isInteger(oid) || isTime(oid):
		return &backend.Of[int64]{Nulls: nulls, Data: []int64{v.Int}}
	case oid == sqltype.Float4:
		return &backend.Of[float32]{Nulls: nulls, Data: []float32{float32(v.Float)}}
	case oid == sqltype.Float8:
		return &backend.Of[float64]{Nulls: nulls, Data: []float64{v.Float}}
	case oid == sqltype.Interval:
		return &backend.Of[backend.Interval]{Nulls: nulls, Data: []backend.Interval{{Months: v.Months, Days: v.Days, Micros: v.Int}}}
	case oid == sqltype.UUID:
		u, _ := parseUUID(v.Text)
		return &backend.Of[backend.UUID]{Nulls: nulls, Data: []backend.UUID{u}}
	}
	return backend.NewBytes([]string{v.Text}, nulls)
}

// join puts one-row vectors of a kind behind each other.
func join(parts []backend.Vector) backend.Vector {
	var null []int
	for i, p := range parts {
		if p.Null(0) {
			null = append(null, i)
		}
	}
	nulls := backend.NewNulls(len(parts), null...)
	switch parts[0].(type) {
	case *backend.Of[bool]:
		return joinFixed[bool](parts, nulls)
	case *backend.Of[int16]:
		return joinFixed[int16](parts, nulls)
	case *backend.Of[int32]:
		return joinFixed[int32](parts, nulls)
	case *backend.Of[int64]:
		return joinFixed[int64](parts, nulls)
	case *backend.Of[float32]:
		return joinFixed[float32](parts, nulls)
	case *backend.Of[float64]:
		return joinFixed[float64](parts, nulls)
	case *backend.Of[backend.UUID]:
		return joinFixed[backend.UUID](parts, nulls)
	case *backend.Of[backend.Interval]:
		return joinFixed[backend.Interval](parts, nulls)
	case *backend.List:
		l := &backend.List{Nulls: nulls}
		var children []backend.Vector
		for _, p := range parts {
			list := p.(*backend.List)
			first, n := int(list.Entries[0].Offset), list.Entries[0].Len
			l.Entries = append(l.Entries, backend.ListEntry{Offset: uint64(len(children)), Len: n})
			for i := range int(n) {
				children = append(children, rowOf(list.Child, first+i))
			}
		}
		l.Child = join(children)
		return l
	}
	var s []string
	for _, p := range parts {
		s = append(s, string(p.(*backend.Bytes).Data[0].Bytes()))
	}
	return backend.NewBytes(s, nulls)
}

// rowOf is one row of a vector as a vector of its own.
func rowOf(v backend.Vector, row int) backend.Vector {
	var nulls backend.Nulls
	if v.Null(row) {
		nulls = backend.NewNulls(1, 0)
	}
	switch v := v.(type) {
	case *backend.Of[int32]:
		return &backend.Of[int32]{Nulls: nulls, Data: v.Data[row : row+1]}
	case *backend.Of[int64]:
		return &backend.Of[int64]{Nulls: nulls, Data: v.Data[row : row+1]}
	case *backend.List:
		l := &backend.List{Nulls: nulls, Child: v.Child, Entries: v.Entries[row : row+1]}
		return l
	case *backend.Bytes:
		return backend.NewBytes([]string{string(v.Data[row].Bytes())}, nulls)
	}
	panic(fmt.Sprintf("no row of a %T", v))
}

func joinFixed[T backend.Fixed](parts []backend.Vector, nulls backend.Nulls) backend.Vector {
	v := &backend.Of[T]{Nulls: nulls}
	for _, p := range parts {
		v.Data = append(v.Data, p.(*backend.Of[T]).Data[0])
	}
	return v
}

// TestValuesAgainstPostgreSQL checks the file itself.
func TestValuesAgainstPostgreSQL(t *testing.T) {
	addr := os.Getenv("PGGATE_POSTGRES")
	if addr == "" {
		t.Skip("PGGATE_POSTGRES is not set")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgconn.Connect(ctx, "postgres://postgres@"+addr+"/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	var out strings.Builder
	for _, c := range readValues(t) {
		got := c
		got.text, got.binary = askPostgreSQL(t, ctx, conn, c)
		fmt.Fprintln(&out, got)
		if got != c && !*writeValues {
			t.Errorf("PostgreSQL says\n%s\nthe file\n%s", got, c)
		}
	}
	if *writeValues {
		if err := os.WriteFile(valuesFile, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func askPostgreSQL(t *testing.T, ctx context.Context, conn *pgconn.PgConn, c valueCase) (text, binary string) {
	t.Helper()
	sql := "reset all; set timezone = 'UTC'"
	for setting := range strings.SplitSeq(c.settings, ";") {
		if name, v, ok := strings.Cut(setting, "="); ok {
			sql += "; set " + name + " = '" + v + "'"
		}
	}
	if _, err := conn.Exec(ctx, sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
	for _, format := range []int16{0, 1} {
		r := conn.ExecParams(ctx, "select $1::"+c.typ, [][]byte{[]byte(c.input)}, nil, nil, []int16{format}).Read()
		var e *pgconn.PgError
		if errors.As(r.Err, &e) {
			return "!" + e.Code + " " + e.Message, ""
		}
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		if format == 0 {
			text = string(r.Rows[0][0])
		} else {
			binary = hex.EncodeToString(r.Rows[0][0])
		}
	}
	return text, binary
}
