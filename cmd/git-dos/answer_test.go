package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
)

func TestAnswer(t *testing.T) {
	tests := []struct {
		claim, line string
		v           yes
		want        result
	}{
		{"text is the verdict's own", "verify", yes{"SHIPPED a", 0}, result{0, "SHIPPED a\n", ""}},
		{"the status is the verdict's", "verify", yes{"NOT_SHIPPED", 1}, result{1, "NOT_SHIPPED\n", ""}},
		{"a verb's own status counts", "verify", yes{"STALLED", 4}, result{4, "STALLED\n", ""}},
		{"several lines stay several lines", "verify", yes{"a\nb\n", 0}, result{0, "a\nb\n", ""}},
		{"JSON is one line and escapes no HTML", "verify --json", yes{"R&D <x>", 1}, result{1, `{"text":"R&D <x>"}` + "\n", ""}},
		{"quiet leaves the status", "verify --quiet", yes{"STALLED", 4}, result{4, "", ""}},
		{"quiet does not silence JSON", "verify --json --quiet", yes{"x", 0}, result{0, `{"text":"x"}` + "\n", ""}},
		{"a hostile name cannot drive the terminal", "verify", yes{"held by \x1b[31mx", 3}, result{3, `held by \x1b[31mx` + "\n", ""}},
		{"colour marks the outcome", "verify --color always", yes{"SHIPPED a", 0}, result{0, "\x1b[32mSHIPPED\x1b[0m a\n", ""}},
		{"a no is red", "verify --color always", yes{"NO", 1}, result{1, "\x1b[31mNO\x1b[0m\n", ""}},
		{"any other outcome is yellow", "verify --color=always", yes{"LATE x", 3}, result{3, "\x1b[33mLATE\x1b[0m x\n", ""}},
		{"JSON is never coloured", "verify --color always --json", yes{"x", 0}, result{0, `{"text":"x"}` + "\n", ""}},
	}
	for _, tt := range tests {
		got := runAction(tt.line, func(c *cli.Context) error { return answer(c, tt.v) })
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.claim, got, tt.want)
		}
	}
}

// A verdict that decided nothing must not look like one that did.
func TestAnUndecidedVerdictIsAnError(t *testing.T) {
	for _, code := range []int{verdict.NoVerdict, -1, verdict.Interrupted, 256} {
		r := runAction("verify --json", func(c *cli.Context) error { return answer(c, yes{"x", code}) })
		if r.code != 2 || r.out != "" || !strings.Contains(r.err, `"kind":"indeterminate"`) {
			t.Errorf("status %d: %+v", code, r)
		}
	}
}

func TestAVerdictThatIsNoJSONIsAnError(t *testing.T) {
	r := runAction("verify --json", func(c *cli.Context) error { return answer(c, unencodable{}) })
	if r.code != 2 || r.out != "" || !strings.Contains(r.err, "encode the verdict") {
		t.Errorf("%+v", r)
	}
}

type unencodable struct{ yes }

func (unencodable) MarshalJSON() ([]byte, error) { return nil, errors.New("cyclic") }

func TestAnswerLines(t *testing.T) {
	items := []yes{{"a\nb", 0}, {"c&d", 0}}
	lines := func(c *cli.Context) error { return answerLines(c, items) }
	for line, want := range map[string]result{
		"verify":                {0, "a\\nb\nc&d\n", ""},
		"verify --json":         {0, `{"text":"a\nb"}` + "\n" + `{"text":"c&d"}` + "\n", ""},
		"verify --quiet":        {0, "", ""},
		"verify --json --quiet": {0, `{"text":"a\nb"}` + "\n" + `{"text":"c&d"}` + "\n", ""},
	} {
		if got := runAction(line, lines); got != want {
			t.Errorf("%s: %+v, want %+v", line, got, want)
		}
	}
	items = nil
	for i := range 10000 {
		items = append(items, yes{fmt.Sprintf("entry number %d", i), 0})
	}
	if got := runAction("verify", lines); strings.Count(got.out, "\n") != len(items) || !strings.HasSuffix(got.out, "number 9999\n") {
		t.Errorf("%d lines of %d", strings.Count(got.out, "\n"), len(items))
	}
}

func TestWantsColor(t *testing.T) {
	devNull, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer devNull.Close()
	tests := []struct {
		claim, mode, noColor, force string
		want                        bool
	}{
		{"a file is not coloured", "auto", "", "", false},
		{"force colours a file", "auto", "", "1", true},
		{"0 is no force", "auto", "", "0", false},
		{"NO_COLOR outranks force", "auto", "1", "1", false},
		{"the flag outranks NO_COLOR", "always", "1", "", true},
		{"the flag outranks force", "never", "", "1", false},
	}
	for _, tt := range tests {
		t.Setenv("NO_COLOR", tt.noColor)
		t.Setenv("CLICOLOR_FORCE", tt.force)
		if got := wantsColor(tt.mode, devNull, func() bool { return true }); got != tt.want {
			t.Errorf("%s: %v", tt.claim, got)
		}
	}
}
