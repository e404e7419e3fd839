package shipindex

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// A Row is what is kept of one commit. It comes back as it was added; only the
// difference between a nil and an empty list is lost.
type Row struct {
	ID      refstore.OID
	Parents []refstore.OID
	Time    int64  // of the committer, Unix seconds
	Subject string // raw bytes
	Units   []string
	Leases  []string
	Takes   []ship.Taken // what the message takes back
	Copies  []string     // the commits it says it was picked from
	Body    []byte       // raw bytes, nil where it does not matter; empty and nil differ
	Signed  bool

	text   string // what Text returns, once folded
	folded bool
}

// Text is what a search looks at: the folded subject, units and body, each on
// a line of its own, that of a body begun with ship.BodyMark.
func (r Row) Text() string { return r.Folded().text }

// Folded is the row with its text made, so that who asks again has it.
func (r Row) Folded() Row {
	if !r.folded {
		r.text, r.folded = r.fold(), true
	}
	return r
}

func (r Row) fold() string {
	subject := ship.Fold(r.Subject)
	if len(r.Units) == 0 && r.Body == nil {
		return subject
	}
	parts := []string{subject}
	for _, u := range r.Units {
		parts = append(parts, ship.Fold(u))
	}
	if r.Body != nil {
		parts = append(parts, ship.BodyMark+ship.Fold(string(r.Body)))
	}
	return strings.Join(parts, "\n")
}

// Flags of a row's rest.
const (
	rowSigned      = 1 << iota
	rowBody        // it has a body
	rowSameSubject // the subject is the start of the search text
	rowSameBody    // the body is the end of the search text
	rowNextParent  // the first parent is the next row of the block
	rowFlags       // all flags are below this
)

var errRow = errors.New("a row does not fit the index")

// appendRest appends all of a row but its id and its search text. next is the
// id of the row that follows it in the block.
func appendRest(b []byte, r Row, text string, next refstore.OID, idLen int) ([]byte, error) {
	flags := uint64(0)
	set := func(flag uint64, on bool) {
		if on {
			flags |= flag
		}
	}
	parents := r.Parents
	set(rowSigned, r.Signed)
	set(rowBody, r.Body != nil)
	set(rowSameSubject, strings.HasPrefix(text, r.Subject))
	set(rowSameBody, r.Body != nil && strings.HasSuffix(text, string(r.Body)))
	if next != "" && len(parents) > 0 && parents[0] == next {
		set(rowNextParent, true)
		parents = parents[1:]
	}
	b = binary.AppendUvarint(b, flags)
	b = binary.AppendVarint(b, r.Time)
	b = binary.AppendUvarint(b, uint64(len(parents)))
	var err error
	for _, p := range parents {
		if b, err = appendID(b, p, idLen); err != nil {
			return nil, err
		}
	}
	b = appendLent(b, r.Subject, flags&rowSameSubject != 0)
	b = appendStrings(b, r.Units)
	b = appendStrings(b, r.Leases)
	b = binary.AppendUvarint(b, uint64(len(r.Takes)))
	for _, t := range r.Takes {
		b = appendLent(appendLent(appendLent(b, t.ID, false), t.Base, false), t.Title, false)
	}
	b = appendStrings(b, r.Copies)
	if r.Body != nil {
		b = appendLent(b, string(r.Body), flags&rowSameBody != 0)
	}
	return b, nil
}

func appendID(b []byte, id refstore.OID, idLen int) ([]byte, error) {
	if len(id) != 2*idLen {
		return nil, errRow
	}
	b, err := hex.AppendDecode(b, []byte(id))
	if err != nil {
		return nil, errRow
	}
	return b, nil
}

// appendLent appends a length and, unless the search text has them, the bytes.
func appendLent(b []byte, s string, lent bool) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	if lent {
		return b
	}
	return append(b, s...)
}

func appendStrings(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendLent(b, s, false)
	}
	return b
}

// readRest is the inverse of appendRest. ok is false for what no row wrote.
func readRest(rest, text []byte, next refstore.OID, idLen int) (r Row, ok bool) {
	c := cursor{b: rest}
	flags := c.uvarint()
	if flags >= rowFlags {
		return Row{}, false
	}
	r = Row{Signed: flags&rowSigned != 0, Time: c.varint()}
	if flags&rowNextParent != 0 {
		c.bad = c.bad || next == ""
		r.Parents = append(r.Parents, next)
	}
	n := c.count(idLen)
	r.Parents = slices.Grow(r.Parents, n)
	for range n {
		r.Parents = append(r.Parents, refstore.OID(hex.EncodeToString(c.take(idLen))))
	}
	r.Subject = string(c.lent(text, flags&rowSameSubject != 0, false))
	r.Units = c.strings()
	r.Leases = c.strings()
	for range c.count(3) {
		r.Takes = append(r.Takes, ship.Taken{ID: c.string(), Base: c.string(), Title: c.string()})
	}
	r.Copies = c.strings()
	if flags&rowBody != 0 {
		r.Body = append([]byte{}, c.lent(text, flags&rowSameBody != 0, true)...)
	}
	return r, !c.bad && len(c.b) == 0
}
