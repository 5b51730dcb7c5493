package wire

import (
	"strings"
	"time"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A Session is what one client has said about itself: who it is, its settings,
// the state of its transaction, and the statements and portals it has named. It
// has no socket and no lock: it belongs to the goroutine that serves the client,
// and a Handler may use it only while that goroutine calls it.
type Session struct {
	// Backend is the client's session with the engine. The Handler sets it in
	// Connect and closes it in Disconnect.
	Backend backend.Session

	user, database string
	pid            int32

	settings map[string]*variable // by name in lower case
	unreport bool                 // a reported setting may have changed since the client was told

	transaction transaction
	notices     []*sqlstate.Error
	objects     objects
}

// A variable is the state of one setting: the value to go back to, the value of
// the session, and the value that ends with the transaction.
type variable struct {
	def     *setting
	reset   value
	session value
	local   value
	isLocal bool
}

func (v *variable) current() value {
	if v.isLocal {
		return v.local
	}
	return v.session
}

// NewSession is a session with the default settings. The server makes one for
// every client; Handlers make them in their tests.
func NewSession(user, database string) *Session {
	s := &Session{user: user, database: database, settings: make(map[string]*variable, len(settingTable)+4)}
	for i := range settingTable {
		def := &settingTable[i]
		v, err := def.parse(def.name, def.initial)
		if err != nil {
			v = value{text: def.initial} // not reached: a test parses the whole table
		}
		s.settings[strings.ToLower(def.name)] = &variable{def: def, reset: v, session: v}
	}
	s.settings["session_authorization"].become(value{text: user})
	s.objects.init()
	return s
}

func (v *variable) become(to value) { v.reset, v.session, v.isLocal = to, to, false }

// User is the name the client logged in with.
func (s *Session) User() string { return s.user }

// Database is the name of the database that the client asked for.
func (s *Session) Database() string { return s.database }

// PID is the process id that the client was told, 0 for a session without one.
func (s *Session) PID() int32 { return s.pid }

// Get gives the current value of a setting as SHOW prints it; false for a name
// that is none.
func (s *Session) Get(name string) (string, bool) {
	v, ok := s.lookup(name)
	if !ok {
		return "", false
	}
	return v.current().text, true
}

// SettingName gives the name of a setting as PostgreSQL spells it, which SHOW
// makes the name of its column; false for a name that is none.
func (s *Session) SettingName(name string) (string, bool) {
	v, ok := s.lookup(name)
	if !ok {
		return "", false
	}
	return v.def.name, true
}

// Location is the time zone of the session.
func (s *Session) Location() *time.Location {
	if zone := s.settings["timezone"].current().zone; zone != nil {
		return zone
	}
	return time.UTC
}

// number is the current value of an integer or boolean setting.
func (s *Session) number(name string) int64 { return s.settings[name].current().num }

func (s *Session) lookup(name string) (*variable, bool) {
	if v, ok := s.settings[name]; ok {
		return v, true
	}
	name = strings.ToLower(name)
	if def, ok := settingsByName[name]; ok {
		name = strings.ToLower(def.name)
	}
	v, ok := s.settings[name]
	return v, ok
}

// Set changes a setting for the session or, with local, for the transaction. It
// is undone when the transaction or the savepoint is rolled back. A name of two
// parts that is not known becomes a setting of the client's own, save under
// pggate. Errors: 42704 for an unknown name, 22023 for a value that is none,
// 55P02 and 42501 for what a client may not change.
func (s *Session) Set(name, text string, local bool) error {
	v, ok := s.lookup(name)
	if !ok {
		var err error
		if v, err = s.custom(name); err != nil {
			return err
		}
	}
	if err := v.def.changeable(); err != nil {
		return err
	}
	if v.def.name == "session_authorization" && text != s.user {
		return sqlstate.New(sqlstate.InvalidParameterValue, "role %q does not exist", text)
	}
	to, err := v.def.parse(name, text)
	if err != nil {
		return err
	}
	if local && !s.transaction.block && !s.transaction.implicit {
		s.Notice(sqlstate.New(sqlstate.NoActiveTransaction, "SET LOCAL can only be used in transaction blocks"))
	}
	s.journal(v)
	if local || v.def.context == contextTransaction {
		v.local, v.isLocal = to, true
	} else {
		v.session, v.isLocal = to, false
	}
	s.unreport = true
	return nil
}

func (d *setting) changeable() error {
	switch d.context {
	case contextInternal:
		return sqlstate.New(sqlstate.CannotChangeParameter, "parameter %q cannot be changed", d.name)
	case contextPostmaster:
		return sqlstate.New(sqlstate.CannotChangeParameter, "parameter %q cannot be changed without restarting the server", d.name)
	case contextSighup:
		return sqlstate.New(sqlstate.CannotChangeParameter, "parameter %q cannot be changed now", d.name)
	case contextSuperuser:
		return sqlstate.New(sqlstate.InsufficientPrivilege, "permission denied to set parameter %q", d.name)
	}
	return nil
}

// custom makes a variable for a name of several parts (guc.c,
// valid_custom_variable_name).
func (s *Session) custom(name string) (*variable, error) {
	lower := strings.ToLower(name)
	if !strings.Contains(lower, ".") || strings.HasPrefix(lower, "pggate.") {
		return nil, unknownSetting(name)
	}
	for part := range strings.SplitSeq(lower, ".") {
		if !isIdentifier(part) {
			return nil, sqlstate.New("42602", "invalid configuration parameter name %q", name).
				WithDetail("Custom parameter names must be two or more simple identifiers separated by dots.")
		}
	}
	v := &variable{def: &setting{name: name}}
	s.settings[lower] = v
	return v, nil
}

func isIdentifier(s string) bool {
	for i, c := range s {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c > 127
		if !letter && (i == 0 || c != '$' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}

func unknownSetting(name string) error {
	return sqlstate.New(sqlstate.UndefinedObject, "unrecognized configuration parameter %q", name)
}

// Reset sets a setting to the value it had when the client had connected.
func (s *Session) Reset(name string) error {
	v, ok := s.lookup(name)
	if !ok {
		if strings.Contains(name, ".") {
			_, err := s.custom(name)
			return err
		}
		return unknownSetting(name)
	}
	if err := v.def.changeable(); err != nil {
		return err
	}
	s.restore(v)
	return nil
}

// ResetAll resets every setting that a client may change, except those of the
// transaction.
func (s *Session) ResetAll() {
	for _, v := range s.settings {
		if v.def.changeable() == nil && v.def.context != contextTransaction {
			s.restore(v)
		}
	}
}

func (s *Session) restore(v *variable) {
	s.journal(v)
	if v.def.context == contextTransaction {
		v.isLocal = false
	} else {
		v.session, v.isLocal = v.reset, false
	}
	s.unreport = true
}

// Settings are the lines of SHOW ALL, by name.
func (s *Session) Settings() []Setting {
	all := make([]Setting, 0, len(s.settings))
	for _, v := range s.settings {
		all = append(all, Setting{v.def.name, v.current().text, v.def.about})
	}
	sortSettings(all)
	return all
}

// configure gives a setting its value before the client may change it: a
// default of the server's or one from the startup packet. Unlike Set it takes
// settings that are fixed while the server runs, if fixed is true.
func (s *Session) configure(name, text string, fixed bool) error {
	v, ok := s.lookup(name)
	if !ok {
		if fixed && strings.HasPrefix(strings.ToLower(name), "pggate.") {
			v = &variable{def: &setting{name: name}}
			s.settings[strings.ToLower(name)] = v
		} else {
			var err error
			if v, err = s.custom(name); err != nil {
				return err
			}
		}
	}
	if !fixed {
		if err := v.def.changeable(); err != nil {
			return err
		}
	}
	to, err := v.def.parse(name, text)
	if err != nil {
		return err
	}
	v.become(to)
	return nil
}

// Notice queues a NoticeResponse. It is sent before the statement's
// CommandComplete; code 00000 makes it a NOTICE, another code a WARNING, and
// client_min_messages may withhold either.
func (s *Session) Notice(n *sqlstate.Error) {
	if level := s.settings["client_min_messages"].current().text; level == "error" ||
		level == "warning" && n.Code == sqlstate.SuccessfulCompletion {
		return
	}
	s.notices = append(s.notices, n)
}

// Notices takes the queued notices; the server does so after each statement.
func (s *Session) Notices() []*sqlstate.Error {
	n := s.notices
	s.notices = nil
	return n
}

// DeallocatePrepared closes the prepared statement of that name, as DEALLOCATE
// does; 26000 if there is none.
func (s *Session) DeallocatePrepared(name string) error {
	if !s.objects.closeStatement(name) {
		return unknownStatement(name)
	}
	return nil
}

// DeallocateAll closes every prepared statement.
func (s *Session) DeallocateAll() { s.objects.closeStatements() }
