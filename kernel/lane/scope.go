package lane

import "strings"

// A Scope answers which paths lie inside a tree. Unlike overlap it reads
// entries exactly as spelled: whole segments, real wildcards, case and bytes
// compared as they are. It is the question asked of a path that git reports,
// where saying yes too often would let work escape its lane.
type Scope struct{ entries [][]scopeSegment }

type scopeSegment struct {
	segment
	elems []elem // wild
}

// NewScope prepares a tree. An entry that cannot be cleaned holds nothing. A
// segment that is not understood holds only the name spelled exactly so.
func NewScope(tree []string) Scope {
	var s Scope
	if len(tree) > maxEntries {
		return s
	}
	for _, entry := range tree {
		if clean, err := cleanEntry(entry); err == nil {
			s.entries = append(s.entries, scopeOf(clean))
		}
	}
	return s
}

func scopeOf(clean string) []scopeSegment {
	var segs []scopeSegment
	for text := range strings.SplitSeq(strings.TrimSuffix(clean, "/"), "/") {
		s, elems := parseSegment(text)
		segs = append(segs, scopeSegment{s, elems})
	}
	return normal(append(segs, scopeSegment{segment: segment{kind: deep, text: "**"}}))
}

// normal spells equal entries alike: "**/*" as "*/**", repeated "**" once,
// and every way to say "any path" as "**".
func normal(segs []scopeSegment) []scopeSegment {
	var out []scopeSegment
	for _, s := range segs {
		last := len(out) - 1
		switch {
		case last < 0 || out[last].kind != deep:
			out = append(out, s)
		case s.text == "*":
			out = append(out[:last], s, out[last])
		case s.kind != deep:
			out = append(out, s)
		}
	}
	if len(out) == 2 && out[0].text == "*" {
		return out[1:]
	}
	return out
}

// Contains reports whether the path, as git stores it, lies inside the tree.
// A path git could not have stored lies nowhere.
func (s Scope) Contains(path string) bool {
	names := strings.Split(path, "/")
	for _, n := range names {
		if n == "" || n == "." || n == ".." || strings.IndexByte(n, 0) >= 0 {
			return false
		}
	}
	for _, entry := range s.entries {
		if under(entry, names) {
			return true
		}
	}
	return false
}

func under(entry []scopeSegment, names []string) bool {
	return cover(len(names), len(entry),
		func(int) bool { return false },
		func(j int) bool { return entry[j].kind == deep },
		func(i, j int) bool { return entry[j].matches(names[i]) })
}

// matches reports whether a segment, not a deep one, matches a name.
func (s scopeSegment) matches(name string) bool {
	if s.kind != wild {
		return s.text == name
	}
	chars := nameElems(name)
	return coverElems(chars, s.elems)
}

// nameElems reads a stored name. A byte that is part of no character becomes
// a character of its own that no pattern spells.
func nameElems(name string) []elem {
	elems := literalElems(name)
	if strings.ToValidUTF8(name, "") == name {
		return elems
	}
	i := 0
	for at, r := range name {
		if r == '\uFFFD' && !strings.HasPrefix(name[at:], "\uFFFD") {
			elems[i].r = -1
		}
		i++
	}
	return elems
}

func coverElems(inner, outer []elem) bool {
	return cover(len(inner), len(outer),
		func(i int) bool { return inner[i].op == star },
		func(j int) bool { return outer[j].op == star },
		func(i, j int) bool { return outer[j].covers(inner[i]) })
}

// Contains reports whether a path lies inside the tree; see [Scope]. The
// answer is the same in every algebra.
func (g Algebra) Contains(tree []string, path string) bool {
	return NewScope(tree).Contains(path)
}

// Within reports whether every file the inner tree names surely lies inside
// the outer one. It answers false when it cannot tell, as for an empty tree.
// The answer is the same in every algebra.
func (g Algebra) Within(inner, outer []string) bool {
	clean, err := CleanTree(inner)
	return err == nil && NewScope(outer).holdsAll(clean)
}

// holdsAll reports whether every cleaned entry surely lies inside.
func (s Scope) holdsAll(clean []string) bool {
	for _, entry := range clean {
		if !s.holds(entry) {
			return false
		}
	}
	return len(clean) > 0
}

func (s Scope) holds(clean string) bool {
	inner := scopeOf(clean)
	for _, outer := range s.entries {
		if coverSegments(inner, outer) {
			return true
		}
	}
	return false
}

func coverSegments(inner, outer []scopeSegment) bool {
	return cover(len(inner), len(outer),
		func(i int) bool { return inner[i].kind == deep },
		func(j int) bool { return outer[j].kind == deep },
		func(i, j int) bool { return outer[j].covers(inner[i]) })
}

// covers reports whether the segment surely matches every name the other
// does. Neither is deep. A segment that is not understood covers and is
// covered only by its own spelling.
func (s scopeSegment) covers(t scopeSegment) bool {
	switch {
	case t.kind == literal:
		return s.matches(t.text)
	case s.kind == wild && t.kind == wild:
		return coverElems(t.elems, s.elems)
	}
	return s.text == t.text
}
