package integration

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("rewrite", false, "write the expected output into testdata")

// psql runs commands in psql as a person would.
func psql(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("psql", append([]string{"-X", "-h", shared.host, "-p", shared.port, "-U", "ann", "shop"}, args...)...)
	cmd.Env = append(os.Environ(), "PGCLIENTENCODING=UTF8", "LC_ALL=C.UTF-8", "PAGER=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		if _, exited := err.(*exec.ExitError); !exited {
			t.Fatalf("psql cannot be run, run scripts/tools: %v", err)
		}
	}
	return string(out)
}

var port = regexp.MustCompile(`at port "\d+"`)

// TestPsqlCommands compares what psql prints for its describe commands with
// testdata/psql/*.txt.
func TestPsqlCommands(t *testing.T) {
	for name, command := range map[string]string{
		"l": `\l`, "dn": `\dn`, "dt": `\dt`, "dt-raw": `\dt raw.*`, "dv": `\dv`, "d": `\d`, "d-orders": `\d orders`, "d-plus-orders": `\d+ orders`, "d-table": `\d raw.orders`,
		"d-plus-table": `\d+ raw.orders`, "d-metrics": `\d metrics`, "df": `\df`, "du": `\du`, "dT": `\dT`, "di": `\di`, "conninfo": `\conninfo`,
	} {
		t.Run(name, func(t *testing.T) {
			got := port.ReplaceAllString(psql(t, "-c", command), `at port "PORT"`)
			if strings.Contains(got, "ERROR") {
				t.Fatalf("%s\n%s", command, got)
			}
			golden(t, filepath.Join("testdata/psql", name+".txt"), got)
		})
	}
}

// golden compares text with a file, or writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got\n%s\nwant\n%s", file, got, want)
	}
}

// TestReadmeTranscript runs every psql session of the README and compares what
// is printed there.
func TestReadmeTranscript(t *testing.T) {
	raw, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	sessions := 0
	for _, block := range strings.Split(string(raw), "```")[1:] {
		body, ok := strings.CutPrefix(block, "text\nshop=> ")
		if !ok {
			continue
		}
		for _, one := range strings.Split("shop=> "+body, "shop=> ")[1:] {
			sql, want, ok := strings.Cut(one, "\n")
			for ok && !strings.HasSuffix(strings.TrimSpace(sql), ";") && !strings.HasPrefix(sql, `\`) {
				var more string
				more, want, ok = strings.Cut(want, "\n")
				sql += "\n" + strings.TrimPrefix(more, "shop-> ")
			}
			sessions++
			if got := psql(t, "-c", sql); strings.TrimSpace(got) != strings.TrimSpace(want) {
				t.Errorf("README: %s\ngot\n%s\nwant\n%s", sql, got, want)
			}
		}
	}
	if sessions < 3 {
		t.Errorf("README shows %d statements in psql, want some", sessions)
	}
}
