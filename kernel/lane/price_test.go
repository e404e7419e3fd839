package lane

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var priceLanes = Taxonomy{
	Concurrent: []string{"api", "web", "bare"},
	Exclusive:  []string{"release"},
	Autopick:   []string{"api"},
	Trees:      map[string][]string{"api": {"api/**"}, "web": {"web/**"}, "release": {"VERSION"}},
	Aliases:    map[string]string{"front": "web"},
}

// priceLine reads "NAME [lane=L] [id=ID] [shared] [GLOB...]".
func priceLine(line string) PriceWorker {
	words := strings.Fields(line)
	w := PriceWorker{}
	for i, word := range words {
		switch {
		case i == 0:
			w.Name = strings.Trim(word, "-")
		case strings.HasPrefix(word, "lane="):
			w.Lane = word[len("lane="):]
		case strings.HasPrefix(word, "id="):
			w.LeaseID = word[len("id="):]
		case word == "shared" || word == "readonly":
			w.Mode = word
		default:
			w.Tree = append(w.Tree, word)
		}
	}
	return w
}

func price(t *testing.T, change func(*PriceEvidence), lines ...string) PriceVerdict {
	t.Helper()
	ev := PriceEvidence{Lanes: priceLanes, Algebra: Glob, SelfModify: []string{"dos.toml"}}
	for _, l := range lines {
		ev.Workers = append(ev.Workers, priceLine(l))
	}
	if change != nil {
		change(&ev)
	}
	v := Price(ev)
	if v.Err() != nil {
		t.Fatalf("no verdict: %v", v.Err())
	}
	return v
}

// priceBrief is the part of a verdict that most tables are about.
func priceBrief(v PriceVerdict) string {
	var waves []string
	for _, w := range v.Waves {
		waves = append(waves, strings.Join(w, " "))
	}
	return fmt.Sprintf("%s now=%s waves=%s", v.Action, strings.Join(v.SafeNow, " "), strings.Join(waves, "|"))
}

