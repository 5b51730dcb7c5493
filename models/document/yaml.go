package document

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pggate/pggate/semantic"
)

// readYAML reads one YAML document. What the rest of the program need not know
// is refused here: tags, merge keys, keys that are no strings.
func readYAML(src *source) (*Node, Faults) {
	dec := yaml.NewDecoder(strings.NewReader(src.text))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	if err == io.EOF {
		return &Node{src: src}, nil
	}
	if err == nil {
		if err = dec.Decode(&more); err == io.EOF {
			err = nil
		} else if err == nil {
			return nil, Faults{src.fault(src.offset(more.Line, more.Column), "Give each model a place in the list of one document, or a file of its own.", "a second document starts here")}
		}
	}
	if err != nil {
		return nil, Faults{yamlFault(src, err)}
	}
	c := yamlReader{src: src}
	c.limit = max(aliasFloor, aliasRatio*count(&doc))
	root := c.node(doc.Content[0], 0)
	if len(c.faults) > 0 {
		c.faults.Sort()
		return nil, c.faults
	}
	return root, nil
}

// yamlFault takes the line out of the scanner's message, which is all it gives.
func yamlFault(src *source, err error) Fault {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	pos := semantic.Pos{File: src.file, Line: 1, Col: 1}
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		if number, sentence, ok := strings.Cut(rest, ": "); ok {
			if line, err := strconv.Atoi(number); err == nil {
				message, pos = sentence, src.pos(src.offset(line, 1))
			}
		}
	}
	return Fault{Pos: pos, Message: "not valid YAML: " + message}
}

// count gives the number of nodes as written, an alias being one.
func count(n *yaml.Node) int {
	total := 1
	for _, c := range n.Content {
		total += count(c)
	}
	return total
}

type yamlReader struct {
	src    *source
	faults Faults
	nodes  int // made so far, with what aliases repeat
	limit  int
	full   bool // a limit was reached: nothing more is made
}

func (c *yamlReader) fault(n *yaml.Node, hint, format string, args ...any) {
	c.faults = append(c.faults, c.src.fault(c.src.offset(n.Line, n.Column), hint, format, args...))
}

// stop reports a limit, once.
func (c *yamlReader) stop(n *yaml.Node, hint, format string, args ...any) {
	if !c.full {
		c.fault(n, hint, format, args...)
		c.full = true
	}
}

func (c *yamlReader) node(n *yaml.Node, depth int) *Node {
	out := &Node{src: c.src, at: c.src.offset(n.Line, n.Column)}
	c.nodes++
	switch {
	case c.full:
		return out
	case depth > MaxDepth:
		c.stop(n, "", "lists and maps are nested more than %d deep", MaxDepth)
		return out
	case c.nodes > MaxNodes:
		c.stop(n, "Split the model: one file for each schema.", "the file has more than %d values", MaxNodes)
		return out
	case c.nodes > c.limit:
		c.stop(n, "Write the values out.", "aliases make the file more than %d times larger than written", aliasRatio)
		return out
	}
	if n.Style&yaml.TaggedStyle != 0 {
		c.fault(n, "Leave the tag out; quote the value if it is to be a string.", "tag %q is not allowed", n.Tag)
		return out
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.node(n.Alias, depth+1) // deeper, so that an alias inside its own anchor ends
	case yaml.SequenceNode:
		out.Kind = List
		for _, item := range n.Content {
			out.Items = append(out.Items, c.node(item, depth+1))
			if c.full {
				break
			}
		}
	case yaml.MappingNode:
		c.mapping(n, out, depth)
	default:
		c.scalar(n, out)
	}
	return out
}

func (c *yamlReader) mapping(n *yaml.Node, out *Node, depth int) {
	out.Kind = Map
	seen := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content) && !c.full; i += 2 {
		key := n.Content[i]
		name := key
		if key.Kind == yaml.AliasNode {
			name = key.Alias
		}
		switch tag := name.ShortTag(); {
		case tag == "!!merge":
			c.fault(key, "Write the keys out.", "merge keys are not allowed")
			continue
		case name.Kind != yaml.ScalarNode || tag != "!!str":
			c.fault(key, "Quote the key.", "a key must be a string")
			continue
		}
		if first := seen[name.Value]; first != nil {
			c.fault(key, fmt.Sprintf("The first is on line %d.", first.Line), "key %q is given twice", name.Value)
			continue
		}
		seen[name.Value] = key
		out.Keys = append(out.Keys, c.node(key, depth+1))
		out.Items = append(out.Items, c.node(n.Content[i+1], depth+1))
	}
}

func (c *yamlReader) scalar(n *yaml.Node, out *Node) {
	out.Text = n.Value
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		out.style = double
	case n.Style&yaml.SingleQuotedStyle != 0:
		out.style = single
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		out.style = block
	}
	switch n.ShortTag() {
	case "!!null":
		out.Kind, out.Text = Null, ""
	case "!!bool":
		out.Kind, out.Text = Bool, strings.ToLower(n.Value)
	case "!!int", "!!float":
		out.Kind = Number
	default: // timestamps too: no model file has a place for one
		out.Kind = String
	}
}
