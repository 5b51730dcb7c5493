package document

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Every byte of a scalar is found where it was written: @ marks are taken out of
// the source, and the byte of the value after which they stood must be there.
func TestAt(t *testing.T) {
	for _, c := range []struct{ name, file, text, value string }{
		{"plain", "a.yaml", "a: on@e # no", "one"},
		{"plain, wide", "a.yaml", "é: ü@ber # no", "über"},
		{"plain, flow", "a.yaml", "{a: on@e, b: c}", "one"},
		{"plain, lines", "a.yaml", "a: one\n  two\n\n  thr@ee", "one two\nthree"},
		{"single", "a.yaml", "a: 'it''s @one'", "it's one"},
		{"single, lines", "a.yaml", "a: 'one\n\n  t@wo'", "one\ntwo"},
		{"double", "a.yaml", `a: "\"\t\x41\u00e9\U0001F600\N\L @x"`, "\"\tAé😀\u0085\u2028 x"},
		{"double, lines", "a.yaml", "a: \"one \\\n   two\n   th@ree\"", "one two three"},
		{"literal", "a.yaml", "a: |\n  one\n    two\n\n  th@ree\n", "one\n  two\n\nthree\n"},
		{"literal, indicator", "a.yaml", "a: |2-\n    one\n   t@wo", "  one\n two"},
		{"folded", "a.yaml", "a: >+ # why\n\n  one\n  two\n    more\n  th@ree\n\n", "\none two\n  more\nthree\n\n"},
		{"anchor", "a.yaml", "a: &x\n  \"o@ne\"", "one"},
		{"carriage returns", "a.yaml", "b: c\r\na: |\r\n  one\r\n  t@wo\r\n", "one\ntwo\n"},
		{"mark of byte order", "a.yaml", "\ufeffa: o@ne", "one"},
		{"json", "a.json", "{\n\t\"b\": 1,\n\t\"a\" : \"\\ud83d\\ude00\\/\\n \\u00e9@x\"}", "😀/\n éx"},
		{"json, lone surrogate", "a.json", `{"a": "\ud83d @x"}`, "\ufffd x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after, _ := strings.Cut(c.text, "@")
			doc, faults := Read(c.file, []byte(before+after))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			n := doc.Root.Get("a")
			if n == nil {
				n = doc.Root.Items[0]
			}
			if n.Text != c.value {
				t.Fatalf("value %q, want %q", n.Text, c.value)
			}
			lines := strings.Split(strings.TrimPrefix(before, "\ufeff"), "\n")
			want := fmt.Sprintf("%d:%d", len(lines), len([]rune(lines[len(lines)-1]))+1)
			rest := strings.TrimRight(strings.Split(after, " # ")[0], "\"',b:c} \n\r")
			offset := strings.LastIndex(strings.TrimRight(n.Text, "\n"), rest)
			if rest == "" {
				t.Fatal("nothing after the mark")
			}
			if pos := n.At(offset); fmt.Sprintf("%d:%d", pos.Line, pos.Col) != want {
				t.Errorf("byte %d is at %d:%d, want %s", offset, pos.Line, pos.Col, want)
			}
		})
	}
}

