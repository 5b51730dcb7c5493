package catalog

import (
	_ "embed"
	"sort"
	"strings"
)

// Rows of PostgreSQL 15 that are the same in every database, as COPY writes
// them.
var (
	//go:embed pg_type.tsv
	pgType string
	//go:embed pg_am.tsv
	pgAm string
	//go:embed pg_language.tsv
	pgLanguage string
	//go:embed pg_tablespace.tsv
	pgTablespace string
	//go:embed pg_range.tsv
	pgRange string
	//go:embed pg_collation.tsv
	pgCollation string
	//go:embed type_names.tsv
	typeNames string
	//go:embed functions.sql
	functionsSQL string
)

// Schema is the DDL of the catalogue: types, relations, rows that never change,
// functions. The engine runs it once.
func Schema() string {
	var b strings.Builder
	for _, s := range []string{pgSchema, infoSchema, fnSchema} {
		b.WriteString("CREATE SCHEMA " + engineDatabase + "." + s + ";\n")
	}
	names := make([]string, 0, len(aliased))
	for name := range aliased {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		b.WriteString("CREATE TYPE " + engineDatabase + "." + pgSchema + ".t_" + name + " AS " + aliased[name] + ";\n")
	}
	for _, t := range tables {
		b.WriteString("CREATE TABLE " + t.engine() + "(")
		for i, c := range t.columns {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(ident(c[0]) + " " + typeSQL(c[1]))
		}
		b.WriteString(");\n")
	}
	for _, side := range []string{"type_names(oid UINTEGER, sql VARCHAR)", "definitions(kind VARCHAR, oid UINTEGER, sql VARCHAR)"} {
		b.WriteString("CREATE TABLE " + engineDatabase + "." + fnSchema + "." + side + ";\n")
	}
	for _, f := range []struct{ name, rows string }{{"pg_type", pgType}, {"pg_am", pgAm}, {"pg_language", pgLanguage}, {"pg_tablespace", pgTablespace}, {"pg_range", pgRange}, {"pg_collation", pgCollation}} {
		b.WriteString(copied(engineDatabase+"."+pgSchema+"."+ident(f.name), f.rows))
	}
	b.WriteString(copied(engineDatabase+"."+fnSchema+".type_names", typeNames))
	b.WriteString(functionsSQL)
	return b.String()
}

func (t table) engine() string {
	return engineDatabase + "." + engineSchema(t.schema) + "." + ident(t.name)
}

// copied makes an INSERT of rows in the text form of COPY.
func copied(into, text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if i == 0 {
			b.WriteString("INSERT INTO " + into + " VALUES\n")
		} else {
			b.WriteString(",\n")
		}
		b.WriteByte('(')
		for j, f := range strings.Split(line, "\t") {
			if j > 0 {
				b.WriteByte(',')
			}
			switch {
			case f == `\N`:
				b.WriteString("NULL")
			case strings.HasPrefix(f, "{") && strings.HasSuffix(f, "}"):
				b.WriteString(literal("[" + f[1:len(f)-1] + "]"))
			default:
				b.WriteString(literal(strings.ReplaceAll(f, `\\`, `\`)))
			}
		}
		b.WriteByte(')')
	}
	b.WriteString(";\n")
	return b.String()
}
