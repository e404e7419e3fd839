package lane

import "math/bits"

// exactPrice is up to how many candidates the safe set is found by looking at
// every set that could be the largest.
const exactPrice = 24

// safeSet chooses whom to start now.
func (p *pricing) safeSet() []int {
	var candidates []int
	for i, w := range p.workers {
		if w.candidate() {
			candidates = append(candidates, i)
		}
	}
	if len(candidates) <= exactPrice {
		return p.largest(candidates)
	}
	var safe []int
	in, counts := make([]bool, len(p.workers)), map[string]int{}
	for _, i := range candidates {
		if p.full(len(safe)) {
			break
		}
		kind := p.workers[i].kind
		free := p.budgets.room(kind, counts[kind])
		p.peers(i, func(j int) bool { free = free && !in[j]; return free })
		if free {
			safe, in[i] = append(safe, i), true
			counts[kind]++
		}
	}
	return safe
}

// full reports whether so many are as many as may run at once.
func (p *pricing) full(n int) bool { return p.most > 0 && n >= p.most }

// largest is the largest safe set of at most exactPrice candidates. Each is
// first taken and then left out, in order, and the first set of its size is
// kept, so that of several largest the one with the earliest workers wins.
func (p *pricing) largest(candidates []int) []int {
	s := p.search(candidates)
	var safe []int
	for a, i := range candidates {
		if s.best>>a&1 == 1 {
			safe = append(safe, i)
		}
	}
	return safe
}

func (p *pricing) search(candidates []int) setSearch {
	s := setSearch{collisions: make([]uint32, len(candidates)), bound: len(candidates)}
	if p.most > 0 {
		s.bound = min(s.bound, p.most)
	}
	class := map[string]int{}
	for a, i := range candidates {
		for b, j := range candidates {
			if p.collides(i, j) {
				s.collisions[a] |= 1 << b
			}
		}
		kind := p.workers[i].kind
		if most, bounded := p.budgets[kind]; bounded {
			c, seen := class[kind]
			if !seen {
				c = len(s.members)
				class[kind] = c
				s.members, s.left = append(s.members, 0), append(s.left, most)
			}
			s.members[c] |= 1 << a
			s.bounded |= 1 << a
		}
	}
	s.walk(1<<len(candidates)-1, 0, 0)
	return s
}

// A setSearch looks for a largest set. Sets of candidates are bits.
type setSearch struct {
	collisions []uint32 // of each candidate
	members    []uint32 // of each class that has a budget
	left       []int    // how many more of it are admitted
	bounded    uint32   // all members
	bound      int      // how many a set has at most
	best       uint32
	size       int
	steps      int // branches that were entered
}

// walk tries every way to add candidates of avail to the chosen, none of whom
// they collide with. A branch that cannot become larger than the best is not
// entered, and no one is left out who collides with nobody, since in any set
// without them they could join or replace one of their class: neither changes
// which set is found first.
func (s *setSearch) walk(avail, chosen uint32, size int) {
	if min(size+s.most(avail), s.bound) <= s.size {
		return
	}
	s.steps++
	if avail == 0 || size == s.bound {
		s.best, s.size = chosen, size
		return
	}
	v := bits.TrailingZeros32(avail)
	rest := avail &^ (1 << v)
	c := s.take(v)
	with := rest &^ s.collisions[v]
	if c >= 0 && s.left[c] == 0 {
		with &^= s.members[c]
	}
	s.walk(with, chosen|1<<v, size+1)
	if c >= 0 {
		s.left[c]++
	}
	if s.collisions[v]&rest != 0 {
		s.walk(rest, chosen, size)
	}
}

// take counts a candidate against the budget of its class, which it returns;
// -1 is none.
func (s *setSearch) take(v int) int {
	for c, m := range s.members {
		if m>>v&1 == 1 {
			s.left[c]--
			return c
		}
	}
	return -1
}

// most is how many of avail could be added at best.
func (s *setSearch) most(avail uint32) int {
	n := bits.OnesCount32(avail &^ s.bounded)
	for c, m := range s.members {
		n += min(s.left[c], bits.OnesCount32(avail&m))
	}
	return n
}

// layWaves puts every worker that can be launched at all into a wave: the safe
// set first, then each of the others, in order, into the first wave it fits. No
// one whose tree is unknown joins the safe set.
func (p *pricing) layWaves() {
	of := make([]int, len(p.workers)) // 0 is no wave yet
	var counts []map[string]int
	put := func(i, wave int) {
		if wave > len(p.waves) {
			p.waves, counts = append(p.waves, nil), append(counts, map[string]int{})
		}
		p.waves[wave-1] = append(p.waves[wave-1], i)
		counts[wave-1][p.workers[i].kind]++
		of[i], p.workers[i].Wave = wave, wave
	}
	for _, i := range p.safe {
		put(i, 1)
	}
	first := len(p.waves) + 1
	taken := make([]int, len(p.workers)+2) // by wave: the last worker, plus one, that cannot join it
	for i, w := range p.workers {
		if of[i] != 0 || w.blocked != nil {
			continue
		}
		p.peers(i, func(j int) bool { taken[of[j]] = i + 1; return true })
		wave := first
		for wave <= len(p.waves) && (taken[wave] == i+1 || p.full(len(p.waves[wave-1])) || !w.unknown() && !p.budgets.room(w.kind, counts[wave-1][w.kind])) {
			wave++
		}
		put(i, wave)
	}
}
