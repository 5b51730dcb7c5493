package osi_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

type object struct {
	Properties map[string]struct {
		Type string
	}
	Required []string
}

// The published schema and the reader know the same keys: each key of the schema
// is read, and the reader's own list of keys, which it gives for a key that does
// not exist, is that of the schema.
func TestExtensionSchema(t *testing.T) {
	text, err := os.ReadFile("pggate-extension.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	const model = `{"version": "0.2.0.dev0", "semantic_model": [{"name": "m",
		"datasets": [{"name": "o", "source": "o", "fields": [{"name": "at", "expression": "at", "datatype": "Date" %[2]s}] %[1]s}],
		"relationships": [{"name": "r", "from": "o", "to": "o", "from_columns": ["a"], "to_columns": ["b"] %[3]s}],
		"metrics": [{"name": "n", "expression": "COUNT(*)" %[4]s}]}]}`
	order := []string{"Dataset", "Field", "Relationship", "Metric"}
	if len(schema.Defs) != len(order)+1 {
		t.Errorf("the schema describes %d objects", len(schema.Defs))
	}
	load := func(kind, data string) string {
		parts := make([]any, len(order))
		for i, k := range order {
			parts[i] = ""
			if k == kind {
				quoted, err := json.Marshal(data)
				if err != nil {
					t.Fatal(err)
				}
				parts[i] = fmt.Sprintf(`, "custom_extensions": [{"vendor_name": "PGGATE", "data": %s}]`, quoted)
			}
		}
		_, faults := read("m.json", fmt.Sprintf(model, parts...))
		return faults.Error()
	}
	value := map[string]string{"string": `"o"`, "boolean": "true", "array": "[]"}
	role := func(extra string) string {
		return `{"roles": [{"name": "x", "field": "at"` + extra + `}]}`
	}
	for kind, def := range schema.Defs {
		wrap, in := func(s string) string { return "{" + strings.TrimPrefix(s, ", ") + "}" }, kind
		if kind == "Role" {
			wrap, in = role, "Dataset"
			if got := load(in, role("")); got != "" {
				t.Error(got)
			}
		}
		unknown := load(in, wrap(`, "zzzzzzzzzz": 1`))
		_, list, ok := strings.Cut(unknown, "Its keys are ")
		if !ok {
			t.Errorf("%s: an unknown key gives %q", kind, unknown)
		}
		keys := strings.Split(strings.TrimSuffix(list, "."), ", ")
		if len(keys) != len(def.Properties) {
			t.Errorf("%s: the reader knows %q, the schema %d keys", kind, keys, len(def.Properties))
		}
		for _, key := range keys {
			property, ok := def.Properties[key]
			if !ok {
				t.Errorf("%s: the schema lacks %q", kind, key)
				continue
			}
			if kind == "Role" && key != "default" {
				continue // given by every role
			}
			if got := load(in, wrap(fmt.Sprintf(`, %q: %s`, key, value[property.Type]))); got != "" {
				t.Errorf("%s: %q is a key of the schema: %s", kind, key, got)
			}
			if got := load(in, wrap(fmt.Sprintf(`, %q: 1.5`, key))); !strings.Contains(got, "must be") {
				t.Errorf("%s: %q takes a number: %q", kind, key, got)
			}
		}
	}
}
