package refstore

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-dos/git-dos/refstore/git"
)

// An ahead is a listing of dos refs that was started before anybody knew which
// repository it is about. It answers one read of each kind at most, and none
// once a remote was asked, unless it is still: who reads a kind again wants to see what
// has changed.
type ahead struct {
	kinds []string
	still bool
	began time.Time
	wait  func() listing

	mu       sync.Mutex
	answered []string // patterns
	over     bool     // nothing more is answered

	headTold atomic.Bool
	objects  atomic.Pointer[objectReader]
}

// An Ahead says what a caller goes on to read, so that git begins with it beside
// the discovery. What is listed answers no read that a local write is decided on, nor,
// unless it is still, any of refs that this process has begun to write since.
type Ahead struct {
	Kinds []string // of dos refs: of the repository itself and in the mirrors of its remotes
	Files bool     // files of commits: the first call of Files finds its git running
	Still bool     // the kinds again, as of the same moment; of a mirror until it is fetched anew

	If func(Config) bool // whether to list anything, by the settings; nil for always
}

// OpenAhead is [Open] for a caller that knows what it reads next.
func OpenAhead(ctx context.Context, dir string, next Ahead) (*Repo, error) {
	a := &ahead{kinds: next.Kinds, still: next.Still, began: time.Now()}
	if next.Files {
		o := &objectReader{run: git.Runner{Dir: dir}}
		_ = o.start(ctx) // whoever asks it first learns of an error
		a.objects.Store(o)
	}
	var patterns []string
	for _, k := range next.Kinds {
		patterns = append(patterns, Ref(k, ""), Ref("at", "*/"+k+"/**"))
	}
	patterns = append(patterns, usualHead)
	config := settings(ctx, git.Runner{Dir: dir})
	a.wait = sync.OnceValue(next.begin(config, func() func() listing {
		return forEachRef(ctx, git.Runner{Dir: dir}, patterns)
	}))
	r, err := open(ctx, dir, config)
	if err == nil {
		r.ahead = a
	} else if o := a.objects.Load(); o != nil {
		o.Close()
	}
	return r, err
}

// begin starts a listing where that is wanted; what it returns waits for its end, and
// is empty where it is not.
func (next Ahead) begin(config func() (Config, error), list func() (wait func() listing)) (wait func() listing) {
	ended := make(chan listing, 1)
	if next.If == nil {
		wait := list() // first, as it takes longest
		go func() { ended <- wait() }()
	} else {
		go func() {
			var l listing
			if c, err := config(); err == nil && next.If(c) {
				l = list()()
			}
			ended <- l
		}()
	}
	return func() listing { return <-ended }
}

// usualHead is listed with the kinds: most fleets find their trunk by it. Git reads
// what lies beside it as well, so there is no looking for all remotes.
const usualHead = "refs/remotes/origin/HEAD"

// RemoteHead is where the HEAD of a remote leads to here: the remote-tracking ref
// that it names, and where that stood when the repository was opened. It answers
// once, as who asks again wants to see what has changed. There is nothing where it
// was not listed ahead or leads nowhere: ask git then.
func (r *Repo) RemoteHead(remote string) (Head, bool) {
	a := r.ahead
	if a == nil || "refs/remotes/"+remote+"/HEAD" != usualHead {
		return Head{}, false
	}
	if a.headTold.Swap(true) {
		return Head{}, false
	}
	for _, ref := range a.wait().refs {
		if id, ok := ParseOID(ref.id); ok && ref.name == usualHead && ref.symref != "" {
			return Head{Branch: ref.symref, ID: id}, true
		}
	}
	return Head{}, false
}

// reader is the reader that was started ahead, nil when there is none or it
// has been taken.
func (a *ahead) reader() *objectReader {
	if a == nil {
		return nil
	}
	return a.objects.Swap(nil)
}

// listAhead is list by what was listed ahead. It is not ok when that does not
// hold everything below the patterns, or began before since. A local writer must not
// use it: it decides on what it reads under the lock.
func (r *Repo) listAhead(ctx context.Context, since time.Time, patterns []string, name func(string) (string, bool)) (tips []Tip, began time.Time, ok bool) {
	a := r.ahead
	if a == nil || a.began.Before(since) || !a.take(patterns) {
		return nil, began, false
	}
	tips, ok = r.whole(ctx, a.wait, patterns, name)
	return tips, a.began, ok
}

// end is called when a remote is asked: what is read of this repository after that
// is to be no older than what the remote says. A listing that is still goes on.
func (a *ahead) end() {
	if a == nil {
		return
	}
	a.headTold.Store(true)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
}

// take reports whether the listing holds all of the patterns, and none of them
// was taken before or it is still.
func (a *ahead) take(patterns []string) bool {
	if slices.ContainsFunc(patterns, func(p string) bool { return !a.covers(p) }) {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.still && (a.over || slices.ContainsFunc(patterns, func(p string) bool { return slices.Contains(a.answered, p) })) {
		return false
	}
	a.answered = append(a.answered, patterns...)
	return true
}

// spent is called before this process writes refs below prefix, refs/dos/ or that of a
// mirror: what was listed of them is not what it then reads.
func (a *ahead) spent(prefix string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, k := range a.kinds {
		a.answered = append(a.answered, prefix+k+"/")
	}
}

// covers knows the shapes refs/dos/<kind>/ and refs/dos/at/<remote>/<kind>/.
func (a *ahead) covers(pattern string) bool {
	rest, ok := strings.CutPrefix(pattern, "refs/dos/")
	if mirrored, isMirror := strings.CutPrefix(rest, "at/"); isMirror {
		_, rest, ok = strings.Cut(mirrored, "/")
	}
	kind, leaf, isFolder := strings.Cut(rest, "/")
	return ok && isFolder && leaf == "" && slices.Contains(a.kinds, kind)
}

// below reports whether ref stands under one of the patterns.
func below(patterns []string, ref string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		return ref == p || strings.HasSuffix(p, "/") && strings.HasPrefix(ref, p)
	})
}
