package lane

import "strings"

// A globSegment is a segment prepared for comparing: case folded.
type globSegment struct {
	segment
	name string // literal
	wide []elem // wild
}

// globOf prepares a cleaned entry. An entry names a path and everything below
// it, so every list ends with "**". From a segment that is not understood on,
// the entry may name anything.
func globOf(entry string) []globSegment {
	segs := make([]globSegment, 0, strings.Count(entry, "/")+2)
	for s := range strings.SplitSeq(strings.TrimSuffix(entry, "/"), "/") {
		seg := globSegmentOf(s)
		if seg.kind == opaque {
			break
		}
		segs = append(segs, seg)
	}
	return append(segs, globSegment{segment: segment{kind: deep}})
}

func globSegmentOf(s string) globSegment {
	seg, elems := parseSegment(s)
	g := globSegment{segment: seg, wide: widen(elems)}
	if g.kind == literal {
		g.name = fold(s)
	}
	return g
}

// elems returns the steps of a segment. Those of a literal are made when they
// are asked for: mostly a literal meets a literal.
func (s globSegment) elems() []elem {
	if s.kind == literal {
		return widen(literalElems(s.text))
	}
	return s.wide
}

// meetGlob reports whether some path lies under both.
func meetGlob(a, b []globSegment) bool {
	for len(a) > 0 && len(b) > 0 && a[0].kind != deep && b[0].kind != deep {
		if !a[0].meets(b[0]) {
			return false
		}
		a, b = a[1:], b[1:]
	}
	return meet(len(a), len(b),
		func(i int) bool { return a[i].kind == deep },
		func(j int) bool { return b[j].kind == deep },
		func(i, j int) bool { return a[i].meets(b[j]) })
}

// meets reports whether some name matches both. Neither is deep.
func (s globSegment) meets(t globSegment) bool {
	if s.kind == literal && t.kind == literal {
		return s.name == t.name
	}
	a, b := s.elems(), t.elems()
	for len(a) > 0 && len(b) > 0 && a[0].op != star && b[0].op != star {
		if !a[0].meets(b[0]) {
			return false
		}
		a, b = a[1:], b[1:]
	}
	return meet(len(a), len(b),
		func(i int) bool { return a[i].op == star },
		func(j int) bool { return b[j].op == star },
		func(i, j int) bool { return a[i].meets(b[j]) })
}

// everywhere reports whether the segments name every file: at most one of
// them asks for a segment to be there, and it takes any.
func everywhere(segs []globSegment) bool {
	stars := 0
	for _, s := range segs {
		if s.kind == deep {
			continue
		}
		if stars++; s.kind != wild || strings.Trim(s.text, "*") != "" {
			return false
		}
	}
	return stars <= 1
}
