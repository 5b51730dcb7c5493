// Package auth proves who a client is (floor 2, below wire). It knows the
// exchanges of the protocol's authentication methods and no socket: the server
// lends it an Exchange for one login.
package auth

import "context"

// An Exchange carries the messages of one login. A Method calls SASL once and
// then Continue and Final; each error ends the login and is to be returned as
// it is.
type Exchange interface {
	// SASL offers mechanisms and gives the client's choice with its first
	// message (AuthenticationSASL, SASLInitialResponse).
	SASL(mechanisms []string) (mechanism string, initial []byte, err error)
	// Continue sends a challenge and gives the answer (AuthenticationSASLContinue).
	Continue(challenge []byte) (response []byte, err error)
	// Final sends the server's last word (AuthenticationSASLFinal).
	Final(data []byte) error
}

// A Method proves that a client is the user it says it is. It must take as long
// and say the same for an unknown user as for a wrong password. A server calls
// it from many goroutines. Its errors are *sqlstate.Error: 28P01 for a proof
// that is none, 28000 for what is refused before, 08P01 for a broken message.
type Method interface {
	Authenticate(ctx context.Context, user string, x Exchange) error
}

// Trust believes everybody. It is for loopback listeners and tests.
type Trust struct{}

// Authenticate reports no error.
func (Trust) Authenticate(context.Context, string, Exchange) error { return nil }
