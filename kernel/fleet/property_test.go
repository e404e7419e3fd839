package fleet

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// Whatever the roster looks like, a plan keeps what it promises.
func TestPlanKeepsItsPromises(t *testing.T) {
	const plans = 10_000
	seen := map[string]int{}
	for seed := range int64(plans) {
		e := randomEvidence(rand.New(rand.NewSource(seed)))
		before, _ := json.Marshal(e)
		v := Plan(e)
		after, _ := json.Marshal(e)
		if string(before) != string(after) {
			t.Fatalf("seed %d: the evidence was changed", seed)
		}
		first, _ := json.Marshal(v)
		if second, _ := json.Marshal(Plan(e)); string(first) != string(second) {
			t.Fatalf("seed %d: two plans for one roster:\n%s\n%s", seed, first, second)
		}
		if err := broken(e, v, seen); err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, brief(v), before)
		}
	}
	for _, what := range []string{"AT_TARGET", "FILLING", "TARGET_UNREACHABLE", "OVER_TARGET", "spawn", "exclusive spawn", "handle spawn", "reap", "after reap", "blocked"} {
		if seen[what] < plans/200 {
			t.Errorf("%s was tried %d times only", what, seen[what])
		}
	}
}

func randomEvidence(r *rand.Rand) Evidence {
	trees := [][]string{{"a/**"}, {"a/x/**"}, {"b/**"}, {"b/*.go"}, {"b/*.md"}, {"c/**"}, {"d/**", "a/y"}, {"**/*"}, nil}
	words := []Liveness{"", "", "", Advancing, Advancing, Spinning, Stalled, Stalled, "ODD"}
	pick := func() []string { return trees[r.Intn(len(trees))] }
	one := func(n int) bool { return r.Intn(n) == 0 }
	e := Evidence{
		Target:  r.Intn(6),
		Policy:  Policy{CountSpinningAsAlive: one(2), ReapStalled: !one(4)},
		Algebra: []lane.Algebra{lane.Prefix, lane.Glob}[r.Intn(2)],
	}
	if one(2) {
		budget := 1 + r.Intn(5)
		e.Policy.MaxConcurrency = &budget
	}
	for i := range r.Intn(7) {
		l := Lane{Name: fmt.Sprint("l", i), Tree: pick(), Liveness: words[r.Intn(len(words))], Pending: one(8), Parked: one(12), Exclusive: one(7)}
		if one(4) {
			l.Repeatable = true
			if one(2) {
				l.Tree = nil
			}
			l.Coming = r.Intn(3)
		}
		if one(5) {
			l.Resting = 1 + r.Intn(2)
		}
		if l.Liveness != "" && one(4) {
			l.LeaseTree = pick()
		}
		e.Lanes = append(e.Lanes, l)
	}
	if one(8) {
		e.Outside = append(e.Outside, Outsider{"out", pick(), one(3)})
	}
	return e
}

// broken holds a plan to its promises, in words of its own.
func broken(e Evidence, v PlanVerdict, seen map[string]int) error {
	byName := map[string]Lane{}
	for _, l := range e.Lanes {
		byName[l.Name] = l
	}
	seen[string(v.Outcome)]++
	for _, r := range v.Reap {
		seen["reap"]++
		if l := byName[r.Lane]; l.Pending || l.Parked || l.Liveness != Stalled || !e.Policy.ReapStalled {
			return fmt.Errorf("%s is reaped", r.Lane)
		}
	}
	if len(v.Spawn) > 0 && len(v.Spawn)+v.Alive > min(e.Target, v.Admissible) {
		return fmt.Errorf("%d alive and %d started", v.Alive, len(v.Spawn))
	}
	if err := admitted(e, v, byName, seen); err != nil {
		return err
	}
	short := min(e.Target, v.Admissible) - v.Alive - len(v.Spawn)
	if (short > 0) != (len(v.Blockers) > 0) {
		return fmt.Errorf("%d short and %d blockers", short, len(v.Blockers))
	}
	for _, b := range v.Blockers {
		seen["blocked"]++
		if _, ok := byName[b.By]; !ok && b.By != "out" || b.Reason == "" {
			return fmt.Errorf("lane %s is blocked by %q: %q", b.Lane, b.By, b.Reason)
		}
	}
	want := AtTarget
	switch {
	case e.Target > v.Admissible:
		want = TargetUnreachable
	case v.Alive > e.Target:
		want = OverTarget
	case v.Alive != e.Target:
		want = Filling
	}
	if v.Outcome != want {
		return fmt.Errorf("outcome %s, want %s", v.Outcome, want)
	}
	return nil
}

