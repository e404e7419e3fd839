package packet

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/pick"
)

func free(plan, phase string) Candidate {
	return Candidate{
		Plan: plan, Phase: phase, Until: Until{Unit: true}, Tier: 3, Screen: pick.DecidePickable(pick.PickableEvidence{Unit: plan + "/" + phase}),
		Tried: pick.DecidePriority(pick.CooldownEvidence{Unit: plan + "/" + phase}),
	}
}

func tried(c Candidate, at int64) Candidate {
	c.Tried = pick.DecidePriority(pick.CooldownEvidence{Unit: c.Unit(), NowMS: 1 << 40, Attempts: []pick.Attempt{{AtMS: at, End: pick.EndShipped, Count: 1}}})
	return c
}

func held(c Candidate, state pick.State) Candidate {
	c.Screen = pick.DecidePickable(pick.PickableEvidence{Unit: c.Unit(), State: state})
	return c
}

func unknown(c Candidate) Candidate {
	c.Screen = pick.DecidePickable(pick.PickableEvidence{Unit: c.Unit(), Unknown: []pick.Finding{{Hold: pick.InFlight, Detail: "a lane is dark"}}})
	return c
}

func tiered(c Candidate, tier int) Candidate { c.Tier = tier; return c }
func onLane(c Candidate, lane string) Candidate {
	c.Lane = lane
	return c
}

func shipped(c Candidate, via string, unstamped bool) Candidate {
	c.Ship = &Ship{Via: via, Sha: strings.Repeat("a", 40), Unstamped: unstamped}
	return c
}

// gate is what the gate says of a packet's sidecar, as it reads it.
func gate(t *testing.T, p Packet) pick.GateVerdict {
	t.Helper()
	p.Tag = "t"
	data, err := p.Sidecar().Encode()
	if err != nil {
		t.Fatal(err)
	}
	s, err := pick.ParseSidecar(data, "t")
	if err != nil {
		t.Fatal(err)
	}
	return pick.DecideGate(pick.GateEvidence{Dispositions: s.Dispositions})
}

