package lane_test

import (
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

var algebras = []lane.Algebra{lane.Prefix, lane.Glob}

func TestDisjoint(t *testing.T) {
	tests := []struct {
		name         string
		p, q         string
		prefix, glob bool // disjoint under this algebra
	}{
		{"directories apart are apart", "src/**", "docs/**", true, true},
		{"a directory meets what is below", "src/**", "src/api/x.go", false, false},
		{"a bare name is everything below", "src", "src/api/x.go", false, false},
		{"a trailing slash is everything below", "src/", "src/x", false, false},
		{"deep wildcards match no segment too", "src/**", "src", false, false},
		{"the universal entry meets everything", "**/*", "a/b/c", false, false},
		{"the top meets everything", ".", "a/b/c", false, false},
		{"a shared beginning of a name", "src", "src2/x", false, true},
		{"suffixes that differ", "a/*.go", "a/*.md", false, true},
		{"suffixes that agree", "a/x*.go", "a/*y.go", false, false},
		{"a wildcard directory", "src/*/v2/**", "src/api/v1/**", false, true},
		{"a matching wildcard directory", "src/*/v2/**", "src/api/v2/x", false, false},
		{"a wildcard name may be a directory", "src/*.d", "src/conf.d/x", false, false},
		{"a star stays within its segment", "src/*.go", "src/api/x.go", false, true},
		{"deep in the middle", "src/**/test/**", "src/a/b/test/x", false, false},
		{"deep in the middle matches none", "src/**/test", "src/test", false, false},
		{"deep at both ends", "**/a", "b/**", false, false},
		{"stars inside a name do not cross slashes", "a/x**y", "a/xb/y", false, true},
		{"root files by pattern", "*.md", "docs/x.md", false, true},
		{"one character", "src/?.py", "src/a.py", false, false},
		{"one character is not two", "src/?.py", "src/ab.py", false, true},
		{"classes that meet", "a/[a-c]x", "a/[c-z]x", false, false},
		{"classes apart", "a/[a-c]x", "a/[d-z]x", false, true},
		{"a class and a name", "a/[0-9].txt", "a/7.txt", false, false},
		{"a class leaves a name out", "a/[0-9].txt", "a/x.txt", false, true},
		{"a negated class", "a/[!1]", "a/1", false, true},
		{"a negated letter still names its capital", "a/[!a]", "a/a", false, false},
		{"a negated class with a caret", "a/[^a]", "a/b", false, false},
		{"a bracket in a class", "a/[]x]", "a/]", false, false},
		{"a dash at the end of a class", "a/[x-]", "a/-", false, false},
		{"braces may be anything below", "src/{a,b}/x", "src/zzz", false, false},
		{"braces leave what is before", "src/{a,b}/x", "docs/a", true, true},
		{"a class without an end may be anything", "src/[ab", "src/zzz", false, false},
		{"a named class may be anything", "src/[[:alpha:]]", "src/1", false, false},
		{"a backward range may be anything", "src/[z-a]", "src/1", false, false},
		{"case does not separate", "SRC/Main.GO", "src/main.go", false, false},
		{"case does not separate wildcards", "SRC/*.GO", "src/main.go", false, false},
		{"case does not separate classes", "x/[A-C]", "x/b", false, false},
		{"a negated class is folded too", "x/[!a]", "x/A", false, false},
		{"composed and decomposed letters are one", "\u00e9t\u00e9/x", "e\u0301te\u0301/x", false, false},
		{"composition does not hide behind a wildcard", "e*", "\u00e9", false, false},
		{"marks do not hide by their order", "a\u0301*", "a\u0323\u0301", false, false},
		{"sharp s is two letters", "stra\u00dfe", "STRASSE", false, false},
		{"sharp s is two letters beside a wildcard", "?\u00df", "xSS", false, false},
		{"a negated class names letters beyond ASCII", "[!1]x", "\u8a2dx", false, false},
		{"a class names no letters beyond ASCII", "q[1-9]x", "q\u8a2dx", false, true},
		{"a listed letter beyond ASCII is folded", "q[\u00c9]", "q\u00e9", false, false},
		{"a listed letter that stands alone", "q[\u8a2d]", "q\u8a2d", false, false},
		{"a letter that composes does not hide", "\u0438*", "\u0439", false, false},
		{"the kelvin sign is a k", "\u212a*", "k2", false, false},
		{"letters that stand alone separate", "\u8a2d*", "\u5b9f*", true, true},
		{"dot segments do not separate", "./src/**", "src/x", false, false},
		{"slashes do not separate", "src//a", "src/a", false, false},
		{"dot-dot does not separate", "a/../src/x", "src/x", false, false},
		{"backslashes do not separate", `src\a`, "src/a", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for g, want := range map[lane.Algebra]bool{lane.Prefix: tt.prefix, lane.Glob: tt.glob, "": false, "regexp": false} {
				a, b := []string{tt.p}, []string{tt.q}
				if got := g.Disjoint(a, b); got != want {
					t.Errorf("%q.Disjoint(%q, %q) = %v, want %v", g, tt.p, tt.q, got, want)
				}
				if got := g.Disjoint(b, a); got != want {
					t.Errorf("%q.Disjoint(%q, %q) = %v, want %v", g, tt.q, tt.p, got, want)
				}
			}
		})
	}
}

