package osi_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pggate/pggate/semantic"
)

// TestLoad compares the whole of each loaded definition with its text form in
// the .txt file beside it; -rewrite writes that file.
func TestLoad(t *testing.T) {
	files, err := filepath.Glob("testdata/load/*.*")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, path := range files {
		if filepath.Ext(path) == ".txt" {
			continue
		}
		seen++
		t.Run(filepath.Base(path), func(t *testing.T) {
			defs, faults := load(t, path)
			var got bytes.Buffer
			for _, f := range faults {
				fmt.Fprintln(&got, f)
			}
			for _, d := range defs {
				dump(&got, d)
			}
			golden := path + ".txt"
			if *rewrite {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("got\n%s\nwant\n%s", got.Bytes(), want)
			}
		})
	}
	if seen < 3 {
		t.Fatalf("%d files", seen)
	}
}

func dump(b *bytes.Buffer, d semantic.Def) {
	fmt.Fprintf(b, "model %s%s%s\n", d.Name, at(d.Pos), about(d.Description, d.Context, d.Extensions))
	for _, s := range d.Datasets {
		fmt.Fprintf(b, "dataset %s%s%s%s\n", s.Name, at(s.Pos), about(s.Description, s.Context, s.Extensions), hidden(s.Hidden))
		fmt.Fprintf(b, "  source %q query %q%s\n", s.Source, s.Query, at(s.SourcePos))
		fmt.Fprintf(b, "  primary key %q unique %q\n", s.PrimaryKey, s.UniqueKeys)
		for _, f := range s.Fields {
			fmt.Fprintf(b, "  field %s = %s : %s%s", f.Name, f.Expr, f.Type, at(f.Pos))
			if f.Time {
				b.WriteString(" time")
			}
			fmt.Fprintf(b, " label %q%s%s\n", f.Label, about(f.Description, f.Context, f.Extensions), hidden(f.Hidden))
		}
		for _, r := range s.Roles {
			fmt.Fprintf(b, "  role %s = %s default %t%s\n", r.Name, r.Field, r.Default, at(r.Pos))
		}
	}
	for _, r := range d.Relations {
		fmt.Fprintf(b, "relationship %s: %s%q -> %s%q role %q%s%s\n", r.Name, r.From, r.FromColumns, r.To, r.ToColumns, r.Role, at(r.Pos), about("", r.Context, r.Extensions))
	}
	for _, m := range d.Metrics {
		fmt.Fprintf(b, "metric %s of %q = %s : %s%s%s%s\n", m.Name, m.Dataset, m.Formula.Text, m.Type, at(m.Pos), about(m.Description, m.Context, m.Extensions), hidden(m.Hidden))
		if m.Filter != nil || m.Format != "" {
			fmt.Fprintf(b, "  filter %v format %q\n", m.Filter, m.Format)
		}
	}
}

func at(p semantic.Pos) string { return fmt.Sprintf(" @%d:%d", p.Line, p.Col) }

func hidden(yes bool) string {
	if yes {
		return " hidden"
	}
	return ""
}

func about(description string, c semantic.Context, x []semantic.Extension) string {
	var b strings.Builder
	if description != "" {
		fmt.Fprintf(&b, " %q", description)
	}
	if c.Raw != "" {
		fmt.Fprintf(&b, " context(%q %q %q %s)", c.Instructions, c.Synonyms, c.Examples, c.Raw)
	}
	for _, e := range x {
		fmt.Fprintf(&b, " %s%s", e.Vendor, e.Data)
	}
	return b.String()
}
