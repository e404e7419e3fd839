package reconcile

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/ship"
)

func shipped(o ship.Outcome) ship.Verdict {
	return ship.Verdict{
		Outcome: o, Plan: "AUTH", Phase: "AUTH2", Shipped: o == ship.Shipped, Rung: ship.RungDirect, Source: ship.SourceSubject,
		Witness: ship.Subject, Sha: strings.Repeat("a", 40), Ref: "refs/heads/main", Reason: "the reason",
	}
}

func TestDecide(t *testing.T) {
	for claim, c := range map[string]struct {
		ev   Evidence
		want Outcome
		exit int
	}{
		"what shipped is verified without a claim": {Evidence{Ship: shipped(ship.Shipped)}, Verified, 0},
		"and with one":                                   {Evidence{Ship: shipped(ship.Shipped), Claimed: true}, Verified, 0},
		"a claim of what did not ship is caught":         {Evidence{Ship: shipped(ship.NotShipped), Claimed: true}, QuietIncomplete, 3},
		"open work that nobody claims is honest":         {Evidence{Ship: shipped(ship.NotShipped)}, HonestOpen, 4},
		"what cannot be told is no verdict":              {Evidence{Ship: shipped(ship.Indeterminate), Claimed: true}, "", 2},
		"nor is what nobody asked":                       {Evidence{Claimed: true}, "", 2},
		"the caller's word counts for nothing by itself": {Evidence{Ship: shipped(ship.NotShipped), Given: true}, HonestOpen, 4},
		"a replay takes it":                              {Evidence{Replay: true, Given: true}, Verified, 0},
		"in both directions":                             {Evidence{Replay: true, Claimed: true}, QuietIncomplete, 3},
		"and looks at no history":                        {Evidence{Replay: true, Ship: shipped(ship.Shipped)}, HonestOpen, 4},
	} {
		v := Decide(c.ev)
		if v.State != c.want || v.ExitCode() != c.exit {
			t.Errorf("%s: %q %d, want %q %d", claim, v.State, v.ExitCode(), c.want, c.exit)
		}
		if v.State == "" {
			continue
		}
		if v.KeepsInResidual != (c.want != Verified) || v.OracleShipped != (c.want == Verified) || v.Claimed != c.ev.Claimed {
			t.Errorf("%s: %+v", claim, v)
		}
		if (v.Flag != "") != (c.want == QuietIncomplete) || v.Reason == "" || v.Replay != c.ev.Replay {
			t.Errorf("%s: flag %q, reason %q, replay %v", claim, v.Flag, v.Reason, v.Replay)
		}
	}
}

