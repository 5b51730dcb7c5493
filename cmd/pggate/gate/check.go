package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/backend/duckdb"
	"github.com/pggate/pggate/models"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/semantic/sqltype"
)

// checkData compares models with a database: that sources and columns are
// there, that keys are unique, and that to-one relationships find at most one
// row. The error lists every fault.
func checkData(ctx context.Context, list []*semantic.Model, path string) (err error) {
	name := DatabaseName(path)
	db, err := duckdb.Open(ctx, duckdb.Options{Path: path, Database: name, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tables, err := db.Tables(ctx)
	if err != nil {
		return err
	}
	s, err := db.Session(ctx, backend.Settings{})
	if err != nil {
		return err
	}
	defer s.Close()
	c := &dataCheck{session: s, database: name, tables: map[[2]string]*sqltype.Table{}}
	for i := range tables {
		c.tables[[2]string{tables[i].Schema, tables[i].Name}] = &tables[i]
	}
	for _, m := range list {
		for _, d := range m.Datasets() {
			if err := c.dataset(ctx, m, d); err != nil {
				return err
			}
		}
	}
	return c.faults.Err()
}

type dataCheck struct {
	session  backend.Session
	database string
	tables   map[[2]string]*sqltype.Table
	faults   models.Faults
}

func (c *dataCheck) fault(pos semantic.Pos, hint, format string, args ...any) {
	c.faults = append(c.faults, models.Fault{Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (c *dataCheck) dataset(ctx context.Context, m *semantic.Model, d *semantic.Dataset) error {
	if d.Query != "" {
		return nil // the engine checks a query when the model is served
	}
	t, ok := c.tables[[2]string{d.Source[1], d.Source[2]}]
	if !ok {
		var known []string
		for k := range c.tables {
			known = append(known, k[1])
		}
		hint := ""
		if near := semantic.Nearest(d.Source[2], known); len(near) > 0 {
			hint = "Did you mean " + strings.Join(near, " or ") + "?"
		}
		c.fault(d.Pos, hint, "dataset %q: the database has no table %s.%s", d.Name, d.Source[1], d.Source[2])
		return nil
	}
	var columns []string
	for _, col := range t.Columns {
		columns = append(columns, col.Name)
	}
	known := func(pos semantic.Pos, what, column string) bool {
		if _, ok := t.Find(column); ok {
			return true
		}
		hint := ""
		if near := semantic.Nearest(column, columns); len(near) > 0 {
			hint = "Did you mean " + strings.Join(near, " or ") + "?"
		}
		c.fault(pos, hint, "%s: table %s.%s has no column %q", what, t.Schema, t.Name, column)
		return false
	}
	for _, f := range d.Fields {
		for _, ref := range f.Expr.Refs() {
			target, err := d.Resolve(f, ref)
			if err == nil && target.Field == nil && target.Dataset == d {
				known(f.Pos, fmt.Sprintf("field %q of dataset %q", f.Name, d.Name), target.Column)
			}
		}
	}
	for _, key := range append([][]string{d.PrimaryKey}, d.UniqueKeys...) {
		ok := len(key) > 0
		for _, col := range key {
			ok = known(d.Pos, fmt.Sprintf("a key of dataset %q", d.Name), col) && ok
		}
		if !ok {
			continue
		}
		double, err := c.doubles(ctx, t, key)
		if err != nil {
			return err
		}
		if double != "" {
			c.fault(d.Pos, "Correct the key, or the data: joins to this dataset would count rows twice.", "key (%s) of dataset %q is not unique: %s", strings.Join(key, ", "), d.Name, double)
		}
	}
	for _, r := range m.Relationships() {
		if r.From != d {
			continue
		}
		for _, col := range r.FromColumns {
			known(r.Pos, fmt.Sprintf("relationship %q", r.Name), col)
		}
		if to, ok := c.tables[[2]string{r.To.Source[1], r.To.Source[2]}]; ok && r.To.Query == "" {
			for _, col := range r.ToColumns {
				if _, ok := to.Find(col); !ok {
					c.fault(r.Pos, "", "relationship %q: table %s.%s has no column %q", r.Name, to.Schema, to.Name, col)
				}
			}
		}
		if r.Cardinality() == "many-to-many" {
			c.fault(r.Pos, "Declare a primary or unique key on one side.", "relationship %q joins columns that are a key on neither side", r.Name)
		}
	}
	return nil
}

// doubles gives an example of key values that two rows share, or "".
func (c *dataCheck) doubles(ctx context.Context, t *sqltype.Table, key []string) (string, error) {
	var cols, shown, present []string
	for _, k := range key {
		cols = append(cols, quote(k))
		shown = append(shown, fmt.Sprintf("'%s = ' || CAST(%s AS VARCHAR)", strings.ReplaceAll(k, "'", "''"), quote(k)))
		present = append(present, quote(k)+" IS NOT NULL")
	}
	list := strings.Join(cols, ", ")
	sql := fmt.Sprintf("SELECT %s || ' in ' || CAST(count(*) AS VARCHAR) || ' rows' FROM %s.%s.%s WHERE %s GROUP BY %s HAVING count(*) > 1 ORDER BY %s LIMIT 1",
		strings.Join(shown, " || ', ' || "), quote(c.database), quote(t.Schema), quote(t.Name), strings.Join(present, " AND "), list, list)
	stmt, err := c.session.Prepare(ctx, sql)
	if err != nil {
		return "", err
	}
	defer stmt.Close()
	rows, err := stmt.Query(ctx, nil)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	chunk, err := rows.Next(ctx)
	if errors.Is(err, io.EOF) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return string(chunk.Vectors[0].(*backend.Bytes).Data[0].Bytes()), nil
}
