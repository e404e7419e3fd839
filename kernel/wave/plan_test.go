package wave

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/kernel/lane"
)

var roster = lane.Taxonomy{
	Concurrent: []string{"api", "web", "docs", "both", "bare"}, Exclusive: []string{"release"},
	Trees: map[string][]string{"api": {"api/**"}, "web": {"web/**"}, "docs": {"docs/**"}, "both": {"api/**", "docs/**"}, "release": {"**/*"}},
}

// asked is evidence with room for everything.
func asked(workers int, all ...Candidate) Evidence {
	return Evidence{
		Workers: workers, Kind: Engineering, Command: []string{"work"}, Prefix: []string{"git", "dos", "worker", "run"}, Candidates: all,
		Lanes: roster, Algebra: lane.Glob, Room: Bound{"cores", 100},
	}
}

func unit(name, in string, tree ...string) Candidate {
	return Candidate{Unit: name, Lane: in, Tree: tree}
}

func units(rows []Row) []string {
	names := []string{}
	for _, r := range rows {
		names = append(names, r.Unit)
	}
	return names
}

// territory is what the oracle takes a candidate's tree for: the folders and the
// files that it names.
func territory(c Candidate) []string {
	tree := c.Tree
	if len(tree) == 0 {
		tree = roster.Trees[c.Lane]
	}
	return tree
}

// clash is the rule of the wave, written down anew for trees that name folders and
// files without any other pattern.
func clash(a, b Candidate) bool {
	if a.Lane == b.Lane {
		return true
	}
	for _, x := range territory(a) {
		for _, y := range territory(b) {
			dx, wholeX := strings.CutSuffix(x, "/**")
			dy, wholeY := strings.CutSuffix(y, "/**")
			if x == y || wholeX && strings.HasPrefix(y, dx+"/") || wholeY && strings.HasPrefix(x, dy+"/") {
				return true
			}
		}
	}
	return false
}

// plainest looks at every set, and keeps the largest; of several, the one whose first
// difference from another is the earlier candidate.
func plainest(all []Candidate, most int) (best []int) {
	for bits := range 1 << len(all) {
		var set []int
		for i := range all {
			if bits>>i&1 == 1 {
				set = append(set, i)
			}
		}
		bad := len(set) > most
		for a, i := range set {
			for _, j := range set[:a] {
				bad = bad || clash(all[i], all[j])
			}
		}
		if !bad && (len(set) > len(best) || len(set) == len(best) && slices.Compare(set, best) < 0) {
			best = set
		}
	}
	return best
}

// choices are the lanes and trees that candidates of the oracle have.
var choices = []Candidate{
	unit("", "api"), unit("", "api", "api/x"), unit("", "web"), unit("", "web", "web/y", "web/z/**"), unit("", "docs"), unit("", "docs", "docs/a"),
	unit("", "both"), unit("", "both", "docs/b"), unit("", "both", "api/x"), unit("", "both", "api/q/**"),
}

func named(of []int) (all []Candidate) {
	for i, choice := range of {
		c := choices[choice]
		c.Unit = fmt.Sprintf("P/%d", i)
		all = append(all, c)
	}
	return all
}

func checkAgainstOracle(fatalf func(string, ...any), all []Candidate, workers, room int) {
	ev := asked(workers, all...)
	ev.Room.Most = room
	v := Plan(ev)
	want := []string{}
	for _, i := range plainest(all, min(workers, room)) {
		want = append(want, all[i].Unit)
	}
	if got := units(v.Rows); !slices.Equal(got, want) {
		fatalf("%+v, %d of %d: started %v, want %v", all, workers, room, got, want)
	}
	if len(v.Rows)+len(v.Later)+len(v.LeftOut) != len(all) {
		fatalf("%+v: %d, %d and %d rows", all, len(v.Rows), len(v.Later), len(v.LeftOut))
	}
	waves := map[int][]string{}
	for _, r := range v.Later {
		waves[r.Wave] = append(waves[r.Wave], r.Unit)
	}
	for w, names := range waves {
		for i, a := range names {
			for _, b := range names[:i] {
				if clash(byUnit(all, a), byUnit(all, b)) {
					fatalf("%+v: %s and %s collide in wave %d", all, a, b, w)
				}
			}
		}
	}
}

