package resume

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A ledger is the rows of one node, in their order.
type ledger struct {
	node string
	rows []Row
}

var allSteps = []string{"s1", "s2", "s3", "s4"}

// anyRow draws a row as it might stand on a ref. Most intents extend what is
// declared; a few do not.
func anyRow(t *rapid.T) Row {
	r := Row{RunID: run, Op: rapid.SampledFrom(ops).Draw(t, "op"), Round: uint64(rapid.IntRange(0, 4).Draw(t, "round"))}
	commit := func() string { return sha(rapid.SampledFrom([]string{"a", "b", "c", "start"}).Draw(t, "commit")) }
	switch r.Op {
	case OpIntent:
		r.DeclaredSteps = allSteps[:rapid.IntRange(0, len(allSteps)).Draw(t, "steps")]
		if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
			r.DeclaredSteps = rapid.Permutation(allSteps[:3]).Draw(t, "order")
		}
		r.Goal = rapid.SampledFrom([]string{"", "", "one", "two"}).Draw(t, "goal")
		r.StartSha = rapid.SampledFrom([]string{"", sha("start"), sha("later")}).Draw(t, "start")
		if rapid.IntRange(0, 3).Draw(t, "bound") == 0 {
			r.StepRegions = map[string][]string{rapid.SampledFrom(allSteps).Draw(t, "bound step"): {rapid.SampledFrom([]string{"a/**", "a/**", "a/**", "b/**"}).Draw(t, "region")}}
		}
	case OpStepClaimed, OpStepVerified:
		r.StepID, r.Sha = rapid.SampledFrom(allSteps).Draw(t, "step"), commit()
		r.Via = rapid.SampledFrom([]string{ViaFilePath, ViaFilePath, ViaRegistry, "grep-subject", ""}).Draw(t, "via")
	case OpSuspend:
		r.Reason = rapid.SampledFrom([]string{"x", "y"}).Draw(t, "reason")
	case OpResumeProposed:
		r.ResumeSha, r.Residual = commit(), allSteps[rapid.IntRange(0, 3).Draw(t, "left"):]
	}
	return r
}

func anyLedgers(t *rapid.T) []ledger {
	var all []ledger
	for i := range rapid.IntRange(1, 3).Draw(t, "nodes") {
		all = append(all, ledger{fmt.Sprint("n", i), rapid.SliceOfN(rapid.Custom(anyRow), 0, 10).Draw(t, "rows")})
	}
	if rapid.Bool().Draw(t, "honest") {
		all[0].rows = append(honest(rapid.IntRange(1, len(allSteps)).Draw(t, "honest steps")), all[0].rows...)
	}
	return all
}

// honest is the ledger of a run that did what it declared.
func honest(steps int) []Row {
	rows := []Row{intent(allSteps[:steps]...)}
	for i, step := range allSteps[:steps] {
		rows = append(rows, verified(step, fmt.Sprint("c", i)))
	}
	return rows
}

// anyHistory draws what history says of the commits that it is asked about.
func anyHistory(t *rapid.T, s State) Evidence {
	if rapid.Bool().Draw(t, "all is well") {
		return seen(s)
	}
	mostly := func(label string) bool { return rapid.IntRange(0, 5).Draw(t, label) > 0 }
	return seen(s, facts(func(f *Fact) {
		f.Ancestor, f.Younger, f.Touches, f.Foreign = mostly("ancestor"), mostly("younger"), mostly("touches"), !mostly("foreign")
		if !mostly("exists") {
			f.Commit = ""
		}
		if mostly("apart") {
			f.Apart = allSteps
		}
	}))
}

// folded adds the rows of each node in turn.
func folded(all []ledger) State {
	s := New(run)
	for _, l := range all {
		for _, r := range l.rows {
			s.Add(l.node, r)
		}
	}
	return s
}

// Rows may come a node at a time, mixed in any way, or folded apart and merged
// in any order and grouping.
func TestNodesMergeInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := anyLedgers(t)
		want := folded(all)
		mixed, at := New(run), make([]int, len(all))
		for range rowsOf(all) {
			i := rapid.IntRange(0, len(all)-1).Draw(t, "next")
			for at[i] == len(all[i].rows) {
				i = (i + 1) % len(all)
			}
			mixed.Add(all[i].node, all[i].rows[at[i]])
			at[i]++
		}
		if !reflect.DeepEqual(mixed, want) {
			t.Fatalf("mixed: %+v\nin turn: %+v", mixed, want)
		}
		var parts []State
		for _, l := range rapid.Permutation(all).Draw(t, "order") {
			parts = append(parts, folded([]ledger{l}))
		}
		for len(parts) > 1 {
			i := rapid.IntRange(0, len(parts)-2).Draw(t, "group")
			parts[i].Merge(parts[i+1])
			parts = slices.Delete(parts, i+1, i+2)
		}
		if !reflect.DeepEqual(parts[0], want) {
			t.Fatalf("merged: %+v\nin turn: %+v", parts[0], want)
		}
	})
}

