package facts

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// answers are the evidence and everything said on it, in one text that does
// not tell an empty list from none.
func answers(t *rapid.T, repo *refstore.Repo, units []Unit, scope ShipScope) (string, []ship.Verdict) {
	list, err := Ships(context.Background(), repo, units, scope)
	if err != nil {
		t.Fatalf("%+v: %v", scope, err)
	}
	var b strings.Builder
	var verdicts []ship.Verdict
	for _, ev := range list {
		v := ship.Decide(ev)
		verdicts = append(verdicts, v)
		fmt.Fprintf(&b, "%+v\n%+v\n%+v\n", ev, v, ship.Explain(ev))
	}
	return b.String(), verdicts
}

// many runs a property often enough for a quick look, and 40 times as often
// when GITDOS_LONG is set.
func many(t *testing.T, quick int, property func(*rapid.T)) {
	newHistory(t) // for its environment
	if os.Getenv("GITDOS_LONG") != "" {
		quick *= 40
	}
	for name, value := range map[string]string{"rapid.checks": strconv.Itoa(quick), "rapid.nofailfile": "true"} {
		f := flag.Lookup(name)
		old := f.Value.String()
		if err := f.Value.Set(value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Value.Set(old) })
	}
	rapid.Check(t, property)
}

func TestTheIndexAgreesWithAWalkAndBothWithThePlainDefinition(t *testing.T) {
	many(t, 10, func(t *rapid.T) {
		s := drawSaga(t)
		repo := s.repository(t)
		tips := rapid.SliceOfNDistinct(rapid.IntRange(0, len(s.made)-1), 1, 4, rapid.ID[int]).Draw(t, "tips")
		for _, tip := range append(tips, len(s.made)-1) {
			scope := ShipScope{Ref: s.made[tip].id}
			if rapid.Bool().Draw(t, "by branch") { // which is then moved, also back
				scope.Ref = ""
				if err := os.WriteFile(filepath.Join(repo.CommonDir, "refs", "heads", "main"), []byte(s.made[tip].id+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			scope.Explain = rapid.Bool().Draw(t, "explain")
			scope.Floor = rapid.SampledFrom([]ship.Witness{"", ship.Mention, ship.Trailer}).Draw(t, "floor")
			first, _ := answers(t, repo, unitsOfSagas, scope)
			if list, _ := os.ReadDir(filepath.Join(repo.CommonDir, "dos", "index")); len(list) == 0 {
				t.Fatal("no index was written, so nothing is compared")
			}
			again, _ := answers(t, repo, unitsOfSagas, scope)
			scope.Cold = true
			cold, verdicts := answers(t, repo, unitsOfSagas, scope)
			for what, warm := range map[string]string{"the first time": first, "again": again} {
				if warm != cold {
					t.Fatalf("%s at %d, floor %q: %s\n%s", what, tip, scope.Floor, firstDifference(warm, cold), s)
				}
			}
			for i, u := range unitsOfSagas {
				if want := s.shipped(tip, u); scope.Floor == "" && verdicts[i].Shipped != want {
					t.Fatalf("%v at %d is %+v, want shipped %t\n%s", u, tip, verdicts[i], want, s)
				}
			}
		}
	})
}

func firstDifference(warm, cold string) string {
	a, b := strings.Split(warm, "\n"), strings.Split(cold, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "warm " + a[i] + "\ncold " + b[i]
		}
	}
	return "one is longer"
}

func TestAnUnrelatedCommitChangesNoAnswer(t *testing.T) {
	many(t, 6, func(t *rapid.T) {
		s := drawSaga(t)
		before := rapid.IntRange(0, len(s.made)-1).Draw(t, "tip")
		after := before
		for range rapid.IntRange(1, 3).Draw(t, "more") {
			after = s.unrelated(t, after)
		}
		repo := s.repository(t)
		scope := ShipScope{Floor: rapid.SampledFrom([]ship.Witness{"", ship.Mention}).Draw(t, "floor")}
		scope.Ref = s.made[before].id
		_, was := answers(t, repo, unitsOfSagas, scope)
		scope.Ref = s.made[after].id
		_, is := answers(t, repo, unitsOfSagas, scope)
		for i := range is {
			is[i].Ref, is[i].RefID = was[i].Ref, was[i].RefID
			if is[i] != was[i] {
				t.Fatalf("at %d %+v\nat %d %+v\n%s", before, was[i], after, is[i], s)
			}
		}
	})
}

// A chain of a ship, its revert, the revert of that and so on: after each the
// unit has shipped or has not, by turns, whatever else happened around it and
// whether each came straight or by a merge.
func TestShippingThenRevertingIsNeverShipped(t *testing.T) {
	many(t, 6, func(t *rapid.T) {
		s := drawSaga(t)
		unit := Unit{"NEW", "NEW1"}
		tip := rapid.IntRange(0, len(s.made)-1).Draw(t, "tip")
		land := func(commit func(on int) int) (deed int) {
			if !rapid.Bool().Draw(t, "by merge") {
				tip = commit(tip)
				return tip
			}
			on := s.unrelated(t, tip)
			deed = commit(tip)
			tip = s.commit(deedOfMerge(s, on, deed))
			if rapid.Bool().Draw(t, "revert the merge") {
				return tip
			}
			return deed
		}
		path := rapid.SampledFrom([]string{"api/a", "web/c", "new/file"}).Draw(t, "path")
		last := land(func(on int) int {
			return s.commit(deed{message: stampOf(t, s, unit), parents: []int{on}}, path)
		})
		tips := []int{tip}
		for range rapid.IntRange(1, 3).Draw(t, "reverts") {
			target := last
			last = land(func(on int) int {
				if rapid.Bool().Draw(t, "something between") {
					on = s.unrelated(t, on)
				}
				return s.revert(t, on, target, 0, append(slices.Sorted(maps.Keys(s.changed(target))), path)...)
			})
			tips = append(tips, tip)
		}
		repo := s.repository(t)
		for n, tip := range tips {
			_, got := answers(t, repo, []Unit{unit}, ShipScope{Ref: s.made[tip].id})
			if want := [...]ship.Outcome{ship.Shipped, ship.NotShipped}[n%2]; got[0].Outcome != want {
				t.Fatalf("after %d reverts, at %d: %+v, want %s\n%s", n, tip, got[0], want, s)
			}
		}
	})
}

func deedOfMerge(s *saga, parents ...int) deed {
	return deed{message: fmt.Sprintf("Merge branch %d", len(s.made)), parents: parents}
}

// The same chain without merges, as a rebase leaves it: every commit has another
// id, and the reverts go on naming the old ones; their titles tell what is meant.
func TestARebasedChainHasTheSameAnswers(t *testing.T) {
	many(t, 4, func(t *rapid.T) {
		s := drawSaga(t)
		s.quoted = true
		unit := Unit{"NEW", "NEW1"}
		old := s.commit(deed{message: stampOf(t, s, unit), parents: []int{rapid.IntRange(0, len(s.made)-1).Draw(t, "from")}}, "api/a")
		chain := []int{old}
		for range rapid.IntRange(1, 3).Draw(t, "reverts") {
			old = s.revert(t, old, old, 0, "api/a")
			chain = append(chain, old)
		}
		onto := s.unrelated(t, rapid.IntRange(0, chain[0]-1).Draw(t, "onto"))
		var tips []int
		for _, n := range chain {
			if rapid.Bool().Draw(t, "something between") {
				onto = s.commit(deed{message: fmt.Sprintf("fix: typo %d", len(s.made)), parents: []int{onto}}, "web/c")
			}
			onto = s.commit(deed{message: s.made[n].message, parents: []int{onto}}, "api/a")
			tips = append(tips, onto)
		}
		repo := s.repository(t)
		for n, tip := range tips {
			_, got := answers(t, repo, []Unit{unit}, ShipScope{Ref: s.made[tip].id})
			if want := [...]ship.Outcome{ship.Shipped, ship.NotShipped}[n%2]; got[0].Outcome != want {
				t.Fatalf("after %d reverts, at %d: %+v, want %s\n%s", n, tip, got[0], want, s)
			}
		}
	})
}