func TestOverlap(t *testing.T) {
	many := make([]string, 1025)
	for i := range many {
		many[i] = "many"
	}
	tests := []struct {
		name    string
		a, b    []string
		p, q    string
		overlap bool
	}{
		{"the first pair in order is named", []string{"x", "docs/**", "src/**"}, []string{"src/a", "docs/b"}, "docs/**", "docs/b", true},
		{"trees apart have no pair", []string{"x", "y"}, []string{"z"}, "", "", false},
		{"an empty tree meets everything", nil, []string{"z"}, "", "", true},
		{"a tree of empty entries is empty", []string{"z"}, []string{"", ""}, "", "", true},
		{"two empty trees meet", nil, nil, "", "", true},
		{"empty entries are not counted", []string{"", "x"}, []string{"z", ""}, "", "", false},
		{"a tree too large to read meets everything", many, []string{"z"}, "many", "z", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, g := range algebras {
				if p, q, overlap := g.Overlap(tt.a, tt.b); p != tt.p || q != tt.q || overlap != tt.overlap {
					t.Errorf("%s: Overlap = %q, %q, %v; want %q, %q, %v", g, p, q, overlap, tt.p, tt.q, tt.overlap)
				}
			}
		})
	}
}

func TestSelfModifyHits(t *testing.T) {
	protected := []string{"hooks/", "dos.toml", "", "kernel/**"}
	tests := []struct {
		name string
		tree []string
		want string
	}{
		{"a tree elsewhere hits nothing", []string{"docs/**"}, ""},
		{"hits come in the order protected", []string{"kernel/lane/x.go", "HOOKS/pre-push"}, "hooks/ kernel/**"},
		{"the whole repository hits all", []string{"**/*"}, "hooks/ dos.toml kernel/**"},
		{"an entry that cannot be read hits all", []string{"/x"}, "hooks/ dos.toml kernel/**"},
		{"an empty tree hits nothing", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, g := range algebras {
				if got := strings.Join(g.SelfModifyHits(tt.tree, protected), " "); got != tt.want {
					t.Errorf("%s: hits %q, want %q", g, got, tt.want)
				}
			}
		})
	}
}

func TestRegionConflict(t *testing.T) {
	tests := []struct {
		name         string
		a            []string
		modeA, modeB string
		want         bool
	}{
		{"readers share", []string{"src/a"}, "shared", "shared", false},
		{"a writer does not", []string{"src/a"}, "shared", "exclusive", true},
		{"any other word is exclusive", []string{"src/a"}, "Shared", "", true},
		{"regions apart never conflict", []string{"docs"}, "exclusive", "exclusive", false},
		{"an unknown region is for the caller", nil, "exclusive", "exclusive", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, g := range algebras {
				if got := g.RegionConflict(tt.a, tt.modeA, []string{"src/**"}, tt.modeB); got != tt.want {
					t.Errorf("%s: conflict %v, want %v", g, got, tt.want)
				}
			}
		})
	}
}

// tokens are the pieces fuzzed entries and names are made of: they fold into
// each other, merge with each other, or match each other.
var tokens = []string{
	"/", "/**/", "*", "?", "[ab]", "[!a]", "[A-b]", "a", "b", "A", "e", "s", "k",
	"\u0301", "\u0323", "\u00e9", "\u00c9", "\u00df", "\u017f", "\u212a", "\u8a2d", "\u0430", "\u0345", "\u03b9",
	"{", "[", "]", "..", ".", "[\u00e9]", "[!\u8a2d]", "\xff",
}

