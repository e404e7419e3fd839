package refstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// How long one look at a remote may take, waiting for another process's look
// included, before the remote counts as out of reach. Branches bring the work
// of others along and take what they take.
var (
	lookTime   = time.Minute
	branchTime = 10 * time.Minute
)

// errSlow is the cause of a look at a remote that took too long.
var errSlow = errors.New("took too long")

// A fetchLog says, beside the mirror of a remote, which fetches into it there
// have been. Fetches are counted, so that a reader can tell without a clock
// whether one began after itself.
type fetchLog struct {
	Begun  uint64 `json:"begun"` // how many fetches have begun
	Ended  uint64 `json:"ended"` // the last that ended: Begun, unless one is under way or was killed
	Prefix string `json:"prefix"`

	Kinds    []string `json:"kinds,omitempty"` // what the last one asked for
	Branches []string `json:"branches,omitempty"`
	Failed   string   `json:"failed,omitempty"` // why it did not reach the remote
}

// serves reports whether the last fetch began when since fetches had begun
// already, or later, and brought all that q asks for.
func (f fetchLog) serves(q Query, since uint64, prefix string) bool {
	lacks := func(have, want []string) bool {
		return slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) })
	}
	return f.Ended == f.Begun && f.Begun > since && f.Prefix == prefix && !lacks(f.Kinds, q.Kinds) && !lacks(f.Branches, q.Branches)
}

// fetches reads the log; the zero log before the first fetch. One that cannot
// be read serves nobody.
func (a *Remote) fetches() (f fetchLog, err error) {
	b, err := os.ReadFile(filepath.Join(a.repo.CommonDir, "dos", a.stateName("fetches")))
	if errors.Is(err, fs.ErrNotExist) {
		return fetchLog{}, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &f)
	}
	if err != nil {
		return fetchLog{}, err
	}
	return f, nil
}

// fetchesBegun is how many fetches have begun by now.
func (a *Remote) fetchesBegun() uint64 {
	f, err := a.fetches()
	if err != nil {
		return math.MaxUint64 // no fetch is later for sure
	}
	return f.Begun
}

// beginFetch counts a fetch that is about to begin; 0 when that cannot be put
// on record, and it then serves nobody but its caller.
func (a *Remote) beginFetch() uint64 {
	f, err := a.fetches()
	if err != nil {
		f = fetchLog{} // of a log that is beyond reading, a new one
	}
	f.Begun++
	if a.logFetches(f) != nil {
		return 0
	}
	return f.Begun
}

// endFetch puts on record how fetch n ended. Of an end that says nothing about
// the remote nothing is kept, as if the fetch had been killed.
func (a *Remote) endFetch(n uint64, q Query, err error) {
	f, lerr := a.fetches()
	if n == 0 || lerr != nil || f.Begun != n {
		return
	}
	f = fetchLog{Begun: n, Ended: n, Prefix: a.prefix, Kinds: q.Kinds, Branches: q.Branches}
	var o *OutcomeError
	switch {
	case err == nil:
	case errors.As(err, &o) && o.Outcome.Result == Offline:
		f.Failed = o.Outcome.Words
	default:
		return
	}
	_ = a.logFetches(f) // without it the next reader fetches for itself
}

func (a *Remote) logFetches(f fetchLog) error {
	path, err := a.repo.SharedFile(a.stateName("fetches"))
	if err != nil {
		return err
	}
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", append(b, '\n'), 0o666); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// lockMirror keeps others from moving the mirror. It is held over a fetch and
// the look at what it brought, or over a push that moves the mirror along;
// never while anybody decides.
func (a *Remote) lockMirror(ctx context.Context) (unlock func(), err error) {
	unlock, err = a.repo.LockShared(ctx, a.stateName("mirror"))
	if err != nil && errors.Is(context.Cause(ctx), errSlow) {
		return nil, a.tooSlow("another git-dos here has been at it for too long")
	}
	return unlock, err
}

// bounded is ctx for one look at the remote.
func (a *Remote) bounded(ctx context.Context, q Query) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limitOf(q), errSlow)
}

func limitOf(q Query) time.Duration {
	if len(q.Branches) > 0 {
		return branchTime
	}
	return lookTime
}

func (a *Remote) tooSlow(words string) error {
	return &OutcomeError{a.name, Outcome{Result: Offline, Words: words, Err: errSlow}}
}

// readSince is Read under the lock of the mirror: by the last fetch when that
// began after the caller, of whose start it saw since fetches begun, else by
// one of its own. So readers that come while a fetch is under way share the next.
func (a *Remote) readSince(ctx context.Context, q Query, since uint64) (Snapshot, error) {
	f, err := a.fetches()
	if err == nil && f.serves(q, since, a.prefix) {
		if f.Failed != "" {
			return Snapshot{}, &OutcomeError{a.name, Outcome{Result: Offline, Words: f.Failed}}
		}
		return a.mirrored(ctx, q)
	}
	n := a.beginFetch()
	s, whole, err := a.readAnew(ctx, q)
	if err != nil && errors.Is(err, errSlow) {
		err = a.tooSlow(fmt.Sprintf("no answer within %s", limitOf(q)))
	}
	a.endFetch(n, whole, err)
	return s, err
}
