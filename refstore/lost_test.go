package refstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// lost is the error of a read on an authority that lost refs.
func lost(t testing.TB, a refstore.Authority, kinds ...string) *refstore.LostStateError {
	t.Helper()
	s, err := a.Read(ctx, refstore.Query{Kinds: kinds})
	var l *refstore.LostStateError
	if err != nil && !errors.As(err, &l) {
		t.Fatalf("read %v: %v", kinds, err)
	}
	if err != nil && len(s.List(kinds[0])) != 0 {
		t.Error("a failed read returns refs")
	}
	return l
}

// TestRefsWipedFromTheRemoteAreLostAndNotFree pushes a mirror of a clone that
// has no dos refs.
func TestRefsWipedFromTheRemoteAreLostAndNotFree(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	f.append(t, f.repo, f.auth, "refs/dos/lane/api", entry("ACQUIRE", 1, `{}`))
	f.append(t, f.repo, f.auth, "refs/dos/lane/web", entry("ACQUIRE", 1, `{}`))
	other := committed(t)
	gitIn(t, other, "push", "--quiet", "--mirror", f.raw)
	if f.rev(t, "refs/dos/lane/api") != "" {
		t.Fatal("the push wiped nothing")
	}
	for i := range 3 {
		l := lost(t, f.auth, "lane")
		if l == nil || fmt.Sprint(l.Refs) != "[refs/dos/lane/api refs/dos/lane/web]" || l.Remote != "origin" || !strings.Contains(l.Error(), "refs/dos/lane/api") {
			t.Errorf("read %d: %v", i, l)
		}
	}
	if _, err := f.repo.Update(ctx, f.auth, refstore.Query{Kinds: []string{"lane"}}, func(refstore.Snapshot) ([]refstore.Write, error) {
		t.Error("decided on lost state")
		return nil, nil
	}); err == nil {
		t.Error("an update went through")
	}
	cached, err := f.auth.(*refstore.Remote).Cached(ctx, refstore.Query{Kinds: []string{"lane"}})
	if err != nil || len(cached.List("lane")) != 2 {
		t.Errorf("the mirror shows %v, %v", cached.List("lane"), err)
	}
	// One ref comes back: the other is still lost.
	gitIn(t, f.repo.WorkTree, "push", "--quiet", "--no-verify", "origin", "refs/dos/at/origin/lane/web:refs/dos/lane/web")
	if l := lost(t, f.auth, "lane"); l == nil || fmt.Sprint(l.Refs) != "[refs/dos/lane/api]" {
		t.Errorf("after one came back: %v", l)
	}
	gitIn(t, f.repo.WorkTree, "push", "--quiet", "--no-verify", "origin", "refs/dos/at/origin/lane/api:refs/dos/lane/api")
	if l := lost(t, f.auth, "lane"); l != nil {
		t.Errorf("after both came back: %v", l)
	}
}

// TestJunkThatIsTakenAwayIsNoLostState: what somebody put on the remote by hand
// held nothing of ours, whatever its name.
func TestJunkThatIsTakenAwayIsNoLostState(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	api := f.append(t, f.repo, f.auth, "refs/dos/lane/api", entry("ACQUIRE", 1, `{}`))
	junk := string(f.hash(t, "commit", f.commit(t, "work\n")))
	blob := string(f.hash(t, "blob", "work\n"))
	for ref, id := range map[string]string{"refs/dos/lane/k.00/x": junk, "refs/dos/lane/%zz": junk, "refs/dos/lane/web": junk, "refs/dos/lane/docs": blob} {
		gitIn(t, f.raw, "update-ref", ref, id)
		if l := lost(t, f.auth, "lane"); l != nil {
			t.Fatalf("with %s: %v", ref, l)
		}
		gitIn(t, f.raw, "update-ref", "-d", ref)
		if l := lost(t, f.auth, "lane"); l != nil {
			t.Errorf("after %s was taken away: %v", ref, l)
		}
	}
	// A lane that was overwritten is put back, as an operator would.
	gitIn(t, f.raw, "update-ref", "refs/dos/lane/api", junk)
	if l := lost(t, f.auth, "lane"); l != nil {
		t.Fatalf("overwritten: %v", l)
	}
	gitIn(t, f.raw, "update-ref", "refs/dos/lane/api", string(api))
	if l := lost(t, f.auth, "lane"); l != nil {
		t.Errorf("put back: %v", l)
	}
	newer := string(f.hash(t, "commit", f.commit(t, message("lane", "web", "ACQUIRE", "1", `{}`, "2"))))
	gitIn(t, f.raw, "update-ref", "refs/dos/lane/web", newer)
	if l := lost(t, f.auth, "lane"); l != nil {
		t.Fatalf("with a newer one: %v", l)
	}
	gitIn(t, f.raw, "update-ref", "-d", "refs/dos/lane/web")
	if l := lost(t, f.auth, "lane"); l == nil || fmt.Sprint(l.Refs) != "[refs/dos/lane/web]" {
		t.Errorf("an entry of a newer version that was taken away: %v", l)
	}
}

