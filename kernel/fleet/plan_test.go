package fleet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// ev is a plan's evidence with the default policy.
func ev(target int, lanes ...Lane) Evidence {
	return Evidence{
		Target:  target,
		Policy:  Policy{CountSpinningAsAlive: true, ReapStalled: true},
		Lanes:   lanes,
		Algebra: lane.Prefix,
	}
}

func (ev Evidence) with(change func(*Evidence)) Evidence {
	change(&ev)
	return ev
}

func budget(n int) func(*Evidence) {
	return func(ev *Evidence) { ev.Policy.MaxConcurrency = &n }
}

func outside(o ...Outsider) func(*Evidence) {
	return func(ev *Evidence) { ev.Outside = o }
}

// in is a declared lane with a tree of its own name.
func in(name string, liveness Liveness, changes ...func(*Lane)) Lane {
	l := Lane{Name: name, Tree: []string{name + "/**"}, Liveness: liveness}
	for _, change := range changes {
		change(&l)
	}
	return l
}

func tree(entries ...string) func(*Lane) { return func(l *Lane) { l.Tree = entries } }
func pending(l *Lane)                    { l.Pending = true }
func parked(l *Lane)                     { l.Parked = true }
func exclusive(l *Lane)                  { l.Exclusive = true }
func aHandle(l *Lane)                    { l.Repeatable, l.Tree = true, nil }

func spun(ms int64) func(*Lane) { return func(l *Lane) { l.SpinningMS = &ms } }

func names(rows []Row) string {
	var s []string
	for _, r := range rows {
		s = append(s, r.Lane)
	}
	return strings.Join(s, " ")
}

// brief is a plan in one line, without what is empty.
func brief(v PlanVerdict) string {
	s := fmt.Sprintf("%s %d/%d/%d", v.Outcome, v.Alive, v.Admissible, v.Target)
	for _, list := range []struct {
		name string
		rows []Row
	}{{"spawn", v.Spawn}, {"reap", v.Reap}, {"flag", v.Flag}, {"halt", v.ProposedHalt}} {
		if len(list.rows) > 0 {
			s += " " + list.name + "=" + names(list.rows)
		}
	}
	for i, b := range v.Blockers {
		if i == 0 {
			s += " blocked="
		} else {
			s += " "
		}
		s += b.Lane + "<" + b.By
	}
	return s
}

type planTest struct {
	claim string
	ev    Evidence
	want  string // outcome alive/admissible/target, and the lists
}

func run(t *testing.T, tests []planTest) {
	t.Helper()
	for _, tt := range tests {
		if got := brief(Plan(tt.ev)); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.claim, got, tt.want)
		}
	}
}

