package wire

import (
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

const (
	maxStatements = 10000 // prepared statements of one client
	maxPortals    = 1000  // portals of one client
)

// objects are the prepared statements and portals of a session, by name; "" is
// the unnamed one.
type objects struct {
	statements map[string]*prepared
	portals    map[string]*portal
	active     *portal // the one whose Execute is running
}

// A prepared is what Parse made. Portals keep it open after its Close, as
// PostgreSQL's plans outlive their names.
type prepared struct {
	statement Statement // nil for an empty statement
	text      string    // for the log
	params    []sqltype.Type
	users     int // the name and each portal
}

func newPrepared(s Statement, text string) *prepared {
	p := &prepared{statement: s, text: text, users: 1}
	if s != nil {
		p.params = s.Params()
	}
	return p
}

// release lets go of p; the last user closes the statement. The error of a
// close changes nothing for the client: what it had asked for is done.
func (p *prepared) release() {
	if p.users--; p.users == 0 && p.statement != nil {
		_ = p.statement.Close()
	}
}

func (p *prepared) columns() []sqltype.Column {
	if p.statement == nil {
		return nil
	}
	return p.statement.Columns()
}

// inFailed reports whether p may run in a failed block.
func (p *prepared) inFailed() bool { return p.statement != nil && p.statement.InFailed() }

func (o *objects) init() {
	o.statements = make(map[string]*prepared)
	o.portals = make(map[string]*portal)
}

func (o *objects) statement(name string) (*prepared, error) {
	if p, ok := o.statements[name]; ok {
		return p, nil
	}
	return nil, unknownStatement(name)
}

func unknownStatement(name string) error {
	if name == "" {
		return sqlstate.New(sqlstate.InvalidStatementName, "unnamed prepared statement does not exist")
	}
	return sqlstate.New(sqlstate.InvalidStatementName, "prepared statement %q does not exist", name)
}

// putStatement names p, whose ownership it takes even if it fails.
func (o *objects) putStatement(name string, p *prepared) error {
	if name == "" {
		o.closeStatement("")
	} else if _, used := o.statements[name]; used {
		p.release()
		return sqlstate.New(sqlstate.DuplicateStatement, "prepared statement %q already exists", name)
	} else if len(o.statements) >= maxStatements {
		p.release()
		return sqlstate.New(sqlstate.ConfigurationLimit, "too many prepared statements").
			WithHint("Close some of the %d statements, or send DEALLOCATE ALL.", maxStatements)
	}
	o.statements[name] = p
	return nil
}

func (o *objects) closeStatement(name string) bool {
	p, ok := o.statements[name]
	if ok {
		delete(o.statements, name)
		p.release()
	}
	return ok
}

func (o *objects) closeStatements() {
	for name := range o.statements {
		o.closeStatement(name)
	}
}

func (o *objects) portal(name string) (*portal, error) {
	if p, ok := o.portals[name]; ok {
		return p, nil
	}
	return nil, sqlstate.New(sqlstate.InvalidCursorName, "portal %q does not exist", name)
}

// free reports whether a portal may take the name: the unnamed one is replaced.
func (o *objects) free(name string) error {
	if name == "" {
		o.closePortal("")
	} else if _, used := o.portals[name]; used {
		return sqlstate.New(sqlstate.DuplicateCursor, "cursor %q already exists", name)
	} else if len(o.portals) >= maxPortals {
		return sqlstate.New(sqlstate.ConfigurationLimit, "too many portals").
			WithHint("Close some of the %d portals.", maxPortals)
	}
	return nil
}

func (o *objects) closePortal(name string) {
	if p, ok := o.portals[name]; ok && p != o.active {
		delete(o.portals, name)
		p.close()
	}
}

// open reports whether there is a portal.
func (o *objects) open() bool { return len(o.portals) > 0 }

// endTransaction closes every portal but the one that is running, which is the
// COMMIT or ROLLBACK itself; it goes when it is done.
func (o *objects) endTransaction() {
	for name, p := range o.portals {
		p.depth = 0
		o.closePortal(name)
	}
}

// fail ends the portals that an error ends: those of the innermost savepoint.
// Those made before it live on in case the client goes back there.
func (o *objects) fail(depth int) {
	for _, p := range o.portals {
		if p.depth >= depth {
			p.end()
		}
	}
}

// endSavepoint closes the portals made since savepoint i.
func (o *objects) endSavepoint(i int) {
	for name, p := range o.portals {
		if p.depth > i {
			o.closePortal(name)
		}
	}
}

// mergeSavepoints hands the portals of savepoint i to what is around it.
func (o *objects) mergeSavepoints(i int) {
	for _, p := range o.portals {
		p.depth = min(p.depth, i)
	}
}

// closeAll is for the end of the session.
func (o *objects) closeAll() {
	o.active = nil
	o.endTransaction()
	o.closeStatements()
}
