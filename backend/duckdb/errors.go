package duckdb

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/pggate/pggate/wire/sqlstate"
)

// codes are the SQLSTATEs of the engine's classes of error.
var codes = map[bindings.ErrorType]sqlstate.Code{
	bindings.ErrorTypeOutOfRange: sqlstate.NumericOutOfRange, bindings.ErrorTypeConversion: sqlstate.InvalidTextRepr,
	bindings.ErrorTypeDivideByZero: sqlstate.DivisionByZero, bindings.ErrorTypeOutOfMemory: sqlstate.OutOfMemory,
	bindings.ErrorTypeErrorIO: sqlstate.IOError, bindings.ErrorTypeMismatchType: sqlstate.DatatypeMismatch,
	bindings.ErrorTypeInvalidInput: sqlstate.InvalidParameterValue, bindings.ErrorTypePermission: sqlstate.InsufficientPrivilege,
	bindings.ErrorTypeNotImplemented: sqlstate.FeatureNotSupported, bindings.ErrorTypeInterrupt: sqlstate.QueryCanceled,
	bindings.ErrorTypeParameterNotResolved: sqlstate.IndeterminateDatatype,
}

// prefixes name the class at the head of a message, where no class is given.
var prefixes = []struct {
	text string
	kind bindings.ErrorType
}{
	{"Out of Range Error: ", bindings.ErrorTypeOutOfRange}, {"Conversion Error: ", bindings.ErrorTypeConversion},
	{"Out of Memory Error: ", bindings.ErrorTypeOutOfMemory}, {"IO Error: ", bindings.ErrorTypeErrorIO},
	{"Invalid Input Error: ", bindings.ErrorTypeInvalidInput}, {"INTERRUPT Error: ", bindings.ErrorTypeInterrupt},
	{"Binder Error: ", bindings.ErrorTypeBinder}, {"Catalog Error: ", bindings.ErrorTypeCatalog}, {"Parser Error: ", bindings.ErrorTypeParser},
	{"Not implemented Error: ", bindings.ErrorTypeNotImplemented}, {"Permission Error: ", bindings.ErrorTypePermission}, {"Mismatch Type Error: ", bindings.ErrorTypeMismatchType},
}

func resultError(ctx context.Context, res *bindings.Result) error {
	return translate(ctx, bindings.ResultErrorType(res), bindings.ResultError(res))
}

func prepareError(ctx context.Context, text string) error {
	return translate(ctx, bindings.ErrorTypeInvalid, text)
}

// raised is the form in which the compiler has the engine raise an error of its
// own: error('\x01SQLSTATE 22012\x01division by zero').
const raised = "\x01SQLSTATE "

// translate gives an engine error its code. A statement that was interrupted
// ended because its context did; the cause says why.
func translate(ctx context.Context, kind bindings.ErrorType, text string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, rest, ok := strings.Cut(text, raised); ok {
		if code, message, ok := strings.Cut(rest, "\x01"); ok && len(code) == 5 {
			return sqlstate.New(sqlstate.Code(code), "%s", firstLine(message))
		}
	}
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(text, p.text); ok {
			if kind == bindings.ErrorTypeInvalid {
				kind = p.kind
			}
			text = rest
		}
	}
	cause := fmt.Errorf("engine: %s", text)
	message := firstLine(text)
	if m := conversion.FindStringSubmatch(message); m != nil {
		if name, ok := typeWords[m[2]]; ok {
			return &sqlstate.Error{Code: sqlstate.InvalidTextRepr, Message: "invalid input syntax for type " + name + ": \"" + m[1] + "\"", Cause: cause}
		}
	}
	if code, ok := codes[kind]; ok {
		return &sqlstate.Error{Code: code, Message: lowerFirst(message), Cause: cause}
	}
	if kind == bindings.ErrorTypeBinder || kind == bindings.ErrorTypeCatalog {
		for _, m := range binding {
			if strings.Contains(message, m.text) {
				return &sqlstate.Error{Code: m.code, Message: lowerFirst(message), Cause: cause}
			}
		}
	}
	return cause // a defect of the compiler: XX000 with a reference number
}

// conversion is the engine's sentence about a text that is no value. It is
// its message that is matched here, never SQL.
var conversion = regexp.MustCompile(`^(?:Could not convert string|invalid [a-z]+ field format:|Could not parse string) ['"](.*?)['"](?:.*?) (?:to|according to format specifier|into) ([A-Z0-9]+)`)

var typeWords = map[string]string{"INT8": "smallint", "INT16": "smallint", "INT32": "integer", "INT64": "bigint", "INT128": "numeric", "DOUBLE": "double precision", "FLOAT": "real", "BOOL": "boolean", "DECIMAL": "numeric", "UUID": "uuid"}

// binding are sentences of the engine's binder that a client's own mistake can
// cause in SQL that no model is asked in.
var binding = []struct {
	text string
	code sqlstate.Code
}{
	{"Ambiguous reference", sqlstate.AmbiguousColumn}, {"No function matches", sqlstate.UndefinedFunction},
	{"must appear in the GROUP BY clause", sqlstate.GroupingError}, {"Referenced column", sqlstate.UndefinedColumn},
	{"does not have a column named", sqlstate.UndefinedColumn}, {"Values list", sqlstate.UndefinedColumn},
	{"Cannot compare values of type", sqlstate.DatatypeMismatch}, {"Cannot mix values of type", sqlstate.DatatypeMismatch},
	{"could not be cast", sqlstate.CannotCoerce}, {"cannot contain aggregates", sqlstate.GroupingError}, {"aggregate function calls cannot be nested", sqlstate.GroupingError},
	{"Set operations can only apply to expressions with the same number", sqlstate.SyntaxError},
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimSpace(s)
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'a' && s[1] <= 'z' {
		return string(s[0]+'a'-'A') + s[1:]
	}
	return s
}