func byUnit(all []Candidate, name string) Candidate {
	return all[slices.IndexFunc(all, func(c Candidate) bool { return c.Unit == name })]
}

func TestAWaveIsTheFirstLargestSetThatDoesNotCollide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SliceOfN(rapid.IntRange(0, len(choices)-1), 0, 12).Draw(t, "candidates")
		checkAgainstOracle(t.Fatalf, named(of), rapid.IntRange(1, 6).Draw(t, "workers"), rapid.IntRange(1, 6).Draw(t, "room"))
	})
}

func TestEverySmallQueueIsPlannedAsTheOracleSays(t *testing.T) {
	var walk func(of []int)
	walk = func(of []int) {
		for most := 1; most <= 3; most++ {
			checkAgainstOracle(t.Fatalf, named(of), most, 3)
		}
		if len(of) < 3 {
			for c := range choices {
				walk(append(slices.Clone(of), c))
			}
		}
	}
	walk(nil)
}

func TestActions(t *testing.T) {
	var many []Candidate
	for i := range 30 {
		many = append(many, Candidate{Unit: fmt.Sprint("M/", i), Lane: fmt.Sprint("lane", i), Tree: []string{fmt.Sprint("m", i, "/**")}})
	}
	tests := []struct {
		name    string
		workers int
		room    int
		all     []Candidate
		want    lane.PriceAction
		started string
	}{
		{"nothing is to be done", 2, 9, nil, lane.HoldEmpty, ""},
		{"nothing that may be started", 2, 9, []Candidate{unit("A/1", "")}, lane.HoldEmpty, ""},
		{"all", 3, 9, []Candidate{unit("A/1", "api"), unit("A/2", "web")}, lane.LaunchAll, "A/1 A/2"},
		{"as many as were asked for", 2, 9, []Candidate{unit("A/1", "api"), unit("A/2", "web"), unit("A/3", "docs")}, lane.LaunchAll, "A/1 A/2"},
		{"the best alone, though two others fit beside each other", 1, 9, []Candidate{unit("A/1", "both"), unit("A/2", "api"), unit("A/3", "docs")}, lane.LaunchAll, "A/1"},
		{"two others that fit, though the best fits neither", 2, 9, []Candidate{unit("A/1", "both"), unit("A/2", "api"), unit("A/3", "docs")}, lane.LaunchAll, "A/2 A/3"},
		{"some", 3, 9, []Candidate{unit("A/1", "api"), unit("A/2", "web"), unit("A/3", "api")}, lane.LaunchSafeSet, "A/1 A/2"},
		{"one of two", 2, 9, []Candidate{unit("A/1", "api"), unit("A/2", "api")}, lane.RepartitionAndReprice, "A/1"},
		{"no scope", 2, 9, []Candidate{unit("A/1", "bare")}, lane.SerializeUnknownScope, ""},
		{"one without a scope holds the others up no longer than its own wave", 2, 9, []Candidate{unit("A/1", "bare"), unit("A/2", "api"), unit("A/3", "web")}, lane.LaunchAll, "A/2 A/3"},
		{"outside its lane", 2, 9, []Candidate{unit("A/1", "api", "web/x")}, lane.HoldEmpty, ""},
		{"no room", 2, 0, []Candidate{unit("A/1", "api"), unit("A/2", "web")}, lane.LaunchAll, ""},
		{"many", 3, 9, many, lane.LaunchAll, "M/0 M/1 M/2"},
	}
	for _, tt := range tests {
		ev := asked(tt.workers, tt.all...)
		ev.Room.Most = tt.room
		v := Plan(ev)
		if v.Action != tt.want || strings.Join(units(v.Rows), " ") != tt.started {
			t.Errorf("%s: %s %v (%s), want %s %s", tt.name, v.Action, units(v.Rows), v.Reason, tt.want, tt.started)
		}
		if v.ExitCode() != (lane.PriceVerdict{Action: tt.want}).ExitCode() || v.Err() != nil || v.PlanID == "" || CheckPlanID(v.PlanID) != nil {
			t.Errorf("%s: status %d, %v, plan %q", tt.name, v.ExitCode(), v.Err(), v.PlanID)
		}
		if len(v.Rows)+len(v.Later)+len(v.LeftOut) != len(tt.all) {
			t.Errorf("%s: a candidate is nowhere: %+v", tt.name, v)
		}
	}
}