func rowsOf(all []ledger) (n int) {
	for _, l := range all {
		n += len(l.rows)
	}
	return n
}

// answers is all that anybody can ask of a state.
func answers(s State) string {
	ev := seen(s)
	out := fmt.Sprintf("%+v %+v %v %v %v %v %v", Decide(ev), Decide(seen(s, others(1))), s.Asks(), s.Suspended(), s.Starts(), s.Round(), s.Unreadable())
	for _, step := range allSteps {
		ask, ok := s.Claim(step)
		out += fmt.Sprint(ask, ok, s.Region(step))
	}
	return out
}

// A fold of a prefix, of which only what later rows do not stand for was kept,
// and then of the rest answers as the fold of the whole.
func TestDroppingWhatIsSupersededChangesNoAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := anyLedgers(t)
		want := answers(folded(all))
		for i, l := range all {
			cut := rapid.IntRange(0, len(l.rows)).Draw(t, "cut")
			all[i].rows = append(kept(l.rows[:cut]), l.rows[cut:]...)
		}
		if got := answers(folded(all)); got != want {
			t.Fatalf("%s\nwant %s", got, want)
		}
	})
}

// kept drops the rows that a checkpoint need not carry: all but the last on a
// step, the last suspension and the last of equal proposals.
func kept(rows []Row) []Row {
	var out []Row
	for i, r := range rows {
		later := func(l Row) bool {
			switch {
			case l.Op != r.Op || r.Op == OpIntent:
				return false
			case r.Op == OpResumeProposed:
				return l.ResumeSha == r.ResumeSha && slices.Equal(l.Residual, r.Residual)
			}
			return l.StepID == r.StepID
		}
		if !slices.ContainsFunc(rows[i+1:], later) {
			out = append(out, r)
		}
	}
	return out
}

// Whatever rows say, a step is verified only if history has a commit for it,
// and a run is complete only if all the steps are that any row ever declared.
func TestRowsCompleteNothing(t *testing.T) {
	complete := 0
	rapid.Check(t, func(t *rapid.T) {
		all := anyLedgers(t)
		ev := anyHistory(t, folded(all))
		v := Decide(ev)
		backed := map[string]string{}
		for i, step := range v.Verified {
			at := slices.IndexFunc(ev.Facts, func(f Fact) bool { return f.Step == step })
			f := ev.Facts[at]
			if f.Sha != ev.State.hint(OpStepVerified, step).Sha || f.holds() != "" || ev.State.declared[i] != step {
				t.Fatalf("%s is verified by %+v", step, f)
			}
			if other, twice := backed[f.Commit]; twice && (ev.State.Region(step) == nil || ev.State.Region(other) == nil) {
				t.Fatalf("%s and %s have one commit", step, other)
			}
			backed[f.Commit] = step
		}
		if v.Outcome != Complete {
			return
		}
		complete++
		for _, l := range all {
			for _, r := range l.rows {
				for _, step := range r.DeclaredSteps {
					if !slices.Contains(v.Verified, step) {
						t.Fatalf("complete without %s", step)
					}
				}
			}
		}
	})
	if complete == 0 {
		t.Error("no run was ever complete: nothing was tried")
	}
}

// Whatever may be appended leaves the ledger readable, and never takes a step
// away.
func TestWhatMayBeAppendedOnlyAdds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(run)
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			row, err := s.Next(anyRow(t))
			if err != nil {
				continue
			}
			before := s.Declared()
			s.Add(rapid.SampledFrom([]string{"n1", "n2"}).Draw(t, "node"), row)
			if s.Unreadable() || !extends(before, s.Declared()) {
				t.Fatalf("%+v on %q makes %q, unreadable %v", row, before, s.Declared(), s.Unreadable())
			}
			if row.Op == OpSuspend && !s.Suspended() || row.Op == OpIntent && s.Suspended() {
				t.Fatalf("%+v leaves it suspended: %v", row, s.Suspended())
			}
		}
	})
}
