package refstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-dos/git-dos/refstore/git"
)

// DefaultPrefix is where dos refs live on a remote unless [fleet] prefix says
// otherwise.
const DefaultPrefix = "refs/dos"

// mirrorTries is how often a fetch is made again whose mirror was moved under
// it, by a git whose parent was killed.
const mirrorTries = 3

// How long a worktree that is being added is given, first and at most, before a fetch
// is made again that failed on it.
const (
	worktreeWait = 20 * time.Millisecond
	worktreeMost = 2 * time.Second
)

// settleTime bounds the read that decides the outcome of an interrupted push.
const settleTime = 20 * time.Second

// A Remote is the authority that several machines share: a plain git remote.
// What it was last seen to hold is mirrored in refs/dos/at/<remote>/. A Remote
// is not safe for concurrent use.
type Remote struct {
	repo   *Repo
	name   string
	prefix string // on the server, without a trailing slash
	mirror string // here, with a trailing slash
	run    git.Runner
	from   string // what to fetch from, "" before it was asked for
	locked bool
}

// Remote returns a configured remote of the repository as an authority.
// prefix is the fleet's ref prefix on it, "" for the default.
func (r *Repo) Remote(name, prefix string) (*Remote, error) {
	if prefix == "" {
		prefix = DefaultPrefix
	}
	if !validRemoteName(name) {
		return nil, fmt.Errorf("illegal name of a remote: %q", name)
	}
	if !validPrefix(prefix) {
		return nil, fmt.Errorf("illegal prefix for refs on %s: %q; use refs/dos or refs/heads/dos", name, prefix)
	}
	c, err := r.Config()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(c.Remotes(), name) {
		return nil, fmt.Errorf("no remote named %q is configured; see git remote -v", name)
	}
	run := r.Git
	run.Env = append(slices.Clone(run.Env), sshBatch(c)...)
	return &Remote{repo: r, name: name, prefix: prefix, mirror: "refs/dos/at/" + mirrorLeaf(name) + "/", run: run}, nil
}

