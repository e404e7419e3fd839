package refstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore/git"
)

// A Move changes one ref in a transaction. There are no blind writes: Expect
// is the tip the change was decided on, "" when the ref must not exist.
type Move struct {
	Ref    string // local name; refs/dos/... or, for a ride, a branch
	Expect OID
	New    OID
}

// An Authority decides who moves a set of refs: the local repository, or a
// remote that several machines share.
type Authority interface {
	// Name is "local" or the name of the remote.
	Name() string

	// Read returns the tips below refs/dos/ of the given kinds, as the
	// authority has them now. An error means that nothing is known.
	Read(ctx context.Context, q Query) (Snapshot, error)

	// Lock keeps other processes of this repository from writing to the
	// authority until unlock is called. It is an optimisation against a
	// remote and part of the protocol locally.
	Lock(ctx context.Context) (unlock func(), err error)

	// Txn moves all refs or, as far as a crash allows, none. The objects must
	// be in the local repository.
	Txn(ctx context.Context, moves []Move) Outcome
}

// A Query names what to read: kinds of dos refs and full names of branches.
type Query struct {
	Kinds    []string
	Branches []string // refs/heads/...
}

// Result is how a transaction ended, decided by the refs and never by text.
type Result int

// The results. The zero Result is Unknown: nothing may be concluded.
const (
	Unknown      Result = iota
	Won                 // every ref is mine, or descends from mine
	Lost                // another writer moved a ref; read and decide again
	Unchanged           // nothing moved and nothing explains it; may be tried again
	Locked              // a lock file is in the way of Outcome.Ref
	Denied              // the authority refused; Words has its reason
	HiddenNames         // the server hides the namespace
	NoAtomic            // the server cannot move several refs at once
	Offline             // the authority could not be reached, nothing was sent
	resultsCount        // keep last
)

var resultNames = [resultsCount]string{"unknown", "won", "lost", "unchanged", "locked", "denied", "hidden namespace", "no atomic push", "offline"}

func (r Result) String() string {
	if r < 0 || r >= resultsCount {
		return fmt.Sprintf("result %d", int(r))
	}
	return resultNames[r]
}

// An Outcome is the end of a transaction with what explains it.
type Outcome struct {
	Result Result
	Ref    string        // the ref that explains it, if one does
	Landed []string      // refs of mine that moved although the transaction did not win
	Words  string        // what git or the server said, for people
	Path   string        // of the lock file, with Locked
	Age    time.Duration // of the lock file, with Locked on this machine
	Err    error         // why nothing is known, with Unknown and Offline
}

// An OutcomeError is an outcome that ended an update. Callers branch on
// Outcome.Result.
type OutcomeError struct {
	Authority string
	Outcome   Outcome
}

func (e *OutcomeError) Error() string {
	o := e.Outcome
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", e.Authority)
	switch o.Result {
	case Locked:
		fmt.Fprintf(&b, "lock file %s is in the way", o.Path)
		if o.Age > 0 {
			fmt.Fprintf(&b, " (%s old)", o.Age.Round(time.Second))
		}
		b.WriteString("; if no git process is running there, remove it")
	case Denied:
		b.WriteString("the write was denied")
	case HiddenNames:
		b.WriteString("the server hides the namespace refs/dos; use another remote or [fleet] prefix")
	case NoAtomic:
		b.WriteString("the server cannot push atomically; use another remote for coordination")
	case Offline:
		b.WriteString("unreachable")
	case Lost:
		b.WriteString("gave up after losing to other writers")
	case Unchanged:
		b.WriteString("nothing was written, several times over")
	default:
		b.WriteString("the outcome of the write is unknown")
	}
	if o.Ref != "" {
		fmt.Fprintf(&b, " (%s)", o.Ref)
	}
	if o.Words != "" {
		fmt.Fprintf(&b, ": %s", o.Words)
	}
	var g *git.Error
	if o.Err != nil && (o.Words == "" || !errors.As(o.Err, &g)) {
		fmt.Fprintf(&b, ": %s", o.Err) // of git's own words the gist is enough
	}
	return b.String()
}

func (e *OutcomeError) Unwrap() error { return e.Outcome.Err }

// A LostStateError reports refs that a remote had and has no more, or has only
// as they were before: somebody deleted or rewound them there. They are not
// free; they are gone.
type LostStateError struct {
	Remote string
	Refs   []string
	Had    map[string]OID // what was last seen there, and is still known here
	Has    map[string]OID // what is there now, "" for nothing
}

func (e *LostStateError) Error() string {
	return fmt.Sprintf("%s lost state that it had, in %d refs (%s): it is not to be trusted (LOST_STATE)", e.Remote, len(e.Refs), e.Refs[0])
}
