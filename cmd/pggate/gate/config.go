package gate

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// A Config is what `pggate serve` is told, by a file in YAML, by PGGATE_*
// variables and by flags, each over the one before.
type Config struct {
	Models        []string      `yaml:"models"`
	DB            string        `yaml:"db"`
	Database      string        `yaml:"database"`
	Listen        string        `yaml:"listen"`
	Expose        []string      `yaml:"expose"`
	Users         string        `yaml:"users"`
	SearchPath    string        `yaml:"search_path"`
	MaxConns      int           `yaml:"max_connections"`
	Threads       int           `yaml:"threads"`
	MemoryLimit   string        `yaml:"memory_limit"`
	TempDirectory string        `yaml:"temp_directory"`
	Grace         time.Duration `yaml:"shutdown_grace"`
	LogLevel      string        `yaml:"log_level"`
}

// DefaultConfig listens on loopback, where trust is safe.
func DefaultConfig() Config {
	return Config{Listen: "127.0.0.1:5432", MaxConns: 1000, Grace: 30 * time.Second, LogLevel: "info"}
}

// flags declares a flag for every key.
func (c *Config) flags(f *pflag.FlagSet) {
	f.StringSliceVar(&c.Models, "models", c.Models, "model files or folders")
	f.StringVar(&c.DB, "db", c.DB, "DuckDB database file")
	f.StringVar(&c.Database, "database", c.Database, "name that clients connect to (default: the file's name)")
	f.StringVar(&c.Listen, "listen", c.Listen, "address to listen on")
	f.StringSliceVar(&c.Expose, "expose", c.Expose, "physical tables that clients may read: schema.table, schema.* or *")
	f.StringVar(&c.Users, "users", c.Users, "file of user names and SCRAM-SHA-256 verifiers")
	f.StringVar(&c.SearchPath, "search-path", c.SearchPath, "schemas to look names up in (default: the models)")
	f.IntVar(&c.MaxConns, "max-connections", c.MaxConns, "clients at a time")
	f.IntVar(&c.Threads, "threads", c.Threads, "threads of the engine (default: all cores)")
	f.StringVar(&c.MemoryLimit, "memory-limit", c.MemoryLimit, "memory of the engine, such as 4GB (default: 80% of the machine)")
	f.StringVar(&c.TempDirectory, "temp-directory", c.TempDirectory, "where the engine may spill")
	f.DurationVar(&c.Grace, "shutdown-grace", c.Grace, "time that running statements get when the server stops")
	f.StringVar(&c.LogLevel, "log-level", c.LogLevel, "debug, info, warn or error")
}

// merge reads the file and the environment into what no flag has set.
func (c *Config) merge(file string, f *pflag.FlagSet, env func(string) (string, bool)) error {
	if file != "" {
		raw, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("config file %s does not exist", file)
		}
		if err != nil {
			return err
		}
		read := *c
		d := yaml.NewDecoder(strings.NewReader(string(raw)))
		d.KnownFields(true)
		if err := d.Decode(&read); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, key := range configKeys {
			if flag := f.Lookup(key.flag); flag == nil || !flag.Changed {
				key.copy(c, &read)
			}
		}
	}
	for _, key := range configKeys {
		if flag := f.Lookup(key.flag); flag != nil && flag.Changed {
			continue
		}
		if v, ok := env(key.variable()); ok {
			if err := key.set(c, v); err != nil {
				return fmt.Errorf("%s: %w", key.variable(), err)
			}
		}
	}
	return nil
}

// A configKey is one key in its three forms.
type configKey struct {
	flag string
	copy func(to, from *Config)
	set  func(c *Config, v string) error
}

func (k configKey) variable() string {
	return "PGGATE_" + strings.ToUpper(strings.ReplaceAll(k.flag, "-", "_"))
}

func stringKey(flag string, field func(*Config) *string) configKey {
	return configKey{flag,
		func(to, from *Config) { *field(to) = *field(from) },
		func(c *Config, v string) error { *field(c) = v; return nil }}
}

func listKey(flag string, field func(*Config) *[]string) configKey {
	return configKey{flag,
		func(to, from *Config) { *field(to) = *field(from) },
		func(c *Config, v string) error { *field(c) = strings.Split(v, ","); return nil }}
}

func intKey(flag string, field func(*Config) *int) configKey {
	return configKey{flag,
		func(to, from *Config) { *field(to) = *field(from) },
		func(c *Config, v string) (err error) { *field(c), err = strconv.Atoi(v); return err }}
}

var configKeys = []configKey{
	listKey("models", func(c *Config) *[]string { return &c.Models }),
	stringKey("db", func(c *Config) *string { return &c.DB }),
	stringKey("database", func(c *Config) *string { return &c.Database }),
	stringKey("listen", func(c *Config) *string { return &c.Listen }),
	listKey("expose", func(c *Config) *[]string { return &c.Expose }),
	stringKey("users", func(c *Config) *string { return &c.Users }),
	stringKey("search-path", func(c *Config) *string { return &c.SearchPath }),
	intKey("max-connections", func(c *Config) *int { return &c.MaxConns }),
	intKey("threads", func(c *Config) *int { return &c.Threads }),
	stringKey("memory-limit", func(c *Config) *string { return &c.MemoryLimit }),
	stringKey("temp-directory", func(c *Config) *string { return &c.TempDirectory }),
	{"shutdown-grace", func(to, from *Config) { to.Grace = from.Grace }, func(c *Config, v string) (err error) { c.Grace, err = time.ParseDuration(v); return err }},
	stringKey("log-level", func(c *Config) *string { return &c.LogLevel }),
}

// loopback reports whether an address can be reached from this machine alone.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
