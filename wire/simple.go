package wire

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// simpleQuery runs the statements of a Query message; the first error ends
// them. Several statements share a transaction unless they make their own
// (protocol-flow, "Multiple Statements in a Simple Query").
func (c *conn) simpleQuery(body []byte) error {
	c.session.objects.closeStatement("")
	c.session.objects.closePortal("")
	err := c.runQuery(body)
	c.session.transaction.implicit = false
	if err != nil {
		return err
	}
	c.session.settle()
	c.ready()
	return nil
}

func (c *conn) runQuery(body []byte) error {
	m := messageReader{rest: body}
	sql := m.text()
	if err := m.end(); err != nil {
		return c.failed(c.ctx, err)
	}
	fragments, err := c.server.Handler.Split(sql)
	if err != nil {
		return c.failed(c.ctx, err)
	}
	c.session.transaction.implicit = len(fragments) > 1
	ran := 0
	for _, f := range fragments {
		ctx, stop := context.WithCancelCause(c.ctx)
		empty, err := c.runFragment(ctx, stop, f)
		if err != nil {
			err = c.failed(ctx, moved(err, f.Offset))
			stop(context.Canceled)
			return err
		}
		stop(context.Canceled)
		if !empty {
			ran++
		}
	}
	if ran == 0 {
		c.out.send(&pgproto3.EmptyQueryResponse{})
	}
	return nil
}

// validText refuses what is not UTF-8 (mbutils.c, pg_verify_mbstr).
func validText(s string) (string, error) {
	if utf8.ValidString(s) {
		return s, nil
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			bad := s[i:min(len(s), i+expectedLength(s[i]))]
			var b strings.Builder
			for j := range len(bad) {
				b.WriteString(" 0x")
				b.WriteByte(hexDigits[bad[j]>>4])
				b.WriteByte(hexDigits[bad[j]&15])
			}
			return "", sqlstate.New(sqlstate.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\":%s", b.String())
		}
		i += size
	}
	return s, nil
}

// expectedLength is the length that the first byte of a character announces
// (wchar.c, pg_utf_mblen).
func expectedLength(b byte) int {
	switch {
	case b&0xe0 == 0xc0:
		return 2
	case b&0xf0 == 0xe0:
		return 3
	case b&0xf8 == 0xf0:
		return 4
	}
	return 1
}

// runFragment prepares and runs one statement of a Query. stop ends ctx early.
func (c *conn) runFragment(ctx context.Context, stop context.CancelCauseFunc, f Fragment) (empty bool, err error) {
	release := c.attend(stop)
	defer release()
	statement, err := c.prepare(ctx, f.Text, nil)
	if err != nil || statement == nil {
		return err == nil, err
	}
	prepared := newPrepared(statement, f.Text)
	p := &portal{prepared: prepared, ctx: ctx, cancel: stop, depth: len(c.session.transaction.savepoints)}
	defer p.close()
	if c.session.Failed() && !statement.InFailed() {
		return false, failedBlock()
	}
	if len(prepared.params) > 0 {
		return false, sqlstate.New(sqlstate.UndefinedParameter, "there is no parameter $1")
	}
	if err := p.start(c.session); err != nil {
		return false, err
	}
	if columns := p.columns(); columns != nil {
		c.describeRows(columns, p)
	}
	count, _, err := p.read(&c.out, 0)
	if err != nil {
		return false, err
	}
	c.complete(p, count)
	return false, nil
}

// prepare asks the Handler for a statement. In a failed block it is not to be
// told of names that do not exist, but of the block (postgres.c,
// exec_parse_message); only what is no SQL at all is found out before.
func (c *conn) prepare(ctx context.Context, sql string, params []sqltype.Type) (Statement, error) {
	statement, err := c.server.Handler.Prepare(ctx, c.session, sql, params)
	if err != nil && c.session.Failed() && !isSyntaxError(err) && ctx.Err() == nil {
		return nil, failedBlock()
	}
	return statement, err
}

// complete sends what the statement had to say and its CommandComplete.
func (c *conn) complete(p *portal, count int) {
	c.sendNotices()
	tag := p.result.Tag
	if p.rows.env != nil && countsRows(tag) {
		tag += " " + strconv.Itoa(count)
	}
	c.out.send(&pgproto3.CommandComplete{CommandTag: []byte(tag)})
}

// countsRows knows the tags that carry a number of rows (cmdtaglist.h).
func countsRows(tag string) bool {
	switch tag {
	case "SELECT", "FETCH", "MOVE", "COPY", "INSERT 0", "UPDATE", "DELETE", "MERGE":
		return true
	}
	return false
}

// describeRows sends the RowDescription; p is nil where no format is known yet.
func (c *conn) describeRows(columns []sqltype.Column, p *portal) {
	fields := make([]pgproto3.FieldDescription, len(columns))
	for i, col := range columns {
		fields[i] = pgproto3.FieldDescription{
			Name:                 []byte(col.Name),
			TableOID:             col.Table,
			TableAttributeNumber: uint16(col.Attr),
			DataTypeOID:          uint32(col.Type.OID),
			DataTypeSize:         col.Type.OID.Size(),
			TypeModifier:         col.Type.Mod,
		}
		if p != nil {
			fields[i].Format = p.format(i)
		}
	}
	c.out.send(&pgproto3.RowDescription{Fields: fields})
}
