package wire

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pggate/pggate/wire/auth"
	"github.com/pggate/pggate/wire/sqlstate"
)

const (
	maxStartup = 10000    // pqcomm.h, MAX_STARTUP_PACKET_LENGTH
	maxSASL    = 64 << 10 // bytes of a message during authentication

	cancelCode  = 1234<<16 | 5678
	sslCode     = 1234<<16 | 5679
	gssCode     = 1234<<16 | 5680
	protocol3   = 3 << 16
	newestMinor = 0
)

// A startup is the startup packet in the client's order.
type startup struct {
	version uint32
	params  []parameter
}

type parameter struct{ name, value string }

// login brings the connection from its first byte to an authenticated session
// with its settings. It says nothing of databases or settings before the client
// has proved who it is.
func (c *conn) login() (*Session, error) {
	packet, err := c.readStartup()
	if err != nil {
		return nil, err
	}
	c.counted = true
	if n := c.server.clients.Add(1); c.server.MaxConns > 0 && int(n) > c.server.MaxConns {
		return nil, sqlstate.New(sqlstate.TooManyConnections, "sorry, too many clients already")
	}
	user, database, options, settings, err := c.interpret(packet)
	if err != nil {
		return nil, err
	}
	if err := c.authenticate(user); err != nil {
		return nil, err
	}
	c.out.send(&pgproto3.AuthenticationOk{})
	session := NewSession(user, database)
	if err := c.configure(session, append(options, settings...)); err != nil {
		return nil, err
	}
	return session, nil
}

// readStartup answers encryption and cancel requests until the startup packet
// comes (postmaster.c, ProcessStartupPacket). A packet that is none ends the
// connection silently.
func (c *conn) readStartup() (startup, error) {
	secured, refused := false, false
	for {
		packet, err := c.readPacket()
		if err != nil {
			return startup{}, err
		}
		switch code := binary.BigEndian.Uint32(packet); {
		case code == cancelCode:
			if len(packet) == 12 {
				c.server.keys.cancel(int32(binary.BigEndian.Uint32(packet[4:])), packet[8:])
			}
			return startup{}, errEnd
		case code == sslCode && !secured:
			if err := c.secure(); err != nil {
				return startup{}, err
			}
			secured = true
		case code == gssCode && !refused:
			if err := c.answer('N', "GSSAPI encryption"); err != nil {
				return startup{}, err
			}
			refused = true
		default:
			return parseStartup(packet)
		}
	}
}

// readPacket reads one packet without a type. Its length is checked before
// anything is allocated.
func (c *conn) readPacket() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(c.in.br, head[:]); err != nil {
		return nil, errEnd
	}
	size := int32(binary.BigEndian.Uint32(head[:]))
	if size < 8 || size > maxStartup {
		return nil, errEnd
	}
	packet := make([]byte, size-4)
	if _, err := io.ReadFull(c.in.br, packet); err != nil {
		return nil, errEnd
	}
	return packet, nil
}

// secure answers an SSLRequest and goes over to TLS if the server has it.
func (c *conn) secure() error {
	if c.server.TLS == nil {
		return c.answer('N', "SSL")
	}
	if err := c.answer('S', "SSL"); err != nil {
		return err
	}
	sock := tls.Server(c.sock, c.server.TLS)
	if err := sock.HandshakeContext(c.ctx); err != nil {
		return errEnd
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.use(sock)
	return nil
}

// answer is the one byte after an encryption request. Bytes that the client has
// written behind the request were not protected and must not be believed
// (CVE-2021-23214).
func (c *conn) answer(b byte, what string) error {
	if c.in.br.Buffered() > 0 {
		return sqlstate.New(sqlstate.ProtocolViolation, "received unencrypted data after %s request", what).
			WithDetail("This could be either a client-software bug or evidence of an attempted man-in-the-middle attack.")
	}
	if _, err := c.sock.Write([]byte{b}); err != nil {
		return errEnd
	}
	return nil
}

// parseStartup reads the version and the pairs of a startup packet.
func parseStartup(packet []byte) (startup, error) {
	p := startup{version: binary.BigEndian.Uint32(packet)}
	if p.version>>16 != 3 {
		return p, sqlstate.New(sqlstate.FeatureNotSupported, "unsupported frontend protocol %d.%d: server supports 3.0 to 3.0",
			p.version>>16, p.version&0xffff)
	}
	layout := sqlstate.New(sqlstate.ProtocolViolation, "invalid startup packet layout: expected terminator as last byte")
	rest := string(packet[4:])
	for {
		name, after, ok := strings.Cut(rest, "\x00")
		if !ok {
			return p, layout
		}
		if name == "" {
			if after != "" {
				return p, layout
			}
			return p, nil
		}
		value, after, ok := strings.Cut(after, "\x00")
		if !ok {
			return p, layout
		}
		p.params = append(p.params, parameter{name, value})
		rest = after
	}
}

// interpret tells the user and database from the settings, and negotiates what
// the client asks for beyond protocol 3.0.
func (c *conn) interpret(packet startup) (user, database string, options, settings []parameter, err error) {
	var unknown []string
	for _, p := range packet.params {
		switch {
		case p.name == "user":
			user = p.value
		case p.name == "database":
			database = p.value
		case p.name == "options":
			if options, err = parseOptions(p.value); err != nil {
				return
			}
		case p.name == "replication":
			if on, ok := parseBool(p.value); !ok || on {
				err = sqlstate.New(sqlstate.FeatureNotSupported, "replication connections are not supported")
				return
			}
		case strings.HasPrefix(p.name, "_pq_."):
			unknown = append(unknown, p.name)
		default:
			settings = append(settings, p)
		}
	}
	if packet.version&0xffff > newestMinor || len(unknown) > 0 {
		c.out.send(&pgproto3.NegotiateProtocolVersion{NewestMinorProtocol: protocol3 | newestMinor, UnrecognizedOptions: unknown})
	}
	if user == "" {
		err = sqlstate.New(sqlstate.InvalidAuthorization, "no PostgreSQL user name specified in startup packet")
		return
	}
	if database == "" {
		database = user
	}
	return
}

// parseOptions reads a command line of settings: -c name=value, -cname=value
// and --name=value, with blanks after a backslash (pg_split_opts, postgres.c).
func parseOptions(line string) ([]parameter, error) {
	var params []parameter
	words := splitOptions(line)
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case strings.HasPrefix(word, "--"):
			word = word[2:]
		case word == "-c" && i+1 < len(words):
			i++
			word = words[i]
		case strings.HasPrefix(word, "-c") && len(word) > 2:
			word = word[2:]
		default:
			return nil, sqlstate.New(sqlstate.SyntaxError, "invalid command-line argument for server process: %s", word)
		}
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, sqlstate.New(sqlstate.SyntaxError, "-c %s requires a value", word)
		}
		params = append(params, parameter{strings.ReplaceAll(name, "-", "_"), value})
	}
	return params, nil
}

