package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A Fix says of a unit what the rows of a document are to claim: that it
// shipped, or that it did not.
type Fix struct {
	Plan, Phase string
	Shipped     bool
	By          string // the commit it shipped by, shown beside the stamp
}

// A Mend is one row that was changed, or that cannot be.
type Mend struct {
	Fix
	Line int
	Why  string // "" for one that was changed
}

// Repair changes the rows of a text that claim something else than fix says of
// their unit, nil for nothing, and no more than that: a stamp "(SHIPPED <commit>)" goes to the end of
// the row's own line, and a "not " before each SHIPPED that claims what is not
// so. What comes of it is read again, and a row that does not claim then what it
// should, or that changes what another row says, is left as it is. Line ends and
// a byte order mark stay.
func Repair(text []byte, fix func(plan, phase string) *Fix) (out []byte, mends []Mend) {
	before := Parse(text)
	mends = before.due(fix)
	for range 2 { // once with all, and once without those that did not come out
		out = before.mended(text, mends)
		if !check(before, Parse(out), mends) {
			return out, mends
		}
	}
	for i := range mends {
		if mends[i].Why == "" {
			mends[i].Why = "an edit of it would change what other rows say"
		}
	}
	return text, mends
}

// due are the rows that claim something else than they should.
func (d Document) due(fix func(plan, phase string) *Fix) (mends []Mend) {
	for _, r := range d.Rows() {
		if f := fix(r.Plan, r.Phase); f != nil && (r.Claim == ClaimShipped) != f.Shipped {
			mends = append(mends, Mend{Fix: *f, Line: r.Line})
		}
	}
	return mends
}

// mended is the text with the changes of all rows that are to be changed.
func (d Document) mended(text []byte, mends []Mend) []byte {
	rest := bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	lines := strings.SplitAfter(string(rest), "\n")
	for _, m := range mends {
		switch {
		case m.Why != "":
		case m.Shipped:
			lines[m.Line-1] = stamped(lines[m.Line-1], m.By)
		default:
			for i, at := range d.claims(m.Line) {
				for _, off := range at {
					own := lines[i-1]
					lines[i-1] = own[:off] + "not " + own[off:]
				}
			}
		}
	}
	return slices.Concat(text[:len(text)-len(rest)], []byte(strings.Join(lines, "")))
}

// stamped is a line with the stamp at its end.
func stamped(line, by string) string {
	text := strings.TrimRight(line, "\r\n"+blanks)
	stamp := " (SHIPPED)"
	if by != "" {
		stamp = " (SHIPPED " + by + ")"
	}
	return text + stamp + line[len(text):]
}

// claims are the places of the words in the text of the row at a line by which
// it claims to have shipped: by line, the last of a line first.
func (d Document) claims(line int) map[int][]int {
	at := map[int][]int{}
	for i, m := range d.marks {
		if m.line != line {
			continue
		}
		for l := range outline(d.upTo(i, d.isRow)) {
			switch {
			case l.fenced:
				continue
			case endsRow(l):
				return at
			}
			number := line + l.number - 1
			end := 0
			for word, denied := range words(l.text) {
				start := end + wordAt(l.text[end:])
				if end = start + len(word); word == "SHIPPED" && !denied {
					at[number] = append([]int{start}, at[number]...)
				}
			}
		}
	}
	return at
}

// wordAt is where the next word of a text begins.
func wordAt(text string) int {
	return max(0, strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }))
}

// check compares what the rows claim with what they should, marks those that
// came out wrong, and reports whether any did.
func check(before, after Document, mends []Mend) (wrong bool) {
	was, now := before.Rows(), after.Rows()
	want := map[int]*Mend{}
	for i := range mends {
		if mends[i].Why == "" {
			want[mends[i].Line] = &mends[i]
		}
	}
	if len(was) != len(now) || len(before.Loose()) != len(after.Loose()) {
		return len(want) > 0
	}
	for i, r := range now {
		m := want[r.Line]
		switch {
		case r.Line != was[i].Line || r.Plan != was[i].Plan || r.Phase != was[i].Phase:
			wrong = true
		case m == nil:
			wrong = wrong || r.Claim != was[i].Claim
		case (r.Claim == ClaimShipped) != m.Shipped:
			m.Why = fmt.Sprintf("with the stamp it would still claim %s", r.Claim)
			wrong = true
		}
	}
	return wrong
}
