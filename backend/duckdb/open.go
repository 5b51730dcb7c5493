// Package duckdb runs SQL on an embedded DuckDB (floor 2): the only importer of
// its bindings. It knows the backend contract and PostgreSQL's types and error
// codes; it knows no protocol, no model and no client's SQL.
package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/wire/sqlstate"
)

// Catalogue is the name of the in-memory database for the gateway's own
// relations, which Options.Setup may fill.
const Catalogue = "pggate"

// Options say what to open.
type Options struct {
	Path          string // of the database file; "" is a database in memory
	Database      string // the name it is attached under
	ReadWrite     bool
	Threads       int    // 0: all cores
	MemoryLimit   string // such as "4GB"; "": the engine's default
	TempDirectory string // where to spill; "": the engine's default
	// Setup is SQL that runs once, before access to the outside is closed.
	Setup []string
	Log   *slog.Logger
}

// A DB is one engine instance with the user's database attached. It is safe for
// any number of goroutines and implements backend.Backend.
type DB struct {
	options Options
	db      bindings.Database

	mu     sync.Mutex
	admin  *conn
	pool   map[backend.Settings][]*conn
	closed bool
	open   sync.WaitGroup // connections in use
}

// perConnection are the settings that give SQL PostgreSQL's meaning. Names that
// a version does not have are left out.
var perConnection = []string{
	"SET integer_division = true",
	"SET default_null_order = 'nulls_last_on_asc_first_on_desc'",
}

// Open makes an instance. The database file must exist unless ReadWrite is set.
// Errors are *sqlstate.Error of class 58.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Database == "" {
		o.Database = "memory_database"
	}
	if o.Path != "" && !o.ReadWrite {
		if _, err := os.Stat(o.Path); errors.Is(err, fs.ErrNotExist) {
			return nil, sqlstate.New(sqlstate.IOError, "database file %q does not exist", o.Path).WithHint("Give the path of a DuckDB database file.")
		}
	}
	var config bindings.Config
	if bindings.CreateConfig(&config) != bindings.StateSuccess {
		return nil, sqlstate.New(sqlstate.InternalError, "the engine's configuration cannot be made")
	}
	defer bindings.DestroyConfig(&config)
	for name, value := range o.config() {
		if bindings.SetConfig(config, name, value) != bindings.StateSuccess {
			return nil, sqlstate.New(sqlstate.InvalidParameterValue, "the engine does not take %s = %q", name, value)
		}
	}
	db := &DB{options: o, pool: map[backend.Settings][]*conn{}}
	var message string
	if bindings.OpenExt(":memory:", &db.db, config, &message) != bindings.StateSuccess {
		return nil, sqlstate.New(sqlstate.IOError, "the engine cannot start: %s", message)
	}
	if err := db.start(ctx); err != nil {
		bindings.Close(&db.db)
		return nil, err
	}
	return db, nil
}

func (o Options) config() map[string]string {
	c := map[string]string{
		"autoinstall_known_extensions": "false",
		"autoload_known_extensions":    "false",
		"allow_community_extensions":   "false",
	}
	if o.Threads > 0 {
		c["threads"] = fmt.Sprint(o.Threads)
	}
	if o.MemoryLimit != "" {
		c["memory_limit"] = o.MemoryLimit
	}
	if o.TempDirectory != "" {
		c["temp_directory"] = o.TempDirectory
	}
	return c
}

func (db *DB) start(ctx context.Context) error {
	var err error
	if db.admin, err = db.connect(backend.Settings{}); err != nil {
		return err
	}
	attach := "ATTACH ':memory:' AS " + quote(db.options.Database)
	if db.options.Path != "" {
		attach = "ATTACH '" + strings.ReplaceAll(db.options.Path, "'", "''") + "' AS " + quote(db.options.Database)
		if !db.options.ReadWrite {
			attach += " (READ_ONLY)"
		}
	}
	if err := db.admin.exec(ctx, attach); err != nil {
		return db.attachError(err)
	}
	script := append([]string{"ATTACH ':memory:' AS " + quote(Catalogue)}, db.options.Setup...)
	script = append(script, "SET GLOBAL enable_external_access = false")
	for _, sql := range script {
		if strings.TrimSpace(sql) == "" {
			continue
		}
		if err := db.admin.exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) attachError(err error) error {
	text := err.Error()
	se := sqlstate.New(sqlstate.IOError, "database file %q cannot be opened", db.options.Path).WithDetail("%s", text)
	switch {
	case strings.Contains(text, "Conflicting lock"):
		se.Hint = "Another process has it open for writing; close it there, or serve a copy."
	case strings.Contains(text, "not a valid DuckDB database"):
		se.Hint = "Give the path of a DuckDB database file."
	case strings.Contains(text, "version"):
		se.Hint = "It was written by another version of DuckDB; export it and import it again."
	default:
		se.Hint = "Check that the file can be read."
	}
	return se
}

// Exec runs a script on the instance's own connection: catalogue rows and the
// like, never text of a client.
func (db *DB) Exec(ctx context.Context, script string) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return sqlstate.New(sqlstate.AdminShutdown, "the engine is closed")
	}
	return db.admin.exec(ctx, script)
}

// Session opens one client's view.
func (db *DB) Session(_ context.Context, s backend.Settings) (backend.Session, error) {
	if db.isClosed() {
		return nil, sqlstate.New(sqlstate.AdminShutdown, "the engine is closed")
	}
	return &session{db: db, settings: normal(s), stmts: map[*stmt]struct{}{}}, nil
}

func (db *DB) isClosed() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.closed
}

func normal(s backend.Settings) backend.Settings {
	if s.TimeZone == "" {
		s.TimeZone = "UTC"
	}
	return s
}

// Close waits for connections in use and ends the instance.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil
	}
	db.closed = true
	idle := db.pool
	db.pool = nil
	db.mu.Unlock()
	db.open.Wait()
	for _, list := range idle {
		for _, c := range list {
			c.close()
		}
	}
	db.admin.close()
	bindings.Close(&db.db)
	return nil
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
