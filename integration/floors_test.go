package integration

import (
	"bufio"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/pggate/pggate/"

// floors says what each package may import besides the standard library: names
// of our packages, a folder with /... for all in it, and the modules admitted.
// A line is a design decision; a change to it comes with its reason in
// ARCHITECTURE.md.
var floors = map[string]string{
	"semantic/sqltype":            "",
	"wire/sqlstate":               "",
	"rewrite/internal/pgtree":     "github.com/pganalyze/pg_query_go/v6 google.golang.org/protobuf",
	"rewrite/internal/pgtree/gen": "github.com/pganalyze/pg_query_go/v6 google.golang.org/protobuf",
	"semantic":                    "semantic/sqltype",
	"backend":                     "semantic/sqltype",
	"rewrite/dialect":             "semantic semantic/sqltype wire/sqlstate rewrite/internal/pgtree github.com/pganalyze/pg_query_go/v6",
	"rewrite/catalog":             "semantic/sqltype wire/sqlstate rewrite/internal/pgtree github.com/pganalyze/pg_query_go/v6",
	"rewrite":                     "semantic semantic/sqltype wire/sqlstate rewrite/... github.com/pganalyze/pg_query_go/v6",
	"rewrite/rewritetest":         "semantic semantic/sqltype rewrite",
	"wire":                        "backend semantic/sqltype wire/sqlstate wire/auth github.com/jackc/pgx/v5/pgproto3",
	"wire/auth":                   "wire/sqlstate",
	"wire/wiretest":               "wire wire/sqlstate backend semantic/sqltype github.com/jackc/pgx/v5/pgproto3",
	"backend/duckdb":              "backend semantic/sqltype wire/sqlstate github.com/duckdb/duckdb-go-bindings",
	"backend/backendtest":         "backend semantic/sqltype wire/sqlstate",
	"models":                      "semantic models/document models/osi",
	"models/document":             "semantic go.yaml.in/yaml/v3",
	"models/osi":                  "semantic semantic/sqltype models/document",
	"models/examples":             "",
	"models/modelstest":           "semantic models/document",
	"cmd/pggate/demo":             "",
	"cmd/pggate/gate":             "semantic/... backend/... wire/... rewrite/... models/... semantic backend wire rewrite models cmd/pggate/demo github.com/jackc/pgx/v5/pgconn github.com/spf13/cobra github.com/spf13/pflag go.yaml.in/yaml/v3",
	"cmd/pggate":                  "cmd/pggate/gate",
	"integration/reference":       "",
}

func TestFloors(t *testing.T) {
	for pkg, imports := range packages(t) {
		if pkg == "integration" {
			continue
		}
		allowed, ok := floors[pkg]
		if !ok {
			t.Errorf("package %s has no line in floors", pkg)
			continue
		}
		for _, imp := range imports {
			if !admitted(strings.Fields(allowed), imp) {
				t.Errorf("%s imports %s, which its floor does not admit", pkg, imp)
			}
		}
	}
}

func admitted(allowed []string, imp string) bool {
	own := strings.TrimPrefix(imp, module)
	if own == imp && !strings.Contains(strings.Split(imp, "/")[0], ".") {
		return true // the standard library
	}
	return slices.ContainsFunc(allowed, func(a string) bool {
		if folder, all := strings.CutSuffix(a, "/..."); all {
			return strings.HasPrefix(own, folder+"/")
		}
		return own == a || own == imp && (imp == a || strings.HasPrefix(imp, a+"/"))
	})
}

// packages gives the imports of every package of the module, tests left out.
func packages(t *testing.T) map[string][]string {
	out := map[string][]string{}
	walkGo(t, func(file string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", file), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		if _, ok := out[pkg]; !ok {
			out[pkg] = nil
		}
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			out[pkg] = append(out[pkg], path)
		}
	})
	return out
}

func walkGo(t *testing.T, visit func(file string)) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") && name != "..") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			rel, err := filepath.Rel("..", path)
			if err != nil {
				return err
			}
			visit(rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFilesAreSmall holds a file to 800 lines: beyond that it is more than one
// concept. Generated files are free.
func TestFilesAreSmall(t *testing.T) {
	walkGo(t, func(file string) {
		f, err := os.Open(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines, generated := 0, false
		for s := bufio.NewScanner(f); s.Scan(); lines++ {
			generated = generated || lines == 0 && strings.HasPrefix(s.Text(), "// Code generated")
		}
		if lines > 800 && !generated {
			t.Errorf("%s has %d lines", file, lines)
		}
	})
}

// TestPackagesSayWhatTheyAre asks every package for a comment.
func TestPackagesSayWhatTheyAre(t *testing.T) {
	documented, all := map[string]bool{}, map[string]bool{}
	walkGo(t, func(file string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", file), nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		pkg := filepath.Dir(file)
		all[pkg] = true
		documented[pkg] = documented[pkg] || f.Doc != nil
	})
	for pkg := range all {
		if !documented[pkg] {
			t.Errorf("package %s has no comment", pkg)
		}
	}
}
