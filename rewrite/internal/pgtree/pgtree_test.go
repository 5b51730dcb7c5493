package pgtree

import (
	"strings"
	"testing"
)

func TestGuardRefusesChainsThatWouldKillTheParser(t *testing.T) {
	for name, text := range map[string]string{
		"plus":     "select 1" + strings.Repeat("+1", 30000),
		"cast":     "select 1" + strings.Repeat("::int", 30000),
		"join":     "select * from t" + strings.Repeat(" join t using(a)", 30000),
		"union":    "select 1" + strings.Repeat(" union all select 1", 30000),
		"not":      "select " + strings.Repeat("not ", 60000) + "true",
		"is null":  "select 1" + strings.Repeat(" is null", 30000),
		"isnull":   "select 1" + strings.Repeat(" isnull", 30000),
		"collate":  "select 'a'" + strings.Repeat(` collate "C"`, 30000),
		"zone":     "select now()" + strings.Repeat(" at time zone 'UTC'", 30000),
		"paren":    "select " + strings.Repeat("(", 60000),
		"minus":    "select " + strings.Repeat("- ", 60000) + "1",
		"like":     "select 'a'" + strings.Repeat(" like 'a'", 30000),
		"array":    "select a" + strings.Repeat("[1]", 60000),
		"case":     "select " + strings.Repeat("case when ", 30000),
		"operator": "select 1" + strings.Repeat(" operator(pg_catalog.+) 1", 30000),
		"concat":   "select 'a'" + strings.Repeat("||'a'", 30000),
		"text":     "select '" + strings.Repeat("x", MaxText) + "'",
	} {
		_, err := Parse(text)
		se, ok := err.(*SyntaxError)
		if !ok || !se.TooLong {
			t.Errorf("%s: want a refusal by the guard, got %v", name, err)
		}
	}
}

func TestGuardAllowsLargeFlatStatements(t *testing.T) {
	for name, text := range map[string]string{
		"in list":  "select 1 where 1 in (1" + strings.Repeat(", 2", 20000) + ")",
		"literal":  "select '" + strings.Repeat("+", 200000) + "'",
		"quoted":   `select 1 as "` + strings.Repeat("+", 200000) + `"`,
		"comment":  "select 1 /*" + strings.Repeat("+", 200000) + "*/",
		"line":     "select 1 --" + strings.Repeat("+", 200000),
		"dollar":   "select $x$" + strings.Repeat("+", 200000) + "$x$",
		"escape":   `select E'\'` + strings.Repeat("+", 200000) + `'`,
		"columns":  "select a.b" + strings.Repeat(", a.b", 20000) + " from a",
		"nested c": "select 1 /* /* */ " + strings.Repeat("+", 100000) + " */",
	} {
		if err := Guard(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzGuardedParse(f *testing.F) {
	f.Add("select 1+1")
	f.Add("select E'\\'' || $a$ x $a$ -- c")
	f.Fuzz(func(t *testing.T, text string) {
		stmts, err := Parse(text)
		if err != nil {
			return
		}
		for _, s := range stmts {
			if s.Start < 0 || s.End > len(text) || s.Start > s.End {
				t.Fatalf("statement range %d:%d of %d bytes", s.Start, s.End, len(text))
			}
		}
	})
}

func TestMapVisitsUnwrappedParts(t *testing.T) {
	stmts, err := Parse("select a::numeric(10,2) from t union select b from u where exists (select 1 from v)")
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	Walk(stmts[0].Node, func(n *Node) bool {
		if rv := n.GetRangeVar(); rv != nil {
			seen = append(seen, rv.GetRelname())
		}
		if tn := n.GetTypeName(); tn != nil {
			seen = append(seen, "type")
		}
		return true
	})
	if got := strings.Join(seen, " "); got != "type t u v" {
		t.Fatalf("visited %q", got)
	}
	root := Map(stmts[0].Node, func(n *Node) *Node {
		if rv := n.GetRangeVar(); rv != nil {
			rv.Relname = strings.ToUpper(rv.GetRelname())
		}
		return n
	})
	text, err := Print(root)
	if err != nil {
		t.Fatal(err)
	}
	if want := `SELECT a::numeric(10, 2) FROM "T" UNION SELECT b FROM "U" WHERE EXISTS (SELECT 1 FROM "V")`; text != want {
		t.Fatalf("printed %q", text)
	}
}

func TestExprLocationsCountInItsOwnText(t *testing.T) {
	n, err := Expr("a + bb")
	if err != nil {
		t.Fatal(err)
	}
	if got := Location(n.GetAExpr().GetRexpr()); got != 4 {
		t.Fatalf("location %d, want 4", got)
	}
	for _, bad := range []string{"a b c", "a, b", "a from t", "1; select 2", "a as b", "a +"} {
		if _, err := Expr(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
