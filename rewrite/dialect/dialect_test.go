package dialect

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

var update = flag.Bool("rewrite", false, "write the translations into testdata")

// shop is the schema of the scripts.
type shop struct{}

func (shop) Columns(database, schema, name string) ([]sqltype.Column, bool) {
	if name != "orders" {
		return nil, false
	}
	of := func(name string, t sqltype.Type) sqltype.Column { return sqltype.Column{Name: name, Type: t} }
	return []sqltype.Column{
		of("id", sqltype.Of(sqltype.Int4)), of("small", sqltype.Of(sqltype.Int2)), of("qty", sqltype.Of(sqltype.Int8)),
		of("amount", sqltype.NumericOf(12, 2)), of("price", sqltype.Of(sqltype.Float8)), of("wide", sqltype.Of(sqltype.Numeric)),
		of("day", sqltype.Of(sqltype.Date)), of("at", sqltype.Of(sqltype.Timestamp)), of("atz", sqltype.Of(sqltype.Timestamptz)),
		of("status", sqltype.Of(sqltype.Text)), of("done", sqltype.Of(sqltype.Bool)), of("gap", sqltype.Of(sqltype.Interval)),
		of("tags", sqltype.Of(sqltype.Text.Array())), of("doc", sqltype.Of(sqltype.JSON)),
	}, true
}

var settings = Settings{TimeZone: "UTC", Database: "shop", User: "ann",
	Params: []sqltype.Type{sqltype.Of(sqltype.Int4), sqltype.Of(sqltype.Text), {}}}

// translated runs all steps over a statement.
func translated(sql string) (string, error) {
	stmts, err := pgtree.Parse(sql)
	if err != nil {
		return "", err
	}
	if len(stmts) != 1 {
		return "", errors.New("one statement is expected")
	}
	n := stmts[0].Node
	NameTargets(n)
	if err := CheckFunctions(n, func(schema, name string) bool { return name == "pg_get_viewdef" }); err != nil {
		return "", err
	}
	if err := Apply(n, shop{}, settings); err != nil {
		return "", err
	}
	return pgtree.Print(n)
}

func outcome(sql string) string {
	out, err := translated(sql)
	var se *sqlstate.Error
	switch {
	case errors.As(err, &se):
		out = "error " + string(se.Code) + " at " + strings.TrimSpace(sql[min(max(se.Position-1, 0), len(sql)):]) + "\n" + se.Message
		if se.Hint != "" {
			out += "\n" + se.Hint
		}
	case err != nil:
		out = "error: " + err.Error()
	}
	return out
}

