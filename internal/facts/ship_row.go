package facts

import (
	"bytes"
	"strings"

	"github.com/git-dos/git-dos/internal/shipindex"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// maxLease bounds a Dos-Lease trailer worth reading. maxKept bounds what is
// kept of a subject, well above the longest that can stamp. maxBody bounds a
// body that matters: a commit with a longer one names nothing.
const (
	maxLease = 200
	maxKept  = 128 << 10
	maxBody  = 1 << 20
)

// rowOf keeps of a commit what may bear on any unit: it is the only reading of
// a commit there is, whether the row goes through the index or not. A message
// with a NUL is not what git shows of it, so it names nothing.
func rowOf(c ancestry.Commit, stamp policy.Stamp) shipindex.Row {
	subject := c.Subject()
	r := shipindex.Row{ID: c.ID, Parents: c.Parents, Takes: ship.Reverts(subject, c.Message), Copies: ship.Copies(c.Message), Signed: c.Signed}
	if !c.CommitTime.IsZero() {
		r.Time = c.CommitTime.Unix()
	}
	if bytes.IndexByte(c.Message, 0) >= 0 {
		return r
	}
	matters := ship.Bundles(stamp, subject) || ship.MayTakeBack(c.Message)
	if matters && len(c.Message) > maxBody {
		return r
	}
	r.Subject = subject[:min(len(subject), maxKept)]
	if matters {
		r.Body = append([]byte{}, ancestry.Body(c.Message)...)
	}
	if !mayTrail(c.Message) {
		return r
	}
	for _, t := range c.Trailers() {
		switch {
		case strings.EqualFold(t.Key, "Dos-Ship"):
			r.Units = append(r.Units, t.Value)
		case strings.EqualFold(t.Key, "Dos-Lease") && len(t.Value) <= maxLease:
			r.Leases = append(r.Leases, t.Value)
		}
	}
	return r
}

// mayTrail is a quick test: without "dos-" in its message a commit has none of
// the trailers.
func mayTrail(message []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(message[at:], '-')
		if i < 0 {
			return false
		}
		at += i
		if at >= 3 && bytes.EqualFold(message[at-3:at], []byte("dos")) {
			return true
		}
	}
}
