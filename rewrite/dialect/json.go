package dialect

import (
	"strconv"
	"strings"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

// jsonKey is -> and ->>: a function, because DuckDB's operators bind weaker.
func jsonKey(c *call) (*pgtree.Node, error) {
	name := "json_extract"
	if operatorName(c.node.GetAExpr()) == "->>" {
		name = "json_extract_string"
	}
	var path *pgtree.Node
	if key, ok := constant(c.args[1]); ok {
		path = pgtree.Text(jsonStep(key))
	} else if i, ok := integer(c.args[1]); ok {
		path = pgtree.Text(jsonIndex(i))
	} else if isInteger(c.types[1]) {
		path = macro("json_index", c.args[1])
	} else {
		path = macro("json_step", c.args[1])
	}
	return pgtree.Func(name, jsonValue(c.args[0], c.types[0]), path), nil
}

// jsonValue makes a constant json.
func jsonValue(n *pgtree.Node, typ sqltype.Type) *pgtree.Node {
	if typ.OID == sqltype.Unknown {
		return pgtree.Cast(n, []string{"json"})
	}
	return n
}

func jsonStep(key string) string {
	return `$."` + strings.ReplaceAll(key, `"`, `\"`) + `"`
}

func jsonIndex(i int64) string {
	if i < 0 {
		return "$[#-" + strconv.FormatInt(-i, 10) + "]"
	}
	return "$[" + strconv.FormatInt(i, 10) + "]"
}

// jsonPath is #> and #>> with a constant path. A JSON pointer steps into
// objects and arrays alike, as PostgreSQL's path does.
func jsonPath(c *call) (*pgtree.Node, error) {
	var steps []string
	switch text, ok := constant(c.args[1]); {
	case ok:
		elements, err := parseArray(c.args[1], text)
		if err != nil {
			return nil, err
		}
		for _, e := range elements {
			if e.null || e.nested != nil {
				return nil, unsupported(c.node, "this path into a json value is not supported")
			}
			steps = append(steps, e.text)
		}
	default:
		list := c.args[1]
		if cast := list.GetTypeCast(); cast != nil {
			list = cast.GetArg()
		}
		if list.GetAArrayExpr() == nil {
			return nil, unsupported(c.node, "a path into a json value must be a constant")
		}
		for _, e := range list.GetAArrayExpr().GetElements() {
			step, ok := constant(e)
			if !ok {
				return nil, unsupported(c.node, "a path into a json value must be a constant")
			}
			steps = append(steps, step)
		}
	}
	name := "json_extract"
	if operatorName(c.node.GetAExpr()) == "#>>" {
		name = "json_extract_string"
	}
	return pgtree.Func(name, jsonValue(c.args[0], c.types[0]), pgtree.Text(jsonPointer(steps))), nil
}

func jsonPointer(steps []string) string {
	if len(steps) == 0 {
		return "$"
	}
	var b strings.Builder
	for _, s := range steps {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(s))
	}
	return b.String()
}

// jsonExtractPath is json_extract_path and json_extract_path_text.
func jsonExtractPath(c *call) (*pgtree.Node, error) {
	var steps []string
	for _, a := range c.args[1:] {
		step, ok := constant(a)
		if !ok {
			return nil, unsupported(c.node, "a path into a json value must be a constant")
		}
		steps = append(steps, step)
	}
	name := "json_extract"
	if strings.HasSuffix(callName(c.node), "_text") {
		name = "json_extract_string"
	}
	return pgtree.Func(name, jsonValue(c.args[0], c.types[0]), pgtree.Text(jsonPointer(steps))), nil
}
