// Package sqlstate is the error that a client sees: SQLSTATE, sentence,
// position and hint (floor 0). Everything below the wire returns a *Error for
// what it refuses; anything else becomes XX000 there.
package sqlstate

import "fmt"

// A Code is a SQLSTATE of PostgreSQL's errcodes.txt.
type Code string

// The codes that pggate raises itself.
const (
	SuccessfulCompletion     Code = "00000" // the code of a mere notice
	Warning                  Code = "01000"
	ConnectionFailure        Code = "08006"
	ProtocolViolation        Code = "08P01"
	FeatureNotSupported      Code = "0A000"
	StringDataRightTrunc     Code = "22001"
	NumericOutOfRange        Code = "22003"
	InvalidDatetimeFormat    Code = "22007"
	DatetimeFieldOverflow    Code = "22008"
	DivisionByZero           Code = "22012"
	CharacterNotInRepertoire Code = "22021"
	IntervalFieldOverflow    Code = "22015"
	InvalidParameterValue    Code = "22023"
	ArraySubscript           Code = "2202E"
	InvalidTextRepr          Code = "22P02"
	InvalidBinaryRepr        Code = "22P03"
	ActiveTransaction        Code = "25001"
	ReadOnlyTransaction      Code = "25006"
	NoActiveTransaction      Code = "25P01"
	InFailedTransaction      Code = "25P02"
	IdleInTransactionTimeout Code = "25P03"
	InvalidStatementName     Code = "26000"
	InvalidAuthorization     Code = "28000"
	InvalidPassword          Code = "28P01"
	InvalidCursorName        Code = "34000"
	InvalidCatalogName       Code = "3D000"
	InvalidSchemaName        Code = "3F000"
	InvalidSavepoint         Code = "3B001"
	SyntaxError              Code = "42601"
	InsufficientPrivilege    Code = "42501"
	CannotCoerce             Code = "42846"
	GroupingError            Code = "42803"
	DatatypeMismatch         Code = "42804"
	WrongObjectType          Code = "42809"
	AmbiguousColumn          Code = "42702"
	UndefinedColumn          Code = "42703"
	UndefinedObject          Code = "42704"
	DuplicateAlias           Code = "42712"
	AmbiguousFunction        Code = "42725"
	UndefinedFunction        Code = "42883"
	UndefinedTable           Code = "42P01"
	UndefinedParameter       Code = "42P02"
	DuplicateCursor          Code = "42P03"
	DuplicateStatement       Code = "42P05"
	InvalidColumnReference   Code = "42P10"
	IndeterminateDatatype    Code = "42P18"
	WindowingError           Code = "42P20"
	OutOfMemory              Code = "53200"
	TooManyConnections       Code = "53300"
	ConfigurationLimit       Code = "53400"
	ProgramLimitExceeded     Code = "54000"
	StatementTooComplex      Code = "54001"
	ObjectNotInState         Code = "55000"
	CannotChangeParameter    Code = "55P02"
	QueryCanceled            Code = "57014"
	AdminShutdown            Code = "57P01"
	CrashShutdown            Code = "57P02"
	CannotConnectNow         Code = "57P03"
	IdleSessionTimeout       Code = "57P05"
	IOError                  Code = "58030"
	InternalError            Code = "XX000"
)

// An Error is what a client reads. Message is lower case without a full stop,
// names in double quotes; Detail and Hint are sentences.
type Error struct {
	Code     Code
	Message  string
	Detail   string
	Hint     string
	Position int   // in the client's text, characters from 1; 0 for none
	Cause    error // for the log, never for the client
}

// New makes an error; format and args are those of fmt.Sprintf.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Cause }

// SQLState is the code: the structural interface that drivers read, too.
func (e *Error) SQLState() string { return string(e.Code) }

// WithHint sets the hint and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// WithDetail sets the detail and returns e.
func (e *Error) WithDetail(format string, args ...any) *Error {
	e.Detail = fmt.Sprintf(format, args...)
	return e
}

// At sets the position, in characters from 1, and returns e.
func (e *Error) At(position int) *Error {
	e.Position = position
	return e
}
