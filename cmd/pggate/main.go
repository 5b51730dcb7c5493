// Command pggate is a PostgreSQL wire-protocol gateway over a semantic layer.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // time zones are known on machines without the zone database

	"github.com/pggate/pggate/cmd/pggate/gate"
)

func main() {
	os.Exit(gate.Main(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