// spell makes an entry of at most twelve tokens.
func spell(data []byte) string {
	var b strings.Builder
	for _, c := range data[:min(len(data), 12)] {
		b.WriteString(tokens[int(c)%len(tokens)])
	}
	return b.String()
}

// pathsFor lists paths the entries might hold: every path of two names made
// of up to two characters, and the entry itself with its wildcards filled in.
func pathsFor(entries ...string) []string {
	chars := []string{"a", "b", "A", "e", "s", "k", "\u0301", "\u0323", "\u00e9", "\u212a", "\u8a2d", "\xff"}
	names := append([]string{}, chars...)
	for _, c := range chars {
		for _, d := range chars {
			names = append(names, c+d)
		}
	}
	paths := append([]string{}, names...)
	for _, n := range chars {
		for _, m := range names {
			paths = append(paths, n+"/"+m)
		}
	}
	for _, e := range entries {
		for _, fill := range chars {
			r := strings.NewReplacer("/**/", "/"+fill+"/", "[ab]", "b", "[!a]", fill, "[A-b]", "a", "*", fill, "?", fill, "[\u00e9]", "\u00e9", "[!\u8a2d]", fill)
			paths = append(paths, r.Replace(e), strings.ReplaceAll(r.Replace(e), "/"+fill+"/", "/"))
		}
	}
	return paths
}

// Two trees that both contain some path are never called disjoint, and the
// answer does not depend on who asks.
func FuzzOverlapIsSound(f *testing.F) {
	f.Add([]byte{10, 2}, []byte{15})
	f.Add([]byte{7, 13, 2}, []byte{7, 14, 13})
	f.Add([]byte{7, 0, 3}, []byte{7, 1, 8})
	f.Add([]byte{24, 7}, []byte{25, 7})
	f.Add([]byte{10, 3}, []byte{10, 13})
	f.Add([]byte{2, 17}, []byte{11, 11})
	f.Fuzz(func(t *testing.T, x, y []byte) {
		a, b := []string{spell(x)}, []string{spell(y)}
		apart := map[lane.Algebra]bool{}
		for _, g := range algebras {
			apart[g] = g.Disjoint(a, b)
			if apart[g] != g.Disjoint(b, a) {
				t.Fatalf("%s: %q and %q: the answer depends on the order", g, a, b)
			}
		}
		if !apart[lane.Prefix] && !apart[lane.Glob] {
			return
		}
		inA, inB := lane.NewScope(a), lane.NewScope(b)
		for _, p := range pathsFor(a[0], b[0]) {
			if inA.Contains(p) && inB.Contains(p) {
				t.Fatalf("%q and %q both contain %q; disjoint: %v", a, b, p, apart)
			}
		}
	})
}

// Nothing anyone can write in a tree makes a comparison fail.
func FuzzOverlapTakesAnything(f *testing.F) {
	f.Add("src/**", "SRC/[a-", "src/x")
	f.Add("[[:x:]]", "{", "\xff")
	f.Fuzz(func(t *testing.T, p, q, path string) {
		a, b := []string{p}, []string{q}
		both := lane.NewScope(a).Contains(path) && lane.NewScope(b).Contains(path)
		for _, g := range algebras {
			if apart := g.Disjoint(a, b); apart != g.Disjoint(b, a) || apart && both {
				t.Errorf("%s: %q and %q: disjoint %v, both contain %q: %v", g, p, q, apart, path, both)
			}
			if g.Within(a, b) && lane.NewScope(a).Contains(path) && !lane.NewScope(b).Contains(path) {
				t.Errorf("%s: %q is said to be within %q, yet only it contains %q", g, p, q, path)
			}
		}
	})
}

// What is within a tree contains no path the tree does not.
func FuzzWithinIsSound(f *testing.F) {
	f.Add([]byte{7, 0, 2}, []byte{7})
	f.Add([]byte{4}, []byte{3})
	f.Add([]byte{1, 7}, []byte{7, 1})
	f.Fuzz(func(t *testing.T, x, y []byte) {
		inner, outer := []string{spell(x)}, []string{spell(y)}
		if !lane.Glob.Within(inner, outer) {
			return
		}
		in, out := lane.NewScope(inner), lane.NewScope(outer)
		for _, p := range pathsFor(inner[0], outer[0]) {
			if in.Contains(p) && !out.Contains(p) {
				t.Fatalf("%q is said to be within %q, yet only it contains %q", inner, outer, p)
			}
		}
	})
}
