package duckdb

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
)

// Tables lists the tables and views of the attached database.
func (db *DB) Tables(ctx context.Context) ([]sqltype.Table, error) {
	name := "'" + strings.ReplaceAll(db.options.Database, "'", "''") + "'"
	list, err := db.strings(ctx, `SELECT schema_name, table_name, 'table', coalesce(comment, '') FROM duckdb_tables() WHERE database_name = `+name+` AND NOT internal
		UNION ALL SELECT schema_name, view_name, 'view', coalesce(comment, '') FROM duckdb_views() WHERE database_name = `+name+` AND NOT internal ORDER BY 1, 2`)
	if err != nil {
		return nil, err
	}
	var out []sqltype.Table
	for _, r := range list {
		t := sqltype.Table{Schema: r[0], Name: r[1], View: r[2] == "view", Comment: r[3]}
		if err := db.columns(ctx, &t, name); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func (db *DB) columns(ctx context.Context, t *sqltype.Table, database string) error {
	literal := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	s, err := db.Session(ctx, backend.Settings{})
	if err != nil {
		return err
	}
	defer s.Close()
	stmt, err := s.Prepare(ctx, "SELECT * FROM "+quote(db.options.Database)+"."+quote(t.Schema)+"."+quote(t.Name))
	if err != nil {
		return err
	}
	t.Columns = stmt.Columns()
	keys, err := db.strings(ctx, `SELECT constraint_type, array_to_string(constraint_column_names, chr(1)) FROM duckdb_constraints() WHERE database_name = `+database+
		` AND schema_name = `+literal(t.Schema)+` AND table_name = `+literal(t.Name)+` AND constraint_type IN ('PRIMARY KEY', 'NOT NULL')`)
	if err != nil {
		return err
	}
	for _, k := range keys {
		names := strings.Split(k[1], "\x01")
		if k[0] == "PRIMARY KEY" {
			t.PrimaryKey = names
		}
		for i := range t.Columns {
			if slices.Contains(names, t.Columns[i].Name) {
				t.Columns[i].NotNull = true
			}
		}
	}
	return nil
}

// strings reads a result whose columns are all text.
func (db *DB) strings(ctx context.Context, sql string) ([][]string, error) {
	s, err := db.Session(ctx, backend.Settings{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	stmt, err := s.Prepare(ctx, sql)
	if err != nil {
		return nil, err
	}
	rows, err := stmt.Query(ctx, nil)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for {
		chunk, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range chunk.Len {
			row := make([]string, len(chunk.Vectors))
			for j, v := range chunk.Vectors {
				if b := v.(*backend.Bytes); !b.Null(i) {
					row[j] = string(b.Data[i].Bytes())
				}
			}
			out = append(out, row)
		}
	}
}
