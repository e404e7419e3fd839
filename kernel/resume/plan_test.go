package resume

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestDecide(t *testing.T) {
	half := fold(intent("s1", "s2", "s3"), claimed("s1", "a"), verified("s1", "a"), claimed("s2", "b"))
	gap := fold(intent("s1", "s2", "s3"), verified("s1", "a"), verified("s3", "c"))
	all := fold(intent("s1", "s2"), verified("s1", "a"), verified("s2", "b"))
	away := func(f *Fact) { f.Ancestor = false }
	for _, c := range []struct {
		claim    string
		ev       Evidence
		want     Outcome
		from     string
		verified int
		exit     int
	}{
		{"what is left is done from the last verified step on", seen(half), Resumable, sha("a"), 1, 0},
		{"a step after a gap does not count", seen(gap), Resumable, sha("a"), 1, 0},
		{"nothing verified starts at the start", seen(fold(intent("s1"))), Resumable, sha("start"), 0, 0},
		{"a claim is no step", seen(fold(intent("s1"), claimed("s1", "a"))), Resumable, sha("start"), 0, 0},
		{"a start that history lost is none", seen(half, func(ev *Evidence) { ev.Started, ev.Facts = false, nil }), Resumable, "", 0, 0},
		{"all steps are the run", seen(all), Complete, sha("b"), 2, 0},
		{"whatever others do", seen(all, others(3)), Complete, sha("b"), 2, 0},
		{"also when nobody looked", seen(all, func(ev *Evidence) { ev.Lane.Since = "x" }), Complete, sha("b"), 2, 0},
		{"others on the lane stop it", seen(half, others(1)), Diverged, sha("a"), 1, 3},
		{"and so does the operator", seen(half, func(ev *Evidence) { ev.Lane.Forced = true }), Diverged, sha("a"), 1, 3},
		{"who need not count", seen(half, func(ev *Evidence) { ev.Lane = Lane{Since: "x", Forced: true} }), Diverged, sha("a"), 1, 3},
		{"what nobody counted is not none", seen(half, func(ev *Evidence) { ev.Lane.Since = sha("a") }), "", "", 0, 2},
		{"nor what was counted from elsewhere", seen(half, func(ev *Evidence) { ev.Lane = Lane{Since: sha("start"), Counted: true} }), "", "", 0, 2},
		{"from nowhere there is nothing to count", seen(half, func(ev *Evidence) { ev.Started, ev.Facts, ev.Lane.Since = false, nil, "x" }), Resumable, "", 0, 0},
		{"a rebased step is undone", seen(half, only("s1", away)), Resumable, sha("start"), 0, 0},
		{"no ledger is no run", seen(fold()), Unresumable, "", 0, 4},
		{"a phase alone is no intent", seen(fold(Row{Op: OpIntent, RunID: run, Phase: "P1", StartSha: sha("start")})), Unresumable, "", 0, 4},
		{"without an id there is no answer", seen(New("")), "", "", 0, 2},
	} {
		v := Decide(c.ev)
		wantPlan(t, c.claim, v, c.want, c.from, c.verified)
		if v.ExitCode() != c.exit || (v.Err() == nil) != (c.exit != 2) || v.Reason == "" {
			t.Errorf("%s: exit %d, %v, %q; want %d", c.claim, v.ExitCode(), v.Err(), v.Reason, c.exit)
		}
		if v.Outcome != "" && v.Outcome != Unresumable && !slices.Equal(append(slices.Clone(v.Verified), v.Residual...), c.ev.State.Declared()) {
			t.Errorf("%s: %q and %q are not what was declared", c.claim, v.Verified, v.Residual)
		}
		if (v.ProposedCommand != "") != (v.Outcome == Resumable) {
			t.Errorf("%s: command %q", c.claim, v.ProposedCommand)
		}
	}
	if v := Decide(seen(fold())); v.Reason != "it has no ledger" {
		t.Errorf("without a ledger: %q", v.Reason)
	}
	if v := (Verdict{}); v.ExitCode() != 2 || v.Err() == nil {
		t.Errorf("nothing decided is %d, %v", v.ExitCode(), v.Err())
	}
}

func TestTheWorkOfARunWithoutSteps(t *testing.T) {
	for _, c := range []struct {
		claim string
		row   Row
		want  string
	}{
		{"is its goal", Row{Goal: "ship it", Plan: "AUTH", Phase: "P1"}, "ship it"},
		{"else its unit", Row{Plan: "AUTH", Phase: "P1"}, "AUTH P1"},
		{"or its plan", Row{Plan: "AUTH"}, "AUTH"},
		{"and never nothing", Row{Plan: " "}, "(declared goal)"},
	} {
		c.row.Op, c.row.RunID = OpIntent, run
		v := Decide(seen(fold(c.row)))
		if !slices.Equal(v.Residual, []string{c.want}) || v.Outcome != Resumable || len(v.Verified) != 0 {
			t.Errorf("%s: %+v, want %q", c.claim, v, c.want)
		}
		if v := Decide(seen(fold(c.row), others(1))); v.Outcome != Diverged {
			t.Errorf("%s: %s with others on the lane", c.claim, v.Outcome)
		}
	}
}

