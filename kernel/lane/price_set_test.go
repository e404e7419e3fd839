package lane

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// pricingOf makes a pricing of n workers in which the given pairs collide.
func pricingOf(n int, pairs [][2]int, budgets map[string]int, kinds ...string) *pricing {
	p := &pricing{workers: make([]priced, n), budgets: budgets, collisions: make([][]uint64, n)}
	for i := range p.workers {
		p.workers[i].Source = SourceInput
		p.collisions[i] = make([]uint64, (n+63)/64)
		if len(kinds) > 0 {
			p.workers[i].kind = kinds[i%len(kinds)]
		}
	}
	for _, pair := range pairs {
		p.collide(pair[0], pair[1])
	}
	return p
}

// plainLargest tries every set, each worker first taken and then left out, and
// keeps the first of its size.
func plainLargest(p *pricing) (best []int) {
	var walk func(i int, chosen []int, counts map[string]int)
	walk = func(i int, chosen []int, counts map[string]int) {
		if i == len(p.workers) {
			if len(chosen) > len(best) {
				best = slices.Clone(chosen)
			}
			return
		}
		kind := p.workers[i].kind
		if !p.full(len(chosen)) && p.budgets.room(kind, counts[kind]) && !slices.ContainsFunc(chosen, func(j int) bool { return p.collides(i, j) }) {
			counts[kind]++
			walk(i+1, append(chosen, i), counts)
			counts[kind]--
		}
		walk(i+1, chosen, counts)
	}
	walk(0, nil, map[string]int{})
	return best
}

func randomPairs(rng *rand.Rand, n int, share float64) (pairs [][2]int) {
	for i := range n {
		for j := range i {
			if rng.Float64() < share {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

func TestSafeSetIsTheFirstLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for round := range 1500 {
		n := rng.IntN(13)
		var budgets map[string]int
		if round%2 == 1 {
			budgets = map[string]int{"a": 1 + rng.IntN(3), "b": 1 + rng.IntN(4)}
		}
		p := pricingOf(n, randomPairs(rng, n, rng.Float64()), budgets, "a", "c", "b")
		p.most = max(0, rng.IntN(10)-3)
		if got, want := p.safeSet(), plainLargest(p); !slices.Equal(got, want) {
			t.Fatalf("%d workers, at most %d, budgets %v: got %v, want %v", n, p.most, budgets, got, want)
		}
	}
}

func TestSafeSetPrefersTheEarliest(t *testing.T) {
	tests := []struct {
		name  string
		n     int
		pairs [][2]int
		want  string
	}{
		{"of two that collide, the first", 2, [][2]int{{0, 1}}, "[0]"},
		{"of a ring of four, the first and its opposite", 4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}}, "[0 2]"},
		{"of a ring of five, the two first that fit", 5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}, "[0 2]"},
		{"the first is left out for a larger set", 4, [][2]int{{0, 1}, {0, 2}, {0, 3}}, "[1 2 3]"},
		{"of a chain, the ends and the middle", 5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}}, "[0 2 4]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fmt.Sprint(pricingOf(tt.n, tt.pairs, nil).safeSet()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// The first worker collides with all others: only an exact search leaves it
// out. Workers that could not be in the set do not count towards the limit.
func TestSafeSetIsExactUpToTwentyFour(t *testing.T) {
	star := func(n int) *pricing {
		var pairs [][2]int
		for i := 1; i < n; i++ {
			pairs = append(pairs, [2]int{0, i})
		}
		return pricingOf(n, pairs, nil)
	}
	if got := len(star(24).safeSet()); got != 23 {
		t.Errorf("24 workers: %d safe, want 23", got)
	}
	if got := fmt.Sprint(star(25).safeSet()); got != "[0]" {
		t.Errorf("25 workers: %s safe, want [0]", got)
	}
	p := star(25)
	p.workers[24].Source = SourceUnknown
	if got := len(p.safeSet()); got != 23 {
		t.Errorf("24 workers and one unknown: %d safe, want 23", got)
	}
}

// No partition of 24 makes the search long: trying every set would take sixteen
// million steps.
func TestSafeSetIsFoundSoon(t *testing.T) {
	for name, p := range hardPricings() {
		all := make([]int, len(p.workers))
		for i := range all {
			all[i] = i
		}
		if steps := p.search(all).steps; steps > 10_000 {
			t.Errorf("%s took %d steps", name, steps)
		}
	}
}

func hardPricings() map[string]*pricing {
	hard := map[string]*pricing{}
	rng := rand.New(rand.NewPCG(24, 24))
	for share := 0.02; share < 1; share += 0.07 {
		hard[fmt.Sprintf("random %.2f", share)] = pricingOf(24, randomPairs(rng, 24, share), nil)
	}
	for _, size := range []int{2, 3, 4, 6} {
		var groups, rings [][2]int
		for i := range 24 {
			for j := range i {
				if i/size == j/size {
					groups = append(groups, [2]int{i, j})
				}
			}
			rings = append(rings, [2]int{i, (i + size - 1) % 24})
		}
		hard[fmt.Sprintf("groups of %d", size)] = pricingOf(24, groups, nil)
		hard[fmt.Sprintf("ring by %d", size)] = pricingOf(24, rings, nil)
	}
	hard["budgets"] = pricingOf(24, randomPairs(rng, 24, 0.1), map[string]int{"a": 4, "b": 5}, "a", "b")
	hard["free"] = pricingOf(24, nil, nil)
	return hard
}

func TestWavesHoldEveryWorkerOnceAndNoCollision(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		n := 1 + rng.IntN(60)
		p := pricingOf(n, randomPairs(rng, n, rng.Float64()), map[string]int{"a": 3}, "a", "b")
		p.safe = p.safeSet()
		p.layWaves()
		seen := 0
		for w, wave := range p.waves {
			seen += len(wave)
			if w == 0 && !slices.Equal(wave, p.safe) {
				t.Fatalf("the first wave is %v, want %v", wave, p.safe)
			}
			if w > 0 && !slices.IsSorted(wave) {
				t.Fatalf("wave %v is not in order", wave)
			}
			counts := map[string]int{}
			for i, a := range wave {
				counts[p.workers[a].kind]++
				for _, b := range wave[:i] {
					if p.collides(a, b) {
						t.Fatalf("wave %d holds %d and %d, which collide", w, a, b)
					}
				}
			}
			if counts["a"] > 3 {
				t.Fatalf("wave %d has %d of a class of 3", w, counts["a"])
			}
		}
		if seen != n {
			t.Fatalf("%d of %d workers are in waves", seen, n)
		}
	}
}

