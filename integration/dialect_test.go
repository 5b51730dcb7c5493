package integration

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pggate/pggate/backend/duckdb"
	"github.com/pggate/pggate/cmd/pggate/gate"
	"github.com/pggate/pggate/rewrite"
	"github.com/pggate/pggate/rewrite/catalog"
	"github.com/pggate/pggate/rewrite/dialect"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire"
)

var (
	rewriteDialect = flag.Bool("rewrite-dialect", false, "write the answers of the gateway that differ from PostgreSQL's into testdata/dialect")
	postgres       = flag.String("postgres", os.Getenv("PGGATE_POSTGRES"), "connection string of a PostgreSQL 15 with an empty database, to record its answers anew")
)

// A translated case is a statement, PostgreSQL 15's answer and, where the
// gateway's is another, that one too.
type translated struct {
	sql, postgres, ours string
}

const ownAnswer = "---- pggate"

// TestDialect runs testdata/dialect/*.txt: statements separated by blank lines,
// each with a line of dashes and PostgreSQL's answer: the type and name of each
// column, then the rows; or the SQLSTATE of its error. An answer that differs
// from PostgreSQL's stands behind a line "---- pggate". One that has become
// equal must be taken out, so that the list of differences only shrinks.
func TestDialect(t *testing.T) {
	conn := dialectServer(t)
	files, err := filepath.Glob("testdata/dialect/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var reference *pgconn.PgConn
	if *postgres != "" {
		reference = referenceServer(t)
	}
	equal, refused, differ := 0, 0, 0
	for _, file := range files {
		cases := readTranslated(t, file)
		for i := range cases {
			c := &cases[i]
			if reference != nil {
				c.postgres = ask(reference, c.sql)
			}
			got := ask(conn, c.sql)
			want := c.postgres
			if c.ours != "" {
				want = c.ours
			}
			switch {
			case got == c.postgres:
				equal++
			case strings.HasPrefix(got, "error "):
				refused++
			default:
				differ++
			}
			if *rewriteDialect {
				c.ours = ""
				if got != c.postgres {
					c.ours = got
				}
				continue
			}
			if got != want {
				t.Errorf("%s: %s\ngot\n%s\nwant\n%s", filepath.Base(file), c.sql, got, want)
			} else if c.ours == c.postgres && c.ours != "" {
				t.Errorf("%s: %s: equal to PostgreSQL now; take the second answer out", filepath.Base(file), c.sql)
			}
		}
		if *rewriteDialect || reference != nil {
			writeTranslated(t, file, cases)
		}
	}
	t.Logf("equal to PostgreSQL: %d, refused: %d, different: %d", equal, refused, differ)
}

func readTranslated(t *testing.T, file string) []translated {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []translated
	for _, p := range strings.Split(strings.TrimSpace(string(raw)), "\n\n") {
		sql, rest, _ := strings.Cut(p+"\n", "\n----\n")
		answer, ours, _ := strings.Cut(rest, "\n"+ownAnswer+"\n")
		cases = append(cases, translated{sql, strings.TrimSuffix(answer, "\n"), strings.TrimSuffix(ours, "\n")})
	}
	return cases
}

func writeTranslated(t *testing.T, file string, cases []translated) {
	var b strings.Builder
	for i, c := range cases {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(c.sql + "\n----\n" + c.postgres)
		if c.ours != "" {
			b.WriteString("\n" + ownAnswer + "\n" + c.ours)
		}
	}
	b.WriteString("\n")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// ask gives an answer as text.
func ask(conn *pgconn.PgConn, sql string) string {
	results, err := conn.Exec(context.Background(), sql).ReadAll()
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe):
		return "error " + pe.Code
	case err != nil:
		return "error: " + err.Error()
	case len(results) != 1:
		return fmt.Sprintf("%d results", len(results))
	}
	r := results[0]
	var columns, rows []string
	for _, f := range r.FieldDescriptions {
		columns = append(columns, sqltype.OID(f.DataTypeOID).Name()+" "+f.Name)
	}
	for _, row := range r.Rows {
		values := make([]string, len(row))
		for i, v := range row {
			values[i] = strings.ReplaceAll(string(v), "\n", `\n`)
			switch {
			case v == nil:
				values[i] = "NULL"
			case len(v) == 0:
				values[i] = "''" // an empty line would end the case
			}
		}
		rows = append(rows, strings.Join(values, "|"))
	}
	if len(columns) == 0 {
		columns = []string{"(no columns)"}
	}
	return strings.Join(append([]string{strings.Join(columns, ", ")}, rows...), "\n")
}

func setupScript(t *testing.T) string {
	raw, err := os.ReadFile("testdata/dialect/setup.sql")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// dialectServer is a gateway over the tables of setup.sql.
func dialectServer(t *testing.T) *pgconn.PgConn {
	t.Helper()
	ctx := context.Background()
	db, err := duckdb.Open(ctx, duckdb.Options{Database: "shop", ReadWrite: true, Threads: 1,
		Setup: []string{catalog.Schema(), dialect.Script(), "USE shop", setupScript(t), "USE memory"}})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := db.Tables(ctx)
	if err != nil {
		t.Fatal(err)
	}
	server := &wire.Server{Handler: gate.New("shop", db, rewrite.NewWorld(nil, tables, "shop"), slog.New(slog.DiscardHandler))}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	conn, err := pgconn.Connect(ctx, fmt.Sprintf("postgres://ann@%s/shop?sslmode=disable&timezone=UTC&search_path=sales", l.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close(ctx)
		server.Shutdown(ctx)
		<-done
		db.Close()
	})
	return conn
}

// referenceServer is a PostgreSQL with the same tables.
func referenceServer(t *testing.T) *pgconn.PgConn {
	t.Helper()
	ctx := context.Background()
	conn, err := pgconn.Connect(ctx, *postgres)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(ctx) })
	script := "DROP SCHEMA IF EXISTS sales CASCADE;" + setupScript(t) + "SET search_path = sales; SET timezone = 'UTC'"
	if _, err := conn.Exec(ctx, script).ReadAll(); err != nil {
		t.Fatal(err)
	}
	return conn
}
