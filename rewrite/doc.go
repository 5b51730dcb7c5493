// Package rewrite turns a client's SQL into SQL for the engine (floor 2).
//
// PostgreSQL's parse tree is kept. Names are bound in a closed world (bind.go):
// a relation, column or function exists if a model, the catalogue or the
// configuration says so. The parts of the tree that ask a model for metrics are
// taken out as blocks (block.go), planned by package semantic, and put back as
// subqueries (render.go). What is left is made DuckDB's by package dialect, and
// printed once.
//
// It knows models and trees. It must not know how SQL is run, nor the protocol:
// its product is text.
package rewrite
