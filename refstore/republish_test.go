//go:build unix

package refstore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

var laneQuery = refstore.Query{Kinds: []string{"lane"}}

// republish gives back lanes and says what became of each.
func (f *fixture) republish(t testing.TB, dry bool) (string, error) {
	t.Helper()
	var agree func([]refstore.GivenBack) bool
	if !dry {
		agree = func(found []refstore.GivenBack) bool { return len(found) > 0 }
	}
	all, err := f.auth.(*refstore.Remote).Republish(ctx, laneQuery, agree)
	var words []string
	for _, g := range all {
		words = append(words, strings.TrimPrefix(g.Ref, "refs/dos/lane/")+" "+string(g.State))
	}
	return strings.Join(words, ", "), err
}

// TestWhatARemoteLostIsGivenBackForwardsOnly: a ref that is gone or was put back
// to an earlier state, and none that went on without.
func TestWhatARemoteLostIsGivenBackForwardsOnly(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "refs/heads/dos"} {
		f := remoteFixture(t, transports[0], prefix)
		if got, err := f.republish(t, false); got != "" || err != nil {
			t.Errorf("nothing is lost: %s, %v", got, err)
		}
		lane := func(name string) string { return "refs/dos/lane/" + name }
		want := map[string]refstore.OID{}
		for _, name := range []string{"behind", "gone", "kept", "newer"} {
			want[name] = f.append(t, f.repo, f.auth, lane(name), entry("ACQUIRE", 1, `{}`))
		}
		backup := want["behind"]
		want["behind"] = f.append(t, f.repo, f.auth, lane("behind"), entry("RELEASE", 1, `{}`))
		f.read(t, "lane")
		gitIn(t, f.raw, "update-ref", f.name(lane("behind")), string(backup))
		gitIn(t, f.raw, "update-ref", "-d", f.name(lane("gone")))
		gitIn(t, f.raw, "update-ref", "-d", f.name(lane("newer")))
		// Somebody who never knew of it has begun anew.
		want["newer"] = f.append(t, f.peerRepo, f.peer, lane("newer"), entry("ACQUIRE", 1, `{"new":true}`))
		want["kept"] = f.append(t, f.peerRepo, f.peer, lane("kept"), entry("RELEASE", 1, `{}`))

		got, err := f.republish(t, true)
		if got != "behind lost, gone lost, newer diverged" || err != nil {
			t.Errorf("dry: %s, %v", got, err)
		}
		if f.rev(t, lane("behind")) != backup || f.rev(t, lane("gone")) != "" {
			t.Error("a dry run moved a ref")
		}
		got, err = f.republish(t, false)
		if got != "behind given_back, gone given_back, newer diverged" || err != nil {
			t.Errorf("republish: %s, %v", got, err)
		}
		for name, id := range want {
			if f.rev(t, lane(name)) != id {
				t.Errorf("%s stands at %s, want %s", name, f.rev(t, lane(name)), id)
			}
		}
		if l := lost(t, f.auth, "lane"); l == nil || fmt.Sprint(l.Refs) != "["+lane("newer")+"]" {
			t.Errorf("afterwards: %v", l)
		}
	}
}

func always([]refstore.GivenBack) bool { return true }

// TestWhatIsNotAgreedToIsNotGivenBack, and what somebody accepts is lost no more.
func TestWhatIsNotAgreedToIsNotGivenBack(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	had := f.append(t, f.repo, f.auth, laneRef, entry("ACQUIRE", 1, `{}`))
	gitIn(t, f.raw, "update-ref", "-d", laneRef)
	a := f.auth.(*refstore.Remote)
	all, err := a.Republish(ctx, laneQuery, func([]refstore.GivenBack) bool { return false })
	if err != nil || len(all) != 1 || all[0].State != refstore.CanGive || all[0].Had != had || f.rev(t, laneRef) != "" {
		t.Errorf("%+v, %v", all, err)
	}
	f.append(t, f.peerRepo, f.peer, laneRef, entry("ACQUIRE", 1, `{"new":true}`))
	all, err = a.Republish(ctx, laneQuery, always)
	if err != nil || len(all) != 1 || all[0].State != refstore.Diverged {
		t.Fatalf("%+v, %v", all, err)
	}
	stale := all[0]
	stale.Had = stale.Has
	if a.Accept(ctx, stale) == nil {
		t.Error("accepted in the place of what is not there")
	}
	if err := a.Accept(ctx, all[0]); err != nil {
		t.Fatal(err)
	}
	if l := lost(t, a, "lane"); l != nil {
		t.Errorf("afterwards: %v", l)
	}
}

