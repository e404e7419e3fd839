package lane

import "strings"

// A Doubt is the part of a tree that a [Scope] does not understand. Whoever
// asks what lies outside a tree asks it too: there the unsafe answer is no.
type Doubt struct{ entries [][]scopeSegment }

// NewDoubt finds what is not understood of a tree: from a segment that is not
// read as a pattern on an entry may name anything, and so may one that cannot be
// cleaned, and a tree that is too large.
func NewDoubt(tree []string) Doubt {
	anything := []scopeSegment{{segment: segment{kind: deep, text: "**"}}}
	if len(tree) > maxEntries {
		return Doubt{[][]scopeSegment{anything}}
	}
	var d Doubt
	for _, entry := range tree {
		if entry == "" {
			continue // it names nothing
		}
		if clean, err := cleanEntry(entry); err != nil {
			d.entries = append(d.entries, anything)
		} else if known, ok := understood(clean); !ok {
			d.entries = append(d.entries, normal(append(known, anything...)))
		}
	}
	return d
}

// understood returns the segments up to the first that is not, and reports
// whether there is none such.
func understood(clean string) ([]scopeSegment, bool) {
	var segs []scopeSegment
	for text := range strings.SplitSeq(strings.TrimSuffix(clean, "/"), "/") {
		s, elems := parseSegment(text)
		if s.kind == opaque {
			return segs, false
		}
		segs = append(segs, scopeSegment{s, elems})
	}
	return segs, true
}

// Reaches reports whether the path, as git stores it, may lie in the tree by
// what is not understood of it.
func (d Doubt) Reaches(path string) bool {
	names := strings.Split(path, "/")
	for _, entry := range d.entries {
		if under(entry, names) {
			return true
		}
	}
	return false
}
