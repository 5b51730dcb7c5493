// Package models reads model files into semantic.Def (floor 2). It finds the
// files, asks each format which are its own, and reports everything that is
// wrong in all of them at once. What the files mean together is for semantic.New
// to say; its faults join these by Checked.
package models

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pggate/pggate/models/document"
	"github.com/pggate/pggate/models/osi"
	"github.com/pggate/pggate/semantic"
)

// Parser turns the text of expressions into boxes; package rewrite implements
// it. Its errors may be of type ParseError.
type Parser = document.Parser

// A ParseError is an error of a Parser that knows its place in the text.
type ParseError = document.ParseError

// A Fault is one thing wrong in a file: it prints as file:line:col: sentence,
// then the hint.
type Fault = document.Fault

// Faults are all that is wrong. They are an error, but may hold only warnings:
// Err tells.
type Faults = document.Faults

// A Format is a way of writing models.
type Format interface {
	// Claims tells that the document is of this format, if only by its first
	// keys: faults are found by Read.
	Claims(root *document.Node) bool
	// Read gives the models of a claimed document. They are whole only if the
	// faults are all warnings.
	Read(doc *document.Document, p Parser) ([]semantic.Def, Faults)
}

// formats are tried in order; the first that claims a document reads it.
func formats() []Format { return []Format{osi.Format{}} }

// Load reads files and folders. Of a folder it reads every *.yaml, *.yml and
// *.json below it, in the order of their names; names that start with a dot are
// left out. A file in a folder that no format claims is a warning, a file that
// was named is a fault.
//
// It gives the models of the files that have no fault, warnings aside.
func Load(p Parser, paths ...string) ([]semantic.Def, Faults) {
	var l loader
	for _, path := range paths {
		l.add(path)
	}
	for _, f := range l.files {
		l.read(f, p)
	}
	l.distinct()
	return l.defs, l.faults
}

// Checked makes Faults of what semantic.New found.
func Checked(found []semantic.Fault) Faults {
	out := make(Faults, len(found))
	for i, f := range found {
		out[i] = Fault{Pos: f.Pos, Message: f.Message, Hint: f.Hint}
	}
	out.Sort()
	return out
}

type loader struct {
	files  []file
	defs   []semantic.Def
	faults Faults
}

type file struct {
	path  string
	named bool // by the caller, not found in a folder
}

func (l *loader) fault(path, hint, format string, args ...any) {
	l.faults = append(l.faults, Fault{Pos: semantic.Pos{File: path}, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// add finds the files of a path. A file that several paths name is read once.
func (l *loader) add(path string) {
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		l.fault(path, "", "%s", reason(err))
		return
	case !info.IsDir():
		l.addFile(file{path, true})
		return
	}
	before := len(l.files)
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			l.fault(at, "", "%s", reason(err))
			return nil
		case at != path && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() || !isModelName(d.Name()):
			return nil
		}
		l.addFile(file{at, false})
		return nil
	})
	if err != nil {
		l.fault(path, "", "%s", reason(err))
	}
	if len(l.files) == before && len(l.faults) == 0 {
		l.faults = append(l.faults, Fault{Pos: semantic.Pos{File: path}, Message: "the folder has no model file", Hint: "Model files end in .yaml, .yml or .json.", Warning: true})
	}
}

func (l *loader) addFile(f file) {
	if i := slices.IndexFunc(l.files, func(g file) bool { return g.path == f.path }); i >= 0 {
		l.files[i].named = l.files[i].named || f.named
		return
	}
	l.files = append(l.files, f)
}

func isModelName(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// reason drops the path from an error of package os: it is in front already.
func reason(err error) string {
	if pe, ok := err.(*fs.PathError); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

func (l *loader) read(f file, p Parser) {
	text, err := readFile(f.path)
	if err != nil {
		l.fault(f.path, "", "%s", reason(err))
		return
	}
	doc, faults := document.Read(f.path, text)
	if doc == nil {
		l.faults = append(l.faults, faults...)
		return
	}
	for _, format := range formats() {
		if !format.Claims(doc.Root) {
			continue
		}
		defs, faults := format.Read(doc, p)
		l.faults = append(l.faults, faults...)
		if faults.Err() == nil {
			l.defs = append(l.defs, defs...)
		}
		return
	}
	l.faults = append(l.faults, Fault{Pos: doc.Root.Pos(), Message: "the file is of no known model format",
		Hint: `An Ossie file has the keys "version" and "semantic_model".`, Warning: !f.named})
}

// readFile reads a regular file, one byte past the limit at most: document.Read
// says what is wrong with a file that is too large.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path) // before Open, which would wait for the writer of a pipe
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, document.MaxSize+1))
}

// distinct reports models of different files with one name: it is the schema in
// which clients see them.
func (l *loader) distinct() {
	first := map[string]semantic.Pos{}
	for _, d := range l.defs {
		key := strings.ToLower(d.Name)
		pos, ok := first[key]
		if !ok {
			first[key] = d.Pos
			continue
		}
		if pos.File != d.Pos.File { // within a file the format has said so
			l.faults = append(l.faults, Fault{Pos: d.Pos, Message: fmt.Sprintf("model %q is defined twice", d.Name),
				Hint: fmt.Sprintf("The first is in %s, line %d.", pos.File, pos.Line)})
		}
	}
}
