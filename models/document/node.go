package document

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/pggate/pggate/semantic"
)

// A Kind is what a node is.
type Kind int

// The kinds of nodes.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

// String is the kind with its article, for messages.
func (k Kind) String() string {
	return [...]string{"nothing", "a boolean", "a number", "a string", "a list", "a map"}[k]
}

// A Node is a scalar, a list or a map of a document.
type Node struct {
	Kind  Kind
	Text  string  // the value of a scalar: "true" and "false" for a Bool
	Keys  []*Node // of a Map: Strings, the i-th is the key of Items[i]
	Items []*Node // of a Map or List

	src   *source
	at    int // where it starts in src, in bytes
	style style
}

// A style is how a scalar was written, which decides how its text maps back to
// the bytes of the file.
type style int

const (
	plain  style = iota // and every list and map
	single              // 'it''s'
	double              // "a\n", the strings of JSON too
	block               // | and >
)

// Pos is where the node starts.
func (n *Node) Pos() semantic.Pos { return n.src.pos(n.at) }

// At is the place in the file of the byte of Text at offset. Offsets outside of
// the text give its ends.
func (n *Node) At(offset int) semantic.Pos {
	return n.src.pos(n.locate(max(0, min(offset, len(n.Text)))))
}

// TooLong gives a fault if Text is longer than a text that is to be parsed may
// be, or nil.
func (n *Node) TooLong() *Fault {
	if len(n.Text) <= MaxText {
		return nil
	}
	f := n.src.fault(n.at, "", "the text is longer than %d kB", MaxText>>10)
	return &f
}

// Get gives the item of a Map under key, or nil.
func (n *Node) Get(key string) *Node {
	if n.Kind != Map {
		return nil
	}
	for i, k := range n.Keys {
		if k.Text == key {
			return n.Items[i]
		}
	}
	return nil
}

// JSON writes the node as JSON text, keys in the order of the file.
func (n *Node) JSON() string {
	var b strings.Builder
	n.writeJSON(&b)
	return b.String()
}

func (n *Node) writeJSON(b *strings.Builder) {
	switch n.Kind {
	case Null:
		b.WriteString("null")
	case Bool:
		b.WriteString(n.Text)
	case Number: // YAML has numbers that JSON lacks: .inf, 0x10
		if json.Valid([]byte(n.Text)) {
			b.WriteString(n.Text)
		} else {
			writeString(b, n.Text)
		}
	case String:
		writeString(b, n.Text)
	case List:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.writeJSON(b)
		}
		b.WriteByte(']')
	case Map:
		b.WriteByte('{')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, n.Keys[i].Text)
			b.WriteByte(':')
			item.writeJSON(b)
		}
		b.WriteByte('}')
	}
}

// writeString writes a JSON string without escaping what only HTML minds.
func writeString(b *strings.Builder, s string) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // a string always encodes
		b.WriteString(`""`)
		return
	}
	b.Write(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}
