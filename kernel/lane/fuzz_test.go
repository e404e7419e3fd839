package lane_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// fuzzDoubts are the spellings that glob reads more cautiously than prefix: for
// a pair of entries like these, prefix may find disjoint what glob does not.
var fuzzDoubts = []struct {
	reason  string
	p, q    string // the least of its kind
	excuses func(p, q string) bool
}{
	{
		"from a segment that is not read as a pattern on, glob takes an entry for anything; prefix keeps what stands before the bracket",
		"a{b,c}", "d",
		func(p, q string) bool { return fuzzOpaque(p) || fuzzOpaque(q) },
	},
	{
		"beside a wildcard, glob takes a letter that could merge with its neighbours for any text; prefix compares what it decomposes to",
		"\u00e9*", "b",
		func(p, q string) bool { return !fuzzASCII(p+q) && strings.ContainsAny(p+q, "*?[") },
	},
}

// fuzzOpaque reports whether a segment has braces, or a bracket and no end.
func fuzzOpaque(entry string) bool {
	return strings.Contains(entry, "{") || strings.Contains(entry, "b[")
}

func fuzzASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

func TestEachSpellingThatGlobDoubtsIsOne(t *testing.T) {
	for _, d := range fuzzDoubts {
		a, b := []string{d.p}, []string{d.q}
		if !lane.Prefix.Disjoint(a, b) || lane.Glob.Disjoint(a, b) || !d.excuses(d.p, d.q) {
			t.Errorf("%q and %q are no example of: %s", d.p, d.q, d.reason)
		}
	}
}

// Trees made at random from spellings that fold, merge and expand into each
// other, against all paths there are.
func TestOverlapAgainstAllPaths(t *testing.T) {
	cases := 20_000
	if os.Getenv("GITDOS_LONG") != "" {
		cases = 2_000_000
	}
	rng := rand.New(rand.NewPCG(4, 2))
	m := newFuzzMatcher()
	apart, met := map[lane.Algebra]int{}, 0
	for range cases {
		a, b := fuzzTree(rng.IntN), fuzzTree(rng.IntN)
		meet, disjoint := fuzzCheck(t, m, a, b)
		if meet {
			met++
		}
		for g, yes := range disjoint {
			if yes {
				apart[g]++
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d cases, a common path in %d, disjoint by prefix %d, by glob %d", cases, met, apart[lane.Prefix], apart[lane.Glob])
	if met < cases/5 || apart[lane.Prefix] < cases/5 || apart[lane.Glob] < cases/4 {
		t.Error("the cases are of one kind: they show little")
	}
}

// fuzzCheck holds both algebras to what they promise about two trees.
func fuzzCheck(t *testing.T, m *fuzzMatcher, a, b []fuzzEntry) (meet bool, disjoint map[lane.Algebra]bool) {
	p, q := fuzzTexts(a), fuzzTexts(b)
	found, meet := m.common(a, b)
	disjoint = map[lane.Algebra]bool{}
	for _, g := range algebras {
		disjoint[g] = g.Disjoint(p, q)
		if disjoint[g] != g.Disjoint(q, p) {
			t.Errorf("%s: %q and %q: the answer depends on the order", g, p, q)
		}
		if disjoint[g] && meet {
			t.Errorf("%s: %q and %q are said to be disjoint, both hold %s", g, p, q, found)
		}
		if disjoint[g] && (p[0] == "" || q[0] == "") {
			t.Errorf("%s: %q and %q: an empty tree is disjoint from nothing", g, p, q)
		}
	}
	if disjoint[lane.Prefix] && !disjoint[lane.Glob] {
		x, y, _ := lane.Glob.Overlap(p, q)
		if !fuzzExcused(x, y) {
			t.Errorf("prefix finds %q and %q disjoint, glob does not for %q and %q", p, q, x, y)
		}
	}
	return meet, disjoint
}

func fuzzExcused(p, q string) bool {
	for _, d := range fuzzDoubts {
		if d.excuses(p, q) {
			return true
		}
	}
	return false
}

// FuzzOverlap lets the fuzzer choose what the trees are made of.
func FuzzOverlap(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0}, []byte{0, 0, 1, 0, 0, 0})
	f.Add([]byte{0, 0, 19, 1, 12, 0}, []byte{0, 0, 4, 4, 5, 12})
	f.Add([]byte{0, 0, 34, 1, 3, 7, 4}, []byte{0, 0, 25, 0, 0, 3, 0, 9, 0})
	f.Add([]byte{0, 63, 4}, []byte{63})
	m := newFuzzMatcher()
	f.Fuzz(func(t *testing.T, x, y []byte) {
		if len(m.paths) > 1<<14 {
			m = newFuzzMatcher()
		}
		fuzzCheck(t, m, fuzzTree(fuzzPicks(x)), fuzzTree(fuzzPicks(y)))
	})
}

// fuzzPicks takes its choices from data, and the first one when it ends.
func fuzzPicks(data []byte) func(n int) int {
	return func(n int) int {
		if len(data) == 0 {
			return 0
		}
		c := int(data[0]) % n
		data = data[1:]
		return c
	}
}
