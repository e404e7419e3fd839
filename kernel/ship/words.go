package ship

import (
	"iter"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Fold makes text comparable without regard to case. Bytes that are not UTF-8
// stay as they are, and no other character becomes an ASCII letter.
func Fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		lower := unicode.ToLower(r)
		if r == utf8.RuneError || r >= utf8.RuneSelf && lower < utf8.RuneSelf {
			b.WriteString(s[i : i+n])
		} else {
			b.WriteRune(lower)
		}
		i += n
	}
	return b.String()
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// ends reports whether a name that stops here is a whole token: what follows
// is not more of it. A full stop that ends the word is no part of it; a quote,
// a dash or an underscore is, and so is any byte that cannot be read.
func ends(after string) bool {
	near := strings.TrimLeft(after[:min(len(after), nearby)], ".")
	r, _ := utf8.DecodeRuneInString(near)
	if near == "" {
		return len(after) <= nearby
	}
	return !inToken(r)
}

// nearby is how far around a name the text is read, so that no subject costs
// more than its length.
const nearby = 256

// starts is ends for the text before a name.
func starts(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || !inToken(r) && r != '.'
}

// inToken reports whether a character continues a token. Spaces, symbols and
// most punctuation end one; everything else continues it, so that what is not
// understood never cuts a longer name short.
func inToken(r rune) bool {
	switch r {
	case '_', '\'', '.', '-', '\u2019', '\u2032', '\u2010', '\u2011', '\u2013', utf8.RuneError:
		return true
	}
	return !(unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r))
}

const blanks = " \t"

// pattern compiles an expression at its first use: most verbs never look at a
// commit, and compiling all of them takes longer than parsing a command line.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// afterWord returns what follows the first of the words that text begins with
// as a whole token.
func afterWord(text string, words []string) (rest string, ok bool) {
	for _, w := range words {
		if rest, ok := strings.CutPrefix(text, w); ok && w != "" && ends(rest) {
			return rest, true
		}
	}
	return "", false
}

// occurrences yields where a name stands as a whole token in folded text.
func occurrences(text, name string) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for at := 0; ; {
			i := strings.Index(text[at:], name)
			if i < 0 {
				return
			}
			from, to := at+i, at+i+len(name)
			if starts(text[:from]) && ends(text[to:]) && !yield(from, to) {
				return
			}
			at = from + 1
		}
	}
}

// token reports whether folded text holds name as a whole token.
func token(text, name string) bool {
	for range occurrences(text, name) {
		return true
	}
	return false
}
