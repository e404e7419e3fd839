package ancestry

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// Dates at random put many commits before their children.
func TestAWalkByDateYieldsTheSameCommits(t *testing.T) {
	r := newRepo(t)
	tree := r.tree("a", "1")
	random := rand.New(rand.NewPCG(3, 4))
	var made []string
	for i := range 120 {
		raw := "tree " + tree + "\n"
		for range min(i, 1+random.IntN(3)) {
			raw += "parent " + made[max(0, i-1-random.IntN(6))] + "\n"
		}
		stamp := fmt.Sprintf("w <w@example.com> %d +0000\n", 1700000000+random.IntN(1000))
		made = append(made, r.object(raw+"author "+stamp+"committer "+stamp+"\n"+fmt.Sprint(i)))
	}
	tip := refstore.OID(made[len(made)-1])
	skewed := false
	compare := func(claim string) {
		t.Helper()
		want, edge, err := collect(Walk(r.runner(), tip))
		if err != nil {
			t.Fatal(err)
		}
		got, gotEdge, err := collect(Walk(r.runner(), tip).ByDate())
		if err != nil {
			t.Fatal(err)
		}
		skewed = skewed || ids(got) != ids(want)
		sorted := func(list []Commit) (ids []refstore.OID) {
			for _, c := range list {
				ids = append(ids, c.ID)
			}
			slices.Sort(ids)
			return ids
		}
		if !slices.Equal(sorted(got), sorted(want)) || !slices.Equal(gotEdge, edge) {
			t.Errorf("%s: %d commits with edge %v, want %d with %v", claim, len(got), gotEdge, len(want), edge)
		}
	}
	compare("whole")
	if !skewed {
		t.Error("no commit came before a child: the dates show nothing")
	}
	if err := os.WriteFile(filepath.Join(r.dir, ".git", "shallow"), []byte(made[50]+"\n"+made[61]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	compare("cut short")
	if _, edge, err := collect(Walk(r.runner(), tip).ByDate()); err != nil || len(edge) == 0 {
		t.Errorf("no edge: %v", err)
	}
}
