package refstore_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/refstore"
)

var at = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// TestMain gives git a home and a configuration of the tests' own. Started
// with a worker's name in the environment, the test binary is that worker.
func TestMain(m *testing.M) {
	if name := os.Getenv(workerVar); name != "" {
		os.Exit(runWorker(name, os.Args[1:]))
	}
	os.Exit(githome.Run(m, nil))
}

func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, elsewhere()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func initRepo(t testing.TB, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	gitIn(t, dir, append(append([]string{"init", "--quiet"}, flags...), ".")...)
	return dir
}

func open(t testing.TB, dir string) *refstore.Repo {
	t.Helper()
	r, err := refstore.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func entry(op string, gen uint64, payload string) refstore.Entry {
	return refstore.Entry{Op: op, Gen: gen, Payload: []byte(payload), At: at}
}

// TestEntriesOfOneDecisionForOneRefStandOnEachOther: they move the ref once,
// and the chain has them in order.
func TestEntriesOfOneDecisionForOneRefStandOnEachOther(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	const grants = "refs/dos/order/grants"
	tip := f.append(t, f.repo, f.auth, laneRef, entry("FIRST", 1, `{}`))
	u, err := f.repo.Update(t.Context(), f.auth, queryFor(laneRef, grants), func(refstore.Snapshot) ([]refstore.Write, error) {
		return []refstore.Write{
			{Ref: laneRef, Entry: entry("SCAVENGE", 1, `{"n":1}`)},
			{Ref: grants, Entry: entry("GRANTED", 1, `{}`)},
			{Ref: laneRef, Entry: entry("ACQUIRE", 2, `{"n":2}`)},
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(u.Wrote) != 2 || u.Wrote[0].Expect != tip || u.Wrote[0].New != f.rev(t, laneRef) || u.Wrote[1].New != f.rev(t, grants) {
		t.Errorf("moves %+v", u.Wrote)
	}
	var ops []string
	if err := f.repo.Chain(t.Context(), laneRef, f.rev(t, laneRef), func(tip refstore.Tip) bool {
		ops = append(ops, tip.Entry.Op)
		return true
	}); err != nil || strings.Join(ops, " ") != "ACQUIRE SCAVENGE FIRST" {
		t.Errorf("chain %v, %v", ops, err)
	}
}

// TestMoreEntriesThanHealingLooksForAreRefused: a lock of such a move would
// never be known as ours.
func TestMoreEntriesThanHealingLooksForAreRefused(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	for n, ok := range map[int]bool{4: true, 5: false} {
		_, err := f.repo.Update(t.Context(), f.auth, queryFor(laneRef), func(refstore.Snapshot) (writes []refstore.Write, err error) {
			for range n {
				writes = append(writes, refstore.Write{Ref: laneRef, Entry: entry("X", 1, `{}`)})
			}
			return writes, nil
		})
		if (err == nil) != ok {
			t.Errorf("%d entries: %v", n, err)
		}
	}
}

func TestUpdateMovesTwoRefsTogether(t *testing.T) {
	dir := initRepo(t)
	hub := initRepo(t, "--bare")
	gitIn(t, dir, "remote", "add", "origin", hub)
	r := open(t, dir)
	rem, err := r.Remote("origin", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []refstore.Authority{r.Local(), rem} {
		t.Run(a.Name(), func(t *testing.T) {
			for i := range 3 {
				u, err := r.Update(context.Background(), a, refstore.Query{Kinds: []string{"lane", "order"}}, func(s refstore.Snapshot) ([]refstore.Write, error) {
					if got := s.Tip("refs/dos/lane/api").Entry.Gen; got != uint64(i) {
						return nil, fmt.Errorf("gen %d, want %d", got, i)
					}
					return []refstore.Write{
						{Ref: "refs/dos/lane/api", Entry: entry("ACQUIRE", uint64(i+1), `{"x":1}`)},
						{Ref: "refs/dos/order/grants", Entry: entry("GRANTED", uint64(i+1), `{"y":2}`)},
					}, nil
				})
				if err != nil || len(u.Wrote) != 2 {
					t.Fatalf("update %d: %+v, %v", i, u, err)
				}
			}
			s, err := a.Read(context.Background(), refstore.Query{Kinds: []string{"lane", "order"}})
			if err != nil {
				t.Fatal(err)
			}
			for _, ref := range []string{"refs/dos/lane/api", "refs/dos/order/grants"} {
				if tip := s.Tip(ref); tip.Entry.Gen != 3 || tip.Err != nil || !tip.Entry.At.Equal(at) {
					t.Errorf("%s: %+v", ref, tip)
				}
			}
		})
	}
	gitIn(t, dir, "fsck", "--strict")
	gitIn(t, hub, "fsck", "--strict")
}
