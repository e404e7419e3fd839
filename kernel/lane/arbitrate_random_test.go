package lane_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// random makes evidence in which much collides.
func random(r *rand.Rand) lane.Evidence {
	names := []string{"", "api", "web", "docs", "ops", "infra", "_a", "fix", "new", "front"}
	trees := []string{"api/x", "web/**", "docs/a", "**/*", "ops/", "z", "", "z/1"}
	kinds := []string{"", "", "cluster", "keyword", "global", "infra", "odd"}
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	ev := lane.Evidence{Lanes: yard(), Algebra: algebras[r.IntN(2)], Request: lane.Request{Lane: pick(names), Kind: pick(kinds)}}
	if r.IntN(2) == 0 {
		ev.Request.Tree = []string{pick(trees)}
	}
	for range r.IntN(5) {
		l := held(pick(names[1:]), pick(kinds), pick(trees), pick(trees))
		if l.Holder = fmt.Sprint(r.IntN(3)); r.IntN(8) == 0 {
			l.Unreadable = "broken"
		}
		ev.Live = append(ev.Live, l)
	}
	if r.IntN(3) == 0 {
		ev.Budgets = map[string]int{"cluster": r.IntN(3), "keyword": r.IntN(3)}
	}
	if r.IntN(4) == 0 {
		ev.SelfModify = []string{pick(trees)}
	}
	return ev
}

// One more lease never turns a refusal into a grant, nor doubt into one, but
// for the one kind of request that is sent elsewhere when its lane is held.
func TestMoreLeasesGrantNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	grants := 0
	for range 6_000 {
		ev := random(r)
		more := ev
		more.Live = append(slices.Clone(ev.Live), random(r).Live...)
		for name, judge := range map[string]func(lane.Evidence) lane.Verdict{"Decide": lane.Decide, "Arbitrate": lane.Arbitrate} {
			v, after := judge(ev), judge(more)
			if after.Outcome != lane.Acquire {
				continue
			}
			grants++
			sentElsewhere := name == "Arbitrate" && ev.Request.Lane != "" && ev.Request.Kind == lane.Cluster && after.AutoPicked
			if v.Outcome != lane.Acquire && !sentElsewhere {
				t.Fatalf("%s of %+v: %+v\nwith more leases, %+v: %+v", name, ev.Request, v, more.Live, after)
			}
		}
	}
	if grants < 300 {
		t.Errorf("%d grants: the test shows nothing", grants)
	}
}

// The order in which the leases are given decides no outcome, and where nothing
// protected is in the way no part of the answer.
func TestArbitrateIsDeterministic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 5_000 {
		ev := random(r)
		again := ev
		again.Live = slices.Clone(ev.Live)
		r.Shuffle(len(again.Live), func(i, j int) { again.Live[i], again.Live[j] = again.Live[j], again.Live[i] })
		if len(ev.Live) != len(uniqueHolders(ev.Live)) {
			continue // two leases that only their content tells apart keep the order given
		}
		v, w := lane.Arbitrate(ev), lane.Arbitrate(again)
		if len(ev.SelfModify) > 0 {
			v, w = lane.Verdict{Outcome: v.Outcome, Lane: v.Lane}, lane.Verdict{Outcome: w.Outcome, Lane: w.Lane}
		}
		if !reflect.DeepEqual(v, w) {
			t.Fatalf("%+v against %+v: %+v\nin another order: %+v", ev.Request, ev.Live, v, w)
		}
	}
}

func uniqueHolders(live []lane.Lease) map[string]bool {
	seen := map[string]bool{}
	for _, l := range live {
		seen[l.Lane+" "+l.Holder] = true
	}
	return seen
}

// An operator is shown whatever the rungs would refuse for, and nothing else.
func TestConflictsAgreeWithDecide(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	some, none := 0, 0
	for range 6_000 {
		ev := random(r)
		ev.SelfModify, ev.Budgets = nil, nil
		v := lane.Decide(ev)
		c, against, no, ok := lane.Conflicts(ev)
		if _, _, known := lane.Resolve(ev.Request, ev.Lanes); ok != known || ok == (no.ReasonClass != "" || no.Reason != "") {
			t.Fatalf("%+v: ok %v, no %+v", ev.Request, ok, no)
		}
		if !ok {
			continue
		}
		if (len(against) == 0) != (v.Outcome == lane.Acquire) {
			t.Fatalf("%+v: %d leases stand against it, Decide says %+v", ev.Request, len(against), v)
		}
		if v.Outcome == lane.Acquire {
			none++
			if c.Lane != v.Lane || c.Kind != v.LaneKind || !slices.Equal(c.Tree, v.Tree) {
				t.Fatalf("claim %+v, verdict %+v", c, v)
			}
			continue
		}
		some++
		rest := ev
		rest.Live = slices.DeleteFunc(slices.Clone(ev.Live), func(l lane.Lease) bool {
			return slices.ContainsFunc(against, func(x lane.Lease) bool { return reflect.DeepEqual(l, x) })
		})
		if w := lane.Decide(rest); w.Outcome != lane.Acquire {
			t.Fatalf("%+v: without the conflicts %+v Decide says %+v", ev.Request, against, w)
		}
	}
	if some < 500 || none < 200 {
		t.Errorf("%d with conflicts, %d without: the test shows nothing", some, none)
	}
}
