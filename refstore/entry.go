package refstore

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// EntryFormat is the version of the entry layout this package writes. Entries
// of another version are unreadable to it, never empty.
const EntryFormat = 1

// Sizes of a payload that still travel in the commit message; larger ones go
// into the entry's tree as payload.json.zst.
const (
	maxInline      = 8 << 10
	maxInlineOrder = 64 << 10
)

// maxPayload bounds a payload read from a ref, compressed or not.
const maxPayload = 16 << 20

// Errors of entries that exist and cannot be used. Both mean "unreadable",
// never "absent".
var (
	ErrBroken = errors.New("broken ref")
	ErrFormat = errors.New("entry of another format version")
)

// An Entry is one commit of a chain, as its readers see it. The payload is one
// line of JSON which this package does not interpret.
type Entry struct {
	Op      string // upper-case verb, such as ACQUIRE
	Gen     uint64 // generation the entry belongs to, 0 where the kind has none
	Payload []byte
	At      time.Time // when the writer made it, by the writer's clock, whole seconds
	Attempt string    // distinguishes every attempt; filled in by encode
}

// A RefName splits "refs/dos/<kind>/<leaf>".
type RefName struct{ Kind, Leaf string }

// Ref returns the local name of a dos ref.
func Ref(kind, leaf string) string { return "refs/dos/" + kind + "/" + leaf }

// SplitRef is the inverse of Ref. It refuses names of another shape, so that a
// hostile remote cannot plant refs at a depth nobody looks at.
func SplitRef(ref string) (RefName, bool) {
	rest, ok := strings.CutPrefix(ref, "refs/dos/")
	kind, leaf, two := strings.Cut(rest, "/")
	if !ok || !two || !validWord(kind) || !ValidLeaf(leaf) {
		return RefName{}, false
	}
	return RefName{kind, leaf}, true
}

// ValidLeaf reports whether s may end a dos ref: [a-z0-9._%-], no leading dot
// or dash, no "..", no ".lock" or dot at the end, at most 100 bytes.
func ValidLeaf(s string) bool {
	if s == "" || len(s) > 100 || s[0] == '.' || s[0] == '-' || strings.Contains(s, "..") {
		return false
	}
	if strings.HasSuffix(s, ".lock") || strings.HasSuffix(s, ".") {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789._%-") == ""
}

func validWord(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}

// message renders the commit message of an entry on ref. external says that
// the payload is in the tree.
func (e Entry) message(ref string, external bool) (string, error) {
	name, ok := SplitRef(ref)
	if !ok {
		return "", fmt.Errorf("%q is not a ref of git-dos", ref)
	}
	if e.Op == "" || strings.Trim(e.Op, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
		return "", fmt.Errorf("illegal op %q", e.Op)
	}
	body := e.Payload
	if external {
		body = []byte(payloadMarker)
	}
	return fmt.Sprintf("dos %s: %s %s g%d\n\n%s\n\nDos-Format: %d\nDos-Op: %s\nDos-Gen: %d\nDos-Attempt: %s\n",
		name.Kind, e.Op, name.Leaf, e.Gen, body, EntryFormat, e.Op, e.Gen, e.Attempt), nil
}

// payloadMarker stands for a payload that is in the entry's tree.
const payloadMarker = `{"payload":"` + payloadFile + `"}`

// parseMessage reads the message of the commit that ref points to. An entry
// must name the ref it stands on: a commit of one lane planted on another is
// broken. external says that the payload is in the tree.
func parseMessage(ref, msg string) (e Entry, external bool, err error) {
	subject, rest, ok1 := strings.Cut(msg, "\n\n")
	body, trailers, ok2 := strings.Cut(rest, "\n\n")
	if !ok1 || !ok2 || !strings.HasPrefix(subject, "dos ") {
		return e, false, fmt.Errorf("%w: %s does not hold an entry of git-dos", ErrBroken, ref)
	}
	t := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(trailers, "\n"), "\n") {
		key, value, _ := strings.Cut(line, ": ")
		t[key] = value
	}
	if v := t["Dos-Format"]; v != strconv.Itoa(EntryFormat) {
		if n, err := strconv.Atoi(v); err != nil || n < 1 {
			return e, false, fmt.Errorf("%w: %s has no entry format", ErrBroken, ref)
		}
		return e, false, fmt.Errorf("%w: %s has format %s, this git-dos knows %d", ErrFormat, ref, v, EntryFormat)
	}
	e.Op, e.Attempt, e.Payload = t["Dos-Op"], t["Dos-Attempt"], []byte(body)
	if e.Gen, err = strconv.ParseUint(t["Dos-Gen"], 10, 64); err != nil {
		return e, false, fmt.Errorf("%w: %s has no generation", ErrBroken, ref)
	}
	name, ok := SplitRef(ref)
	if !ok || subject != fmt.Sprintf("dos %s: %s %s g%d", name.Kind, e.Op, name.Leaf, e.Gen) {
		return e, false, fmt.Errorf("%w: %s holds an entry made for another ref", ErrBroken, ref)
	}
	if len(e.Payload) > maxPayload || !oneLine(e.Payload) {
		return e, false, fmt.Errorf("%w: the payload of %s is not one line of JSON, or too long", ErrBroken, ref)
	}
	return e, body == payloadMarker, nil
}

// newAttempt returns 64 random bits, so that two attempts at one entry are
// never one object and "is my commit in the chain?" always has an answer.
func newAttempt() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return hex.EncodeToString(b[:])
}