// Files that are made to hurt end in a named error, fast.
func TestHostile(t *testing.T) {
	laughs := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		laughs += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10))
	}
	for _, c := range []struct{ name, file, text, want string }{
		{"billion laughs", "a.yaml", laughs, "aliases make the file more than 10 times larger"},
		{"alias of itself", "a.yaml", "a: &a [*a]", "nested more than 64 deep"},
		{"deep flow", "a.yaml", "a: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "a.yaml:1:68: lists and maps are nested more than 64 deep"},
		{"deeper flow", "a.yaml", strings.Repeat("[", 1<<20), "exceeded max depth"},
		{"deep json", "a.json", strings.Repeat("[", 1<<20), "a.json:1:65: lists and maps are nested more than 64 deep"},
		{"large", "a.yaml", "a: " + strings.Repeat("x", MaxSize), "larger than 4 MB"},
		{"many values", "a.yaml", "[" + strings.Repeat("a,", MaxNodes) + "]", "more than 250000 values"},
		{"many values, json", "a.json", "[" + strings.Repeat("1,", MaxNodes) + "1]", "more than 250000 values"},
		{"many faults on one line", "a.yaml", "é: {" + strings.Repeat("a: é, ", MaxNodes/2-10) + "}", "a.yaml:1:11: key \"a\" is given twice"},
		{"many aliases on one line", "a.yaml", "[&a é, " + strings.Repeat("*a, ", MaxNodes) + "]", "more than 250000 values"},
		{"zero byte", "a.yaml", "a: b\nc: \x00", "a.yaml:2:4: the file has a zero byte"},
		{"not UTF-8", "a.json", "{\"\xff\": 1}", "a.json:1:3: the file is not UTF-8"},
		{"UTF-16", "a.yaml", "\xff\xfea\x00", "a.yaml:1:1: the file is not UTF-8"},
		{"binary", "a.yaml", "a: !!binary aGk=", `1:4: tag "!!binary" is not allowed`},
		{"tag", "a.yaml", "a: !go/x {}", `tag "!go/x" is not allowed`},
		{"merge", "a.yaml", "a: &a {b: c}\nd: {<<: *a}", "a.yaml:2:5: merge keys are not allowed"},
		{"merge cycle", "a.yaml", "a: &a {<<: *a}", "merge keys are not allowed"},
		{"twice", "a.yaml", "a: 1\nb:\n  c: 1\n  c: 2", "a.yaml:4:3: key \"c\" is given twice\n\tThe first is on line 3."},
		{"twice, json", "a.json", "{\"a\": 1,\n \"a\": 2}", "a.json:2:2: key \"a\" is given twice"},
		{"number as key", "a.yaml", "1: x", "1:1: a key must be a string"},
		{"map as key", "a.yaml", "? {a: b}\n: x", "a key must be a string"},
		{"second document", "a.yaml", "a: 1\n---\nb: 2", "a second document starts here"},
		{"syntax", "a.yaml", "a: 1\nb: [", "a.yaml:2:1: not valid YAML"},
		{"syntax, json", "a.json", "{\"a\": 1,\n  \"b\" 2}", "a.json:2:7: not valid JSON"},
		{"end, json", "a.json", "{\"a\": 1", "a.json:1:8: not valid JSON: the text ends too early"},
		{"more, json", "a.json", "{}\n{}", "a.json:2:1: not valid JSON: the text goes on after its end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			doc, faults := Read(c.file, []byte(c.text))
			if doc != nil {
				t.Fatal("no fault")
			}
			if text := faults.Error(); !strings.Contains(text, c.want) {
				t.Errorf("got\n%.300s\nwant\n%s", text, c.want)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestEmpty(t *testing.T) {
	for _, c := range []struct{ file, text string }{{"a.yaml", ""}, {"a.yaml", "# only this\n"}, {"a.json", " \n"}} {
		doc, faults := Read(c.file, []byte(c.text))
		if len(faults) > 0 || doc.Root.Kind != Null || doc.Root.Pos().Line != 1 {
			t.Errorf("%s %q: %v", c.file, c.text, faults)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"a: 'x''y'\nb: |\n  z\n", `{"a": "\ud83d\ude00", "b": [1, null, true]}`, "a: &x {b: [*y]}", "a: \"\\\n  x\"", "? |\n  a\n: >-\n   b\n"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, yaml bool) {
		file := "a.json"
		if yaml {
			file = "a.yaml"
		}
		doc, faults := Read(file, []byte(text))
		if (doc == nil) != (len(faults) > 0) {
			t.Fatal("a document with faults, or neither")
		}
		if doc == nil {
			return
		}
		var visit func(n *Node)
		visit = func(n *Node) {
			start := n.Pos()
			for i := 0; i <= len(n.Text) && i < 100; i++ {
				if pos := n.At(i); pos.Line < start.Line || pos.Col < 1 {
					t.Fatalf("byte %d of %q is at %v, before its start %v", i, n.Text, pos, start)
				}
			}
			for i, item := range n.Items {
				if n.Kind == Map {
					visit(n.Keys[i])
				}
				visit(item)
			}
		}
		visit(doc.Root)
		_ = doc.Root.JSON()
	})
}
