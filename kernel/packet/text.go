package packet

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of somebody else's text, in bytes.
const (
	maxLine = 300
	maxText = 6000
)

// seen is text with whatever does not print written out, cut to most bytes.
// Line ends and tabs stay where lines is set.
func seen(s string, lines bool, most int) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		var word string
		switch {
		case r == utf8.RuneError && size == 1:
			word = fmt.Sprintf(`\x%02x`, s[i])
		case unicode.IsPrint(r), lines && (r == '\n' || r == '\t'):
			word = s[i : i+size]
		default:
			word = fmt.Sprintf(`\u%04x`, r)
		}
		if b.Len()+len(word) > most {
			b.WriteString("...")
			break
		}
		b.WriteString(word)
		i += size
	}
	return b.String()
}

// line is text on one line.
func line(s string) string {
	return seen(strings.Join(strings.Fields(s[:min(len(s), 4*maxLine)]), " "), false, maxLine)
}

// inline is text on one line in which Markdown finds no signs.
func inline(s string) string {
	var b strings.Builder
	for _, r := range line(s) {
		if strings.ContainsRune("\\`*_{}[]<>()#+-.!|~&$=:@", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quoted is text with a sign before each line, so that no line of it is taken
// for one of what it is quoted in.
func quoted(s string) string {
	s = seen(strings.ReplaceAll(s, "\r\n", "\n"), true, maxText)
	s = strings.TrimRight(s, "\n \t")
	return "> " + strings.ReplaceAll(s, "\n", "\n> ") + "\n"
}

// fenced is text in a fence that it cannot close.
func fenced(s string) string {
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", max(3, longest+1))
	return fence + "\n" + strings.TrimRight(s, "\n") + "\n" + fence + "\n"
}
