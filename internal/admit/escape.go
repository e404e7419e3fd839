package admit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/lane"
)

// wayIn is the command that takes the lane of a path which escaped: the
// declared one that holds it beside others, else one made for it.
func (d *Desk) wayIn(path string) string {
	p := d.Rules.Policy
	for _, name := range p.Roster() {
		if !p.Exclusive(name) && algebra(p).Contains(p.Tree(name), path) {
			if folded, err := lane.Canonical(name); err == nil {
				return "git dos lease acquire --lane " + folded
			}
		}
	}
	if !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) {
		path = "PATH" // it could not be shown and pasted
	}
	return "git dos lease acquire --lane NAME --tree " + ShellWord(path)
}

// ShellWord makes a word safe to paste into a shell.
func ShellWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@%+"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
