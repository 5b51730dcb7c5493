package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/pggate/pggate/rewrite"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A question is a query by SQL, or by metrics and dimensions.
type question struct {
	models           []string
	metrics, groupBy []string
	where, orderBy   []string
	limit            int
	demo             bool
}

func (q *question) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&q.models, "models", nil, "model files or folders")
	f.StringSliceVar(&q.metrics, "metrics", nil, "metrics to ask, instead of SQL")
	f.StringSliceVar(&q.groupBy, "group-by", nil, "dimensions to group by")
	f.StringArrayVar(&q.where, "where", nil, "condition over dimensions; may be given several times")
	f.StringSliceVar(&q.orderBy, "order-by", nil, "outputs to sort by; a leading - sorts downwards")
	f.IntVar(&q.limit, "limit", 0, "at most so many rows (0: all)")
	f.BoolVar(&q.demo, "demo", false, "use the models and data of the demo")
}

// sql gives the statement that is asked.
func (q *question) sql(args []string, list []*semantic.Model) (string, error) {
	byParts := len(q.metrics)+len(q.groupBy)+len(q.where)+len(q.orderBy) > 0 || q.limit > 0
	switch {
	case len(args) == 1 && byParts:
		return "", usageError{errors.New("give either SQL or --metrics and its companions, not both")}
	case len(args) == 1:
		return args[0], nil
	case !byParts:
		return "", usageError{errors.New("give SQL, or --metrics and --group-by")}
	case q.limit < 0:
		return "", usageError{errors.New("--limit takes a number of rows")}
	}
	names := append(append([]string{}, q.groupBy...), q.metrics...)
	s := "SELECT " + strings.Join(names, ", ") + " FROM "
	if len(list) > 1 {
		s += quote(list[0].Name()) + "."
	}
	s += semantic.MetricsRelation
	if len(q.where) > 0 {
		s += " WHERE (" + strings.Join(q.where, ") AND (") + ")"
	}
	if len(q.groupBy) > 0 {
		positions := make([]string, len(q.groupBy))
		for i := range positions {
			positions[i] = fmt.Sprint(i + 1)
		}
		s += " GROUP BY " + strings.Join(positions, ", ")
	}
	if len(q.orderBy) > 0 {
		var by []string
		for _, o := range q.orderBy {
			if name, down := strings.CutPrefix(o, "-"); down {
				o = name + " DESC"
			}
			by = append(by, o)
		}
		s += " ORDER BY " + strings.Join(by, ", ")
	}
	if q.limit > 0 {
		s += fmt.Sprintf(" LIMIT %d", q.limit)
	}
	return s, nil
}

func queryCommand() *cobra.Command {
	c := DefaultConfig()
	q := &question{}
	var format string
	cmd := &cobra.Command{
		Use: "query [SQL]", Short: "Run one query and print the rows",
		Example: `  pggate query --demo 'SELECT region, revenue FROM orders GROUP BY 1'
  pggate query --models models/ --db warehouse.duckdb --metrics revenue,order_count --group-by region --order-by -revenue --format csv`,
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			var list []*semantic.Model
			var err error
			if q.demo {
				var dir string
				if dir, c, list, err = prepareDemo(ctx, c, io.Discard); err == nil {
					defer os.RemoveAll(dir)
				}
			} else {
				if c.DB == "" {
					return usageError{errors.New("no database is given: use --db FILE or --demo")}
				}
				list, err = loadWarned(cmd, q.models)
			}
			if err != nil {
				return err
			}
			sql, err := q.sql(args, list)
			if err != nil {
				return err
			}
			t, err := ask(ctx, c, list, sql)
			if err != nil {
				return err
			}
			return t.write(cmd.OutOrStdout(), format)
		},
	}
	q.flags(cmd)
	cmd.Flags().StringVar(&c.DB, "db", "", "DuckDB database file")
	cmd.Flags().StringSliceVar(&c.Expose, "expose", nil, "physical tables that the query may read")
	cmd.Flags().StringVar(&format, "format", "table", "table, csv, json or ndjson")
	return cmd
}

