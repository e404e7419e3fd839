package lane

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// NormPrefix returns the prefix an entry stands for in the prefix algebra:
// cleaned, case folded and cut at the first wildcard. The empty prefix is
// every file; so is an entry that cannot be cleaned.
func NormPrefix(entry string) string {
	clean, err := cleanEntry(entry)
	if err != nil {
		return ""
	}
	text, _ := cut(clean)
	return norm.NFC.String(fold(text))
}

// prefixOf returns the prefix of a cleaned entry in the form to compare:
// decomposed, and without the marks that a match of the wildcard could
// reorder.
func prefixOf(clean string) string {
	text, wildcard := cut(clean)
	if wildcard && !ascii(text) {
		text = withoutMarks(text)
	}
	return fold(text)
}

// cut returns the text before the first wildcard.
func cut(clean string) (text string, wildcard bool) {
	if i := strings.IndexAny(clean, meta); i >= 0 {
		return clean[:i], true
	}
	return clean, false
}

// meetPrefix reports whether one prefix begins with the other, as text. That
// src collides with src2 is over-refusal, and sound.
func meetPrefix(p, q string) bool {
	return strings.HasPrefix(p, q) || strings.HasPrefix(q, p)
}
