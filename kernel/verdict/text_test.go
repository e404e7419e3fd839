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

func TestTextOfOthersIsFitForATerminal(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"a lane":                            "a lane",
		"Grüße":                             "Grüße",
		"\x1b[31mred":                       `"\x1b[31mred"`,
		"a\u202eb":                          `"a\u202eb"`,
		"\xff":                              `"\xff"`,
		strings.Repeat("x", 120):            strings.Repeat("x", 120),
		strings.Repeat("x", 121):            strings.Repeat("x", 120) + "...",
		strings.Repeat("ü", 61):             strings.Repeat("ü", 60) + "...",
		"xx" + strings.Repeat("\u65e5", 50): "xx" + strings.Repeat("\u65e5", 39) + "...",
	} {
		if got := Show(text); got != want {
			t.Errorf("Show(%q) = %s, want %s", text, got, want)
		}
	}
}