// A verdict carries the evidence of the ship, so that a caller can ask for
// more than a mention.
func TestTheEvidenceIsCarried(t *testing.T) {
	s := shipped(ship.Shipped)
	s.RevertedBy, s.Floor, s.RefID = "b", ship.SubjectInTree, "c"
	v := Decide(Evidence{Unit: "AUTH/AUTH2", Ship: s})
	if v.Plan != s.Plan || v.Phase != s.Phase || v.Rung != s.Rung || v.Source != s.Source || v.Witness != s.Witness ||
		v.Floor != s.Floor || v.Sha != s.Sha || v.Ref != s.Ref || v.RefID != s.RefID || v.RevertedBy != s.RevertedBy {
		t.Errorf("%+v", v)
	}
	if want := "VERIFIED AUTH/AUTH2 (via grep-subject, witness subject) on refs/heads/main: the reason"; v.String() != want {
		t.Errorf("%q, want %q", v, want)
	}
	data, err := json.Marshal(Decide(Evidence{Unit: "U", Replay: true}))
	want := `{"state":"HONEST_OPEN","unit":"U","claimed":false,"oracle_shipped":false,"keeps_in_residual":true,"flag":"","source":"given","replay":true,"reason":"replayed on the caller's word; no history was read"}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v", data, err)
	}
}

func TestNextIsSafeToPaste(t *testing.T) {
	ask := func(plan string, ev Evidence) string {
		ev.Ship = shipped(ship.NotShipped)
		ev.Ship.Plan = plan
		return Decide(ev).Next
	}
	for _, c := range []struct{ claim, got, want string }{
		{"a false claim is explained", ask("AUTH", Evidence{Claimed: true}), "git dos verify AUTH/AUTH2 --explain"},
		{"without a name that a shell would take apart", ask("$(rm)", Evidence{Claimed: true}), "git dos verify --explain shows what was found of it"},
		{"or that is an option", ask("--floor", Evidence{Claimed: true}), "git dos verify --explain shows what was found of it"},
		{"open work is to be shipped", ask("AUTH", Evidence{}), "it is open work: ship it, then ask again"},
		{"a replay has nothing to look at", ask("AUTH", Evidence{Claimed: true, Replay: true}), ""},
		{"what shipped needs nothing", Decide(Evidence{Ship: shipped(ship.Shipped)}).Next, ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.claim, c.got, c.want)
		}
	}
}

func TestBind(t *testing.T) {
	for _, c := range []struct{ claim, unit, plan, phase, want string }{
		{"a slash splits", "AUTH/AUTH2", "", "", "AUTH|AUTH2"},
		{"the last one", "docs/AUTH/AUTH2", "", "", "docs/AUTH|AUTH2"},
		{"two colons split", "RS::RS4", "", "", "RS|RS4"},
		{"before a slash in the plan", "docs/RS::RS4", "", "", "docs/RS|RS4"},
		{"what could be split in two ways is not", "A::B::C", "", "", ""},
		{"nor with a slash after the colons", "A::B/C", "", "", ""},
		{"a bare word names no plan", "U1", "", "", ""},
		{"an empty phase is none", "AUTH/", "", "", ""},
		{"nor an empty plan", "/AUTH2", "", "", ""},
		{"nor on either side of colons", "AUTH::", "", "", ""},
		{"a plan and a phase agree with a slash", "AUTH/AUTH2", "AUTH", "AUTH2", "AUTH|AUTH2"},
		{"and with colons", "AUTH::AUTH2", "AUTH", "AUTH2", "AUTH|AUTH2"},
		{"in any case", "auth::auth2", "AUTH", "AUTH2", "AUTH|AUTH2"},
		{"also where the unit could be split in two ways", "A::B/C", "A", "B/C", "A|B/C"},
		{"both of them", "A::B/C", "A::B", "C", "A::B|C"},
		{"and a slash in the phase", "A/B/C", "A", "B/C", "A|B/C"},
		{"at any colons", "A::B::C", "A", "B::C", "A|B::C"},
		{"a bare phase agrees", "AUTH2", "AUTH", "AUTH2", "AUTH|AUTH2"},
		{"in another spelling of it", "AUTH::Phase 2", "AUTH", "AUTH2", "AUTH|AUTH2"},
		{"another phase does not", "AUTH::AUTH9", "AUTH", "AUTH2", ""},
		{"nor another plan", "PAY::AUTH2", "AUTH", "AUTH2", ""},
		{"nor the plan alone", "AUTH", "AUTH", "AUTH2", ""},
		{"nor a longer one", "AUTH::AUTH2x", "AUTH", "AUTH2", ""},
		{"nor any other word", "U1", "AUTH", "AUTH2", ""},
		{"half of them is not enough", "AUTH::AUTH2", "AUTH", "", ""},
		{"nor the other half", "AUTH::AUTH2", "", "AUTH2", ""},
	} {
		plan, phase, err := Bind(c.unit, c.plan, c.phase)
		got := plan + "|" + phase
		if err != nil {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.claim, got, err, c.want)
		}
	}
	if _, _, err := Bind("U1", "", ""); !errors.Is(err, ErrNoPhase) {
		t.Errorf("%v, want ErrNoPhase", err)
	}
}

func TestSpellingsOfOneUnit(t *testing.T) {
	for _, c := range []struct {
		unit, spelled, other string
		same                 bool
	}{
		{"auth::auth2", "auth/auth2", "AUTH/AUTH2", true},
		{"AUTH/AUTH2", "AUTH/AUTH2", "auth::auth2", true},
		{"AUTH/AUTH2", "AUTH/AUTH2", "AUTH/phase 2", true},
		{"AUTH/AUTH2", "AUTH/AUTH2", "AUTH/AUTH20", false},
		{"docs/RS::RS4", "docs/RS/RS4", "RS/RS4", false},
		{"U1", "U1", "U1", true},
		{"U1", "U1", "u1", false},
		{"A::B::C", "A::B::C", "A::B::C", true},
	} {
		if got := Spelled(c.unit); got != c.spelled {
			t.Errorf("%q is spelled %q, want %q", c.unit, got, c.spelled)
		}
		if got := Same(c.unit)(c.other); got != c.same {
			t.Errorf("%q and %q: %v", c.unit, c.other, got)
		}
	}
}

func TestAUnitIsText(t *testing.T) {
	for _, bad := range []string{"", " ", "a\nb", "a\x00", "\xff", "a\u2028b", "\u200b", strings.Repeat("x", maxUnit+1)} {
		if CheckUnit(bad) == nil {
			t.Errorf("%q is a unit", bad)
		}
	}
	for _, good := range []string{"U1", "Ünit-7", "phase 4", "a/b", strings.Repeat("x", maxUnit)} {
		if err := CheckUnit(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

func FuzzBind(f *testing.F) {
	f.Add("a::b/c", "a", "b")
	f.Add("::", "", "")
	f.Fuzz(func(t *testing.T, unit, plan, phase string) {
		p, f, err := Bind(unit, plan, phase)
		if err == nil && (p == "" || f == "") {
			t.Errorf("Bind(%q, %q, %q) = %q, %q", unit, plan, phase, p, f)
		}
	})
}

func TestCheckName(t *testing.T) {
	for _, bad := range []string{"--force", "-x", "-", "--lane/1", "/1", "AUTH/", "AUTH::", "::1", "A::B::C", "A::B/C", "A / 1", "A/1\n", "A/\x00"} {
		if err := CheckName(bad); err == nil || !strings.Contains(err.Error(), "write it as PLAN/PHASE") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, good := range []string{"AUTH/AUTH1", "docs/AUTH/-1", "AUTH::1", "u1", "task/0123456789ab", "a-b"} {
		if err := CheckName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}
