package ship

import (
	"slices"
	"strings"
	"unicode"
)

// Words that, after a phase, say it has not shipped. The withdrawn say so
// wherever they stand; the unfinished may also begin a title ("AUTH2: partial
// refunds"); the unsettled need a verb in front.
var (
	withdrawn = []string{
		"wip", "work in progress", "do not merge", "half done", "only half", "rolled back", "backed out", "reverted", "unfinished", "incomplete", "pending", "blocked", "abandoned", "skipped", "broken",
		"fail", "fails", "failed", "failing", "not", "never", "no", "isn't", "wasn't", "cannot", "can't", "won't",
	}
	unfinished = []string{"wip", "draft", "todo", "partial", "partially", "partly", "revert", "reverts", "reverting"}
	unsettled  = []string{"open", "still", "not", "broken", "pending", "blocked"}
	verbs      = []string{"is", "was", "are", "remains", "still", "has", "have", "had", "been", "be", "to", "should", "must", "does", "did"}
)

// removed are the words that, right before a phase, take it away.
var removed = []string{"drop", "drops", "dropped", "revert", "reverts", "reverted", "undo", "undoes"}

// withdraws reports whether a folded subject takes another commit back or
// waits to be folded into one.
func withdraws(subject string) bool {
	for _, mark := range []string{"fixup!", "squash!", "amend!"} {
		if strings.HasPrefix(subject, mark) {
			return true
		}
	}
	return slices.Contains([]string{"revert", "reverts", "reverted"}, lead(subject))
}

// tentative reports whether a folded subject opens as unfinished, or says wip
// anywhere.
func tentative(subject string) bool {
	return slices.Contains([]string{"wip", "draft", "todo", "partial"}, lead(subject)) || wip().MatchString(subject)
}

// ownLead reports whether a folded subject opens with the plan's own name as a
// stamp, so that its first word says nothing else.
func (q Query) ownLead(subject string) bool { return lead(subject) == q.plan && q.direct(subject) }

var wip = pattern(`(^|[^0-9a-z_.'-])wip($|[^0-9a-z_'-])`)

// lead is the first word of a subject, out of any bracket.
func lead(subject string) string {
	subject = strings.TrimLeft(subject, " \t[(\"'")
	i := strings.IndexFunc(subject, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 0x80 || r == '-' || r == '_') })
	if i < 0 {
		return subject
	}
	return subject[:i]
}

// bookkeeping reports whether a folded subject files work that others shipped:
// a declared prefix, a snapshot, an archive or rollup of a day.
func (q Query) bookkeeping(subject string) bool {
	for _, prefix := range q.stamp.BookkeepingPrefixes {
		if prefix != "" && strings.HasPrefix(subject, Fold(prefix)) {
			return true
		}
	}
	return filing().MatchString(subject)
}

var filing = pattern(`^([^:]* )?snapshot:|^([^:]*:[ \t]*)?(archive|rollup)[ \t]+[0-9]{8}([^0-9]|$)`)

var version = pattern(`^v[0-9]+\.[0-9]+\.[0-9]+:`)

// inProgress reports whether the word after a stamp is a declared progress
// marker. Only white space leads to it: after a colon or a dash the text is a
// title.
func (q Query) inProgress(after string) bool {
	word := strings.TrimLeft(after, blanks)
	if len(word) == len(after) {
		return false
	}
	for _, marker := range q.stamp.ProgressMarkers {
		if _, ok := afterWord(word, []string{Fold(marker)}); ok {
			return true
		}
	}
	return false
}

// denied reports whether a folded subject says of the phase, anywhere, that it
// is unfinished or taken back.
func (q Query) denied(subject string) bool {
	for _, p := range q.phases {
		for from, to := range occurrences(subject, p) {
			if isUnfinished(subject[to:]) || isRemoved(subject[:from]) {
				return true
			}
		}
	}
	return false
}

func isUnfinished(after string) bool {
	after = after[:min(len(after), nearby)]
	after = strings.ReplaceAll(after, "\u2019", "'")
	text := strings.TrimLeftFunc(after, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r) })
	title := strings.ContainsAny(after[:len(after)-len(text)], ":-\u2013\u2014")
	if rest, ok := afterWord(text, verbs); ok {
		for ; ok; rest, ok = afterWord(strings.TrimLeft(rest, blanks), verbs) {
			text = rest
		}
		rest = strings.TrimLeft(text, blanks)
		return anyWord(rest, unsettled) || anyWord(rest, withdrawn) || anyWord(rest, unfinished)
	}
	rest, ok := afterWord(text, withdrawn)
	if !ok {
		rest, ok = afterWord(text, unfinished)
	}
	return ok && !says(rest, title)
}

// says reports whether a word of refusal is part of what a commit did: it opens
// a title that goes on ("AUTH2: failed logins are counted"), or a turn of
// phrase that refuses nothing ("AUTH2 no longer crashes").
func says(rest string, title bool) bool {
	rest = strings.Trim(rest, " \t.,;!)]")
	if !title {
		return anyWord(rest, turns)
	}
	return rest != "" && !anyWord(rest, completion) && !strings.HasSuffix(" "+rest, " yet")
}

// Words that follow a refusal: turns make another phrase of it, and after those
// of completion it is one in a title too.
var (
	turns      = []string{"longer", "more", "open", "closed", "fast", "safe"}
	completion = []string{"finished", "done", "landed", "shipped", "merged", "ready", "complete", "completed", "working", "implemented", "tested", "started"}
)

func anyWord(text string, words []string) bool {
	_, ok := afterWord(text, words)
	return ok
}

func isRemoved(before string) bool {
	before = strings.TrimRight(before[max(0, len(before)-nearby):], blanks)
	for _, w := range removed {
		if head, ok := strings.CutSuffix(before, w); ok && starts(head) {
			return true
		}
	}
	return false
}