// Looking at heads first answers as comparing every two workers does.
func TestPriceFindsEveryCollision(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	parts := []string{"a", "b", "A", "ab", "*", "a*", "**", "?", "[ab]", "{a,b}", "é", "e\u0301", "ß", "ss", "..x"}
	for range 400 {
		g := []Algebra{Glob, Prefix, ""}[rng.IntN(3)]
		var ev PriceEvidence
		for range 2 + rng.IntN(8) {
			var w PriceWorker
			for range 1 + rng.IntN(3) {
				var segs []string
				for range 1 + rng.IntN(3) {
					segs = append(segs, parts[rng.IntN(len(parts))])
				}
				w.Tree = append(w.Tree, strings.Join(segs, "/"))
			}
			ev.Workers = append(ev.Workers, w)
		}
		ev.Algebra = g
		v := Price(ev)
		want := [][2]string{}
		for i, a := range v.Workers {
			for _, b := range v.Workers[i+1:] {
				if !g.Disjoint(a.Tree, b.Tree) {
					want = append(want, [2]string{a.Name, b.Name})
				}
			}
		}
		if !slices.Equal(v.Collisions, want) {
			t.Fatalf("%q: got %v, want %v\n%+v", g, v.Collisions, want, v.Workers)
		}
	}
}

func TestPriceOfManyIsBounded(t *testing.T) {
	var ev PriceEvidence
	ev.Algebra = Glob
	for i := range 1500 {
		ev.Workers = append(ev.Workers, PriceWorker{Tree: []string{"x", fmt.Sprintf("d%d/**", i)}})
	}
	v := Price(ev)
	if v.CollisionsAvoided != 1500*1499/2 || len(v.Collisions) != maxListed || len(v.Held) != 1499 || len(v.Held[0].CollidesWith) != maxPeers || v.Held[0].Collisions != 1499 {
		t.Errorf("%d avoided, %d listed, %d held", v.CollisionsAvoided, len(v.Collisions), len(v.Held))
	}
	if text := v.String(); strings.Count(text, "\n") > maxTextRows+3 {
		t.Errorf("the text has %d lines", strings.Count(text, "\n"))
	}
}

func BenchmarkSafeSet(b *testing.B) {
	for name, p := range hardPricings() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p.safeSet()
			}
		})
	}
}

func BenchmarkPrice(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		for name, tree := range map[string]string{"disjoint": "d%d/**", "one": "d/**", "wild": "*%d.go"} {
			var ev PriceEvidence
			ev.Algebra = Glob
			for i := range n {
				ev.Workers = append(ev.Workers, PriceWorker{Tree: []string{strings.ReplaceAll(tree, "%d", fmt.Sprint(i))}})
			}
			b.Run(fmt.Sprintf("%s-%d", name, n), func(b *testing.B) {
				for b.Loop() {
					Price(ev)
				}
			})
		}
	}
}

func TestNoWaveHasMoreThanMayRunAtOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 2))
	for _, n := range []int{1, 5, exactPrice, 2 * exactPrice} {
		for most := range 4 {
			p := pricingOf(n, randomPairs(rng, n, 0.2), nil)
			p.most = most
			p.safe = p.safeSet()
			p.layWaves()
			placed := 0
			for w, wave := range p.waves {
				placed += len(wave)
				if most > 0 && len(wave) > most {
					t.Errorf("%d workers, at most %d: wave %d has %d", n, most, w+1, len(wave))
				}
				for _, i := range wave {
					if slices.ContainsFunc(wave, func(j int) bool { return p.collides(i, j) }) {
						t.Errorf("%d workers, at most %d: wave %d has a collision", n, most, w+1)
					}
				}
			}
			if placed != n {
				t.Errorf("%d workers, at most %d: %d are in a wave", n, most, placed)
			}
		}
	}
}

func TestWhoWaitsForRoomIsTold(t *testing.T) {
	ev := PriceEvidence{Algebra: Glob, Workers: []PriceWorker{{Name: "a", Tree: []string{"a/**"}}, {Name: "b", Tree: []string{"b/**"}}, {Name: "c", Tree: []string{"a/x"}}}, Most: 1}
	v := Price(ev)
	if len(v.SafeNow) != 1 || v.SafeNow[0] != "a" || len(v.Held) != 2 || v.Held[0].Advice != AdviceWaitForRoom || v.Held[1].Advice != AdviceNarrow || v.WaveCount != 3 {
		t.Errorf("%+v", v)
	}
	if ev.Most = -1; Price(ev).Err() == nil {
		t.Error("fewer than none at once were priced")
	}
}
