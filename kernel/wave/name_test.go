package wave

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func grounds() Evidence {
	ev := asked(2, unit("A/1", "api"), unit("A/2", "web"), unit("A/3", "docs"))
	ev.Live = []lane.Lease{{Lane: "_dispatcher", State: lane.Held, Nonce: "d"}}
	return ev
}

func TestTheSameGroundsHaveTheSameName(t *testing.T) {
	a, b := Plan(grounds()), Plan(grounds())
	if a.PlanID != b.PlanID || a.WaveID != b.WaveID || len(Moved(a.PlanID, b.PlanID)) != 0 {
		t.Errorf("%s, %s", a.PlanID, b.PlanID)
	}
	ev := grounds()
	ev.Room = Bound{"memory", 50} // more than was asked for
	ev.Live = nil                 // nobody dispatches
	ev.Candidates[0].Why = "since 3m"
	if v := Plan(ev); v.PlanID != a.PlanID {
		t.Errorf("what nothing was decided on moved it: %v", Moved(a.PlanID, v.PlanID))
	}
}

func TestWhatMovedIsNamed(t *testing.T) {
	const rules, queued, leased, capped = 0, 1, 2, 3
	tests := []struct {
		name   string
		change func(*Evidence)
		want   []int
	}{
		{"another unit", func(ev *Evidence) { ev.Candidates = append(ev.Candidates, unit("A/9", "both")) }, []int{queued, leased}},
		{"a unit less", func(ev *Evidence) { ev.Candidates = ev.Candidates[:2] }, []int{queued, leased}},
		{"another order", func(ev *Evidence) { ev.Candidates[0], ev.Candidates[1] = ev.Candidates[1], ev.Candidates[0] }, []int{queued}},
		{"another tree", func(ev *Evidence) { ev.Candidates[0].Tree = []string{"api/x"} }, []int{queued}},
		{"a unit is kept", func(ev *Evidence) { ev.Candidates[2].Kept = Cooling }, []int{queued}},
		{"a unit was launched", func(ev *Evidence) { ev.Candidates[0].Last = "run-1" }, []int{queued}},
		{"a lease", func(ev *Evidence) {
			ev.Live = append(ev.Live, lane.Lease{Lane: "docs", Tree: []string{"docs/**"}, State: lane.Held, Nonce: "n"})
		}, []int{leased}},
		{"a lane was had and is free again", func(ev *Evidence) { ev.Candidates[0].Gen++ }, []int{leased}},
		{"the cap", func(ev *Evidence) { ev.Room.Most = 1 }, []int{capped}},
		{"seats are asked for", func(ev *Evidence) { ev.Seats = &Pool{Free: []Seat{{"x", "0"}, {"x", "1"}}} }, []int{capped}},
		{"the rung", func(ev *Evidence) { ev.Ramp = &State{} }, []int{capped}},
		{"another number", func(ev *Evidence) { ev.Workers = 3 }, []int{rules, capped}},
		{"another command", func(ev *Evidence) { ev.Command = []string{"work", "-x"} }, []int{rules}},
		{"another kind", func(ev *Evidence) { ev.Kind = Gardening }, []int{rules}},
		{"the hold set", func(ev *Evidence) { ev.Hold = []string{"dos.toml"} }, []int{rules}},
		{"a lane's tree", func(ev *Evidence) {
			trees := map[string][]string{}
			for name, tree := range ev.Lanes.Trees {
				trees[name] = tree
			}
			trees["docs"] = []string{"doc/**"}
			ev.Lanes.Trees = trees
		}, []int{rules}},
	}
	before := Plan(grounds())
	for _, tt := range tests {
		ev := grounds()
		tt.change(&ev)
		var want []string
		for _, i := range tt.want {
			want = append(want, parts[i])
		}
		after := Plan(ev)
		if got := Moved(before.PlanID, after.PlanID); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
		if after.WaveID == before.WaveID {
			t.Errorf("%s: the wave has the same name", tt.name)
		}
	}
}

func TestPlanIDs(t *testing.T) {
	id := Plan(grounds()).PlanID
	for _, bad := range []string{"", "plan", id + "-", id[1:], strings.ToUpper(id), id[:len(id)-1], id[:len(id)-1] + "g", id + "\n", "--live"} {
		if CheckPlanID(bad) == nil {
			t.Errorf("%q is taken for a plan", bad)
		}
		if len(Moved(bad, id)) == 0 {
			t.Errorf("%q is taken for %q", bad, id)
		}
	}
	if err := CheckPlanID(id); err != nil {
		t.Error(err)
	}
}
