package plan

import (
	"iter"
	"strings"
)

// A line is one line of a document, without its end.
type line struct {
	text   string
	at     int // offset in the document
	number int // from 1
	fenced bool
}

// outline yields the lines of a text and tells which lie inside a code fence,
// the fence's own lines included. A fence that is never closed runs to the end.
func outline(text string) iter.Seq[line] {
	return func(yield func(line) bool) {
		var open string // the signs of the fence we are in
		at, number := 0, 0
		for whole := range strings.Lines(text) {
			number++
			l := line{text: strings.TrimRight(whole, "\r\n"), at: at, number: number, fenced: open != ""}
			at += len(whole)
			switch signs, info := fence(l.text); {
			case signs == "":
			case open == "" && (signs[0] != '`' || !strings.Contains(info, "`")):
				open, l.fenced = signs, true
			case open != "" && signs[0] == open[0] && len(signs) >= len(open) && strings.Trim(info, blanks) == "":
				open = ""
			}
			if !yield(l) {
				return
			}
		}
	}
}

const blanks = " \t"

// fence returns the three or more backquotes or tildes a line begins with, and
// what follows them.
func fence(text string) (signs, info string) {
	text = strings.TrimLeft(text, blanks)
	if text == "" || text[0] != '`' && text[0] != '~' {
		return "", ""
	}
	info = strings.TrimLeft(text, text[:1])
	if signs = text[:len(text)-len(info)]; len(signs) < 3 {
		return "", ""
	}
	return signs, info
}

// heading returns the level of a heading and its text, level 0 for any other
// line.
func heading(text string) (level int, label string) {
	label = strings.TrimLeft(text, " ")
	if len(text)-len(label) > 3 {
		return 0, ""
	}
	rest := strings.TrimLeft(label, "#")
	level = len(label) - len(rest)
	if level < 1 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	return level, strings.Trim(rest, blanks)
}

// bullet returns the text of a bullet that begins in bold, from the bold on,
// and how many columns stand before it.
func bullet(text string) (depth int, label string, ok bool) {
	rest := strings.TrimLeft(text, blanks)
	depth = len(text) - len(rest) + 3*strings.Count(text[:len(text)-len(rest)], "\t")
	after, ok := strings.CutPrefix(rest, "-")
	if !ok {
		return 0, "", false
	}
	label, ok = strings.CutPrefix(strings.TrimLeft(after, blanks), "**")
	return depth, label, ok && after[0] != '*'
}
