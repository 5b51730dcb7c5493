package integration

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// A check is a question and the rows, or the error, that must come back.
type check struct {
	sql  string
	args []string
	want []string
}

// checks reads testdata/check/*.txt: paragraphs of comments, a statement, a line
// of dashes, then a line for each row with | between values; or `error CODE
// sentence`, and `hint sentence`. A comment `# args: a, b` gives parameters.
func checks(t *testing.T) map[string][]check {
	files, err := filepath.Glob("testdata/check/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no check scripts: %v", err)
	}
	all := map[string][]check{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range strings.Split(strings.TrimSpace(string(raw)), "\n\n") {
			head, rows, ok := strings.Cut(p+"\n", "\n----\n")
			if !ok {
				t.Fatalf("%s: no line of dashes in %q", f, p)
			}
			var c check
			var sql []string
			for _, l := range strings.Split(head, "\n") {
				if args, ok := strings.CutPrefix(l, "# args: "); ok {
					c.args = strings.Split(args, ", ")
				} else if !strings.HasPrefix(l, "#") {
					sql = append(sql, l)
				}
			}
			c.sql = strings.Join(sql, "\n")
			if rows = strings.TrimSuffix(rows, "\n"); rows != "" {
				c.want = strings.Split(rows, "\n")
			}
			all[filepath.Base(f)] = append(all[filepath.Base(f)], c)
		}
	}
	return all
}

func TestChecks(t *testing.T) {
	conn := shared.connect(t)
	for file, list := range checks(t) {
		for i, c := range list {
			t.Run(fmt.Sprintf("%s/%d", file, i+1), func(t *testing.T) {
				if c.args == nil {
					compareRows(t, c, simple(conn, c.sql))
				}
				compareRows(t, c, extended(conn, c, 0))
				compareRows(t, c, extended(conn, c, 1))
			})
		}
	}
}

// An answer is rows as text, or lines that tell an error.
type answer struct {
	rows []string
	how  string
}

func simple(conn *pgconn.PgConn, sql string) answer {
	a := answer{how: "simple"}
	results, err := conn.Exec(context.Background(), sql).ReadAll()
	if err != nil {
		a.rows = errorLines(err)
		return a
	}
	for _, r := range results {
		for _, row := range r.Rows {
			a.rows = append(a.rows, textRow(row))
		}
	}
	return a
}

func extended(conn *pgconn.PgConn, c check, format int16) answer {
	a := answer{how: fmt.Sprintf("extended, format %d", format)}
	var args [][]byte
	for _, x := range c.args {
		args = append(args, []byte(x))
	}
	r := conn.ExecParams(context.Background(), c.sql, args, nil, nil, []int16{format})
	fields := append([]pgconn.FieldDescription{}, r.FieldDescriptions()...)
	for r.NextRow() {
		var row [][]byte
		for i, v := range r.Values() {
			if v != nil && format == 1 {
				v = []byte(binaryText(fields[i].DataTypeOID, v))
			}
			row = append(row, v)
		}
		a.rows = append(a.rows, textRow(row))
	}
	if _, err := r.Close(); err != nil {
		a.rows = errorLines(err)
	}
	return a
}

// types decodes binary values as a client's library does.
var types = pgtype.NewMap()

func binaryText(oid uint32, v []byte) string {
	dt, ok := types.TypeForOID(oid)
	if !ok {
		return string(v)
	}
	val, err := dt.Codec.DecodeValue(types, oid, pgtype.BinaryFormatCode, v)
	if err != nil {
		return "undecodable: " + err.Error()
	}
	text, err := types.Encode(oid, pgtype.TextFormatCode, val, nil)
	if err != nil {
		return fmt.Sprint(val)
	}
	return string(text)
}

func textRow(row [][]byte) string {
	parts := make([]string, len(row))
	for i, v := range row {
		parts[i] = "NULL"
		if v != nil {
			parts[i] = string(v)
		}
	}
	return strings.Join(parts, " | ")
}

func errorLines(err error) []string {
	var pe *pgconn.PgError
	if !errors.As(err, &pe) {
		return []string{"no PostgreSQL error: " + err.Error()}
	}
	lines := []string{"error " + pe.Code + " " + pe.Message}
	if pe.Hint != "" {
		lines = append(lines, "hint "+pe.Hint)
	}
	return lines
}

func compareRows(t *testing.T, c check, a answer) {
	t.Helper()
	if len(a.rows) != len(c.want) {
		t.Errorf("%s: %.300s\ngot %d rows\n%s\nwant\n%s", a.how, c.sql, len(a.rows), strings.Join(a.rows, "\n"), strings.Join(c.want, "\n"))
		return
	}
	for i := range c.want {
		if !sameRow(a.rows[i], c.want[i]) {
			t.Errorf("%s: %.300s\nrow %d: got %s, want %s", a.how, c.sql, i+1, a.rows[i], c.want[i])
		}
	}
}

// sameRow compares values, numbers by what they are: 1 and 1.0 are equal.
func sameRow(got, want string) bool {
	if got == want {
		return true
	}
	g, w := strings.Split(got, " | "), strings.Split(want, " | ")
	if len(g) != len(w) {
		return false
	}
	for i := range g {
		if strings.TrimSuffix(g[i], " 00:00:00") == strings.TrimSuffix(w[i], " 00:00:00") {
			continue
		}
		x, err1 := strconv.ParseFloat(g[i], 64)
		y, err2 := strconv.ParseFloat(w[i], 64)
		if err1 != nil || err2 != nil || x != y {
			return false
		}
	}
	return true
}
