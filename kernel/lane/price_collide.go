package lane

import (
	"errors"
	"math/bits"
	"slices"
	"strings"
)

// findCollisions finds which workers cannot run beside each other.
func (p *pricing) findCollisions() error {
	words := (len(p.workers) + 63) / 64
	p.collisions = make([][]uint64, len(p.workers))
	for i := range p.collisions {
		p.collisions[i] = make([]uint64, words)
	}
	if !p.ridden {
		p.collideByName(func(w priced) string { return w.LeaseID })
		p.collideByName(func(w priced) string { return w.Lane })
		p.collideWithAll()
	}
	return p.collideByTree()
}

// collide notes a collision, unless both only read or either cannot be launched at
// all.
func (p *pricing) collide(i, j int) {
	a, b := &p.workers[i], &p.workers[j]
	if i == j || a.Mode == Shared && b.Mode == Shared || a.blocked != nil || b.blocked != nil {
		return
	}
	p.collisions[i][j/64] |= 1 << (j % 64)
	p.collisions[j][i/64] |= 1 << (i % 64)
}

func (p *pricing) collides(i, j int) bool { return p.collisions[i][j/64]>>(j%64)&1 == 1 }

// peers calls f with each worker that i collides with, in input order.
func (p *pricing) peers(i int, f func(j int) bool) {
	for word, set := range p.collisions[i] {
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
			p.collide(i, j)
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
				p.collide(i, j)
			}
		}
	}
}

// collideByTree compares the trees of every two workers. Two entries are
// looked at only if the key of one begins with the other's: others share no
// file. It is an error if that would take too long.
func (p *pricing) collideByTree() error {
	type entry struct {
		key    string
		worker int
		at     *pattern
		effort
	}
	var all []entry
	for i := range p.workers {
		if p.workers[i].blocked != nil {
			continue
		}
		for k := range p.workers[i].region {
			pat := &p.workers[i].region[k]
			all = append(all, entry{pat.key(), i, pat, pat.effort()})
		}
	}
	spent := 0
	slices.SortStableFunc(all, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	for i, a := range all {
		for k := i + 1; k < len(all) && strings.HasPrefix(all[k].key, a.key); k++ {
			b := &all[k]
			if a.worker == b.worker || p.collides(a.worker, b.worker) {
				continue
			}
			if spent += a.beside(b.effort); spent > maxEffort {
				return errors.New("the trees of the workers would take too long to compare: use fewer wildcards, or price in parts")
			}
			if a.at.meets(*b.at) {
				p.collide(a.worker, b.worker)
			}
		}
	}
	return nil
}
