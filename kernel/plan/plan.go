// Package plan reads plan documents: Markdown in which people say what is to
// be done and what they believe is done.
//
// A heading "## 3. PLAN PHASE — title" opens a plan with its first phase, and
// bullets "- **PHASE — title**" below it add phases. What a document says of a
// phase is a [Claim]. It is never evidence: it can only be held against the
// evidence that history gives, or narrow down where to look for it.
//
// Any bytes are a document. What is not understood is prose, text inside a
// code fence is neither heading nor bullet, and no document costs more than a
// few passes over it.
package plan

import (
	"bytes"
	"strings"
	"unicode"
)

// A Document is a plan document that was read. The zero Document is empty.
type Document struct {
	text  string
	marks []mark

	list, loose []Row
	plan        map[string]string // of each folded phase, shared where several plans have it
}

// shared is no name of a plan.
const shared = "\x00"

// A mark is a heading or a bullet that begins in bold.
type mark struct {
	at    int // offset of its line
	line  int // number of its line, from 1
	level int // of a heading, 1 to 6; 0 is a bullet
	depth int // columns before a bullet
	end   int // offset behind its line
}

// Parse reads a document. A byte order mark and CRLF line ends are tolerated.
func Parse(text []byte) Document {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	d := Document{text: string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))}
	for l := range outline(d.text) {
		if l.fenced {
			continue
		}
		if m, ok := markOf(l); ok {
			d.marks = append(d.marks, m)
		}
	}
	d.list, d.loose = d.rows()
	d.plan = map[string]string{}
	for _, r := range d.list {
		phase, plan := folded(r.Phase), folded(r.Plan)
		if was, ok := d.plan[phase]; ok && was != plan {
			plan = shared
		}
		d.plan[phase] = plan
	}
	return d
}

// folded is a name such that two are equal where [strings.EqualFold] says so.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}

func markOf(l line) (mark, bool) {
	m := mark{at: l.at, line: l.number, end: l.at + len(l.text)}
	if level, _ := heading(l.text); level > 0 {
		m.level = level
		return m, true
	}
	if depth, _, ok := bullet(l.text); ok {
		m.depth = depth
		return m, true
	}
	return mark{}, false
}

// own is the line of a mark, and label what it says behind its signs.
func (d Document) own(m mark) string { return d.text[m.at:m.end] }

func (d Document) label(m mark) string {
	if m.level > 0 {
		_, label := heading(d.own(m))
		return label
	}
	_, label, _ := bullet(d.own(m))
	return label
}

// upTo is the text from mark i to the next mark for which ends is true.
func (d Document) upTo(i int, ends func(mark) bool) string {
	for _, m := range d.marks[i+1:] {
		if ends(m) {
			return d.text[d.marks[i].at:m.at]
		}
	}
	return d.text[d.marks[i].at:]
}
