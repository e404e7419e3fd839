package closes

import (
	"bytes"
	"strings"
)

// spans are what a message sets apart as somebody else's words: quotations,
// code and comments, each within one line but for the last.
var spans = pattern("(?s)\"[^\"\n]{1,400}\"|`[^`\n]{1,400}`|\u201c[^\u201d\n]{1,400}\u201d|" +
	`(?:^|[\s(])'[^'\n]{1,400}'(?:[^\pL\pN]|$)|<!--.*?(?:-->|$)`)

// own is the text with what it quotes blotted out, byte by byte, so that
// positions stay and no verb meets a number across a blot.
func own(text string) string {
	b := []byte(text)
	for _, m := range spans().FindAllStringIndex(text, -1) {
		blot(b[m[0]:m[1]])
	}
	fence, blank, code := "", true, false
	for from := 0; from < len(b); {
		to := len(b)
		if i := bytes.IndexByte(b[from:], '\n'); i >= 0 {
			to = from + i + 1
		}
		line := text[from:to]
		trimmed := strings.TrimSpace(line)
		// A block of code is indented and begins after a blank line.
		code = (code || blank) && trimmed != "" && (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t"))
		switch {
		case fence != "":
			blot(b[from:to])
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		case code, strings.HasPrefix(trimmed, ">"), strings.HasPrefix(trimmed, "|"):
			blot(b[from:to])
		}
		blank, from = trimmed == "", to
	}
	return string(b)
}

func blot(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = 0
		}
	}
}
