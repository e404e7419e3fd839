package resume

import (
	"slices"
	"strings"
	"testing"
)

func TestD19AProposalHoldsUntilTheNextIntent(t *testing.T) {
	declared := []Row{intent("s1", "s2"), verified("s1", "a")}
	for _, c := range []struct {
		claim string
		more  []Row
		want  bool
	}{
		{"nothing was proposed", nil, false},
		{"the same was", []Row{proposal("a", "s2")}, true},
		{"twice is once", []Row{proposal("a", "s2"), proposal("a", "s2")}, true},
		{"another start is another", []Row{proposal("b", "s2")}, false},
		{"other work too", []Row{proposal("a", "s1", "s2")}, false},
		{"or as much of it", []Row{proposal("a", "s1")}, false},
		{"and in another order", []Row{proposal("a", "s2", "s1")}, false},
		{"an intent after it is a new life", []Row{proposal("a", "s2"), intent()}, false},
		{"which can crash like the first", []Row{proposal("a", "s2"), intent(), proposal("a", "s2")}, true},
		{"another proposal beside it changes nothing", []Row{proposal("a", "s2"), proposal("start", "s1", "s2")}, true},
		{"nor does anything else", []Row{proposal("a", "s2"), suspend(), claimed("s2", "b")}, true},
		{"one of another run is another's", []Row{{Op: OpResumeProposed, RunID: "RID-02", ResumeSha: sha("a"), Residual: []string{"s2"}}}, false},
	} {
		v := Decide(seen(fold(append(slices.Clone(declared), c.more...)...)))
		if v.Outcome != Resumable || v.AlreadyProposed != c.want {
			t.Errorf("%s: %s, already %v", c.claim, v.Outcome, v.AlreadyProposed)
		}
		if row, ok := v.Proposal(); ok == c.want || ok && (row.ResumeSha != v.ResumeSha || !slices.Equal(row.Residual, v.Residual) || row.PredecessorRunID != run) {
			t.Errorf("%s: proposes %+v %v", c.claim, row, ok)
		}
	}
	// What a verdict proposes is what the next one finds.
	s := fold(declared...)
	row, _ := Decide(seen(s)).Proposal()
	row, err := s.Next(row)
	if err != nil {
		t.Fatal(err)
	}
	s.Add("n2", row)
	if v := Decide(seen(s)); !v.AlreadyProposed || v.ProposedNow {
		t.Errorf("%+v", v)
	}
	for _, v := range []Verdict{Decide(seen(s, others(1))), Decide(seen(fold())), Decide(seen(fold(intent("s1"), verified("s1", "a")))), {}} {
		if row, ok := v.Proposal(); ok {
			t.Errorf("%s proposes %+v", v.Outcome, row)
		}
	}
	if !(Verdict{}).Proposed().ProposedNow {
		t.Error("a proposal that was made does not show")
	}
}

func TestD19OnlyWhatCameAfterTheResumePointDiverges(t *testing.T) {
	s := fold(intent("s1", "s2", "s3"), verified("s1", "a"))
	if got := seen(s).Anchor(); got != sha("a") {
		t.Errorf("others are counted after %s, want the last step", got)
	}
	if got := seen(s, facts(func(f *Fact) { f.Ancestor = false })).Anchor(); got != sha("start") {
		t.Errorf("others are counted after %s, want the start", got)
	}
	if v := Decide(seen(s, others(2))); v.Outcome != Diverged || v.Others != 2 {
		t.Errorf("%+v", v)
	}
}

