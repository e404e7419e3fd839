package plan

import (
	"cmp"
	"slices"
	"strings"
)

// About is what the document says of a row of its own, in its words: the text
// of the row, and the section of the phase as [Document.Conditions] finds it. It
// is cut to most bytes.
func (d Document) About(r Row, most int) string {
	i, ok := slices.BinarySearchFunc(d.marks, r.Line, func(m mark, line int) int { return cmp.Compare(m.line, line) })
	if !ok {
		return ""
	}
	text := strings.TrimRight(d.upTo(i, d.isRow), "\n"+blanks)
	if s, ok := d.ownSection(r); ok {
		text += "\n\n" + strings.TrimRight(s.Text, "\n"+blanks)
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}
