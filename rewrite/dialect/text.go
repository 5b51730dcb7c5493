package dialect

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

func macro(name string, args ...*pgtree.Node) *pgtree.Node {
	return pgtree.QualifiedFunc([]string{macroDatabase, macroSchema, name}, args...)
}

// toText is the text form of a value, as PostgreSQL's output function makes it.
func toText(n *pgtree.Node, typ sqltype.Type) *pgtree.Node {
	switch {
	case isText(typ) || typ.OID == sqltype.Unknown && !isNull(n):
		return n
	case isFloat(typ):
		return macro("float_text", n)
	case typ.OID == sqltype.Interval:
		return macro("interval_text", n)
	case typ.OID == sqltype.Bytea:
		return macro("bytea_text", n)
	case isArray(typ) && typ.OID.Elem() == sqltype.Bool:
		return macro("array_text", pgtree.Func("list_transform", n, lambda("x", shortBool(pgtree.Column("x")))))
	case isArray(typ) && isFloat(sqltype.Of(typ.OID.Elem())):
		return macro("array_text", pgtree.Func("list_transform", n, lambda("x", macro("float_text", pgtree.Column("x")))))
	case isArray(typ):
		return macro("array_text", n)
	}
	return pgtree.Cast(n, []string{"varchar"})
}

// outputText is the text form that concat and format give: a boolean is t or f there.
func outputText(n *pgtree.Node, typ sqltype.Type) *pgtree.Node {
	if typ.OID == sqltype.Bool {
		return shortBool(n)
	}
	return toText(n, typ)
}

func shortBool(n *pgtree.Node) *pgtree.Node {
	return pgtree.Func("left", pgtree.Cast(n, []string{"varchar"}), pgtree.Int(1))
}

// lambda is x -> body, which DuckDB takes as an argument of list functions.
func lambda(name string, body *pgtree.Node) *pgtree.Node {
	return pgtree.Op("->", pgtree.Column(name), body)
}

