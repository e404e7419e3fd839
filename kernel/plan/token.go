package plan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName bounds the name of a plan or phase, maxTitle what is kept of a
// title, in bytes.
const (
	maxName  = 200
	maxTitle = 200
)

// isPhase reports whether a word can be the id of a phase: it has a letter and
// a digit, and nothing that an id does not have.
func isPhase(word string) bool {
	return isName(word, "") && strings.ContainsFunc(word, unicode.IsLetter) && strings.ContainsFunc(word, unicode.IsDigit)
}

// isPlan reports whether a word can be the name of a plan, which may be a path.
func isPlan(word string) bool { return isName(word, "/") }

func isName(word, also string) bool {
	return word != "" && len(word) <= maxName && !strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_'.-"+also, r) || r == utf8.RuneError
	})
}

// names cuts the emphasis and the closing punctuation off a word.
func names(word string) string {
	return strings.TrimRight(strings.Trim(word, "*`"), ".:,;*`")
}

// phaseAt reads the phase id that text begins with: one word, or "Phase N".
func phaseAt(text string) (phase, rest string, ok bool) {
	word, rest := nextWord(text)
	if phase = names(word); isPhase(phase) {
		return phase, rest, true
	}
	if !strings.EqualFold(phase, "phase") {
		return "", "", false
	}
	number, rest := nextWord(rest)
	number = names(number)
	if phase += " " + number; len(phase) > maxName || !isName(number, "") || number[0] < '0' || number[0] > '9' {
		return "", "", false
	}
	return phase, rest, true
}

// nextWord cuts the first word off a text. An em dash is a word of its own,
// with or without blanks around it.
func nextWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, blanks)
	if after, ok := strings.CutPrefix(text, "\u2014"); ok {
		return "\u2014", after
	}
	end := len(text)
	for _, stop := range []string{" ", "\t", "\u2014"} {
		if i := strings.Index(text[:end], stop); i >= 0 {
			end = i
		}
	}
	return text[:end], text[end:]
}

// title returns what follows the dash that text begins with. An em dash, an en
// dash, a hyphen and two or three hyphens are dashes where they stand alone, and
// so are the bytes that Windows-1252 has for the first two.
func title(text string) (string, bool) {
	word, rest := nextWord(text)
	switch strings.Trim(word, "*") {
	case "\u2014", "\u2013", "-", "--", "---", "\x97", "\x96":
		return clip(strings.Trim(strings.ReplaceAll(rest, "**", ""), blanks)), true
	}
	return "", false
}

// clip bounds a title without cutting a character.
func clip(s string) string {
	if len(s) <= maxTitle {
		return s
	}
	n := maxTitle
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// opens reports whether text begins with the phase as a whole token, after the
// word Phase or without it.
func opens(text, phase string) bool {
	text = strings.TrimLeft(text, "*`")
	if begins(text, phase) {
		return true
	}
	word, rest := nextWord(text)
	return strings.EqualFold(word, "phase") && begins(strings.TrimLeft(rest, blanks), phase)
}

func begins(text, phase string) bool {
	n := 0
	for range phase {
		_, size := utf8.DecodeRuneInString(text[n:])
		n += size
	}
	return phase != "" && strings.EqualFold(text[:n], phase) && endsToken(text[n:])
}

// endsToken reports whether a name that stops here is a whole token: what
// follows is not more of it. A full stop that ends the word is no part of it.
func endsToken(after string) bool {
	after = strings.TrimLeft(after, ".")
	r, _ := utf8.DecodeRuneInString(after)
	return after == "" || !inToken(r)
}

// inToken reports whether a character continues a token. What is not understood
// does, so that it never cuts a longer name short.
func inToken(r rune) bool {
	if strings.ContainsRune("_'.-\u2019\u2032\u2010\u2011\u2013", r) || r == utf8.RuneError {
		return true
	}
	return !(unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r))
}
