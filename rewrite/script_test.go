package rewrite_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pggate/pggate/rewrite"
	"github.com/pggate/pggate/wire/sqlstate"
)

var update = flag.Bool("rewrite", false, "write the expected output into testdata")

// TestScripts reads testdata/*.txt: a statement, a line of dashes, then the SQL
// for the engine or the error: code, position, sentence, hint.
func TestScripts(t *testing.T) {
	env := shopEnv(t)
	for _, file := range []string{"testdata/golden.txt", "testdata/errors.txt"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, c := range strings.Split(strings.TrimSpace(string(raw)), "\n\n") {
			sql, want, _ := strings.Cut(c, "\n----\n")
			sql = strings.TrimSuffix(sql, "\n----")
			got := compiled(env, sql)
			out = append(out, sql+"\n----\n"+got)
			if !*update && got != want {
				t.Errorf("%s: %s\ngot\n%s\nwant\n%s", file, sql, got, want)
			}
		}
		if *update {
			if err := os.WriteFile(file, []byte(strings.Join(out, "\n\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func compiled(env *rewrite.Env, sql string) string {
	stmt, err := rewrite.Rewrite(env, sql)
	var se *sqlstate.Error
	switch {
	case errors.As(err, &se):
		s := fmt.Sprintf("%s at %d: %s", se.Code, se.Position, se.Message)
		if se.Hint != "" {
			s += "\nhint: " + se.Hint
		}
		return s
	case err != nil:
		return "not a *sqlstate.Error: " + err.Error()
	}
	if s, ok := stmt.(*rewrite.Select); ok {
		return s.SQL
	}
	return fmt.Sprintf("%T %+v", stmt, stmt)
}

// Every error of a refused statement has a position or is about the whole, and
// a hint that says what to do.
func TestErrorsHaveHints(t *testing.T) {
	raw, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	env := shopEnv(t)
	for _, c := range strings.Split(strings.TrimSpace(string(raw)), "\n\n") {
		sql, _, _ := strings.Cut(c, "\n----")
		_, err := rewrite.Rewrite(env, sql)
		var se *sqlstate.Error
		if !errors.As(err, &se) {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		switch se.Code {
		case sqlstate.FeatureNotSupported, sqlstate.GroupingError, sqlstate.WrongObjectType, sqlstate.InvalidColumnReference:
			if se.Hint == "" {
				t.Errorf("%s: no hint: %s", sql, se.Message)
			}
		}
	}
}

func FuzzRewrite(f *testing.F) {
	for _, file := range []string{"testdata/golden.txt", "testdata/errors.txt"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range strings.Split(string(raw), "\n\n") {
			sql, _, _ := strings.Cut(c, "\n----")
			f.Add(sql)
		}
	}
	env := shopEnv(f)
	f.Fuzz(func(t *testing.T, sql string) {
		stmt, err := rewrite.Rewrite(env, sql)
		if err != nil {
			var se *sqlstate.Error
			if !errors.As(err, &se) {
				t.Fatalf("%q: not a *sqlstate.Error: %v", sql, err)
			}
			return
		}
		if s, ok := stmt.(*rewrite.Select); ok && strings.IndexByte(s.SQL, 0) >= 0 {
			t.Fatalf("%q: a marker is left in %q", sql, s.SQL)
		}
	})
}