// TestTwoClonesGiveBackTheNewerOfWhatTheyKnow, whichever is first.
func TestTwoClonesGiveBackTheNewerOfWhatTheyKnow(t *testing.T) {
	t.Parallel()
	for _, newerFirst := range []bool{true, false} {
		f := remoteFixture(t, transports[0], "")
		f.append(t, f.repo, f.auth, laneRef, entry("ACQUIRE", 1, `{}`))
		newest := f.append(t, f.peerRepo, f.peer, laneRef, entry("RELEASE", 1, `{}`))
		gitIn(t, f.raw, "update-ref", "-d", laneRef)
		both := []refstore.Authority{f.auth, f.peer}
		if newerFirst {
			both = []refstore.Authority{f.peer, f.auth}
		}
		for _, a := range both {
			if _, err := a.(*refstore.Remote).Republish(ctx, laneQuery, always); err != nil {
				t.Errorf("newer first %t: %v", newerFirst, err)
			}
		}
		if got := f.rev(t, laneRef); got != newest {
			t.Errorf("newer first %t: %s, want %s", newerFirst, got, newest)
		}
	}
}

// TestARemoteThatTakesNothingBackIsNamed: with its words, and it stays lost.
func TestARemoteThatTakesNothingBackIsNamed(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	f.append(t, f.repo, f.auth, laneRef, entry("ACQUIRE", 1, `{}`))
	gitIn(t, f.raw, "update-ref", "-d", laneRef)
	body, runs := counting(t, "echo frozen; exit 1")
	f.hook(t, "pre-receive", body)
	got, err := f.republish(t, false)
	if o := outcome(t, err); got != "api refused" || o.Result != refstore.Denied || !strings.Contains(o.Words, "frozen") || runs() != 1 {
		t.Errorf("%s after %d pushes: %v", got, runs(), err)
	}
	if l := lost(t, f.auth, "lane"); l == nil || l.Has[laneRef] != "" || l.Had[laneRef] == "" {
		t.Errorf("afterwards: %+v", l)
	}
}

// TestMovesOfOnePushStandEachForItself: what another writer moved, and what the
// server refuses, keep nothing else back.
func TestMovesOfOnePushStandEachForItself(t *testing.T) {
	t.Parallel()
	for _, by := range transports[:2] {
		f := remoteFixture(t, by, "")
		f.hook(t, "update", "case $1 in */no) echo not this one; exit 1;; esac")
		stale := f.append(t, f.repo, f.auth, "refs/dos/node/moved", entry("BEAT", 1, `{}`))
		f.append(t, f.peerRepo, f.peer, "refs/dos/node/moved", entry("BEAT", 2, `{}`))
		a := f.auth.(*refstore.Remote)
		var moves []refstore.Move
		for _, m := range []refstore.Move{{Ref: "refs/dos/node/a"}, {Ref: "refs/dos/node/moved", Expect: stale}, {Ref: "refs/dos/node/no"}, {Ref: "refs/dos/node/locked"}, {Ref: "refs/dos/node/z"}} {
			id, err := f.repo.WriteEntry(context.Background(), m.Ref, m.Expect, entry("BEAT", 3, `{}`))
			if err != nil {
				t.Fatal(err)
			}
			m.New = id
			moves = append(moves, m)
		}
		if o := a.Each(ctx, moves); o[0].Result != refstore.Unknown || f.rev(t, moves[0].Ref) != "" {
			t.Errorf("without the lock: %+v", o[0])
		}
		unlock, err := a.Lock(ctx)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(f.raw, "refs", "dos", "node", "locked.lock"), "")
		out := a.Each(ctx, moves)
		unlock()
		for i, want := range []refstore.Result{refstore.Won, refstore.Lost, refstore.Denied, refstore.Locked, refstore.Won} {
			if o := out[i]; o.Result != want || o.Ref != moves[i].Ref {
				t.Errorf("%s: %s: %+v, want %s", by.name, moves[i].Ref, o, want)
			}
			if landed := f.rev(t, moves[i].Ref) == moves[i].New; landed != (want == refstore.Won) {
				t.Errorf("%s landed: %t", moves[i].Ref, landed)
			}
		}
		if !strings.Contains(out[2].Words, "not this one") {
			t.Errorf("words %q", out[2].Words)
		}
	}
}
