package verdict

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shortID is how many digits of an object id people are shown.
const shortID = 12

// Short is the start of an object id, for text that people read.
func Short(id string) string { return id[:min(len(id), shortID)] }

// Count is a number with its noun: "1 commit", "2 commits".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// mostShown is how many bytes of somebody else's text people are shown.
const mostShown = 120

// Clip cuts text that may have any length short. It is not fit for a terminal
// by that: quote it, or use [Show].
func Clip(s string) string {
	if len(s) <= mostShown {
		return s
	}
	return strings.ToValidUTF8(s[:mostShown], "") + "..."
}

// Show makes text from a store or a file fit for a terminal: cut short, and
// quoted if it holds anything unprintable.
func Show(s string) string {
	s = Clip(s)
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		return strconv.QuoteToASCII(s)
	}
	return s
}