func TestPlan(t *testing.T) {
	const adv, spin, stall = Advancing, Spinning, Stalled
	halt := func(ev *Evidence) { ms := int64(100); ev.Policy.SpinHaltAfterMS = &ms }
	uncounted := func(ev *Evidence) { ev.Policy.CountSpinningAsAlive = false }
	everything := in("all", "", tree("**/*"))
	run(t, []planTest{
		{"nobody wanted, nobody there", ev(0), "AT_TARGET 0/0/0"},
		{"free lanes are started in the order of the roster", ev(2, in("c", ""), in("a", ""), in("b", "")),
			"FILLING 0/3/2 spawn=c a"},
		{"those that live are left alone", ev(2, in("a", adv), in("b", adv), in("c", "")), "AT_TARGET 2/3/2"},
		{"a lane that is awaited counts, and is not started again", ev(2, in("a", "", pending), in("b", ""), in("c", "")),
			"FILLING 1/3/2 spawn=b"},
		{"an overlapping lane waits", ev(2, in("a", adv), in("a/x", ""), in("b", "")),
			"FILLING 1/2/2 spawn=b"},
		{"two free lanes that overlap are one", ev(2, in("a", ""), in("a/x", ""), in("b", "")),
			"FILLING 0/2/2 spawn=a b"},
		{"a lane of everything that comes first is the only one", ev(2, everything, in("a", ""), in("b", "")),
			"TARGET_UNREACHABLE 0/1/2 spawn=all"},
		{"one that comes last is not counted", ev(2, in("a", ""), in("b", ""), everything),
			"FILLING 0/2/2 spawn=a b"},
		{"what is unreachable is still filled as far as it goes", ev(5, in("a", adv), in("b", "")),
			"TARGET_UNREACHABLE 1/2/5 spawn=b"},
		{"unreachable outranks too many", ev(2, in("a", adv), in("a/x", adv), in("a/y", adv)),
			"TARGET_UNREACHABLE 3/1/2"},
		{"too many are flagged from the end, and nobody is reaped", ev(1, in("a", adv), in("b", adv), in("c", adv)),
			"OVER_TARGET 3/3/1 flag=c b"},
		{"one on its way is not flagged as too many", ev(1, in("a", adv), in("b", adv), in("c", "", pending)),
			"OVER_TARGET 3/3/1 flag=b a"},
		{"nor is one whose lease was there before", ev(1, in("a", adv), in("b", adv), in("c", adv, pending)),
			"OVER_TARGET 3/3/1 flag=b a"},
		{"nor is one that is parked", ev(1, in("a", adv), in("b", adv), in("c", adv, parked)),
			"OVER_TARGET 2/3/1 flag=b"},
		{"nor is a spinner flagged twice", ev(1, in("a", adv), in("b", adv), in("c", spin)),
			"OVER_TARGET 3/3/1 flag=c b a"},
		{"a stalled lease is reaped, and its lane started", ev(1, in("a", stall)),
			"FILLING 0/1/1 spawn=a reap=a"},
		{"a stalled lease is reaped though nobody is wanted", ev(0, in("a", stall)), "AT_TARGET 0/1/0 reap=a"},
		{"a spinner is flagged and counts", ev(1, in("a", spin), in("b", "")), "AT_TARGET 1/2/1 flag=a"},
		{"a spinner that does not count is still flagged", ev(1, in("a", spin), in("b", "")).with(uncounted),
			"FILLING 0/2/1 spawn=b flag=a"},
		{"a spinner is halted by proposal at the limit", ev(1, in("a", spin, spun(100))).with(halt),
			"AT_TARGET 1/1/1 flag=a halt=a"},
		{"not before it", ev(1, in("a", spin, spun(99))).with(halt), "AT_TARGET 1/1/1 flag=a"},
		{"nor when it is not known for how long", ev(1, in("a", spin)).with(halt), "AT_TARGET 1/1/1 flag=a"},
		{"nor without a limit", ev(1, in("a", spin, spun(1<<40))), "AT_TARGET 1/1/1 flag=a"},
		{"an age that is not a spinner's is nothing", ev(1, in("a", adv, spun(1<<40))).with(halt), "AT_TARGET 1/1/1"},
		{"an exclusive lane is all there is where nothing else is declared", ev(1, in("x", "", exclusive)),
			"FILLING 0/1/1 spawn=x"},
		{"it comes last", ev(1, in("x", "", exclusive), in("a", "")), "FILLING 0/1/1 spawn=a"},
		{"a tree that is not known keeps everybody out", ev(2, in("a", adv, tree()), in("b", "")),
			"TARGET_UNREACHABLE 1/1/2"},
		{"a parked lane is neither alive nor reaped, and keeps its region",
			ev(1, in("a", stall, parked), in("a/x", "")), "FILLING 0/1/1 blocked=a<a a/x<a"},
		{"the budget fills up by the handle", ev(3, in("auto", "", aHandle)).with(budget(3)),
			"FILLING 0/3/3 spawn=auto auto auto"},
		{"fixed lanes come before it", ev(3, in("auto", "", aHandle), in("a", "")).with(budget(3)),
			"FILLING 0/3/3 spawn=a auto auto"},
		{"and exclusive ones after it", ev(1, in("x", "", exclusive), in("auto", "", aHandle)).with(budget(1)),
			"FILLING 0/1/1 spawn=auto"},
		{"the budget bounds what the handle can do", ev(3, in("auto", "", aHandle)).with(budget(2)),
			"TARGET_UNREACHABLE 0/2/3 spawn=auto auto"},
		{"it raises what the lanes can hold", ev(3, in("a", ""), in("auto", "", aHandle)).with(budget(3)),
			"FILLING 0/3/3 spawn=a auto auto"},
		{"and never lowers it", ev(2, in("a", ""), in("b", ""), in("auto", "", aHandle)).with(budget(1)),
			"FILLING 0/2/2 spawn=a b"},
		{"without a handle it does nothing", ev(2, in("a", "")).with(budget(2)), "TARGET_UNREACHABLE 0/1/2 spawn=a"},
		{"a handle whose worker advances takes more", ev(3, in("d", adv, aHandle)).with(budget(3)),
			"FILLING 1/3/3 spawn=d d"},
		{"one whose worker spins does not", ev(2, in("d", spin, aHandle)).with(budget(2)),
			"FILLING 1/2/2 flag=d blocked=d<d"},
	})
}

