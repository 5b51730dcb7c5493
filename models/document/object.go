package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pggate/pggate/semantic"
)

// A Reader collects the faults of one file while a format reads it.
type Reader struct {
	Faults Faults
}

// Fault records something wrong.
func (r *Reader) Fault(pos semantic.Pos, hint, format string, args ...any) {
	r.Faults = append(r.Faults, Fault{Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// Warn records something worth knowing.
func (r *Reader) Warn(pos semantic.Pos, hint, format string, args ...any) {
	r.Faults = append(r.Faults, Fault{Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint, Warning: true})
}

// An Object reads a map key by key. The keys it is asked for are the keys that
// exist; Done reports all others, so no list of keys can fall behind the code.
type Object struct {
	Node  *Node
	What  string // how messages call it: dataset "orders"
	r     *Reader
	asked []string
	other []string // refused by name: present, but not to be proposed
}

// Object starts reading n, which must be a map. Otherwise that is a fault and
// the answer is false.
func (r *Reader) Object(n *Node, what string) (*Object, bool) {
	if n.Kind != Map {
		r.Fault(n.Pos(), "", "%s must be a map, not %s", what, n.Kind)
		return nil, false
	}
	return &Object{Node: n, What: what, r: r}, true
}

// Get gives the item under key, or nil if there is none or it is null.
func (o *Object) Get(key string) *Node {
	if !slices.Contains(o.asked, key) {
		o.asked = append(o.asked, key)
	}
	n := o.Node.Get(key)
	if n == nil || n.Kind == Null {
		return nil
	}
	return n
}

// Need is Get where absence is a fault.
func (o *Object) Need(key string) *Node {
	n := o.Get(key)
	if n == nil {
		o.r.Fault(o.Node.Pos(), "", "%s has no %q", o.What, key)
	}
	return n
}

// Text gives the string under key and its node; "" and nil if there is none.
func (o *Object) Text(key string) (string, *Node) {
	n := o.Get(key)
	if n == nil || !o.is(n, key, String) {
		return "", nil
	}
	return n.Text, n
}

// NeedText is Text where absence, and an empty string, are faults.
func (o *Object) NeedText(key string) (string, *Node) {
	n := o.Need(key)
	if n == nil || !o.is(n, key, String) {
		return "", nil
	}
	if strings.TrimSpace(n.Text) == "" {
		o.r.Fault(n.Pos(), "", "%q of %s is empty", key, o.What)
		return "", nil
	}
	return n.Text, n
}

// Flag gives the boolean under key; ok tells that it is there.
func (o *Object) Flag(key string) (value, ok bool) {
	n := o.Get(key)
	if n == nil || !o.is(n, key, Bool) {
		return false, false
	}
	return n.Text == "true", true
}

// List gives the items of the list under key.
func (o *Object) List(key string) []*Node {
	n := o.Get(key)
	if n == nil || !o.is(n, key, List) {
		return nil
	}
	return n.Items
}

// Texts gives the strings of the list under key.
func (o *Object) Texts(key string) []string {
	n := o.Get(key)
	if n == nil {
		return nil
	}
	return o.TextsOf(n, key)
}

// TextsOf reads n, which must be a list of strings; key is for messages.
func (o *Object) TextsOf(n *Node, key string) []string {
	if !o.is(n, key, List) {
		return nil
	}
	var out []string
	for _, item := range n.Items {
		if item.Kind != String {
			o.r.Fault(item.Pos(), quoteIt(item), "%q of %s must hold strings, not %s", key, o.What, item.Kind)
			continue
		}
		out = append(out, item.Text)
	}
	return out
}

func (o *Object) is(n *Node, key string, want Kind) bool {
	if n.Kind == want {
		return true
	}
	hint := ""
	if want == String {
		hint = quoteIt(n)
	}
	o.r.Fault(n.Pos(), hint, "%q of %s must be %s, not %s", key, o.What, want, n.Kind)
	return false
}

func quoteIt(n *Node) string {
	if n.Kind == Bool || n.Kind == Number {
		return fmt.Sprintf("Quote it: %q.", n.Text)
	}
	return ""
}

// Refuse makes key, if it is there, a fault of its own: a key that would change
// what the model means and that is understood but not supported. The first hint for a key counts.
func (o *Object) Refuse(key, hint string) {
	if slices.Contains(o.other, key) {
		return
	}
	o.other = append(o.other, key)
	for _, k := range o.Node.Keys {
		if k.Text == key {
			o.r.Fault(k.Pos(), hint, "%q of %s is not supported", key, o.What)
		}
	}
}

// Done reports the keys that were not asked for: as faults, or, where files may
// be newer than this program, as warnings.
func (o *Object) Done(newer bool) {
	for _, k := range o.Node.Keys {
		if slices.Contains(o.asked, k.Text) || slices.Contains(o.other, k.Text) {
			continue
		}
		hint := "It has no keys."
		if len(o.asked) > 0 {
			hint = "Its keys are " + strings.Join(o.asked, ", ") + "."
		}
		if near := semantic.Nearest(k.Text, o.asked); len(near) > 0 {
			hint = fmt.Sprintf("Did you mean %q?", near[0])
		}
		if newer {
			o.r.Warn(k.Pos(), hint, "%s has an unknown key %q, which is ignored", o.What, k.Text)
		} else {
			o.r.Fault(k.Pos(), hint, "%s has an unknown key %q", o.What, k.Text)
		}
	}
}
