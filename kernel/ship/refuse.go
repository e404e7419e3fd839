package ship

import (
	"slices"
	"strings"
	"unicode"
)

// Words that, after a phase, say it has not shipped. The withdrawn say so
// wherever they stand. The doubtful may also be part of what was done ("AUTH2:
// failed logins are counted"), and so may the unfinished in a title ("AUTH2:
// partial refunds"). The unsettled need a state in front.
var (
	withdrawn = []string{
		"wip", "work in progress", "do not merge", "rolled back", "backed out", "reverted", "unfinished", "incomplete",
		"abandoned", "skipped", "broken",
	}
	doubtful = []string{
		"pending", "blocked", "fail", "fails", "failed", "failing", "half done", "only half",
		"not", "never", "no", "isn't", "wasn't", "cannot", "can't", "won't",
	}
	unfinished = []string{"wip", "draft", "todo", "partial", "partially", "partly", "revert", "reverts", "reverting"}
	unsettled  = []string{"open", "still", "broken"}
	states     = []string{"is", "was", "are", "remains", "still"}
	modals     = []string{"has", "have", "had", "been", "be", "to", "should", "must", "does", "did"}
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
	bare, state, modal := withoutVerbs(text, title)
	switch {
	case anyWord(bare, withdrawn):
		return true
	case state && anyWord(bare, unsettled):
		return true
	}
	if rest, ok := afterWord(bare, doubtful); ok {
		return denies(bare, rest, state, title || modal)
	}
	rest, ok := afterWord(bare, unfinished)
	return ok && (!title || state || ended(rest) == "")
}

// withoutVerbs takes the verbs off that lead to what is said of a phase: those
// of a state everywhere, the modal ones only where no title begins.
func withoutVerbs(text string, title bool) (bare string, state, modal bool) {
	for {
		rest, ok := afterWord(text, states)
		if ok {
			state = true
		} else if rest, ok = afterWord(text, modals); ok && (!title || state) {
			modal = true
		} else {
			return text, state, modal
		}
		text = strings.TrimLeft(rest, blanks)
	}
}

// denies reports whether a doubtful word refuses the phase. Where it may belong
// to what was done, it does so only when nothing follows, or a word that tells
// of an end that was not reached or of what stands in the way.
func denies(text, rest string, state, perhaps bool) bool {
	rest = ended(rest)
	if turned(text, rest) {
		return false
	}
	if state || !perhaps && !anyWord(text, []string{"half done"}) {
		return true
	}
	return rest == "" || anyWord(rest, completion) || strings.HasSuffix(" "+rest, " yet")
}

func ended(rest string) string { return strings.Trim(rest, " \t.,;!)]") }

// turned reports whether a doubtful word and the one behind it make a phrase
// that refuses nothing: "no longer crashes", "fails closed".
func turned(text, rest string) bool {
	switch {
	case anyWord(text, []string{"no"}):
		after, ok := afterWord(rest, []string{"longer", "more"})
		return ok && !anyWord(strings.TrimLeft(after, blanks), completion)
	case anyWord(text, []string{"fail", "fails"}):
		return anyWord(rest, []string{"open", "closed", "fast", "safe"})
	}
	return false
}

// completion are the words that, behind a doubtful one, speak of the phase and
// not of what it does.
var completion = []string{
	"finished", "done", "landed", "land", "shipped", "ship", "merged", "merge", "ready", "complete", "completed", "work",
	"works", "working", "implemented", "tested", "started", "built", "builds", "there", "quite", "enough", "by", "on",
	"until", "because", "due", "for", "see",
}

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
