package main

import "strings"

// maxWord is longer than any name; a longer word was not meant to be one.
const maxWord = 64

// nearest is the name that word was probably meant to be, or "" when none is
// close: one that word begins, or one within a third of its letters. A word
// of a letter or two is close to everything, so it is close to nothing.
func nearest(word string, names []string) string {
	letters := len(strings.TrimLeft(word, "-"))
	if letters < 3 || letters > maxWord {
		return ""
	}
	best, distance := "", 1+letters/3
	for _, name := range names {
		if strings.HasPrefix(name, word) {
			return name
		}
		if d := edits(word, name); d <= distance && (best == "" || d < distance) {
			best, distance = name, d
		}
	}
	return best
}

// edits counts the letters to add, drop, change or swap with a neighbour to
// turn a into b.
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}

// didYouMean adds the nearest name to a message about an unknown one.
func didYouMean(e *cmdError, name string) *cmdError {
	if name != "" {
		e.Message += "; did you mean " + name + "?"
	}
	return e
}
