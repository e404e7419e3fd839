package ancestry

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// MaxCommit bounds the size of one commit object. A larger one is refused as
// unreadable, since a message read in part could hide what its rest says.
const MaxCommit = 16 << 20

// A Commit is one commit object as it is stored. Parents are the object's own,
// whatever grafts, replace refs or a shallow file say.
type Commit struct {
	ID         refstore.OID
	Tree       refstore.OID
	Parents    []refstore.OID
	AuthorTime time.Time // zero when the object's is malformed
	CommitTime time.Time // zero when the object's is malformed
	Encoding   string    // the encoding header, "" for UTF-8
	Signed     bool      // it carries a signature, of whatever worth
	Message    []byte    // raw bytes, in whatever encoding; not shared
}

// Subject is the commit's subject by git's rule; see [Subject].
func (c Commit) Subject() string { return Subject(c.Message) }

// Trailers are the commit's trailers by git's rules; see [Trailers].
func (c Commit) Trailers() []Trailer { return Trailers(c.Message) }

// parse reads a raw commit object: a tree, parents directly after it, further
// headers, and the message after the first empty line. A parent line anywhere
// else is no parent. The commit keeps raw.
func parse(id refstore.OID, raw []byte) (Commit, error) {
	c := Commit{ID: id}
	head, message, _ := bytes.Cut(raw, []byte("\n\n"))
	c.Message = message
	rest := head
	line, rest, _ := bytes.Cut(rest, []byte("\n"))
	var ok bool
	if c.Tree, ok = header(line, "tree "); !ok {
		return Commit{}, fmt.Errorf("%w: commit %s is malformed", ErrMissing, id)
	}
	for bytes.HasPrefix(rest, []byte("parent ")) {
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		parent, ok := header(line, "parent ")
		if !ok {
			return Commit{}, fmt.Errorf("%w: commit %s has a malformed parent", ErrMissing, id)
		}
		c.Parents = append(c.Parents, parent)
	}
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		c.field(line)
	}
	return c, nil
}

func header(line []byte, key string) (refstore.OID, bool) {
	value, ok := bytes.CutPrefix(line, []byte(key))
	if !ok {
		return "", false
	}
	return refstore.ParseOID(string(value))
}

func (c *Commit) field(line []byte) {
	if ident, ok := bytes.CutPrefix(line, []byte("author ")); ok && c.AuthorTime.IsZero() {
		c.AuthorTime = identTime(ident)
	}
	if ident, ok := bytes.CutPrefix(line, []byte("committer ")); ok && c.CommitTime.IsZero() {
		c.CommitTime = identTime(ident)
	}
	if name, ok := bytes.CutPrefix(line, []byte("encoding ")); ok && c.Encoding == "" {
		c.Encoding = string(name)
	}
	c.Signed = c.Signed || bytes.HasPrefix(line, []byte("gpgsig ")) || bytes.HasPrefix(line, []byte("gpgsig-sha256 "))
}

// identTime reads the seconds after "Name <mail>". Times are for display and
// order nothing, so a malformed one is only absent.
func identTime(ident []byte) time.Time {
	_, stamp, ok := bytes.Cut(ident[bytes.LastIndexByte(ident, '>')+1:], []byte(" "))
	if !ok {
		return time.Time{}
	}
	seconds, _, _ := bytes.Cut(stamp, []byte(" "))
	n, err := strconv.ParseInt(string(seconds), 10, 64)
	const year9999 = 253402300799
	if err != nil || n < 0 || n > year9999 {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}
