package resume

import (
	"slices"
	"strings"
	"testing"
)

func TestTheLastWordCounts(t *testing.T) {
	s := fold(
		Row{Op: OpIntent, RunID: run, Goal: "one", Plan: "A", Phase: "P1", StartSha: sha("start")},
		claimed("s1", "a"), verified("s1", "a"),
		Row{Op: OpIntent, RunID: run, Goal: "two", DeclaredSteps: []string{"s1"}},
		claimed("s1", "b"),
		Row{Op: "FUTURE", RunID: run, Goal: "three"},
	)
	if s.Goal() != "two" || s.Plan() != "A" || s.Phase() != "P1" || s.Start() != sha("start") || s.Round() != 2 || s.Run() != run {
		t.Errorf("%+v", s)
	}
	if asks := s.Asks(); len(asks) != 1 || asks[0].Sha != sha("a") || asks[0].Region != nil {
		t.Errorf("history is asked for %+v, want the verified commit", asks)
	}
	if claim, ok := s.Claim("s1"); !ok || claim.Sha != sha("b") {
		t.Errorf("%+v %v, want the claimed commit", claim, ok)
	}
	s.Add("n1", verified("s1", "b"))
	if asks := s.Asks(); asks[0].Sha != sha("b") {
		t.Errorf("history is asked for %+v, want the last verified commit", asks)
	}
	if asks := fold(intent("s1", "s2", "s3"), claimed("s2", "c"), claimed("s9", "d")).Asks(); len(asks) != 1 || asks[0].Sha != sha("c") {
		t.Errorf("history is asked for %+v, want the one claim of a declared step", asks)
	}
	s.Add("n1", claimed("s9", "a"))
	if _, ok := s.Claim("s9"); ok {
		t.Error("a step that is not declared has a claim")
	}
}

func TestParkedUntilTheNextIntent(t *testing.T) {
	for _, c := range []struct {
		claim string
		rows  []Row
		want  bool
	}{
		{"a run is not parked", []Row{intent("s1")}, false},
		{"until it is", []Row{intent("s1"), suspend()}, true},
		{"whatever else happens", []Row{intent("s1"), suspend(), claimed("s1", "a"), proposal("a")}, true},
		{"but an intent", []Row{intent("s1"), suspend(), intent("s1")}, false},
		{"also in a later round than it has intents here", []Row{{Op: OpIntent, RunID: run, Goal: "x", Round: 5}, suspend()}, true},
		{"and it can be parked again", []Row{intent("s1"), suspend(), intent("s1"), suspend()}, true},
	} {
		if got := fold(c.rows...).Suspended(); got != c.want {
			t.Errorf("%s: %v", c.claim, got)
		}
	}
}

// Every node's last word on where to go on from is there, and the one that counts
// comes last.
func TestSuspensions(t *testing.T) {
	from := func(round uint64, commit string) Row {
		return Row{Op: OpSuspend, RunID: run, Round: round, ResumeSha: commit}
	}
	for claim, c := range map[string]struct {
		add  func(*State)
		want string
	}{
		"none of a run that goes on":         {func(*State) {}, ""},
		"one":                                {func(s *State) { s.Add("n1", from(1, "a")) }, "a"},
		"of a node the last":                 {func(s *State) { s.Add("n1", from(1, "a")); s.Add("n1", from(1, "b")) }, "b"},
		"of each node":                       {func(s *State) { s.Add("n2", from(1, "a")); s.Add("n1", from(1, "b")) }, "b a"},
		"and what came before an INTENT not": {func(s *State) { s.Add("n1", from(1, "a")); s.Add("n1", intent("s1")); s.Add("n1", from(2, "b")) }, "b"},
	} {
		s := New(run)
		s.Add("n1", intent("s1"))
		c.add(&s)
		var got []string
		for _, r := range s.Suspensions() {
			got = append(got, r.ResumeSha)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", claim, got, c.want)
		}
	}
}