func TestD19ACorruptRowIsUnresumableWhereverItStands(t *testing.T) {
	rows := []string{
		`{"v":1,"op":"INTENT","run_id":"RID-01","declared_steps":["s1"]}`,
		`{"v":1,"op":"STEP_CLAIMED","run_id":"RID-01","step_id":"s1","sha":"` + sha("a") + `"}`,
		`{"v":1,"op":"STEP_VERIFIED","run_id":"RID-01","step_id":"s1","via":"file-path","sha":"` + sha("a") + `"}`,
	}
	for _, bad := range []string{``, `{`, `null`, `7`, `{"v":1,"op":"INTENT","run_id":"RID-01","declared_steps":["s1","s1"]}`, `{"v":2,"op":"INTENT","run_id":"RID-01"}`, `{"v":2,"op":"NEW","run_id":"RID-01"}`} {
		for at := range len(rows) + 1 {
			s := New(run)
			for _, row := range slices.Insert(slices.Clone(rows), at, bad) {
				s.Read("n1", []byte(row))
			}
			v := Decide(seen(s))
			if v.Outcome != Unresumable || !v.Unreadable || v.Reach() != Reachable || v.ResumeSha != "" || len(v.Residual)+len(v.Verified) != 0 {
				t.Errorf("%q before row %d: %+v", bad, at, v)
			}
			if _, err := s.Next(intent("s1")); err == nil {
				t.Errorf("%q before row %d: rows are added to a ledger that cannot be read", bad, at)
			}
		}
	}
	contradicted := fold(intent("s1"), intent("s2"))
	newer := fold(intent("s1"))
	newer.Read("n1", []byte(`{"v":2,"op":"INTENT","run_id":"RID-01"}`))
	for want, s := range map[string]State{"contradicts itself": contradicted, "newer version": newer} {
		if _, err := s.Next(intent("s1")); err == nil || !strings.Contains(err.Error(), want) || !s.Unreadable() {
			t.Errorf("%v, want %q", err, want)
		}
	}
	s := fold(intent("s1"))
	s.Corrupt()
	tolerant := seen(s, func(ev *Evidence) { ev.Policy.TolerateCorrupt = true })
	wantPlan(t, "unless a policy passes over it", Decide(tolerant), Resumable, sha("start"), 0)
}

func TestD19AnIntentMayOnlyExtend(t *testing.T) {
	s := fold(intent("s1", "s2"))
	region := func(step string, globs ...string) Row {
		return Row{Op: OpIntent, StepRegions: map[string][]string{step: globs}}
	}
	for _, c := range []struct {
		claim string
		row   Row
		ok    bool
	}{
		{"the same again", intent("s1", "s2"), true},
		{"more steps", intent("s1", "s2", "s3"), true},
		{"no steps at all", intent(), true},
		{"another goal", Row{Op: OpIntent, Goal: "better"}, true},
		{"nothing new, to take it up again", Row{Op: OpIntent}, true},
		{"fewer steps", intent("s1"), false},
		{"another order", intent("s2", "s1"), false},
		{"a step between", intent("s1", "x", "s2"), false},
		{"a step twice", intent("s1", "s2", "s2"), false},
		{"a step without a name", intent("s1", "s2", ""), false},
		{"a step with blanks around it", intent("s1", "s2", " s3"), false},
		{"a step with a line end", intent("s1", "s2", "s\n3"), false},
		{"another start", Row{Op: OpIntent, StartSha: sha("other")}, false},
		{"a start that is no commit id", Row{Op: OpIntent, StartSha: "HEAD"}, false},
		{"a region for a step", region("s1", "src/**"), true},
		{"a region for no step", region("s9", "src/**"), false},
		{"a region of nothing", region("s1"), false},
	} {
		row, err := s.Next(c.row)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.claim, err)
		}
		if err == nil && (row.RunID != run || row.V != Version || row.Round != 2) {
			t.Errorf("%s: %+v", c.claim, row)
		}
	}
	if s.Region("s1") != nil || s.Round() != 1 || len(s.Declared()) != 2 || len(s.nodes) != 1 {
		t.Errorf("asking changed the state: %+v", s)
	}
	if _, err := New(run).Next(Row{Op: OpIntent, Goal: "x", StartSha: "HEAD"}); err == nil {
		t.Error("a run starts at something that is no commit id")
	}
	bound := fold(intent("s1"), Row{Op: OpIntent, RunID: run, StepRegions: map[string][]string{"s1": {"b", "a"}}})
	if _, err := bound.Next(region("s1", "a", "b", "a")); err != nil {
		t.Errorf("the same region in another order: %v", err)
	}
	if _, err := bound.Next(region("s1", "a")); err == nil {
		t.Error("a region can be changed")
	}
	if _, err := New(run).Next(Row{Op: OpIntent, Phase: "P1", StartSha: sha("start")}); err == nil {
		t.Error("a phase and a start are an intent")
	}
	if _, err := New("").Next(intent("s1")); err == nil || !strings.Contains(err.Error(), "run_id") {
		t.Error("a run without an id has a ledger")
	}
}

