package wire

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pggate/pggate/wire/sqlstate"
)

// A transaction is the bookkeeping of BEGIN and COMMIT: which state
// ReadyForQuery shows, and what is undone on the way back. PostgreSQL's rules
// are those of xact.c.
//
// Outside a block every simple Query, and every run of extended messages up to
// a Sync, is a transaction of its own; its settings and portals end with it.
type transaction struct {
	block    bool // between BEGIN and COMMIT
	failed   bool // a statement of the block has failed
	implicit bool // several statements in one Query share a transaction

	undo       []undo // changes of settings since the transaction began, oldest first
	savepoints []savepoint
}

// An undo is a setting as it was before a change.
type undo struct {
	variable *variable
	before   variable
}

type savepoint struct {
	name string
	undo int // length of the undo list when it was made
}

// InTransaction reports whether a block is open, failed or not.
func (s *Session) InTransaction() bool { return s.transaction.block }

// Failed reports whether the block has failed and can only be rolled back.
func (s *Session) Failed() bool { return s.transaction.failed }

// status is the byte of ReadyForQuery.
func (s *Session) status() byte {
	switch {
	case s.transaction.failed:
		return 'E'
	case s.transaction.block:
		return 'T'
	}
	return 'I'
}

// journal notes the state of a setting before it changes.
func (s *Session) journal(v *variable) {
	s.transaction.undo = append(s.transaction.undo, undo{v, *v})
}

// Begin opens a block. What the same Query did before becomes part of it. In an
// open block it is a warning, 25001.
func (s *Session) Begin() {
	if s.transaction.block {
		s.Notice(sqlstate.New(sqlstate.ActiveTransaction, "there is already a transaction in progress"))
		return
	}
	s.transaction.block = true
	s.beginDefaults()
}

// beginDefaults gives the settings of the transaction the session's defaults.
func (s *Session) beginDefaults() {
	for _, name := range [...]string{"isolation", "read_only", "deferrable"} {
		v := s.settings["transaction_"+name]
		v.session, v.isLocal = s.settings["default_transaction_"+name].current(), false
	}
}

// Commit ends the block and gives the command tag: ROLLBACK where the block had
// failed. Without a block it is a warning, 25P01.
func (s *Session) Commit() (tag string) {
	switch {
	case s.transaction.failed:
		s.end(false)
		return "ROLLBACK"
	case !s.transaction.block:
		s.Notice(noTransaction())
	}
	s.end(true)
	return "COMMIT"
}

// Rollback ends the block and undoes its settings. Without a block it is a
// warning, 25P01.
func (s *Session) Rollback() {
	if !s.transaction.block {
		s.Notice(noTransaction())
	}
	s.end(false)
}

func noTransaction() *sqlstate.Error {
	return sqlstate.New(sqlstate.NoActiveTransaction, "there is no transaction in progress")
}

// end leaves the transaction, block or not.
func (s *Session) end(commit bool) {
	if commit {
		for _, u := range s.transaction.undo {
			u.variable.isLocal = false
		}
		s.unreport = s.unreport || len(s.transaction.undo) > 0
	} else {
		s.undoTo(0)
	}
	clear(s.transaction.undo)
	s.transaction = transaction{implicit: s.transaction.implicit, undo: s.transaction.undo[:0]}
	s.beginDefaults()
	s.objects.endTransaction()
}

// undoTo takes back the changes after the first n.
func (s *Session) undoTo(n int) {
	for i := len(s.transaction.undo) - 1; i >= n; i-- {
		u := s.transaction.undo[i]
		*u.variable = u.before
		s.unreport = true
	}
	clear(s.transaction.undo[n:])
	s.transaction.undo = s.transaction.undo[:n]
}

// Savepoint opens a savepoint; 25P01 outside a block.
func (s *Session) Savepoint(name string) error {
	if !s.transaction.block {
		return needsBlock("SAVEPOINT")
	}
	s.transaction.savepoints = append(s.transaction.savepoints, savepoint{name, len(s.transaction.undo)})
	return nil
}

// Release forgets the newest savepoint of that name and those after it, and
// keeps what was done since; 25P01 outside a block, 3B001 if there is none.
func (s *Session) Release(name string) error {
	if !s.transaction.block {
		return needsBlock("RELEASE SAVEPOINT")
	}
	i, err := s.savepoint(name)
	if err != nil {
		return err
	}
	s.transaction.savepoints = s.transaction.savepoints[:i]
	s.objects.mergeSavepoints(i)
	return nil
}

// RollbackTo goes back to the newest savepoint of that name, which stays; a
// failed block works again. 25P01 outside a block, 3B001 if there is none.
func (s *Session) RollbackTo(name string) error {
	if !s.transaction.block {
		return needsBlock("ROLLBACK TO SAVEPOINT")
	}
	i, err := s.savepoint(name)
	if err != nil {
		return err
	}
	s.undoTo(s.transaction.savepoints[i].undo)
	s.transaction.savepoints = s.transaction.savepoints[:i+1]
	s.transaction.failed = false
	s.objects.endSavepoint(i)
	return nil
}

func (s *Session) savepoint(name string) (int, error) {
	for i := len(s.transaction.savepoints) - 1; i >= 0; i-- {
		if s.transaction.savepoints[i].name == name {
			return i, nil
		}
	}
	return 0, sqlstate.New(sqlstate.InvalidSavepoint, "savepoint %q does not exist", name)
}

func needsBlock(command string) error {
	return sqlstate.New(sqlstate.NoActiveTransaction, "%s can only be used in transaction blocks", command)
}

// fail is called for every error of a statement: a block fails, a transaction
// of one statement is over.
func (s *Session) fail() {
	if s.transaction.block {
		s.transaction.failed = true
		s.objects.fail(len(s.transaction.savepoints))
		return
	}
	s.end(false)
}

// settle ends a transaction that is no block, at a Sync or the end of a Query.
func (s *Session) settle() {
	if !s.transaction.block && (len(s.transaction.undo) > 0 || s.objects.open()) {
		s.end(true)
	}
}

func failedBlock() *sqlstate.Error {
	return sqlstate.New(sqlstate.InFailedTransaction, "current transaction is aborted, commands ignored until end of transaction block")
}

func sortSettings(all []Setting) {
	slices.SortFunc(all, func(a, b Setting) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
}