func TestPriceChoosesTheAction(t *testing.T) {
	tests := []struct {
		name    string
		workers []string
		want    string
	}{
		{"nobody is HOLD_EMPTY", nil, "HOLD_EMPTY now= waves="},
		{"one with a tree is launched", []string{"a x"}, "LAUNCH_ALL now=a waves=a"},
		{"disjoint trees are launched together", []string{"a x", "b y", "c lane=api"}, "LAUNCH_ALL now=a b c waves=a b c"},
		{"the largest set beats the earliest worker", []string{"a x y", "b x", "c y"}, "LAUNCH_SAFE_SET now=b c waves=b c|a"},
		{"two safe of three is a safe set", []string{"a x", "b x", "c y"}, "LAUNCH_SAFE_SET now=a c waves=a c|b"},
		{"two that collide are to be cut anew", []string{"a x", "b x/y"}, "REPARTITION_AND_REPRICE now=a waves=a|b"},
		{"many that all collide are to be cut anew", []string{"a x", "b x/y", "c x/y"}, "REPARTITION_AND_REPRICE now=a waves=a|b|c"},
		{"one unknown tree serializes", []string{"a x", "b", "c y"}, "SERIALIZE_UNKNOWN_SCOPE now=a c waves=a c|b"},
		{"an unknown tree outranks a collision", []string{"a x", "b x", "c"}, "SERIALIZE_UNKNOWN_SCOPE now=a waves=a|b|c"},
		{"nobody known: none is safe, and each goes alone", []string{"a", "b"}, "SERIALIZE_UNKNOWN_SCOPE now= waves=a|b"},
		{"one that is unknown is not safe alone", []string{"a"}, "SERIALIZE_UNKNOWN_SCOPE now= waves=a"},
		{"nor beside others that only read", []string{"a shared x", "b shared"}, "SERIALIZE_UNKNOWN_SCOPE now=a waves=a|b"},
		{"a lane nobody declared has an unknown tree", []string{"a lane=ghost", "b x"}, "SERIALIZE_UNKNOWN_SCOPE now=b waves=b|a"},
		{"a declared lane without a tree has one too", []string{"a lane=bare", "b x"}, "SERIALIZE_UNKNOWN_SCOPE now=b waves=b|a"},
		{"an undeclared lane with a tree has that", []string{"a lane=ghost x", "b y"}, "LAUNCH_ALL now=a b waves=a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := priceBrief(price(t, nil, tt.workers...)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestPriceCollides(t *testing.T) {
	tests := []struct {
		name    string
		a, b    string
		collide bool
	}{
		{"disjoint trees do not", "a x", "b y", false},
		{"overlapping trees do", "a x/*.go", "b x/main.*", true},
		{"case does not part them", "a Pkg/**", "b pkg/**", true},
		{"wildcards in the middle do", "a internal/**/x.go", "b internal/gw/x.go", true},
		{"braces are anything", "a src/{a,b}/**", "b src/a/**", true},
		{"one lane does, whatever the trees", "a lane=api api/x", "b lane=API api/y", true},
		{"one lane does under two lease ids", "a lane=api id=1 api/x", "b lane=api id=2 api/y", true},
		{"an alias is that lane", "a lane=web web/x", "b lane=front web/y", true},
		{"one lease id does, whatever the trees", "a id=1 x", "b id=1 y", true},
		{"two that only read do not", "a shared x", "b shared x", false},
		{"one that only reads does", "a shared x", "b x", true},
		{"a mode nobody knows writes", "a readonly x", "b shared x", true},
		{"a lane that runs alone does", "a lane=release", "b x", true},
		{"a lane that runs alone undeclared does", "a lane=abi x", "b y", true},
		{"a reserved lane does not", "a lane=_render", "b lane=release", false},
		{"one reserved lane does", "a lane=_render", "b lane=_render", true},
		{"an unknown tree does", "a", "b x", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, pair := range [][]string{{tt.a, tt.b}, {tt.b, tt.a}} {
				v := price(t, nil, pair...)
				if got := v.CollisionsAvoided == 1; got != tt.collide {
					t.Errorf("%q: %d collisions, want %t", pair, v.CollisionsAvoided, tt.collide)
				}
			}
		})
	}
}

func TestPriceNamesEveryWorker(t *testing.T) {
	v := price(t, nil, "- a", "x b", "x c", "x d", "x-2 e", "- f", "agent-6 g")
	got := []string{}
	for _, w := range v.Workers {
		got = append(got, w.Name)
	}
	want := []string{"agent-1", "x", "x-2", "x-3", "x-2-2", "agent-6", "agent-6-2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPriceReadsWorkers(t *testing.T) {
	v := price(t, nil, "a lane=API", "b ./y//z", "c lane=front id=7 web/x shared", "d")
	want := []PricedWorker{
		{Name: "a", Lane: "api", LeaseID: "api", Tree: []string{"api/**"}, Source: SourceLane, Mode: "exclusive", Wave: 1},
		{Name: "b", LeaseID: "b", Tree: []string{"y/z"}, Source: SourceInput, Mode: "exclusive", Wave: 1},
		{Name: "c", Lane: "web", LeaseID: "7", Tree: []string{"web/x"}, Source: SourceInput, Mode: "shared", Wave: 1},
		{Name: "d", LeaseID: "d", Tree: []string{}, Source: SourceUnknown, Mode: "exclusive", Wave: 2},
	}
	if !reflect.DeepEqual(v.Workers, want) {
		t.Errorf("got  %+v\nwant %+v", v.Workers, want)
	}
	if v.LanesUtilized != 3 || !slices.Equal(v.UnknownScope, []string{"d"}) {
		t.Errorf("%d lanes, unknown %q", v.LanesUtilized, v.UnknownScope)
	}
}

func TestPriceAdvises(t *testing.T) {
	v := price(t, nil, "a x", "b x", "c")
	got := map[string]string{}
	for _, h := range v.Held {
		got[h.Name] = h.Advice
	}
	want := map[string]string{"b": AdvicePeerDeclareScope, "c": AdviceDeclareScope}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	v = price(t, nil, "a x", "b x/y", "c x/z")
	if h := price(t, nil, "a").Held; len(h) != 1 || h[0].Advice != AdviceDeclareScope {
		t.Errorf("one of an unknown tree alone is held as %+v", h)
	}
	// The one in the way is named, before others that wait too.
	if h := price(t, nil, "g p q", "s p", "u q/z", "h q").Held; len(h) != 2 || h[1].Reason != "q overlaps q/z, which is u's" {
		t.Errorf("got %+v", h)
	}
	wantHeld := []PriceHeld{{Name: "a", Advice: AdviceNarrow, Reason: "x overlaps x/y, which is b's", CollidesWith: []string{"b", "c"}, Collisions: 2}}
	if !reflect.DeepEqual(v.Held, wantHeld) {
		t.Errorf("got %+v, want %+v", v.Held, wantHeld)
	}
}

// What acquire would refuse whatever else lives is not priced as safe.
func TestD24PriceNeverCallsSafeWhatAcquireRefuses(t *testing.T) {
	v := price(t, nil, "a lane=api web/x", "b dos.toml", "c lane=release dos.toml", "d x", "e y", "f")
	if got, want := priceBrief(v), "SERIALIZE_UNKNOWN_SCOPE now=d e waves=d e|f"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got := []string{}
	for _, b := range v.Blocked {
		got = append(got, b.Name+" "+b.ReasonClass+" "+b.Advice)
	}
	want := []string{
		"a TREE_OUTSIDE_LANE narrow_to_lane_tree",
		"b SELF_MODIFY leave_protected_paths",
		"c TREE_OUTSIDE_LANE narrow_to_lane_tree",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if v.SerializationWasted != 4 || v.CollisionsAvoided != 2 || v.ExpectedRework != 6 {
		t.Errorf("%d wasted, %d avoided, %d rework", v.SerializationWasted, v.CollisionsAvoided, v.ExpectedRework)
	}

	for _, tt := range []struct {
		workers []string
		want    string
	}{
		{[]string{"a dos.toml"}, "REPARTITION_AND_REPRICE now= waves="},
		{[]string{"a dos.toml", "b x"}, "REPARTITION_AND_REPRICE now=b waves=b"},
		{[]string{"a dos.toml", "b x", "c y"}, "LAUNCH_SAFE_SET now=b c waves=b c"},
		{[]string{"a **", "b x", "c y"}, "LAUNCH_SAFE_SET now=b c waves=b c"},
	} {
		if got := priceBrief(price(t, nil, tt.workers...)); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.workers, got, tt.want)
		}
	}
}

// Whoever is in the safe set is admitted, one after the other, in any order
// and beside all others; whoever is blocked is refused with nothing live.
func TestD24PriceAndDecideUseOneAlgebra(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	globs := []string{"api/**", "api/x", "API/*.go", "api/y.go", "web/**", "web/{a,b}", "web/a", "web/*/z", "dos.toml", "*", "./web//a", "VERSION"}
	lanes := []string{"api", "web", "release", "ghost", "front", "other", "abi", "bare"}
	for range 3000 {
		ev := PriceEvidence{Lanes: priceLanes, Algebra: []Algebra{Glob, Prefix}[rng.IntN(2)], SelfModify: []string{"dos.toml"}}
		if rng.IntN(2) == 0 {
			ev.Budgets = map[string]int{Keyword: rng.IntN(3), Cluster: rng.IntN(3), "release": rng.IntN(2)}
		}
		for range 1 + rng.IntN(5) {
			w := PriceWorker{Lane: lanes[rng.IntN(len(lanes))]}
			for range rng.IntN(3) {
				w.Tree = append(w.Tree, globs[rng.IntN(len(globs))])
			}
			ev.Workers = append(ev.Workers, w)
		}
		v := Price(ev)
		decide := func(i int, live []Lease) Verdict {
			in := ev.Workers[i]
			return Decide(Evidence{Request: Request{Lane: in.Lane, Tree: in.Tree}, Lanes: ev.Lanes, Live: live, Algebra: ev.Algebra, SelfModify: ev.SelfModify, Budgets: ev.Budgets})
		}
		var live []Lease
		for i, w := range v.Workers {
			blocked := slices.ContainsFunc(v.Blocked, func(b PriceBlocked) bool { return b.Name == w.Name })
			alone := decide(i, nil)
			if (alone.Outcome == Acquire) != (!blocked && w.Source != SourceUnknown) {
				t.Fatalf("%+v: blocked %t, and alone %s", w, blocked, alone)
			}
			if !slices.Contains(v.SafeNow, w.Name) {
				continue
			}
			d := decide(i, live)
			if d.Outcome != Acquire {
				t.Fatalf("%+v is safe now, and acquire says %s", w, d)
			}
			live = append(live, Lease{Lane: d.Lane, Kind: d.LaneKind, Tree: d.Tree, Exclusive: d.Exclusive, State: Held})
		}
	}
}

func TestPriceHonoursClassBudgets(t *testing.T) {
	budgets := func(b map[string]int) func(*PriceEvidence) { return func(ev *PriceEvidence) { ev.Budgets = b } }
	v := price(t, budgets(map[string]int{Keyword: 2}), "a x", "b y", "c z", "d lane=api")
	if got, want := priceBrief(v), "LAUNCH_SAFE_SET now=a b d waves=a b d|c"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(v.Held) != 1 || v.Held[0].Advice != AdviceWaitForBudget || v.CollisionsAvoided != 0 {
		t.Errorf("held %+v, %d collisions", v.Held, v.CollisionsAvoided)
	}
	v = price(t, budgets(map[string]int{Keyword: 0}), "a x", "d lane=api", "e lane=web")
	if got, want := priceBrief(v), "LAUNCH_SAFE_SET now=d e waves=d e"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(v.Blocked) != 1 || v.Blocked[0].ReasonClass != ClassBudgetExhausted {
		t.Errorf("blocked %+v", v.Blocked)
	}
	v = price(t, budgets(map[string]int{Keyword: 1}), "a x", "b y", "c y")
	if len(v.Held) != 2 || v.Held[0].Advice != AdviceWaitForBudget || v.Held[0].Reason != "the class budget of kind keyword is used up by those before it" {
		t.Errorf("held %+v", v.Held)
	}
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("w%d d%d", i, i))
	}
	v = price(t, budgets(map[string]int{Keyword: 7}), lines...)
	if len(v.SafeNow) != 7 || v.WaveCount != 5 {
		t.Errorf("%d safe in %d waves, want 7 in 5", len(v.SafeNow), v.WaveCount)
	}
}

