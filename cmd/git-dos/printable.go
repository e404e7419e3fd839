package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine bounds one line of text for people: what a remote or a ref made us
// say must not bury what we say.
const maxLine = 4096

// printable makes text from anywhere safe for a terminal: control characters,
// invisible formatting and bytes that are not UTF-8 appear escaped. With
// keepLines newlines and tabs stay, otherwise the result is one line of
// bounded length.
func printable(s string, keepLines bool) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r), keepLines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
		if !keepLines && b.Len() > maxLine {
			b.WriteString("...")
			break
		}
	}
	return b.String()
}
