package setup

import (
	"errors"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// severities are the checks that a probing becomes, by id.
func severities(p refstore.Probing, skew time.Duration) map[string]Severity {
	rules := policy.Default()
	rules.Lease.MaxClockSkew = skew
	r := asked{examiner: &examiner{}, name: "origin", policy: rules}
	r.probed(p)
	all := map[string]Severity{}
	for _, c := range r.Checks {
		if _, twice := all[c.ID]; twice || c.Target != "origin" || c.Detail == "" || c.Severity == Error && c.Remedy == "" {
			all[c.ID] = "malformed"
			continue
		}
		all[c.ID] = c.Severity
	}
	return all
}

// TestEachAnswerOfARemoteIsACheckOfItsOwn changes one answer of a sound remote
// at a time: one check changes, and no other.
func TestEachAnswerOfARemoteIsACheckOfItsOwn(t *testing.T) {
	no, won := refstore.Outcome{Result: refstore.Denied}, refstore.Outcome{Result: refstore.Won}
	unknown := refstore.Outcome{Result: refstore.Unknown, Err: errors.New("gone")}
	partly := refstore.Outcome{Result: refstore.Lost}
	sound := refstore.Probing{Shown: true, Advance: won, Again: no, Stale: no, Atomic: won, Rewind: no, Delete: no}
	base := severities(sound, time.Hour)
	for id, want := range map[string]Severity{
		"REMOTE_CREATE": OK, "REMOTE_ADVANCE": OK, "REMOTE_SWAP": OK, "REMOTE_ATOMIC": OK, "REMOTE_REWIND": OK, "REMOTE_DELETE": OK, "REMOTE_CLOCK": Info, "REMOTE_RATE": Info,
	} {
		if base[id] != want {
			t.Errorf("sound: %s is %q, want %s", id, base[id], want)
		}
	}
	ahead := func(d time.Duration) func(*refstore.Probing) {
		return func(p *refstore.Probing) { p.Clock = refstore.ClockReading{Known: true, Ahead: d, By: "test"} }
	}
	for _, tt := range []struct {
		claim  string
		change func(*refstore.Probing)
		id     string
		want   Severity
	}{
		{"no ref moves forward", func(p *refstore.Probing) { p.Advance = no }, "REMOTE_ADVANCE", Error},
		{"whether it moves is not known", func(p *refstore.Probing) { p.Advance = unknown }, "REMOTE_ADVANCE", Error},
		{"a ref is created twice", func(p *refstore.Probing) { p.Again = won }, "REMOTE_SWAP", Error},
		{"whether it is, is not known", func(p *refstore.Probing) { p.Again = unknown }, "REMOTE_SWAP", Error},
		{"a ref moves from elsewhere", func(p *refstore.Probing) { p.Stale = won }, "REMOTE_SWAP", Error},
		{"whether it does, is not known", func(p *refstore.Probing) { p.Stale = unknown }, "REMOTE_SWAP", Error},
		{"no atomic pushes", func(p *refstore.Probing) { p.Atomic = refstore.Outcome{Result: refstore.NoAtomic} }, "REMOTE_ATOMIC", Error},
		{"atomic pushes that are none", func(p *refstore.Probing) { p.Atomic = partly }, "REMOTE_ATOMIC", Error},
		{"whether they are is not known", func(p *refstore.Probing) { p.Atomic = unknown }, "REMOTE_ATOMIC", Error},
		{"refs can be moved back", func(p *refstore.Probing) { p.Rewind = won }, "REMOTE_REWIND", Info},
		{"whether they can is not known", func(p *refstore.Probing) { p.Rewind = unknown }, "REMOTE_REWIND", Error},
		{"refs can be deleted", func(p *refstore.Probing) { p.Delete = won }, "REMOTE_DELETE", Info},
		{"refs that are scratch can, and no other", func(p *refstore.Probing) { p.Delete, p.Guarded = won, true }, "REMOTE_DELETE", OK},
		{"whether they can is not known", func(p *refstore.Probing) { p.Delete = unknown }, "REMOTE_DELETE", Error},
		{"nor does a guard tell", func(p *refstore.Probing) { p.Delete, p.Guarded = unknown, true }, "REMOTE_DELETE", Error},
		{"a scratch ref is left", func(p *refstore.Probing) { p.Left = []string{"refs/dos/meta/probe-1"} }, "REMOTE_SCRATCH", Info},
		{"clocks agree", ahead(0), "REMOTE_CLOCK", OK},
		{"within what a stamp may be ahead", ahead(-29 * time.Second), "REMOTE_CLOCK", OK},
		{"beyond it", ahead(31 * time.Second), "REMOTE_CLOCK", Warn},
		{"behind by as much", ahead(-31 * time.Second), "REMOTE_CLOCK", Warn},
		{"beyond what the fleet allows", ahead(61 * time.Minute), "REMOTE_CLOCK", Error},
		{"behind by more than that", ahead(-61 * time.Minute), "REMOTE_CLOCK", Error},
	} {
		p := sound
		tt.change(&p)
		got := severities(p, time.Hour)
		if got[tt.id] != tt.want {
			t.Errorf("%s: %s is %q, want %s", tt.claim, tt.id, got[tt.id], tt.want)
		}
		for id, was := range base {
			if id != tt.id && got[id] != was {
				t.Errorf("%s: %s went from %s to %q", tt.claim, id, was, got[id])
			}
		}
	}
	p := sound
	ahead(61 * time.Minute)(&p)
	if got := severities(p, 0); got["REMOTE_CLOCK"] != Warn {
		t.Errorf("where leases do not lapse by clocks: %s", got["REMOTE_CLOCK"])
	}
}