func TestPriceDividesARiddenLane(t *testing.T) {
	ride := func(ev *PriceEvidence) {
		ev.Within = &Ridden{Lane: "API", Tree: []string{"api/**"}}
		ev.Budgets = map[string]int{Keyword: 0, Cluster: 0, "": 0}
	}
	tests := []struct {
		name    string
		workers []string
		want    string
	}{
		{"one lane does not part disjoint trees", []string{"a lane=api api/x", "b lane=api api/y"}, "LAUNCH_ALL now=a b waves=a b"},
		{"nor does one lease id", []string{"a id=1 api/x", "b id=1 api/y"}, "LAUNCH_ALL now=a b waves=a b"},
		{"overlapping trees collide", []string{"a api/x", "b api/x/y", "c api/z"}, "LAUNCH_SAFE_SET now=a c waves=a c|b"},
		{"no tree is the whole lane's", []string{"a", "b api/x", "c api/y"}, "LAUNCH_SAFE_SET now=b c waves=b c|a"},
		{"a tree outside the lane is blocked", []string{"a api/x", "b api/y", "c web/x"}, "LAUNCH_SAFE_SET now=a b waves=a b"},
		{"two that only read share", []string{"a shared", "b shared"}, "LAUNCH_ALL now=a b waves=a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := price(t, ride, tt.workers...)
			if got := priceBrief(v); got != tt.want || v.Lane != "api" {
				t.Errorf("got  %s in %q\nwant %s", got, v.Lane, tt.want)
			}
		})
	}
	if v := price(t, ride, "a api/x", "c web/x"); len(v.Blocked) != 1 || v.Blocked[0].ReasonClass != TreeOutsideLane {
		t.Errorf("blocked %+v", v.Blocked)
	}
	if v := price(t, ride, "a", "b api/x"); v.Workers[0].Source != SourceLane || v.Workers[0].LeaseID != "a" {
		t.Errorf("got %+v", v.Workers[0])
	}
	// A lane that runs alone may still be divided.
	v := price(t, func(ev *PriceEvidence) { ev.Within = &Ridden{Lane: "release", Tree: []string{"**/*"}} }, "a x", "b y")
	if v.Action != LaunchAll {
		t.Errorf("got %s", v.Action)
	}
}

