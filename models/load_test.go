package models_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pggate/pggate/models"
	"github.com/pggate/pggate/models/modelstest"
)

func model(name string) string {
	return "version: 0.2.0.dev0\nsemantic_model:\n  - name: " + name + "\n    datasets: [{name: t, source: t}]\n"
}

// write makes files in a new folder and enters it, so that faults have short
// names.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func load(t *testing.T, want string, wantNames string, paths ...string) {
	t.Helper()
	defs, faults := models.Load(modelstest.Parser{}, paths...)
	var names []string
	for _, d := range defs {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, " "); got != wantNames {
		t.Errorf("models %q, want %q", got, wantNames)
	}
	if got := faults.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A folder is read in the order of names; files that are no models are warnings
// there and faults where they are named.
func TestFolder(t *testing.T) {
	write(t, map[string]string{
		"m/b.yaml": model("b"), "m/a.yml": model("a"), "m/sub/c.json": `{"version": "0.1.1", "semantic_model": [{"name": "c", "datasets": [{"name": "t", "source": "t"}]}]}`,
		"m/.hidden.yaml": "[", "m/.git/x.yaml": "[", "m/note.txt": "[", "m/other.yaml": "services: {}\n", "empty/x.txt": "",
	})
	const other = "the file is of no known model format\n\tAn Ossie file has the keys \"version\" and \"semantic_model\"."
	load(t, "m/other.yaml:1:1: warning: "+other, "a b c", "m", "./m/a.yml")
	load(t, "m/other.yaml:1:1: "+other, "a b c", "m", "m/other.yaml")
	load(t, "empty: warning: the folder has no model file\n\tModel files end in .yaml, .yml or .json.", "", "empty")
	load(t, "nowhere: no such file or directory", "b", "nowhere", "m/b.yaml")
}

// A file that is a link is read: deployments mount folders of links.
func TestLink(t *testing.T) {
	write(t, map[string]string{"..data/a.yaml": model("a")})
	if err := os.Mkdir("m", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../..data/a.yaml", "m/a.yaml"); err != nil {
		t.Skip(err)
	}
	load(t, "", "a", "m")
}

// The faults of all files come at once; the models of files without are there.
func TestAllFaults(t *testing.T) {
	write(t, map[string]string{"1.yaml": "a: [", "2.yaml": model("x"), "3.yaml": model("x"), "4.yaml": "version: 0.2.0.dev0\n"})
	load(t, "1.yaml:1:1: not valid YAML: did not find expected node content\n"+
		"4.yaml:1:1: the file has no \"semantic_model\"\n"+
		"3.yaml:3:11: model \"x\" is defined twice\n\tThe first is in 2.yaml, line 3.", "x x", ".")
}

// What is no file is not waited for.
func TestDevice(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	load(t, "/dev/zero: not a regular file", "", "/dev/zero")
}

func TestErr(t *testing.T) {
	warning := models.Fault{Message: "w", Warning: true}
	if err := (models.Faults{warning}).Err(); err != nil {
		t.Error(err)
	}
	if err := (models.Faults{warning, {Message: "e"}}).Err(); err == nil {
		t.Error("no error")
	}
	if err := (models.Faults)(nil).Err(); err != nil {
		t.Error(err)
	}
}

// Whatever a file holds, loading it ends soon, without a panic, and every fault
// has its place in that file.
func FuzzLoad(f *testing.F) {
	seeds, err := filepath.Glob("osi/testdata/*/*.*")
	if err != nil || len(seeds) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, path := range seeds {
		if ext := filepath.Ext(path); ext == ".yaml" || ext == ".json" {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text), ext == ".json")
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string, json bool) {
		path := filepath.Join(dir, "m.yaml")
		if json {
			path = filepath.Join(dir, "m.json")
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		defs, faults := models.Load(modelstest.Parser{}, path)
		if took := time.Since(start); took > 10*time.Second {
			t.Fatalf("took %v", took)
		}
		if faults.Err() == nil {
			for _, d := range defs {
				if d.Name == "" || len(d.Datasets) == 0 {
					t.Fatalf("a model that is not whole: %+v", d)
				}
			}
		}
		for _, x := range faults {
			if x.Pos.File != path || x.Pos.Line < 1 || x.Pos.Col < 1 || x.Message == "" {
				t.Fatalf("a fault without its place: %+v", x)
			}
		}
	})
}