// TestScripts reads testdata/*.txt: a statement, a line of dashes, and what is
// printed for the engine, or the error with the text from its position on.
func TestScripts(t *testing.T) {
	for _, file := range scripts(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, c := range strings.Split(strings.TrimSpace(string(raw)), "\n\n") {
			sql, want, _ := strings.Cut(c, "\n----\n")
			sql = strings.TrimSuffix(sql, "\n----")
			got := outcome(sql)
			all = append(all, sql+"\n----\n"+got)
			if !*update && got != want {
				t.Errorf("%s: %s\ngot\n%s\nwant\n%s", filepath.Base(file), sql, got, want)
			}
		}
		if *update {
			if err := os.WriteFile(file, []byte(strings.Join(all, "\n\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func scripts(t testing.TB) []string {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	return files
}

// TestPasses checks that every pass has a script of its own and a reason.
func TestPasses(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range passes {
		if seen[p.name] || p.reason == "" {
			t.Errorf("pass %q is twice in the table or has no reason", p.name)
		}
		seen[p.name] = true
		if _, err := os.Stat("testdata/" + p.name + ".txt"); err != nil {
			t.Errorf("pass %q has no script: %v", p.name, err)
		}
	}
}

// TestTables checks every entry: the template parses, its placeholders are
// arguments of the entry, the classes and the result are known.
func TestTables(t *testing.T) {
	classes := map[string]bool{"any": true, "unknown": true, "text": true, "int": true, "small": true, "number": true, "float": true, "array": true, "json": true}
	for _, table := range [][]entry{functionTable[:], operatorTable[:]} {
		for _, e := range table {
			if err := e.prepare(); err != nil {
				t.Errorf("%s(%s): %v", e.name, e.args, err)
				continue
			}
			for _, p := range e.params {
				if _, ok := sqltype.ByName(p); !ok && !classes[p] {
					t.Errorf("%s(%s): no class %q", e.name, e.args, p)
				}
			}
			used := make([]bool, len(e.params))
			pgtree.Walk(e.template, func(n *pgtree.Node) bool {
				if p := n.GetParamRef(); p != nil {
					if i := int(p.GetNumber()) - 1; i >= len(used) {
						t.Errorf("%s(%s): $%d is no argument", e.name, e.args, p.GetNumber())
					} else {
						used[i] = true
					}
				}
				return true
			})
			for i, u := range used {
				if !u && e.template != nil && e.name != "convert_from" && e.name != "convert_to" && e.name != "isfinite" && e.name != "generate_subscripts" {
					t.Errorf("%s(%s): argument %d is lost", e.name, e.args, i+1)
				}
			}
			args := make([]sqltype.Type, len(e.params))
			nodes := make([]*pgtree.Node, len(e.params))
			for i := range args {
				args[i], nodes[i] = sqltype.Of(sqltype.Int4), pgtree.Int(1)
			}
			special := strings.Contains(" 1 2 elem1 array1 wider sum1 whole1 round2 extract ", " "+e.result+" ")
			if e.result != "" && !special && isNone(e.resultType(args, nodes)) {
				t.Errorf("%s(%s): no type %q", e.name, e.args, e.result)
			}
		}
	}
}

// TestMacros checks that every macro that is called exists, with as many
// arguments.
func TestMacros(t *testing.T) {
	arity := map[string]int{}
	for _, line := range strings.Split(Script(), "\n") {
		rest, ok := strings.CutPrefix(line, "CREATE OR REPLACE MACRO "+macroDatabase+"."+macroSchema+".")
		if !ok {
			continue
		}
		name, params, _ := strings.Cut(rest, "(")
		params, _, _ = strings.Cut(params, ")")
		arity[name] = len(strings.Split(params, ","))
	}
	check := func(where string, n *pgtree.Node) {
		pgtree.Walk(n, func(c *pgtree.Node) bool {
			f := c.GetFuncCall()
			parts := pgtree.NameParts(f.GetFuncname())
			if len(parts) == 3 && parts[0] == macroDatabase && parts[1] == macroSchema && arity[parts[2]] != len(f.GetArgs()) {
				t.Errorf("%s: %s with %d arguments is not in macros.sql", where, parts[2], len(f.GetArgs()))
			}
			return true
		})
	}
	for _, table := range [][]entry{functionTable[:], operatorTable[:]} {
		for _, e := range table {
			if err := e.prepare(); err == nil {
				check(e.name, e.template)
			}
		}
	}
	for _, file := range scripts(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range strings.Split(strings.TrimSpace(string(raw)), "\n\n") {
			_, out, _ := strings.Cut(c, "\n----\n")
			if stmts, err := pgtree.Parse(out); err == nil && len(stmts) == 1 {
				check(filepath.Base(file), stmts[0].Node)
			}
		}
	}
}

func TestNearest(t *testing.T) {
	for name, want := range map[string]string{"lenght": "length", "date_tunc": "date_trunc", "uppr": "upper", "frobnicate": ""} {
		if got := nearest(name); got != want {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

// FuzzApply checks that no statement makes Apply panic and that what it prints
// can be read again.
func FuzzApply(f *testing.F) {
	for _, file := range scripts(f) {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range strings.Split(string(raw), "\n\n") {
			sql, _, _ := strings.Cut(c, "\n----")
			f.Add(sql)
		}
	}
	f.Fuzz(func(t *testing.T, sql string) {
		out, err := translated(sql)
		if err != nil {
			var se *sqlstate.Error
			var syntax *pgtree.SyntaxError
			if errors.As(err, &se) && se.Position > len(sql)+1 {
				t.Fatalf("%q: position %d is behind the text", sql, se.Position)
			}
			if errors.As(err, &se) && se.Code == "" || errors.As(err, &syntax) && syntax.Message == "" {
				t.Fatalf("%q: an error without a code or sentence: %v", sql, err)
			}
			return
		}
		if _, err := pgtree.Parse(out); err != nil {
			t.Fatalf("%q\nbecomes\n%q\nwhich does not parse: %v", sql, out, err)
		}
	})
}

func FuzzInterval(f *testing.F) {
	for _, s := range []string{"1 day", "1-2", "P1Y2M3DT4H5M6.5S", "3 4:05:06", "-1 days +02:00", "@ 1 week ago", "1.5 months"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		iv, err := parseInterval(s, nil)
		if err != nil {
			return
		}
		again, err := parseInterval(iv.String(), nil)
		// Large counts are beyond what a bare number may be.
		if err == nil && again != iv {
			t.Fatalf("%q is %v, whose text reads as %v", s, iv, again)
		}
	})
}

func FuzzArrayLiteral(f *testing.F) {
	for _, s := range []string{"{1,2}", `{"a b",NULL,"NULL"}`, "{{1},{2}}", "{}", `{a\,b}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return // no client's text: the protocol refuses it
		}
		list, err := arrayLiteral(pgtree.Text(s), s, sqltype.Text)
		if err != nil {
			return
		}
		if out := pgtree.PrintExpr(list); out == "?" {
			t.Fatalf("%q cannot be printed", s)
		}
	})
}

func BenchmarkApply(b *testing.B) {
	const sql = "SELECT status, date_trunc('month', day) AS m, sum(amount) / count(*) AS a, avg(qty), count(DISTINCT id) FROM orders WHERE day >= '2024-01-01' AND status LIKE 'a%' GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 10"
	stmts, err := pgtree.Parse(sql)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		n := pgtree.Clone(stmts[0].Node)
		NameTargets(n)
		if err := CheckFunctions(n, nil); err != nil {
			b.Fatal(err)
		}
		if err := Apply(n, shop{}, settings); err != nil {
			b.Fatal(err)
		}
	}
}
