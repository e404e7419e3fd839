package fleet

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// census is three disjoint lanes and an exclusive one, with nobody there.
func census(changes ...func(*Census)) Census {
	c := Census{
		Taxonomy: lane.Taxonomy{
			Concurrent: []string{"a", "b", "c"},
			Exclusive:  []string{"infra"},
			Autopick:   []string{"a", "b", "c"},
			Trees:      map[string][]string{"a": {"a/**"}, "b": {"b/**"}, "c": {"c/**"}},
		},
		Now:    noon,
		Window: 2 * time.Minute,
		Skew:   30 * time.Second,
	}
	for _, change := range changes {
		change(&c)
	}
	return c
}

func handles(c *Census) { c.Budget = true }

func live(name string, liveness Liveness, changes ...func(*Live)) func(*Census) {
	l := Live{Lane: name, Kind: lane.Cluster, Tree: []string{name + "/**"}, State: lane.Held, Liveness: liveness, Since: noon.Add(-time.Hour)}
	for _, change := range changes {
		change(&l)
	}
	return func(c *Census) { c.Live = append(c.Live, l) }
}

func launched(name string, ago time.Duration, run string) func(*Census) {
	return func(c *Census) { c.Launches = append(c.Launches, Launch{Lane: name, RunID: run, At: noon.Add(-ago)}) }
}

func over(c *Census) { c.Launches[len(c.Launches)-1].Over = true }

// listed is a roster in one line: lanes with what is special about them, then
// the outsiders.
func listed(c Census) string {
	lanes, out, err := Roster(c)
	if err != nil {
		return "error: " + err.Error()
	}
	var words []string
	for _, l := range lanes {
		w := l.Name
		if l.Exclusive {
			w += "!"
		}
		if l.Repeatable {
			w += "@"
		}
		if l.Liveness != "" {
			w += ":" + string(l.Liveness)
		}
		if l.Parked {
			w += " parked"
		}
		if l.Pending {
			w += fmt.Sprintf(" pending %d", l.Coming)
		}
		if l.Resting > 0 {
			w += fmt.Sprintf(" resting %d", l.Resting)
		}
		if len(l.LeaseTree) > 0 {
			w += " holds " + strings.Join(l.LeaseTree, " ")
		}
		words = append(words, w)
	}
	s := strings.Join(words, ", ")
	for _, o := range out {
		s += "; " + o.Name
		if o.Exclusive {
			s += "!"
		}
		s += fmt.Sprint(o.Tree)
	}
	return s
}

