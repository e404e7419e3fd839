package lane

import (
	"math/bits"
	"slices"
	"strings"
)

// collide finds which workers cannot run beside each other.
func (p *pricing) collide() {
	words := (len(p.workers) + 63) / 64
	p.hits = make([][]uint64, len(p.workers))
	for i := range p.hits {
		p.hits[i] = make([]uint64, words)
	}
	if !p.ridden {
		p.collideByName(func(w priced) string { return w.LeaseID })
		p.collideByName(func(w priced) string { return w.Lane })
		p.collideWithAll()
	}
	p.collideByTree()
}

// hit notes a collision, unless both only read or either cannot be launched at
// all.
func (p *pricing) hit(i, j int) {
	a, b := &p.workers[i], &p.workers[j]
	if i == j || a.Mode == Shared && b.Mode == Shared || a.blocked != nil || b.blocked != nil {
		return
	}
	p.hits[i][j/64] |= 1 << (j % 64)
	p.hits[j][i/64] |= 1 << (i % 64)
}

func (p *pricing) collides(i, j int) bool { return p.hits[i][j/64]>>(j%64)&1 == 1 }

// peers calls f with each worker that i collides with, in input order.
func (p *pricing) peers(i int, f func(j int) bool) {
	for word, set := range p.hits[i] {
		for ; set != 0; set &= set - 1 {
			if !f(word*64 + bits.TrailingZeros64(set)) {
				return
			}
		}
	}
}

// collideByName notes that workers of one name collide, "" being none.
func (p *pricing) collideByName(name func(priced) string) {
	same := map[string][]int{}
	for i, w := range p.workers {
		n := name(w)
		if n == "" {
			continue
		}
		for _, j := range same[n] {
			p.hit(i, j)
		}
		same[n] = append(same[n], i)
	}
}

// collideWithAll notes the collisions of those whose tree is unknown or whose
// lane runs alone. A reserved lane stands beside anything.
func (p *pricing) collideWithAll() {
	for i, w := range p.workers {
		if !w.unknown() && !w.alone {
			continue
		}
		for j, other := range p.workers {
			if !other.nowhere {
				p.hit(i, j)
			}
		}
	}
}

// collideByTree compares the trees of every two workers. Two entries are
// looked at only if the key of one begins with the other's: others share no
// file.
func (p *pricing) collideByTree() {
	type entry struct {
		key    string
		worker int
		at     *pattern
	}
	var all []entry
	for i := range p.workers {
		for k := range p.workers[i].region {
			pat := &p.workers[i].region[k]
			all = append(all, entry{pat.key(), i, pat})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	for i, a := range all {
		for k := i + 1; k < len(all) && strings.HasPrefix(all[k].key, a.key); k++ {
			if b := &all[k]; !p.collides(a.worker, b.worker) && a.at.meets(*b.at) {
				p.hit(a.worker, b.worker)
			}
		}
	}
}