func decide(t *testing.T, limit int, scope []string, all ...Candidate) Packet {
	t.Helper()
	p, err := Decide(Evidence{Candidates: all, Limit: limit, Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func names(list []Candidate) string {
	var words []string
	for _, c := range list {
		words = append(words, c.Phase)
	}
	return strings.Join(words, " ")
}

func TestWhatIsOfferedIsInOrder(t *testing.T) {
	p := decide(t, 9, nil,
		tried(free("A", "late"), 900), tried(free("A", "early"), 100), free("A", "new1"), free("A", "new2"),
		tried(tiered(free("A", "urgent-late"), 0), 900), tiered(free("A", "urgent-new"), 0))
	if got, want := names(p.Picks), "urgent-new urgent-late new1 new2 early late"; got != want {
		t.Errorf("in order %q, want %q", got, want)
	}
	p = decide(t, 2, nil, free("A", "1"), free("A", "2"), free("A", "3"))
	if names(p.Picks) != "1 2" || p.Later != 1 || strings.Contains(fmt.Sprint(p.Sidecar().Dispositions), "A/3") {
		t.Errorf("of three two: %q, %d later", names(p.Picks), p.Later)
	}
}

func TestTheScopeIsThatOfTheLane(t *testing.T) {
	all := []Candidate{onLane(free("A", "api"), "api"), onLane(free("A", "web"), "web"), free("A", "none"), shipped(onLane(free("A", "old"), "web"), "direct", true)}
	p := decide(t, 9, []string{"api"}, all...)
	if names(p.Picks) != "api" || p.Outside != 1 || p.Unrouted != 1 || len(p.Shipped) != 0 {
		t.Errorf("in api %+v", p)
	}
	if p = decide(t, 9, []string{"api", "web"}, all...); names(p.Picks) != "api web" || len(p.Shipped) != 1 {
		t.Errorf("in api and web %+v", p)
	}
	if p = decide(t, 9, nil, all...); names(p.Picks) != "api web none" {
		t.Errorf("without a scope %+v", p)
	}
}

// TestWhatIsHeldIsNoDrain goes through every hold there is.
func TestWhatIsHeldIsNoDrain(t *testing.T) {
	for want, states := range map[pick.GateOutcome]map[pick.Hold]pick.State{
		pick.Blocked: {
			pick.Unparseable: {Unparseable: true}, pick.InFlight: {InFlight: true}, pick.SoftClaimed: {SoftClaimed: true}, pick.StaleClaim: {StaleClaim: true},
			pick.DraftClass: {PlanClass: "draft"}, pick.Gated: {Gated: true}, pick.SoakOpen: {SoakOpen: true}, pick.Dependency: {Dependency: true},
			pick.Cooling: {CooldownUntilMS: 1},
		},
		pick.Drain: {pick.Shipped: {Shipped: true}},
	} {
		for hold, state := range states {
			c := held(free("A", "A1"), state)
			if c.Screen.Outcome != hold {
				t.Fatalf("%+v is %s, want %s", state, c.Screen.Outcome, hold)
			}
			if got := gate(t, decide(t, 1, nil, c)); got.Outcome != want {
				t.Errorf("%s alone is %s, want %s", hold, got, want)
			}
			if got := gate(t, decide(t, 1, nil, c, free("A", "A2"))); got.Outcome != pick.Live || len(got.Evidence) != 1 {
				t.Errorf("%s beside one that is free is %s", hold, got)
			}
		}
	}
}

func TestWhatShippedIsADrainUnlessAPlanDoesNotSaySo(t *testing.T) {
	for _, c := range []struct {
		via       string
		unstamped bool
		want      pick.GateOutcome
	}{{"direct", false, pick.Drain}, {"direct", true, pick.StaleStamp}, {"trailer-block", true, pick.Drain}} {
		if got := gate(t, decide(t, 1, nil, shipped(free("A", "A1"), c.via, c.unstamped))); got.Outcome != c.want {
			t.Errorf("%s, unstamped %v: %s, want %s", c.via, c.unstamped, got, c.want)
		}
	}
	if got := gate(t, decide(t, 1, nil)); got.Outcome != pick.Drain {
		t.Errorf("nothing at all: %s", got)
	}
}

func TestAUnitOfWhichSomethingIsNotKnownIsNotOffered(t *testing.T) {
	p := decide(t, 9, nil, unknown(free("A", "dark")), free("A", "A1"))
	if names(p.Picks) != "A1" || names(p.Unknown) != "dark" || len(gate(t, p).Evidence) != 1 {
		t.Errorf("beside one that is free: %+v", p)
	}
	for name, also := range map[string]Candidate{
		"alone": unknown(free("A", "A2")), "held": held(free("A", "A2"), pick.State{Gated: true}), "stale": shipped(free("A", "A2"), "direct", true),
	} {
		_, err := Decide(Evidence{Limit: 1, Candidates: []Candidate{unknown(free("A", "dark")), also}})
		var told *UnknownError
		if !errors.As(err, &told) || told.Unit != "A/dark" {
			t.Errorf("beside %s: %v", name, err)
		}
	}
	if _, err := Decide(Evidence{Limit: 1, Scope: []string{"api"}, Candidates: []Candidate{onLane(unknown(free("A", "dark")), "web")}}); err != nil {
		t.Errorf("outside the scope: %v", err)
	}
}

func TestWhatIsLeftOutOfASidecarChangesNothing(t *testing.T) {
	var all []Candidate
	for i := range 3 * maxEach {
		all = append(all,
			shipped(free("A", fmt.Sprint("S", i)), "direct", false), held(free("A", fmt.Sprint("H", i)), pick.State{Gated: true}),
			held(free("A", fmt.Sprint("F", i)), pick.State{InFlight: true}))
	}
	if got := gate(t, decide(t, 1, nil, all...)); got.Outcome != pick.Blocked || len(got.Evidence) != 2*maxEach {
		t.Errorf("held: %s of %d", got.Outcome, len(got.Evidence))
	}
	if got := gate(t, decide(t, 1, nil, append(all, shipped(free("A", "last"), "direct", true))...)); got.Outcome != pick.StaleStamp {
		t.Errorf("with one that is not stamped, the last of all: %s", got)
	}
	if got := gate(t, decide(t, 1, nil, append(all, free("A", "last"))...)); got.Outcome != pick.Live {
		t.Errorf("with one that is free, the last of all: %s", got)
	}
}

func TestAUnitThatStandsTwiceIsNoPacket(t *testing.T) {
	p := decide(t, 9, nil, free("A", "A1"), free("a", "a1"))
	p.Tag = "t"
	if _, err := p.Sidecar().Encode(); err == nil {
		t.Error("two of one name were written")
	}
}

func TestAPacketSaysWhatItIs(t *testing.T) {
	p := decide(t, 1, []string{"api"}, onLane(free("AUTH", "AUTH1"), "api"), onLane(free("AUTH", "AUTH2"), "api"), onLane(held(free("AUTH", "AUTH3"), pick.State{Gated: true}), "api"))
	p.Tag, p.At, p.Ref, p.RefID, p.Unread = "2026-01-02-1", time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC), "refs/heads/main", strings.Repeat("b", 40), 2
	text := string(p.Markdown(p.Prompts()))
	for _, want := range []string{
		"# Next up 2026\\-01\\-02\\-1\n", "- made: 2026-01-02T12:00:00Z\n", "`bbbbbbbbbbbb`", "- scope: api\n", "1 unit offered, 1 for later, 1 held, 0 shipped\n",
		"- 2 lines of plan documents", "### 1. AUTH/AUTH1\n", "\n## Held\n\n- AUTH/AUTH3; OPERATOR\\_GATED: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "AUTH2") {
		t.Error("what is for later is in it")
	}
	p.RefID = ""
	if text := string(p.Markdown(p.Prompts())); !strings.Contains(text, "- of: refs/heads/main, which has no commit yet\n") {
		t.Errorf("of a branch without a commit:\n%s", text)
	}
}