// D21: a declared lane takes one worker, whatever it is marked as, and a
// handle holds no region.
func TestD21OnlyAHandleRepeatsAndItHoldsNoRegion(t *testing.T) {
	repeatable := func(l *Lane) { l.Repeatable = true }
	a, b, c := in("a", "", repeatable), in("b", "", repeatable), in("c", "", repeatable)
	liveA, liveB := in("a", Advancing, repeatable), in("b", Advancing, repeatable)
	leased := func(l *Lane) { l.LeaseTree = []string{"a/x/**"} }
	coming := func(l *Lane) { l.Pending, l.Coming = true, 3 }
	run(t, []planTest{
		{"three disjoint lanes, three workers", ev(3, a, b, c), "FILLING 0/3/3 spawn=a b c"},
		{"with a budget too", ev(3, a, b, c).with(budget(3)), "FILLING 0/3/3 spawn=a b c"},
		{"two are held, the third is started", ev(3, liveA, liveB, c), "FILLING 2/3/3 spawn=c"},
		{"an exclusive lane is never a handle", ev(2, in("x", "", exclusive, aHandle)).with(budget(2)),
			"TARGET_UNREACHABLE 0/1/2 spawn=x"},
		{"a handle is not used without a budget", ev(1, in("auto", "", aHandle)), "TARGET_UNREACHABLE 0/0/1"},
		{"and says so where it would help", ev(1, in("auto", "", aHandle), in("a", "", parked)), "FILLING 0/1/1 blocked=auto<auto a<a"},
		{"nor is one that advances", ev(2, in("d", Advancing, aHandle), in("a", ""), in("b", "")),
			"FILLING 1/2/2 spawn=a"},
		{"a spinning handle keeps nobody out", ev(2, in("d", Spinning, aHandle), in("a", "")).with(budget(2)),
			"FILLING 1/2/2 spawn=a flag=d"},
		{"nor does one that is awaited", ev(2, in("d", "", aHandle, pending), in("a", "")).with(budget(2)),
			"FILLING 1/2/2 spawn=a"},
		{"nor does one that is left stalled", ev(1, in("d", Stalled, aHandle), in("a", "")).with(budget(1)).with(func(ev *Evidence) { ev.Policy.ReapStalled = false }),
			"FILLING 0/1/1 spawn=a"},
		{"the lease of its worker does", ev(2, in("d", Spinning, aHandle, leased), in("a", "")).with(budget(2)),
			"FILLING 1/2/2 flag=d blocked=d<d a<d"},
		{"everybody on the way to a handle counts, and it is given nobody else",
			ev(5, in("auto", "", aHandle, coming), in("a", "")).with(budget(5)), "FILLING 3/5/5 spawn=a blocked=auto<auto"},
		{"only one worker is awaited on a lane with a tree", ev(2, in("a", "", coming), in("b", "")), "FILLING 1/2/2 spawn=b"},
	})
}

// D23: where a worker was started that has ended already, the next one is not
// started at once; it counts for nobody meanwhile, and another lane is taken.
func TestD23WhereAWorkerHasJustEndedNobodyIsStarted(t *testing.T) {
	rest := func(n int) func(*Lane) { return func(l *Lane) { l.Resting = n } }
	run(t, []planTest{
		{"it is not alive, and is why there are fewer", ev(1, in("a", "", rest(1))), "FILLING 0/1/1 blocked=a<a"},
		{"another lane is taken for it", ev(1, in("a", "", rest(1)), in("b", "")), "FILLING 0/2/1 spawn=b"},
		{"it keeps no tree from others", ev(1, in("a", "", rest(1)), in("b", "", tree("a/**"))), "FILLING 0/1/1 spawn=b"},
		{"a stalled lease there is reaped, and nobody follows it at once", ev(1, in("a", Stalled, rest(1))), "FILLING 0/1/1 reap=a blocked=a<a"},
		{"one who lives there is not concerned", ev(1, in("a", Advancing, rest(1))), "AT_TARGET 1/1/1"},
		{"nor one who is awaited", ev(1, in("a", "", pending, rest(1))), "AT_TARGET 1/1/1"},
		{"of a budget as many are not started", ev(3, in("auto", "", aHandle, rest(2))).with(budget(3)), "FILLING 0/3/3 spawn=auto blocked=auto<auto"},
		{"on no handle", ev(3, in("d", Advancing, aHandle), in("auto", "", aHandle, rest(2))).with(budget(3)), "FILLING 1/3/3 blocked=d<d auto<auto"},
		{"more than there is room for are no fewer than none", ev(1, in("auto", "", aHandle, rest(9))).with(budget(1)), "FILLING 0/1/1 blocked=auto<auto"},
	})
}

