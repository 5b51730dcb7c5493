package wiretest

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// A Client speaks messages as lines of text:
//
//	startup user=u database=d      with version=4.0 another protocol
//	Q "select 1"                   Query; the quotes may be left out
//	P name "select $1" 23          Parse; "" is the unnamed statement
//	B portal name [1 0] ["hi" NULL x:0029] [0]
//	D S name · D P name · C S name · C P name
//	E portal 0 · S · H · X
//	d "data" · c · f "why"         CopyData, CopyDone, CopyFail
//	F                              FunctionCall
//	p "text"                       PasswordMessage
//	msg Q 6162                     a message of that type and body, in hex
//	bytes 00000008                 bytes as they are
//
// What comes back is written with the letters of the protocol's messages; see
// the scripts in wire/testdata.
type Client struct {
	conn net.Conn
	br   *bufio.Reader

	// PID and Secret are those of BackendKeyData.
	PID    uint32
	Secret []byte
}

// NewClient takes over a connection.
func NewClient(conn net.Conn) *Client { return &Client{conn: conn, br: bufio.NewReader(conn)} }

// Close closes the connection.
func (c *Client) Close() error { return c.conn.Close() }

// patience is how long a client waits for one message.
const patience = 10 * time.Second

// Encode makes the bytes of one line.
func Encode(line string) ([]byte, error) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "Q":
		text, err := words(rest)
		if err != nil || len(text) != 1 || !strings.HasPrefix(rest, `"`) {
			text = []string{rest}
		}
		return (&pgproto3.Query{String: text[0]}).Encode(nil)
	case "startup":
		return startupMessage(rest)
	case "bytes":
		return hex.DecodeString(strings.ReplaceAll(rest, " ", ""))
	}
	args, err := words(rest)
	if err != nil {
		return nil, err
	}
	m, err := message(verb, args)
	if err != nil {
		return nil, err
	}
	if m != nil {
		return m.Encode(nil)
	}
	if verb == "msg" && len(args) >= 1 {
		body, err := hex.DecodeString(strings.Join(args[1:], ""))
		if err != nil {
			return nil, err
		}
		b := binary.BigEndian.AppendUint32([]byte{args[0][0]}, uint32(len(body)+4))
		return append(b, body...), nil
	}
	return nil, fmt.Errorf("no message is written %q", line)
}

func startupMessage(rest string) ([]byte, error) {
	args, err := words(rest)
	if err != nil {
		return nil, err
	}
	version := uint32(3 << 16)
	var pairs []byte
	for _, a := range args {
		name, value, _ := strings.Cut(a, "=")
		if name == "version" {
			var major, minor uint32
			if _, err := fmt.Sscanf(value, "%d.%d", &major, &minor); err != nil {
				return nil, err
			}
			version = major<<16 | minor
			continue
		}
		pairs = append(pairs, name+"\x00"+value+"\x00"...)
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(len(pairs)+9))
	b = binary.BigEndian.AppendUint32(b, version)
	return append(append(b, pairs...), 0), nil
}

func message(verb string, args []string) (pgproto3.FrontendMessage, error) {
	need := func(n int) error {
		if len(args) < n {
			return fmt.Errorf("%s needs %d words", verb, n)
		}
		return nil
	}
	switch verb {
	case "P":
		m := &pgproto3.Parse{}
		if err := need(2); err != nil {
			return nil, err
		}
		m.Name, m.Query = args[0], args[1]
		for _, a := range args[2:] {
			oid, err := strconv.ParseUint(a, 10, 32)
			if err != nil {
				return nil, err
			}
			m.ParameterOIDs = append(m.ParameterOIDs, uint32(oid))
		}
		return m, nil
	case "B":
		return bindMessage(args)
	case "D", "C":
		if err := need(2); err != nil {
			return nil, err
		}
		if verb == "D" {
			return &pgproto3.Describe{ObjectType: args[0][0], Name: args[1]}, nil
		}
		return &pgproto3.Close{ObjectType: args[0][0], Name: args[1]}, nil
	case "E":
		if err := need(2); err != nil {
			return nil, err
		}
		n, err := strconv.ParseInt(args[1], 10, 32)
		return &pgproto3.Execute{Portal: args[0], MaxRows: uint32(n)}, err
	case "S":
		return &pgproto3.Sync{}, nil
	case "H":
		return &pgproto3.Flush{}, nil
	case "X":
		return &pgproto3.Terminate{}, nil
	case "F":
		return &pgproto3.FunctionCall{}, nil
	case "c":
		return &pgproto3.CopyDone{}, nil
	case "d":
		return &pgproto3.CopyData{Data: []byte(strings.Join(args, " "))}, nil
	case "f":
		return &pgproto3.CopyFail{Message: strings.Join(args, " ")}, nil
	case "p":
		return &pgproto3.PasswordMessage{Password: strings.Join(args, " ")}, nil
	}
	return nil, nil
}

