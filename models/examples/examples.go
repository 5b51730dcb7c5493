// Package examples holds the example models that are part of the program.
package examples

import _ "embed" // the files of folder shop

//go:embed shop/shop.yaml
var shop []byte

//go:embed shop/year.yaml
var year []byte

// A File is a model file. Its text is shared and must not be changed.
type File struct {
	Name string // without folders
	Text []byte
}

// Shop gives the models of the shop: `shop`, whose few rows show every way in
// which a number can go wrong, and `year`, the same over more rows.
func Shop() []File {
	return []File{{"shop.yaml", shop}, {"year.yaml", year}}
}