// like is LIKE and ILIKE. The backslash escapes without being asked to, which
// it does not in DuckDB.
func like(c *call) (*pgtree.Node, error) {
	x := c.node.GetAExpr()
	op := operatorName(x)
	left, pattern := c.args[0], c.args[1]
	escape := pgtree.Text(`\`)
	if patternCall(x) {
		args := pattern.GetFuncCall().GetArgs()
		pattern, escape = args[0], args[1]
	}
	sign, known := constant(escape)
	if known && len([]rune(sign)) > 1 {
		return nil, refuse(c.node, "22025", "invalid escape string").WithHint("Escape string must be empty or one character.")
	}
	text, fixed := constant(pattern)
	if known && (sign == "" || fixed && !strings.Contains(text, sign)) {
		kind := pg.A_Expr_Kind_AEXPR_LIKE
		if strings.HasSuffix(op, "*") {
			kind = pg.A_Expr_Kind_AEXPR_ILIKE
		}
		return &pgtree.Node{Node: &pg.Node_AExpr{AExpr: &pg.A_Expr{Kind: kind, Name: pgtree.Names(op), Lexpr: left, Rexpr: pattern, Location: -1}}}, nil
	}
	if fixed && known && strings.HasSuffix(strings.ReplaceAll(text, sign+sign, ""), sign) {
		return nil, refuse(c.node, "22025", "LIKE pattern must not end with escape character")
	}
	name := map[string]string{"~~": "like_escape", "!~~": "not_like_escape", "~~*": "ilike_escape", "!~~*": "not_ilike_escape"}[op]
	return pgtree.Func(name, left, pattern, escape), nil
}

// regexMatch is ~ and its kin: a part of the text may match, and the dot stands
// for a newline too.
func regexMatch(c *call) (*pgtree.Node, error) {
	op := operatorName(c.node.GetAExpr())
	options := "s"
	if strings.HasSuffix(op, "*") {
		options = "is"
	}
	pattern, _, err := regex(c.args[1])
	if err != nil {
		return nil, err
	}
	out := pgtree.Func("regexp_matches", c.args[0], pattern, pgtree.Text(options))
	if strings.HasPrefix(op, "!") {
		return not(out), nil
	}
	return out, nil
}

// regex turns a constant pattern into RE2's language; another is left as it is.
// groups is the number of capturing groups, -1 where it is not known.
func regex(n *pgtree.Node) (out *pgtree.Node, groups int, err error) {
	text, ok := constant(n)
	if !ok {
		return n, -1, nil
	}
	if rest, ok := strings.CutPrefix(text, "***="); ok {
		return pgtree.Text(quoteRegex(rest)), 0, nil
	}
	text = strings.TrimPrefix(text, "***:")
	var b strings.Builder
	class := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			i++
			switch e := text[i]; {
			case e == 'y' || e == 'm' || e == 'M':
				b.WriteString(`\b`)
			case e == 'Y':
				b.WriteString(`\B`)
			case e == 'Z':
				b.WriteString(`\z`)
			case e >= '1' && e <= '9' && !class:
				return nil, 0, unsupported(n, "a back reference in a regular expression is not supported")
			default:
				b.WriteByte('\\')
				b.WriteByte(e)
			}
			continue
		case class && c == '[' && i+1 < len(text) && (text[i+1] == ':' || text[i+1] == '.' || text[i+1] == '='):
			end := strings.Index(text[i+2:], string(text[i+1])+"]")
			if end < 0 {
				return nil, 0, refuse(n, "2201B", "invalid regular expression: brackets [] not balanced")
			}
			b.WriteString(text[i : i+2+end+2])
			i += 2 + end + 1
			continue
		case class:
			if c == ']' {
				class = false
			}
		case c == '[':
			if strings.HasPrefix(text[i:], "[[:<:]]") || strings.HasPrefix(text[i:], "[[:>:]]") {
				b.WriteString(`\b`)
				i += len("[[:<:]]") - 1
				continue
			}
			class = true
			b.WriteByte(c)
			// A bracket right behind the opening one stands for itself.
			if i+1 < len(text) && text[i+1] == '^' {
				i++
				b.WriteByte('^')
			}
			if i+1 < len(text) && text[i+1] == ']' {
				i++
				b.WriteString(`\]`)
			}
			continue
		case c == '(':
			rest := text[i+1:]
			switch {
			case strings.HasPrefix(rest, "?=") || strings.HasPrefix(rest, "?!") || strings.HasPrefix(rest, "?<"):
				return nil, 0, unsupported(n, "lookaround in a regular expression is not supported")
			case !strings.HasPrefix(rest, "?"):
				groups++
			}
		}
		b.WriteByte(c)
	}
	return pgtree.Text(b.String()), groups, nil
}

func quoteRegex(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(`\.+*?()|[]{}^$`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// similar is SIMILAR TO: its constant pattern as a regular expression over the
// whole text (regexp.c, similar_escape_internal).
func similar(t *translation, n *pgtree.Node, x *pg.A_Expr) (*pgtree.Node, error) {
	args := x.GetRexpr().GetFuncCall().GetArgs()
	if len(args) == 0 {
		return n, nil
	}
	text, ok := constant(args[0])
	if !ok {
		return nil, unsupported(n, "SIMILAR TO a pattern that is no constant is not supported")
	}
	escape := `\`
	if len(args) > 1 {
		if escape, ok = constant(args[1]); !ok || len([]rune(escape)) > 1 {
			return nil, refuse(n, "22025", "invalid escape string").WithHint("Escape string must be empty or one character.")
		}
	}
	out := pgtree.Func("regexp_full_match", x.GetLexpr(), pgtree.Text(similarRegex(text, escape)), pgtree.Text("s"))
	if strings.HasPrefix(operatorName(x), "!") {
		return not(out), nil
	}
	return out, nil
}

func similarRegex(text, escape string) string {
	var b strings.Builder
	class, quoted := false, false
	for _, r := range text {
		switch {
		case quoted:
			b.WriteString(quoteRegex(string(r)))
			quoted = false
		case string(r) == escape:
			quoted = true
		case class:
			class = r != ']'
			if r == '\\' {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		case r == '[':
			class = true
			b.WriteRune(r)
		case r == '%':
			b.WriteString(".*")
		case r == '_':
			b.WriteByte('.')
		case r == '(':
			b.WriteString("(?:")
		case r == '.' || r == '^' || r == '$' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// substringRegex is substring(text from pattern): the first group if there is
// one, NULL where nothing matches.
func substringRegex(c *call) (*pgtree.Node, error) {
	pattern, groups, err := regex(c.args[1])
	if err != nil {
		return nil, err
	}
	if groups < 0 {
		return nil, unsupported(c.node, "substring with a pattern that is no constant is not supported")
	}
	return macro("substring_regex", c.args[0], pattern, pgtree.Int(int64(min(groups, 1)))), nil
}

// regexpReplace is regexp_replace. \& stands for the whole match.
func regexpReplace(c *call) (*pgtree.Node, error) {
	pattern, _, err := regex(c.args[1])
	if err != nil {
		return nil, err
	}
	with := c.args[2]
	if text, ok := constant(with); ok {
		with = pgtree.Text(strings.ReplaceAll(text, `\&`, `\0`))
	}
	options := "s"
	if len(c.args) > 3 {
		flags, ok := constant(c.args[3])
		if !ok {
			return nil, unsupported(c.node, "flags of a regular expression must be a constant")
		}
		more, err := regexFlags(c.args[3], flags)
		if err != nil {
			return nil, err
		}
		options = more
	}
	return pgtree.Func("regexp_replace", c.args[0], pattern, with, pgtree.Text(options)), nil
}

// regexFlags turns PostgreSQL's flags into the engine's options.
func regexFlags(n *pgtree.Node, flags string) (string, error) {
	options := "s"
	for _, f := range flags {
		switch f {
		case 'g', 'i':
			options += string(f)
		case 'c', 's':
		case 'n', 'm':
			options = strings.Replace(options, "s", "m", 1)
		default:
			return "", refuse(n, "22023", "invalid regular expression option: %q", string(f))
		}
	}
	return options, nil
}

// regexpGroups is regexp_match and regexp_matches: an array of the groups of a
// match, or of the whole match where there are none.
func regexpGroups(c *call) (*pgtree.Node, error) {
	pattern, groups, err := regex(c.args[1])
	if err != nil {
		return nil, err
	}
	if groups < 0 {
		return nil, unsupported(c.node, "%s with a pattern that is no constant is not supported", callName(c.node))
	}
	options := "s"
	if len(c.args) > 2 {
		flags, ok := constant(c.args[2])
		if !ok {
			return nil, unsupported(c.node, "flags of a regular expression must be a constant")
		}
		if options, err = regexFlags(c.args[2], flags); err != nil {
			return nil, err
		}
	}
	all := strings.Contains(options, "g")
	options = strings.ReplaceAll(options, "g", "")
	set := callName(c.node) == "regexp_matches"
	if all {
		if groups > 1 {
			return nil, unsupported(c.node, "regexp_matches with the flag g and several groups is not supported")
		}
		return macro("regex_all", c.args[0], pattern, pgtree.Int(int64(groups)), pgtree.Text(options)), nil
	}
	elements := []*pgtree.Node{}
	for g := min(1, groups); g <= groups; g++ {
		elements = append(elements, pgtree.Func("regexp_extract", pgtree.Clone(c.args[0]), pgtree.Clone(pattern), pgtree.Int(int64(g)), pgtree.Text(options)))
	}
	found := &pgtree.Node{Node: &pg.Node_AArrayExpr{AArrayExpr: &pg.A_ArrayExpr{Elements: elements, Location: -1}}}
	if set {
		found = &pgtree.Node{Node: &pg.Node_AArrayExpr{AArrayExpr: &pg.A_ArrayExpr{Elements: []*pgtree.Node{found}, Location: -1}}}
	}
	when := &pgtree.Node{Node: &pg.Node_CaseWhen{CaseWhen: &pg.CaseWhen{
		Expr: pgtree.Func("regexp_matches", c.args[0], pattern, pgtree.Text(options)), Result: found, Location: -1}}}
	return &pgtree.Node{Node: &pg.Node_CaseExpr{CaseExpr: &pg.CaseExpr{Args: []*pgtree.Node{when}, Location: -1}}}, nil
}

// regexpSplit is regexp_split_to_array and regexp_split_to_table.
func regexpSplit(c *call) (*pgtree.Node, error) {
	pattern, _, err := regex(c.args[1])
	if err != nil {
		return nil, err
	}
	return pgtree.Func("regexp_split_to_array", c.args[0], pattern), nil
}

// formatText is format() with a constant text: %s, %I, %L, %% and %n$.
func formatText(c *call) (*pgtree.Node, error) {
	text, ok := constant(c.args[0])
	if !ok {
		return nil, unsupported(c.node, "format with a text that is no constant is not supported")
	}
	var parts []*pgtree.Node
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			parts = append(parts, pgtree.Text(plain.String()))
			plain.Reset()
		}
	}
	next := 1
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			plain.WriteByte(text[i])
			continue
		}
		i++
		number, digits := 0, 0
		for ; i < len(text) && text[i] >= '0' && text[i] <= '9' && digits < 4; i++ {
			number, digits = number*10+int(text[i]-'0'), digits+1
		}
		if digits > 0 && i < len(text) && text[i] == '$' {
			i++
			next = number
		} else if digits > 0 {
			return nil, unsupported(c.node, "a width in format is not supported")
		}
		if i >= len(text) {
			return nil, refuse(c.node, "22023", "unterminated format() type specifier").WithHint(`For a single "%%" use "%%%%".`)
		}
		if text[i] == '%' {
			plain.WriteByte('%')
			continue
		}
		if text[i] != 's' && text[i] != 'I' && text[i] != 'L' {
			return nil, refuse(c.node, "22023", "unrecognized format() type specifier %q", string(text[i])).WithHint(`For a single "%%" use "%%%%".`)
		}
		if next < 1 || next >= len(c.args) {
			return nil, refuse(c.node, "22023", "too few arguments for format()")
		}
		arg := outputText(pgtree.Clone(c.args[next]), c.types[next])
		next++
		flush()
		switch text[i] {
		case 's':
			parts = append(parts, pgtree.Coalesce(arg, pgtree.Text("")))
		case 'I':
			parts = append(parts, macro("quote_ident", arg))
		case 'L':
			parts = append(parts, macro("quote_nullable", arg))
		}
	}
	flush()
	if len(parts) == 0 {
		return pgtree.Text(""), nil
	}
	out := parts[0]
	for _, p := range parts[1:] {
		out = pgtree.Op("||", out, p)
	}
	return out, nil
}

// concatText is concat and concat_ws over values in PostgreSQL's text form.
func concatText(c *call) (*pgtree.Node, error) {
	args := make([]*pgtree.Node, len(c.args))
	for i, a := range c.args {
		args[i] = outputText(a, c.types[i])
	}
	return pgtree.Func(callName(c.node), args...), nil
}