// TestARewoundRefIsLostStateUntilItIsGivenBack puts a hub back to an earlier
// backup of one lane, while another lane goes on.
func TestARewoundRefIsLostStateUntilItIsGivenBack(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	f.append(t, f.repo, f.auth, "refs/dos/lane/api", entry("ACQUIRE", 1, `{}`))
	backup := f.rev(t, "refs/dos/lane/api")
	f.append(t, f.repo, f.auth, "refs/dos/lane/api", entry("RELEASE", 1, `{}`))
	f.append(t, f.repo, f.auth, "refs/dos/lane/web", entry("ACQUIRE", 1, `{}`))
	if l := lost(t, f.auth, "lane"); l != nil {
		t.Fatalf("before the rewind: %v", l)
	}
	gitIn(t, f.raw, "update-ref", "refs/dos/lane/api", string(backup))
	web := string(f.rev(t, "refs/dos/lane/web"))
	gitIn(t, f.raw, "update-ref", "refs/dos/lane/web", gitIn(t, f.raw, "commit-tree", "-p", web, "-m", "next", web+"^{tree}"))
	var l *refstore.LostStateError
	for i := range 2 {
		if l = lost(t, f.auth, "lane"); l == nil || fmt.Sprint(l.Refs) != "[refs/dos/lane/api]" {
			t.Fatalf("read %d: %v", i, l)
		}
	}
	gitIn(t, f.repo.WorkTree, "push", "--quiet", "--no-verify", "origin", "refs/dos/at/origin/*:refs/dos/*")
	if l := lost(t, f.auth, "lane"); l != nil {
		t.Errorf("after it was given back: %v", l)
	}
}

// interrupted leaves what a reader of kind leaves that is killed after the
// fetch and before it looked: the list of what was there, and a pruned mirror.
func (f *fixture) interrupted(t testing.TB, refs ...string) {
	t.Helper()
	var known strings.Builder
	for _, ref := range refs {
		mirror := "refs/dos/at/origin" + strings.TrimPrefix(ref, "refs/dos")
		fmt.Fprintf(&known, "%s %s\n", mirror, gitIn(t, f.repo.WorkTree, "rev-parse", mirror))
	}
	write(t, filepath.Join(f.repo.CommonDir, "dos", "at-origin.before"), known.String())
}

func TestLostRefsAreRememberedThroughAKilledRead(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	f.append(t, f.repo, f.auth, "refs/dos/lane/api", entry("ACQUIRE", 1, `{}`))
	f.interrupted(t, "refs/dos/lane/api")
	gitIn(t, f.raw, "update-ref", "-d", "refs/dos/lane/api")
	gitIn(t, f.repo.WorkTree, "update-ref", "-d", "refs/dos/at/origin/lane/api") // as the fetch pruned it
	cached, err := f.auth.(*refstore.Remote).Cached(ctx, refstore.Query{Kinds: []string{"lane"}})
	if tip := cached.Tip("refs/dos/lane/api"); err != nil || !errors.Is(tip.Err, refstore.ErrBroken) {
		t.Errorf("the mirror reads as %+v, %v", tip, err)
	}
	for i := range 2 {
		if l := lost(t, f.auth, "lane"); l == nil || len(l.Refs) != 1 {
			t.Errorf("read %d: %v", i, l)
		}
	}
}

