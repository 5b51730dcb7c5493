package osi

import (
	"fmt"
	"strings"

	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/semantic"
)

// names finds what is defined twice. Names are compared as SQL compares them,
// without regard to case (expression_language.md, Identifiers).
type names struct {
	what string
	pos  map[string]semantic.Pos
}

func newNames(what string) *names { return &names{what: what, pos: map[string]semantic.Pos{}} }

func (s *names) add(r *document.Reader, name string, pos semantic.Pos) {
	if name == "" {
		return
	}
	key := strings.ToLower(name)
	if first, ok := s.pos[key]; ok {
		r.Fault(pos, fmt.Sprintf("The first is on line %d; rename one of them.", first.Line), "%s %q is defined twice", s.what, name)
		return
	}
	s.pos[key] = pos
}

func (s *names) has(name string) bool {
	_, ok := s.pos[strings.ToLower(name)]
	return ok
}
