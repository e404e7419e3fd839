package lease

import (
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestExitCodes(t *testing.T) {
	for outcome, want := range map[Outcome]int{
		Acquired: 0, Renewed: 0, Released: 0, AlreadyFree: 0, Scavenged: 0, Shown: 0,
		Refused: 3, Contended: 3, LostLease: 3,
		"": 2, "granted": 2,
	} {
		if got := (Verdict{Outcome: outcome}).ExitCode(); got != want {
			t.Errorf("outcome %q exits %d, want %d", outcome, got, want)
		}
	}
	for outcome, want := range map[PushOutcome]int{Landed: 0, Nothing: 0, Fenced: 3, Raced: 3, Gated: 5, "": 2, "pushed": 2} {
		if got := (PushVerdict{Outcome: outcome}).ExitCode(); got != want {
			t.Errorf("push outcome %q exits %d, want %d", outcome, got, want)
		}
	}
	if (Verdict{}).ExitCode() != 2 || (PushVerdict{}).ExitCode() != 2 {
		t.Error("what nobody decided is an answer")
	}
}

func TestVerdictsReadAsSentences(t *testing.T) {
	v, _, err := Acquire(asking(Table{}))
	if err != nil {
		t.Fatal(err)
	}
	text := v.String()
	for _, want := range []string{"acquire docs: ", "run id    run-me", "nonce     fresh", "deadline  2026-01-02T12:16:00Z"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	v, _, _ = Acquire(asking(tableWith(heldBy("bob", "b0b"))))
	if text := v.String(); !strings.HasPrefix(text, "refuse docs (SAME_LANE_HELD): bob on n1 holds lane docs") || !strings.Contains(text, "\n  next: ") {
		t.Errorf("%q", text)
	}
	v, _ = Scavenge(keeping(ptr(heldBy("bob", "b0b")), Identity{}))
	if text := v.String(); !strings.Contains(text, "may be at work until 2026-01-02T12:15:00Z") {
		t.Errorf("%q", text)
	}
	v, _ = Release(keeping(ptr(heldBy("me", "n0", inState(lane.Free))), Identity{}))
	if text := v.String(); strings.Contains(text, "nonce") {
		t.Errorf("a free lane shows what only its holder may know: %q", text)
	}
}