// TestWhatIsRememberedOfOneKindSaysNothingOfAnother has a read of one kind
// killed and another kind read before it is read again.
func TestWhatIsRememberedOfOneKindSaysNothingOfAnother(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	f.append(t, f.repo, f.auth, "refs/dos/lane/api", entry("ACQUIRE", 1, `{}`))
	f.append(t, f.repo, f.auth, "refs/dos/order/grants", entry("GRANTED", 1, `{}`))
	f.interrupted(t, "refs/dos/order/grants")
	if l := lost(t, f.auth, "lane"); l != nil {
		t.Errorf("lanes: %v", l)
	}
	gitIn(t, f.raw, "update-ref", "-d", "refs/dos/order/grants")
	gitIn(t, f.repo.WorkTree, "update-ref", "-d", "refs/dos/at/origin/order/grants")
	if l := lost(t, f.auth, "lane"); l != nil {
		t.Errorf("lanes: %v", l)
	}
	if l := lost(t, f.auth, "order"); l == nil {
		t.Error("the order is forgotten")
	}
	if l := lost(t, f.auth, "lane", "order"); l == nil || len(l.Refs) != 1 {
		t.Errorf("both: %v", l)
	}
}

// TestBranchThatTheRemoteLacksIsAbsent, although a local copy is left.
func TestBranchThatTheRemoteLacksIsAbsent(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	gitIn(t, f.repo.WorkTree, "commit", "--quiet", "--allow-empty", "-m", "work")
	head := refstore.OID(gitIn(t, f.repo.WorkTree, "rev-parse", "HEAD"))
	q := refstore.Query{Kinds: []string{"lane"}, Branches: []string{"refs/heads/main", "refs/heads/other"}}
	tip := func(q refstore.Query) refstore.Tip {
		t.Helper()
		s, err := f.auth.Read(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		return s.Tip("refs/heads/main")
	}
	if got := tip(q); got.ID != "" || got.Err != nil {
		t.Errorf("before the push: %+v", got)
	}
	gitIn(t, f.repo.WorkTree, "push", "--quiet", "origin", "main")
	if got := tip(q); got.ID != head {
		t.Errorf("after the push: %+v", got)
	}
	gitIn(t, f.raw, "update-ref", "-d", "refs/heads/main")
	if got := tip(q); got.ID != "" {
		t.Errorf("after the deletion: %+v", got)
	}
	if got := tip(refstore.Query{Branches: q.Branches}); got.ID != "" {
		t.Errorf("branches alone: %+v", got)
	}
}

func TestRemotesWhoseNamesDifferInCaseAreApart(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	f.append(t, f.repo, f.auth, "refs/dos/lane/api", entry("ACQUIRE", 1, `{}`))
	for _, name := range []string{"Origin", "team/hub", "team%2fhub"} {
		hub := initRepo(t, "--bare")
		gitIn(t, f.repo.WorkTree, "config", "remote."+name+".url", hub)
		a, err := open(t, f.repo.WorkTree).Remote(name, "")
		if strings.Contains(name, "%") {
			if err == nil {
				t.Errorf("remote %q is taken", name)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := a.Read(ctx, refstore.Query{Kinds: []string{"lane"}})
		if err != nil || len(s.List("lane")) != 0 {
			t.Errorf("%s has %v, %v", name, s.List("lane"), err)
		}
	}
	if tip := f.read(t, "lane").Tip("refs/dos/lane/api"); tip.ID == "" {
		t.Errorf("origin lost it: %+v", tip)
	}
}

func TestNamesThatAreNotNamesAreRefused(t *testing.T) {
	t.Parallel()
	r := open(t, cloneOf(t, "/nonexistent", nil))
	for _, prefix := range []string{"refs/heads/main:refs/heads/x", "-f", "heads/dos", "refs/", "refs/dos/", "refs//dos", "refs/a b", "refs/../x", "refs/x*", "refs/x.lock"} {
		if _, err := r.Remote("origin", prefix); err == nil {
			t.Errorf("prefix %q is taken", prefix)
		}
	}
	for _, name := range []string{"", "-f", "other", "ori gin", "origin:x", "."} {
		if _, err := r.Remote(name, ""); err == nil {
			t.Errorf("remote %q is taken", name)
		}
	}
}

// TestUsersOwnConfigurationDoesNotChangeWhatIsPushed sets what makes a plain
// git push or fetch do more, less or something else.
func TestUsersOwnConfigurationDoesNotChangeWhatIsPushed(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	dir := f.repo.WorkTree
	gitIn(t, dir, "commit", "--quiet", "--allow-empty", "-m", "work")
	gitIn(t, dir, "tag", "-a", "-m", "x", "v1")
	for _, kv := range []string{
		"push.followTags=true", "push.default=matching", "push.gpgSign=if-asked", "push.pushOption=x", "push.useForceIfIncludes=true", "push.recurseSubmodules=check",
		"fetch.prune=true", "fetch.pruneTags=true", "fetch.output=compact", "fetch.writeCommitGraph=true", "fetch.fsckObjects=true",
		"remote.origin.push=refs/heads/*", "remote.origin.tagOpt=--tags", "remote.origin.mirror=true",
		"log.showSignature=true", "color.ui=always", "core.abbrev=5", "core.quotePath=true", "transfer.advertiseSID=true",
	} {
		key, value, _ := strings.Cut(kv, "=")
		gitIn(t, dir, "config", key, value)
	}
	f.repo = open(t, dir)
	a, err := f.repo.Remote("origin", "")
	if err != nil {
		t.Fatal(err)
	}
	f.auth = a
	for range 3 {
		if _, err := movePair(ctx, f.repo, f.auth, killedLane, killedOrder); err != nil {
			t.Fatal(err)
		}
	}
	if refs := gitIn(t, f.raw, "for-each-ref", "--format=%(refname)"); refs != killedLane+"\n"+killedOrder {
		t.Errorf("the hub has %s", refs)
	}
	if refs := gitIn(t, dir, "for-each-ref", "--format=%(refname)", "refs/remotes", "refs/tags/x"); refs != "" {
		t.Errorf("the clone has %s", refs)
	}
	if _, err := os.Lstat(filepath.Join(f.repo.GitDir, "FETCH_HEAD")); err == nil {
		t.Error("FETCH_HEAD was written")
	}
}

// TestCachedTellsItsAge: it is as old as the last whole read.
func TestCachedTellsItsAge(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	a := f.auth.(*refstore.Remote)
	if !a.LastFetch().IsZero() {
		t.Errorf("never read and fetched at %s", a.LastFetch())
	}
	before := time.Now()
	f.append(t, f.repo, f.auth, laneRef, entry("X", 1, `{}`))
	first := a.LastFetch()
	if first.Before(before.Add(-time.Second)) || first.After(time.Now()) {
		t.Errorf("fetched at %s", first)
	}
	f.append(t, f.peerRepo, f.peer, laneRef, entry("X", 2, `{}`))
	s, err := a.Cached(ctx, refstore.Query{Kinds: []string{"lane"}})
	if err != nil || s.Tip(laneRef).Entry.Gen != 1 || !s.AsOf.Equal(first) {
		t.Errorf("cached %+v as of %s, %v", s.Tip(laneRef), s.AsOf, err)
	}
	remove(t, f.raw+"/HEAD") // nothing can be read from it any more
	if _, err := f.auth.Read(ctx, refstore.Query{Kinds: []string{"lane"}}); err == nil || !a.LastFetch().Equal(first) {
		t.Errorf("a failed read: %v, fetched at %s", err, a.LastFetch())
	}
}

// TestAFetchOfSomeKindsSaysNothingOfTheOthers: each part of the mirror is as old as
// the last fetch of it.
func TestAFetchOfSomeKindsSaysNothingOfTheOthers(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	a := f.auth.(*refstore.Remote)
	read := func(kinds ...string) time.Time {
		t.Helper()
		if _, err := a.Read(ctx, refstore.Query{Kinds: kinds}); err != nil {
			t.Fatal(err)
		}
		return a.LastFetch()
	}
	read("lane")
	if at := a.LastFetchOf("lane", "journal"); !at.IsZero() {
		t.Errorf("a kind that was never fetched: %s", at)
	}
	both := read("lane", "journal")
	if at := a.LastFetchOf("lane", "journal"); !at.Equal(both) {
		t.Errorf("fetched at %s, said %s", both, at)
	}
	time.Sleep(20 * time.Millisecond)
	later := read("lane")
	if at := a.LastFetchOf("lane"); !at.Equal(later) {
		t.Errorf("the kind of the last fetch: %s, want %s", at, later)
	}
	if at := a.LastFetchOf("journal", "lane"); !at.Equal(both) {
		t.Errorf("the other kind: %s, want %s", at, both)
	}
}
