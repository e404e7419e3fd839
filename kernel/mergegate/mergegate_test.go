package mergegate

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func id(c string) string { return strings.Repeat(c, 40) }

// fine is the evidence of a branch that nothing speaks against.
func fine() Evidence {
	return Evidence{
		Branch: "refs/heads/work", CandidateID: id("c"), Into: "refs/heads/main", IntoID: id("a"), BaseID: id("b"), Commits: 2,
		Suite: Suite{Ran: true, Command: []string{"make", "test"}, Tree: id("d"), On: OnMerge},
		Audit: Audit{Commits: 2, Witnessed: 1, Abstained: 1},
	}
}

func TestDecide(t *testing.T) {
	broken := Claim{Commit: id("e"), Unit: "AUTH/AUTH1", Reason: "it is empty"}
	for _, c := range []struct {
		claim string
		edit  func(*Evidence)
		want  []Cause
	}{
		{"nothing speaks against it", func(*Evidence) {}, nil},
		{"a suite that fails does", func(ev *Evidence) { ev.Suite.Exit = 1 }, []Cause{SuiteRed}},
		{"and one that a signal ended", func(ev *Evidence) { ev.Suite.Exit = -1 }, []Cause{SuiteRed}},
		{"and one that was stopped", func(ev *Evidence) { ev.Suite.TimedOut = true }, []Cause{SuiteRed}},
		{"and one that was not run", func(ev *Evidence) { ev.Suite = Suite{} }, []Cause{SuiteUnrun}},
		{"unless the caller left it out", func(ev *Evidence) { ev.Suite, ev.NoSuite = Suite{}, true }, nil},
		{"but what ran and failed is not left out", func(ev *Evidence) { ev.Suite.Exit, ev.NoSuite = 1, true }, []Cause{SuiteRed}},
		{"a conflict refuses, and there is nothing to run", func(ev *Evidence) { ev.Suite, ev.Conflicts = Suite{}, []string{"a"} }, []Cause{MergeConflict}},
		{"also one without a path", func(ev *Evidence) { ev.Suite, ev.Conflict = Suite{}, true }, []Cause{MergeConflict}},
		{"also for who left the suite out", func(ev *Evidence) { ev.Suite, ev.NoSuite, ev.Conflicts = Suite{}, true, []string{"a"} }, []Cause{MergeConflict}},
		{"a claim that holds is fine", func(ev *Evidence) { ev.Claims = []Claim{{Holds: true}} }, nil},
		{"one that does not refuses", func(ev *Evidence) { ev.Claims = []Claim{{Holds: true}, broken} }, []Cause{TruthDirty}},
		{"an unwitnessed commit refuses", func(ev *Evidence) { ev.Audit = Audit{Commits: 2, Witnessed: 1, Unwitnessed: 1} }, []Cause{AuditUnwitnessed}},
		{"tests that fail without the change are fine", func(ev *Evidence) { ev.Test = &TestWitness{Outcome: Discriminates} }, nil},
		{"any other witness that was asked for refuses", func(ev *Evidence) { ev.Test = &TestWitness{Outcome: Vacuous} }, []Cause{TestNotWitnessed}},
		{"no witness at all among them", func(ev *Evidence) { ev.Test = &TestWitness{} }, []Cause{TestNotWitnessed}},
		{"all causes are told, the weightiest first", func(ev *Evidence) {
			ev.Suite.Exit, ev.Claims, ev.Test = 3, []Claim{broken}, &TestWitness{Outcome: Unsatisfied}
			ev.Audit = Audit{Commits: 2, Unwitnessed: 2, Shas: []string{id("f")}}
		}, []Cause{SuiteRed, TruthDirty, AuditUnwitnessed, TestNotWitnessed}},
		{"without a suite too", func(ev *Evidence) {
			ev.Suite, ev.Claims, ev.Audit = Suite{}, []Claim{broken}, Audit{Commits: 2, Unwitnessed: 2}
		}, []Cause{SuiteUnrun, TruthDirty, AuditUnwitnessed}},
	} {
		ev := fine()
		c.edit(&ev)
		v := Decide(ev)
		wantOutcome, wantExit, first := Clean, 0, Cause("")
		if len(c.want) > 0 {
			wantOutcome, wantExit, first = Refuse, 3, c.want[0]
		}
		if v.Outcome != wantOutcome || v.ExitCode() != wantExit || v.Cause != first || !slices.Equal(v.Causes, c.want) || v.Reason == "" {
			t.Errorf("%s: %s %d %q %v: %s", c.claim, v.Outcome, v.ExitCode(), v.Cause, v.Causes, v.Reason)
		}
	}
}

