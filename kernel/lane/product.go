package lane

// A row of automaton states. Patterns short enough use the array.
type row struct {
	small [maxSegments + 2]bool
	large []bool
}

func (r *row) of(n int) []bool {
	if n <= len(r.small) {
		return r.small[:n]
	}
	r.large = make([]bool, n)
	return r.large
}

// meet reports whether two patterns of n and m steps can match one text.
// Steps for which a or b answer true repeat any number of times; both says
// whether step i of the one and step j of the other, neither repeating, can
// match the same thing. It walks the product of the two patterns, so its cost
// is n times m whatever they hold.
func meet(n, m int, a, b func(int) bool, both func(i, j int) bool) bool {
	var r0, r1 row
	cur, next := r0.of(m+1), r1.of(m+1)
	cur[0] = true
	for i := 0; i <= n; i++ {
		alive := false
		for j := 0; j <= m; j++ {
			if !cur[j] {
				continue
			}
			alive = true
			repeat := i < n && a(i) || j < m && b(j)
			if repeat && j < m {
				cur[j+1] = true
			}
			if i < n && (repeat || j < m && both(i, j)) {
				if repeat {
					next[j] = true
				} else {
					next[j+1] = true
				}
			}
		}
		if i == n || !alive {
			break
		}
		cur, next = next, cur
		clear(next)
	}
	return cur[m]
}

// cover reports whether an outer pattern of m steps surely matches whatever
// an inner one of n steps matches: each inner step is matched by an outer
// step, or swallowed by a repeating one. False only means not proved.
func cover(n, m int, inner, outer func(int) bool, both func(i, j int) bool) bool {
	var r0, r1 row
	cur, next := r0.of(m+1), r1.of(m+1)
	for i := n; i >= 0; i-- {
		for j := m; j >= 0; j-- {
			switch {
			case j == m:
				cur[j] = i == n
			case outer(j):
				cur[j] = cur[j+1] || i < n && next[j]
			default:
				cur[j] = i < n && !inner(i) && next[j+1] && both(i, j)
			}
		}
		cur, next = next, cur
	}
	return next[0]
}
