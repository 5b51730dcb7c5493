package rewrite

// A Statement is *Select, *Set, *Show, *Reset, *Transaction, *Discard,
// *Deallocate, *Explain, *Listen or *Empty.
type Statement interface{ statement() }

// A Select is a query, ready for the engine.
type Select struct {
	SQL     string
	Columns []string // output names as PostgreSQL gives them, top level
	Blocks  []Block
	// Volatile: the text holds values of the session that compiled it, such
	// as a setting, and must not be shared.
	Volatile bool
	// Notices are sentences for the client, to be sent once per session.
	Notices []string
}

// A Block says how one part of the statement that asks a model was answered.
type Block struct {
	Relation string   // the FROM items, as the client named them
	Query    string   // what is measured, by what, over which rows
	Plan     string   // the parts and what each computes
	Trace    []string // the decisions and their reasons
}

// A Set changes a setting. Value is joined as PostgreSQL stores it.
type Set struct {
	Name  string
	Value string
	Local bool
	// Default asks for the default value instead.
	Default bool
}

// A Show asks for a setting; Name is "all" for all of them.
type Show struct{ Name string }

// A Reset puts a setting back; Name is "all" for all of them.
type Reset struct{ Name string }

// A TransactionKind is one of the transaction statements.
type TransactionKind int

// The transaction statements.
const (
	Begin TransactionKind = iota
	Commit
	Rollback
	Savepoint
	Release
	RollbackTo
	SetCharacteristics // SET TRANSACTION, SET SESSION CHARACTERISTICS
)

// A Transaction controls the client's transaction block. Settings are the
// modes it asks for, by the names of the settings that hold them.
type Transaction struct {
	Kind     TransactionKind
	Start    bool   // written START TRANSACTION: the tag says so
	Name     string // of a savepoint
	Chain    bool
	Session  bool // SET SESSION CHARACTERISTICS
	Settings []Set
}

// A Discard gives back session state: ALL, PLANS, SEQUENCES or TEMP.
type Discard struct{ What string }

// A Deallocate forgets a prepared statement; "" for all.
type Deallocate struct{ Name string }

// A Listen is LISTEN, UNLISTEN or NOTIFY, which have no effect here.
type Listen struct{ Tag string }

// An Explain shows how a query is answered.
type Explain struct {
	Select  *Select
	Format  string // "text" or "json"
	Analyze bool
}

// An Empty is a text without a statement.
type Empty struct{}

func (*Select) statement()      {}
func (*Set) statement()         {}
func (*Show) statement()        {}
func (*Reset) statement()       {}
func (*Transaction) statement() {}
func (*Discard) statement()     {}
func (*Deallocate) statement()  {}
func (*Listen) statement()      {}
func (*Explain) statement()     {}
func (*Empty) statement()       {}