func splitOptions(line string) (words []string) {
	var word strings.Builder
	inside := false
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case b == ' ' || b >= '\t' && b <= '\r':
			if inside {
				words = append(words, word.String())
				word.Reset()
				inside = false
			}
			continue
		case b == '\\' && i+1 < len(line):
			i++
		}
		word.WriteByte(line[i])
		inside = true
	}
	if inside {
		words = append(words, word.String())
	}
	return words
}

// authenticate lets the server's method ask the client for its proof.
func (c *conn) authenticate(user string) error {
	if c.server.Auth == nil {
		return nil
	}
	return c.server.Auth.Authenticate(c.ctx, user, &exchange{c})
}

// An exchange lends the connection to an authentication method. Nothing but the
// answer to what was sent is taken from the client.
type exchange struct{ c *conn }

var _ auth.Exchange = (*exchange)(nil)

func (x *exchange) SASL(mechanisms []string) (mechanism string, initial []byte, err error) {
	body, err := x.ask(&pgproto3.AuthenticationSASL{AuthMechanisms: mechanisms})
	if err != nil {
		return "", nil, err
	}
	var m pgproto3.SASLInitialResponse
	if err := m.Decode(body); err != nil {
		return "", nil, sqlstate.New(sqlstate.ProtocolViolation, "invalid SASL response")
	}
	return m.AuthMechanism, m.Data, nil
}

func (x *exchange) Continue(challenge []byte) ([]byte, error) {
	return x.ask(&pgproto3.AuthenticationSASLContinue{Data: challenge})
}

func (x *exchange) Final(data []byte) error {
	x.c.out.send(&pgproto3.AuthenticationSASLFinal{Data: data})
	return nil
}

// ask sends m and reads the PasswordMessage that answers it. The bytes are the
// caller's to keep.
func (x *exchange) ask(m pgproto3.BackendMessage) ([]byte, error) {
	c := x.c
	c.out.send(m)
	if err := c.out.flush(); err != nil {
		return nil, errEnd
	}
	typ, size, err := c.in.header()
	if err != nil {
		return nil, errEnd
	}
	if typ != 'p' {
		return nil, sqlstate.New(sqlstate.ProtocolViolation, "expected SASL response, got message type %d", typ)
	}
	if size > maxSASL {
		return nil, sqlstate.New(sqlstate.ProtocolViolation, "SASL response of %d bytes is too long", size)
	}
	body, err := c.in.body(size)
	if err != nil {
		return nil, errEnd
	}
	return append([]byte(nil), body...), nil
}

// configure gives a session the server's defaults and then what the client has
// asked for in its startup packet.
func (c *conn) configure(s *Session, asked []parameter) error {
	version := c.server.version()
	fixed := []parameter{{"server_version", version}, {"server_version_num", versionNumber(version)}}
	if c.server.TLS != nil {
		fixed = append(fixed, parameter{"ssl", "on"})
	}
	for name, v := range c.server.Defaults {
		fixed = append(fixed, parameter{name, v})
	}
	for _, p := range fixed {
		if err := s.configure(p.name, p.value, true); err != nil {
			return err
		}
	}
	for _, p := range asked {
		if err := s.configure(p.name, p.value, false); err != nil {
			return err
		}
	}
	s.beginDefaults()
	return nil
}

// versionNumber turns 15.18 into 150018 (server_version_num).
func versionNumber(version string) string {
	major, rest, _ := strings.Cut(version, ".")
	minor := 0
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		minor = minor*10 + int(c-'0')
	}
	number := "0000" + strconv.Itoa(minor)
	return major + number[len(number)-4:]
}

// announce tells the client the reported settings and its cancel key.
func (c *conn) announce(secret [4]byte) {
	for _, name := range reported {
		v, _ := c.session.Get(name)
		c.out.send(&pgproto3.ParameterStatus{Name: name, Value: v})
		c.told = append(c.told, v)
	}
	c.session.unreport = false
	c.out.send(&pgproto3.BackendKeyData{ProcessID: uint32(c.session.pid), SecretKey: secret[:]})
	c.ready()
}

// reportChanges sends a ParameterStatus for each reported setting that has
// another value than the client was told (guc.c, ReportChangedGUCOptions).
func (c *conn) reportChanges() {
	c.session.unreport = false
	for i, name := range reported {
		if v, _ := c.session.Get(name); v != c.told[i] {
			c.told[i] = v
			c.out.send(&pgproto3.ParameterStatus{Name: name, Value: v})
		}
	}
}
