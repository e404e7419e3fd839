package policy

import "strings"

// suggest is the hint for an unknown name below a point of the schema: the
// nearest name known there, else the one place where that very name is known,
// else the names known there if they are few.
func suggest(s *spec, where, name string) string {
	if near := nearest(name, s.order); near != "" {
		return "did you mean " + where + near + "?"
	}
	var elsewhere []string
	for _, k := range allKeys() {
		if strings.HasSuffix(k.path, "."+name) {
			elsewhere = append(elsewhere, k.path)
		}
	}
	switch {
	case len(elsewhere) == 1:
		return "did you mean " + elsewhere[0] + "?"
	case len(s.order) > 0 && len(s.order) <= 8:
		return "known here: " + strings.Join(s.order, ", ")
	}
	return ""
}

// nearest is the candidate within a third of the name's length in edits, or
// "". Of several, the first with the fewest edits.
func nearest(name string, candidates []string) string {
	best, limit := "", min(3, max(1, len(name)/3))
	for _, c := range candidates {
		if d := edits(name, c, limit); d <= limit && (best == "" || d < edits(name, best, limit)) {
			best = c
		}
	}
	return best
}

// edits counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b, in bytes. Beyond limit the number is only
// known to be larger.
func edits(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	a, b = fold(a), fold(b)
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+same)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
