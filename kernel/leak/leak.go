// Package leak finds what a text gives away: credentials, paths and hosts of
// somebody's machine, and people.
//
// Credentials are found by the rules of gitleaks, which stand in
// gitleaks.jsonl as data; the rest by a few rules of its own (own.go). A rule
// is tried only near the words it names, and those are found in one pass over
// the text, so that a text without any costs little. All expressions are
// RE2's: no text makes one of them run away.
//
// It goes by shape, and a shape is no proof: what is found may be harmless,
// and a text in which nothing is found may still tell what it should not. What
// is found is never repeated, only its first characters and a fingerprint by
// which it can be let through.
package leak

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

//go:generate go run ../../internal/leakrules v8.30.1

// A Kind is what a text gives away.
type Kind string

// The kinds.
const (
	Secret Kind = "secret" // a key, a token or a password
	Path   Kind = "path"   // a folder of somebody's machine
	Host   Kind = "host"   // a machine, or an address, of a private network
	Person Kind = "person" // whom mail reaches
)

// The reason tokens of the gates.
const (
	SecretShape = "SECRET_SHAPE"
	PublicLeak  = "PUBLIC_LEAK"
)

// Token is the reason token of the gate that such a hit belongs to.
func (k Kind) Token() string {
	if k == Secret {
		return SecretShape
	}
	return PublicLeak
}

// A Hit is one place where a text gives something away.
type Hit struct {
	Rule        string `json:"rule"`
	Kind        Kind   `json:"kind"`
	Token       string `json:"token"`
	Line        int    `json:"line"`        // from 1, or from what ScanAt was told
	Column      int    `json:"column"`      // in bytes, from 1
	Masked      string `json:"masked"`      // what can be shown of it
	Fingerprint string `json:"fingerprint"` // see Fingerprint
	Start       int    `json:"-"`           // of the text, in bytes
	End         int    `json:"-"`
}

// Fingerprint names what a rule found, without telling it: the first 16 hex
// digits of the SHA-256 of the rule's name, a zero byte, and the bytes found.
// Where it stands plays no part, so that it holds while lines move.
func Fingerprint(rule, found string) string {
	sum := sha256.Sum256([]byte(rule + "\x00" + found))
	return hex.EncodeToString(sum[:8])
}

// isFingerprint reports whether an entry of an allow list is one, and no glob.
func isFingerprint(s string) bool {
	if len(s) != 16 {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// mask shows the first four bytes of what was found, less of what is short,
// and how long it is. It never shows more than a quarter.
func mask(found string) string {
	head := []byte(found[:min(4, len(found)/4)])
	for i, c := range head {
		if c < ' ' || c > '~' {
			head[i] = '?'
		}
	}
	return fmt.Sprintf("%s... (%d bytes)", head, len(found))
}
