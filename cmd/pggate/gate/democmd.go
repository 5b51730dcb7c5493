package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pggate/pggate/backend/duckdb"
	"github.com/pggate/pggate/cmd/pggate/demo"
	"github.com/pggate/pggate/models/examples"
	"github.com/pggate/pggate/semantic"
)

func demoCommand() *cobra.Command {
	c := DefaultConfig()
	c.Listen, c.LogLevel = "127.0.0.1:5433", "warn"
	cmd := &cobra.Command{
		Use: "demo", Short: "Build an example warehouse and serve it, with nothing to prepare",
		Example: "  pggate demo\n  pggate demo --listen 127.0.0.1:6000",
		Args:    arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !loopback(c.Listen) {
				return usageError{errors.New("the demo trusts every client, so it listens on this machine alone: give --listen 127.0.0.1:PORT")}
			}
			log, err := newLogger(cmd.ErrOrStderr(), c.LogLevel)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			out := cmd.OutOrStdout()
			dir, c, list, err := prepareDemo(ctx, c, out)
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			g, err := Open(ctx, c, list, log)
			if err != nil {
				return err
			}
			return serve(ctx, g, c, log, func(addr net.Addr) { welcome(out, addr) })
		},
	}
	cmd.Flags().StringVar(&c.Listen, "listen", c.Listen, "address to listen on")
	cmd.Flags().StringVar(&c.LogLevel, "log-level", c.LogLevel, "debug, info, warn or error")
	return cmd
}

// prepareDemo builds the warehouse in a folder of its own, which the caller
// removes, and reads the models that describe it.
func prepareDemo(ctx context.Context, c Config, progress io.Writer) (dir string, _ Config, list []*semantic.Model, err error) {
	if dir, err = os.MkdirTemp("", "pggate-demo-"); err != nil {
		return "", c, nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	c.DB, c.Database, c.Expose = filepath.Join(dir, demo.Database+".duckdb"), demo.Database, []string{"*"}
	c.SearchPath = "shop, raw"
	if err := buildDemo(ctx, c.DB, progress); err != nil {
		return "", c, nil, err
	}
	if c.Models, err = writeDemoModels(dir); err != nil {
		return "", c, nil, err
	}
	list, _, err = LoadModels(c.Models)
	return dir, c, list, err
}

// writeDemoModels writes the example models, which are part of the program, where
// the loader reads them. The small shop comes first.
func writeDemoModels(dir string) ([]string, error) {
	var paths []string
	for _, f := range examples.Shop() {
		path := filepath.Join(dir, f.Name)
		if err := os.WriteFile(path, f.Text, 0o600); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// buildDemo makes the database file, telling how far it is.
func buildDemo(ctx context.Context, path string, progress io.Writer) error {
	db, err := duckdb.Open(ctx, duckdb.Options{Path: path, Database: demo.Database, ReadWrite: true})
	if err != nil {
		return err
	}
	start := time.Now()
	steps := demo.Steps()
	about := ""
	for i, s := range steps {
		if s.About != about {
			about = s.About
			fmt.Fprintf(progress, "building %s (%d of %d statements done)\n", about, i, len(steps))
		}
		if err := db.Exec(ctx, s.SQL); err != nil {
			return errors.Join(fmt.Errorf("build the demo: %w", err), db.Close())
		}
	}
	fmt.Fprintf(progress, "built in %.1f s\n", time.Since(start).Seconds())
	return db.Close()
}

func welcome(w io.Writer, addr net.Addr) {
	host, port, _ := net.SplitHostPort(addr.String())
	fmt.Fprintf(w, "\nserving database %s; connect with\n\n    psql -h %s -p %s %s\n\nand try\n", demo.Database, host, port, demo.Database)
	for _, q := range demo.Queries() {
		fmt.Fprintf(w, "\n  -- %s\n  %s\n", q.About, q.SQL)
	}
	fmt.Fprintf(w, "\n\\dv lists the relations, \\d+ orders shows one. Ctrl-C stops the server.\n")
}
