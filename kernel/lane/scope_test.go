package lane_test

import (
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestContains(t *testing.T) {
	tests := []struct {
		name, entry, path string
		want              bool
	}{
		{"a name holds itself", "src", "src", true},
		{"a name holds what is below", "src", "src/a/b.go", true},
		{"a trailing slash holds what is below", "src/", "src/a", true},
		{"deep holds what is below", "src/**", "src/a/b.go", true},
		{"deep holds the directory as a path", "src/**", "src", true},
		{"a longer name is another name", "src/app", "src/application/x", false},
		{"a way out is no path", "src/app", "src/app/../../secret", false},
		{"a suffix is a suffix", "src/*.go", "src/x.py", false},
		{"a suffix that fits", "src/*.go", "src/x.go", true},
		{"a star stays in its segment", "src/*.go", "src/a/x.go", false},
		{"a name that fits may be a directory", "src/*.d", "src/conf.d/x", true},
		{"everything holds everything", "**/*", "a/b", true},
		{"everything holds a root file", "**/*", "a", true},
		{"a star holds every name of its level and below", "src/*", "src/a/b", true},
		{"a star does not hold its parent", "src/*", "src", false},
		{"deep in the middle", "src/**/t", "src/a/b/t/x", true},
		{"deep in the middle holds none", "src/**/t", "src/t", true},
		{"one character is one letter", "?", "é", true},
		{"one character is one stray byte", "a?", "a\xe9", true},
		{"one character is not a decomposed letter", "?", "e\u0301", false},
		{"a star takes any bytes", "a*z", "a\xff\xfez", true},
		{"a class holds what it lists", "[a-c]", "b", true},
		{"a class keeps its case", "[a-c]", "B", false},
		{"a dash at the end of a class is a dash", "[x-]", "-", true},
		{"a negated class", "[!a-c]", "b", false},
		{"a class lists no stray byte", "[\ufffd]", "\xff", false},
		{"a negated class takes a stray byte", "[!a]", "\xff", true},
		{"a replacement character is not a stray byte", "\ufffd*", "\xffx", false},
		{"a star in a path is a star", "a?b", "a*b", true},
		{"a pattern in a path is only text", "src/x", "src/*", false},
		{"case is kept", "src", "SRC/x", false},
		{"the form of letters is kept", "\u00e9", "e\u0301", false},
		{"braces hold their own spelling", "{{name}}/x", "{{name}}/x/y", true},
		{"braces hold nothing else", "{a,b}/x", "a/x", false},
		{"a class without an end holds its own spelling", "[ab", "[ab", true},
		{"a class without an end holds nothing else", "[ab", "a", false},
		{"a backslash in a path is a character", "a/b", `a\b`, false},
		{"the empty path lies nowhere", "**", "", false},
		{"an absolute path lies nowhere", "**", "/a", false},
		{"a path with a hole lies nowhere", "**", "a//b", false},
		{"a dot segment lies nowhere", "**", "a/./b", false},
		{"a directory path lies nowhere", "**", "a/", false},
		{"a NUL lies nowhere", "**", "a\x00", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, g := range algebras {
				if got := g.Contains([]string{"", "elsewhere/x", tt.entry}, tt.path); got != tt.want {
					t.Errorf("%s: Contains(%q, %q) = %v, want %v", g, tt.entry, tt.path, got, tt.want)
				}
			}
		})
	}
}

func TestContainsNothing(t *testing.T) {
	many := strings.Split(strings.Repeat("**,", 1024)+"**", ",")
	for name, tree := range map[string][]string{"an empty tree": nil, "empty entries": {"", ""}, "a tree too large to read": many} {
		t.Run(name, func(t *testing.T) {
			if lane.Glob.Contains(tree, "a") {
				t.Error("it contains a path")
			}
		})
	}
}

func TestWithin(t *testing.T) {
	tests := []struct {
		name         string
		inner, outer []string
		want         bool
	}{
		{"a tree is within itself", []string{"src/*.go", "docs/**"}, []string{"docs/**", "src/*.go"}, true},
		{"a file is within its directory", []string{"src/api/x.go"}, []string{"src/**"}, true},
		{"spellings of a directory are within each other", []string{"src/", "src", "src/**"}, []string{"src"}, true},
		{"every entry must be within", []string{"src/x", "docs/x"}, []string{"src/**"}, false},
		{"a longer name is not within", []string{"src2"}, []string{"src"}, false},
		{"a directory is not within its file pattern", []string{"src/**"}, []string{"src/*.go"}, false},
		{"a pattern is within a wider one", []string{"src/a?.go"}, []string{"src/*.go"}, true},
		{"a class is within one character", []string{"[ab].go"}, []string{"?.go"}, true},
		{"a letter is within its class", []string{"a.go"}, []string{"[a-c].go"}, true},
		{"a class is within itself", []string{"[a-c].go"}, []string{"[a-c].go", "x"}, true},
		{"a class is not within another", []string{"[a-c].g?"}, []string{"[d-f].g?"}, false},
		{"one character is not within a class", []string{"?.go"}, []string{"[a-c].go"}, false},
		{"all ways to say everything are one", []string{"**", "*", ".", "**/*"}, []string{"**/*"}, true},
		{"everything is not within a directory", []string{"**/*"}, []string{"src/**"}, false},
		{"case must agree", []string{"SRC/x"}, []string{"src/**"}, false},
		{"a way out is not within", []string{"src/../../x"}, []string{"**"}, false},
		{"a way back in is", []string{"x/../src/a"}, []string{"src/**"}, true},
		{"braces are within what holds all they could be", []string{"src/{a,b}/x"}, []string{"src/**"}, true},
		{"braces are not proved within a name pattern", []string{"x/{a,b}"}, []string{"x/*"}, false},
		{"braces are within the same braces", []string{"x/{a,b}/c"}, []string{"x/{a,b}"}, true},
		{"an empty tree is unknown, not within", nil, []string{"**"}, false},
		{"nothing is within an empty tree", []string{"a"}, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, g := range algebras {
				if got := g.Within(tt.inner, tt.outer); got != tt.want {
					t.Errorf("%s: Within(%q, %q) = %v, want %v", g, tt.inner, tt.outer, got, tt.want)
				}
			}
		})
	}
}
