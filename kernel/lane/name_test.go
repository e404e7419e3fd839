package lane_test

import (
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestLeaf(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"a plain name is its own leaf", "docs-site_2.x", "docs-site_2.x"},
		{"case folds", "Docs", "docs"},
		{"a slash makes no directory", "src/api", "src%2fapi"},
		{"a space is encoded", "a b", "a%20b"},
		{"a percent sign is encoded", "a%2fb", "a%252fb"},
		{"composed and decomposed letters are one name", "e\u0301t\u00c9", "%c3%a9t%c3%a9"},
		{"git's special characters are encoded", "a~^:?*[\\@{", "a%7e%5e%3a%3f%2a%5b%5c%40%7b"},
		{"a reserved name stays as it is", "_dispatcher", "_dispatcher"},
		{"a device name inside a longer one is harmless", "console", "console"},
		{"a lock in the middle is harmless", "a.lock.b", "a.lock.b"},
		{"a k without digits is no slot", "k.x0", "k.x0"},
		{"a name may fill the leaf", strings.Repeat("a", 100), strings.Repeat("a", 100)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := lane.Leaf(tt.in)
			if err != nil || got != tt.want {
				t.Fatalf("Leaf(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
			}
			name, err := lane.FromLeaf(got)
			canonical, _ := lane.Canonical(tt.in)
			if err != nil || name != canonical {
				t.Errorf("FromLeaf(%q) = %q, %v; want %q", got, name, err, canonical)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	tests := map[string]string{
		"nothing":                        "",
		"white space alone":              " \t",
		"white space around":             " src",
		"white space after":              "src ",
		"a control character":            "a\x07b",
		"a line feed":                    "a\nb",
		"an invisible character":         "a\u200bb",
		"a direction mark":               "a\u202eb",
		"a byte outside UTF-8":           "a\xe9",
		"a leading dot":                  ".git",
		"a leading dash":                 "-rf",
		"a trailing dot":                 "a.",
		"two dots":                       "a..b",
		"git's lock suffix":              "a.lock",
		"the suffix in capitals":         "a.LOCK",
		"a device":                       "con",
		"a device in capitals":           "NUL",
		"a device with an extension":     "aux.txt",
		"a numbered device":              "com1",
		"a numbered port":                "lpt9.x",
		"the console":                    "conin$",
		"a slot of undeclared lanes":     "k.00",
		"the slot in capitals":           "K.07",
		"a byte more than the leaf":      strings.Repeat("a", 101),
		"more than the leaf once coded":  strings.Repeat("é", 17),
		"a very long name":               strings.Repeat("a", 1<<20),
		"more than the leaf, all spaces": strings.Repeat(" ", 1<<20),
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := lane.Canonical(in); err == nil {
				t.Errorf("Canonical(%.20q) = %q, want an error", in, got)
			} else if len(err.Error()) > 1000 {
				t.Errorf("the error is %d bytes long", len(err.Error()))
			}
		})
	}
}

func TestFromLeafRefuses(t *testing.T) {
	tests := map[string]string{
		"nothing":                         "",
		"capitals":                        "Docs",
		"a directory":                     "a/b",
		"capital hexadecimal":             "a%2Fb",
		"a cut escape":                    "a%2",
		"an escape of nothing":            "a%",
		"no hexadecimal":                  "a%zz",
		"an escape of a plain character":  "%61",
		"an escape of a capital":          "%41",
		"a decomposed letter":             "e%cc%81",
		"bytes outside UTF-8":             "a%ff",
		"a control character":             "a%0a",
		"the lock suffix":                 "a.lock",
		"a slot":                          "k.00",
		"more than a leaf holds":          strings.Repeat("a", 101),
		"white space at the end":          "a%20",
		"a letter that folds to another":  "%e2%84%aa", // Kelvin sign
		"a letter that folds to two":      "%c3%9f",    // sharp s
		"a raw letter outside the leaves": "é",
	}
	for name, leaf := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := lane.FromLeaf(leaf); err == nil {
				t.Errorf("FromLeaf(%q) = %q, want an error", leaf, got)
			}
		})
	}
}

func TestReserved(t *testing.T) {
	if !lane.Reserved("_render") || lane.Reserved("render_") || lane.Reserved("") {
		t.Error("reserved names are those that begin with an underscore")
	}
}

// Whatever is typed, a leaf is a legal last component of a ref, names the
// same lane when read back, and no other name has it.
func FuzzLeaf(f *testing.F) {
	f.Add("src", "SRC")
	f.Add("a b", "a%20b")
	f.Add("e\u0301", "\u00e9")
	f.Add("stra\u00dfe", "strasse")
	f.Add("\u1fb3\u0345", "\u212a")
	f.Add("@", "@{")
	f.Fuzz(func(t *testing.T, a, b string) {
		leafA, errA := lane.Leaf(a)
		if errA != nil {
			return
		}
		if why := badComponent(leafA); why != "" {
			t.Errorf("Leaf(%q) = %q, which %s", a, leafA, why)
		}
		canonA, err := lane.Canonical(a)
		if err != nil {
			t.Fatalf("Leaf takes %q and Canonical does not: %v", a, err)
		}
		if again, err := lane.Canonical(canonA); err != nil || again != canonA {
			t.Errorf("Canonical(%q) = %q, %v; want it unchanged", canonA, again, err)
		}
		if back, err := lane.FromLeaf(leafA); err != nil || back != canonA {
			t.Errorf("FromLeaf(%q) = %q, %v; want %q", leafA, back, err, canonA)
		}
		if back, err := lane.FromLeaf(b); err == nil {
			if leaf, _ := lane.Leaf(back); leaf != b {
				t.Errorf("FromLeaf takes %q, which is not the leaf of %q", b, back)
			}
		}
		if leafB, err := lane.Leaf(b); err == nil {
			canonB, _ := lane.Canonical(b)
			if (leafA == leafB) != (canonA == canonB) {
				t.Errorf("%q and %q: leaves %q and %q, names %q and %q", a, b, leafA, leafB, canonA, canonB)
			}
		}
	})
}

// badComponent says which rule of git's ref names, or of ours, a leaf breaks.
func badComponent(s string) string {
	switch {
	case s == "" || s == "@":
		return "is empty or @"
	case len(s) > 100:
		return "is too long"
	case s[0] == '.' || s[0] == '-':
		return "begins with a dot or a dash"
	case strings.HasSuffix(s, ".lock") || strings.HasSuffix(s, "."):
		return "ends with .lock or a dot"
	case strings.Contains(s, "..") || strings.Contains(s, "@{"):
		return "holds .. or @{"
	case strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789._-%") != "":
		return "holds a character outside the set"
	}
	return ""
}
