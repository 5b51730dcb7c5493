package osi_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/models/modelstest"
	"github.com/pggate/pggate/models/osi"
	"github.com/pggate/pggate/semantic"
)

var rewrite = flag.Bool("rewrite", false, "write the expected text of testdata anew")

func load(t testing.TB, path string) ([]semantic.Def, document.Faults) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return read(path, string(text))
}

func read(name, text string) ([]semantic.Def, document.Faults) {
	doc, faults := document.Read(filepath.Base(name), []byte(text))
	if doc == nil {
		return nil, faults
	}
	return osi.Format{}.Read(doc, modelstest.Parser{})
}

// TestFaults compares the faults of each file with the comments in it:
//
//	# ERROR col: message | hint
//	# WARNING col: message | hint
//
// on the line of the fault, or, where a comment cannot stand there, with a line
// number in front: line:col. A line may have several.
func TestFaults(t *testing.T) {
	files, err := filepath.Glob("testdata/faults/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := expected(t, string(text))
			_, faults := read(path, string(text))
			var got []string
			for _, f := range faults {
				got = append(got, describe(f))
			}
			for _, g := range got {
				if !slices.Contains(want, g) {
					t.Errorf("not expected: %s", g)
				}
			}
			for _, w := range want {
				if !slices.Contains(got, w) {
					t.Errorf("missing:      %s", w)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d faults, want %d", len(got), len(want))
			}
		})
	}
}

func describe(f document.Fault) string {
	kind := "ERROR"
	if f.Warning {
		kind = "WARNING"
	}
	s := fmt.Sprintf("%s %d:%d: %s", kind, f.Pos.Line, f.Pos.Col, f.Message)
	if f.Hint != "" {
		s += " | " + f.Hint
	}
	return s
}

func expected(t *testing.T, text string) []string {
	var out []string
	for i, line := range strings.Split(text, "\n") {
		parts := strings.Split(line, " # ")
		if strings.HasPrefix(line, "# ") {
			parts = append([]string{""}, strings.Split(line[2:], " # ")...)
		}
		for _, part := range parts[1:] {
			kind, rest, _ := strings.Cut(part, " ")
			if kind != "ERROR" && kind != "WARNING" {
				t.Fatalf("line %d: unknown comment %q", i+1, part)
			}
			if number, _, _ := strings.Cut(rest, ":"); !startsPlace(rest) {
				t.Fatalf("line %d: %q is no column", i+1, number)
			}
			if strings.Count(rest[:strings.Index(rest, " ")], ":") == 1 {
				rest = strconv.Itoa(i+1) + ":" + rest
			}
			out = append(out, kind+" "+rest)
		}
	}
	return out
}

func startsPlace(s string) bool {
	place, _, ok := strings.Cut(s, ": ")
	for _, number := range strings.Split(place, ":") {
		if _, err := strconv.Atoi(number); err != nil {
			return false
		}
	}
	return ok
}

// The examples of the specification load. What a reader should know of them is
// a warning: the ontology has no data.
func TestOssieExamples(t *testing.T) {
	defs, faults := load(t, "testdata/ossie/tpcds_semantic_model.yaml")
	if len(faults) > 0 || len(defs) != 1 {
		t.Fatalf("%d models\n%v", len(defs), faults)
	}
	d := defs[0]
	if len(d.Datasets) != 5 || len(d.Relations) != 4 || len(d.Metrics) != 5 || len(d.Extensions) != 2 {
		t.Errorf("%d datasets, %d relationships, %d metrics, %d extensions", len(d.Datasets), len(d.Relations), len(d.Metrics), len(d.Extensions))
	}
	if _, wrong := semantic.New(d); len(wrong) > 0 {
		t.Error(wrong)
	}
	defs, faults = load(t, "testdata/ossie/flights.yaml")
	if len(defs) != 0 || len(faults) != 1 || !faults[0].Warning || !strings.Contains(faults[0].Message, "ontology") {
		t.Fatalf("%d models\n%v", len(defs), faults)
	}
}
