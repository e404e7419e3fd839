package refstore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

func openAhead(t testing.TB, dir string, kinds ...string) *refstore.Repo {
	t.Helper()
	r, err := refstore.OpenAhead(ctx, dir, refstore.Ahead{Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestListingMadeAheadServesOneReadAndNoWriter moves a ref between the opening
// and what follows.
func TestListingMadeAheadServesOneReadAndNoWriter(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	f.append(t, f.repo, f.auth, laneRef, entry("X", 1, `{}`))
	reader, writer, other := openAhead(t, f.raw, "lane"), openAhead(t, f.raw, "lane"), openAhead(t, f.raw, "order")
	gens := func(r *refstore.Repo) (first, second uint64) {
		t.Helper()
		var got [2]uint64
		for i := range got {
			s, err := r.Local().Read(ctx, queryFor(laneRef))
			if err != nil || s.Tip(laneRef).Err != nil {
				t.Fatalf("%v, %v", err, s.Tip(laneRef).Err)
			}
			got[i] = s.Tip(laneRef).Entry.Gen
		}
		return got[0], got[1]
	}
	if first, second := gens(reader); first != 1 || second != 1 {
		t.Errorf("read %d, then %d", first, second)
	}
	f.append(t, f.repo, f.auth, laneRef, entry("X", 2, `{}`))
	if first, second := gens(other); first != 2 || second != 2 {
		t.Errorf("with another kind ahead: read %d, then %d", first, second)
	}
	_, err := writer.Update(ctx, writer.Local(), queryFor(laneRef), func(s refstore.Snapshot) ([]refstore.Write, error) {
		if gen := s.Tip(laneRef).Entry.Gen; gen != 2 {
			t.Errorf("a writer decides on %d", gen)
		}
		return nil, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestStillListingIsOfOneMoment: it answers again as it did, and no writer.
func TestStillListingIsOfOneMoment(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	f.append(t, f.repo, f.auth, laneRef, entry("X", 1, `{}`))
	r, err := refstore.OpenAhead(ctx, f.raw, refstore.Ahead{Kinds: []string{"lane"}, Still: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"first", "after a write"} {
		s, err := r.Local().Read(ctx, queryFor(laneRef))
		if err != nil || s.Tip(laneRef).Err != nil || s.Tip(laneRef).Entry.Gen != 1 {
			t.Errorf("%s: %v, %+v", when, err, s.Tip(laneRef))
		}
		if when == "first" {
			f.append(t, f.repo, f.auth, laneRef, entry("X", 2, `{}`))
		}
	}
	_, err = r.Update(ctx, r.Local(), queryFor(laneRef), func(s refstore.Snapshot) ([]refstore.Write, error) {
		if gen := s.Tip(laneRef).Entry.Gen; gen != 2 {
			t.Errorf("a writer decides on %d", gen)
		}
		return nil, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestListingMadeAheadServesEachKindOnce: a kind that was not read yet is served
// however many others were.
func TestListingMadeAheadServesEachKindOnce(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	const nodeRef = "refs/dos/node/box"
	f.append(t, f.repo, f.auth, laneRef, entry("X", 1, `{}`))
	f.append(t, f.repo, f.auth, nodeRef, entry("X", 1, `{}`))
	r := openAhead(t, f.raw, "lane", "node")
	gen := func(ref string, kinds ...string) uint64 {
		t.Helper()
		s, err := r.Local().Read(ctx, refstore.Query{Kinds: kinds})
		if err != nil || s.Tip(ref).Err != nil {
			t.Fatalf("%v, %v", err, s.Tip(ref).Err)
		}
		return s.Tip(ref).Entry.Gen
	}
	if got := gen(laneRef, "lane"); got != 1 {
		t.Errorf("the first kind: %d", got)
	}
	f.append(t, f.repo, f.auth, laneRef, entry("X", 2, `{}`))
	f.append(t, f.repo, f.auth, nodeRef, entry("X", 2, `{}`))
	if got := gen(nodeRef, "node"); got != 1 {
		t.Errorf("the second kind was listed again: %d", got)
	}
	if got := gen(laneRef, "lane"); got != 2 {
		t.Errorf("the first kind once more: %d", got)
	}
	f.append(t, f.repo, f.auth, nodeRef, entry("X", 3, `{}`))
	if got := gen(nodeRef, "lane", "node"); got != 3 {
		t.Errorf("both kinds, of which each was read: %d", got)
	}
}

// TestListingMadeAheadHidesNoBrokenRef: what git passed over then is looked at
// now.
func TestListingMadeAheadHidesNoBrokenRef(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"zero bytes": "", "a dangling symbolic ref": "ref: refs/dos/lane/none\n"} {
		f := localFixture(t, initRepo(t))
		f.append(t, f.repo, f.auth, laneRef, entry("X", 1, `{}`))
		f.append(t, f.repo, f.auth, "refs/dos/lane/web", entry("X", 1, `{}`))
		if err := os.WriteFile(filepath.Join(f.raw, laneRef), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := openAhead(t, f.raw, "lane").Local().Read(ctx, queryFor(laneRef))
		if err != nil || !errors.Is(s.Tip(laneRef).Err, refstore.ErrBroken) || s.Tip("refs/dos/lane/web").ID == "" {
			t.Errorf("%s: %+v, %v", name, s.List("lane"), err)
		}
	}
}

// TestListingMadeAheadEndsWhenARemoteIsAsked: what is read here after that is no older
// than what the remote says, unless all is to be of one moment.
func TestListingMadeAheadEndsWhenARemoteIsAsked(t *testing.T) {
	t.Parallel()
	for still, want := range map[bool]uint64{false: 2, true: 1} {
		f := remoteFixture(t, transports[0], "")
		own := f.repo.Local()
		f.append(t, f.repo, own, laneRef, entry("X", 1, `{}`))
		r, err := refstore.OpenAhead(ctx, f.repo.WorkTree, refstore.Ahead{Kinds: []string{"lane", "node"}, Still: still})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Local().Read(ctx, refstore.Query{Kinds: []string{"node"}}); err != nil { // the listing is over
			t.Fatal(err)
		}
		f.append(t, f.repo, own, laneRef, entry("X", 2, `{}`))
		a, err := r.Remote("origin", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Read(ctx, queryFor(laneRef)); err != nil {
			t.Fatal(err)
		}
		s, err := r.Local().Read(ctx, queryFor(laneRef))
		if err != nil || s.Tip(laneRef).Entry.Gen != want {
			t.Errorf("still %v: %v, generation %d, want %d", still, err, s.Tip(laneRef).Entry.Gen, want)
		}
		if head, ok := r.RemoteHead("origin"); ok {
			t.Errorf("still %v: the HEAD of the remote is told as of before: %+v", still, head)
		}
	}
}

// TestRemoteHeadIsToldOnceWhereItLeads by its name here, and only where git listed it.
func TestRemoteHeadIsToldOnceWhereItLeads(t *testing.T) {
	t.Parallel()
	dir := committed(t)
	id := gitIn(t, dir, "rev-parse", "HEAD")
	gitIn(t, dir, "update-ref", "refs/remotes/origin/trunk", id)
	const head = "refs/remotes/origin/HEAD"
	ask := func(remote string) (refstore.Head, bool) {
		t.Helper()
		return openAhead(t, dir, "lane").RemoteHead(remote)
	}
	if got, ok := ask("origin"); ok {
		t.Errorf("there is none: %+v", got)
	}
	gitIn(t, dir, "update-ref", head, id)
	if got, ok := ask("origin"); ok {
		t.Errorf("it names no branch: %+v", got)
	}
	gitIn(t, dir, "symbolic-ref", head, "refs/remotes/origin/trunk")
	r := openAhead(t, dir, "lane")
	if got, ok := r.RemoteHead("origin"); !ok || got != (refstore.Head{Branch: "refs/remotes/origin/trunk", ID: refstore.OID(id)}) {
		t.Errorf("%v %+v", ok, got)
	}
	if got, ok := r.RemoteHead("origin"); ok {
		t.Errorf("told again: %+v", got)
	}
	if got, ok := ask("other"); ok {
		t.Errorf("of another remote: %+v", got)
	}
	if got, ok := open(t, dir).RemoteHead("origin"); ok {
		t.Errorf("nothing was listed: %+v", got)
	}
	gitIn(t, dir, "symbolic-ref", head, "refs/remotes/origin/gone")
	if got, ok := ask("origin"); ok {
		t.Errorf("it leads nowhere: %+v", got)
	}
}

// TestListingAheadIsMadeWhereTheSettingsSaySo: elsewhere refs are listed when they
// are read.
func TestListingAheadIsMadeWhereTheSettingsSaySo(t *testing.T) {
	t.Parallel()
	for want, setting := range map[uint64]string{1: "hub", 2: ""} {
		f := localFixture(t, initRepo(t))
		gitIn(t, f.raw, "config", "dos.remote", setting)
		f.append(t, f.repo, f.auth, laneRef, entry("X", 1, `{}`))
		r := openedAhead(t, f.raw, refstore.Ahead{Kinds: []string{"lane", "node"}, If: func(c refstore.Config) bool { return c.Get("dos.remote") != "" }})
		f.append(t, f.repo, f.auth, laneRef, entry("X", 2, `{}`))
		s, err := r.Local().Read(ctx, queryFor(laneRef))
		if err != nil || s.Tip(laneRef).Entry.Gen != want {
			t.Errorf("dos.remote %q: %+v, %v", setting, s.Tip(laneRef), err)
		}
	}
}

// openedAhead is a repository whose listing ahead has ended, if there is one. The kind
// node was read by it.
func openedAhead(t testing.TB, dir string, next refstore.Ahead) *refstore.Repo {
	t.Helper()
	r, err := refstore.OpenAhead(ctx, dir, next)
	if err == nil {
		_, err = r.Local().Read(ctx, refstore.Query{Kinds: []string{"node"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestNobodyReadsAheadOfHisOwnWrite, here or on a remote.
func TestNobodyReadsAheadOfHisOwnWrite(t *testing.T) {
	t.Parallel()
	next := refstore.Ahead{Kinds: []string{"lane", "node"}}
	gen := func(s refstore.Snapshot, err error) uint64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s.Tip(laneRef).Entry.Gen
	}
	f := localFixture(t, initRepo(t))
	f.append(t, f.repo, f.auth, laneRef, entry("X", 1, `{}`))
	r := openedAhead(t, f.raw, next)
	f.append(t, r, r.Local(), laneRef, entry("X", 2, `{}`))
	if got := gen(r.Local().Read(ctx, queryFor(laneRef))); got != 2 {
		t.Errorf("after a write here: %d", got)
	}

	f = remoteFixture(t, transports[0], "")
	f.append(t, f.repo, f.auth, laneRef, entry("X", 1, `{}`))
	r = openedAhead(t, f.repo.WorkTree, next)
	a, err := r.Remote("origin", "")
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := a.Lock(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	tip := f.rev(t, laneRef)
	id, err := r.WriteEntry(t.Context(), laneRef, tip, entry("X", 2, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	if o := a.Txn(ctx, []refstore.Move{{Ref: laneRef, Expect: tip, New: id}}); o.Result != refstore.Won {
		t.Fatalf("%+v", o)
	}
	if got := gen(a.Cached(ctx, queryFor(laneRef))); got != 2 {
		t.Errorf("after a push: %d", got)
	}
}

// TestAPushIsDecidedOnTheMirrorAsListedAhead: what it was decided on is compared
// where it arrives.
func TestAPushIsDecidedOnTheMirrorAsListedAhead(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	f.append(t, f.repo, f.auth, laneRef, entry("X", 1, `{}`))
	r := openedAhead(t, f.repo.WorkTree, refstore.Ahead{Kinds: []string{"lane", "node"}})
	a, err := r.Remote("origin", "")
	if err != nil {
		t.Fatal(err)
	}
	f.append(t, f.peerRepo, f.peer, laneRef, entry("X", 2, `{}`))
	var saw []uint64
	_, err = r.Update(ctx, &mirrorOnce{Remote: a}, queryFor(laneRef), func(s refstore.Snapshot) ([]refstore.Write, error) {
		saw = append(saw, s.Tip(laneRef).Entry.Gen)
		return []refstore.Write{{Ref: laneRef, Entry: entry("X", s.Tip(laneRef).Entry.Gen+1, `{}`)}}, nil
	})
	if err != nil || !slices.Equal(saw, []uint64{1, 2}) {
		t.Errorf("decided on %d, %v", saw, err)
	}
	if got := len(strings.Fields(gitIn(t, f.raw, "rev-list", f.name(laneRef)))); got != 3 {
		t.Errorf("the chain has %d entries", got)
	}
}

// mirrorOnce decides on the mirror first.
type mirrorOnce struct {
	*refstore.Remote
	asked bool
}

func (m *mirrorOnce) Read(ctx context.Context, q refstore.Query) (refstore.Snapshot, error) {
	if m.asked {
		return m.Remote.Read(ctx, q)
	}
	m.asked = true
	return m.Cached(ctx, q)
}