// A gate that looked at nothing does not open.
func TestNothingLookedAtIsNoVerdict(t *testing.T) {
	for claim, edit := range map[string]func(*Evidence){
		"no commit":                    func(ev *Evidence) { ev.Commits, ev.Audit = 0, Audit{} },
		"a commit that nobody audited": func(ev *Evidence) { ev.Audit.Commits = 1 },
		"no candidate":                 func(ev *Evidence) { ev.CandidateID = "" },
		"nothing to merge into":        func(ev *Evidence) { ev.IntoID = "" },
		"all of it":                    func(ev *Evidence) { *ev = Evidence{} },
	} {
		ev := fine()
		edit(&ev)
		if v := Decide(ev); v.ExitCode() != 2 || v.Outcome != "" {
			t.Errorf("%s: %s %d", claim, v.Outcome, v.ExitCode())
		}
	}
}

func TestTwoRunsWitnessTests(t *testing.T) {
	pass, fail := Suite{Ran: true}, Suite{Ran: true, Exit: 1}
	stopped, killed := Suite{Ran: true, TimedOut: true}, Suite{Ran: true, Exit: -1}
	for _, c := range []struct {
		claim     string
		tests     []string
		baseline  *Suite
		candidate Suite
		want      WitnessOutcome
	}{
		{"fail, then pass", []string{"t"}, &fail, pass, Discriminates},
		{"pass either way", []string{"t"}, &pass, pass, Vacuous},
		{"pass, then fail", []string{"t"}, &pass, fail, Regressive},
		{"fail either way", []string{"t"}, &fail, fail, Unsatisfied},
		{"no test", nil, &fail, pass, Abstains},
		{"no run without the change", []string{"t"}, nil, pass, Abstains},
		{"no run with it", []string{"t"}, &fail, Suite{}, Abstains},
		{"a run that was stopped has not failed", []string{"t"}, &stopped, pass, Abstains},
		{"nor one that a signal ended", []string{"t"}, &killed, pass, Abstains},
		{"on either side", []string{"t"}, &pass, stopped, Abstains},
		{"a run that did not happen has not passed", []string{"t"}, &Suite{}, pass, Abstains},
	} {
		if w := Witness(c.tests, c.baseline, c.candidate); w.Outcome != c.want || w.Reason == "" || w.Tests == nil {
			t.Errorf("%s: %+v, want %s", c.claim, w, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	ev := fine()
	ev.Suite.Exit, ev.Suite.Output = 2, strings.Repeat("early\n", 50)+"the last words\n"
	ev.Claims = []Claim{{Commit: id("e"), Unit: "AUTH/AUTH1", Reason: "it is empty"}}
	text := Decide(ev).String()
	for _, want := range []string{
		"REFUSE refs/heads/work into refs/heads/main\n  suite-red: the suite failed with exit status 2\n" +
			"  truth-dirty: by its Dos-Ship trailer eeeeeeeeeeee ships \"AUTH/AUTH1\", and it does not: it is empty\n" +
			"  candidate cccccccccccc, base bbbbbbbbbbbb, 2 commits\n",
		"  suite     make test, exit 2 on the merge dddddddddddd\n", "  audit     1 witnessed, 1 abstained, 0 unwitnessed\n",
		"  claim     AUTH/AUTH1 eeeeeeeeeeee does not hold: it is empty\n", "  | the last words\n",
		"  next: git dos verify AUTH/AUTH1 --ref cccccccccccc --explain\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Count(text, "early") >= shownLines {
		t.Error("all of the output is shown")
	}
	ev.Suite.Output = "\n"
	if text := Decide(ev).String(); strings.Contains(text, "|") {
		t.Errorf("blank output is shown:\n%s", text)
	}
	ev = fine()
	ev.Suite, ev.NoSuite = Suite{}, true
	v := Decide(ev)
	data, err := json.Marshal(v)
	if err != nil || !strings.Contains(v.String(), "  suite     left out on request\n") {
		t.Errorf("%v\n%s", err, v)
	}
	for _, want := range []string{`"refuse_cause":""`, `"refuse_causes":[]`, `"no_suite":true`, `"suite":{"ran":false,"exit":-1}`, `"claims":[]`, `"unwitnessed_shas":[]`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is not in %s", want, data)
		}
	}
}

func TestOneIsNotMany(t *testing.T) {
	ev := fine()
	ev.Commits, ev.Audit = 1, Audit{Commits: 1, Witnessed: 1}
	ev.Claims = []Claim{{Unit: "AUTH/AUTH1", Holds: true}}
	if v := Decide(ev); v.Reason != "1 commit audited, 1 unit holds, and the suite passed" || !strings.Contains(v.String(), "base bbbbbbbbbbbb, 1 commit\n") {
		t.Errorf("%s", v)
	}
	ev.Claims = nil
	if v := Decide(ev); v.Reason != "1 commit audited, 0 units hold, and the suite passed" {
		t.Errorf("%s", v)
	}
	ev.Suite.Submodules, ev.Conflicts, ev.Audit = 1, []string{"a"}, Audit{Commits: 1, Unwitnessed: 1, Shas: []string{id("f")}}
	v := Decide(ev)
	for _, want := range []string{"1 path in conflict", "1 commit claims what its diff does not carry, ffffffffffff", "(1 submodule not checked out)"} {
		if !strings.Contains(v.String(), want) {
			t.Errorf("%q is not in\n%s", want, v)
		}
	}
}

// What to do next is about the first cause that something can be done about,
// and puts no name into a command that a shell would take apart.
func TestNextIsSafeToPaste(t *testing.T) {
	for _, c := range []struct {
		edit func(*Evidence)
		want string
	}{
		{func(*Evidence) {}, ""},
		{func(ev *Evidence) { ev.Suite.Exit = 1 }, ""},
		{func(ev *Evidence) { ev.Conflict = true }, "rebase the branch onto aaaaaaaaaaaa, or merge that into it"},
		{func(ev *Evidence) { ev.Suite = Suite{} }, "set gates.trunk_would_not_compile.command in the dos.toml there, or leave the suite out with --no-suite"},
		{func(ev *Evidence) { ev.Audit = Audit{Commits: 2, Unwitnessed: 2} }, "git dos commit-audit aaaaaaaaaaaa..cccccccccccc"},
		{func(ev *Evidence) { ev.Claims = []Claim{{Unit: "A/$(rm -r .)"}, {Unit: "A/1"}} }, "git dos verify A/1 --ref cccccccccccc --explain"},
		{func(ev *Evidence) { ev.Claims = []Claim{{Unit: "--x/y"}, {Unit: "nonsense"}} }, "amend the message, or let the commit do what it says"},
	} {
		ev := fine()
		ev.Branch = "refs/heads/a;b"
		c.edit(&ev)
		if v := Decide(ev); v.Next != c.want {
			t.Errorf("%v: next %q, want %q", v.Causes, v.Next, c.want)
		}
	}
}
