package catalog

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/pggate/pggate/semantic/sqltype"
)

// system.tsv lists schema, name, object id and kind of PostgreSQL 15's system
// relations.
//
//go:embed system.tsv
var systemTSV string

// Object ids that PostgreSQL fixes, and one that it assigns when a cluster is
// made (pg_namespace.dat, pg_authid.dat, pg_am.dat).
const (
	catalogNamespace = 11
	publicNamespace  = 2200
	infoNamespace    = 13207
	ownerRole        = 10
	heapMethod       = 2
	btreeMethod      = 403
	classRelation    = 1259
)

// A script collects rows, and writes them as one transaction.
type script struct {
	rows  map[string][]string // by table and columns
	order []string
}

// row adds a row: columns and values in pairs. Values are string, bool, uint32,
// int, float64, []int, nil, or sql for text of the engine.
func (s *script) row(table string, pairs ...any) {
	var cols, vals []string
	for i := 0; i < len(pairs); i += 2 {
		cols = append(cols, ident(pairs[i].(string)))
		vals = append(vals, render(pairs[i+1]))
	}
	head := table + "\x00" + strings.Join(cols, ", ")
	if s.rows[head] == nil {
		s.order = append(s.order, head)
	}
	s.rows[head] = append(s.rows[head], "("+strings.Join(vals, ", ")+")")
}

type sql string

