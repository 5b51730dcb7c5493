package models_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pggate/pggate/models"
	"github.com/pggate/pggate/models/modelstest"
	"github.com/pggate/pggate/semantic"
)

// A block is what stands between two fences of a page.
type block struct{ lang, text string }

func blocks(page string) []block {
	var out []block
	for {
		_, rest, ok := strings.Cut(page, "\n```")
		if !ok {
			return out
		}
		lang, rest, _ := strings.Cut(rest, "\n")
		text, rest, _ := strings.Cut(rest, "```")
		out, page = append(out, block{lang, text}), rest
	}
}

// Each model of docs/models.md loads and makes a model; the one that is followed
// by faults gives exactly those.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	all := blocks(string(page))
	t.Chdir(t.TempDir())
	good, bad := 0, 0
	for i, b := range all {
		if b.lang != "yaml" {
			continue
		}
		if err := os.WriteFile("sales.yaml", []byte(b.text), 0o600); err != nil {
			t.Fatal(err)
		}
		defs, faults := models.Load(modelstest.Parser{}, "sales.yaml")
		if i+1 < len(all) && all[i+1].lang == "text" {
			bad++
			if got := faults.Error() + "\n"; got != all[i+1].text {
				t.Errorf("got\n%s\nwant\n%s", got, all[i+1].text)
			}
			continue
		}
		good++
		if len(faults) > 0 {
			t.Errorf("%v\n%s", faults, b.text)
		}
		for _, d := range defs {
			if _, wrong := semantic.New(d); len(wrong) > 0 {
				t.Error(models.Checked(wrong))
			}
		}
	}
	if good < 3 || bad < 1 {
		t.Errorf("%d models and %d faults on the page", good, bad)
	}
}
