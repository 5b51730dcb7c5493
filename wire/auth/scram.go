package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strconv"
	"strings"
	"sync"

	"github.com/pggate/pggate/wire/sqlstate"
)

const mechanismSHA256 = "SCRAM-SHA-256"

// SCRAM is the method SCRAM-SHA-256 (RFC 5802, RFC 7677). An unknown user goes
// through the same exchange as a known one, with a salt that stays the same for
// the name, and fails at the end (auth-scram.c, mock_scram_secret).
type SCRAM struct {
	// Verifier gives the verifier of a user, in the form of
	// pg_authid.rolpassword; false for an unknown user. It is called from
	// many goroutines.
	Verifier func(ctx context.Context, user string) (verifier string, ok bool)

	// Secret keys the salts of unknown users. If it is empty one is made at
	// the first login; then they change with every start of the process.
	Secret []byte

	once   sync.Once
	secret []byte
}

// Authenticate runs the exchange.
func (s *SCRAM) Authenticate(ctx context.Context, user string, x Exchange) error {
	v, known := s.lookup(ctx, user)
	mechanism, initial, err := x.SASL([]string{mechanismSHA256})
	if err != nil {
		return err
	}
	if mechanism != mechanismSHA256 {
		return sqlstate.New(sqlstate.ProtocolViolation, "client selected an invalid SASL authentication mechanism")
	}
	first, err := parseClientFirst(initial)
	if err != nil {
		return err
	}
	var nonce [18]byte
	rand.Read(nonce[:]) // never fails (crypto/rand)
	combined := first.nonce + base64.StdEncoding.EncodeToString(nonce[:])
	challenge := "r=" + combined + ",s=" + base64.StdEncoding.EncodeToString(v.salt) + ",i=" + strconv.Itoa(v.iterations)
	response, err := x.Continue([]byte(challenge))
	if err != nil {
		return err
	}
	final, err := parseClientFinal(response)
	if err != nil {
		return err
	}
	if final.binding != base64.StdEncoding.EncodeToString([]byte(first.header)) {
		return sqlstate.New(sqlstate.InvalidAuthorization, "unexpected SCRAM channel-binding attribute in client-final-message")
	}
	if final.nonce != combined {
		return malformed("Nonce does not match.")
	}
	message := first.bare + "," + challenge + "," + final.withoutProof
	if !v.proves(final.proof, message) || !known {
		return sqlstate.New(sqlstate.InvalidPassword, "password authentication failed for user %q", user)
	}
	return x.Final([]byte("v=" + base64.StdEncoding.EncodeToString(mac(v.serverKey, message))))
}

// lookup gives the user's verifier, or one that nothing proves.
func (s *SCRAM) lookup(ctx context.Context, user string) (v verifier, known bool) {
	if text, ok := s.Verifier(ctx, user); ok {
		if v, err := parseVerifier(text); err == nil {
			return v, true
		}
	}
	s.once.Do(func() {
		s.secret = s.Secret
		if len(s.secret) == 0 {
			s.secret = make([]byte, sha256.Size)
			rand.Read(s.secret) // never fails (crypto/rand)
		}
	})
	return verifier{
		iterations: defaultIterations,
		salt:       mac(s.secret, user)[:saltLength],
		storedKey:  make([]byte, sha256.Size),
		serverKey:  make([]byte, sha256.Size),
	}, false
}

// proves checks ClientProof: it must turn the signature into a key whose hash
// is the stored one.
func (v verifier) proves(proof []byte, message string) bool {
	h := hmac.New(sha256.New, v.storedKey)
	h.Write([]byte(message))
	key := h.Sum(nil)
	if len(proof) != len(key) {
		return false
	}
	for i := range key {
		key[i] ^= proof[i]
	}
	sum := sha256.Sum256(key)
	return subtle.ConstantTimeCompare(sum[:], v.storedKey) == 1
}

// A clientFirst is the client-first-message: n,,n=user,r=nonce.
type clientFirst struct{ header, bare, nonce string }

func parseClientFirst(b []byte) (clientFirst, error) {
	var m clientFirst
	s := string(b)
	flag, rest, ok := strings.Cut(s, ",")
	switch {
	case !ok:
		return m, malformed("The message is cut short.")
	case flag == "y" || flag == "n":
	case strings.HasPrefix(flag, "p="):
		return m, malformed("The client selected SCRAM-SHA-256 without channel binding, but the SCRAM message includes channel binding data.")
	default:
		return m, malformed("Unexpected channel-binding flag.")
	}
	authzid, bare, ok := strings.Cut(rest, ",")
	if !ok {
		return m, malformed("The message is cut short.")
	}
	if authzid != "" {
		return m, sqlstate.New(sqlstate.FeatureNotSupported, "client uses authorization identity, but it is not supported")
	}
	m.header = flag + ",,"
	m.bare = bare
	// The name in the message is not looked at: the startup packet has given it.
	user, nonce, ok := strings.Cut(bare, ",")
	switch {
	case strings.HasPrefix(user, "m="):
		return m, sqlstate.New(sqlstate.FeatureNotSupported, "client requires an unsupported SCRAM extension")
	case !ok || !strings.HasPrefix(user, "n="):
		return m, malformed("The user name is missing.")
	}
	nonce, _, _ = strings.Cut(nonce, ",")
	m.nonce, ok = strings.CutPrefix(nonce, "r=")
	if !ok || m.nonce == "" || !printable(m.nonce) {
		return m, malformed("The nonce is missing or not printable.")
	}
	return m, nil
}

// A clientFinal is the client-final-message: c=binding,r=nonce,p=proof.
type clientFinal struct {
	binding, nonce, withoutProof string
	proof                        []byte
}

func parseClientFinal(b []byte) (clientFinal, error) {
	var m clientFinal
	s := string(b)
	at := strings.LastIndex(s, ",p=")
	if at < 0 {
		return m, malformed("The proof is missing.")
	}
	proof, err := base64.StdEncoding.DecodeString(s[at+len(",p="):])
	if err != nil || len(proof) != sha256.Size {
		return m, malformed("The proof is not base64 of the right length.")
	}
	m.proof = proof
	m.withoutProof = s[:at]
	binding, rest, ok := strings.Cut(m.withoutProof, ",")
	nonce, _, _ := strings.Cut(rest, ",")
	var ok2, ok3 bool
	m.binding, ok2 = strings.CutPrefix(binding, "c=")
	m.nonce, ok3 = strings.CutPrefix(nonce, "r=")
	if !ok || !ok2 || !ok3 {
		return m, malformed("The channel binding or the nonce is missing.")
	}
	return m, nil
}

func malformed(detail string) error {
	return sqlstate.New(sqlstate.ProtocolViolation, "malformed SCRAM message").WithDetail("%s", detail)
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < '!' || s[i] > '~' {
			return false
		}
	}
	return true
}
