package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// An Unread is a heading or bullet that looks like a plan or a phase and is
// read as neither, or a whole file without any phase, which has no line.
type Unread struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Text   string `json:"text,omitempty"`
	Reason string `json:"reason"`
}

// The reasons.
const (
	noPlan    = "no plan stands before the phase"
	noLevel   = "a plan's heading has level 2 to 4"
	noNumber  = "no number with a full stop stands before the plan"
	noDash    = "no dash stands alone behind the phase"
	noPhase   = "no phase with a letter and a digit stands before the dash"
	noName    = "no name is that long or has such a character"
	noBullet  = `a phase's bullet begins with "- **"`
	noneOfAll = "has no phase in a form that is read"
)

// Silent is the entry of a file that has no phase.
func Silent(file string) Unread { return Unread{File: file, Reason: noneOfAll} }

func (u Unread) String() string {
	if u.Line == 0 {
		return u.File + " " + u.Reason
	}
	return fmt.Sprintf("%s:%d: %s: %s", u.File, u.Line, u.Reason, u.Text)
}

// Unread lists what people will take for plans and phases of the document and
// Rows and Loose do not have, at most limit of it, and counts all. It is a
// guess: it may name too much and gives nothing any weight. A section "###
// PHASE" of a phase that is listed elsewhere is not missed.
func (d Document) Unread(limit int) (list []Unread, total int) {
	read, listed := map[int]bool{}, map[string]bool{}
	for _, r := range slices.Concat(d.list, d.loose) {
		read[r.Line] = true
		listed[strings.ToLower(r.Phase)] = true
	}
	for l := range outline(d.text) {
		if l.fenced || read[l.number] {
			continue
		}
		why := ""
		if level, label := heading(l.text); level > 0 {
			why = missedHeading(level, label, listed)
		} else if sign, label := item(l.text); sign != "" {
			why = missedBullet(sign, label)
		}
		if why == "" {
			continue
		}
		if total++; len(list) < limit {
			list = append(list, Unread{Line: l.number, Text: clip(strings.Trim(l.text, blanks)), Reason: why})
		}
	}
	return list, total
}

// missedHeading says why a heading that looks like one of a plan or phase is
// none, "" where it does not look so.
func missedHeading(level int, label string, listed map[string]bool) string {
	number, rest := ordinal(label)
	if word, after := nextWord(rest); strings.EqualFold(word, "phase") {
		if _, ok := marked(after); ok {
			rest = strings.TrimLeft(after, blanks) // "Phase A1"
		}
	}
	if phase, ok := marked(rest); ok {
		if level == 3 && listed[strings.ToLower(phase)] {
			return ""
		}
		return noPlan
	}
	word, after := nextWord(rest)
	plan := names(word)
	phase, _, ok := phaseAt(after)
	_, clear := marked(after)
	own := ok && len(phase) > len(plan) && strings.EqualFold(phase[:len(plan)], plan)
	switch {
	case (clear || own) && isPlan(plan):
		return missedPlan(level, number, after)
	case number == "" || !dashed(after):
		return ""
	case clear || strings.ContainsFunc(secondWord(after), unicode.IsDigit):
		return noName
	case shouted(plan) || claimOf(after) != ClaimOpen:
		return noPhase
	}
	return ""
}

// secondWord is the word that a dash behind it would make a phase.
func secondWord(text string) string {
	if _, dash := title(text); dash {
		return ""
	}
	word, _ := nextWord(text)
	return word
}

func missedPlan(level int, number, after string) string {
	switch {
	case level < 2 || level > 4:
		return noLevel
	case !strings.HasSuffix(number, "."):
		return noNumber
	}
	return noDash
}

// dashed reports whether a dash stands alone at once or behind one word.
func dashed(text string) bool {
	_, rest := nextWord(text)
	_, at := title(text)
	_, behind := title(rest)
	return at || behind
}

func missedBullet(sign, label string) string {
	text := strings.TrimLeft(label, "*_`")
	bold := strings.HasPrefix(label, "**") || strings.HasPrefix(label, "__")
	plain := sign != "-" || !strings.HasPrefix(label, "**")
	phase, _, ok := phaseAt(text)
	_, clear := marked(text)
	capital := strings.ContainsFunc(phase, unicode.IsUpper)
	word, rest := nextWord(text)
	_, dash := title(rest)
	switch {
	case ok && plain && (bold && (clear || capital) || clear && capital):
		return noBullet
	case ok && (clear || capital) && bold:
		return noDash
	case ok || !bold || !dash:
		return ""
	case !isName(names(word), "") && strings.ContainsFunc(word, unicode.IsDigit):
		return noName
	case shouted(names(word)):
		return noPhase
	}
	return ""
}

// marked reads the phase that text begins with, where something marks it as
// one: a dash, a colon, a claim, or that nothing follows.
func marked(text string) (phase string, ok bool) {
	phase, rest, ok := phaseAt(text)
	if !ok {
		return "", false
	}
	own := strings.TrimRight(text[:len(text)-len(rest)], "*_`")
	_, dash := title(rest)
	alone := strings.Trim(rest, blanks+"*_`") == ""
	return phase, dash || alone || strings.HasSuffix(own, ":") || claimOf(rest) != ClaimOpen
}

// shouted reports whether a name is written as ids are: capitals or digits and
// no small letter.
func shouted(name string) bool {
	return isPlan(name) && !strings.ContainsFunc(name, unicode.IsLower) &&
		strings.ContainsFunc(name, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) })
}

// ordinal cuts "N.", "N)" or "N" off the front of a heading.
func ordinal(label string) (number, rest string) {
	word, rest := nextWord(label)
	word = strings.Trim(word, "*")
	digits := strings.TrimRight(word, ".)")
	if digits == "" || len(word)-len(digits) > 1 || strings.Trim(digits, "0123456789") != "" {
		return "", label
	}
	return word, strings.TrimLeft(rest, blanks)
}

// item returns the sign of an item of a list, with its task box if it has one,
// and its text. The sign is "" for any other line.
func item(text string) (sign, label string) {
	text = strings.TrimLeft(text, blanks)
	sign, rest := nextWord(text)
	if strings.HasPrefix(sign, "-*") {
		sign, rest = "-", text[1:] // as bullet reads it
	}
	digits := strings.TrimRight(sign, ".)")
	numbered := len(sign)-len(digits) == 1 && digits != "" && strings.Trim(digits, "0123456789") == ""
	if sign != "-" && sign != "*" && sign != "+" && !numbered {
		return "", ""
	}
	label = strings.TrimLeft(rest, blanks)
	for _, box := range []string{"[ ]", "[x]", "[X]"} {
		if after, ok := strings.CutPrefix(label, box); ok {
			return sign + " " + box, strings.TrimLeft(after, blanks)
		}
	}
	return sign, label
}