// D22: who runs alone runs alone, and every live region is held, whether its
// worker counts or not.
func TestD22ExclusiveRunsAloneAndLiveRegionsAreHeld(t *testing.T) {
	off := func(ev *Evidence) { ev.Policy = Policy{MaxConcurrency: ev.Policy.MaxConcurrency} }
	infra := func(l Liveness, changes ...func(*Lane)) Lane {
		return in("infra", l, append(changes, exclusive)...)
	}
	run(t, []planTest{
		{"a live exclusive lane caps what can live at one", ev(2, in("a", ""), in("b", ""), infra(Advancing)),
			"TARGET_UNREACHABLE 1/1/2"},
		{"and is as many as one can have", ev(1, in("a", ""), infra(Advancing)), "AT_TARGET 1/1/1"},
		{"the budget does not change that", ev(3, in("auto", "", aHandle), infra(Advancing)).with(budget(3)), "TARGET_UNREACHABLE 1/1/3"},
		{"one that is awaited caps too", ev(1, in("a", ""), infra("", pending)), "AT_TARGET 1/1/1"},
		{"one that is parked too, and nobody is started", ev(1, in("a", ""), infra(Advancing, parked)),
			"FILLING 0/1/1 blocked=a<infra infra<infra"},
		{"one that spins and does not count too", ev(1, in("a", ""), infra(Spinning)).with(off),
			"FILLING 0/1/1 flag=infra blocked=a<infra infra<infra"},
		{"one that is stalled and not reaped too", ev(1, in("a", ""), infra(Stalled)).with(off),
			"FILLING 0/1/1 blocked=a<infra infra<infra"},
		{"one of which nothing is known too", ev(1, in("a", ""), infra("HAPPY")), "AT_TARGET 1/1/1"},
		{"an exclusive lease outside the roster too", ev(1, in("a", "")).with(outside(Outsider{"global", []string{"x/**"}, true})),
			"FILLING 0/1/1 blocked=a<global"},
		{"no lane makes no room", ev(1).with(outside(Outsider{"global", nil, true})), "TARGET_UNREACHABLE 0/0/1"},
		{"a handle is blocked by it as well", ev(1, in("auto", "", aHandle)).with(budget(2)).with(outside(Outsider{"global", nil, true})),
			"FILLING 0/1/1 blocked=auto<global"},
		{"no exclusive lane is started beside a live one, though disjoint", ev(2, in("a", Advancing), in("b", Advancing, tree("a/**")), infra("")),
			"TARGET_UNREACHABLE 2/1/2"},
		{"nor beside one that does not count", ev(1, in("a", Stalled), infra("")).with(off),
			"FILLING 0/1/1 blocked=a<a infra<a"},
		{"nor beside a handle's worker", ev(2, infra(""), in("d", Spinning, aHandle)).with(off).with(budget(2)),
			"FILLING 0/2/2 flag=d blocked=infra<d d<d"},
		{"nor beside one outside the roster", ev(1, infra("")).with(outside(Outsider{"mine", []string{"mine/**"}, false})),
			"FILLING 0/1/1 blocked=infra<mine"},
		{"nor beside a parked handle, of two that are free",
			ev(2, infra(""), in("y", "", exclusive), in("auto", Stalled, aHandle, parked)).with(budget(2)),
			"FILLING 0/2/2 blocked=infra<auto y<auto auto<auto"},
		{"of two exclusive lanes one is started", ev(1, infra(""), in("y", "", exclusive)), "FILLING 0/1/1 spawn=infra"},
		{"the region of a spinner is held though it does not count", ev(1, in("a", Spinning), in("a/x", "")).with(off),
			"FILLING 0/1/1 flag=a blocked=a<a a/x<a"},
		{"the region of a stalled lease that is not reaped is held", ev(1, in("a", Stalled), in("a/x", "")).with(off),
			"FILLING 0/1/1 blocked=a<a a/x<a"},
		{"the region of a lease outside the roster is held, and counts for nobody",
			ev(2, in("a", ""), in("b", "")).with(outside(Outsider{"mine", []string{"a/x/**"}, false})), "FILLING 0/2/2 spawn=b blocked=a<mine"},
		{"an unknown region outside the roster is everywhere", ev(1, in("a", "")).with(outside(Outsider{"mine", nil, false})),
			"FILLING 0/1/1 blocked=a<mine"},
		{"a lane's name is held by a second lease too, wherever that is",
			ev(1, in("a", Stalled), in("b", "")).with(outside(Outsider{"A", []string{"q"}, false})), "FILLING 0/2/1 spawn=b reap=a"},
		{"what a lease holds besides the lane's tree is held",
			ev(3, in("a", Advancing, func(l *Lane) { l.LeaseTree = []string{"b/x"} }), in("b", ""), in("c", "")), "FILLING 1/3/3 spawn=c blocked=b<a"},
	})
}

