package wire

import (
	"context"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// extended runs one message of the extended protocol. After an error the
// connection skips to the next Sync.
func (c *conn) extended(typ byte, body []byte) error {
	switch typ {
	case 'P':
		return c.parse(body)
	case 'B':
		return c.bind(body)
	case 'D':
		return c.describe(body)
	case 'E':
		return c.execute(body)
	}
	return c.close(body)
}

// sync ends a run of extended messages, and with it the transaction if there is
// no block.
func (c *conn) sync() error {
	c.skipping = false
	c.session.settle()
	c.ready()
	return nil
}

// parse makes a prepared statement (postgres.c, exec_parse_message).
func (c *conn) parse(body []byte) error {
	m := messageReader{rest: body}
	name, sql := m.text(), m.text()
	params := make([]sqltype.Type, m.count(4))
	for i := range params {
		params[i] = sqltype.Of(sqltype.OID(m.uint32()))
	}
	if err := m.end(); err != nil {
		return err
	}
	if name == "" {
		c.session.objects.closeStatement("")
	}
	ctx, stop := context.WithCancelCause(c.ctx)
	defer stop(context.Canceled)
	statement, err := c.attendPrepare(ctx, stop, sql, params)
	if err != nil {
		// Told here, while ctx still knows why it ended.
		return c.ended(ctx, err)
	}
	prepared := newPrepared(statement, sql)
	if statement != nil && c.session.Failed() && !statement.InFailed() {
		prepared.release()
		return failedBlock()
	}
	if err := c.session.objects.putStatement(name, prepared); err != nil {
		return err
	}
	c.out.send(&pgproto3.ParseComplete{})
	return nil
}

func (c *conn) attendPrepare(ctx context.Context, stop context.CancelCauseFunc, sql string, params []sqltype.Type) (Statement, error) {
	release := c.attend(stop)
	defer release()
	return c.prepare(ctx, sql, params)
}

// ended is the error to tell of for one that came up under ctx.
func (c *conn) ended(ctx context.Context, err error) error {
	e, severity := c.translate(ctx, err)
	switch {
	case severity != severityFatal:
		return e
	case e.Code == sqlstate.ConnectionFailure:
		return fatalError{errEnd}
	}
	return fatalError{e}
}

// bind makes a portal. Names are looked up before the rest of the message is
// read, as PostgreSQL does it (postgres.c, exec_bind_message).
func (c *conn) bind(body []byte) error {
	objects := &c.session.objects
	m := messageReader{rest: body}
	portalName, name := m.text(), m.text()
	if m.err != nil {
		return m.err
	}
	prepared, err := objects.statement(name)
	if err != nil {
		return err
	}
	formats := m.formats()
	values := m.values()
	results := m.formats()
	if err := m.end(); err != nil {
		return err
	}
	if n := len(formats); n > 1 && n != len(values) {
		return sqlstate.New(sqlstate.ProtocolViolation, "bind message has %d parameter formats but %d parameters", n, len(values))
	}
	if len(values) != len(prepared.params) {
		return sqlstate.New(sqlstate.ProtocolViolation, "bind message supplies %d parameters, but prepared statement \"%s\" requires %d",
			len(values), name, len(prepared.params))
	}
	if c.session.Failed() && prepared.statement != nil && (!prepared.inFailed() || len(prepared.params) > 0) {
		return failedBlock()
	}
	if err := objects.free(portalName); err != nil {
		return err
	}
	args, err := c.arguments(values, formats, prepared.params)
	if err != nil {
		return err
	}
	if columns := prepared.columns(); columns != nil {
		if err := checkFormats(len(results), len(columns)); err != nil {
			return err
		}
	}
	prepared.users++
	objects.portals[portalName] = &portal{
		prepared: prepared,
		args:     args,
		formats:  results,
		depth:    len(c.session.transaction.savepoints),
	}
	c.out.send(&pgproto3.BindComplete{})
	return nil
}

// arguments decodes the parameters of a Bind.
func (c *conn) arguments(values [][]byte, formats []int16, types []sqltype.Type) ([]backend.Value, error) {
	if len(types) == 0 {
		return nil, nil
	}
	args := make([]backend.Value, len(types))
	env := newDecodeEnv(c.session)
	for i, t := range types {
		v, err := decodeParameter(values[i], t, formatOf(formats, i), i+1, env)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	return args, nil
}

// target reads the body of Describe and Close: S or P, and a name.
func target(body []byte, message string) (kind byte, name string, err error) {
	m := messageReader{rest: body}
	kind, name = m.byte(), m.text()
	if err := m.end(); err != nil {
		return 0, "", err
	}
	if kind != 'S' && kind != 'P' {
		return 0, "", sqlstate.New(sqlstate.ProtocolViolation, "invalid %s message subtype %d", message, kind)
	}
	return kind, name, nil
}

// describe tells the parameters and columns of a statement, or the columns of a
// portal. Nothing is run for it.
func (c *conn) describe(body []byte) error {
	kind, name, err := target(body, "DESCRIBE")
	if err != nil {
		return err
	}
	var (
		prepared *prepared
		portal   *portal
	)
	if kind == 'S' {
		prepared, err = c.session.objects.statement(name)
	} else if portal, err = c.session.objects.portal(name); err == nil {
		prepared = portal.prepared
	}
	if err != nil {
		return err
	}
	columns := prepared.columns()
	if c.session.Failed() && columns != nil {
		return failedBlock()
	}
	if kind == 'S' {
		oids := make([]uint32, len(prepared.params))
		for i, t := range prepared.params {
			oids[i] = uint32(t.OID)
		}
		c.out.send(&pgproto3.ParameterDescription{ParameterOIDs: oids})
	}
	if columns == nil {
		c.out.send(&pgproto3.NoData{})
		return nil
	}
	c.describeRows(columns, portal)
	return nil
}

// close frees a statement or portal; one that does not exist is no error.
func (c *conn) close(body []byte) error {
	kind, name, err := target(body, "CLOSE")
	if err != nil {
		return err
	}
	if kind == 'S' {
		c.session.objects.closeStatement(name)
	} else {
		c.session.objects.closePortal(name)
	}
	c.out.send(&pgproto3.CloseComplete{})
	return nil
}

// execute runs a portal or reads on in it (postgres.c, exec_execute_message).
func (c *conn) execute(body []byte) error {
	m := messageReader{rest: body}
	name, limit := m.text(), int(int32(m.uint32()))
	if err := m.end(); err != nil {
		return err
	}
	p, err := c.session.objects.portal(name)
	if err != nil {
		return err
	}
	if p.prepared.statement == nil {
		c.out.send(&pgproto3.EmptyQueryResponse{})
		return nil
	}
	if c.session.Failed() && !p.prepared.inFailed() {
		return failedBlock()
	}
	if p.state == portalDone || p.state == portalEnded {
		return sqlstate.New(sqlstate.ObjectNotInState, "portal %q cannot be run", name)
	}
	if err := p.unsupportedFormat(p.prepared.columns()); err != nil {
		return err
	}
	if p.ctx == nil {
		p.ctx, p.cancel = context.WithCancelCause(c.ctx)
	}
	c.session.objects.active = p
	err = c.runPortal(p, max(limit, 0)) // a negative limit is none
	c.session.objects.active = nil
	if err != nil {
		err = c.ended(p.ctx, err)
		p.end()
		return err
	}
	return nil
}

func (c *conn) runPortal(p *portal, limit int) error {
	release := c.attend(p.cancel)
	defer release()
	if p.state == portalNew {
		if err := p.start(c.session); err != nil {
			return err
		}
	}
	count, suspended, err := p.read(&c.out, limit)
	if err != nil {
		return err
	}
	if suspended {
		c.sendNotices()
		c.out.send(&pgproto3.PortalSuspended{})
		return nil
	}
	c.complete(p, count)
	return nil
}
