// Package catalog makes pg_catalog and information_schema out of relations in
// the engine (floor 2, under rewrite). The relations have PostgreSQL 15's
// columns; their rows say what models and database hold. It gives SQL for the
// engine to run, and rewrites catalogue functions and reg* casts in a client's
// tree. It runs nothing.
package catalog

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/pggate/pggate/semantic/sqltype"
)

// Names in the engine: the in-memory database that holds the catalogue, and its
// schemas for relations and for functions.
const (
	engineDatabase = "pggate"
	pgSchema       = "pg"
	infoSchema     = "info"
	fnSchema       = "fn"
)

// A Database is what the catalogue describes.
type Database struct {
	Name, Owner string
	Schemas     []string // besides pg_catalog, information_schema and public
	Relations   []Relation
	Settings    [][2]string
}

// A Relation is a table or view as clients see it.
type Relation struct {
	Schema, Name string
	Comment      string
	Definition   string // of a view
	Kind         byte   // 'r' table, 'v' view
	Columns      []Column
	PrimaryKey   []string
	ForeignKeys  []ForeignKey
	Rows         float64
}

// A Column is one column. Generated marks a measure: its value is computed for
// whatever group is asked.
type Column struct {
	Name      string
	Type      sqltype.Type
	NotNull   bool
	Generated bool
	Expr      string // of a measure, as the model has it
	Comment   string
}

// A ForeignKey leads from columns to those of another relation.
type ForeignKey struct {
	Name       string
	Columns    []string
	Schema     string
	Relation   string
	RefColumns []string
}

// relations.tsv lists schema, relation, column and type of every relation of
// PostgreSQL 15's two system schemas, in order.
//
//go:embed relations.tsv
var relationsTSV string

// A table is one system relation.
type table struct {
	schema, name string
	columns      [][2]string // name and type
}

var tables = func() []table {
	var out []table
	for _, line := range strings.Split(strings.TrimSpace(relationsTSV), "\n") {
		f := strings.Split(line, "\t")
		if n := len(out); n == 0 || out[n-1].name != f[1] || out[n-1].schema != f[0] {
			out = append(out, table{schema: f[0], name: f[1]})
		}
		t := &out[len(out)-1]
		t.columns = append(t.columns, [2]string{f[2], f[3]})
	}
	return out
}()

var known = func() map[[2]string]bool {
	m := map[[2]string]bool{}
	for _, t := range tables {
		m[[2]string{t.schema, t.name}] = true
	}
	return m
}()

// Lookup finds a system relation: its database, schema and name in the engine.
// An empty schema means pg_catalog, which is searched before all others.
func Lookup(schema, name string) (engine [3]string, ok bool) {
	if schema == "" {
		schema = "pg_catalog"
	}
	if !known[[2]string{schema, name}] {
		return engine, false
	}
	return [3]string{engineDatabase, engineSchema(schema), name}, true
}

// Columns gives the columns of a system relation by its engine name, with the
// types that PostgreSQL gives them.
func Columns(database, schema, name string) ([]sqltype.Column, bool) {
	if database != engineDatabase {
		return nil, false
	}
	for _, t := range tables {
		if t.name != name || engineSchema(t.schema) != schema {
			continue
		}
		out := make([]sqltype.Column, len(t.columns))
		for i, c := range t.columns {
			out[i] = sqltype.Column{Name: c[0], Type: sqltype.Of(sqltype.Text)}
			if oid, ok := sqltype.ByName(c[1]); ok {
				out[i].Type = sqltype.Of(oid)
			}
		}
		return out, true
	}
	return nil, false
}

func engineSchema(schema string) string {
	if schema == "information_schema" {
		return infoSchema
	}
	return pgSchema
}

// OID is the object id of a thing with a name: a hash, so that it is the same
// after a restart and in every process. Ids below 16384 are PostgreSQL's own.
func OID(kind, schema, name string) uint32 {
	h := fnv.New64a()
	fmt.Fprint(h, kind, "\x00", schema, "\x00", name)
	const low, high = 16384, 1 << 31
	return low + uint32(h.Sum64()%(high-low))
}

// typeSQL is the type of a system column in the engine. A type of its own name
// marks what the engine has no type for; the adapter reads the name back.
func typeSQL(t string) string {
	alias := func(name string) string { return engineDatabase + "." + pgSchema + ".t_" + name }
	if elem, ok := strings.CutPrefix(t, "_"); ok {
		if elem == "aclitem" {
			return "VARCHAR[]"
		}
		return typeSQL(elem) + "[]"
	}
	if base, ok := aliased[t]; ok && base != "" {
		return alias(t)
	}
	if sql, ok := direct[t]; ok {
		return sql
	}
	return "VARCHAR"
}

// aliased are the types with a name of their own over an engine type.
var aliased = map[string]string{
	"oid": "UINTEGER", "name": "VARCHAR", "char": "VARCHAR", "int2vector": "SMALLINT[]", "oidvector": "UINTEGER[]",
	"regproc": "VARCHAR", "regtype": "VARCHAR", "regclass": "VARCHAR", "pg_node_tree": "VARCHAR", "xid": "UINTEGER",
}

var direct = map[string]string{
	"bool": "BOOLEAN", "int2": "SMALLINT", "int4": "INTEGER", "int8": "BIGINT", "float4": "FLOAT", "float8": "DOUBLE", "text": "VARCHAR",
	"varchar": "VARCHAR", "timestamptz": "TIMESTAMPTZ", "interval": "INTERVAL", "numeric": "DECIMAL(38,0)", "bytea": "BLOB",
}

func ident(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
