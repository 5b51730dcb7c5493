package semantic

import "github.com/pggate/pggate/semantic/sqltype"

// A Def is a model as a loader read it: nothing resolved, nothing checked. New
// makes a Model of it or says all that is wrong. Every Pos is where the thing
// stands in its file.
type Def struct {
	Name        string // the schema in which clients see the model's relations
	Description string
	Context     Context
	Extensions  []Extension
	Datasets    []DatasetDef
	Relations   []RelationshipDef
	Metrics     []MetricDef
	Pos         Pos
}

// A Pos is a place in a model file; lines and columns count from 1.
type Pos struct {
	File string
	Line int
	Col  int
}

// Context is Ossie's ai_context, kept for clients that ask.
type Context struct {
	Instructions string
	Synonyms     []string
	Examples     []string
	Raw          string // the whole value as JSON; "" if there is none
}

// An Extension is a vendor's addition, kept as it was read.
type Extension struct {
	Vendor string
	Data   string
}

// A DatasetDef is a table or query with a grain.
type DatasetDef struct {
	Name        string
	Description string
	Context     Context
	Extensions  []Extension
	// Source is a relation (database, schema, name; leading parts may be
	// empty), or Query is a SELECT text. Exactly one is set.
	Source     [3]string
	Query      string
	PrimaryKey []string   // physical columns
	UniqueKeys [][]string // alternative keys
	Fields     []FieldDef
	Roles      []RoleDef
	Hidden     bool // exists for joins and metrics, is no relation for clients
	Pos        Pos
	SourcePos  Pos
}

// A FieldDef is a row-level attribute.
type FieldDef struct {
	Name        string
	Description string
	Label       string
	Context     Context
	Extensions  []Extension
	Expr        Expr
	Time        bool         // plays the role of a time axis
	Type        sqltype.Type // Unknown where the file does not say
	Hidden      bool
	Pos         Pos
}

// A RoleDef names a time field for what happened then: `ordered` for
// `ordered_at`, so that a client may write ordered.month.
type RoleDef struct {
	Name    string
	Field   string
	Default bool // the time of this dataset's metrics on the metrics relation
	Pos     Pos
}

// A RelationshipDef is a to-one edge: each row of From has at most one row of
// To. The columns are physical, in pairs.
type RelationshipDef struct {
	Name        string
	From, To    string
	FromColumns []string
	ToColumns   []string
	// Role is the word under which fields of To are reached from From where
	// the name of To alone would not say which: origin.city, destination.city.
	// "" is the name of To.
	Role       string
	Context    Context
	Extensions []Extension
	Pos        Pos
}

// A MetricDef is an aggregate expression, or arithmetic over metrics.
type MetricDef struct {
	Name        string
	Description string
	Context     Context
	Extensions  []Extension
	Dataset     string // the dataset whose section it stands in, or ""
	Formula     *Formula
	Filter      Expr         // rows that count, or nil: ANDed into every aggregate of the formula
	Type        sqltype.Type // Unknown where the file does not say
	Format      string
	Hidden      bool
	Pos         Pos
}

// An Expr is a scalar expression that the compiler moves but never opens. The
// parser that made it knows its inside.
type Expr interface {
	// Refs are the names it mentions, in order of appearance, each once.
	Refs() []Ref
	// String is the expression as text, for messages.
	String() string
}

// A Ref is a name in an expression: a column or field, with its dataset or role
// path where one was written (orders.amount; "" and amount).
type Ref struct {
	Path []string // "customers", or "order", "customer"; empty for a bare name
	Name string
}

// String is the dotted form.
func (r Ref) String() string {
	s := ""
	for _, p := range r.Path {
		s += p + "."
	}
	return s + r.Name
}

// A Formula is a metric's text after parsing: aggregates and names of other
// metrics, and the expression around them, in which slot i stands for
// Aggregates[i] and slot len(Aggregates)+j for Metrics[j]. A division in Outer
// is already guarded against zero.
type Formula struct {
	Aggregates []AggregateDef
	Metrics    []string
	Outer      Expr // nil if the formula is Aggregates[0] or Metrics[0] alone
	Text       string
}

// An AggregateDef is one aggregate call.
type AggregateDef struct {
	Func     string // lower case: sum, count, avg, min, max, median, stddev_samp, ...
	Distinct bool
	Star     bool // COUNT(*)
	Arg      Expr // the whole call as a box; its Refs are the fields it needs
	Filter   Expr // FILTER (WHERE ...), or nil
}
