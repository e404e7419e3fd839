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

	// Title is the title the revert quotes, folded; "" when it quotes none.
	// SameTitle compares it. It tells what was meant where the id is of no use: a rebase
	// gives the reverted commit another, and hosts may write none.
	Title string
}

// revertPhrase is what git and other tools write into the message of a revert,
// however it was wrapped since. With --reference a subject and a date follow
// the id.
var revertPhrase = pattern(`(?m)(?:\b[Tt]his\s+(?:reverts|backs\s+out)|^[ \t*+-]*(?:[Rr]evert(?:s|ed)|[Bb]ack(?:s|ed)\s+out))(?::?\s+(?:[0-9a-f]{7,64}\b)|\s+commits?:?\s+["'\x60]?[0-9a-fA-F]{4,64}\b)`)

// revertRest reads what follows the id: the reference, and the side of a merge.
var revertRest = pattern(`^["'\x60]?(?: \((.{0,400}?), \d{4}-\d\d-\d\d\))?(?:(?: \(.{0,400}?\))?,\s+reversing\s+changes\s+made\s+to\s+([0-9a-fA-F]{4,64})\b)?`)

// Reverts reads the commits that a raw message takes back, wherever it says
// so. A squashed message may hold several, and may take back a revert of its
// own: what it leaves as it was is not among them. The subject is the
// message's own.
func Reverts(subject string, message []byte) []Taken {
	title := quotedTitle(subject)
	var found []Taken
	if mayRevert(message) {
		net := netReverts(message)
		for _, m := range revertPhrase().FindAllIndex(message, -1) {
			if phrase := message[m[0]:m[1]]; net.stands(m[0]) && !partial(message[:m[0]]) {
				id := phrase[bytes.LastIndexFunc(phrase, func(r rune) bool { return !isHex(r) })+1:]
				rest := revertRest().FindSubmatch(message[m[1]:])
				found = append(found, Taken{ID: lowerHex(id), Base: lowerHex(rest[2]), Title: plain(string(rest[1]))})
			}
		}
	}
	switch {
	case title == "" || slices.ContainsFunc(found, func(t Taken) bool { return t.Title != "" }):
	case len(found) == 1:
		found[0].Title = title
	default:
		found = append(found, Taken{Title: title})
	}
	return found
}

// mayRevert is a quick test: without "revert" or "back… out" a message takes
// nothing back. It looks for the rarest letters of the two.
func mayRevert(message []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(message[at:], 'v')
		if i < 0 {
			break
		}
		if at += i; at >= 1 && message[at-1] == 'e' && bytes.HasPrefix(message[at+1:], []byte("ert")) {
			return true
		}
	}
	for at := 0; ; at++ {
		i := bytes.IndexByte(message[at:], 'k')
		if i < 0 {
			return false
		}
		if at += i; bytes.HasPrefix(message[at+1:], []byte("s out")) || bytes.HasPrefix(message[at+1:], []byte("ed out")) {
			return true
		}
	}
}

// partial reports whether the word before a phrase makes less of it.
func partial(before []byte) bool {
	before = bytes.TrimRight(before[max(0, len(before)-nearby):], " \t\n")
	return bytes.HasSuffix(before, []byte("artially")) || bytes.HasSuffix(before, []byte("artly"))
}

func isHex(r rune) bool { return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'f' }

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
	if len(subject) > maxSubject || !strings.ContainsAny(subject, `"'`) && !beginsFold(subject, "rever") && !beginsFold(subject, "reapply") {
		return "" // as nearly all do
	}
	s := plain(subject)
	if m := quotedBack().FindStringSubmatch(s); m != nil {
		if m[1] == "reapply" {
			return `revert "` + m[2] + `"`
		}
		return m[2]
	}
	if m := revertType().FindString(s); m != "" {
		return strings.Trim(Title(s[len(m):]), `"'`)
	}
	return ""
}

// quotedBack is a title in quotes that is taken back, behind nothing but marks
// and types, and before nothing but remarks in brackets.
var quotedBack = pattern(`^(?:\[[^\]]{1,40}\]\s*|[a-z]+(?:\([^)]*\))?!?:\s+|merged pr [0-9]+:\s+)*(revert|reverts|reverted|reapply|back out|backed out) ["'](.+)["'](?: ?[\[(][^\])]{0,60}[\])])*\.?$`)

// revertType begins a subject that takes a title back without quotes.
var revertType = pattern(`^(?:reverts?|reverted)(?:(?:\([^)]*\))?!?:)?[ \t]+`)

func beginsFold(s, word string) bool {
	return len(s) >= len(word) && strings.EqualFold(s[:len(word)], word)
}

// Title makes subjects comparable: folded, blanks as one space, without the
// pull requests that hosts put behind them.
func Title(subject string) string {
	s := plain(subject)
	for {
		cut := withoutRequest(s)
		if cut == s {
			return s
		}
		s = cut
	}
}

// SameTitle reports whether a revert that quotes a title means a commit of this
// subject: the titles are one, and their pull requests too where both name one.
func SameTitle(quoted, subject string) bool {
	quoted, subject = plain(quoted), plain(subject)
	title := Title(subject)
	if title != Title(quoted) {
		return false
	}
	return quoted == title || subject == title || quoted == subject || strings.HasPrefix(subject, quoted+" (")
}

// plain is text folded, with one space for each run of blanks.
func plain(text string) string {
	return strings.Join(strings.FieldsFunc(Fold(text), func(r rune) bool { return r == ' ' || r == '\t' }), " ")
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
	if !bytes.Contains(message, []byte("(cherry picked")) {
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
