package lane

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// spellings are the parts that test entries are made of: names, capitals,
// letters that fold to several or merge with what follows, wildcards, classes,
// and what is not understood.
var spellings = []string{
	"a", "A", "ab", "abc", "b", "s", "ss", "st", "K", "\u212a", "\u00df", "x\u00df", "\ufb06", "\u00e9", "e\u0301", "a\u00e9", "e", "e\u0301\u0323x",
	"*", "**", "?", "a*", "a?", "*b", "e*", "\u00e9*", "e\u0301*", "s*", "k*", "[a-c]", "a[!b]", "[\u00e9]", "{a,b}", "a{b", "[a", "a**b",
}

func randomEntry(r *rand.Rand) string {
	if r.IntN(40) == 0 {
		return []string{"/abs", "!a", "a/../../b", " ", ".", "c:/x"}[r.IntN(6)]
	}
	parts := make([]string, 1+r.IntN(3))
	for i := range parts {
		parts[i] = spellings[r.IntN(len(spellings))]
	}
	return strings.Join(parts, "/") + []string{"", "", "/", "/**"}[r.IntN(4)]
}

func randomTree(r *rand.Rand, most int) []string {
	tree := make([]string, r.IntN(most+1))
	for i := range tree {
		tree[i] = randomEntry(r)
	}
	return tree
}

// Two entries that can meet have keys of which one begins with the other.
func TestKeyPassesOverNothingThatMeets(t *testing.T) {
	var entries []string
	for _, p := range spellings {
		entries = append(entries, p, p+"/", p+"/x", "x/"+p)
		for _, q := range spellings {
			entries = append(entries, p+"/"+q)
		}
	}
	entries = append(entries, "", ".", "/abs", "!x", "..")
	for _, g := range []Algebra{Prefix, Glob, "odd"} {
		list := g.patterns(entries)
		keys := make([]string, len(list))
		for i, p := range list {
			keys[i] = p.key()
		}
		met, passed := 0, 0
		for i, p := range list {
			for j, q := range list[:i+1] {
				meets := p.meets(q)
				if meets {
					met++
				}
				if comparable := strings.HasPrefix(keys[i], keys[j]) || strings.HasPrefix(keys[j], keys[i]); comparable {
					continue
				}
				if passed++; meets {
					t.Fatalf("%s: %q and %q meet, their keys are %q and %q", g, p.entry, q.entry, keys[i], keys[j])
				}
			}
		}
		if met == 0 || passed == 0 && g != "odd" {
			t.Errorf("%s: %d pairs meet, %d are passed over: the test shows nothing", g, met, passed)
		}
	}
}

// The lease that the index finds is the one that looking at all finds.
func TestIndexFindsWhatAllPairsFind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found, skipped := 0, 0
	for range 3000 {
		ev := Evidence{Algebra: []Algebra{Prefix, Glob}[r.IntN(2)], RatioMax: []float64{0, 0.25, 1.0 / 3}[r.IntN(3)]}
		for i := range r.IntN(12) {
			name := fmt.Sprintf("l%02d", i)
			if r.IntN(10) == 0 {
				name = "_" + name
			}
			ev.Live = append(ev.Live, Lease{Lane: name, Kind: Keyword, Tree: randomTree(r, 4)})
		}
		h, err := hear(ev)
		if err != nil {
			t.Fatal(err)
		}
		tree := append(randomTree(r, 3), randomEntry(r))
		asked := ev.Algebra.region(tree)

		got, by := h.collision(asked, h.all)
		want := slices.IndexFunc(h.all.live, func(l held) bool { return !l.reserved && h.keepsOut(asked, &l) })
		if want < 0 != (by == nil) || by != nil && by != &h.all.live[want] {
			t.Fatalf("%s, ratio %v: tree %q against %+v: found %+v, want lease %d", ev.Algebra, ev.RatioMax, tree, ev.Live, got, want)
		}
		seen := slices.Collect(h.all.regions.candidates(asked))
		if !slices.IsSorted(seen) || len(slices.Compact(slices.Clone(seen))) != len(seen) {
			t.Fatalf("candidates %v are not in order, each once", seen)
		}
		for _, i := range seen {
			if h.all.live[i].reserved {
				t.Fatalf("candidate %+v is reserved", h.all.live[i].Lease)
			}
		}
		if by != nil {
			found++
		}
		skipped += len(h.all.live) - len(seen)
	}
	if found < 300 || skipped < 300 {
		t.Errorf("%d collisions found, %d leases skipped: the test shows nothing", found, skipped)
	}
}

// Nested keys, equal ones and neighbours, all of which the index links.
func TestIndexCandidates(t *testing.T) {
	trees := [][]string{{"a/b/c"}, {"a/**"}, {"a/b", "z"}, {"b"}, nil, {"a/b/c/d", "a/b"}, {"ab"}, {"**/*"}}
	var live []held
	for _, tree := range trees {
		live = append(live, held{region: Glob.region(tree)})
	}
	x := newIndex(live)
	tests := []struct {
		claim string
		tree  []string
		want  []int
	}{
		{"a directory meets what is around and below it", []string{"a/b"}, []int{0, 1, 2, 4, 5, 7}},
		{"the deepest meets all around it", []string{"a/b/c/d"}, []int{0, 1, 2, 4, 5, 7}},
		{"a neighbour meets only the wide ones", []string{"a/c"}, []int{1, 4, 7}},
		{"a name that begins like another is another", []string{"ab/x"}, []int{4, 6, 7}},
		{"everything meets everything", []string{"**"}, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"entries add up, each lease once", []string{"a/b/c", "z", "b"}, []int{0, 1, 2, 3, 4, 5, 7}},
		{"case is folded", []string{"Z/"}, []int{2, 4, 7}},
		{"before all keys", []string{"0"}, []int{4, 7}},
		{"after all keys", []string{"zz"}, []int{4, 7}},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			if got := slices.Collect(x.candidates(Glob.region(tt.tree))); !slices.Equal(got, tt.want) {
				t.Errorf("candidates of %q are %v, want %v", tt.tree, got, tt.want)
			}
			for i := range x.candidates(Glob.region(tt.tree)) {
				if i != tt.want[0] {
					t.Errorf("the first is %d, want %d", i, tt.want[0])
				}
				break
			}
		})
	}
	var none index
	if got := slices.Collect(none.candidates(Glob.region([]string{"a"}))); len(got) != 0 {
		t.Errorf("no lease is a candidate, got %v", got)
	}
}
