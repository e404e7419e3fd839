package verdict

import (
	"strings"
	"testing"
)

func TestTextForPeople(t *testing.T) {
	for id, want := range map[string]string{"": "", "ab": "ab", strings.Repeat("0123456789", 4): "012345678901"} {
		if got := Short(id); got != want {
			t.Errorf("Short(%q) = %q, want %q", id, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 paths", 1: "1 path", 2: "2 paths"} {
		if got := Count(n, "path"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