// D23: AT_TARGET means that as many are alive as said; what is in the way is
// named.
func TestD23BlockedIsFillingAndNamesTheBlockers(t *testing.T) {
	e := ev(1, in("a", Stalled), in("a/x", ""), in("b", "")).with(func(ev *Evidence) { ev.Policy.ReapStalled = false }).
		with(outside(Outsider{"mine", []string{"b/x"}, false}))
	v := Plan(e)
	if got, want := brief(v), "FILLING 0/2/1 blocked=a<a a/x<a b<mine"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	if v.ExitCode() != 3 {
		t.Errorf("exit %d, want 3", v.ExitCode())
	}
	for i, want := range []string{
		"it has a stalled lease, and supervise.reap_stalled is off",
		"it overlaps lane a, which has a stalled lease, and supervise.reap_stalled is off",
		"it overlaps lane mine, which is held by a lease outside the roster",
	} {
		if v.Blockers[i].Reason != want {
			t.Errorf("blocker %d: %q, want %q", i, v.Blockers[i].Reason, want)
		}
	}
	if want := "0 workers are alive, the target is 1: none can be started; lane a: it has a stalled lease"; !strings.HasPrefix(v.Reason, want) {
		t.Errorf("reason %q, want it to begin %q", v.Reason, want)
	}
}

// D23: a lease of which nobody knows how its worker is doing is held.
func TestD23UnclassifiedLeaseReadsAsHeld(t *testing.T) {
	for _, word := range []Liveness{Unclassified, "HAPPY", "advancing", " ", "null"} {
		v := Plan(ev(2, in("a", word), in("a/x", ""), in("b", "")))
		if got, want := brief(v), "FILLING 1/2/2 spawn=b"; got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
		if !strings.Contains(v.Reason, "its liveness cannot be told: lane a") {
			t.Errorf("%q: the reason does not say so: %s", word, v.Reason)
		}
	}
	v := Plan(ev(2, in("a", "?"), in("b", "?"), in("c", "?")))
	if got, want := brief(v), "OVER_TARGET 3/3/2"; got != want || !strings.HasSuffix(v.Reason, "lane a and 2 more") {
		t.Errorf("got %s: %s; want %s", got, v.Reason, want)
	}
}