// Whoever can write to a ref can write a row. None makes a step done.
func TestAForgedStepVerifiedNeverCounts(t *testing.T) {
	row := func(change func(*Row)) State {
		forged := verified("s1", "a")
		change(&forged)
		return fold(intent("s1", "s2"), forged)
	}
	same := func(*Row) {}
	for claim, ev := range map[string]Evidence{
		"whose commit history does not hold":   seen(row(same), facts(func(f *Fact) { f.Ancestor = false })),
		"whose commit does not exist":          seen(row(same), facts(func(f *Fact) { f.Commit = "" })),
		"whose commit is older than the run":   seen(row(same), facts(func(f *Fact) { f.Younger = false })),
		"whose commit has none of the step":    seen(row(same), facts(func(f *Fact) { f.Touches = false })),
		"whose commit is another run's":        seen(row(same), facts(func(f *Fact) { f.Foreign = true })),
		"which history was not asked about":    seen(row(same), func(ev *Evidence) { ev.Facts = nil }),
		"when history was asked about another": seen(row(same), facts(func(f *Fact) { f.Sha = sha("b") })),
		"or about another step":                seen(row(same), facts(func(f *Fact) { f.Step = "s2" })),
		"without a commit that anybody looked up": seen(row(func(r *Row) { r.Sha = "" }), func(ev *Evidence) {
			ev.Facts = []Fact{{Step: "s1", Commit: sha("a"), Ancestor: true, Younger: true, Touches: true}}
		}),
		"without a commit":                       seen(row(func(r *Row) { r.Sha = "" })),
		"found in a subject":                     seen(row(func(r *Row) { r.Via = "grep-subject" })),
		"found somehow":                          seen(row(func(r *Row) { r.Via = "" })),
		"of another run":                         seen(row(func(r *Row) { r.RunID = "RID-02" })),
		"for a step that was not declared":       seen(row(func(r *Row) { r.StepID = "s9" })),
		"in another spelling":                    seen(row(func(r *Row) { r.StepID = "S1" })),
		"over a verified one, of another commit": seen(fold(intent("s1"), verified("s1", "a"), verified("s1", "z")), facts(func(f *Fact) { f.Ancestor = f.Sha == sha("a") })),
	} {
		wantPlan(t, claim, Decide(ev), Resumable, sha("start"), 0)
	}
	bySubject := row(func(r *Row) { r.Via = "grep-subject" })
	v := Decide(seen(bySubject, func(ev *Evidence) { ev.Policy.AnyVia = true }))
	wantPlan(t, "but a policy may take any way to find it", v, Resumable, sha("a"), 1)
	registry := row(func(r *Row) { r.Via = ViaRegistry })
	wantPlan(t, "and a registry is one", Decide(seen(registry)), Resumable, sha("a"), 1)
}

// Declared steps cannot be talked away, in whatever order the rows come.
func TestShrinkingDeclaredStepsNeverCompletesARun(t *testing.T) {
	begun := []Row{intent("s1", "s2", "s3"), verified("s1", "a"), verified("s2", "b")}
	for _, c := range []struct {
		claim string
		later Row
		want  Outcome
	}{
		{"dropping what is left changes nothing", intent("s1", "s2"), Resumable},
		{"nor does declaring nothing", intent(), Resumable},
		{"dropping one in the middle is a contradiction", intent("s1", "s3"), Unresumable},
		{"so is another order", intent("s2", "s1", "s3"), Unresumable},
		{"and other steps", intent("x"), Unresumable},
		{"more steps are more work", intent("s1", "s2", "s3", "s4"), Resumable},
	} {
		for _, rows := range [][]Row{append(slices.Clone(begun), c.later), append([]Row{c.later}, begun...)} {
			s := New(run)
			for i, r := range rows {
				s.Add([]string{"n1", "n2"}[i%2], r)
			}
			v := Decide(seen(s))
			if v.Outcome != c.want || v.Unreadable != (c.want == Unresumable) || v.Outcome != Unresumable && !slices.Contains(v.Residual, "s3") {
				t.Errorf("%s: %+v", c.claim, v)
			}
			if done := Completed(v, nil); done.IsDone || v.Reach() != Reachable {
				t.Errorf("%s: %+v, %s", c.claim, done, v.Reach())
			}
		}
	}
}

func TestThePlanAsJSONAndText(t *testing.T) {
	v := Decide(seen(fold(intent("s1", "s2"), verified("s1", "a"), suspend())))
	data, err := json.Marshal(v)
	want := `{"verdict":"RESUMABLE","reason":"1 of 2 steps are in history without a gap","run_id":"RID-01","resume_sha":"` + sha("a") +
		`","residual":["s2"],"verified":["s1"],"declared":["s1","s2"],"predecessor_run_id":"RID-01","already_proposed":false,` +
		`"proposed_now":false,"proposed_command":"git dos intent --run-id RID-01","suspended":true}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v; want %s", data, err, want)
	}
	text := "RESUMABLE RID-01: 1 of 2 steps are in history without a gap\n  from: " + sha("a") + "\n  left: s2\n  next: git dos intent --run-id RID-01"
	if v.String() != text {
		t.Errorf("%s\nwant %s", v, text)
	}
	odd := New("a'b")
	odd.Add("n1", Row{Op: OpIntent, RunID: "a'b", Goal: "\x1b[2J"})
	if got := Decide(seen(odd)).String(); strings.ContainsRune(got, '\x1b') || !strings.HasSuffix(got, `--run-id 'a'\''b'`) {
		t.Errorf("%q reaches a terminal", got)
	}
	if empty, err := json.Marshal(Decide(seen(fold()))); err != nil || !strings.Contains(string(empty), `"residual":[],"verified":[],"declared":[]`) {
		t.Errorf("%s, %v", empty, err)
	}
	many := seen(fold(intent("s1")), others(1000), func(ev *Evidence) { ev.Lane.Shas = make([]string, 1000) })
	if v := Decide(many); v.Others != 1000 || len(v.OtherShas) != mostShas {
		t.Errorf("%d commits listed of %d", len(v.OtherShas), v.Others)
	}
}