// mirrorLeaf encodes the name of a remote so that no two names share a mirror,
// on a file system that folds case neither.
func mirrorLeaf(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c == '/' || c >= 'A' && c <= 'Z' {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// validPrefix keeps what a configuration file says from being more than the
// beginning of a ref's name.
func validPrefix(s string) bool {
	rest, ok := strings.CutPrefix(s, "refs/")
	for part := range strings.SplitSeq(rest, "/") {
		ok = ok && validRemoteName(part) && !strings.Contains(part, "..") && !strings.HasSuffix(part, ".lock") && !strings.HasSuffix(part, ".")
	}
	return ok
}

func validRemoteName(s string) bool {
	return s != "" && s[0] != '-' && s[0] != '.' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") == ""
}

// Name implements Authority.
func (a *Remote) Name() string { return a.name }

// tracking names the local copy of a branch of the remote.
func (a *Remote) tracking(branch string) string {
	return "refs/remotes/" + a.name + "/" + strings.TrimPrefix(branch, "refs/heads/")
}

// ServerRef is what the remote calls a ref.
func (a *Remote) ServerRef(ref string) string {
	if rest, ok := strings.CutPrefix(ref, "refs/dos/"); ok {
		return a.prefix + "/" + rest
	}
	return ref
}

// Lock implements Authority: one writer of this repository at a time, so that
// siblings on one machine do not race each other over the network.
func (a *Remote) Lock(ctx context.Context) (func(), error) {
	if a.locked {
		return nil, errors.New("remote is already locked by this process")
	}
	f, err := a.repo.lockFile(ctx, a.stateName("lock"))
	if err != nil {
		return nil, err
	}
	a.locked = true
	return func() {
		a.locked = false
		_ = f.Close()
	}, nil
}

func (a *Remote) stateName(what string) string {
	return "at-" + strings.TrimSuffix(strings.TrimPrefix(a.mirror, "refs/dos/at/"), "/") + "." + what
}

// Read implements Authority: one narrow fetch into the mirror, then one
// listing of it; a fetch that another process has begun since the call serves
// as well. What the mirror had and the remote has no more is put back and
// reported as a *LostStateError: a lease that was deleted or rewound there is
// not a free lane.
func (a *Remote) Read(ctx context.Context, q Query) (Snapshot, error) {
	since := a.fetchesBegun()
	a.repo.ahead.end()
	ctx, cancel := a.bounded(ctx, q)
	defer cancel()
	unlock, err := a.lockMirror(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	defer unlock()
	return a.readSince(ctx, q, since)
}

// readAnew fetches and reads, under the lock of the mirror. whole is the part
// of q that the remote has.
func (a *Remote) readAnew(ctx context.Context, q Query) (s Snapshot, whole Query, err error) {
	at := time.Now()
	s, before, lost, whole, err := a.fetched(ctx, q)
	if err != nil {
		return Snapshot{}, q, err
	}
	if len(lost) > 0 {
		return Snapshot{}, whole, a.restore(ctx, whole, before, s, lost)
	}
	a.forget(whole)
	s.AsOf = at
	if len(whole.Kinds) > 0 {
		a.stamp("fetched", at)
	}
	for _, k := range whole.Kinds {
		a.stamp(fetchedFile(k), at)
	}
	for _, b := range whole.Branches {
		a.stamp(seenFile(b), at)
	}
	return s, whole, nil
}

// fetched fetches q and compares what came with what was known before. The
// mirror is as the remote is now, lost refs included.
func (a *Remote) fetched(ctx context.Context, q Query) (s Snapshot, before map[string]OID, lost []string, whole Query, err error) {
	if before, err = a.remember(ctx, q); err != nil {
		return s, nil, nil, q, err
	}
	absent, err := a.fetch(ctx, q)
	if err != nil {
		return s, nil, nil, q, err
	}
	q.Branches = without(q.Branches, absent)
	if s, err = a.mirrored(ctx, q); err != nil {
		return s, nil, nil, q, err
	}
	lost, err = a.lost(ctx, before, s)
	return s, before, lost, q, err
}

// Cached returns what the mirror holds, with the time of the last fetch. A ref
// that a read which did not end has taken out of the mirror is broken.
func (a *Remote) Cached(ctx context.Context, q Query) (Snapshot, error) {
	before, err := a.remembered()
	if err != nil {
		return Snapshot{}, err
	}
	if fetched := a.LastFetch(); len(before) == 0 {
		if tips, _, ok := a.repo.listAhead(ctx, fetched, a.patterns(q), a.localName(q)); ok {
			return newSnapshot(fetched, tips), nil
		}
	}
	s, err := a.mirrored(ctx, q)
	if err != nil {
		return Snapshot{}, err
	}
	lost, err := a.lost(ctx, ofKinds(before, q.Kinds), s)
	if err != nil {
		return Snapshot{}, err
	}
	for _, ref := range lost {
		s.tips[ref] = Tip{Ref: ref, Err: fmt.Errorf("%w: %s had %s and may have lost it; read it again", ErrBroken, a.name, ref)}
	}
	return s, nil
}

// mirrored lists the mirror as it is.
func (a *Remote) mirrored(ctx context.Context, q Query) (Snapshot, error) {
	tips, err := a.repo.list(ctx, a.patterns(q), a.localName(q))
	if err != nil {
		return Snapshot{}, err
	}
	return newSnapshot(a.LastFetch(), tips), nil
}

// patterns names what q asks for as the mirror has it.
func (a *Remote) patterns(q Query) (all []string) {
	for _, k := range q.Kinds {
		all = append(all, a.mirror+k+"/")
	}
	for _, b := range q.Branches {
		all = append(all, a.tracking(b))
	}
	return all
}

// localName maps a mirrored ref to the name it has for everyone.
func (a *Remote) localName(q Query) func(string) (string, bool) {
	branches := map[string]string{}
	for _, b := range q.Branches {
		branches[a.tracking(b)] = b
	}
	return func(ref string) (string, bool) {
		if b, ok := branches[ref]; ok {
			return b, true
		}
		rest, ok := strings.CutPrefix(ref, a.mirror)
		return "refs/dos/" + rest, ok
	}
}

// fetch brings the mirror up to date for q: the named kinds and branches only,
// no tags, no FETCH_HEAD, no maintenance run. It returns the branches that the
// remote does not have.
func (a *Remote) fetch(ctx context.Context, q Query) (absent []string, err error) {
	if len(q.Kinds)+len(q.Branches) == 0 {
		return nil, nil
	}
	from, err := a.source(ctx)
	if err != nil {
		return nil, err
	}
	args := []string{"fetch", "--quiet", "--no-tags", "--prune", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-gc", "--refmap=", from}
	for _, k := range q.Kinds {
		args = append(args, "+"+a.prefix+"/"+k+"/*:"+a.mirror+k+"/*")
	}
	for _, b := range q.Branches {
		args = append(args, "+"+b+":"+a.tracking(b))
	}
	_, words, err := a.run.Run(ctx, git.Call{Args: args})
	if err != nil && lockInTheWay(words) != "" && a.healMirror(ctx) == nil {
		_, words, err = a.run.Run(ctx, git.Call{Args: args})
	}
	for try := 0; err != nil && try < mirrorTries && a.mirrorMoved(words); try++ {
		_, words, err = a.run.Run(ctx, git.Call{Args: args})
	}
	for wait := worktreeWait; err != nil && wait < worktreeMost && worktreeChanges(words) && pause(ctx, wait); wait *= 2 {
		_, words, err = a.run.Run(ctx, git.Call{Args: args})
	}
	if err == nil {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if path := lockInTheWay(words); path != "" {
		return nil, &OutcomeError{a.name, Outcome{Result: Locked, Path: path, Age: lockAge(path), Words: gist(words), Err: err}}
	}
	if absent, err := a.absentBranches(ctx, from, q.Branches); err == nil && len(absent) > 0 {
		q.Branches = without(q.Branches, absent)
		_, err = a.fetch(ctx, q)
		return absent, err
	}
	if id := a.damagedHere(ctx, words); id != "" {
		return nil, fmt.Errorf("%w: object %s of this repository is damaged, and git fetches nothing beside it: %s", ErrBroken, id, gist(words))
	}
	return nil, &OutcomeError{a.name, Outcome{Result: Offline, Words: gist(words), Err: err}}
}

// objectFile is how git names a loose object that it cannot read.
var objectFile = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:object file |stored in )\S*objects/([0-9a-f]{2})/([0-9a-f]{38,62})\b`)
})

// damagedHere is the object of this repository that git's words complain about and
// that cannot be read; "" where there is none, or where it is the remote's.
func (a *Remote) damagedHere(ctx context.Context, words string) OID {
	m := objectFile().FindStringSubmatch(words)
	if m == nil {
		return ""
	}
	if _, err := os.Lstat(filepath.Join(a.repo.Objects, m[1], m[2])); err != nil {
		return ""
	}
	if _, err := a.run.Offline().Output(ctx, "cat-file", "-t", m[1]+m[2]); err == nil {
		return ""
	}
	return OID(m[1] + m[2])
}

func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(some, s) })
}

// mirrorMoved reports whether a fetch failed because a mirrored ref, or a
// remote-tracking branch that a push moves meanwhile, was no longer where it had
// been when the fetch began.
func (a *Remote) mirrorMoved(words string) bool {
	const lost = "cannot lock ref '"
	return lockInTheWay(words) == "" && (strings.Contains(words, lost+a.mirror) || strings.Contains(words, lost+a.tracking("")))
}

// worktreeChanges reports whether git failed on a linked worktree that was just being
// added or removed. It looks at the HEADs of all of them to tell what it has, and one
// that is half made has a file that is empty, or a HEAD that is not set yet.
func worktreeChanges(words string) bool {
	return strings.Contains(words, "bad object worktrees/") || strings.Contains(words, "failed to read ") && strings.Contains(words, "/commondir: ")
}

// pause waits, and reports whether there is time left.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// absentBranches asks the remote which of the branches it does not have: git
// fetch fails as a whole for one of them.
func (a *Remote) absentBranches(ctx context.Context, from string, branches []string) (absent []string, err error) {
	for _, b := range branches {
		_, err := a.run.Output(ctx, "ls-remote", "--exit-code", "--quiet", from, b)
		var g *git.Error
		switch {
		case errors.As(err, &g) && g.Code == 2:
			absent = append(absent, b)
		case err != nil:
			return nil, err
		}
	}
	return absent, nil
}

// stamp records when the last complete fetch of something began.
func (a *Remote) stamp(what string, at time.Time) {
	path := filepath.Join(a.repo.CommonDir, "dos", a.stateName(what))
	if err := os.WriteFile(path, nil, 0o666); err == nil {
		_ = os.Chtimes(path, at, at) // without it the mirror reads as older than it is
	}
}

// LastFetch is when the mirror was last known to equal the remote; the zero
// time when it never was.
func (a *Remote) LastFetch() time.Time {
	return modified(a.repo.CommonDir, "dos", a.stateName("fetched"))
}

// LastFetchOf is when the part of the mirror that holds the given kinds was
// last known to equal the remote; the zero time when some of it never was.
func (a *Remote) LastFetchOf(kinds ...string) time.Time {
	at := a.LastFetch()
	for _, k := range kinds {
		if of := modified(a.repo.CommonDir, "dos", a.stateName(fetchedFile(k))); of.Before(at) {
			at = of
		}
	}
	return at
}

func fetchedFile(kind string) string { return "fetched-" + kind }

// LastSeen is the latest time of which it is known that the remote's branch
// was what the remote-tracking ref says: a read of it, or the last move of the
// ref. The zero time when there is none on record.
func (a *Remote) LastSeen(branch string) time.Time {
	read := modified(a.repo.CommonDir, "dos", a.stateName(seenFile(branch)))
	moved := modified(a.repo.CommonDir, "logs", filepath.FromSlash(a.tracking(branch)))
	if moved.After(read) {
		return moved
	}
	return read
}

func seenFile(branch string) string {
	return "seen-" + mirrorLeaf(strings.TrimPrefix(branch, "refs/heads/"))
}

// modified is when a file was last written, the zero time when it is not there.
func modified(elem ...string) time.Time {
	st, err := os.Stat(filepath.Join(elem...))
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}

// gist is the first line of git's words, where the cause is: what follows is
// advice.
func gist(words string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(words), "\n")
	return strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: ")
}

// sshBatch appends BatchMode to the user's own ssh command, so that no ssh of
// ours ever waits for a passphrase.
func sshBatch(c Config) []string {
	command := os.Getenv("GIT_SSH_COMMAND")
	if command == "" {
		command = c.Get("core.sshcommand")
	}
	if command == "" && os.Getenv("GIT_SSH") != "" {
		return nil // a program of the user's with a contract of its own
	}
	if command == "" {
		command = "ssh"
	}
	if v := c.Get("ssh.variant"); v != "" && v != "ssh" && v != "auto" {
		return nil
	}
	return []string{"GIT_SSH_COMMAND=" + command + " -o BatchMode=yes"}
}