func TestRoster(t *testing.T) {
	inState := func(s lane.State) func(*Live) { return func(l *Live) { l.State = s } }
	holding := func(tree ...string) func(*Live) { return func(l *Live) { l.Tree = tree } }
	ofKind := func(kind string) func(*Live) { return func(l *Live) { l.Kind = kind } }
	excluding := func(l *Live) { l.Exclusive = true }
	taxonomy := func(t lane.Taxonomy) func(*Census) { return func(c *Census) { c.Taxonomy = t } }
	tests := []struct {
		claim string
		c     Census
		want  string
	}{
		{"concurrent lanes, then exclusive ones", census(), "a, b, c, infra!"},
		{"a lease is on its lane, whatever its case", census(live("B", Advancing, holding("b/**"))), "a, b:ADVANCING, c, infra!"},
		{"what it holds elsewhere is held too", census(live("b", Advancing, holding("lib/**"))), "a, b:ADVANCING holds lib/**, c, infra!"},
		{"a tree that was not read may be anywhere", census(live("b", Advancing, holding())), "a, b:ADVANCING holds **/*, c, infra!"},
		{"a liveness that was not read is no free lane", census(live("b", "")), "a, b:UNCLASSIFIED, c, infra!"},
		{"a freed lease is nobody's", census(live("b", Advancing, inState(lane.Free))), "a, b, c, infra!"},
		{"a state nobody knows is held", census(live("b", Advancing, inState("odd"))), "a, b:ADVANCING, c, infra!"},
		{"a parked one is parked", census(live("b", Stalled, inState(lane.Parked))), "a, b:STALLED parked, c, infra!"},
		{"a second lease on a lane keeps its region", census(live("b", Stalled), live("b", Advancing, holding("lib"))), "a, b:STALLED, c, infra!; b[lib]"},
		{"a lease that excludes makes its lane exclusive", census(live("b", Advancing, ofKind("INFRA"))), "a, b!:ADVANCING, c, infra!"},
		{"a reserved lane is invisible", census(live("_dispatcher", Advancing), handles), "a, b, c, infra!, auto@"},
		{"an undeclared lease is outside", census(live("x", Advancing)), "a, b, c, infra!; x[x/**]"},
		{"with a budget it is a handle that holds its region", census(handles, live("x", Advancing)), "a, b, c, infra!, x@:ADVANCING holds x/**, auto@"},
		{"of which one may be unknown", census(handles, live("x", Advancing, holding())), "a, b, c, infra!, x@:ADVANCING holds **/*, auto@"},
		{"an undeclared exclusive lease never is", census(handles, live("x", Advancing, ofKind("global"))), "a, b, c, infra!, auto@; x![x/**]"},
		{"nor one that says so itself", census(handles, live("x", Advancing, excluding)), "a, b, c, infra!, auto@; x![x/**]"},
		{"nor one on a lane that always is", census(handles, live("release", Advancing)), "a, b, c, infra!, auto@; release![release/**]"},
		{"though a tree is declared for it", census(handles, live("abi", Advancing), taxonomy(lane.Taxonomy{Trees: map[string][]string{"abi": {"abi/**"}}})),
			"auto@; abi![abi/**]"},
		{"the handle's name is nobody else's", census(handles, live("auto", Advancing), live("Auto*", Advancing, excluding)),
			"a, b, c, infra!, auto@:ADVANCING holds auto/**, auto**@; Auto*![Auto*/**]"},
		{"nor a declared lane's", census(handles, taxonomy(lane.Taxonomy{Autopick: []string{"auto"}})), "auto*@"},
		{"a budget needs no lanes", census(handles, taxonomy(lane.Taxonomy{})), "auto@"},
		{"a lane without a tree takes nobody", census(taxonomy(lane.Taxonomy{Concurrent: []string{"a", "b"}, Trees: map[string][]string{"a": {"a"}}})), "a"},
		{"and a lease on it is outside, and no handle", census(handles, taxonomy(lane.Taxonomy{Concurrent: []string{"b"}}), live("b", Advancing)), "auto@; b[b/**]"},
		{"nor is one on a lane that is only picked or only has a tree",
			census(handles, taxonomy(lane.Taxonomy{Autopick: []string{"p"}, Trees: map[string][]string{"q": {"q"}}}), live("p", Advancing), live("q", Advancing)),
			"auto@; p[p/**]; q[q/**]"},
		{"an exclusive lane without a tree is everywhere", census(taxonomy(lane.Taxonomy{Exclusive: []string{"infra"}})), "infra!"},
		{"a lane in both lists is there once, and exclusive", census(taxonomy(lane.Taxonomy{
			Concurrent: []string{"a", "b"}, Exclusive: []string{"a"}, Trees: map[string][]string{"b": {"b"}}})), "a!, b"},
		{"a lane that the taxonomy makes concurrent is", census(live("release", Advancing), taxonomy(lane.Taxonomy{
			Concurrent: []string{"release"}, Trees: map[string][]string{"release": {"r"}}})), "release:ADVANCING holds release/**"},
		{"a reserved lane takes nobody though it is declared", census(taxonomy(lane.Taxonomy{
			Concurrent: []string{"a", "_r"}, Trees: map[string][]string{"a": {"a"}, "_r": {"r"}}})), "a"},
		{"a global lease excludes even where a lane of that name does not", census(handles, live("x", Advancing, ofKind("Global")), taxonomy(lane.Taxonomy{
			Concurrent: []string{"global"}, Trees: map[string][]string{"global": {"g"}}})), "global, auto@; x![x/**]"},
		{"two spellings of a lane are an error", census(taxonomy(lane.Taxonomy{Concurrent: []string{"a", "A"}})),
			`error: read the lanes of dos.toml: declared lanes "a" and "A" are one name once case is folded: rename one`},
	}
	for _, tt := range tests {
		if got := listed(tt.c); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.claim, got, tt.want)
		}
	}
}

func TestRosterKnowsTheTrees(t *testing.T) {
	spun := 3 * time.Minute
	lanes, _, err := Roster(census(live("b", Spinning, func(l *Live) { l.Spinning, l.Lease = &spun, Lease{"r", 4, "n", "box"} })))
	if err != nil || len(lanes) != 4 {
		t.Fatal(lanes, err)
	}
	if got := fmt.Sprint(lanes[0].Tree, lanes[3].Tree); got != "[a/**] [**/*]" {
		t.Errorf("trees %s", got)
	}
	others, _, err := Roster(census(live("b", Advancing, func(l *Live) { l.Spinning = &spun })))
	if err != nil || others[1].SpinningMS != nil {
		t.Errorf("an age though nobody spins: %+v, %v", others[1], err)
	}
	b := lanes[1]
	if b.SpinningMS == nil || *b.SpinningMS != 180_000 || *b.Lease != (Lease{"r", 4, "n", "box"}) || lanes[0].Lease != nil {
		t.Errorf("%+v", b)
	}
}

// D21: what is picked by itself is not therefore a handle, budget or not.
func TestD21DeclaredLanesAreStartedOnce(t *testing.T) {
	for _, budget := range []*int{nil, new(3)} {
		c := census()
		c.Budget = budget != nil
		if got := planned(t, c, 3, budget); got != "FILLING 0/3/3 spawn=a b c" {
			t.Errorf("all free: %s", got)
		}
		c = census(live("a", Advancing), live("b", Advancing))
		c.Budget = budget != nil
		if got := planned(t, c, 3, budget); got != "FILLING 2/3/3 spawn=c" {
			t.Errorf("two held: %s", got)
		}
	}
}

