package refstore_test

import (
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// TestLanesAreReadWherePushesGo: a clone that fetches from one place and pushes
// to another must not decide on the one and write to the other.
func TestLanesAreReadWherePushesGo(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{
		"a push URL":    {"remote.origin.pushurl", "FORK"},
		"pushInsteadOf": {"url.FORK.pushInsteadOf", "HUB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := remoteFixture(t, transports[0], "")
			f.append(t, f.repo, f.auth, laneRef, entry("X", 1, `{}`))
			fork := initRepo(t, "--bare")
			fill := strings.NewReplacer("FORK", fork, "HUB", f.raw)
			gitIn(t, f.repo.WorkTree, "config", fill.Replace(settings[0]), fill.Replace(settings[1]))
			gitIn(t, f.repo.WorkTree, "update-ref", "-d", "refs/dos/at/origin/lane/api")
			repo := open(t, f.repo.WorkTree)
			a, err := repo.Remote("origin", "")
			if err != nil {
				t.Fatal(err)
			}
			s, err := a.Read(ctx, queryFor(laneRef))
			if err != nil || s.Tip(laneRef).ID != "" {
				t.Fatalf("the fork reads as %v, %v", s.Tip(laneRef), err)
			}
			f.append(t, repo, a, laneRef, entry("Y", 1, `{}`))
			if s, err = a.Read(ctx, queryFor(laneRef)); err != nil || s.Tip(laneRef).Entry.Op != "Y" {
				t.Errorf("what was pushed reads as %v, %v", s.Tip(laneRef), err)
			}
			if id, err := a.Peek(ctx, laneRef); err != nil || string(id) != gitIn(t, fork, "rev-parse", laneRef) {
				t.Errorf("peek %s, %v", id, err)
			}
		})
	}
}

func TestSeveralPushURLsAreRefused(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	gitIn(t, f.repo.WorkTree, "config", "--add", "remote.origin.pushurl", f.raw)
	gitIn(t, f.repo.WorkTree, "config", "--add", "remote.origin.pushurl", initRepo(t, "--bare"))
	a, err := open(t, f.repo.WorkTree).Remote("origin", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Read(ctx, refstore.Query{Kinds: []string{"lane"}})
	if err == nil || !strings.Contains(err.Error(), "several push URLs") {
		t.Errorf("%v", err)
	}
}

// TestOneRemoteByTwoWays: a push URL that leads to the same place, as ssh
// beside https does, is one authority.
func TestOneRemoteByTwoWays(t *testing.T) {
	t.Parallel()
	f := remoteFixture(t, transports[0], "")
	gitIn(t, f.repo.WorkTree, "config", "remote.origin.pushurl", "file://"+f.raw)
	repo := open(t, f.repo.WorkTree)
	a, err := repo.Remote("origin", "")
	if err != nil {
		t.Fatal(err)
	}
	f.append(t, repo, a, laneRef, entry("X", 1, `{}`))
	if s, err := f.peer.Read(ctx, queryFor(laneRef)); err != nil || s.Tip(laneRef).Entry.Op != "X" {
		t.Errorf("the peer reads %v, %v", s.Tip(laneRef), err)
	}
}
