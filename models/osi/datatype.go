package osi

import (
	"fmt"
	"strings"

	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/semantic"
	"github.com/pggate/pggate/semantic/sqltype"
)

// A datatype is one of the portable types of the specification.
type datatype struct {
	name string
	oid  sqltype.OID
	time bool // plays the role of a time axis unless the field says otherwise
}

var datatypes = [...]datatype{
	{"String", sqltype.Text, false},
	{"Integer", sqltype.Int8, false},
	{"Decimal", sqltype.Numeric, false}, // exact, of no stated precision
	{"Float", sqltype.Float8, false},
	{"Boolean", sqltype.Bool, false},
	{"Date", sqltype.Date, true},
	{"Time", sqltype.Time, true},
	{"DateTime", sqltype.Timestamp, true},
	{"DateTimeTz", sqltype.Timestamptz, true},
	{"Opaque", sqltype.Unknown, false}, // a type that the vocabulary has no word for
}

// readDatatype gives the declared type of a field or metric; Unknown if it
// declares none.
func readDatatype(r *document.Reader, o *document.Object) (t sqltype.Type, time bool) {
	text, n := o.Text("datatype")
	if n == nil {
		return sqltype.Of(sqltype.Unknown), false
	}
	all := make([]string, len(datatypes))
	for i, d := range datatypes {
		if d.name == text {
			return sqltype.Of(d.oid), d.time
		}
		all[i] = d.name
	}
	hint := "The types are " + strings.Join(all, ", ") + "."
	if near := semantic.Nearest(text, all); len(near) > 0 {
		hint = fmt.Sprintf("Did you mean %q?", near[0])
	}
	r.Fault(n.Pos(), hint, "%q is no datatype", text)
	return sqltype.Of(sqltype.Unknown), false
}
