package lane

import "slices"

// An Algebra says how two trees are compared. Its zero value, and any word
// that is not one of the constants, finds that all trees overlap.
//
// In both algebras an entry names a path and everything below it, whether or
// not it ends in a wildcard or a slash; case and Unicode form are ignored
// when trees are compared, so that the answer does not depend on whose disk
// it is given on; and an entry that cannot be cleaned, like an empty tree, is
// an unknown region and overlaps everything.
type Algebra string

const (
	// Prefix compares the text before the first wildcard. It refuses more
	// than it must: src collides with src2.
	Prefix Algebra = "prefix"

	// Glob asks whether any path could match both entries, segment by
	// segment: "**" is any number of segments, "*" any characters within one,
	// "?" one character, [a-z] and [!a-z] one character of a class; names are
	// taken to be in one Unicode form. From a segment with braces or an
	// unreadable class on, an entry names anything.
	Glob Algebra = "glob"
)

// Overlap reports whether a file could lie in both trees, and the first pair
// of entries that says so. An empty tree overlaps everything; the pair is
// then empty.
func (g Algebra) Overlap(a, b []string) (p, q string, overlap bool) {
	return overlapping(g.region(a), g.region(b))
}

// Disjoint reports whether the trees surely share no file.
func (g Algebra) Disjoint(a, b []string) bool {
	_, _, overlap := g.Overlap(a, b)
	return !overlap
}

// SelfModifyHits returns the protected entries that the tree overlaps, in the
// order they are listed. An empty tree hits none: refuse it first.
func (g Algebra) SelfModifyHits(tree, protected []string) []string {
	return g.region(tree).hits(g.patterns(protected))
}

// hits returns the entries that the region meets. An unknown region hits none.
func (r region) hits(protected []pattern) []string {
	hits := []string{}
	for _, q := range protected {
		if slices.ContainsFunc(r, q.meets) {
			hits = append(hits, q.entry)
		}
	}
	return hits
}

// Shared is the lock mode that lets two holders read one region. Any other
// mode is exclusive.
const Shared = "shared"

// RegionConflict reports whether two locks cannot be held at once: their
// regions meet and not both are shared. An empty region conflicts with
// nothing here: refuse an unknown region first.
func (g Algebra) RegionConflict(requested []string, requestedMode string, held []string, heldMode string) bool {
	if requestedMode == Shared && heldMode == Shared {
		return false
	}
	a, b := g.region(requested), g.region(held)
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	_, _, overlap := overlapping(a, b)
	return overlap
}

// A region is a tree prepared for comparing. An empty one is unknown.
type region []pattern

// A pattern is one prepared entry.
type pattern struct {
	entry    string // as given
	clean    string // empty if it could not be read
	form     form
	prefix   string        // byPrefix
	segments []globSegment // byGlob
}

type form byte

const (
	anything form = iota // could not be read
	byPrefix
	byGlob
)

func (g Algebra) region(tree []string) region {
	if len(tree) > maxEntries {
		return region{{entry: tree[0]}}
	}
	return g.patterns(tree)
}

// patterns prepares the entries that are not blank, however many.
func (g Algebra) patterns(entries []string) []pattern {
	list := make([]pattern, 0, len(entries))
	for _, entry := range entries {
		if entry != "" {
			list = append(list, g.pattern(entry))
		}
	}
	return list
}

func (g Algebra) pattern(entry string) pattern {
	clean, err := cleanEntry(entry)
	if err != nil {
		return pattern{entry: entry}
	}
	p := pattern{entry: entry, clean: clean}
	switch g {
	case Prefix:
		p.form, p.prefix = byPrefix, prefixOf(clean)
	case Glob:
		p.form, p.segments = byGlob, globOf(clean)
	}
	return p
}

func overlapping(a, b region) (p, q string, overlap bool) {
	if len(a) == 0 || len(b) == 0 {
		return "", "", true
	}
	for _, p := range a {
		for _, q := range b {
			if p.meets(q) {
				return p.entry, q.entry, true
			}
		}
	}
	return "", "", false
}

func (p pattern) meets(q pattern) bool {
	switch {
	case p.form == anything || q.form == anything:
		return true
	case p.form == byPrefix:
		return meetPrefix(p.prefix, q.prefix)
	}
	return meetGlob(p.segments, q.segments)
}

// everywhere reports whether the pattern names every file.
func (p pattern) everywhere() bool {
	switch p.form {
	case byPrefix:
		return p.prefix == ""
	case byGlob:
		return everywhere(p.segments)
	}
	return true
}
