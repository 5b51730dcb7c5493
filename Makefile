# Every target is a plain command; `make test` is what the README promises.

GO ?= go
PURE := ./semantic/... ./backend ./models/... ./wire/...

.PHONY: build test test-all golden fuzz soak bench lint tools

build:
	$(GO) build -o bin/pggate ./cmd/pggate

# The clients that the tests use are installed by the system's package manager,
# which scripts/tools says as it does it.
tools:
	@scripts/tools

test: tools
	$(GO) test -race $(PURE)
	$(GO) test ./...

# Everything, also against the next version of the engine.
test-all: test
	$(GO) test -modfile=go.duckdb2.mod ./backend/... ./integration/...

golden:
	$(GO) test ./semantic ./rewrite/... -rewrite

fuzz:
	$(GO) test -run '^$$' -fuzz FuzzGuardedParse -fuzztime 60s ./rewrite/internal/pgtree
	$(GO) test -run '^$$' -fuzz FuzzRewrite -fuzztime 60s ./rewrite

# Random models and questions against brute force, until stopped.
soak:
	@seed=$${PGGATE_SEED:-1000}; while PGGATE_SEED=$$seed PGGATE_ROUNDS=400 $(GO) test -count=1 -run TestMeasuresEqualTheirDefinition ./integration; do seed=$$((seed+400)); done

bench:
	$(GO) test -run '^$$' -bench . ./rewrite ./wire ./backend/...

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
