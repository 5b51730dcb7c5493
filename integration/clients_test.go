package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestClients runs a program for each client library and compares what it
// prints with testdata/clients/*.txt. scripts/tools installs the libraries.
func TestClients(t *testing.T) {
	jar := "/usr/share/java/postgresql.jar"
	if j := os.Getenv("PGGATE_PGJDBC"); j != "" {
		jar = j
	}
	for name, args := range map[string][]string{
		"psycopg": {"/usr/bin/python3", "clients/psycopg_check.py"},
		"node":    {"node", "clients/node_check.js"},
		"jdbc":    {"java", "-cp", jar, "clients/JdbcCheck.java"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(args[0], append(args[1:], shared.host, shared.port)...)
			cmd.Env = append(os.Environ(), "NODE_PATH=../.tools/node_modules", "PGTZ=UTC", "TZ=UTC")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v (scripts/tools installs what is missing)\n%s", err, out)
			}
			golden(t, filepath.Join("testdata/clients", name+".txt"), string(out))
		})
	}
}
