package lane

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold maps spellings that some file system takes for one name to one text:
// full case folding over canonical decomposition. The result is decomposed,
// so that the fold of a text's beginning is the beginning of its fold (up to
// trailing marks).
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	return norm.NFD.String(cases.Fold().String(norm.NFD.String(s)))
}

// FoldName is the form of a name in which neither case nor Unicode form tells two
// apart; false where it has no stable one.
func FoldName(s string) (string, bool) {
	for range 4 {
		next := norm.NFC.String(fold(s))
		if next == s {
			return s, true
		}
		s = next
	}
	return "", false
}

// foldRune folds one character on its own. It reports false when the
// character can merge with its neighbours or folds to several, so that no
// single character stands for it.
func foldRune(r rune) (rune, bool) {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r, true
	}
	if !inert(r) {
		return 0, false
	}
	f := []rune(cases.Fold().String(string(r)))
	return f[0], len(f) == 1
}

func inert(r rune) bool { return norm.NFC.PropertiesString(string(r)).BoundaryAfter() }

// withoutMarks drops the marks at the end of a text that is about to be followed
// by unknown text: marks that follow could be ordered before them.
func withoutMarks(s string) string {
	s = norm.NFD.String(s)
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		if norm.NFD.PropertiesString(string(r)).CCC() == 0 {
			break
		}
		s = s[:len(s)-n]
	}
	return s
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