// bindMessage reads: portal statement [formats] [values] [formats].
func bindMessage(args []string) (pgproto3.FrontendMessage, error) {
	if len(args) < 2 {
		return nil, errors.New("B needs a portal and a statement")
	}
	m := &pgproto3.Bind{DestinationPortal: args[0], PreparedStatement: args[1]}
	group := -1
	for _, a := range args[2:] {
		switch a {
		case "[":
			group++
			continue
		case "]":
			continue
		}
		if group == 1 {
			switch value, isHex := strings.CutPrefix(a, "x:"); {
			case a == "NULL":
				m.Parameters = append(m.Parameters, nil)
			case isHex:
				b, err := hex.DecodeString(value)
				if err != nil {
					return nil, err
				}
				m.Parameters = append(m.Parameters, b)
			default:
				m.Parameters = append(m.Parameters, []byte(a))
			}
			continue
		}
		n, err := strconv.ParseInt(a, 10, 16)
		if err != nil {
			return nil, err
		}
		if group == 0 {
			m.ParameterFormatCodes = append(m.ParameterFormatCodes, int16(n))
		} else {
			m.ResultFormatCodes = append(m.ResultFormatCodes, int16(n))
		}
	}
	return m, nil
}

// words splits at blanks; quoted words are Go strings, brackets stand alone.
func words(s string) (all []string, err error) {
	for {
		s = strings.TrimLeft(s, " ")
		switch {
		case s == "":
			return all, nil
		case s[0] == '"':
			q, err := strconv.QuotedPrefix(s)
			if err != nil {
				return nil, err
			}
			w, err := strconv.Unquote(q)
			if err != nil {
				return nil, err
			}
			all, s = append(all, w), s[len(q):]
		case s[0] == '[' || s[0] == ']':
			all, s = append(all, s[:1]), s[1:]
		default:
			i := strings.IndexAny(s, " []")
			if i < 0 {
				i = len(s)
			}
			all, s = append(all, s[:i]), s[i:]
		}
	}
}

// Send writes the messages of the lines in one write.
func (c *Client) Send(lines ...string) error {
	var b []byte
	for _, line := range lines {
		m, err := Encode(line)
		if err != nil {
			return err
		}
		b = append(b, m...)
	}
	_, err := c.conn.Write(b)
	return err
}

// Receive reads one message; "closed" is the end of the connection.
func (c *Client) Receive() (string, error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	var head [5]byte
	if _, err := io.ReadFull(c.br, head[:]); err != nil {
		var network net.Error
		if errors.As(err, &network) && network.Timeout() {
			return "", err
		}
		return "closed", nil
	}
	body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
	if _, err := io.ReadFull(c.br, body); err != nil {
		return "", err
	}
	return c.describe(head[0], body)
}

// ReceiveByte reads the one byte that answers an encryption request.
func (c *Client) ReceiveByte() (string, error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	b, err := c.br.ReadByte()
	if err != nil {
		return "closed", nil
	}
	return "byte " + string(b), nil
}

// Until reads messages up to the nth that begins with the letter, or to the end
// of the connection.
func (c *Client) Until(letter string, n int) (lines []string, err error) {
	for n > 0 {
		line, err := c.Receive()
		if err != nil {
			return lines, err
		}
		lines = append(lines, line)
		if line == "closed" {
			return lines, nil
		}
		if first, _, _ := strings.Cut(line, " "); first == letter {
			n--
		}
	}
	return lines, nil
}

func (c *Client) describe(typ byte, body []byte) (string, error) {
	letter := string(typ)
	switch typ {
	case 'R':
		line := "R " + strconv.Itoa(int(binary.BigEndian.Uint32(body)))
		if len(body) > 4 {
			line += " " + strconv.Quote(string(body[4:]))
		}
		return line, nil
	case 'S':
		var m pgproto3.ParameterStatus
		err := m.Decode(body)
		return letter + " " + m.Name + "=" + m.Value, err
	case 'K':
		c.PID, c.Secret = binary.BigEndian.Uint32(body), body[4:]
		return letter, nil
	case 'Z':
		return letter + " " + string(body), nil
	case 'C':
		return letter + " " + strings.TrimRight(string(body), "\x00"), nil
	case 'v':
		var m pgproto3.NegotiateProtocolVersion
		err := m.Decode(body)
		return strings.TrimSpace(fmt.Sprintf("v %d %s", m.NewestMinorProtocol, strings.Join(m.UnrecognizedOptions, " "))), err
	case 't':
		var m pgproto3.ParameterDescription
		err := m.Decode(body)
		return strings.Trim(fmt.Sprintf("t %v", m.ParameterOIDs), "[]"), err
	case 'T':
		var m pgproto3.RowDescription
		err := m.Decode(body)
		for _, f := range m.Fields {
			letter += fmt.Sprintf(" %s:%d:%d", f.Name, f.DataTypeOID, f.Format)
		}
		return letter, err
	case 'D':
		return describeRow(body)
	case 'E', 'N':
		var m pgproto3.ErrorResponse
		err := m.Decode(body)
		line := fmt.Sprintf("%s %s %s %s", letter, m.SeverityUnlocalized, m.Code, m.Message)
		if m.Position != 0 {
			line += fmt.Sprintf(" @%d", m.Position)
		}
		return line, err
	}
	if len(body) > 0 {
		letter += " " + strconv.Quote(string(body))
	}
	return letter, nil
}

func describeRow(body []byte) (string, error) {
	var m pgproto3.DataRow
	if err := m.Decode(body); err != nil {
		return "", err
	}
	line := "D"
	for _, v := range m.Values {
		if v == nil {
			line += " NULL"
		} else {
			line += " " + strconv.Quote(string(v))
		}
	}
	return line, nil
}
