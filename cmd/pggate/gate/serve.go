package gate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pggate/pggate/wire"
	"github.com/pggate/pggate/wire/auth"
)

func serveCommand() *cobra.Command {
	c := DefaultConfig()
	var file string
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve models over a DuckDB database to PostgreSQL clients",
		Long: `Serve models over a DuckDB database to PostgreSQL clients.

Every flag is also a key of the YAML file that --config names, and a variable: --memory-limit is
memory_limit and PGGATE_MEMORY_LIMIT. A flag beats a variable, a variable beats the file.`,
		Example: `  pggate serve --models models/ --db warehouse.duckdb
  pggate serve --config pggate.yaml --listen 0.0.0.0:5432 --users users.txt`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.merge(file, cmd.Flags(), environment); err != nil {
				return err
			}
			if c.DB == "" {
				return usageError{errors.New("no database is given: use --db FILE")}
			}
			log, err := newLogger(cmd.ErrOrStderr(), c.LogLevel)
			if err != nil {
				return err
			}
			list, err := loadWarned(cmd, c.Models)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			g, err := Open(ctx, c, list, log)
			if err != nil {
				return err
			}
			return serve(ctx, g, c, log, func(addr net.Addr) {
				fmt.Fprintf(cmd.OutOrStdout(), "serving %s on %s\n", g.Database, addr)
			})
		},
	}
	cmd.Flags().StringVar(&file, "config", "", "configuration file in YAML")
	c.flags(cmd.Flags())
	return cmd
}

// serve listens until ctx ends, then lets running statements finish.
func serve(ctx context.Context, g *Gate, c Config, log *slog.Logger, ready func(net.Addr)) (err error) {
	defer func() { err = errors.Join(err, g.Backend.Close()) }()
	method, err := authentication(c)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return fmt.Errorf("%s is in use by another process; choose another address with --listen", c.Listen)
		}
		return fmt.Errorf("cannot listen: %w", err)
	}
	server := &wire.Server{Handler: g, Auth: method, Log: log, MaxConns: c.MaxConns, Defaults: g.defaults(c)}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	ready(l.Addr())
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), c.Grace)
	defer cancel()
	if err := server.Shutdown(grace); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if err := <-failed; !errors.Is(err, wire.ErrServerClosed) {
		return err
	}
	return nil
}

// defaults are the settings that a session starts with.
func (g *Gate) defaults(c Config) map[string]string {
	path := c.SearchPath
	if path == "" {
		var quoted []string
		for _, s := range searchPath(g.World()) {
			quoted = append(quoted, plainIdent(s))
		}
		path = strings.Join(quoted, ", ")
	}
	return map[string]string{
		"search_path":               path,
		"TimeZone":                  "UTC",
		"pggate.aggregate_mismatch": "error",
		"pggate.ungrouped_marker":   "error",
	}
}

// plainIdent quotes a schema's name only where it must be.
func plainIdent(s string) string {
	for i, c := range s {
		if !(c >= 'a' && c <= 'z' || c == '_' || i > 0 && c >= '0' && c <= '9') {
			return quote(s)
		}
	}
	return s
}

// authentication is SCRAM with the users of a file, or trust where only this
// machine can connect.
func authentication(c Config) (auth.Method, error) {
	if c.Users == "" {
		if !loopback(c.Listen) {
			return nil, fmt.Errorf("%s can be reached from other machines, so clients must prove who they are: give --users FILE, or listen on 127.0.0.1", c.Listen)
		}
		return auth.Trust{}, nil
	}
	f, err := os.Open(c.Users)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	users, err := readUsers(c.Users, f)
	if err != nil {
		return nil, err
	}
	return &auth.SCRAM{Verifier: func(_ context.Context, user string) (string, bool) {
		v, ok := users[user]
		return v, ok
	}}, nil
}

// readUsers reads lines of a name and a verifier as PostgreSQL stores it in
// pg_authid (SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey).
func readUsers(name string, r io.Reader) (map[string]string, error) {
	users := map[string]string{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		user, verifier, ok := strings.Cut(line, " ")
		if !ok {
			return nil, fmt.Errorf("%s:%d:1: a line holds a user name, a space and a verifier", name, n)
		}
		verifier = strings.TrimSpace(verifier)
		if err := auth.CheckVerifier(verifier); err != nil {
			return nil, fmt.Errorf("%s:%d:%d: %w", name, n, len(user)+2, err)
		}
		users[user] = verifier
	}
	return users, lines.Err()
}
