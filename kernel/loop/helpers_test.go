package loop

import "testing"

// at is the state of a loop that states nothing, altered.
func at(alter ...func(*State)) State {
	s := State{Counters: Counters{Iteration: 1}, Policy: DefaultPolicy()}
	for _, f := range alter {
		f(&s)
	}
	return s
}

func in(mode GateMode) func(*State) { return func(s *State) { s.GateMode = mode } }

func gate(j Judged) Iteration { return Iteration{Kind: Gate, Gate: j} }

func blockedBy(cause string) Iteration {
	return Iteration{Kind: Gate, Gate: Blocked, BlockedCause: &cause}
}

func replan(p Productivity) Iteration { return Iteration{Kind: ReplanDone, Productivity: p} }

func measured(j PacketJudge, ships int64) Iteration {
	return Iteration{Kind: Shipped, Judge: j, Ships: &ships, Measured: true}
}

func decide(t *testing.T, s State, it Iteration) Verdict {
	t.Helper()
	v := Decide(Evidence{s, it})
	if err := v.Err(); err != nil {
		t.Fatalf("%+v, %+v: %v", s, it, err)
	}
	return v
}

// run gives each verdict's counters to the next decision, up to a stop, and
// returns the last verdict and how many iterations it took.
func run(t *testing.T, s State, its ...Iteration) (Verdict, int) {
	t.Helper()
	for n, it := range its {
		v := decide(t, s, it)
		if v.Outcome == Stop || n == len(its)-1 {
			return v, n + 1
		}
		s = s.After(v)
	}
	t.Fatal("a run of nothing")
	return Verdict{}, 0
}

// stops fails the test unless the run ends for this reason, with its last
// iteration.
func stops(t *testing.T, why StopReason, s State, its ...Iteration) {
	t.Helper()
	if v, n := run(t, s, its...); v.StopReason != why || n != len(its) {
		t.Errorf("it ends after %d of %d: %s; want %s", n, len(its), v, why)
	}
}

// goesOn fails the test unless the whole run ends without a stop, in this mode.
func goesOn(t *testing.T, mode Mode, s State, its ...Iteration) Verdict {
	t.Helper()
	v, n := run(t, s, its...)
	if v.Outcome != Continue || v.NextMode != mode {
		t.Errorf("after %d of %d: %s; want continue %s", n, len(its), v, mode)
	}
	return v
}