func TestAWaveThatStartsNobodySaysWhatBindsAndWhatToDo(t *testing.T) {
	kept := func(s Set) []Candidate {
		c := unit("A/1", "api")
		c.Kept, c.Why = s, "because"
		return []Candidate{c, unit("A/2", "")}
	}
	tests := []struct {
		name   string
		room   int
		all    []Candidate
		with   func(*Evidence)
		reason string
		next   string
	}{
		{"nothing is to be done", 9, nil, nil, "there is no unit to be started", `git dos queue add "TITLE"`},
		{"nor would there be room", 0, nil, nil, "there is no unit to be started; nor is there room for one, by cores", `git dos queue add "TITLE"`},
		{"somebody is at it", 9, kept(InFlight), nil, "none of 2 candidates can be started; A/1: because", "git dos lease live"},
		{"and there is no room", 0, kept(InFlight), nil, "none of 2 candidates can be started; A/1: because; nor is there room for one, by cores", "git dos lease live"},
		{"cooling", 9, kept(Cooling), nil, "none of 2 candidates can be started; A/1: because", "git dos pickable A/1"},
		{"kept", 9, kept(Waiting), nil, "none of 2 candidates can be started; A/1: because", "git dos pickable A/1"},
		{"unclear", 9, kept(Unclear), nil, "none of 2 candidates can be started; A/1: because", "git dos doctor"},
		{"unharvested", 9, kept(Ended), nil, "none of 2 candidates can be started; A/1: because", "git dos wave harvest"},
		{"unrouted", 9, []Candidate{unit("A/1", "")}, nil, "none of 1 candidate can be started; A/1: no lane is known for it", "git dos next-up"},
		{"held", 9, []Candidate{unit("A/1", "api")}, func(ev *Evidence) { ev.Hold = []string{"api/a"} }, "none of 1 candidate can be started; A/1: api/** may touch api/a, which no wave may", "git dos lease acquire --lane api"},
		{"blocked", 9, []Candidate{unit("A/1", "api", "web/x")}, nil, "", "git dos arbitrate --lane api"},
		{"room alone", 0, []Candidate{unit("A/1", "api"), unit("A/2", "web")}, nil, "2 of 2 candidates could run at once, and none is granted, by cores", "git dos preflight"},
		{"somebody is started", 9, []Candidate{unit("A/1", "api")}, nil, "1 of 1 candidate, as many as were granted or are left", ""},
	}
	for _, tt := range tests {
		ev := asked(2, tt.all...)
		ev.Room = Bound{"cores", tt.room}
		if tt.with != nil {
			tt.with(&ev)
		}
		v := Plan(ev)
		if tt.reason != "" && v.Reason != tt.reason || v.Next != tt.next {
			t.Errorf("%s: %q, next %q; want %q, next %q", tt.name, v.Reason, v.Next, tt.reason, tt.next)
		}
		if shown := strings.HasSuffix(v.String(), "\n  next      "+tt.next); shown != (tt.next != "") {
			t.Errorf("%s: its text is\n%s", tt.name, v)
		}
	}
}

