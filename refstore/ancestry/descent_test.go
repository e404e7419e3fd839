package ancestry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

func TestDescentsAreThoseOfEachPair(t *testing.T) {
	r := newRepo(t)
	tree := r.tree("a", "1")
	random := rand.New(rand.NewPCG(5, 6))
	var all []refstore.OID
	for i := range 150 {
		var parents []string
		for range min(i, random.IntN(3)+random.IntN(2)) {
			parents = append(parents, string(all[max(0, i-1-random.IntN(8))]))
		}
		all = append(all, refstore.OID(r.commit(fmt.Sprint(i), tree, parents...)))
	}
	tip := refstore.OID(r.commit("tip", tree, string(all[149]), string(all[148]), string(all[147])))
	outside := refstore.OID(r.commit("outside", tree, string(tip)))
	later := append([]refstore.OID{tip, outside}, all[60:]...) // more than one word of bits
	earlier := append([]refstore.OID{tip, outside}, all[:100]...)
	d, err := Descents(context.Background(), r.runner(), tip, later, earlier)
	if err != nil {
		t.Fatal(err)
	}
	inside := map[refstore.OID]bool{}
	for id := range strings.Lines(r.git("rev-list", string(tip))) {
		inside[refstore.OID(strings.TrimSpace(id))] = true
	}
	yes := 0
	for _, l := range later {
		below := map[refstore.OID]bool{}
		for id := range strings.Lines(r.git("rev-list", string(l))) {
			below[refstore.OID(strings.TrimSpace(id))] = true
		}
		for _, e := range earlier {
			want := inside[l] && below[e]
			if got := d.Reaches(l, e); got != want {
				t.Fatalf("%s reaches %s: %v, want %v", l, e, got, want)
			}
			if want {
				yes++
			}
		}
	}
	if yes == 0 || yes == len(later)*len(earlier) {
		t.Error("all pairs are alike: nothing is shown")
	}
	if d.Reaches(all[0], all[0]) {
		t.Error("a commit nobody asked about is related")
	}
	if _, err := Descents(context.Background(), r.runner(), refstore.OID(strings.Repeat("1", 40)), later, earlier); err == nil {
		t.Error("a tip that is not here was walked")
	}
}
