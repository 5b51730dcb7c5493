package wiretest

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
)

// A script is a file of cases:
//
//	case name of the case
//	only pggate            not for PostgreSQL, which differs here for a reason
//	> line                 a message to send (see Client)
//	until s 2              where to stop reading, if it is not ReadyForQuery
//	until byte             one byte, the answer to an encryption request
//	< line                 a message that must come
//	# comment
//
// A case begins with a session that is ready, unless it begins with "raw". The
// messages of a run of ">" lines are written at once. What comes back is then
// read up to one ReadyForQuery for each Query, Sync and FunctionCall among
// them.

// RunScript runs the cases of a file, each on a connection of its own from
// dial. With rewrite it writes what came back into the file instead. For
// PostgreSQL cases that are only for the gateway are left out.
func RunScript(t *testing.T, path string, dial func(*testing.T) net.Conn, postgres, rewrite bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	var out []string
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && !strings.HasPrefix(lines[end], "case ") {
			end++
		}
		block := lines[i:end]
		i = end
		name, isCase := strings.CutPrefix(block[0], "case ")
		if !isCase {
			out = append(out, block...)
			continue
		}
		at := len(out)
		out = append(out, block...) // stays if the case is not run
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			if postgres && strings.HasPrefix(block[1], "only pggate") {
				t.Skip("differs from PostgreSQL")
			}
			out = append(out[:at], runCase(t, block, dial, rewrite)...)
		})
	}
	if rewrite {
		if err := os.WriteFile(path, []byte(strings.Join(out, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// StartupLine logs in to the database of the tests.
const StartupLine = "startup user=postgres database=postgres client_encoding=UTF8"

func runCase(t *testing.T, block []string, dial func(*testing.T) net.Conn, rewrite bool) (out []string) {
	c := NewClient(dial(t))
	defer c.Close()
	out = append(out, block[0])
	rest := block[1:]
	ready := false
	connect := func() {
		if ready {
			return
		}
		ready = true
		if err := c.Send(StartupLine); err != nil {
			t.Fatal(err)
		}
		lines, err := c.Until("Z", 1)
		if err != nil || lines[len(lines)-1] == "closed" {
			t.Fatalf("no session: %v %v", lines, err)
		}
	}
	for len(rest) > 0 {
		line := rest[0]
		switch {
		case line == "raw":
			ready = true
			fallthrough
		case !strings.HasPrefix(line, "> "):
			out = append(out, line)
			rest = rest[1:]
			continue
		}
		connect()
		var sends []string
		letter, count := "Z", 0
		for len(rest) > 0 && strings.HasPrefix(rest[0], "> ") {
			send := rest[0][2:]
			if verb, _, _ := strings.Cut(send, " "); verb == "Q" || verb == "S" || verb == "F" {
				count++
			}
			sends = append(sends, send)
			out = append(out, rest[0])
			rest = rest[1:]
		}
		if len(rest) > 0 && strings.HasPrefix(rest[0], "until ") {
			count = 1
			if _, err := fmt.Sscanf(rest[0], "until %s %d", &letter, &count); err != nil && letter == "Z" {
				t.Fatal(err)
			}
			out = append(out, rest[0])
			rest = rest[1:]
		}
		var want []string
		for len(rest) > 0 && strings.HasPrefix(rest[0], "< ") {
			want = append(want, rest[0][2:])
			rest = rest[1:]
		}
		if err := c.Send(sends...); err != nil {
			t.Fatal(err)
		}
		var got []string
		var err error
		if letter == "byte" {
			got = make([]string, 1)
			got[0], err = c.ReceiveByte()
		} else {
			got, err = c.Until(letter, count)
		}
		if err != nil {
			t.Fatalf("after %q: got %q, then %v", sends, got, err)
		}
		for _, g := range got {
			out = append(out, "< "+g)
		}
		if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w && !rewrite {
			t.Errorf("sent\n%s\ngot\n%s\nwant\n%s", strings.Join(sends, "\n"), g, w)
		}
	}
	return out
}
