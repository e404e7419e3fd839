package leak

import (
	"bytes"
	"math"
	"regexp"
	"slices"
)

// A match is what a rule's expression matched: the bytes of the whole match,
// and those of what was found in it.
type match struct {
	text       []byte
	path       string // of the file, "" unknown
	from, to   int    // all that matched
	start, end int    // what was found
}

func (m match) whole() []byte { return m.text[m.from:m.to] }
func (m match) found() []byte { return m.text[m.start:m.end] }

// encoded reports whether what was found stands inside Base64, where any few
// letters turn up sooner or later.
func (m match) encoded() bool {
	return m.start > 1 && m.text[m.start-1] == '+' && alphanumeric(m.text[m.start-2])
}

// line is the line it starts in, up to a limit on either side.
func (m match) line() []byte {
	from, to := lineAround(m.text, m.start, m.end, mostReach)
	return m.text[from:to]
}

// lineAround are the ends of the line, or lines, of a part of a text, no
// further from it than reach.
func lineAround(text []byte, start, end, reach int) (from, to int) {
	from, to = max(0, start-reach), min(len(text), end+reach)
	if i := bytes.LastIndexByte(text[from:start], '\n'); i >= 0 {
		from += i + 1
	}
	if i := bytes.IndexByte(text[end:to], '\n'); i >= 0 {
		to = end + i
	}
	return from, to
}

// spanOf picks what was found out of a match: the group the rule names, else
// the first group that holds something, else all.
func (r *rule) spanOf(at []int) (start, end int) {
	if g := 2 * r.Group; g > 0 && g+1 < len(at) && at[g] >= 0 {
		return at[g], at[g+1]
	}
	if r.Group == 0 {
		for i := 2; i+1 < len(at); i += 2 {
			if at[i] >= 0 && at[i+1] > at[i] {
				return at[i], at[i+1]
			}
		}
	}
	return at[0], at[1]
}

// all finds every match, up to mostMatches. An own rule looks at what stands
// around what it finds, and that may be around the next as well.
func (r *rule) all(text []byte) (spans [][]int) {
	if r.but == nil {
		return r.re().FindAllSubmatchIndex(text, mostMatches)
	}
	for at := 0; at < len(text) && len(spans) < mostMatches; {
		span := r.re().FindSubmatchIndex(text[at:])
		if span == nil {
			break
		}
		for i := range span {
			if span[i] >= 0 {
				span[i] += at
			}
		}
		_, end := r.spanOf(span)
		at = max(at+1, end)
		spans = append(spans, span)
	}
	return spans
}

// counts reports whether a match is what the rule is about.
func (s *ruleSet) counts(r *rule, m match) bool {
	switch {
	case m.start == m.end || r.Entropy > 0 && entropy(m.found()) <= r.Entropy:
		return false
	case r.but != nil:
		return !r.but(m)
	}
	return !m.encoded() && !s.allow.lets(m) && !slices.ContainsFunc(r.Allow, func(a allow) bool { return a.lets(m) })
}

// lets reports whether an allow list is about this match. Of the conditions it
// has, one is enough, or all where it says so.
func (a *allow) lets(m match) bool {
	var asked, held int
	check := func(has bool, holds func() bool) {
		if !has {
			return
		}
		asked++
		if holds() {
			held++
		}
	}
	check(len(a.Paths) > 0, func() bool { return m.path != "" && anyMatch(a.paths(), []byte(m.path)) })
	check(len(a.Regexes) > 0, func() bool { return anyMatch(a.regexes(), a.target(m)) })
	check(len(a.Stop) > 0, func() bool { return a.stops(m.found()) })
	if a.Condition == "AND" {
		return asked > 0 && held == asked
	}
	return held > 0
}

func (a *allow) target(m match) []byte {
	switch a.Target {
	case "match":
		return m.whole()
	case "line":
		return m.line()
	}
	return m.found()
}

func (a *allow) stops(found []byte) (has bool) {
	a.stop().find(found, func([]uint16, int) { has = true })
	return has
}

func anyMatch(all []*regexp.Regexp, text []byte) bool {
	return slices.ContainsFunc(all, func(re *regexp.Regexp) bool { return re.Match(text) })
}

// entropy is Shannon's, in bits a byte.
func entropy(b []byte) (bits float64) {
	var counts [256]int
	for _, c := range b {
		counts[c]++
	}
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(b))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
