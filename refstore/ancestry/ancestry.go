// Package ancestry answers questions about history: which commits a tip
// reaches, what their messages say and which paths they changed. It never
// writes to a repository.
//
// Commits arrive as length-delimited objects, so no byte of a message can
// forge a record. A walk is checked against the objects themselves: every
// commit it yields is the tip or is named as a parent by one yielded before,
// and every parent it does not reach is reported as a boundary. Neither a
// graft, a replace ref nor a cut history can therefore add or hide a commit
// unseen.
//
// Objects are taken from this repository only: nothing is fetched on the way.
// What cannot be read is [ErrMissing], never an absence. Text of git is shown
// to people and decides nothing.
package ancestry

import (
	"errors"
	"fmt"

	"github.com/git-dos/git-dos/refstore"
)

// ErrMissing means that history is not all readable here: an object is absent,
// corrupt, larger than [MaxCommit], or contradicts the objects around it.
var ErrMissing = errors.New("history is not all readable here")

// ErrUnborn means that the revision is the branch HEAD names and that branch
// has no commit yet: a true absence.
var ErrUnborn = errors.New("branch has no commit yet")

// ErrNoRevision means that no such revision exists in this repository.
var ErrNoRevision = errors.New("no such revision")

// checked refuses what is not a full object id, so that no argument of a child
// can be an option or a range.
func checked(ids ...refstore.OID) error {
	for _, id := range ids {
		if _, ok := refstore.ParseOID(string(id)); !ok {
			return fmt.Errorf("%q is not a full object id", string(id))
		}
	}
	return nil
}
