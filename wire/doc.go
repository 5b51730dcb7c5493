// Package wire is the server side of the PostgreSQL protocol, version 3.0
// (floor 2). It knows messages, sessions, types on the wire and nothing of SQL:
// a Handler turns text into statements, and their rows come back as column
// chunks. It must not know rewrite, semantic or an engine.
//
// The life of a connection, and where to read it:
//
//	server.go       accepting, and sending everybody away
//	startup.go      encryption, cancel requests, the startup packet, settings
//	auth/           who the client is
//	conn.go         the message loop
//	simple.go       Query
//	extended.go     Parse, Bind, Describe, Execute, Close, Sync
//	portal.go       a suspended portal is a Rows that nobody is reading
//	rows.go         chunks to DataRow messages, without an allocation per row
//	encode*.go      one encoder per column, by vector, type and format
//	decode*.go      parameters to backend.Value
//	session.go      what a client has said about itself; settings*.go, transaction.go
//	cancel.go       who is running what, and ending it
//	watch.go        noticing that a client is gone while its statement runs
//	errors.go       the one place that decides what a client is told
//
// One goroutine serves a connection from its first byte to its last. A second
// one exists only while a statement takes longer than a moment, to watch for
// the end of the connection.
package wire