func TestPriceWithoutVerdict(t *testing.T) {
	tests := []struct {
		name   string
		change func(*PriceEvidence)
		say    string
	}{
		{"a tree that climbs out", func(ev *PriceEvidence) { ev.Workers = []PriceWorker{{Name: "w", Tree: []string{"../x"}}} }, "worker w: tree entry"},
		{"an absolute tree on a lane", func(ev *PriceEvidence) {
			ev.Workers = []PriceWorker{{Name: "w", Lane: "api", Tree: []string{"/x"}}}
		}, "worker w: tree entry"},
		{"a lane no ref could hold", func(ev *PriceEvidence) { ev.Workers = []PriceWorker{{Lane: "a\x1bb"}} }, "worker agent-1: lane name"},
		{"a reserved lane with a tree", func(ev *PriceEvidence) {
			ev.Workers = []PriceWorker{{Lane: "_x", Tree: []string{"x"}}}
		}, "reserved"},
		{"lanes equal once folded", func(ev *PriceEvidence) { ev.Lanes = Taxonomy{Concurrent: []string{"a", "A"}} }, "one name"},
		{"another lane than the ridden", func(ev *PriceEvidence) {
			ev.Within, ev.Workers = &Ridden{"api", []string{"api/**"}}, []PriceWorker{{Lane: "web"}}
		}, "its lane is web"},
		{"a ridden lane without a tree", func(ev *PriceEvidence) { ev.Within = &Ridden{Lane: "api"} }, "no tree to divide"},
		{"too many workers", func(ev *PriceEvidence) { ev.Workers = make([]PriceWorker, MaxPriceWorkers+1) }, "10001 workers"},
		{"too many entries", func(ev *PriceEvidence) {
			for i := range 41 {
				w := PriceWorker{}
				for j := range 500 {
					w.Tree = append(w.Tree, fmt.Sprintf("%d/%d", i, j))
				}
				ev.Workers = append(ev.Workers, w)
			}
		}, "20000 tree entries"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ev := PriceEvidence{Lanes: priceLanes, Algebra: Glob}
			tt.change(&ev)
			v := Price(ev)
			if v.ExitCode() != 2 || v.Err() == nil || !strings.Contains(v.Err().Error(), tt.say) || strings.Contains(v.String(), "\x1b") {
				t.Errorf("got %d %v, want it to say %q", v.ExitCode(), v.Err(), tt.say)
			}
		})
	}
	if (PriceVerdict{}).Err() == nil {
		t.Error("the zero verdict has no error")
	}
}

func TestPriceExitCodes(t *testing.T) {
	for action, want := range map[PriceAction]int{
		"": 2, LaunchAll: 0, LaunchSafeSet: 3, RepartitionAndReprice: 4, SerializeUnknownScope: 5, HoldEmpty: 6, "LAUNCH": 2,
	} {
		if got := (PriceVerdict{Action: action}).ExitCode(); got != want {
			t.Errorf("%q: %d, want %d", action, got, want)
		}
	}
}
