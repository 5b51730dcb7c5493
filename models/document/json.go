package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readJSON reads one JSON value. JSON has escapes that the YAML scanner does not
// take (\/ and surrogate pairs) and keys longer than it allows, so it has a
// reader of its own.
func readJSON(src *source) (*Node, Faults) {
	c := jsonReader{src: src, dec: json.NewDecoder(strings.NewReader(src.text))}
	c.dec.UseNumber()
	root, err := c.value(0)
	if err == io.EOF && c.nodes <= 1 && c.start() == len(src.text) && src.outer == nil {
		return &Node{src: src}, nil
	}
	if err == nil && len(c.faults) == 0 {
		end := c.start()
		if _, err = c.dec.Token(); err == io.EOF {
			err = nil
		} else if err == nil {
			return nil, Faults{src.fault(end, "", "not valid JSON: the text goes on after its end")}
		}
	}
	if err != nil {
		c.faults = append(c.faults, c.syntax(err)...)
	}
	if len(c.faults) > 0 {
		c.faults.Sort()
		return nil, c.faults
	}
	return root, nil
}

type jsonReader struct {
	src    *source
	dec    *json.Decoder
	faults Faults
	nodes  int
}

// errStop ends the reading when a limit was reached and reported.
var errStop = errors.New("limit reached")

func (c *jsonReader) syntax(err error) Faults {
	if err == errStop {
		return nil
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return Faults{c.src.fault(len(c.src.text), "", "not valid JSON: the text ends too early")}
	}
	at := c.start()
	var se *json.SyntaxError
	if errors.As(err, &se) && int(se.Offset) > at {
		at = int(se.Offset) - 1 // the scanner counts the byte it stumbled over
	}
	return Faults{c.src.fault(at, "", "not valid JSON: %s", strings.TrimPrefix(err.Error(), "json: "))}
}

// start is where the next token starts: the decoder stands after the last one.
func (c *jsonReader) start() int {
	i := int(c.dec.InputOffset())
	for i < len(c.src.text) && strings.IndexByte(" \t\r\n,:", c.src.text[i]) >= 0 {
		i++
	}
	return i
}

func (c *jsonReader) value(depth int) (*Node, error) {
	out := &Node{src: c.src, at: c.start(), style: double}
	token, err := c.dec.Token()
	if err != nil {
		return nil, err
	}
	if c.nodes++; c.nodes > MaxNodes {
		c.faults = append(c.faults, c.src.fault(out.at, "Split the model: one file for each schema.", "the file has more than %d values", MaxNodes))
		return nil, errStop
	}
	switch t := token.(type) {
	case string:
		out.Kind, out.Text = String, t
	case json.Number:
		out.Kind, out.Text, out.style = Number, t.String(), plain
	case bool:
		out.Kind, out.Text, out.style = Bool, strconv.FormatBool(t), plain
	case json.Delim:
		if depth >= MaxDepth {
			c.faults = append(c.faults, c.src.fault(out.at, "", "lists and maps are nested more than %d deep", MaxDepth))
			return nil, errStop
		}
		if t == '[' {
			err = c.list(out, depth)
		} else {
			err = c.object(out, depth)
		}
	}
	return out, err
}

func (c *jsonReader) list(out *Node, depth int) error {
	out.Kind = List
	for c.dec.More() {
		item, err := c.value(depth + 1)
		if err != nil {
			return err
		}
		out.Items = append(out.Items, item)
	}
	_, err := c.dec.Token()
	return err
}

func (c *jsonReader) object(out *Node, depth int) error {
	out.Kind = Map
	seen := map[string]*Node{}
	for c.dec.More() {
		key, err := c.value(depth + 1)
		if err != nil {
			return err
		}
		item, err := c.value(depth + 1)
		if err != nil {
			return err
		}
		if first := seen[key.Text]; first != nil {
			c.faults = append(c.faults, c.src.fault(key.at, fmt.Sprintf("The first is on line %d.", first.Pos().Line), "key %q is given twice", key.Text))
			continue
		}
		seen[key.Text] = key
		out.Keys = append(out.Keys, key)
		out.Items = append(out.Items, item)
	}
	_, err := c.dec.Token()
	return err
}
