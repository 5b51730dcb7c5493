package gate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/backend/duckdb"
	"github.com/pggate/pggate/models"
	"github.com/pggate/pggate/rewrite"
	"github.com/pggate/pggate/rewrite/catalog"
	"github.com/pggate/pggate/rewrite/dialect"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/semantic/sqltype"
)

// LoadModels reads and checks model files. The error lists every fault of every
// file; warnings come back beside the models.
func LoadModels(paths []string) ([]*semantic.Model, models.Faults, error) {
	defs, faults := models.Load(rewrite.Parser{}, paths...)
	var out []*semantic.Model
	for _, def := range defs {
		m, wrong := semantic.New(def)
		faults = append(faults, models.Checked(wrong)...)
		if m != nil {
			out = append(out, m)
		}
	}
	var warnings models.Faults
	for _, f := range faults {
		if f.Warning {
			warnings = append(warnings, f)
		}
	}
	if err := faults.Err(); err != nil {
		return nil, warnings, err
	}
	return out, warnings, nil
}

// DatabaseName is the name that clients connect to for a database file.
func DatabaseName(path string) string {
	name := filepath.Base(path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// Exposed keeps the tables that patterns name: schema.table, or schema.* for a
// whole schema, or * for all.
func Exposed(tables []sqltype.Table, patterns []string) ([]sqltype.Table, error) {
	used := make([]bool, len(patterns))
	var out []sqltype.Table
	for _, t := range tables {
		keep := false
		for i, p := range patterns {
			schema, name, dotted := strings.Cut(p, ".")
			if p == "*" || dotted && schema == t.Schema && (name == "*" || name == t.Name) {
				used[i], keep = true, true
			}
		}
		if keep {
			out = append(out, t)
		}
	}
	for i, p := range patterns {
		if !used[i] {
			return nil, fmt.Errorf("expose %q matches no table of the database; write schema.table, schema.* or *", p)
		}
	}
	return out, nil
}

// Open opens the database, makes the world of models and exposed tables, and
// fills the catalogue.
func Open(ctx context.Context, c Config, list []*semantic.Model, log *slog.Logger) (*Gate, error) {
	name := c.Database
	if name == "" {
		name = DatabaseName(c.DB)
	}
	db, err := duckdb.Open(ctx, duckdb.Options{
		Path: c.DB, Database: name, Threads: c.Threads, MemoryLimit: c.MemoryLimit, TempDirectory: c.TempDirectory,
		Setup: []string{catalog.Schema(), dialect.Script()}, Log: log,
	})
	if err != nil {
		return nil, err
	}
	g, err := describe(ctx, db, name, c.Expose, list, log)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return g, nil
}

func describe(ctx context.Context, db *duckdb.DB, name string, expose []string, list []*semantic.Model, log *slog.Logger) (*Gate, error) {
	tables, err := db.Tables(ctx)
	if err != nil {
		return nil, err
	}
	if tables, err = Exposed(tables, expose); err != nil {
		return nil, err
	}
	world := rewrite.NewWorld(list, tables, name)
	entry := catalog.Database{Name: name, Owner: "pggate", Schemas: world.Schemas()}
	for _, r := range world.Relations() {
		described, err := relation(ctx, db, world, name, r)
		if err != nil {
			return nil, err
		}
		entry.Relations = append(entry.Relations, described)
	}
	for _, t := range tables {
		r := catalog.Relation{Schema: t.Schema, Name: t.Name, Comment: t.Comment, Kind: 'r', PrimaryKey: t.PrimaryKey}
		if t.View {
			r.Kind = 'v'
		}
		for _, col := range t.Columns {
			r.Columns = append(r.Columns, catalog.Column{Name: col.Name, Type: col.Type, NotNull: col.NotNull})
		}
		entry.Relations = append(entry.Relations, r)
	}
	if err := db.Exec(ctx, catalog.Script(entry)); err != nil {
		return nil, fmt.Errorf("fill the catalogue: %w", err)
	}
	return New(name, db, world, log), nil
}

// relation asks the engine for the types of a relation's columns, by preparing
// the statements that a client would write.
func relation(ctx context.Context, db backend.Backend, world *rewrite.World, database string, r rewrite.Relation) (catalog.Relation, error) {
	out := catalog.Relation{Schema: r.Schema, Name: r.Name, Comment: r.Comment, Kind: 'v', PrimaryKey: r.PrimaryKey}
	for _, fk := range r.ForeignKeys {
		out.ForeignKeys = append(out.ForeignKeys, catalog.ForeignKey{Name: fk.Name, Columns: fk.Columns, Schema: fk.Schema, Relation: fk.Relation, RefColumns: fk.RefColumns})
	}
	var dimensions, measures []string
	for _, c := range r.Columns {
		if c.Measure {
			measures = append(measures, c.Name)
		} else {
			dimensions = append(dimensions, c.Name)
		}
	}
	types := map[string]sqltype.Type{}
	var parts [][]string
	if r.Dataset != nil {
		parts = append(parts, dimensions)
	} else { // without a root, dimensions need not have a row in common
		for _, d := range dimensions {
			if d != semantic.MetricTime {
				parts = append(parts, []string{d})
			}
		}
	}
	for _, m := range measures {
		parts = append(parts, []string{m})
	}
	if r.Dataset != nil && len(measures) > 0 {
		parts = append(parts[:1], measures)
	}
	for _, names := range parts {
		if len(names) == 0 {
			continue
		}
		if err := columnTypes(ctx, db, world, database, r, names, slices.Contains(measures, names[0]), types); err != nil {
			return out, err
		}
	}
	for _, c := range r.Columns {
		t, ok := types[c.Name]
		if !ok {
			t = sqltype.Of(sqltype.Timestamp)
		}
		out.Columns = append(out.Columns, catalog.Column{Name: c.Name, Type: t, Generated: c.Measure, Expr: c.Expr, Comment: c.Comment, NotNull: slices.Contains(r.PrimaryKey, c.Name)})
	}
	out.Definition = "SELECT * FROM " + quote(r.Schema) + "." + quote(r.Name)
	return out, nil
}

func columnTypes(ctx context.Context, db backend.Backend, world *rewrite.World, database string, r rewrite.Relation, names []string, measures bool, types map[string]sqltype.Type) error {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = quote(n)
		if measures {
			list[i] = "MEASURE(" + quote(n) + ")"
		}
	}
	sql := "SELECT " + strings.Join(list, ", ") + " FROM " + quote(r.Schema) + "." + quote(r.Name)
	stmt, err := rewrite.Rewrite(&rewrite.Env{World: world, Database: database, TimeZone: "UTC"}, sql)
	if err != nil {
		return fmt.Errorf("relation %s.%s: %w", r.Schema, r.Name, err)
	}
	s, err := db.Session(ctx, backend.Settings{})
	if err != nil {
		return err
	}
	defer s.Close()
	prepared, err := s.Prepare(ctx, stmt.(*rewrite.Select).SQL)
	if err != nil {
		return fmt.Errorf("relation %s.%s does not fit the database: %w", r.Schema, r.Name, err)
	}
	defer prepared.Close()
	for i, c := range prepared.Columns() {
		if i < len(names) {
			types[names[i]] = c.Type
		}
	}
	return nil
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