func render(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return literal(v)
	case sql:
		return string(v)
	case []int:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = fmt.Sprint(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(v)
}

func (s *script) text() string {
	var b strings.Builder
	b.WriteString("BEGIN;\n")
	done := map[string]bool{}
	for _, head := range s.order {
		table, _, _ := strings.Cut(head, "\x00")
		if !done[table] {
			done[table] = true
			b.WriteString("DELETE FROM " + table + ";\n")
		}
	}
	for _, head := range s.order {
		table, cols, _ := strings.Cut(head, "\x00")
		b.WriteString("INSERT INTO " + table + "(" + cols + ") VALUES\n" + strings.Join(s.rows[head], ",\n") + ";\n")
	}
	b.WriteString("COMMIT;\n")
	return b.String()
}

func pgTable(name string) string { return engineDatabase + "." + pgSchema + "." + ident(name) }
func isTable(name string) string { return engineDatabase + "." + infoSchema + "." + ident(name) }

const definitions = engineDatabase + "." + fnSchema + ".definitions"

// Script is the rows that describe a database, in place of those of any other.
func Script(db Database) string {
	s := &script{rows: map[string][]string{}}
	if db.Owner == "" {
		db.Owner = "pggate"
	}
	s.row(definitions, "kind", "", "oid", 0, "sql", "")
	s.cluster(db)
	s.systemRelations()
	for _, r := range db.Relations {
		s.relation(db, r)
	}
	return s.text()
}

func namespace(schema string) uint32 {
	switch schema {
	case "pg_catalog":
		return catalogNamespace
	case "information_schema":
		return infoNamespace
	case "public":
		return publicNamespace
	}
	return OID("schema", "", schema)
}

func (s *script) cluster(db Database) {
	database := OID("database", "", db.Name)
	s.row(pgTable("pg_database"), "oid", database, "datname", db.Name, "datdba", ownerRole, "encoding", 6, "datlocprovider", "c", "datistemplate", false,
		"datallowconn", true, "datconnlimit", -1, "datfrozenxid", 716, "datminmxid", 1, "dattablespace", 1663, "datcollate", "C.UTF-8", "datctype", "C.UTF-8")
	schemas := []string{"pg_catalog", "information_schema", "public"}
	for _, n := range db.Schemas {
		if n != "public" {
			schemas = append(schemas, n)
		}
	}
	for _, n := range schemas {
		s.row(pgTable("pg_namespace"), "oid", namespace(n), "nspname", n, "nspowner", ownerRole)
		s.row(isTable("schemata"), "catalog_name", db.Name, "schema_name", n, "schema_owner", db.Owner)
	}
	for _, t := range []string{"pg_roles", "pg_authid"} {
		s.row(pgTable(t), "oid", ownerRole, "rolname", db.Owner, "rolsuper", false, "rolinherit", true, "rolcreaterole", false, "rolcreatedb", false,
			"rolcanlogin", true, "rolreplication", false, "rolconnlimit", -1, "rolbypassrls", false)
	}
	s.row(pgTable("pg_user"), "usename", db.Owner, "usesysid", ownerRole, "usecreatedb", false, "usesuper", false, "userepl", false, "usebypassrls", false)
	for _, x := range append([][2]string{{"server_version", "15.18"}, {"server_version_num", "150018"}, {"max_index_keys", "32"}, {"max_identifier_length", "63"}, {"lc_collate", "C.UTF-8"}, {"lc_ctype", "C.UTF-8"}, {"block_size", "8192"}}, db.Settings...) {
		s.row(pgTable("pg_settings"), "name", x[0], "setting", x[1], "context", "internal", "vartype", "string", "source", "default", "boot_val", x[1], "reset_val", x[1], "pending_restart", false)
	}
}

func (s *script) class(oid uint32, name string, ns, owner uint32, kind string, am int, columns int, index bool, rows float64) {
	s.row(pgTable("pg_class"), "oid", oid, "relname", name, "relnamespace", ns, "reltype", 0, "reloftype", 0, "relowner", owner, "relam", am, "relfilenode", 0, "reltablespace", 0,
		"relpages", 0, "reltuples", rows, "relallvisible", 0, "reltoastrelid", 0, "relhasindex", index, "relisshared", false, "relpersistence", "p", "relkind", kind,
		"relnatts", columns, "relchecks", 0, "relhasrules", kind == "v", "relhastriggers", false, "relhassubclass", false, "relrowsecurity", false, "relforcerowsecurity", false,
		"relispopulated", true, "relreplident", "n", "relispartition", false, "relrewrite", 0, "relfrozenxid", 0, "relminmxid", 0)
}

func (s *script) attribute(rel uint32, num int, name string, t sqltype.Type, notNull bool, generated string) {
	storage, collation := "p", 0
	if t.OID.Size() < 0 {
		storage = "x"
	}
	if t.OID == sqltype.Numeric {
		storage = "m"
	}
	switch t.OID {
	case sqltype.Text, sqltype.Varchar, sqltype.BPChar:
		collation = 100
	case sqltype.Name:
		collation = 950
	}
	dims := 0
	if t.OID.Elem() != 0 && t.OID.Size() == -1 && strings.HasPrefix(t.OID.Name(), "_") {
		dims = 1
	}
	s.row(pgTable("pg_attribute"), "attrelid", rel, "attname", name, "atttypid", uint32(t.OID), "attstattarget", -1, "attlen", int(t.OID.Size()), "attnum", num, "attndims", dims,
		"attcacheoff", -1, "atttypmod", int(t.Mod), "attbyval", t.OID.Size() > 0 && t.OID.Size() <= 8, "attalign", "i", "attstorage", storage, "attcompression", "",
		"attnotnull", notNull, "atthasdef", generated != "", "atthasmissing", false, "attidentity", "", "attgenerated", generated, "attisdropped", false, "attislocal", true, "attinhcount", 0, "attcollation", collation)
}

func (s *script) systemRelations() {
	width := map[[2]string][][2]string{}
	for _, t := range tables {
		width[[2]string{t.schema, t.name}] = t.columns
	}
	for _, line := range strings.Split(strings.TrimSpace(systemTSV), "\n") {
		f := strings.Split(line, "\t")
		var oid uint32
		fmt.Sscan(f[2], &oid)
		columns := width[[2]string{f[0], f[1]}]
		am := 0
		if f[3] == "r" {
			am = heapMethod
		}
		s.class(oid, f[1], namespace(f[0]), ownerRole, f[3], am, len(columns), false, -1)
		for i, c := range columns {
			t := sqltype.Of(sqltype.Text)
			if o, ok := sqltype.ByName(c[1]); ok {
				t = sqltype.Of(o)
			}
			s.attribute(oid, i+1, c[0], t, false, "")
		}
	}
}

func (s *script) relation(db Database, r Relation) {
	oid, ns, kind, am := OID("relation", r.Schema, r.Name), namespace(r.Schema), string(r.Kind), 0
	if r.Kind == 'r' {
		am = heapMethod
	}
	rows := r.Rows
	if rows == 0 {
		rows = -1
	}
	s.class(oid, r.Name, ns, ownerRole, kind, am, len(r.Columns), len(r.PrimaryKey) > 0 && r.Kind == 'r', rows)
	tableType := "BASE TABLE"
	if r.Kind == 'v' {
		tableType = "VIEW"
		s.row(definitions, "kind", "view", "oid", oid, "sql", " "+r.Definition+";")
		s.row(isTable("views"), "table_catalog", db.Name, "table_schema", r.Schema, "table_name", r.Name, "view_definition", r.Definition, "check_option", "NONE", "is_updatable", "NO", "is_insertable_into", "NO",
			"is_trigger_updatable", "NO", "is_trigger_deletable", "NO", "is_trigger_insertable_into", "NO")
		s.row(pgTable("pg_views"), "schemaname", r.Schema, "viewname", r.Name, "viewowner", db.Owner, "definition", r.Definition)
	} else {
		s.row(pgTable("pg_tables"), "schemaname", r.Schema, "tablename", r.Name, "tableowner", db.Owner, "hasindexes", len(r.PrimaryKey) > 0, "hasrules", false, "hastriggers", false, "rowsecurity", false)
	}
	s.row(isTable("tables"), "table_catalog", db.Name, "table_schema", r.Schema, "table_name", r.Name, "table_type", tableType, "is_insertable_into", "NO", "is_typed", "NO")
	if r.Comment != "" {
		s.row(pgTable("pg_description"), "objoid", oid, "classoid", classRelation, "objsubid", 0, "description", r.Comment)
	}
	numbers := map[string]int{}
	for i, c := range r.Columns {
		numbers[c.Name] = i + 1
		generated, always := "", "NEVER"
		if c.Generated {
			generated, always = "s", "ALWAYS"
		}
		s.attribute(oid, i+1, c.Name, c.Type, c.NotNull, generated)
		if c.Generated {
			s.row(pgTable("pg_attrdef"), "oid", OID("default", r.Schema+"."+r.Name, c.Name), "adrelid", oid, "adnum", i+1, "adbin", c.Expr)
		}
		if c.Comment != "" {
			s.row(pgTable("pg_description"), "objoid", oid, "classoid", classRelation, "objsubid", i+1, "description", c.Comment)
		}
		s.informationColumn(db, r, i+1, c, always)
	}
	s.keys(db, r, oid, ns, numbers)
}

func (s *script) informationColumn(db Database, r Relation, num int, c Column, always string) {
	var length, precision, radix, scale, datetime any
	switch c.Type.OID {
	case sqltype.Int2:
		precision, radix, scale = 16, 2, 0
	case sqltype.Int4:
		precision, radix, scale = 32, 2, 0
	case sqltype.Int8:
		precision, radix, scale = 64, 2, 0
	case sqltype.Float4:
		precision, radix = 24, 2
	case sqltype.Float8:
		precision, radix = 53, 2
	case sqltype.Numeric:
		radix = 10
		if c.Type.Mod >= 4 {
			precision, scale = int(c.Type.Mod-4)>>16, int(c.Type.Mod-4)&0xffff
		}
	case sqltype.Varchar, sqltype.BPChar:
		if c.Type.Mod >= 4 {
			length = int(c.Type.Mod - 4)
		}
	case sqltype.Date:
		datetime = 0
	case sqltype.Time, sqltype.Timetz, sqltype.Timestamp, sqltype.Timestamptz, sqltype.Interval:
		datetime = 6
	}
	data := sqltype.Of(c.Type.OID).String()
	if strings.HasSuffix(data, "[]") {
		data = "ARRAY"
	}
	nullable := "YES"
	if c.NotNull {
		nullable = "NO"
	}
	s.row(isTable("columns"), "table_catalog", db.Name, "table_schema", r.Schema, "table_name", r.Name, "column_name", c.Name, "ordinal_position", num, "is_nullable", nullable,
		"data_type", data, "character_maximum_length", length, "numeric_precision", precision, "numeric_precision_radix", radix, "numeric_scale", scale, "datetime_precision", datetime,
		"udt_catalog", db.Name, "udt_schema", "pg_catalog", "udt_name", c.Type.OID.Name(), "dtd_identifier", fmt.Sprint(num), "is_self_referencing", "NO", "is_identity", "NO", "is_generated", always, "is_updatable", "NO")
}

func (s *script) keys(db Database, r Relation, oid, ns uint32, numbers map[string]int) {
	positions := func(columns []string) []int {
		var out []int
		for _, c := range columns {
			out = append(out, numbers[c])
		}
		return out
	}
	list := func(columns []string) string {
		quoted := make([]string, len(columns))
		for i, c := range columns {
			quoted[i] = bareIdent(c)
		}
		return strings.Join(quoted, ", ")
	}
	constraint := func(con uint32, name, kind, def string, index, ref uint32, key, refKey []int) {
		var foreign any
		update, del, match := " ", " ", " "
		if kind == "f" {
			foreign, update, del, match = refKey, "a", "a", "s"
		}
		s.row(pgTable("pg_constraint"), "oid", con, "conname", name, "connamespace", ns, "contype", kind, "condeferrable", false, "condeferred", false, "convalidated", true, "conrelid", oid,
			"contypid", 0, "conindid", index, "conparentid", 0, "confrelid", ref, "confupdtype", update, "confdeltype", del, "confmatchtype", match, "conislocal", true, "coninhcount", 0, "connoinherit", true, "conkey", key, "confkey", foreign)
		s.row(definitions, "kind", "constraint", "oid", con, "sql", def)
		words := map[string]string{"p": "PRIMARY KEY", "f": "FOREIGN KEY"}
		s.row(isTable("table_constraints"), "constraint_catalog", db.Name, "constraint_schema", r.Schema, "constraint_name", name, "table_catalog", db.Name, "table_schema", r.Schema, "table_name", r.Name,
			"constraint_type", words[kind], "is_deferrable", "NO", "initially_deferred", "NO", "enforced", "YES")
	}
	usage := func(name string, columns []string, foreign bool) {
		for i, c := range columns {
			var unique any
			if foreign {
				unique = i + 1
			}
			s.row(isTable("key_column_usage"), "constraint_catalog", db.Name, "constraint_schema", r.Schema, "constraint_name", name, "table_catalog", db.Name, "table_schema", r.Schema, "table_name", r.Name,
				"column_name", c, "ordinal_position", i+1, "position_in_unique_constraint", unique)
		}
	}
	if len(r.PrimaryKey) > 0 {
		name := r.Name + "_pkey"
		index, key := OID("index", r.Schema, name), positions(r.PrimaryKey)
		s.class(index, name, ns, ownerRole, "i", btreeMethod, len(key), false, 0)
		zeros := make([]int, len(key))
		s.row(pgTable("pg_index"), "indexrelid", index, "indrelid", oid, "indnatts", len(key), "indnkeyatts", len(key), "indisunique", true, "indnullsnotdistinct", false, "indisprimary", true, "indisexclusion", false,
			"indimmediate", true, "indisclustered", false, "indisvalid", true, "indcheckxmin", false, "indisready", true, "indislive", true, "indisreplident", false,
			"indkey", key, "indcollation", zeros, "indclass", zeros, "indoption", zeros)
		for i, c := range r.PrimaryKey {
			s.attribute(index, i+1, c, columnType(r, c), false, "")
		}
		s.row(definitions, "kind", "index", "oid", index, "sql", fmt.Sprintf("CREATE UNIQUE INDEX %s ON %s.%s USING btree (%s)", bareIdent(name), bareIdent(r.Schema), bareIdent(r.Name), list(r.PrimaryKey)))
		s.row(pgTable("pg_indexes"), "schemaname", r.Schema, "tablename", r.Name, "indexname", name, "indexdef", fmt.Sprintf("CREATE UNIQUE INDEX %s ON %s.%s USING btree (%s)", bareIdent(name), bareIdent(r.Schema), bareIdent(r.Name), list(r.PrimaryKey)))
		constraint(OID("constraint", r.Schema+"."+r.Name, name), name, "p", "PRIMARY KEY ("+list(r.PrimaryKey)+")", index, 0, key, nil)
		usage(name, r.PrimaryKey, false)
	}
	for _, fk := range r.ForeignKeys {
		refNumbers, refPrimary := referenced(db, fk)
		ref := OID("relation", fk.Schema, fk.Relation)
		def := fmt.Sprintf("FOREIGN KEY (%s) REFERENCES %s(%s)", list(fk.Columns), bareIdent(fk.Relation), list(fk.RefColumns))
		constraint(OID("constraint", r.Schema+"."+r.Name, fk.Name), fk.Name, "f", def, OID("index", fk.Schema, fk.Relation+"_pkey"), ref, positions(fk.Columns), refNumbers)
		usage(fk.Name, fk.Columns, true)
		s.row(isTable("referential_constraints"), "constraint_catalog", db.Name, "constraint_schema", r.Schema, "constraint_name", fk.Name, "unique_constraint_catalog", db.Name, "unique_constraint_schema", fk.Schema,
			"unique_constraint_name", refPrimary, "match_option", "NONE", "update_rule", "NO ACTION", "delete_rule", "NO ACTION")
		for _, c := range fk.RefColumns {
			s.row(isTable("constraint_column_usage"), "table_catalog", db.Name, "table_schema", fk.Schema, "table_name", fk.Relation, "column_name", c, "constraint_catalog", db.Name, "constraint_schema", r.Schema, "constraint_name", fk.Name)
		}
	}
}

func columnType(r Relation, name string) sqltype.Type {
	for _, c := range r.Columns {
		if c.Name == name {
			return c.Type
		}
	}
	return sqltype.Of(sqltype.Text)
}

// referenced finds the numbers of the columns that a foreign key leads to.
func referenced(db Database, fk ForeignKey) (numbers []int, primary string) {
	for _, r := range db.Relations {
		if r.Schema != fk.Schema || r.Name != fk.Relation {
			continue
		}
		for _, want := range fk.RefColumns {
			for i, c := range r.Columns {
				if c.Name == want {
					numbers = append(numbers, i+1)
				}
			}
		}
	}
	return numbers, fk.Relation + "_pkey"
}

// bareIdent quotes a name only where SQL needs it.
func bareIdent(s string) string {
	for i, c := range s {
		if !(c >= 'a' && c <= 'z' || c == '_' || i > 0 && c >= '0' && c <= '9') {
			return ident(s)
		}
	}
	return s
}
