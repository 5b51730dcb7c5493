package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pggate/pggate/models"
	"github.com/pggate/pggate/rewrite"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/wire/sqlstate"
)

// Exit codes of the command.
const (
	exitFailure = 1 // what was asked could not be done
	exitUsage   = 2 // the command line is wrong
)

// A usageError is a command line that makes no sense.
type usageError struct{ error }

// Main runs the command line and gives the exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := command0(stdout, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	printError(stderr, err)
	var usage usageError
	if errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command") || strings.HasPrefix(err.Error(), "unknown flag") {
		return exitUsage
	}
	return exitFailure
}

// printError writes what a person reads: the sentence, then the hint.
func printError(w io.Writer, err error) {
	var faults models.Faults
	if errors.As(err, &faults) {
		fmt.Fprintln(w, faults.Error())
		return
	}
	fmt.Fprintln(w, "pggate:", err)
	var se *sqlstate.Error
	if errors.As(err, &se) {
		if se.Detail != "" {
			fmt.Fprintln(w, "\t"+se.Detail)
		}
		if se.Hint != "" {
			fmt.Fprintln(w, "\t"+se.Hint)
		}
	}
}

func command0(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "pggate",
		Short: "A PostgreSQL gateway over a semantic model",
		Long: `pggate speaks the PostgreSQL protocol in front of a semantic model and runs on embedded DuckDB.

Exit codes: 0 done, 1 failed, 2 wrong command line.`,
		Example: `  pggate demo
  pggate serve --models models/ --db warehouse.duckdb
  pggate query --models models/ --db warehouse.duckdb 'SELECT region, revenue FROM orders GROUP BY 1'`,
		SilenceUsage: true, SilenceErrors: true,
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(demoCommand(), serveCommand(), queryCommand(), compileCommand(), validateCommand(), listCommand(), versionCommand())
	return root
}

// arguments wraps a check of cobra's so that its error exits with 2.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return usageError{err}
		}
		return nil
	}
}

func newLogger(w io.Writer, level string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, usageError{fmt.Errorf("log level %q is none of debug, info, warn, error", level)}
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: l})), nil
}

// Version is the version of the build, from the module information in it.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "development"
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  pggate version", Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), "pggate "+Version()+", answers as PostgreSQL 15.18")
			return err
		},
	}
}

// loadWarned loads models and prints the warnings.
func loadWarned(c *cobra.Command, paths []string) ([]*semantic.Model, error) {
	if len(paths) == 0 {
		return nil, usageError{errors.New("no model is given: use --models FILE or --models FOLDER")}
	}
	list, warnings, err := LoadModels(paths)
	for _, w := range warnings {
		fmt.Fprintln(c.ErrOrStderr(), w.String())
	}
	return list, err
}

// searchPath looks names up in the models, then in the exposed schemas.
func searchPath(world *rewrite.World) []string { return world.Schemas() }

func validateCommand() *cobra.Command {
	var db string
	cmd := &cobra.Command{
		Use: "validate PATH...", Short: "Check model files: every fault of every file, with its place",
		Example: "  pggate validate models/\n  pggate validate models/ --db warehouse.duckdb",
		Args:    arguments(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			list, err := loadWarned(c, args)
			if err != nil {
				return err
			}
			if db != "" {
				if err := checkData(c.Context(), list, db); err != nil {
					return err
				}
			}
			for _, m := range list {
				fmt.Fprintf(c.OutOrStdout(), "%s: %d datasets, %d relationships, %d metrics\n", m.Name(), len(m.Datasets()), len(m.Relationships()), len(m.Metrics()))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&db, "db", "", "also check sources, columns and key promises against this database")
	return cmd
}

func listCommand() *cobra.Command {
	var paths []string
	var format string
	cmd := &cobra.Command{
		Use: "list datasets|dimensions|metrics|relationships", Short: "Show what the models define",
		Example: "  pggate list metrics --models models/\n  pggate list dimensions --models models/ --format json",
		Args:    arguments(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)), ValidArgs: []string{"datasets", "dimensions", "metrics", "relationships"},
		RunE: func(c *cobra.Command, args []string) error {
			list, err := loadWarned(c, paths)
			if err != nil {
				return err
			}
			t := listing(list, args[0])
			return t.write(c.OutOrStdout(), format)
		},
	}
	cmd.Flags().StringSliceVar(&paths, "models", nil, "model files or folders")
	cmd.Flags().StringVar(&format, "format", "table", "table, csv, json or ndjson")
	return cmd
}

func listing(list []*semantic.Model, what string) *table {
	t := &table{}
	switch what {
	case "datasets":
		t.columns("model", "dataset", "source", "primary_key", "description")
		for _, m := range list {
			for _, d := range m.Datasets() {
				source := strings.TrimLeft(strings.Join(d.Source[:], "."), ".")
				if d.Query != "" {
					source = d.Query
				}
				t.text(m.Name(), d.Name, source, strings.Join(d.PrimaryKey, ", "), d.Description)
			}
		}
	case "dimensions":
		t.columns("model", "relation", "dimension", "expression", "description")
		for _, m := range list {
			for _, d := range m.Datasets() {
				for _, v := range d.Members() {
					t.text(m.Name(), d.Name, v.Name, v.Field.Dataset.Name+": "+v.Field.Expr.String(), v.Field.Description)
				}
			}
		}
	case "metrics":
		t.columns("model", "metric", "expression", "filter", "additivity", "description")
		for _, m := range list {
			for _, x := range m.Metrics() {
				filter := ""
				if x.Filter != nil {
					filter = x.Filter.String()
				}
				t.text(m.Name(), x.Name, x.Text, filter, string(x.Additivity()), x.Description)
			}
		}
	case "relationships":
		t.columns("model", "relationship", "from", "to", "cardinality")
		for _, m := range list {
			for _, r := range m.Relationships() {
				t.text(m.Name(), r.Name, r.From.Name+"("+strings.Join(r.FromColumns, ", ")+")", r.To.Name+"("+strings.Join(r.ToColumns, ", ")+")", r.Cardinality())
			}
		}
	}
	return t
}

// environment is the process's, for Config.merge.
func environment(name string) (string, bool) { return os.LookupEnv(name) }
