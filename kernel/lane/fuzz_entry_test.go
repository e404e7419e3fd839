package lane_test

import (
	"math/bits"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// fuzzNames are the names that paths are made of, each with its spellings: a
// file system may take all spellings of one for the same name. A repository
// has its names in one Unicode form, composed or decomposed.
var fuzzNames = [2][][]string{
	{{"a", "A"}, {"b", "B"}, {"e", "E"}, {"\u00e9", "\u00c9"}, {"ab", "Ab", "aB", "AB"}, {"\u00e9b", "\u00c9b", "\u00e9B", "\u00c9B"}, {"\u8a2d"}},
	{{"a", "A"}, {"b", "B"}, {"e", "E"}, {"e\u0301", "E\u0301"}, {"ab", "Ab", "aB", "AB"}, {"e\u0301b", "E\u0301b", "e\u0301B", "E\u0301B"}, {"\u8a2d"}},
}

var fuzzForms = [2]norm.Form{norm.NFC, norm.NFD}

// fuzzPaths lists every path of one to four names, as indexes of fuzzNames.
var fuzzPaths = func() (all [][]int) {
	last := [][]int{nil}
	for range 4 {
		var next [][]int
		for _, p := range last {
			for n := range fuzzNames[0] {
				next = append(next, append(slices.Clone(p), n))
			}
		}
		all, last = append(all, next...), next
	}
	return all
}()

// A fuzzEntry is an entry of a tree as spelled, and what it means: the lists of
// segments, one for each way to fill in its braces.
type fuzzEntry struct {
	text  string
	means [][]string
}

// fuzzSegments are spelled as a tree spells them, with what they mean. The
// first fuzzLiterals are names.
var fuzzSegments = func() (all []fuzzEntry) {
	for _, s := range []string{
		"a", "A", "b", "e", "\u00e9", "e\u0301", "\u00c9", "ab", "AB", "\u00e9b", "e\u0301B", "\u8a2d",
		"*", "**", "?", "??", "a*", "*b", "*B", "e*", "\u00e9*", "e\u0301*", "?\u0301", "a**b", "*\u00e9*",
		"[ab]", "[!a]", "[^b]?", "[a-e]", "[A-B]*", "[!A]*", "[\u00e9]", "[!\u00e9]b", "[e-\u00e9]", "a[]b]", "[!\u8a2d]",
	} {
		all = append(all, fuzzEntry{s, [][]string{{s}}})
	}
	return append(all,
		fuzzEntry{"{a,b}", [][]string{{"a"}, {"b"}}},
		fuzzEntry{"a{b,}", [][]string{{"ab"}, {"a"}}},
		fuzzEntry{"{\u00e9,a/b}", [][]string{{"\u00e9"}, {"a", "b"}}},
		fuzzEntry{"b[", [][]string{{"b["}}},
	)
}()

const fuzzLiterals = 12

// fuzzDirt are ways to spell an entry that change nothing about what it means.
var fuzzDirt = []func(string) string{
	func(s string) string { return "./" + s },
	func(s string) string { return s + "/" },
	func(s string) string { return s + "/." },
	func(s string) string { return " " + s + "\t" },
	func(s string) string { return "q/../" + s },
	func(s string) string { return strings.ReplaceAll(s, "/", "//") },
	func(s string) string { return strings.ReplaceAll(s, "/", `\`) },
	func(s string) string { return strings.ReplaceAll(s, "/", "/./") },
}

// fuzzUnclean cannot be cleaned, so that they may name anything; or they name
// everything by the rules.
var fuzzUnclean = []string{"/a", "../a", "c:/a", "!a", " ", "a\x00", "\xff", ".", "./", "*/../a", strings.Repeat("a/", 64) + "a"}

// fuzzTree makes a tree of up to three entries out of choices: pick(n) is any
// number from 0 up to n-1.
func fuzzTree(pick func(n int) int) []fuzzEntry {
	if pick(64) == 63 {
		return []fuzzEntry{{text: ""}} // an empty tree
	}
	tree := []fuzzEntry{fuzzOne(pick)}
	for len(tree) < 3 && pick(4) == 3 {
		tree = append(tree, fuzzOne(pick))
	}
	return tree
}

func fuzzOne(pick func(n int) int) fuzzEntry {
	if pick(64) == 63 {
		return fuzzEntry{fuzzUnclean[pick(len(fuzzUnclean))], [][]string{{"**"}}}
	}
	e := fuzzSegment(pick)
	for range []int{0, 1, 1, 1, 2, 2}[pick(6)] {
		e = e.below(fuzzSegment(pick))
	}
	if pick(8) == 7 {
		e.text = fuzzDirt[pick(len(fuzzDirt))](e.text)
	}
	return e
}

// fuzzSegment is a name as often as a pattern.
func fuzzSegment(pick func(n int) int) fuzzEntry {
	if pick(2) == 0 {
		return fuzzSegments[pick(fuzzLiterals)]
	}
	return fuzzSegments[pick(len(fuzzSegments))]
}

// below is the entry s within the entry e.
func (e fuzzEntry) below(s fuzzEntry) fuzzEntry {
	joined := fuzzEntry{text: e.text + "/" + s.text}
	for _, head := range e.means {
		for _, tail := range s.means {
			joined.means = append(joined.means, slices.Concat(head, tail))
		}
	}
	return joined
}

func fuzzTexts(tree []fuzzEntry) (texts []string) {
	for _, e := range tree {
		texts = append(texts, e.text)
	}
	return texts
}

// A fuzzMatcher tells which of fuzzPaths lie in an entry, by trying them all
// in each form. It remembers what it has tried.
type fuzzMatcher struct {
	paths map[string][2][]uint64
	named map[string][2][]bool
}

func newFuzzMatcher() *fuzzMatcher {
	return &fuzzMatcher{map[string][2][]uint64{}, map[string][2][]bool{}}
}

// common returns a path that lies in both trees, in the spelling of each.
func (m *fuzzMatcher) common(a, b []fuzzEntry) (string, bool) {
	for _, p := range a {
		for _, q := range b {
			for form := range fuzzForms {
				left, right := m.held(p)[form], m.held(q)[form]
				for i := range left {
					if both := left[i] & right[i]; both != 0 {
						return fuzzSpell(form, fuzzPaths[i*64+bits.TrailingZeros64(both)]), true
					}
				}
			}
		}
	}
	return "", false
}

func fuzzSpell(form int, p []int) string {
	var names []string
	for _, n := range p {
		names = append(names, fuzzNames[form][n][0])
	}
	return strings.Join(names, "/")
}

func (m *fuzzMatcher) held(e fuzzEntry) [2][]uint64 {
	held, ok := m.paths[e.text]
	if ok {
		return held
	}
	for form := range fuzzForms {
		held[form] = make([]uint64, len(fuzzPaths)/64+1)
		for _, segments := range e.means {
			tables := m.prepare(segments, form)
			for i, p := range fuzzPaths {
				if fuzzHolds(tables, p) {
					held[form][i/64] |= 1 << (i % 64)
				}
			}
		}
	}
	m.paths[e.text] = held
	return held
}

// prepare looks up which names each segment matches; nil stands for "**".
func (m *fuzzMatcher) prepare(segments []string, form int) (tables [][]bool) {
	for _, s := range segments {
		if s == "**" {
			tables = append(tables, nil)
		} else {
			tables = append(tables, m.names(s)[form])
		}
	}
	return tables
}

// fuzzHolds reports whether the segments name the path or a directory above it.
func fuzzHolds(segments [][]bool, p []int) bool {
	switch {
	case len(segments) == 0:
		return true
	case segments[0] == nil:
		return fuzzHolds(segments[1:], p) || len(p) > 0 && fuzzHolds(segments, p[1:])
	}
	return len(p) > 0 && segments[0][p[0]] && fuzzHolds(segments[1:], p[1:])
}

// names tells which names a segment matches in each form.
func (m *fuzzMatcher) names(segment string) [2][]bool {
	named, ok := m.named[segment]
	if ok {
		return named
	}
	for form, normal := range fuzzForms {
		for _, spellings := range fuzzNames[form] {
			named[form] = append(named[form], slices.ContainsFunc(spellings, func(s string) bool {
				return fuzzMatch(segment, s) || fuzzMatch(normal.String(segment), s)
			}))
		}
	}
	m.named[segment] = named
	return named
}

// fuzzMatch is the standard library's idea of a match. It wants a bracket that
// stands for itself to be escaped, and "!" spelled "^".
func fuzzMatch(segment, name string) bool {
	ok, err := path.Match(strings.NewReplacer("[!", "[^", "[]", `[\]`).Replace(segment), name)
	return ok || err != nil && segment == name
}