// D23: a spawn on what the same plan reaps names what it has to wait for.
func TestD23SpawnAfterReapIsMarked(t *testing.T) {
	const stall = Stalled
	tests := []struct {
		claim string
		ev    Evidence
		want  string // lane:lanes waited for
	}{
		{"the reaped lane itself waits, the other does not", ev(2, in("a", stall), in("b", "")), "a:a b:"},
		{"a lane in a reaped region waits", ev(2, in("a/x", ""), in("a", stall), in("b", "")), "a/x:a b:"},
		{"a lane waits for what a reaped lease held besides",
			ev(2, in("a", ""), in("b", stall, func(l *Lane) { l.LeaseTree = []string{"a/x"} })), "a:b b:b"},
		{"whichever comes first",
			ev(2, in("b", stall, func(l *Lane) { l.LeaseTree = []string{"a/x"} }), in("a", "")), "b:b a:b"},
		{"all wait for a reaped exclusive lane", ev(2, in("a", ""), in("b", ""), in("x", stall, exclusive)), "a:x b:x"},
		{"the handle too", ev(1, in("auto", "", aHandle), in("x", stall, exclusive)).with(budget(1)), "auto:x"},
		{"the handle waits for nobody else", ev(2, in("auto", "", aHandle), in("d", stall, aHandle), in("a", stall)).with(budget(2)), "a:a auto:"},
		{"an exclusive lane waits for all", ev(1, in("x", "", exclusive), in("y", stall, exclusive)), "x:y"},
		{"and for itself", ev(1, in("x", stall, exclusive), in("y", stall, exclusive)), "x:x,y"},
	}
	for _, tt := range tests {
		var got []string
		v := Plan(tt.ev)
		for _, r := range v.Spawn {
			got = append(got, r.Lane+":"+strings.Join(r.AfterReap, ","))
		}
		if s := strings.Join(got, " "); s != tt.want || len(v.Reap) == 0 {
			t.Errorf("%s: got %s (reap %s), want %s", tt.claim, s, names(v.Reap), tt.want)
		}
	}
	data, err := json.Marshal(Plan(ev(2, in("a", stall), in("b", ""))).Spawn)
	if err != nil || !strings.Contains(string(data), `"after_reap":["a"]`) || strings.Count(string(data), "after_reap") != 1 {
		t.Errorf("%s, %v", data, err)
	}
}

func TestPlanExitCodes(t *testing.T) {
	for outcome, want := range map[Outcome]int{AtTarget: 0, Filling: 3, TargetUnreachable: 4, OverTarget: 5, "": 2, "at_target": 2} {
		if got := (PlanVerdict{Outcome: outcome}).ExitCode(); got != want {
			t.Errorf("%q: exit %d, want %d", outcome, got, want)
		}
	}
	if err := (PlanVerdict{}).Err(); err == nil {
		t.Error("nothing decided, and no error")
	}
}

// What makes no sense gets no plan, and so starts nobody.
func TestPlanRefusesMalformedEvidence(t *testing.T) {
	many := make([]Lane, maxLanes+1)
	for i := range many {
		many[i] = in(fmt.Sprintf("l%d", i), "")
	}
	tests := []struct {
		ev   Evidence
		want string
	}{
		{ev(-1), "negative"},
		{ev(1, in("a", "")).with(budget(0)), "not between 1 and"},
		{ev(1, in("a", "")).with(budget(maxWorkers + 1)), "not between 1 and"},
		{ev(1, in("a", ""), in("b", ""), in("a", "")), "twice"},
		{ev(1, in("Ab", ""), in("aB", "")), "twice"},
		{ev(1, in("auto*", "", aHandle), in("auto*", "", aHandle)), "twice"},
		{ev(1, in("", "")), "no name"},
		{ev(1, in("_render", "")), "reserved"},
		{ev(1, in("a", "")).with(outside(Outsider{Name: "_render"})), "reserved"},
		{ev(1, in("a", "", func(l *Lane) { l.Coming = -1 })), "-1 workers"},
		{ev(1, in("a", "", func(l *Lane) { l.Coming = maxWorkers + 1 })), "not between"},
		{ev(1, many...), "are more than"},
		{ev(1, in("a\x1b[2J", ""), in("a\x1b[2J", "")), `a\x1b[2J`},
	}
	for _, tt := range tests {
		v := Plan(tt.ev)
		if v.Outcome != "" || v.ExitCode() != 2 || len(v.Spawn)+len(v.Reap) > 0 {
			t.Errorf("%s: %s", tt.want, brief(v))
		}
		if err := v.Err(); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(v.String(), "\x1b") {
			t.Errorf("%q, want %q in it", v.String(), tt.want)
		}
	}
}

// A bound that is too small would refuse what is in order.
func TestPlanTakesAsManyAsItSays(t *testing.T) {
	e := ev(maxWorkers, in("auto", "", aHandle)).with(budget(maxWorkers))
	if v := Plan(e); v.Outcome != Filling || len(v.Spawn) != maxWorkers {
		t.Errorf("%s with %d spawns", v.Outcome, len(v.Spawn))
	}
	if v := Plan(ev(1<<40, in("a", ""))); v.Outcome != TargetUnreachable || len(v.Spawn) != 1 {
		t.Errorf("%s with %d spawns", v.Outcome, len(v.Spawn))
	}
}

