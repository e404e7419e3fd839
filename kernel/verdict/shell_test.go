package verdict

import "testing"

func TestWordsOfOthersStayOneWordInAShell(t *testing.T) {
	for word, want := range map[string]string{
		"api": "api", "A-b_c.d/e:f@g%h+i=1": "A-b_c.d/e:f@g%h+i=1",
		"":           "''",
		"my lane":    "'my lane'",
		"docs/**":    "'docs/**'",
		"it's":       `'it'\''s'`,
		"$(rm -rf)":  "'$(rm -rf)'",
		"a\nb":       "'a\nb'",
		"straße":     "'straße'",
		"~":          "'~'",
		"a;b|c&d`e`": "'a;b|c&d`e`'",
	} {
		if got := ShellWord(word); got != want {
			t.Errorf("%q is written %s, want %s", word, got, want)
		}
	}
}