// ask serves the models to itself and asks as a client would, so that the text
// of the values is the protocol's.
func ask(ctx context.Context, c Config, list []*semantic.Model, sql string) (t *table, err error) {
	log := slog.New(slog.DiscardHandler)
	g, err := Open(ctx, c, list, log)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	c.Listen = "127.0.0.1:0"
	ready := make(chan net.Addr, 1)
	done := make(chan error, 1)
	go func() { done <- serve(ctx, g, c, log, func(a net.Addr) { ready <- a }) }()
	defer func() {
		stop()
		err = errors.Join(err, <-done)
	}()
	var addr net.Addr
	select {
	case addr = <-ready:
	case err := <-done:
		done <- nil
		return nil, err
	}
	conn, err := pgconn.Connect(ctx, fmt.Sprintf("postgres://pggate@%s/%s?sslmode=disable", addr, g.Database))
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	res := conn.ExecParams(ctx, sql, nil, nil, nil, nil)
	t = &table{}
	for _, f := range res.FieldDescriptions() {
		oid := sqltype.OID(f.DataTypeOID)
		t.names = append(t.names, f.Name)
		number := oid == sqltype.Int2 || oid == sqltype.Int4 || oid == sqltype.Int8 || oid == sqltype.Float4 || oid == sqltype.Float8 || oid == sqltype.Numeric || oid == sqltype.Oid
		t.right = append(t.right, number)
		t.raw = append(t.raw, number || oid == sqltype.JSON || oid == sqltype.JSONB)
	}
	for res.NextRow() {
		row := make([]*string, len(t.names))
		for i, v := range res.Values() {
			if v != nil {
				text := string(v)
				row[i] = &text
			}
		}
		t.rows = append(t.rows, row)
	}
	if _, err := res.Close(); err != nil {
		var pe *pgconn.PgError
		if errors.As(err, &pe) {
			return nil, &sqlstate.Error{Code: sqlstate.Code(pe.Code), Message: pe.Message + position(sql, int(pe.Position)), Detail: pe.Detail, Hint: pe.Hint}
		}
		return nil, err
	}
	return t, nil
}

// position tells a place in a statement as line and column.
func position(sql string, at int) string {
	if at <= 0 {
		return ""
	}
	line, col := 1, 1
	for i, r := range []rune(sql) {
		if i == at-1 {
			break
		}
		if col++; r == '\n' {
			line, col = line+1, 1
		}
	}
	return fmt.Sprintf(" (line %d, column %d)", line, col)
}

func compileCommand() *cobra.Command {
	q := &question{}
	var explain bool
	var database string
	var expose []string
	cmd := &cobra.Command{
		Use: "compile [SQL]", Short: "Print the SQL that DuckDB would run, opening no database",
		Example: `  pggate compile --demo 'SELECT region, revenue FROM orders GROUP BY 1'
  pggate compile --models models/ --metrics revenue --group-by region --explain`,
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var list []*semantic.Model
			var err error
			if q.demo {
				list, err = demoModels()
			} else {
				list, err = loadWarned(cmd, q.models)
			}
			if err != nil {
				return err
			}
			sql, err := q.sql(args, list)
			if err != nil {
				return err
			}
			var tables []sqltype.Table
			for _, e := range expose {
				schema, name, ok := strings.Cut(e, ".")
				if !ok {
					return usageError{fmt.Errorf("--expose %q: write schema.table", e)}
				}
				tables = append(tables, sqltype.Table{Schema: schema, Name: name})
			}
			world := rewrite.NewWorld(list, tables, database)
			stmt, err := rewrite.Rewrite(&rewrite.Env{World: world, Database: database, User: "pggate", SearchPath: searchPath(world), TimeZone: "UTC", Params: []sqltype.Type{}, Report: explain}, sql)
			if err != nil {
				var se *sqlstate.Error
				if errors.As(err, &se) {
					se.Message += position(sql, se.Position)
				}
				return err
			}
			switch s := stmt.(type) {
			case *rewrite.Select:
				if explain {
					fmt.Fprintln(cmd.OutOrStdout(), strings.Join(Explanation(s), "\n"))
				} else {
					fmt.Fprintln(cmd.OutOrStdout(), s.SQL)
				}
				return nil
			case *rewrite.Explain:
				fmt.Fprintln(cmd.OutOrStdout(), strings.Join(Explanation(s.Select), "\n"))
				return nil
			}
			return errors.New("only a query compiles to SQL of the engine")
		},
	}
	q.flags(cmd)
	cmd.Flags().BoolVar(&explain, "explain", false, "also print the query, the plan and its reasons")
	cmd.Flags().StringVar(&database, "database", "", "name of the database to write in front of physical tables")
	cmd.Flags().StringSliceVar(&expose, "expose", nil, "physical tables that exist: schema.table")
	return cmd
}

// demoModels reads the demo's models without building its data.
func demoModels() ([]*semantic.Model, error) {
	dir, err := os.MkdirTemp("", "pggate-models-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	paths, err := writeDemoModels(dir)
	if err != nil {
		return nil, err
	}
	list, _, err := LoadModels(paths)
	return list, err
}
