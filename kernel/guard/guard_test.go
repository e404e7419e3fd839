package guard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/verdict"
)

func TestExitStatus(t *testing.T) {
	for outcome, want := range map[Outcome]int{Allow: 0, Deny: 3, Unknown: 4, "": verdict.NoVerdict} {
		if got := (Verdict{Outcome: outcome}).ExitCode(); got != want {
			t.Errorf("%q ends with %d, want %d", outcome, got, want)
		}
	}
}

func TestLimitsAreNeverAllowed(t *testing.T) {
	nested := "ls"
	for range maxDepth {
		nested = "sh -c " + verdict.ShellWord(nested)
	}
	for claim, ev := range map[string]Evidence{
		"a line that is too long":      {Command: "echo " + strings.Repeat("x", MaxCommand)},
		"a script that is too long":    {Argv: []string{"sh", "-c", "echo " + strings.Repeat("x", MaxCommand)}},
		"words that are too long":      {Argv: []string{"git", "status", strings.Repeat("x", MaxCommand)}},
		"a word that is no text":       {Argv: []string{"git", "status", "\xff"}},
		"a word with a NUL":            {Argv: []string{"git", "status\x00"}},
		"brackets in brackets":         {Command: strings.Repeat("(", maxBrackets+1) + "ls" + strings.Repeat(")", maxBrackets+1)},
		"scripts in scripts":           {Command: nested},
		"starters that start starters": {Command: strings.Repeat("nice ", 100) + "ls"},
	} {
		if v := Decide(ev); v.Outcome != Unknown || v.Token != CannotJudge || v.Reason == "" {
			t.Errorf("%s: %+v", claim, v)
		}
	}
	for claim, ev := range map[string]Evidence{
		"a line that is just short enough": {Command: "echo " + strings.Repeat("x", MaxCommand-5)},
		"as many brackets as may be":       {Command: strings.Repeat("( ", maxBrackets) + "ls" + strings.Repeat(" )", maxBrackets)},
	} {
		if v := Decide(ev); v.Outcome != Allow {
			t.Errorf("%s: %.300v", claim, v)
		}
	}
}

func TestTheWordsOfAProgramAreTakenAsTheyAre(t *testing.T) {
	for _, tt := range []struct {
		argv []string
		want Outcome
	}{
		{[]string{"git", "commit", "-m", "x; git push --force"}, Allow},
		{[]string{"git", "commit", "-m", "$(git push --force)"}, Allow},
		{[]string{"git", "push", "--force"}, Deny},
		{[]string{"git", "add", "*"}, Deny},
		{[]string{"git", "add", "~"}, Allow},
		{[]string{"git", "$x"}, Unknown},
		{[]string{"sh", "-c", "git push --force"}, Deny},
		{[]string{"git push --force"}, Allow}, // a program of that name
	} {
		if v := Decide(Evidence{Argv: tt.argv}); v.Outcome != tt.want {
			t.Errorf("%q is %s (%s), want %s", tt.argv, v.Outcome, v.Reason, tt.want)
		}
	}
}

func TestManyFindingsAreBounded(t *testing.T) {
	var line strings.Builder
	for i := range 100 {
		fmt.Fprintf(&line, "git $x%d\n", i)
	}
	v := Decide(Evidence{Command: line.String() + "git push --force"})
	if len(v.Findings) != maxFindings || v.Outcome != Deny || v.Findings[0].Outcome != Deny {
		t.Errorf("%d findings, the first %+v", len(v.Findings), v.Findings[0])
	}
}

func TestTextForPeople(t *testing.T) {
	if got, want := Decide(Evidence{Command: "git push -f"}).String(), "deny: POLICY_BLOCK: git push -f: it overwrites what others have pushed\n  instead: git dos push\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Decide(Evidence{Command: "ls"}).String(); !strings.HasPrefix(got, "allow: ") {
		t.Errorf("%q", got)
	}
}

// Every rule says why and what instead, and is about an option that exists.
func TestEveryRuleIsWhole(t *testing.T) {
	for sub, j := range judged() {
		names := map[string]bool{}
		for _, o := range optionsOf(j) {
			names[o.name] = true
		}
		for name, r := range j.deny {
			if r.why == "" || r.fix == "" {
				t.Errorf("git %s --%s: %+v", sub, name, r)
			}
			if !names[name] && !names[strings.TrimPrefix(name, "no-")] {
				t.Errorf("git %s has no option %s", sub, name)
			}
		}
	}
}

// A command stands in one list alone.
func TestEveryCommandIsJudgedInOneWay(t *testing.T) {
	seen := map[string]bool{}
	for _, list := range [][]string{harmlessCommands, printers, opaque} {
		for _, name := range list {
			if _, found := judged()[name]; seen[name] || found {
				t.Errorf("git %s stands in two lists", name)
			}
			seen[name] = true
		}
	}
}

// A line within the limits is read in little time, however it is built: the
// commands counted bound the work.
func TestScriptsInScriptsAreReadOnce(t *testing.T) {
	line := "git status; git log"
	for range maxDepth - 2 {
		line = "sh -c " + verdict.ShellWord(line) + "; ls"
	}
	if v := Decide(Evidence{Command: line}); v.Outcome != Allow || v.Commands > 40 {
		t.Errorf("%s after %d commands (%s)", v.Outcome, v.Commands, v.Reason)
	}
}
