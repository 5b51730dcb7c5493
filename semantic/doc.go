// Package semantic is the model and its algebra (floor 1): datasets, keys,
// relationships, metrics; what a query asks of them; and how to answer it
// without counting anything twice.
//
// It moves scalar expressions but never opens them: an Expr is a closed box that
// can say which fields it mentions. So there is no SQL text, no parser and no
// engine here, and it builds and tests without cgo.
//
// The words: a dataset is a table or query with a grain, the row that its key
// names. A relationship is a to-one edge from the dataset that holds the foreign
// key; walked backwards it is to-many, and whatever crosses it fans out. The
// home of a metric is the dataset whose rows it aggregates. See query.go for
// what a query is and plan.go for what comes out.
package semantic