func TestPlanJSON(t *testing.T) {
	gen := func(l *Lane) { l.Lease = &Lease{RunID: "r1", Gen: 7, Nonce: "n1", Node: "box"} }
	data, err := json.Marshal(Plan(ev(2, in("a", Stalled, gen), in("b", ""))))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"verdict":"FILLING","reason":"0 workers are alive, the target is 2: 2 to start","alive":0,"admissible":2,"target":2,` +
		`"spawn":[{"lane":"a","disposition":"SPAWN","reason":"the lane is free once what is in its way has been scavenged","after_reap":["a"]},` +
		`{"lane":"b","disposition":"SPAWN","reason":"the lane is free"}],` +
		`"reap":[{"lane":"a","disposition":"REAP","reason":"its lease is stalled: scavenge it, unless its run can be resumed",` +
		`"run_id":"r1","gen":7,"nonce":"n1","node":"box"}],"flag":[],"proposed_halt":[],"blockers":[],` +
		`"evidence":{"target":2,"policy":{"count_spinning_as_alive":true,"reap_stalled":true,"spin_halt_after_ms":null,"max_concurrency":null},` +
		`"lanes":[{"lane":"a","liveness":"STALLED","tree":["a/**"],"is_exclusive":false,"pending":false,"spinning_age_ms":null,"repeatable":false,` +
		`"lease":{"run_id":"r1","gen":7,"nonce":"n1","node":"box"}},` +
		`{"lane":"b","liveness":null,"tree":["b/**"],"is_exclusive":false,"pending":false,"spinning_age_ms":null,"repeatable":false}],` +
		`"outside":[],"algebra":"prefix"}}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
	empty, err := json.Marshal(Plan(Evidence{Target: -1}))
	if err != nil || strings.Contains(string(empty), "[]") != true || strings.Contains(strings.ReplaceAll(string(empty), `_ms":null`, ""), `n":null`) {
		t.Errorf("%s, %v", empty, err)
	}
}

// What people read names what to do, and hides nothing a name brought along.
func TestPlanText(t *testing.T) {
	v := Plan(ev(3, in("a", Stalled), in("b", Spinning), in("c\x1b", "", tree("c"))))
	const want = `FILLING: 1 worker is alive, the target is 3: 2 to start
REAP a: its lease is stalled: scavenge it, unless its run can be resumed
SPAWN a: the lane is free once what is in its way has been scavenged
SPAWN "c\x1b": the lane is free
FLAG b: its worker is spinning: it beats, and nothing comes of it`
	if got := v.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	long := Plan(ev(1, in("a", Advancing, parked), in("a/"+strings.Repeat("x", 500), "")))
	if s := long.String(); len(s) > 600 || !strings.Contains(s, "blocked a: it is parked") {
		t.Errorf("%d bytes: %s", len(s), s)
	}
}

// An unreachable target says what would help, and each remedy only where it
// does.
func TestPlanSaysWhatWouldHelp(t *testing.T) {
	for want, e := range map[string]Evidence{
		"declare more disjoint concurrent lanes in dos.toml, or set supervise.max_concurrency": ev(2, in("a", "")),
		"hold at most 2 at once: raise supervise.max_concurrency":                              ev(3, in("auto", "", aHandle)).with(budget(2)),
		"while lane x, which runs alone, has a worker that is advancing":                       ev(2, in("a", ""), in("b", ""), in("x", Advancing, exclusive)),
	} {
		if v := Plan(e); v.Outcome != TargetUnreachable || !strings.Contains(v.Reason, want) {
			t.Errorf("%s: %s; want %q", v.Outcome, v.Reason, want)
		}
	}
}

// The trees are compared in the algebra that was asked for, and one nobody
// knows finds that all of them overlap.
func TestPlanUsesOneAlgebra(t *testing.T) {
	lanes := []Lane{in("src", "", tree("src/*.go")), in("src2", "", tree("src/*.md"))}
	for algebra, want := range map[lane.Algebra]string{
		lane.Prefix: "TARGET_UNREACHABLE 0/1/2 spawn=src",
		lane.Glob:   "FILLING 0/2/2 spawn=src src2",
		"":          "TARGET_UNREACHABLE 0/1/2 spawn=src",
	} {
		e := ev(2, slices.Clone(lanes)...)
		e.Algebra = algebra
		if got := brief(Plan(e)); got != want {
			t.Errorf("%q: got %s, want %s", algebra, got, want)
		}
	}
}