// admitted asks the arbiter about every worker that is started, one after the
// other, beside all leases that the plan leaves in place. Handles, of which
// nobody knows where they lead, only need somebody exclusive to be away.
func admitted(e Evidence, v PlanVerdict, byName map[string]Lane, seen map[string]int) error {
	ask := lane.Evidence{Algebra: e.Algebra, Lanes: lane.Taxonomy{Trees: map[string][]string{}}}
	hold := func(name string, tree []string, exclusive bool) {
		ask.Live = append(ask.Live, lane.Lease{Lane: name, Kind: lane.Keyword, Tree: tree, Exclusive: exclusive, State: lane.Held, Holder: "h"})
	}
	reaped, nowhere := []Lane{}, 0
	for _, l := range e.Lanes {
		role := l.role()
		if role == alone {
			ask.Lanes.Exclusive = append(ask.Lanes.Exclusive, l.Name)
		} else {
			ask.Lanes.Concurrent = append(ask.Lanes.Concurrent, l.Name)
		}
		ask.Lanes.Trees[l.Name] = l.Tree
		switch {
		case l.Liveness == "" && !l.Pending && !l.Parked:
		case slices.ContainsFunc(v.Reap, func(r Row) bool { return r.Lane == l.Name }):
			reaped = append(reaped, l)
		case role == handle && len(l.LeaseTree) == 0:
			nowhere++
		case role == handle:
			hold("handle."+l.Name, l.LeaseTree, false)
		default:
			hold(l.Name, l.Tree, l.Exclusive)
			if len(l.LeaseTree) > 0 {
				hold("lease."+l.Name, l.LeaseTree, l.Exclusive)
			}
		}
	}
	for _, o := range e.Outside {
		hold(o.Name, o.Tree, o.Exclusive)
	}
	for _, r := range v.Spawn {
		l := byName[r.Lane]
		seen["spawn"]++
		if err := waits(e, l, r, reaped, seen); err != nil {
			return err
		}
		if l.role() == handle {
			seen["handle spawn"]++
			if e.Policy.MaxConcurrency == nil || !r.Handle {
				return fmt.Errorf("handle %s is started as a lane, or without a budget", r.Lane)
			}
			if slices.ContainsFunc(ask.Live, func(l lane.Lease) bool { return l.Exclusive }) {
				return fmt.Errorf("handle %s is started beside somebody exclusive", r.Lane)
			}
			nowhere++
			continue
		}
		if l.role() == alone {
			seen["exclusive spawn"]++
			if nowhere > 0 {
				return fmt.Errorf("lane %s is started beside a handle's worker", r.Lane)
			}
		}
		ask.Request = lane.Request{Lane: r.Lane}
		tree := l.Tree
		if len(tree) == 0 { // nothing else may live: its region is unknown
			ask.Request.Tree, tree = []string{"**/*"}, []string{"**/*"}
		}
		if d := lane.Decide(ask); d.Outcome != lane.Acquire {
			return fmt.Errorf("lane %s is started and would be refused: %s", r.Lane, d)
		}
		hold(r.Lane, tree, l.Exclusive)
	}
	return nil
}