func TestWhoIsLeftOutIsSaid(t *testing.T) {
	held := func(c Candidate, s Set) Candidate { c.Kept, c.Why = s, "because"; return c }
	tests := []struct {
		name string
		of   Candidate
		with func(*Evidence)
		want Set
	}{
		{"unrouted", unit("A/1", ""), nil, Unrouted},
		{"in flight", held(unit("A/1", "api"), InFlight), nil, InFlight},
		{"cooling", held(unit("A/1", "api"), Cooling), nil, Cooling},
		{"unharvested", held(unit("A/1", "api"), Ended), nil, Ended},
		{"unclear", held(unit("A/1", "api"), Unclear), nil, Unclear},
		{"in the hold set", unit("A/1", "api", "api/dos.toml"), func(ev *Evidence) { ev.Hold = []string{"**/dos.toml"} }, Held},
		{"its lane's tree reaches into the hold set", unit("A/1", "api"), func(ev *Evidence) { ev.Hold = []string{"api/key"} }, Held},
		{"its lane is held", unit("A/1", "api"), func(ev *Evidence) { ev.Live = []lane.Lease{{Lane: "api", Tree: []string{"api/**"}, State: lane.Held}} }, LaneHeld},
		{"its lane is parked", unit("A/1", "api"), func(ev *Evidence) {
			ev.Live = []lane.Lease{{Lane: "api", Tree: []string{"api/**"}, State: lane.Parked}}
		}, LaneHeld},
		{"another lane's lease is on its files", unit("A/1", "api"), func(ev *Evidence) { ev.Live = []lane.Lease{{Lane: "both", Tree: []string{"api/x"}, State: lane.Held}} }, TreeHeld},
		{"a lease that runs alone", unit("A/1", "api"), func(ev *Evidence) {
			ev.Live = []lane.Lease{{Lane: "release", Kind: "release", Tree: []string{"**/*"}, State: lane.Held, Exclusive: true}}
		}, TreeHeld},
		{"a lease that cannot be read", unit("A/1", "api"), func(ev *Evidence) { ev.Live = []lane.Lease{{Lane: "web", Unreadable: "torn", State: lane.Held}} }, Unclear},
		{"what decides admission", unit("A/1", "api"), func(ev *Evidence) { ev.Protect = []string{"api/"} }, Blocked},
		{"outside its lane", unit("A/1", "api", "web/x"), nil, Blocked},
		{"its class is full", unit("A/1", "api"), func(ev *Evidence) {
			ev.Budgets = map[string]int{"cluster": 1}
			ev.Live = []lane.Lease{{Lane: "web", Kind: "cluster", Tree: []string{"web/**"}, State: lane.Held}}
		}, TreeHeld},
	}
	for _, tt := range tests {
		ev := asked(2, tt.of, unit("B/1", "docs"))
		if tt.with != nil {
			tt.with(&ev)
		}
		v := Plan(ev)
		i := slices.IndexFunc(v.LeftOut, func(r Row) bool { return r.Unit == "A/1" })
		if i < 0 || v.LeftOut[i].Set != tt.want || v.LeftOut[i].Reason == "" {
			t.Errorf("%s: %+v (%s), want %s", tt.name, v.LeftOut, v.Reason, tt.want)
		}
		if !strings.Contains(v.String(), "A/1") {
			t.Errorf("%s: the text does not name it: %s", tt.name, v)
		}
	}
}

// TestAFreeLaneHoldsNobody is about a row that is there and binds nobody.
func TestAFreeLaneHoldsNobody(t *testing.T) {
	ev := asked(2, unit("A/1", "api"))
	ev.Live = []lane.Lease{{Lane: "api", Tree: []string{"api/**"}, State: lane.Free}, {Lane: "_dispatcher", State: lane.Held}}
	if v := Plan(ev); len(v.Rows) != 1 {
		t.Errorf("%+v", v)
	}
}

