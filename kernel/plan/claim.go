package plan

import (
	"strings"
	"unicode"
)

// A Claim is what a document says of a phase. It comes from people and proves
// nothing.
type Claim string

// The claims.
const (
	ClaimShipped Claim = "shipped" // the word SHIPPED
	ClaimBlocked Claim = "blocked" // a word that says it waits
	ClaimOpen    Claim = "open"    // neither
)

// waiting are the words that claim a phase waits.
var waiting = map[string]bool{"SOAK": true, "SOAKING": true, "BLOCKED": true, "AWAITING": true, "GATED": true, "DEFERRED": true}

// claimOf reads the status words of a text. They count in capitals, as whole
// words and outside of code fences, and not behind a "not" or "never".
func claimOf(text string) Claim { return claimUpTo(text, func(line) bool { return false }) }

// rowClaim is claimOf for the text of a row, which a bullet with the name of
// another phase ends though it is not read as one.
func rowClaim(text string) Claim { return claimUpTo(text, endsRow) }

// endsRow reports whether a line of a row's text is the bullet of another phase.
func endsRow(l line) bool {
	sign, label := item(l.text)
	if l.number == 1 || sign == "" {
		return false
	}
	why := missedBullet(sign, label)
	return why != "" && why != noPhase
}

func claimUpTo(text string, ends func(line) bool) Claim {
	claim := ClaimOpen
	for l := range outline(text) {
		if l.fenced {
			continue
		}
		if ends(l) {
			break
		}
		for word, denied := range words(l.text) {
			switch {
			case denied:
			case word == "SHIPPED":
				return ClaimShipped
			case waiting[word]:
				claim = ClaimBlocked
			}
		}
	}
	return claim
}

// words yields the runs of letters, digits and underscores of a line, and
// whether "not" or "never" stands right before one, or "not yet".
func words(text string) func(yield func(string, bool) bool) {
	return func(yield func(string, bool) bool) {
		denied := false
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
		}) {
			if !yield(word, denied) {
				return
			}
			switch {
			case strings.EqualFold(word, "not"), strings.EqualFold(word, "never"):
				denied = true
			case !strings.EqualFold(word, "yet"):
				denied = false
			}
		}
	}
}