// waits checks that a spawn waits for every reaped lane in its way, and for no
// other.
func waits(e Evidence, l Lane, r Row, reaped []Lane, seen map[string]int) error {
	var want []string
	for _, other := range reaped {
		meets := other.Name == l.Name || other.Exclusive || l.role() == alone
		if l.role() == fixed {
			meets = meets || other.role() != handle && !e.Algebra.Disjoint(other.Tree, l.Tree)
			meets = meets || len(other.LeaseTree) > 0 && !e.Algebra.Disjoint(other.LeaseTree, l.Tree)
		}
		if meets {
			want = append(want, other.Name)
			seen["after reap"]++
		}
	}
	if !slices.Equal(r.AfterReap, want) {
		return fmt.Errorf("lane %s waits for %v, want %v", l.Name, r.AfterReap, want)
	}
	return nil
}

// A census read as a roster starts nobody where a lease stays, and nobody
// beside an exclusive one.
func TestRosterNeverOffersWhatIsHeld(t *testing.T) {
	for seed := range int64(4_000) {
		r := rand.New(rand.NewSource(seed))
		c := census()
		names := []string{"a", "b", "c", "infra", "x", "auto", "global", "A", "_r"}
		states := []lane.State{lane.Held, lane.Held, lane.Parked, lane.Waiting, lane.Free, "odd"}
		words := []Liveness{"", Advancing, Spinning, Stalled, "ODD"}
		for range r.Intn(4) {
			name := names[r.Intn(len(names))]
			live(name, words[r.Intn(len(words))], func(l *Live) {
				l.State = states[r.Intn(len(states))]
				l.Tree = [][]string{{"a/**"}, {"q"}, nil, {"c/x"}}[r.Intn(4)]
			})(&c)
		}
		var budget *int
		if c.Budget = r.Intn(2) == 0; c.Budget {
			budget = new(4)
		}
		lanes, out, err := Roster(c)
		if err != nil {
			t.Fatal(err)
		}
		e := ev(4, lanes...).with(outside(out...))
		e.Policy.MaxConcurrency = budget
		v := Plan(e)
		if v.Err() != nil {
			t.Fatalf("seed %d: %v", seed, v.Err())
		}
		for _, l := range c.Live {
			if l.State == lane.Free || lane.Reserved(l.Lane) || l.Liveness == Stalled && l.State != lane.Parked {
				continue
			}
			if i := slices.IndexFunc(v.Spawn, func(r Row) bool { return !r.Handle && lane.CanonicalOr(r.Lane) == lane.CanonicalOr(l.Lane) }); i >= 0 {
				t.Fatalf("seed %d: lane %s is started while %+v", seed, v.Spawn[i].Lane, l)
			}
			if alone := l.Lane == "infra" || l.Lane == "global"; alone && len(v.Spawn) > 0 {
				t.Fatalf("seed %d: %s started beside %s", seed, brief(v), l.Lane)
			}
			for _, row := range v.Spawn {
				tree := c.Taxonomy.Trees[row.Lane]
				if !row.Handle && !lane.Prefix.Disjoint(tree, l.Tree) {
					t.Fatalf("seed %d: lane %s is started in %+v", seed, row.Lane, l)
				}
			}
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{125, 250, 500, 1000} {
		var lanes []Lane
		for i := range n {
			lanes = append(lanes, in(fmt.Sprint("services/s", i), []Liveness{"", Advancing}[i%2], tree(fmt.Sprintf("services/s%d/**", i), fmt.Sprintf("lib/s%d/**", i))))
		}
		for _, algebra := range []lane.Algebra{lane.Prefix, lane.Glob} {
			e := ev(n, lanes...)
			e.Algebra = algebra
			b.Run(fmt.Sprint(algebra, n), func(b *testing.B) {
				for b.Loop() {
					if v := Plan(e); v.Outcome == "" {
						b.Fatal(v.Reason)
					}
				}
			})
		}
	}
}
