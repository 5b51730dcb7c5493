package gate

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A table is a result of text values, to be written in one of the formats.
type table struct {
	names   []string
	right   []bool // numbers stand on the right
	raw     []bool // the text is JSON as it stands
	rows    [][]*string
	noCount bool
}

func (t *table) columns(names ...string) {
	t.names = names
	t.right, t.raw = make([]bool, len(names)), make([]bool, len(names))
}

// text adds a row; an empty value is shown as nothing.
func (t *table) text(values ...string) {
	row := make([]*string, len(values))
	for i := range values {
		row[i] = &values[i]
	}
	t.rows = append(t.rows, row)
}

func (t *table) write(w io.Writer, format string) error {
	switch format {
	case "table", "":
		return t.writeAligned(w)
	case "csv":
		return t.writeCSV(w)
	case "json":
		return t.writeJSON(w, "[\n", ",\n", "\n]\n", "  ")
	case "ndjson":
		return t.writeJSON(w, "", "\n", "\n", "")
	}
	return usageError{fmt.Errorf("format %q is none of table, csv, json, ndjson", format)}
}

// writeAligned draws the table as psql does: names centred, numbers on the
// right, continued lines of a value marked.
func (t *table) writeAligned(w io.Writer) error {
	width := make([]int, len(t.names))
	for i, n := range t.names {
		width[i] = utf8.RuneCountInString(n)
	}
	for _, row := range t.rows {
		for i, v := range row {
			if v == nil {
				continue
			}
			for _, line := range strings.Split(*v, "\n") {
				width[i] = max(width[i], utf8.RuneCountInString(line))
			}
		}
	}
	var b strings.Builder
	for i, n := range t.names {
		if i > 0 {
			b.WriteByte('|')
		}
		space := width[i] - utf8.RuneCountInString(n)
		b.WriteString(" " + strings.Repeat(" ", space/2) + n + strings.Repeat(" ", space-space/2) + " ")
	}
	b.WriteByte('\n')
	for i := range t.names {
		if i > 0 {
			b.WriteByte('+')
		}
		b.WriteString(strings.Repeat("-", width[i]+2))
	}
	b.WriteByte('\n')
	for _, row := range t.rows {
		t.alignRow(&b, row, width)
	}
	if !t.noCount {
		if len(t.rows) == 1 {
			b.WriteString("(1 row)\n")
		} else {
			fmt.Fprintf(&b, "(%d rows)\n", len(t.rows))
		}
	}
	_, err := io.WriteString(w, b.String()+"\n")
	return err
}

func (t *table) alignRow(b *strings.Builder, row []*string, width []int) {
	lines := make([][]string, len(row))
	height := 1
	for i, v := range row {
		if v != nil {
			lines[i] = strings.Split(*v, "\n")
		}
		height = max(height, len(lines[i]))
	}
	for k := range height {
		for i := range row {
			if i > 0 {
				b.WriteByte('|')
			}
			cell := ""
			if k < len(lines[i]) {
				cell = lines[i][k]
			}
			space := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			end := " "
			if k+1 < len(lines[i]) {
				end = "+"
			}
			switch {
			case t.right[i]:
				b.WriteString(" " + space + cell + end)
			case i == len(row)-1 && end == " ":
				b.WriteString(" " + cell)
			default:
				b.WriteString(" " + cell + space + end)
			}
		}
		b.WriteByte('\n')
	}
}

func (t *table) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.names); err != nil {
		return err
	}
	for _, row := range t.rows {
		out := make([]string, len(row))
		for i, v := range row {
			if v != nil {
				out[i] = *v
			}
		}
		if err := c.Write(out); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func (t *table) writeJSON(w io.Writer, open, between, end, indent string) error {
	var b strings.Builder
	b.WriteString(open)
	for r, row := range t.rows {
		if r > 0 {
			b.WriteString(between)
		}
		b.WriteString(indent + "{")
		for i, v := range row {
			if i > 0 {
				b.WriteString(", ")
			}
			name, err := json.Marshal(t.names[i])
			if err != nil {
				return err
			}
			b.Write(name)
			b.WriteString(": ")
			switch {
			case v == nil:
				b.WriteString("null")
			case t.raw[i] && json.Valid([]byte(*v)):
				b.WriteString(*v)
			default:
				text, err := json.Marshal(*v)
				if err != nil {
					return err
				}
				b.Write(text)
			}
		}
		b.WriteByte('}')
	}
	if len(t.rows) > 0 || open != "" {
		b.WriteString(end)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
