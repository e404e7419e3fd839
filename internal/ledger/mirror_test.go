package ledger

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// A pair is two clones of one hub.
type pair struct {
	hub  string
	a, b *refstore.Repo
}

func newPair(t testing.TB) pair {
	t.Helper()
	root := t.TempDir()
	p := pair{hub: filepath.Join(root, "hub.git")}
	gitIn(t, root, "init", "--quiet", "--bare", p.hub)
	for _, to := range []**refstore.Repo{&p.a, &p.b} {
		*to = newRepo(t)
		gitIn(t, (*to).WorkTree, "remote", "add", "origin", p.hub)
		*to = open(t, (*to).WorkTree)
	}
	return p
}

func (p pair) push(t testing.TB, r *refstore.Repo, kind, node string) {
	t.Helper()
	ref := refstore.Ref(kind, node)
	gitIn(t, r.WorkTree, "push", "--quiet", "--force", "origin", ref+":"+ref)
}

// sync brings the mirror of a clone up to date.
func (p pair) sync(t testing.TB, r *refstore.Repo) []*refstore.Remote {
	t.Helper()
	a, err := r.Remote("origin", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read(t.Context(), refstore.Query{Kinds: []string{"journal", "node"}}); err != nil {
		t.Fatal(err)
	}
	return []*refstore.Remote{a}
}

func TestOfHereAndTheMirrorTheNewerCounts(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	add(t, p.a, "na", 1, 3)
	add(t, p.b, "nb", 1, 2)
	p.push(t, p.a, "journal", "na")
	p.push(t, p.b, "journal", "nb")
	add(t, p.a, "na", 4, 9) // not sent yet
	remotes := p.sync(t, p.a)
	got, rep, err := numbers(t, p.a, Query{Remotes: remotes})
	want(t, got, "9:9 8:8 7:7 6:6 5:5 4:4 3:3 2:2 1:1 2:2 1:1")
	if err != nil || len(rep.Nodes) != 2 || rep.Nodes[0].Remote != "" || rep.Nodes[1].Remote != "origin" {
		t.Errorf("%+v, %v", rep, err)
	}
	got, _, _ = numbers(t, p.a, Query{})
	want(t, got, "9:9 8:8 7:7 6:6 5:5 4:4 3:3 2:2 1:1")

	// The clone goes back to what it was: the remote now has more of it.
	gitIn(t, p.a.WorkTree, "update-ref", "refs/dos/journal/na", "refs/dos/journal/na~8")
	got, rep, err = numbers(t, p.a, Query{Nodes: []string{"na"}, Remotes: remotes})
	want(t, got, "3:3 2:2 1:1")
	if err != nil || len(rep.Nodes) != 1 || rep.Nodes[0].Remote != "origin" {
		t.Errorf("%+v, %v", rep, err)
	}
	gitIn(t, p.a.WorkTree, "update-ref", "refs/dos/journal/na", "refs/dos/at/origin/journal/na~1")
	got, _, _ = numbers(t, p.a, Query{Nodes: []string{"na"}, Remotes: remotes})
	want(t, got, "3:3 2:2 1:1")
}

func TestTwoLedgersOfOneNodeAreNotOne(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	gitIn(t, p.a.WorkTree, "config", "dos.node", "na")
	p.a = open(t, p.a.WorkTree)
	add(t, p.a, "na", 1, 3)
	add(t, p.b, "na", 1, 5)
	add(t, p.a, "nb", 1, 1)
	p.push(t, p.b, "journal", "na")
	remotes := p.sync(t, p.a)
	got, rep, err := numbers(t, p.a, Query{Remotes: remotes})
	want(t, got, "1:1")
	if !errors.Is(err, ErrForked) || len(rep.Nodes) != 1 || rep.Nodes[0].Node != "nb" {
		t.Errorf("%+v, %v", rep, err)
	}
	if aside, err := Asides(t.Context(), p.a, nil, remotes); !errors.Is(err, ErrForked) || len(aside) != 0 {
		t.Errorf("aside %+v, %v", aside, err)
	}
}

// TestRefOfANameGivenUpYieldsToTheRemotes: a clone that got a name of its own
// reads the other's ledger and record as the remote has them, and nothing that
// is here alone goes without a word.
func TestRefOfANameGivenUpYieldsToTheRemotes(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	gitIn(t, p.a.WorkTree, "config", "dos.node", "own")
	p.a = open(t, p.a.WorkTree)
	add(t, p.b, "na", 1, 2)
	p.push(t, p.b, "journal", "na")
	p.sync(t, p.a)
	gitIn(t, p.a.WorkTree, "update-ref", "refs/dos/journal/na", "refs/dos/at/origin/journal/na")
	if aside, err := Asides(t.Context(), p.a, nil, p.sync(t, p.a)); err != nil || len(aside) != 0 {
		t.Errorf("of one ledger: aside %+v, %v", aside, err)
	}
	add(t, p.a, "na", 3, 5) // as it did when it was a copy
	add(t, p.b, "na", 3, 3)
	for _, r := range []*refstore.Repo{p.a, p.b} {
		if _, err := RecordBeat(t.Context(), r, "na", "tick", Beat{At: at, Host: r.WorkTree}); err != nil {
			t.Fatal(err)
		}
	}
	p.push(t, p.b, "journal", "na")
	p.push(t, p.b, "node", "na")
	remotes := p.sync(t, p.a)
	for _, q := range []Query{{}, {History: true}} {
		q.Remotes = remotes
		got, rep, err := numbers(t, p.a, q)
		want(t, got, "3:3 2:2 1:1")
		if err != nil || len(rep.Nodes) != 1 || rep.Nodes[0].Remote != "origin" {
			t.Errorf("%+v, %v", rep, err)
		}
	}
	nodes, _, err := Nodes(t.Context(), p.a, nil, remotes)
	if err != nil || len(nodes) != 1 || nodes[0].Remote != "origin" {
		t.Errorf("records %+v, %v", nodes, err)
	}
	aside, err := Asides(t.Context(), p.a, nil, remotes)
	if err != nil || len(aside) != 2 {
		t.Fatalf("aside %+v, %v", aside, err)
	}
	a := aside[0]
	if a != (Aside{"na", "refs/dos/journal/na", idOf(t, p.a, "refs/dos/journal/na"), "origin", idOf(t, p.b, "refs/dos/journal/na"), 3}) {
		t.Errorf("aside %+v", a)
	}
	if aside[1].Ref != "refs/dos/node/na" || aside[1].ID != idOf(t, p.a, "refs/dos/node/na") || aside[1].Rows != 0 {
		t.Errorf("aside %+v", aside[1])
	}

	// What only cannot be read is not set aside: it may be the newest.
	damage(t, p.a, idOf(t, p.a, "refs/dos/at/origin/journal/na"), 0)
	var unread *UnreadError
	if _, _, err := numbers(t, p.a, Query{Remotes: remotes}); !errors.As(err, &unread) || errors.Is(err, ErrForked) {
		t.Errorf("unreadable mirror: %v", err)
	}
}

func TestMirrorKnowsTheLastGoodEntry(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	const ref = "refs/dos/journal/na"
	add(t, p.a, "na", 1, 3)
	p.push(t, p.a, "journal", "na")
	remotes := p.sync(t, p.a)
	gitIn(t, p.a.WorkTree, "repack", "-a", "-d", "--quiet")
	add(t, p.a, "na", 4, 4)
	sent, tip := idOf(t, p.a, ref+"^"), idOf(t, p.a, ref)
	damage(t, p.a, tip, 0)
	_, _, err := numbers(t, p.a, Query{Remotes: remotes})
	var unread *UnreadError
	if !errors.As(err, &unread) || unread.Nodes[0].ID != tip || unread.Nodes[0].Good == nil || *unread.Nodes[0].Good != (Good{ID: sent, Seq: 3, Sure: true}) {
		t.Errorf("%v", err)
	}
	if _, _, err = numbers(t, p.a, Query{}); !errors.As(err, &unread) || unread.Nodes[0].Good != nil {
		t.Errorf("without the mirror: %v", err)
	}
}

// TestUnreadableMirrorMayHoldTheNewerLedger: what is here is then not taken for
// the newest, unless it stands on what the mirror has.
func TestUnreadableMirrorMayHoldTheNewerLedger(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	add(t, p.a, "na", 1, 2)
	p.push(t, p.a, "journal", "na")
	remotes := p.sync(t, p.a)
	here := idOf(t, p.a, "refs/dos/journal/na")
	const at = "refs/dos/at/origin/journal/na"
	plantCommit(t, p.a, at, message("na", "ACK", `{"v":1,"op":"ACK","seq":3}`, 2))
	bad := idOf(t, p.a, at)
	for _, harm := range []func(){func() {}, func() { damage(t, p.a, bad, 0) }} {
		harm()
		_, rep, err := numbers(t, p.a, Query{Remotes: remotes})
		var unread *UnreadError
		if !errors.As(err, &unread) || len(rep.Nodes) != 0 || unread.Nodes[0].ID != bad || unread.Nodes[0].Good == nil || unread.Nodes[0].Good.ID != here {
			t.Errorf("%+v, %v", rep, err)
		}
	}
}
