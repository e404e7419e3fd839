package resume

import (
	"testing"
)

func TestVerify(t *testing.T) {
	s := fold(intent("s1", "s2"), claimed("s1", "a"), verified("s1", "a"), claimed("s2", "b"))
	same := fold(intent("s1", "s2"), claimed("s1", "a"), verified("s1", "a"), claimed("s2", "a"))
	unread := fold(intent("s1", "s2"), claimed("s2", "b"))
	unread.Corrupt()
	good := Fact{Step: "s2", Sha: sha("b"), Commit: sha("b"), Ancestor: true, Younger: true, Touches: true}
	but := func(change func(*Fact)) Fact {
		f := good
		change(&f)
		return f
	}
	for _, c := range []struct {
		claim string
		state State
		fact  Fact
		want  int
	}{
		{"a commit that history has", s, good, 0},
		{"that is not there", s, but(func(f *Fact) { f.Commit = "" }), 1},
		{"that is elsewhere", s, but(func(f *Fact) { f.Ancestor = false }), 1},
		{"that is old", s, but(func(f *Fact) { f.Younger = false }), 1},
		{"that is empty", s, but(func(f *Fact) { f.Touches = false }), 1},
		{"that is another run's", s, but(func(f *Fact) { f.Foreign = true }), 1},
		{"that nobody claims", s, but(func(f *Fact) { f.Sha, f.Commit = sha("c"), sha("c") }), 1},
		{"for a step that is not declared", s, but(func(f *Fact) { f.Step = "s9" }), 1},
		{"that is another step's", same, but(func(f *Fact) { f.Sha, f.Commit = sha("a"), sha("a") }), 1},
		{"that is the step's own already", s, Fact{Step: "s1", Sha: sha("a"), Commit: sha("a"), Ancestor: true, Younger: true, Touches: true}, 0},
		{"in a ledger that cannot be read", unread, good, 1},
		{"of no run", New(""), good, 2},
	} {
		v := Verify(seen(c.state), c.fact)
		if v.ExitCode() != c.want || (v.Reason == "") != (c.want == 2) {
			t.Errorf("%s: %+v", c.claim, v)
		}
		row, ok := v.Row()
		if ok != (c.want == 0) || ok && (row.Sha != c.fact.Commit || row.StepID != c.fact.Step || row.Via != ViaFilePath) {
			t.Errorf("%s: %+v %v", c.claim, row, ok)
		}
		if !ok {
			continue
		}
		if row, err := c.state.Next(row); err != nil {
			t.Errorf("%s: %+v, %v", c.claim, row, err)
		}
	}
	for _, c := range []struct{ claim, sha, want string }{
		{"without a claim there is no commit to name", "", "UNVERIFIED s1: nobody claims a commit for it"},
		{"a commit that was asked about is named", sha("c"), "UNVERIFIED s1 by " + sha("c") + ": nobody claims this commit for the step"},
	} {
		if got := Verify(seen(fold(intent("s1"))), Fact{Step: "s1", Sha: c.sha}).String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.claim, got, c.want)
		}
	}
	if got, want := Verify(seen(s), good).String(), "VERIFIED s2 by "+sha("b")+": the commit is in history, younger than the run, and touches what the step is about"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A step that was moved by a rebase is claimed again, and the claim is judged
// and not the commit that was verified before.
func TestAStepCanBeVerifiedAgain(t *testing.T) {
	s := fold(intent("s1"), claimed("s1", "old"), verified("s1", "old"), claimed("s1", "new"))
	f := Fact{Step: "s1", Sha: sha("new"), Commit: sha("new"), Ancestor: true, Younger: true, Touches: true}
	row, ok := Verify(seen(s, facts(func(f *Fact) { f.Ancestor = false })), f).Row()
	if !ok {
		t.Fatal("it cannot")
	}
	s.Add("n1", row)
	wantPlan(t, "then it is done", Decide(seen(s)), Complete, sha("new"), 1)
}
