package main

import (
	"strings"
	"unicode/utf8"
)

// promptCut ends a prompt that was longer than a worker is given.
const promptCut = "> (the rest is cut here: read it where it is written)\n"

// cutPrompt cuts a prompt short behind a line, and says so.
func cutPrompt(text string) string {
	if utf8.RuneCountInString(text) <= maxPrompt {
		return text
	}
	most := maxPrompt - utf8.RuneCountInString(promptCut)
	var b strings.Builder
	for line := range strings.Lines(text) {
		if most -= utf8.RuneCountInString(line); most < 0 {
			if b.Len() == 0 { // one line is longer than all that there is room for
				return string([]rune(text)[:maxPrompt])
			}
			break
		}
		b.WriteString(line)
	}
	return b.String() + promptCut
}
