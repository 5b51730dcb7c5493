package auth

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

const (
	defaultIterations = 4096 // scram-common.h, SCRAM_DEFAULT_ITERATIONS
	saltLength        = 16   // scram-common.h, SCRAM_DEFAULT_SALT_LEN
	maxIterations     = 10_000_000
)

// A verifier is what is kept of a password: enough to check a proof and to give
// the server's own, not enough to log in.
type verifier struct {
	iterations           int
	salt                 []byte
	storedKey, serverKey []byte
}

// NewVerifier makes the verifier of a password in the form of
// pg_authid.rolpassword: SCRAM-SHA-256$4096:salt$StoredKey:ServerKey. Passwords
// beyond ASCII are refused, for they would have to be normalised (RFC 4013)
// exactly as clients do it; take such a verifier from PostgreSQL.
func NewVerifier(password string) (string, error) {
	if password == "" {
		return "", errors.New("the password is empty")
	}
	for i := range len(password) {
		if c := password[i]; c < ' ' || c > '~' {
			return "", errors.New("the password has characters outside printable ASCII; create the verifier with PostgreSQL")
		}
	}
	salt := make([]byte, saltLength)
	rand.Read(salt) // never fails (crypto/rand)
	return derive(password, salt, defaultIterations).String(), nil
}

// derive makes the keys of RFC 5802 section 3.
func derive(password string, salt []byte, iterations int) verifier {
	salted, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		// Only a key longer than SHA-256 allows, or a salt too short for FIPS
		// mode, is refused; neither comes from outside.
		panic(err)
	}
	stored := sha256.Sum256(mac(salted, "Client Key"))
	return verifier{iterations, salt, stored[:], mac(salted, "Server Key")}
}

func mac(key []byte, message string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(message))
	return h.Sum(nil)
}

func (v verifier) String() string {
	b := base64.StdEncoding.EncodeToString
	return "SCRAM-SHA-256$" + strconv.Itoa(v.iterations) + ":" + b(v.salt) + "$" + b(v.storedKey) + ":" + b(v.serverKey)
}

// parseVerifier reads the form of pg_authid (auth-scram.c, parse_scram_secret).
func parseVerifier(s string) (verifier, error) {
	var v verifier
	rest, ok := strings.CutPrefix(s, "SCRAM-SHA-256$")
	if !ok {
		return v, errors.New("the verifier does not begin with SCRAM-SHA-256$")
	}
	head, keys, ok := strings.Cut(rest, "$")
	iterations, salt, ok2 := strings.Cut(head, ":")
	stored, server, ok3 := strings.Cut(keys, ":")
	if !ok || !ok2 || !ok3 {
		return v, errors.New("the verifier has not the form SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey")
	}
	n, err := strconv.Atoi(iterations)
	if err != nil || n < 1 || n > maxIterations {
		return v, fmt.Errorf("the verifier's number of iterations is not between 1 and %d", maxIterations)
	}
	v.iterations = n
	for _, part := range [...]struct {
		text string
		to   *[]byte
		size int
	}{{salt, &v.salt, 0}, {stored, &v.storedKey, sha256.Size}, {server, &v.serverKey, sha256.Size}} {
		b, err := base64.StdEncoding.DecodeString(part.text)
		if err != nil || len(b) == 0 || part.size != 0 && len(b) != part.size {
			return v, errors.New("the verifier's salt or keys are not base64 of the right length")
		}
		*part.to = b
	}
	return v, nil
}

// CheckVerifier reports what is wrong with a verifier, so that a configuration
// can be refused when it is read. The error never holds any of its text.
func CheckVerifier(s string) error {
	_, err := parseVerifier(s)
	return err
}
