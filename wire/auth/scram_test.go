package auth

import (
	"bytes"
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/pggate/pggate/wire/sqlstate"
)

// TestVerifier uses one that PostgreSQL 15 has made of the password "pencil".
func TestVerifier(t *testing.T) {
	v, err := parseVerifier(postgresVerifier)
	if err != nil {
		t.Fatal(err)
	}
	if got := derive("pencil", v.salt, v.iterations).String(); got != postgresVerifier {
		t.Errorf("derived %s, PostgreSQL has %s", got, postgresVerifier)
	}
	if v.String() != postgresVerifier {
		t.Errorf("written %s", v)
	}
	made, err := NewVerifier("pencil")
	if err != nil || CheckVerifier(made) != nil {
		t.Errorf("NewVerifier: %s, %v", made, err)
	}
}

func TestVerifierErrors(t *testing.T) {
	for _, s := range []string{
		"", "md5abc", "SCRAM-SHA-256$", "SCRAM-SHA-256$4096:AA==", "SCRAM-SHA-256$0:AA==$AA==:AA==",
		"SCRAM-SHA-256$4096:AA==$AA==:AA==", strings.Replace(postgresVerifier, "4096", "99999999999", 1),
	} {
		if CheckVerifier(s) == nil {
			t.Errorf("%q is taken for a verifier", s)
		}
	}
	for _, password := range []string{"", "pässword", "a\x00b"} {
		if v, err := NewVerifier(password); err == nil {
			t.Errorf("a verifier of %q: %s", password, v)
		}
	}
}

// An exchange plays the client of RFC 7677.
type exchange struct {
	mechanism, user, password, tamper string

	challenge []byte
	final     []byte
	bare      string
	salt      string
	serverKey []byte
	message   string
}

func (x *exchange) SASL([]string) (string, []byte, error) {
	x.bare = "n=,r=rOprNGfwEbeRWgbNEkqO"
	header := "n,,"
	if x.tamper == "binding" {
		header = "p=tls-unique,,"
	}
	return x.mechanism, []byte(header + x.bare), nil
}

func (x *exchange) Continue(challenge []byte) ([]byte, error) {
	x.challenge = challenge
	parts := strings.Split(string(challenge), ",")
	x.salt = strings.TrimPrefix(parts[1], "s=")
	salt, err := base64.StdEncoding.DecodeString(x.salt)
	if err != nil {
		return nil, err
	}
	v := derive(x.password, salt, 4096)
	nonce := strings.TrimPrefix(parts[0], "r=")
	if x.tamper == "nonce" {
		nonce += "x"
	}
	without := "c=biws,r=" + nonce
	x.message = x.bare + "," + string(challenge) + "," + without
	x.serverKey = v.serverKey
	// ClientProof needs the client key, which a verifier does not hold.
	proof := clientProof(x.password, salt, x.message)
	return []byte(without + ",p=" + base64.StdEncoding.EncodeToString(proof)), nil
}

func (x *exchange) Final(data []byte) error {
	x.final = data
	return nil
}

func TestExchange(t *testing.T) {
	s := &SCRAM{Verifier: func(_ context.Context, user string) (string, bool) { return postgresVerifier, user == "ann" }}
	for _, c := range []struct {
		x    exchange
		code sqlstate.Code
	}{
		{exchange{mechanism: mechanismSHA256, user: "ann", password: "pencil"}, ""},
		{exchange{mechanism: mechanismSHA256, user: "ann", password: "pen"}, sqlstate.InvalidPassword},
		{exchange{mechanism: mechanismSHA256, user: "bob", password: "pencil"}, sqlstate.InvalidPassword},
		{exchange{mechanism: "SCRAM-SHA-1", user: "ann", password: "pencil"}, sqlstate.ProtocolViolation},
		{exchange{mechanism: mechanismSHA256, user: "ann", password: "pencil", tamper: "nonce"}, sqlstate.ProtocolViolation},
		{exchange{mechanism: mechanismSHA256, user: "ann", password: "pencil", tamper: "binding"}, sqlstate.ProtocolViolation},
	} {
		err := s.Authenticate(context.Background(), c.x.user, &c.x)
		var e *sqlstate.Error
		switch {
		case c.code == "" && err != nil, c.code != "" && (!errors.As(err, &e) || e.Code != c.code):
			t.Errorf("%s with %q: %v, want %q", c.x.user, c.x.password, err, c.code)
		case c.code == "":
			want := "v=" + base64.StdEncoding.EncodeToString(mac(c.x.serverKey, c.x.message))
			if !bytes.Equal(c.x.final, []byte(want)) {
				t.Errorf("the server's signature is %s, want %s", c.x.final, want)
			}
		case c.x.final != nil:
			t.Errorf("%s with %q got the server's signature", c.x.user, c.x.password)
		}
	}
}

// TestUnknownUsersKeepTheirSalt: a salt that changed would tell that there is
// no such user.
func TestUnknownUsersKeepTheirSalt(t *testing.T) {
	s := &SCRAM{Verifier: func(context.Context, string) (string, bool) { return "", false }}
	salts := make(map[string]string)
	for _, user := range []string{"a", "b", "a", "b"} {
		x := &exchange{mechanism: mechanismSHA256, password: "p"}
		if err := s.Authenticate(context.Background(), user, x); err == nil {
			t.Fatal("an unknown user has logged in")
		}
		if salts[user] != "" && salts[user] != x.salt {
			t.Errorf("user %s: salt %s, then %s", user, salts[user], x.salt)
		}
		salts[user] = x.salt
	}
	if salts["a"] == salts["b"] {
		t.Error("two users share a salt")
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte("n,,n=u,r=abc"), []byte("c=biws,r=abc,p=AAAA"))
	f.Fuzz(func(t *testing.T, first, final []byte) {
		if m, err := parseClientFirst(first); err == nil && (m.nonce == "" || !strings.HasSuffix(string(first), m.bare)) {
			t.Fatalf("%q is taken for a first message", first)
		}
		if m, err := parseClientFinal(final); err == nil && len(m.proof) != 32 {
			t.Fatalf("%q is taken for a final message", final)
		}
	})
}

const postgresVerifier = "SCRAM-SHA-256$4096:vmuDxc0tRb6MrpIn0tq/Ag==$rzfN2HU3bj9A2ct9+KxelrQVDJvwi2X1YPL0MpTNn5Q=:kvMz6e7h42Ybdw488UryczlSKcV0+BjAYXWWpKsjGNs="

// clientProof is what a client computes from the password (RFC 5802 section 3).
func clientProof(password string, salt []byte, message string) []byte {
	salted, err := pbkdf2.Key(sha256.New, password, salt, 4096, sha256.Size)
	if err != nil {
		panic(err)
	}
	key := mac(salted, "Client Key")
	stored := sha256.Sum256(key)
	signature := mac(stored[:], message)
	for i := range key {
		key[i] ^= signature[i]
	}
	return key
}
