package dialect

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/pggate/pggate/rewrite/internal/pgtree"
	"github.com/pggate/pggate/semantic/sqltype"
)

// none is the type of what cannot be told, such as a column of a relation that
// Schema does not know. It is not "unknown", which is the type of a string
// constant.
var none = sqltype.Type{Mod: -1}

func isNone(t sqltype.Type) bool { return t.OID == 0 }

// notes are what is known of nodes, kept beside the tree.
type notes struct {
	types  map[*pgtree.Node]sqltype.Type // of the value, as the engine will give it
	calls  map[*pgtree.Node]*entry       // the entry of the tables that fits a call or an operator
	from   map[*pgtree.Node]bool         // calls that stand in FROM
	within map[*pgtree.Node]bool         // rows that are compared, not shown
}

func newNotes() *notes {
	return &notes{
		types: make(map[*pgtree.Node]sqltype.Type), calls: make(map[*pgtree.Node]*entry),
		from: make(map[*pgtree.Node]bool), within: make(map[*pgtree.Node]bool),
	}
}

func (n *notes) typeOf(e *pgtree.Node) sqltype.Type {
	if t, ok := n.types[e]; ok {
		return t
	}
	return none
}

// carry hands what is known of a node to the one that takes its place.
func (n *notes) carry(from, to *pgtree.Node) {
	if t, ok := n.types[from]; ok {
		n.types[to] = t
	}
	if n.from[from] {
		n.from[to], n.calls[to] = true, n.calls[from]
	}
}

// domains of information_schema and what they are made of.
var domains = map[string]sqltype.OID{
	"cardinal_number": sqltype.Int4, "character_data": sqltype.Varchar, "sql_identifier": sqltype.Name,
	"time_stamp": sqltype.Timestamptz, "yes_or_no": sqltype.Varchar,
}

// typeOID gives the type that a name means, and whether an array of it is
// meant; 0 for one that is not built in.
func typeOID(t *pg.TypeName) (oid sqltype.OID, array bool) {
	array = len(t.GetArrayBounds()) > 0
	names := pgtree.NameParts(t.GetNames())
	switch {
	case len(names) == 1:
		oid, _ = sqltype.ByName(names[0])
	case len(names) == 2 && names[0] == "pg_catalog":
		oid, _ = sqltype.ByName(names[1])
	case len(names) == 2 && names[0] == "information_schema":
		oid = domains[names[1]]
	case len(names) == 3 && names[0] == "pggate":
		oid, _ = sqltype.ByName(names[2]) // an alias type of the catalogue
	}
	if elem := oid.Elem(); elem != 0 && strings.HasPrefix(oid.Name(), "_") && !array {
		return elem, true
	}
	return oid, array
}

// typeOf is the type that a name means, with its modifier.
func typeOf(t *pg.TypeName) sqltype.Type {
	oid, array := typeOID(t)
	if oid == 0 {
		return none
	}
	out := sqltype.Of(oid)
	mods := make([]int64, 0, 2)
	for _, m := range t.GetTypmods() {
		if v, ok := integer(m); ok {
			mods = append(mods, v)
		}
	}
	switch {
	case oid == sqltype.Numeric && len(mods) == 1:
		out = sqltype.NumericOf(int(mods[0]), 0)
	case oid == sqltype.Numeric && len(mods) == 2:
		out = sqltype.NumericOf(int(mods[0]), int(mods[1]))
	case (oid == sqltype.Varchar || oid == sqltype.BPChar) && len(mods) == 1:
		out.Mod = int32(mods[0]) + 4
	}
	if array {
		out = sqltype.Of(oid.Array())
	}
	return out
}

// scale gives the digits after the point of a numeric type, 0 for an integer;
// false where they are not known.
func scale(t sqltype.Type) (int, bool) {
	switch t.OID {
	case sqltype.Int2, sqltype.Int4, sqltype.Int8:
		return 0, true
	case sqltype.Numeric:
		if t.Mod >= 0 {
			return int((t.Mod - 4) & 0xffff), true
		}
	}
	return 0, false
}

func isInteger(t sqltype.Type) bool {
	return t.OID == sqltype.Int2 || t.OID == sqltype.Int4 || t.OID == sqltype.Int8
}

func isFloat(t sqltype.Type) bool { return t.OID == sqltype.Float4 || t.OID == sqltype.Float8 }

func isNumber(t sqltype.Type) bool {
	return isInteger(t) || isFloat(t) || t.OID == sqltype.Numeric
}

func isText(t sqltype.Type) bool {
	switch t.OID {
	case sqltype.Text, sqltype.Varchar, sqltype.BPChar, sqltype.Name, sqltype.Char:
		return true
	}
	return false
}

func isJSON(t sqltype.Type) bool { return t.OID == sqltype.JSON || t.OID == sqltype.JSONB }

func isArray(t sqltype.Type) bool { return t.OID.Elem() != 0 }

// rank orders the numeric types by what they can hold.
func rank(oid sqltype.OID) int {
	switch oid {
	case sqltype.Int2:
		return 1
	case sqltype.Int4:
		return 2
	case sqltype.Int8:
		return 3
	case sqltype.Numeric:
		return 4
	case sqltype.Float4:
		return 5
	case sqltype.Float8:
		return 6
	}
	return 0
}

// wider is the type that two branches of CASE, COALESCE, UNION and the like
// share (parse_coerce.c, select_common_type, for the types that matter here).
func wider(a, b sqltype.Type) sqltype.Type {
	switch {
	case a.OID == sqltype.Unknown:
		return b
	case b.OID == sqltype.Unknown:
		return a
	case isNone(a) || isNone(b):
		return none
	case isNumber(a) && isNumber(b):
		sa, oka := scale(a)
		sb, okb := scale(b)
		switch {
		case a.OID == sqltype.Numeric && oka && okb && b.OID != sqltype.Float4 && b.OID != sqltype.Float8,
			b.OID == sqltype.Numeric && oka && okb:
			return sqltype.NumericOf(38, max(sa, sb))
		case rank(b.OID) > rank(a.OID):
			return sqltype.Of(b.OID)
		}
		return sqltype.Of(a.OID)
	case a.OID == b.OID:
		if a.Mod != b.Mod {
			return sqltype.Of(a.OID)
		}
		return a
	case isText(a) && isText(b):
		return sqltype.Of(sqltype.Text)
	case a.OID == sqltype.Date && (b.OID == sqltype.Timestamp || b.OID == sqltype.Timestamptz),
		a.OID == sqltype.Timestamp && b.OID == sqltype.Timestamptz:
		return b
	case b.OID == sqltype.Date && (a.OID == sqltype.Timestamp || a.OID == sqltype.Timestamptz),
		b.OID == sqltype.Timestamp && a.OID == sqltype.Timestamptz:
		return a
	}
	return none
}

// shown is the type of a value once it leaves a query: a constant string is
// text there.
func shown(t sqltype.Type) sqltype.Type {
	if t.OID == sqltype.Unknown {
		return sqltype.Of(sqltype.Text)
	}
	return t
}