func TestBudgetsAreThoseThatLiveLeasesLeave(t *testing.T) {
	ev := asked(3, unit("A/1", "api"), unit("A/2", "docs"))
	ev.Budgets = map[string]int{"cluster": 2}
	ev.Live = []lane.Lease{{Lane: "web", Kind: "cluster", Tree: []string{"web/**"}, State: lane.Held}}
	v := Plan(ev)
	if len(v.Rows) != 1 || len(v.Later) != 1 || v.Later[0].Set != NoRoom {
		t.Errorf("%+v", v)
	}
}

func TestSeatsAreBoundToRowsInTheirOrder(t *testing.T) {
	ev := asked(3, unit("A/1", "api"), unit("A/2", "web"), unit("A/3", "docs"))
	ev.Seats = &Pool{Free: []Seat{{"x", "x.0"}, {"y", "y.0"}}, Dropped: []Dropped{{Account: "z", Why: "capped", Until: "2026-01-02T12:00:00Z"}}}
	v := Plan(ev)
	if v.Granted != 2 || v.Shortfall != 1 || v.Limiter != "seats" || len(v.Dropped) != 1 {
		t.Errorf("%+v", v)
	}
	for i, r := range v.Rows {
		if want := ev.Seats.Free[i]; r.Account != want.Account || r.Seat != want.Seat || !slices.Contains(r.Argv, want.Seat) {
			t.Errorf("row %d: %+v", i, r)
		}
	}
	if len(v.Rows) != 2 || v.Later[0].Set != NoRoom || v.Later[0].Seat != "" {
		t.Errorf("%+v", v)
	}
	if ev.Seats = (&Pool{}); Plan(ev).Granted != 0 || len(Plan(ev).Rows) != 0 {
		t.Error("without a seat a worker was started")
	}
}

func TestTheRungBoundsAWave(t *testing.T) {
	all := []Candidate{unit("A/1", "api"), unit("A/2", "web"), unit("A/3", "docs")}
	for _, tt := range []struct {
		ramp *State
		want int
	}{{nil, 3}, {&State{}, 1}, {&State{Rung: Canary}, 1}, {&State{Rung: Step}, 2}, {&State{Rung: Full}, 3}, {&State{Rung: "HIGH"}, 1}, {&State{Rung: Full, Stopped: true}, 0}} {
		ev := asked(3, all...)
		ev.Ramp, ev.Step = tt.ramp, 2
		if v := Plan(ev); len(v.Rows) != tt.want || v.Granted != tt.want {
			t.Errorf("%+v: %d of %d, want %d", tt.ramp, len(v.Rows), v.Granted, tt.want)
		}
	}
}

func TestARowSaysHowItsWorkerIsStarted(t *testing.T) {
	ev := asked(1, unit("A/1", "API", "api/x"))
	r := Plan(ev).Rows[0]
	want := []string{"git", "dos", "worker", "run", "--wave", r.WaveID, "--lane", "api", "--unit", "A/1", "--tree", "api/x", "--worktree", "--detach", "--", "work"}
	if !slices.Equal(r.Argv, want) || r.ScopeSource != "task" || r.Rank != 1 || r.Wave != 1 {
		t.Errorf("%+v", r)
	}
}

func TestWhatIsMalformedIsNotPlanned(t *testing.T) {
	for name, change := range map[string]func(*Evidence){
		"no worker":        func(ev *Evidence) { ev.Workers = 0 },
		"too many workers": func(ev *Evidence) { ev.Workers = MaxWorkers + 1 },
		"no kind":          func(ev *Evidence) { ev.Kind = "sleeping" },
		"room below none":  func(ev *Evidence) { ev.Room.Most = -1 },
		"a unit twice":     func(ev *Evidence) { ev.Candidates = append(ev.Candidates, ev.Candidates[0]) },
		"a broken roster":  func(ev *Evidence) { ev.Lanes.Concurrent = []string{"a b\x00"} },
	} {
		ev := asked(1, unit("A/1", "api"))
		change(&ev)
		if v := Plan(ev); v.Err() == nil || v.PlanID != "" || len(v.Rows) != 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
