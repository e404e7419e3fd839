package lane_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestCleanTree(t *testing.T) {
	tests := []struct {
		name     string
		in, want []string
	}{
		{"nothing stays nothing", nil, []string{}},
		{"empty entries are dropped", []string{"", "src", ""}, []string{"src"}},
		{"a clean entry is kept, case and all", []string{"Src/**/*.Go"}, []string{"Src/**/*.Go"}},
		{"white space around is trimmed", []string{"\t src/ \n"}, []string{"src/"}},
		{"backslashes are slashes", []string{`src\api\**`}, []string{"src/api/**"}},
		{"a leading dot segment goes", []string{"./src/**"}, []string{"src/**"}},
		{"slashes collapse", []string{"src///a//b/"}, []string{"src/a/b/"}},
		{"dot segments go", []string{"src/./a/."}, []string{"src/a/"}},
		{"dot-dot is resolved", []string{"a/../src/b/.."}, []string{"src/"}},
		{"the top of the repository is everything", []string{"."}, []string{"**/*"}},
		{"what resolves to the top is everything", []string{"a/.."}, []string{"**/*"}},
		{"a hidden file is no dot segment", []string{".github/..x/..."}, []string{".github/..x/..."}},
		{"spellings of one entry are one", []string{"src/a", "./src//a", "src/a"}, []string{"src/a"}},
		{"spaces inside a name stay", []string{"a b/ c"}, []string{"a b/ c"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := lane.CleanTree(tt.in)
			if err != nil || got == nil || !slices.Equal(got, tt.want) {
				t.Errorf("CleanTree(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
			}
		})
	}
}

var unclean = map[string]string{
	"white space alone":                 "  \t",
	"an absolute path":                  "/src",
	"the root":                          "/",
	"a share":                           `\\host\share`,
	"a drive":                           "C:/src",
	"a drive-relative path":             "c:src",
	"a drive behind a dot":              "./C:/src",
	"a way out":                         "../src",
	"a way out in the middle":           "a/../../src",
	"a way out with backslashes":        `..\src`,
	"dot-dot after a wildcard":          "a/*/../b",
	"an exception":                      "!src",
	"an exception behind a dot":         "./!src",
	"a NUL":                             "a\x00b",
	"a line feed":                       "a\nb",
	"an escape":                         "a\x1b[31mb",
	"a C1 control":                      "a\u0085b",
	"bytes outside UTF-8":               "caf\xe9",
	"white space once cleaned":          "./ src",
	"more bytes than an entry holds":    strings.Repeat("a", 1025),
	"more segments than an entry holds": strings.Repeat("a/", 64) + "a",
}

func TestCleanTreeRefuses(t *testing.T) {
	for name, entry := range unclean {
		t.Run(name, func(t *testing.T) {
			if got, err := lane.CleanTree([]string{"src", entry}); err == nil {
				t.Errorf("CleanTree(%q) = %q, want an error", entry, got)
			}
		})
	}
	t.Run("more entries than a tree holds", func(t *testing.T) {
		if _, err := lane.CleanTree(make([]string, 1025)); err == nil {
			t.Error("want an error")
		}
	})
}

// Where an entry that cannot be cleaned is met in a stored tree, it may name
// any file, and no file surely lies in it.
func TestUncleanEntriesFailClosed(t *testing.T) {
	for name, entry := range unclean {
		t.Run(name, func(t *testing.T) {
			for _, g := range algebras {
				if g.Disjoint([]string{entry}, []string{"zzz/only.txt"}) || g.Disjoint([]string{"zzz/only.txt"}, []string{entry}) {
					t.Errorf("%s: %q is disjoint from something", g, entry)
				}
				if g.Within([]string{"a", entry}, []string{"**"}) || g.Within([]string{"a"}, []string{entry}) {
					t.Errorf("%s: %q is within, or holds, something", g, entry)
				}
			}
			if lane.Glob.Contains([]string{entry}, "src") || lane.Glob.Contains([]string{entry}, entry) {
				t.Errorf("%q contains a path", entry)
			}
		})
	}
}

// A tree that is cleaned is clean.
func FuzzCleanTreeIsStable(f *testing.F) {
	for _, s := range []string{"./src/**", "a/../b", " x ", `a\b`, "a/./", ".../x", "C:", "./ x/."} {
		f.Add(s)
	}
	for _, s := range unclean {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, entry string) {
		once, err := lane.CleanTree([]string{entry})
		if err != nil {
			return
		}
		twice, err := lane.CleanTree(once)
		if err != nil || !slices.Equal(once, twice) {
			t.Errorf("CleanTree(%q) = %q, and again %q, %v", entry, once, twice, err)
		}
		for _, e := range once {
			if strings.HasPrefix(e, "/") || slices.Contains(strings.Split(e, "/"), "..") || strings.Contains(e, `\`) {
				t.Errorf("CleanTree(%q) left %q", entry, e)
			}
		}
	})
}
