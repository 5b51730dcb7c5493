package wire

import (
	"context"
	"io"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// A portal is a bound statement, perhaps half read: a Rows that nobody is
// reading is suspended.
type portal struct {
	prepared *prepared
	args     []backend.Value
	formats  []int16 // result formats as Bind gave them: none, one for all, or one for each column
	depth    int     // savepoints that were open when it was made

	ctx    context.Context // lives from the first Execute to the portal's end
	cancel context.CancelCauseFunc
	state  portalState
	result Result
	rows   rowWriter
}

type portalState uint8

const (
	portalNew       portalState = iota
	portalReading               // rows may be left
	portalExhausted             // every row has been read; running it again gives none
	portalDone                  // ran a statement without rows; cannot run again
	portalEnded                 // by an error
)

// format is the format code of result column i.
func (p *portal) format(i int) int16 { return formatOf(p.formats, i) }

// formatOf is the format of column or parameter i: Bind gives none, one for all
// or one for each.
func formatOf(formats []int16, i int) int16 {
	switch len(formats) {
	case 0:
		return formatText
	case 1:
		return formats[0]
	}
	return formats[i]
}

// columns describe the rows, nil if there are none.
func (p *portal) columns() []sqltype.Column {
	if c := p.prepared.columns(); c != nil || p.result.Rows == nil {
		return c
	}
	return p.result.Rows.Columns()
}

// start runs the statement and leaves its rows to be read.
func (p *portal) start(s *Session) error {
	result, err := p.prepared.statement.Run(p.ctx, s, p.args)
	if err != nil {
		return err
	}
	p.result = result
	columns := p.columns()
	if result.Rows == nil {
		p.state = portalDone
		return nil
	}
	p.state = portalReading
	p.rows.init(s, columns, p.format)
	return nil
}

// read writes at most limit rows (0: all) and reports how many, and whether it
// stopped at the limit. At the last row it gives the engine its rows back.
func (p *portal) read(o *output, limit int) (count int, suspended bool, err error) {
	for p.state == portalReading {
		if p.rows.left() == 0 {
			chunk, err := p.result.Rows.Next(p.ctx)
			if err == io.EOF {
				err = p.result.Rows.Close()
				p.result.Rows = nil
				p.state = portalExhausted
				if err != nil {
					return count, false, err
				}
				break
			}
			if err != nil {
				return count, false, err
			}
			if err := p.rows.bind(chunk); err != nil {
				return count, false, err
			}
		}
		n := 0
		if limit > 0 {
			n = limit - count
		}
		written, err := p.rows.write(o, n)
		count += written
		if err != nil {
			return count, false, err
		}
		if limit > 0 && count == limit {
			return count, true, nil
		}
		if err := p.ctx.Err(); err != nil {
			return count, false, err
		}
	}
	return count, false, nil
}

// end gives back what the portal holds of the engine; it cannot run any more.
// The error of closing rows that nobody wants is of no use to anybody.
func (p *portal) end() {
	p.state = portalEnded
	if p.result.Rows != nil {
		_ = p.result.Rows.Close()
		p.result.Rows = nil
	}
	if p.cancel != nil {
		p.cancel(context.Canceled)
	}
	p.rows = rowWriter{}
	p.args = nil
}

func (p *portal) close() {
	p.end()
	p.prepared.release()
}

func checkFormats(count, columns int) error {
	if count > 1 && count != columns {
		return sqlstate.New(sqlstate.ProtocolViolation, "bind message has %d result formats but query has %d columns", count, columns)
	}
	return nil
}

// unsupportedFormat finds the first format code that is neither text nor
// binary.
func (p *portal) unsupportedFormat(columns []sqltype.Column) error {
	for i := range columns {
		if f := p.format(i); f != formatText && f != formatBinary {
			return sqlstate.New(sqlstate.InvalidParameterValue, "unsupported format code: %d", f)
		}
	}
	return nil
}
