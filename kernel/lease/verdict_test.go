package lease

import (
	"strings"
	"testing"
	"time"

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

func TestAForcedGrantSaysWhatItEnded(t *testing.T) {
	docs := heldBy("bob", "b0b")
	word := heldBy("eve", "e5e", inSlot("k.00", "word", "docs/x/**"))
	for _, tt := range []struct {
		claim string
		table Table
		want  string
	}{
		{"one lease", tableWith(docs), "acquire docs: operator oncall ended the lease of lane docs for it\n"},
		{"its worker", tableWith(docs), "\n  its worker may be at work until 2026-01-02T12:15:00Z; git dos push fences what it sends"},
		{"two leases", tableWith(docs, word), "acquire docs: operator oncall ended the leases of lanes docs, word for it\n"},
		{"their workers", tableWith(docs, word), "\n  their workers may be at work until 2026-01-02T12:15:00Z; git dos push fences what they send"},
		{"none", tableWith(), "acquire docs: no live lease stands against it\n"},
	} {
		v, _, err := Acquire(asking(tt.table, forcing))
		if text := v.String(); err != nil || !strings.Contains(text, tt.want) {
			t.Errorf("%s: %q is not in %q, %v", tt.claim, tt.want, text, err)
		}
	}
}

// What a call made is told from what its asker had before.
func TestFreshLeases(t *testing.T) {
	mine := as(Identity{RunID: "run-me"})
	own := heldBy("me", "old", func(r *Record) { r.AcquiredAt, r.RenewedAt = noon.Add(time.Minute), noon.Add(time.Minute) })
	landed := heldBy("me", "fresh")
	for claim, tt := range map[string]struct {
		ev   AcquireEvidence
		want string
	}{
		"a new one":                              {asking(tableWith()), "docs"},
		"two":                                    {asking(tableWith(), lanes("docs", "code")), "docs code"},
		"one beside one that is renewed":         {asking(tableWith(own), mine, lanes("docs", "code")), "code"},
		"one that is renewed within its second":  {asking(tableWith(own), mine), ""},
		"what an earlier try of the call landed": {asking(tableWith(landed)), "docs"},
		"a half-landed one of an earlier call":   {asking(unadmitted(tableWith(heldBy("me", "old")), "docs"), mine), ""},
		"a refusal":                              {asking(tableWith(heldBy("bob", "b0b"))), ""},
	} {
		v, _, err := Acquire(tt.ev)
		var names []string
		for _, r := range v.Fresh() {
			names = append(names, r.Lane)
		}
		if err != nil || strings.Join(names, " ") != tt.want {
			t.Errorf("%s: %v, want %q (%v)", claim, names, tt.want, err)
		}
	}
}
