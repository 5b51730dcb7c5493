package wire

import (
	"bytes"
	"encoding/binary"

	"github.com/pggate/pggate/wire/sqlstate"
)

// A messageReader takes the fields of a client's message from the front. The
// first error stays, with the words of PostgreSQL (pqformat.c). What it gives
// points into the message where it is not a string.
type messageReader struct {
	rest []byte
	err  error
}

func (m *messageReader) fail(format string) {
	if m.err == nil {
		m.err = sqlstate.New(sqlstate.ProtocolViolation, "%s", format)
	}
	m.rest = nil
}

// text takes a string with its zero byte; it must be UTF-8.
func (m *messageReader) text() string {
	i := bytes.IndexByte(m.rest, 0)
	if i < 0 {
		m.fail("invalid string in message")
		return ""
	}
	s, err := validText(string(m.rest[:i]))
	if err != nil && m.err == nil {
		m.err = err
	}
	m.rest = m.rest[i+1:]
	return s
}

func (m *messageReader) take(n int) []byte {
	if n < 0 || len(m.rest) < n {
		m.fail("insufficient data left in message")
		return nil
	}
	b := m.rest[:n:n]
	m.rest = m.rest[n:]
	return b
}

func (m *messageReader) byte() byte {
	if b := m.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (m *messageReader) uint16() uint16 {
	if b := m.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (m *messageReader) uint32() uint32 {
	if b := m.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// count takes the number of things that follow, each of size bytes at least. A
// number that the message has no room for is an error here, before anything is
// allocated for it.
func (m *messageReader) count(size int) int {
	n := int(m.uint16())
	if n*size > len(m.rest) {
		m.fail("insufficient data left in message")
		return 0
	}
	return n
}

func (m *messageReader) formats() []int16 {
	n := m.count(2)
	if n == 0 {
		return nil
	}
	f := make([]int16, n)
	for i := range f {
		f[i] = int16(m.uint16())
	}
	return f
}

// values takes the parameters of a Bind; nil is NULL.
func (m *messageReader) values() [][]byte {
	n := m.count(4)
	if n == 0 {
		return nil
	}
	v := make([][]byte, n)
	for i := range v {
		if size := int32(m.uint32()); size != -1 {
			v[i] = m.take(int(size))
		}
	}
	return v
}

// end gives the first error; bytes that are left are one.
func (m *messageReader) end() error {
	if len(m.rest) > 0 {
		m.fail("invalid message format")
	}
	return m.err
}
