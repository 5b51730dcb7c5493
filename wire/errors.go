package wire

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pggate/pggate/wire/sqlstate"
)

// The reasons for which a statement's context ends. context.Cause gives them
// back, whatever error the engine made of the interruption.
var (
	errCanceled = errors.New("canceled by the user")
	errTimeout  = errors.New("statement timeout")
	errShutdown = errors.New("server shutdown")
	errGone     = errors.New("client gone")
)

const (
	severityError = "ERROR"
	severityFatal = "FATAL"
)

// translate is the one place that decides what a client is told about err,
// which came up under ctx, and whether the connection can go on. A reason for
// which the context ended counts more than what the interrupted code made of
// it. What is not a *sqlstate.Error is a defect: the log gets the error and the
// client a number to ask for.
func (c *conn) translate(ctx context.Context, err error) (e *sqlstate.Error, severity string) {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errCanceled):
		return sqlstate.New(sqlstate.QueryCanceled, "canceling statement due to user request"), severityError
	case errors.Is(cause, errTimeout):
		return sqlstate.New(sqlstate.QueryCanceled, "canceling statement due to statement timeout"), severityError
	case errors.Is(cause, errShutdown):
		return shutdownError(), severityFatal
	case errors.Is(cause, errGone):
		return sqlstate.New(sqlstate.ConnectionFailure, "connection to client lost"), severityFatal
	}
	if errors.As(err, &e) && e != nil {
		switch e.Code {
		case sqlstate.AdminShutdown, sqlstate.CrashShutdown, sqlstate.CannotConnectNow:
			return e, severityFatal
		}
		if e.Code == sqlstate.InternalError {
			c.log.Error("internal error", slog.String("error", e.Error()))
		}
		return e, severityError
	}
	return c.internal(err), severityError
}

// internal logs err under a new reference number and makes the error that
// carries the number.
func (c *conn) internal(err error) *sqlstate.Error {
	ref := reference()
	c.log.Error("internal error", slog.String("reference", ref), slog.Any("error", err))
	return sqlstate.New(sqlstate.InternalError, "internal error, reference %s", ref).
		WithHint("Give the reference to the operator of the gateway; the log has the reason under it.")
}

func reference() string {
	var b [6]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// moved is err with its position moved by offset characters; errors are shared
// and so not changed in place.
func moved(err error, offset int) error {
	var e *sqlstate.Error
	if offset == 0 || !errors.As(err, &e) || e == nil || e.Position == 0 {
		return err
	}
	copied := *e
	copied.Position += offset
	return &copied
}

func isSyntaxError(err error) bool {
	var e *sqlstate.Error
	return errors.As(err, &e) && e != nil && e.Code == sqlstate.SyntaxError
}

func shutdownError() *sqlstate.Error {
	return sqlstate.New(sqlstate.AdminShutdown, "terminating connection due to administrator command")
}

// sendError writes an ErrorResponse (protocol-error-fields).
func (o *output) sendError(severity string, e *sqlstate.Error) {
	o.send((*pgproto3.ErrorResponse)(fields(severity, e)))
}

// sendNotice writes a NoticeResponse: NOTICE for code 00000, otherwise WARNING.
func (o *output) sendNotice(e *sqlstate.Error) {
	o.send((*pgproto3.NoticeResponse)(fields(noticeSeverity(e), e)))
}

func noticeSeverity(e *sqlstate.Error) string {
	if e.Code == sqlstate.SuccessfulCompletion {
		return "NOTICE"
	}
	return "WARNING"
}

func fields(severity string, e *sqlstate.Error) *pgproto3.ErrorResponse {
	return &pgproto3.ErrorResponse{
		Severity:            severity,
		SeverityUnlocalized: severity,
		Code:                string(e.Code),
		Message:             e.Message,
		Detail:              e.Detail,
		Hint:                e.Hint,
		Position:            int32(e.Position),
	}
}
