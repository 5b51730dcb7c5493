package dialect

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
)

// from gives the columns of functions in FROM PostgreSQL's names, and joins the
// functions of ROWS FROM side by side. The pass over calls has already turned
// each into a list, which unnest spreads.
func from(t *translation, n *pgtree.Node) (*pgtree.Node, error) {
	f := n.GetRangeFunction()
	if f == nil {
		return n, nil
	}
	if len(f.GetColdeflist()) > 0 {
		return nil, unsupported(n, "a column definition list is not supported")
	}
	for _, item := range f.GetFunctions() {
		if len(item.GetList().GetItems()) > 1 && item.GetList().GetItems()[1].GetList() != nil {
			return nil, unsupported(n, "a column definition list is not supported")
		}
	}
	if len(f.GetFunctions()) == 0 {
		return n, nil
	}
	alias := f.GetAlias()
	names := pgtree.NameParts(alias.GetColnames())
	var targets []*pgtree.Node
	label := alias.GetAliasname()
	for _, item := range f.GetFunctions() {
		call := item.GetList().GetItems()[0]
		e, name := t.notes.calls[call], t.nameOf(call)
		if label == "" {
			label = name
		}
		if e == nil {
			if _, ours := functionName(call.GetFuncCall()); call.GetFuncCall() != nil && !ours {
				return n, nil // a function of the catalogue
			}
			// Any other expression is one row.
			targets = append(targets, pgtree.Target(name, call))
			continue
		}
		switch {
		case e.columns != "" && !strings.Contains(e.columns, " "):
			targets = append(targets, pgtree.Target(e.columns, pgtree.Func("unnest", call)))
		case e.columns != "":
			if len(f.GetFunctions()) > 1 {
				return nil, unsupported(n, "%s in ROWS FROM is not supported", name)
			}
			for i, column := range strings.Fields(e.columns) {
				targets = append(targets, pgtree.Target(column, pgtree.Func("unnest", pgtree.Clone(call.GetFuncCall().GetArgs()[i]))))
			}
		case e.name == "unnest":
			for _, a := range call.GetFuncCall().GetArgs() {
				targets = append(targets, pgtree.Target(name, pgtree.Func("unnest", a)))
			}
		case e.name == "generate_series" && len(f.GetFunctions()) == 1 && !f.GetOrdinality() && constants(call):
			return series(f, call, label), nil
		case e.kind == rows:
			targets = append(targets, pgtree.Target(name, pgtree.Func("unnest", call)))
		default:
			targets = append(targets, pgtree.Target(name, call))
		}
	}
	if len(targets) == 1 && alias.GetAliasname() != "" && len(names) == 0 && targets[0].GetResTarget().GetName() != "value" {
		// FROM f() AS g names the column g as well, unless f names it itself.
		targets[0].GetResTarget().Name = alias.GetAliasname()
	}
	query := &pg.SelectStmt{TargetList: targets}
	if f.GetOrdinality() {
		query = numbered(query)
	}
	out := pgtree.Subselect(pgtree.Select(query), label)
	out.GetRangeSubselect().Lateral = true
	out.GetRangeSubselect().Alias.Colnames = alias.GetColnames()
	return out, nil
}

// constants tells that an expression holds nothing but constants.
func constants(n *pgtree.Node) bool {
	ok := true
	pgtree.Walk(n, func(k *pgtree.Node) bool {
		if k.GetColumnRef() != nil || k.GetParamRef() != nil || k.GetSubLink() != nil || k.GetAConst().GetIsnull() {
			ok = false
		}
		return ok
	})
	return ok
}

// series makes a series of constant bounds the engine's table function, which
// streams where a list would be built whole. call is generate_series or a cast
// of it to an array.
func series(f *pg.RangeFunction, call *pgtree.Node, label string) *pgtree.Node {
	const column = "generate_series"
	value := pgtree.Column(column, column)
	if c := call.GetTypeCast(); c != nil {
		element := pgtree.Clone(call).GetTypeCast()
		element.TypeName.ArrayBounds = nil
		element.Arg = value
		call, value = c.GetArg(), &pgtree.Node{Node: &pg.Node_TypeCast{TypeCast: element}}
	}
	function := &pg.RangeFunction{Functions: []*pgtree.Node{pg.MakeListNode([]*pgtree.Node{call, {}})}, Alias: pgtree.Alias(column, column)}
	query := &pg.SelectStmt{TargetList: []*pgtree.Node{pgtree.Target(label, value)}, FromClause: []*pgtree.Node{{Node: &pg.Node_RangeFunction{RangeFunction: function}}}}
	out := pgtree.Subselect(pgtree.Select(query), label)
	out.GetRangeSubselect().Alias.Colnames = f.GetAlias().GetColnames()
	return out
}

// nameOf is the name under which the client called what is now n.
func (t *translation) nameOf(n *pgtree.Node) string {
	if name, ok := t.names[n]; ok {
		return name
	}
	return callName(n)
}

// numbered adds the column of WITH ORDINALITY. The window has no order: rows of
// one unnest come in the order of its list.
func numbered(query *pg.SelectStmt) *pg.SelectStmt {
	number := pgtree.Func("row_number")
	number.GetFuncCall().Over = &pg.WindowDef{FrameOptions: defaultFrame, Location: -1}
	return &pg.SelectStmt{
		TargetList: []*pgtree.Node{pgtree.Target("", star()), pgtree.Target("ordinality", number)},
		FromClause: []*pgtree.Node{pgtree.Subselect(pgtree.Select(query), "_")},
	}
}

// defaultFrame is FRAMEOPTION_DEFAULTS of parsenodes.h.
const defaultFrame = 1058
