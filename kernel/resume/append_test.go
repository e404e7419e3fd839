package resume

import (
	"strings"
	"testing"
)

func TestOnlyDeclaredStepsAndFullIDsAreNamed(t *testing.T) {
	s := fold(intent("s1"))
	for _, c := range []struct {
		claim string
		row   Row
		ok    bool
	}{
		{"a claim of a declared step", claimed("s1", "a"), true},
		{"and a verified one", verified("s1", "a"), true},
		{"another step", claimed("s2", "a"), false},
		{"no step", claimed("", "a"), false},
		{"no commit", Row{Op: OpStepClaimed, StepID: "s1"}, false},
		{"a short id", Row{Op: OpStepVerified, StepID: "s1", Sha: sha("a")[:12]}, false},
		{"capitals", Row{Op: OpStepClaimed, StepID: "s1", Sha: strings.Repeat("A", 40)}, false},
		{"a long id", Row{Op: OpStepClaimed, StepID: "s1", Sha: strings.Repeat("a", 64)}, true},
		{"a reason that moves the cursor", Row{Op: OpSuspend, Reason: "\x1b[2J"}, false},
		{"a reason that is not UTF-8", Row{Op: OpSuspend, Reason: "\xff"}, false},
		{"a reason without an end", Row{Op: OpSuspend, Reason: strings.Repeat("x", maxText+1)}, false},
		{"a row of another kind", Row{Op: "REFUSE"}, false},
		{"a region that moves the cursor", Row{Op: OpIntent, StepRegions: map[string][]string{"s1": {"\a"}}}, false},
		{"what is left of it too", Row{Op: OpResumeProposed, Residual: []string{"\a"}}, false},
	} {
		if row, err := s.Next(c.row); (err == nil) != c.ok {
			t.Errorf("%s: %+v, %v", c.claim, row, err)
		}
	}
	if got := len(s.declared); got != 1 || s.Round() != 1 {
		t.Errorf("asking changed the state: %d steps in round %d", got, s.Round())
	}
}

func TestWhatIsAppendedReadsBack(t *testing.T) {
	s := New(run)
	turn := int64(7)
	rows := []Row{
		{Op: OpIntent, Goal: "the <goal> & \"more\"", Plan: "AUTH", Phase: "P1", StartSha: sha("start"), DeclaredSteps: []string{"s1", "s2"}, StepRegions: map[string][]string{"s1": {"a/**"}}},
		{Op: OpStepClaimed, StepID: "s1", Sha: sha("a")},
		{Op: OpStepVerified, StepID: "s1", Sha: sha("a"), Via: ViaFilePath},
		{Op: OpSuspend, Reason: "näher", ResumeSha: sha("a"), Residual: []string{"s2"}, CheckpointTurn: &turn, TranscriptDigest: "d"},
		{Op: OpResumeProposed, ResumeSha: sha("a"), Residual: []string{"s2"}, PredecessorRunID: run},
	}
	for _, row := range rows {
		row, err := s.Next(row)
		if err != nil {
			t.Fatal(err)
		}
		wantReadBack(t, row)
		s.Read("n1", encoded(t, row))
	}
	if s.Unreadable() || !s.Suspended() || s.rows != len(rows) {
		t.Errorf("%+v", s)
	}
}