func TestD19AStepsCommitIsYoungerThanEveryStartAndBacksOneStep(t *testing.T) {
	shared := fold(intent("s1", "s2"), verified("s1", "a"), verified("s2", "a"))
	apart := func(step string) func(*Evidence) {
		return facts(func(f *Fact) {
			if f.Step == step {
				f.Apart = []string{"s1", "s2"}
			}
		})
	}
	regions := Row{Op: OpIntent, RunID: run, StepRegions: map[string][]string{"s1": {"a/**"}, "s2": {"b/**"}}}
	bound := fold(intent("s1", "s2"), regions, verified("s1", "a"), verified("s2", "a"))
	one := Row{Op: OpIntent, RunID: run, StepRegions: map[string][]string{"s1": {"a/**"}}}
	half := fold(intent("s1", "s2"), one, verified("s1", "a"), verified("s2", "a"))
	other := Row{Op: OpIntent, RunID: run, StepRegions: map[string][]string{"s2": {"b/**"}}}
	rest := fold(intent("s1", "s2"), other, verified("s1", "a"), verified("s2", "a"))
	third := Row{Op: OpIntent, RunID: run, DeclaredSteps: []string{"s1", "s2", "s3"}, StepRegions: map[string][]string{"s3": {"a/b/**"}}}
	three := fold(intent("s1", "s2"), regions, third, verified("s1", "a"), verified("s2", "a"), verified("s3", "a"))
	short := verified("s2", "a")
	short.Sha = short.Sha[:12]
	spelled := fold(intent("s1", "s2"), verified("s1", "a"), short)
	for _, c := range []struct {
		claim string
		ev    Evidence
		want  int
	}{
		{"one commit is one step", seen(shared), 1},
		{"also when it is spelled in two ways", seen(spelled, facts(func(f *Fact) { f.Commit = sha("a") })), 1},
		{"regions alone are not apart", seen(bound), 1},
		{"regions that are apart make it two", seen(bound, apart("s1")), 2},
		{"whichever is asked", seen(bound, apart("s2")), 2},
		{"a step without a region is apart from none", seen(half, apart("s1")), 1},
		{"nor is one with a region from it", seen(rest, apart("s2")), 1},
		{"and two without are not", seen(shared, apart("s2")), 1},
		{"a third step is apart from each of them", seen(three, facts(func(f *Fact) {
			if f.Step == "s2" {
				f.Apart = []string{"s1", "s3"}
			}
		})), 2},
		{"a commit as old as the run backs none", seen(shared, facts(func(f *Fact) { f.Younger = false })), 0},
	} {
		if v := Decide(c.ev); len(v.Verified) != c.want || (v.Outcome == Complete) != (c.want == len(v.Declared)) {
			t.Errorf("%s: %q verified, %s", c.claim, v.Verified, v.Outcome)
		}
	}
	s := fold(intent("s1"), Row{Op: OpIntent, RunID: run, StartSha: sha("later")})
	if got := s.Starts(); !slices.Equal(got, []string{sha("later"), sha("start")}) || s.Start() != sha("later") {
		t.Errorf("a later start lets an older commit in: %q, %q", got, s.Start())
	}
}

func TestD19NothingIsParkedWithoutAnIntent(t *testing.T) {
	if _, err := New(run).Next(suspend()); err == nil {
		t.Error("a run without a ledger is parked")
	}
	phase := fold(Row{Op: OpIntent, RunID: run, Phase: "P1"})
	if _, err := phase.Next(suspend()); err == nil {
		t.Error("a run without an intent is parked")
	}
	if row, err := fold(intent("s1")).Next(suspend()); err != nil || row.Round != 1 {
		t.Errorf("%+v, %v", row, err)
	}
	if v := Decide(seen(fold(suspend()))); v.Outcome != Unresumable || v.Reach() != Collectible || !v.Suspended {
		t.Errorf("%+v", v)
	}
}