// What a writer knew of other nodes is in the round of its row: no clock says
// which of two nodes wrote last.
func TestRoundsOrderWhatNodesWrote(t *testing.T) {
	s := New(run)
	write := func(node string, r Row) {
		t.Helper()
		r, err := s.Next(r)
		if err != nil {
			t.Fatal(err)
		}
		s.Add(node, r)
	}
	write("worker", intent("s1"))
	write("operator", suspend())
	if !s.Suspended() {
		t.Error("who parks a run from elsewhere does not")
	}
	write("other", Row{Op: OpIntent})
	if s.Suspended() || s.Round() != 2 {
		t.Errorf("who takes it up elsewhere does not, in round %d", s.Round())
	}
	write("operator", suspend())
	if !s.Suspended() {
		t.Error("and it cannot be parked a second time")
	}
	write("worker", intent("s1", "s2"))
	write("worker", claimed("s1", "a"))
	write("operator", claimed("s1", "b"))
	write("aaa", Row{Op: OpIntent})
	write("aaa", claimed("s1", "c"))
	if claim, _ := s.Claim("s1"); claim.Sha != sha("c") {
		t.Errorf("%+v, want the claim of the last round", claim)
	}
}

// Two nodes that say different things of one step are both wrong, in whatever
// order they are read.
func TestRegionsThatContradictEachOther(t *testing.T) {
	region := func(glob string) Row {
		return Row{Op: OpIntent, RunID: run, StepRegions: map[string][]string{"s1": {glob}}}
	}
	for _, globs := range [][2]string{{"a/**", "b/**"}, {"b/**", "a/**"}} {
		s := fold(intent("s1"), region(globs[0]))
		s.Add("n2", region(globs[1]))
		if v := Decide(seen(s)); !s.Unreadable() || !v.Unreadable || v.Outcome != Unresumable || s.Region("s1")[0] != "b/**" {
			t.Errorf("%q: %+v, region %q", globs, v, s.Region("s1"))
		}
	}
	if s := fold(intent("s1"), region("a/**"), region("a/**")); s.Unreadable() {
		t.Error("a region that is said twice contradicts itself")
	}
}

// The rows of a run that is asked about are looked for in every ledger.
func TestOtherRunsDoNotCount(t *testing.T) {
	s := fold(intent("s1"))
	other := intent("s1", "s2")
	other.RunID = "RID-02"
	s.Add("n1", other)
	theirs := New("RID-02")
	theirs.Add("n2", other)
	s.Merge(theirs)
	if !slices.Equal(s.Declared(), []string{"s1"}) || s.rows != 1 {
		t.Errorf("%+v", s)
	}
	none := New("")
	none.Add("n1", Row{Op: OpIntent, Goal: "x"})
	if none.HasIntent() {
		t.Error("rows without a run are a run's")
	}
}

func TestWhatIsHandedOutIsACopy(t *testing.T) {
	s := fold(intent("s1", "s2"), Row{Op: OpIntent, RunID: run, StepRegions: map[string][]string{"s1": {"a"}}})
	s.Declared()[0], s.Region("s1")[0], s.Starts()[0] = "x", "x", "x"
	s.Add("n1", verified("s1", "a"))
	v := Decide(seen(s))
	v.Verified[0], v.Residual[0] = "x", "x"
	if !slices.Equal(v.Declared, []string{"s1", "s2"}) {
		t.Errorf("%q", v.Declared)
	}
	v.Declared[0] = "x"
	if s.declared[0] != "s1" || s.regions["s1"][0] != "a" || !s.starts[sha("start")] {
		t.Errorf("%+v", s)
	}
}

func TestARowOfALaterVersionThatWasOnlyCountedIsOne(t *testing.T) {
	s := New("run-1")
	s.Add("box", Row{Op: OpIntent, RunID: "run-1", Goal: "g"})
	if s.Unreadable() {
		t.Fatal("without one")
	}
	s.Newer()
	v := Decide(Evidence{State: s})
	if !s.Unreadable() || v.Outcome != Unresumable || !v.Unreadable {
		t.Errorf("%s", v)
	}
}
