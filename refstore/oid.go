package refstore

import "strings"

// An OID names a git object: 40 or 64 lower-case hex digits. The zero OID, "",
// stands for "no object", as in a ref that does not exist.
type OID string

// ParseOID accepts a full object id of either format. Abbreviations and the
// all-zero id are refused.
func ParseOID(s string) (OID, bool) {
	if len(s) != 40 && len(s) != 64 {
		return "", false
	}
	zero := true
	for _, c := range []byte(s) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return "", false
		}
		zero = zero && c == '0'
	}
	return OID(s), !zero
}

// Short is the form for people.
func (o OID) Short() string { return string(o)[:min(len(o), 12)] }

// zeroFor is git's spelling of "no object" in a repository of this format.
func (f Format) zero() string { return strings.Repeat("0", f.hexLen()) }

// A Format is a repository's object format.
type Format string

// The formats git knows.
const (
	SHA1   Format = "sha1"
	SHA256 Format = "sha256"
)

func (f Format) hexLen() int {
	if f == SHA256 {
		return 64
	}
	return 40
}

// EmptyTree is the id of the tree with no entries.
func (f Format) EmptyTree() OID {
	if f == SHA256 {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}
