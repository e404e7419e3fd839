package plan

import (
	"cmp"
	"slices"
	"strings"
)

// A Name is a unit as a document names it. Plan is "" where only the phase
// stands there.
type Name struct{ Plan, Phase string }

// Conditions are what a document says stands in the way of a phase. They come
// from people: that one is not written down does not mean that it is not there.
type Conditions struct {
	Draft   bool     // the word DRAFT, or a document that is a draft
	Gated   bool     // BLOCKED, AWAITING, GATED or DEFERRED
	Soaking bool     // SOAK or SOAKING, or as [Section.Soaking] finds it
	Needs   []Name   // what stands behind "Depends on:", in order, each once
	Unread  []string // what stands there too and is no name
}

// gates are the words by which a phase waits for somebody's word, and soakWords
// those by which it waits for a time to pass.
var (
	gates     = map[string]bool{"BLOCKED": true, "AWAITING": true, "GATED": true, "DEFERRED": true}
	soakWords = map[string]bool{"SOAK": true, "SOAKING": true}
)

// Conditions reads what the document says of a row of its own: in the text of
// the row, in the section "### PHASE" of the phase where no other plan of the
// document has such a phase, and in the front matter.
func (d Document) Conditions(r Row) Conditions {
	c := Conditions{Draft: d.isDraft()}
	i, ok := slices.BinarySearchFunc(d.marks, r.Line, func(m mark, line int) int { return cmp.Compare(m.line, line) })
	if !ok {
		return c
	}
	c.read(d.upTo(i, d.isRow), endsRow)
	if s, ok := d.ownSection(r); ok {
		c.read(s.Text, func(line) bool { return false })
		c.Soaking = c.Soaking || s.Soaking()
	}
	return c
}

// ownSection is the heading's section of a row's phase, unless the document has
// the phase in another plan too.
func (d Document) ownSection(r Row) (Section, bool) {
	if plan, ok := d.plan[folded(r.Phase)]; ok && plan != folded(r.Plan) {
		return Section{}, false
	}
	return d.headed(r.Phase)
}

func (c *Conditions) read(text string, ends func(line) bool) {
	for l := range outline(text) {
		if l.fenced {
			continue
		}
		if ends(l) {
			return
		}
		for word, denied := range words(l.text) {
			if !denied {
				c.Draft = c.Draft || word == draftWord
				c.Gated = c.Gated || gates[word]
				c.Soaking = c.Soaking || soakWords[word]
			}
		}
		c.needs(l.text)
	}
}

const draftWord = "DRAFT"

// dependsOn is behind which a line names what a phase needs, up to a semicolon,
// a full stop before a blank, or the end of the line.
const dependsOn = "depends on:"

// maxNeeds bounds what is read of what a phase needs.
const maxNeeds = 200

func (c *Conditions) needs(text string) {
	at := strings.Index(strings.ToLower(text), dependsOn)
	if at < 0 || len(strings.ToLower(text)) != len(text) || at > 0 && isWord(text[at-1]) {
		return
	}
	list := strings.TrimLeft(text[at+len(dependsOn):], "*_")
	list, _, _ = strings.Cut(list, ";")
	list, _, _ = strings.Cut(list+" ", ". ")
	for part := range strings.SplitSeq(list, ",") {
		part = strings.Trim(part, blanks+"*`_.")
		name, ok := nameIn(part)
		switch {
		case isNone(part):
		case len(c.Needs)+len(c.Unread) == maxNeeds:
			c.Unread = append(c.Unread, "more than can be read")
			return
		case len(c.Needs)+len(c.Unread) > maxNeeds:
			return
		case !ok:
			c.Unread = append(c.Unread, clip(part))
		case !slices.Contains(c.Needs, name):
			c.Needs = append(c.Needs, name)
		}
	}
}

func isNone(part string) bool {
	return part == "" || part == "-" || part == "\u2014" || strings.EqualFold(part, "none") || strings.EqualFold(part, "nothing")
}

// nameIn reads PHASE, PLAN/PHASE or PLAN PHASE. A phase has a letter and a digit,
// or is "Phase N"; behind a slash it may be any word.
func nameIn(text string) (Name, bool) {
	if phase, ok := wholePhase(text); ok {
		return Name{Phase: phase}, true
	}
	if i := strings.LastIndexByte(text, '/'); i > 0 {
		n := Name{text[:i], text[i+1:]}
		_, ok := wholePhase(n.Phase)
		return n, isPlan(n.Plan) && (ok || isName(n.Phase, ""))
	}
	word, rest := nextWord(text)
	phase, ok := wholePhase(rest)
	return Name{names(word), phase}, ok && isPlan(names(word))
}

// wholePhase reads a text that is a phase and nothing else.
func wholePhase(text string) (string, bool) {
	phase, rest, ok := phaseAt(text)
	return phase, ok && strings.Trim(rest, blanks) == ""
}

// isDraft reports whether the front matter says that the document is a draft.
func (d Document) isDraft() bool {
	first, draft := true, false
	for text := range strings.Lines(d.text) {
		text = strings.TrimRight(text, "\n"+blanks)
		switch {
		case !first && text == fencedOff:
			return draft
		case first && text != fencedOff:
			return false
		case first:
			first = false
			continue
		}
		key, value, _ := strings.Cut(text, ":")
		if classKeys[strings.ToLower(strings.TrimSpace(key))] && strings.EqualFold(strings.Trim(value, blanks+`"'`), draftWord) {
			draft = true
		}
	}
	return false // it does not end
}

// fencedOff is the line before and behind front matter, and classKeys are the
// keys of it that say what class of plan it is.
const fencedOff = "---"

var classKeys = map[string]bool{"class": true, "plan_class": true, "status": true}

// Mentions reports whether the text that was not read may be about the phase.
func (u Unread) Mentions(phase string) bool {
	for word := range strings.FieldsSeq(u.Text) {
		if strings.EqualFold(names(strings.TrimLeft(word, "#*`_-+")), phase) {
			return true
		}
	}
	return false
}

// Cycle walks from a unit to what it needs, and on, and returns the first round
// that it comes to: units of which each needs the next, and the last the first.
// It is nil where there is none. needs answers for a unit in the spelling in
// which it was met; two that it takes for one have one key.
func Cycle(from Name, key func(Name) string, needs func(Name) []Name) []Name {
	const under, done = 1, 2
	state := map[string]int{}
	var path []Name
	var visit func(Name) []Name
	visit = func(n Name) []Name {
		k := key(n)
		switch state[k] {
		case done:
			return nil
		case under:
			i := slices.IndexFunc(path, func(p Name) bool { return key(p) == k })
			return slices.Clone(path[i:])
		}
		state[k] = under
		path = append(path, n)
		for _, next := range needs(n) {
			if round := visit(next); round != nil {
				return round
			}
		}
		path = path[:len(path)-1]
		state[k] = done
		return nil
	}
	return visit(from)
}
