package ship

import (
	"bytes"
	"slices"
	"strings"
)

// A Taken is one commit that a message says it takes back. Ids may be
// abbreviated to as few as four digits.
type Taken struct {
	ID string // "" when the message names none

	// Base is the side of a merge that the revert went back to, "" when the
	// message names none.
	Base string

	// Title is the title the revert quotes, as Title gives it; "" when it
	// quotes none. It tells what was meant where the id is of no use: a rebase
	// gives the reverted commit another, and hosts may write none.
	Title string
}

// revertPhrase is what git writes into the message of a revert, however it was
// wrapped since. With --reference a subject and a date follow the id.
var revertPhrase = pattern(`\b[Tt]his\s+reverts\s+commit\s+([0-9a-fA-F]{4,64})\b(?: \((.{0,400}?), \d{4}-\d\d-\d\d\))?(?:(?: \(.{0,400}?\))?,\s+reversing\s+changes\s+made\s+to\s+([0-9a-fA-F]{4,64})\b)?`)

// Reverts reads the commits that a raw message takes back, wherever it says
// so. A squashed message may hold several, and may take back a revert of its
// own: what it leaves as it was is not among them. The subject is the
// message's own.
func Reverts(subject string, message []byte) []Taken {
	title := quotedTitle(subject)
	var found []Taken
	if bytes.Contains(message, []byte("reverts")) {
		net := netReverts(message)
		for _, m := range revertPhrase().FindAllSubmatchIndex(message, -1) {
			if !net.stands(m[0]) {
				continue
			}
			part := func(i int) []byte { return message[max(m[2*i], 0):max(m[2*i+1], 0)] }
			found = append(found, Taken{ID: lowerHex(part(1)), Base: lowerHex(part(3)), Title: Title(string(part(2)))})
		}
	}
	switch {
	case title == "":
	case len(found) == 0:
		found = append(found, Taken{Title: title})
	case len(found) == 1 && found[0].Title == "":
		found[0].Title = title
	}
	return found
}

// A net is what the quoted titles of a message come to: each with how often it
// is taken back more than it is restored.
type net struct {
	at     []int    // where a quoted title begins
	titles []string // the title below all quotes
	sum    map[string]int
}

func netReverts(message []byte) net {
	n := net{sum: map[string]int{}}
	for at := 0; at < len(message); {
		line, _, _ := bytes.Cut(message[at:], []byte("\n"))
		if text := strings.TrimLeft(strings.TrimSpace(string(line)), bullets); beginsFold(text, "revert") || beginsFold(text, "reapply") {
			if title, depth := quoted(Title(text)); depth > 0 {
				n.at, n.titles = append(n.at, at), append(n.titles, title)
				n.sum[title] += 2*(depth%2) - 1
			}
		}
		at += len(line) + 1
	}
	return n
}

// stands reports whether what is said at a place of the message, under the
// title before it, is not undone in the same message.
func (n net) stands(place int) bool {
	i, _ := slices.BinarySearch(n.at, place+1)
	return i == 0 || n.sum[n.titles[i-1]] > 0
}

// quotedTitle is the title that a subject takes back, "" when it takes none back.
func quotedTitle(subject string) string {
	if !beginsFold(subject, "revert") && !beginsFold(subject, "reapply") || len(subject) > maxSubject {
		return "" // as nearly all do
	}
	s := Title(subject)
	if rest, ok := strings.CutPrefix(s, `reapply "`); ok {
		return `revert "` + rest
	}
	if rest, ok := strings.CutPrefix(s, `revert "`); ok {
		return Title(strings.TrimSuffix(rest, `"`))
	}
	if m := revertType().FindString(s); m != "" {
		return s[len(m):]
	}
	return ""
}

var revertType = pattern(`^reverts?(\([^)]*\))?!?:[ \t]+`)

func beginsFold(s, word string) bool {
	return len(s) >= len(word) && strings.EqualFold(s[:len(word)], word)
}

// Title makes subjects comparable: folded, blanks as one space, without the
// pull requests that hosts put behind them.
func Title(subject string) string {
	s := strings.Join(strings.FieldsFunc(Fold(subject), func(r rune) bool { return r == ' ' || r == '\t' }), " ")
	for {
		cut := withoutRequest(s)
		if cut == s {
			return s
		}
		s = cut
	}
}

// withoutRequest cuts one " (#12)" or " (!12)" off the end.
func withoutRequest(s string) string {
	body, ok := strings.CutSuffix(strings.TrimRight(s, blanks), ")")
	open := strings.LastIndexByte(body, '(')
	if !ok || open < 1 || strings.IndexByte(blanks, body[open-1]) < 0 {
		return s
	}
	if n := body[open+1:]; len(n) < 2 || n[0] != '#' && n[0] != '!' || strings.Trim(n[1:], "0123456789") != "" {
		return s
	}
	return strings.TrimRight(body[:open], blanks)
}

// Copies reads the commits that a raw message says it was picked from.
func Copies(message []byte) []string {
	if !bytes.Contains(message, []byte("cherry picked")) {
		return nil
	}
	var ids []string
	for _, m := range pickedFrom().FindAllSubmatch(message, maxCopies) {
		ids = append(ids, lowerHex(m[1]))
	}
	return ids
}

// maxCopies bounds how often a commit is traced through picks of picks.
const maxCopies = 32

var pickedFrom = pattern(`\(cherry picked from commit ([0-9a-fA-F]{4,64})\)`)

func lowerHex(id []byte) string { return string(bytes.ToLower(id)) }
