package lane

import (
	"strings"
	"testing"
)

// Every pair out of all entries of up to two segments, each "**" or one or
// two steps, is compared with brute force. The paths tried are enough: a pair
// that meets at all meets in a path of four names of two characters or less.
func TestGlobIsExact(t *testing.T) {
	entries := upTo(2, append(upToJoined(2, []string{"1", "2", "*", "?", "[!1]"}), "**"))
	paths := upTo(4, upToJoined(2, []string{"1", "2"}))

	held := make([][]uint64, len(entries))
	compiled := make([]pattern, len(entries))
	for i, e := range entries {
		scope := NewScope([]string{e})
		held[i] = make([]uint64, len(paths)/64+1)
		for j, p := range paths {
			if scope.Contains(p) {
				held[i][j/64] |= 1 << (j % 64)
			}
		}
		compiled[i] = Glob.pattern(e)
	}
	met, wrong := 0, 0
	for i := range entries {
		for j := range i + 1 {
			want := common(held[i], held[j])
			if want {
				met++
			}
			if compiled[i].meets(compiled[j]) == want && compiled[j].meets(compiled[i]) == want {
				continue
			}
			if wrong++; wrong < 10 {
				t.Errorf("%q and %q: a common path exists: %v", entries[i], entries[j], want)
			}
		}
	}
	if pairs := len(entries) * (len(entries) + 1) / 2; met == 0 || met == pairs {
		t.Errorf("%d of %d pairs meet: the test shows nothing", met, pairs)
	}
}

// Within proves nothing false on the same entries, and proves what it must:
// every entry within itself, within its directory and within everything.
func TestWithinIsSound(t *testing.T) {
	entries := upTo(2, append(upToJoined(2, []string{"1", "*", "?", "[!1]"}), "**"))
	paths := upTo(3, upToJoined(2, []string{"1", "2"}))
	scopes := make([]Scope, len(entries))
	held := make([][]bool, len(entries))
	for i, e := range entries {
		scopes[i] = NewScope([]string{e})
		held[i] = make([]bool, len(paths))
		for j, p := range paths {
			held[i][j] = scopes[i].Contains(p)
		}
	}
	for i, inner := range entries {
		for j, outer := range entries {
			if !scopes[j].holds(inner) {
				continue
			}
			for k, p := range paths {
				if held[i][k] && !held[j][k] {
					t.Fatalf("%q is said to be within %q, yet only it contains %q", inner, outer, p)
				}
			}
		}
		dir, _, _ := strings.Cut(inner, "/")
		for _, outer := range []string{inner, dir, "**", "**/*", "*"} {
			if !NewScope([]string{outer}).holds(inner) {
				t.Errorf("%q is not proved within %q", inner, outer)
			}
		}
	}
}

func common(a, b []uint64) bool {
	for i := range a {
		if a[i]&b[i] != 0 {
			return true
		}
	}
	return false
}

// upTo lists the slash-separated sequences of one to n parts.
func upTo(n int, parts []string) []string { return sequences(n, parts, "/") }

// upToJoined lists the strings of one to n parts.
func upToJoined(n int, parts []string) []string { return sequences(n, parts, "") }

func sequences(n int, parts []string, sep string) []string {
	all := append([]string{}, parts...)
	last := all
	for range n - 1 {
		var next []string
		for _, s := range last {
			for _, p := range parts {
				next = append(next, s+sep+p)
			}
		}
		all, last = append(all, next...), next
	}
	return all
}
