package main

import "testing"

func TestFieldsAreQuotedWhereTheyMustBe(t *testing.T) {
	for field, want := range map[string]string{
		"":         "-",
		"-":        `"-"`,
		"api":      "api",
		"a b":      "a b",
		"é/ü":      "é/ü",
		"a\tb":     `"a\tb"`,
		"a\nb":     `"a\nb"`,
		`say "hi"`: `"say \"hi\""`,
		`a\b`:      `"a\\b"`,
		"\x1b[2J":  `"\033[2J"`,
		"\xff":     `"\377"`,
		"\u202e":   `"\342\200\256"`,
		"\ufffd":   "\ufffd",
	} {
		if got := quoteField(field); got != want {
			t.Errorf("%q: got %s, want %s", field, got, want)
		}
	}
}

func TestRecordText(t *testing.T) {
	records := []record{{"held", "1", "a\tb"}, {"held", "2", "a\tb"}, {"", "3", "c"}}
	for claim, c := range map[string]struct {
		fields, null bool
		want         string
	}{
		"names":                 {false, true, "a\tb\x00c\x00"},
		"fields":                {true, false, "held\t1\t\"a\\tb\"\nheld\t2\t\"a\\tb\"\n-\t3\tc\n"},
		"fields, each ended so": {true, true, "held\t1\ta\tb\x00held\t2\ta\tb\x00-\t3\tc\x00"},
	} {
		if got := recordText(records, c.fields, c.null); got != c.want {
			t.Errorf("%s: got %q, want %q", claim, got, c.want)
		}
	}
	if got := recordText(nil, true, true); got != "" {
		t.Errorf("no record is %q", got)
	}
}