func planned(t *testing.T, c Census, target int, budget *int) string {
	t.Helper()
	lanes, out, err := Roster(c)
	if err != nil {
		t.Fatal(err)
	}
	e := ev(target, lanes...).with(outside(out...))
	e.Policy.MaxConcurrency = budget
	return brief(Plan(e))
}

// D23: a launch of the last two minutes is a worker on its way until its lease
// is seen.
func TestD23LaunchIsPendingUntilItsLeaseOrTheWindow(t *testing.T) {
	since := func(ago time.Duration, run string) func(*Live) {
		return func(l *Live) { l.Since, l.Lease.RunID = noon.Add(-ago), run }
	}
	const none = "a, b, c, infra!"
	tests := []struct {
		claim string
		c     Census
		want  string
	}{
		{"a launch stands for its worker", census(launched("A", time.Second, "r1")), "a pending 0, b, c, infra!"},
		{"to the end of the window", census(launched("a", 2*time.Minute-1, "r1")), "a pending 0, b, c, infra!"},
		{"and no longer", census(launched("a", 2*time.Minute, "r1")), none},
		{"a clock that is ahead does not hide it", census(launched("a", -30*time.Second, "")), "a pending 0, b, c, infra!"},
		{"one that is far ahead is not believed", census(launched("a", -30*time.Second-1, "")), none},
		{"the lease that was taken since answers it", census(launched("a", time.Minute, ""), live("a", Advancing, since(time.Minute, ""))), "a:ADVANCING, b, c, infra!"},
		{"one that is older does not", census(launched("a", time.Minute, ""), live("a", Stalled, since(time.Minute+1, ""))), "a:STALLED pending 0, b, c, infra!"},
		{"of several leases on a lane the newest counts", census(launched("a", time.Minute, ""),
			live("a", Advancing, since(0, "")), live("A", Advancing, since(time.Hour, ""))), "a:ADVANCING, b, c, infra!; A[A/**]"},
		{"the run's lease on another lane does", census(launched("a", time.Minute, "r1"), live("b", Advancing, since(time.Hour, "r1"))), "a, b:ADVANCING, c, infra!"},
		{"runs without an id are not each other", census(launched("a", time.Minute, ""), live("b", Advancing, since(0, ""))), "a pending 0, b:ADVANCING, c, infra!"},
		{"a freed lease answers nothing", census(launched("a", time.Minute, "r1"), live("a", Advancing, since(0, "r1"), func(l *Live) { l.State = lane.Free })), "a pending 0, b, c, infra!"},
		{"launches on the handle are counted", census(handles, launched("auto", 1, "r1"), launched("auto", 2, "r2"), launched("x", 3, "r3"), launched("auto", 4, "r4"),
			live("b", Advancing, since(0, "r2"))), "a, b:ADVANCING, c, infra!, auto@ pending 3"},
		{"one that is over stands for nobody, and its lane rests", census(launched("a", time.Second, "r1"), over), "a resting 1, b, c, infra!"},
		{"to the end of the window", census(launched("a", 2*time.Minute, "r1"), over), none},
		{"beside one that is not, a worker is on its way", census(launched("a", 2, "r1"), over, launched("a", 1, "r2")), "a pending 0 resting 1, b, c, infra!"},
		{"not where its lease was seen", census(launched("a", time.Minute, "r1"), over, live("a", Advancing, since(0, "r1"))), "a:ADVANCING, b, c, infra!"},
		{"those on the handle that are over are counted apart", census(handles, launched("auto", 1, "r1"), over, launched("auto", 2, "r2"), launched("x", 3, "r3"), over),
			"a, b, c, infra!, auto@ pending 1 resting 2"},
		{"and without a budget nowhere", census(launched("auto", 1, "r1"), over), none},
		{"without a budget there is no handle to count them on", census(launched("auto", 1, "r1")), none},
	}
	for _, tt := range tests {
		if got := listed(tt.c); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.claim, got, tt.want)
		}
	}
}

// D23: whatever one tick starts, the next one does not start again, and once
// the leases are there the population stands.
func TestD23TwoQuickTicksStartNobodyTwice(t *testing.T) {
	for _, budget := range []*int{nil, new(5)} {
		c := census()
		c.Budget = budget != nil
		target := 3
		if budget != nil {
			target = 5
		}
		lanes, out, err := Roster(c)
		if err != nil {
			t.Fatal(err)
		}
		e := ev(target, lanes...).with(outside(out...))
		e.Policy.MaxConcurrency = budget
		for i, r := range Plan(e).Spawn {
			run := fmt.Sprint("r", i)
			launched(r.Lane, 0, run)(&c)
			name := r.Lane
			if r.Handle {
				name = fmt.Sprint("picked", i)
			}
			live(name, Advancing, func(l *Live) { l.Since, l.Lease.RunID = noon.Add(time.Second), run })(&c)
		}
		leases := c.Live
		for n := range len(leases) + 1 {
			c.Live, c.Now = leases[:n], noon.Add(10*time.Second)
			want := fmt.Sprintf("AT_TARGET %d/%d/%d", target, target, target)
			if got := planned(t, c, target, budget); got != want {
				t.Errorf("%d of %d leases are there: %s, want %s", n, len(leases), got, want)
			}
		}
	}
}
