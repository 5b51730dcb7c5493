package models_test

import (
	"testing"

	"github.com/pggate/pggate/models"
	"github.com/pggate/pggate/models/modelstest"
	"github.com/pggate/pggate/semantic"
)

// The example models are free of faults and make models.
func TestExamples(t *testing.T) {
	defs, faults := models.Load(modelstest.Parser{}, "examples/shop")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if len(defs) != 2 || defs[0].Name != "shop" || defs[1].Name != "year" {
		t.Fatalf("loaded %d models, want shop and year", len(defs))
	}
	for _, def := range defs {
		if _, wrong := semantic.New(def); len(wrong) > 0 {
			t.Error(models.Checked(wrong))
		}
		for _, m := range def.Metrics {
			if m.Description == "" {
				t.Errorf("metric %q of %q has no description", m.Name, def.Name)
			}
		}
	}
}
