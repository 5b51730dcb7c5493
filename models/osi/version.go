package osi

import (
	"strings"

	"github.com/pggate/pggate/models/document"
)

const (
	oldest = "0.1.1"      // released 2025-12-11
	newest = "0.2.0.dev0" // the draft that the schema in testdata describes
)

// readVersion gives the version of the file and whether it may be newer than
// this program. A file without a version is read as the newest one known, so
// that its other faults are found too. It answers false for a file of a version
// that cannot be read.
func readVersion(r *document.Reader, root *document.Object) (version string, newer, ok bool) {
	n := root.Need("version")
	if n == nil {
		return newest, false, true
	}
	version = n.Text // 0.2, unquoted, is a number to YAML
	switch {
	case n.Kind != document.String && n.Kind != document.Number:
		r.Fault(n.Pos(), "", `"version" must be a string, not %s`, n.Kind)
		return newest, false, true
	case version == oldest || version == newest:
		return version, false, true
	case version == "0.2" || strings.HasPrefix(version, "0.2."):
		r.Warn(n.Pos(), "", "version %q may be newer than %q, the newest that is known: keys that are not known are ignored", version, newest)
		return version, true, true
	}
	r.Fault(n.Pos(), "Versions "+oldest+" and 0.2 are.", "version %q is not supported", version)
	return version, false, false
}
