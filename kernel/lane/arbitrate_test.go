package lane_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// yard has three lanes to pick from, one that is declared and not picked, one
// that runs alone and, on the auto-pick list too, one that must not be there.
func yard() lane.Taxonomy {
	return lane.Taxonomy{
		Concurrent: []string{"API", "web", "docs", "ops"},
		Exclusive:  []string{"infra", "solo"},
		Autopick:   []string{"docs", "solo", "Front", "API", "_machine", "docs"},
		Trees: map[string][]string{
			"API": {"api/**"}, "web": {"web/**"}, "docs": {"docs/**"}, "ops": {"ops/**"}, "infra": {"infra/**"},
		},
		Aliases: map[string]string{"front": "WEB", "backend": "api"},
	}
}

type arbitrateCase struct {
	name    string
	req     lane.Request
	live    []lane.Lease
	self    []string
	budgets map[string]int
	force   bool

	outcome lane.Outcome
	class   string
	lane    string // on an acquire the lane to run on, else the lane that conflicts
	kind    string
	tree    []string
	free    []string
	hint    string
	reason  []string
}

func (tt arbitrateCase) evidence(g lane.Algebra) lane.Evidence {
	return lane.Evidence{Request: tt.req, Lanes: yard(), Live: tt.live, Algebra: g, SelfModify: tt.self, Budgets: tt.budgets, Force: tt.force}
}

func (tt arbitrateCase) check(t *testing.T, v lane.Verdict) {
	t.Helper()
	name := v.ConflictLane
	if v.Outcome == lane.Acquire {
		name = v.Lane
	}
	if v.Outcome != tt.outcome || v.ReasonClass != tt.class || name != tt.lane || v.LaneKind != tt.kind {
		t.Errorf("got %+v, want %s (%s) of lane %q", v, tt.outcome, tt.class, tt.lane)
	}
	if !slices.Equal(v.Tree, tt.tree) || !slices.Equal(v.FreeClusters, tt.free) || v.Tree == nil || v.FreeClusters == nil {
		t.Errorf("got tree %q and free %q, want %q and %q", v.Tree, v.FreeClusters, tt.tree, tt.free)
	}
	if picked := v.ReasonClass == lane.AutoPick || v.ReasonClass == lane.AutoPickLadder; v.AutoPicked != picked || v.HintRefused != tt.hint {
		t.Errorf("got auto_picked %v, hint_refused %q: %+v", v.AutoPicked, v.HintRefused, v)
	}
	for _, word := range tt.reason {
		if !strings.Contains(v.Reason, word) {
			t.Errorf("reason %q does not name %q", v.Reason, word)
		}
	}
}

func TestArbitrate(t *testing.T) {
	api, docs, web := held("api", "cluster", "api/**"), held("Docs", "cluster", "docs/**"), held("web", "cluster", "web/**")
	infra := held("infra", "infra", "infra/**")
	all := []string{"docs", "web", "api"}
	tests := []arbitrateCase{
		// no lane named
		{name: "a bare request is given the first lane of the list", outcome: lane.Acquire, class: lane.AutoPick, lane: "docs", kind: "cluster", tree: []string{"docs/**"}},
		{name: "kind cluster alone is a bare request", req: lane.Request{Kind: "Cluster", Tree: []string{""}},
			outcome: lane.Acquire, class: lane.AutoPick, lane: "docs", kind: "cluster", tree: []string{"docs/**"}},
		{name: "held names are passed over, exclusive ones and aliases too", live: []lane.Lease{docs},
			outcome: lane.Acquire, class: lane.AutoPick, lane: "web", kind: "cluster", tree: []string{"web/**"}},
		{name: "so are lanes whose tree collides", live: []lane.Lease{held("fix", "keyword", "DOCS/a", "web/b")},
			outcome: lane.Acquire, class: lane.AutoPick, lane: "api", kind: "cluster", tree: []string{"api/**"}},
		{name: "and lanes that decide admission", self: []string{"docs/hooks/"},
			outcome: lane.Acquire, class: lane.AutoPick, lane: "web", kind: "cluster", tree: []string{"web/**"}},
		{name: "reserved leases are not seen", live: []lane.Lease{held("_machine", "global", "**/*")},
			outcome: lane.Acquire, class: lane.AutoPick, lane: "docs", kind: "cluster", tree: []string{"docs/**"}},
		{name: "nobody is picked beside an exclusive lease", live: []lane.Lease{infra},
			outcome: lane.Refuse, class: lane.ExclusiveLive, lane: "infra", reason: []string{"bob", "infra"}},
		{name: "when the list is used up the free concurrent lanes are named", live: []lane.Lease{docs, web, api},
			outcome: lane.Refuse, class: lane.LadderEmptyOthersFree, free: []string{"ops"}},
		{name: "their trees may collide all the same", live: []lane.Lease{held("fix", "keyword", "**/*")},
			outcome: lane.Refuse, class: lane.LadderEmptyOthersFree, free: []string{"api", "web", "docs", "ops"}},
		{name: "or that none is free", live: []lane.Lease{docs, web, api, held("ops", "cluster", "ops/**")}, outcome: lane.Refuse, class: lane.AllHeld},

		// a lane named, of no kind
		{name: "a free lane is given", req: lane.Request{Lane: "OPS"}, live: []lane.Lease{api},
			outcome: lane.Acquire, class: lane.ClusterAdmitted, lane: "ops", kind: "cluster", tree: []string{"ops/**"}},
		{name: "a held lane is refused", req: lane.Request{Lane: "Backend"}, live: []lane.Lease{api},
			outcome: lane.Refuse, class: lane.SameLaneHeld, lane: "api", free: []string{"docs", "web"}, reason: []string{"bob"}},
		{name: "a lane that collides is exchanged", req: lane.Request{Lane: "docs"}, live: []lane.Lease{held("fix", "keyword", "docs/a")},
			outcome: lane.Acquire, class: lane.AutoPick, lane: "web", kind: "cluster", tree: []string{"web/**"}, hint: lane.Collision, reason: []string{"docs/a", "bob", "fix"}},
		{name: "a lane that decides admission is exchanged", req: lane.Request{Lane: "ops"}, self: []string{"ops/x"},
			outcome: lane.Acquire, class: lane.AutoPick, lane: "docs", kind: "cluster", tree: []string{"docs/**"}, hint: lane.SelfModify, reason: []string{"ops/x"}},
		{name: "or refused when there is no other", req: lane.Request{Lane: "api"}, live: []lane.Lease{docs, web, held("fix", "keyword", "api/a")},
			outcome: lane.Refuse, class: lane.LadderEmptyOthersFree, lane: "fix", free: []string{"api", "ops"}, reason: []string{"api/a", "bob"}},

		// of kind cluster
		{name: "a held lane is exchanged", req: lane.Request{Lane: "docs", Kind: "cluster"}, live: []lane.Lease{docs},
			outcome: lane.Acquire, class: lane.AutoPick, lane: "web", kind: "cluster", tree: []string{"web/**"}, reason: []string{"bob", "docs"}},
		{name: "also one that is not on the list", req: lane.Request{Lane: "ops", Kind: "cluster"}, live: []lane.Lease{held("ops", "cluster", "ops/**")},
			outcome: lane.Acquire, class: lane.AutoPick, lane: "docs", kind: "cluster", tree: []string{"docs/**"}},
		{name: "a lane that collides is refused", req: lane.Request{Lane: "docs", Kind: "cluster"}, live: []lane.Lease{held("fix", "keyword", "docs/a")},
			outcome: lane.Refuse, class: lane.Collision, lane: "fix", free: all, reason: []string{"docs/a"}},
		{name: "a held lane that is not declared is refused", req: lane.Request{Lane: "fix", Kind: "cluster"}, live: []lane.Lease{held("fix", "keyword", "x")},
			outcome: lane.Refuse, class: lane.SameLaneHeld, lane: "fix", free: all},
		{name: "no other is given while an exclusive one runs", req: lane.Request{Lane: "docs", Kind: "cluster"}, live: []lane.Lease{docs, infra},
			outcome: lane.Refuse, class: lane.ExclusiveLive, lane: "infra"},

		// of kind keyword
		{name: "files under a name of their own", req: lane.Request{Lane: "Fix-1", Kind: "keyword", Tree: []string{"x/1"}}, live: []lane.Lease{docs},
			outcome: lane.Acquire, class: lane.KeywordAdmitted, lane: "fix-1", kind: "keyword", tree: []string{"x/1"}},
		{name: "are never exchanged", req: lane.Request{Lane: "fix-1", Tree: []string{"docs/1"}}, live: []lane.Lease{docs},
			outcome: lane.Refuse, class: lane.Collision, lane: "docs", free: []string{"web", "api"}},
		{name: "nor is a declared lane asked for so", req: lane.Request{Lane: "web", Kind: "keyword"}, live: []lane.Lease{held("fix", "keyword", "web/a")},
			outcome: lane.Refuse, class: lane.Collision, lane: "fix", free: all},

		// exclusive
		{name: "an exclusive lane runs when nothing else does", req: lane.Request{Lane: "infra", Kind: "cluster"}, live: []lane.Lease{held("_machine", "")},
			outcome: lane.Acquire, class: lane.ExclusiveAdmitted, lane: "infra", kind: "infra", tree: []string{"infra/**"}},
		{name: "and is not exchanged", req: lane.Request{Lane: "infra"}, live: []lane.Lease{docs},
			outcome: lane.Refuse, class: lane.ExclusiveNotAlone, lane: "docs", free: []string{"web", "api"}},
		{name: "not when its name is held either", req: lane.Request{Lane: "infra", Kind: "cluster"}, live: []lane.Lease{infra},
			outcome: lane.Refuse, class: lane.ExclusiveLive, lane: "infra"},

		// reserved
		{name: "a reserved lane sees its own name only", req: lane.Request{Lane: "_sweep"}, live: []lane.Lease{infra, held("x", "keyword"), held("_other", "")}, budgets: map[string]int{"cluster": 0},
			outcome: lane.Acquire, class: lane.ReservedAdmitted, lane: "_sweep", kind: "cluster"},
		{name: "held it is refused", req: lane.Request{Lane: "_SWEEP"}, live: []lane.Lease{held("_sweep", "")},
			outcome: lane.Refuse, class: lane.SameLaneHeld, lane: "_sweep", free: all},

		// force
		{name: "force gives a lane that is held", req: lane.Request{Lane: "api"}, live: []lane.Lease{api}, self: []string{"api/"}, force: true, budgets: map[string]int{"keyword": 0},
			outcome: lane.Acquire, class: lane.Forced, lane: "api", kind: "keyword", tree: []string{"api/**"}},
		{name: "of the kind that is asked for", req: lane.Request{Lane: "api", Kind: "cluster"}, live: []lane.Lease{api}, force: true,
			outcome: lane.Acquire, class: lane.Forced, lane: "api", kind: "cluster", tree: []string{"api/**"}},
		{name: "an exclusive lane stays exclusive", req: lane.Request{Lane: "infra"}, live: []lane.Lease{api}, force: true,
			outcome: lane.Acquire, class: lane.Forced, lane: "infra", kind: "infra", tree: []string{"infra/**"}},
		{name: "a reserved lane too", req: lane.Request{Lane: "_sweep"}, live: []lane.Lease{held("_sweep", "")}, force: true,
			outcome: lane.Acquire, class: lane.Forced, lane: "_sweep", kind: "cluster"},
		{name: "force does not beat an exclusive lease", req: lane.Request{Lane: "api"}, live: []lane.Lease{infra}, force: true,
			outcome: lane.Refuse, class: lane.ExclusiveLive, lane: "infra"},
		{name: "nor does it make a tree", req: lane.Request{Lane: "typo"}, force: true,
			outcome: lane.Refuse, class: lane.UnknownLane, free: all},
		{name: "nor leave the lane", req: lane.Request{Lane: "api", Tree: []string{"web/x"}}, force: true,
			outcome: lane.Refuse, class: lane.TreeOutsideLane, free: all},
		{name: "without a lane it picks nothing that collides", live: []lane.Lease{held("fix", "keyword", "docs/a", "web/b")}, force: true,
			outcome: lane.Acquire, class: lane.AutoPick, lane: "api", kind: "cluster", tree: []string{"api/**"}},
		{name: "nor is a lane named by its kind", req: lane.Request{Kind: "global"}, live: []lane.Lease{docs}, force: true,
			outcome: lane.Refuse, class: lane.ExclusiveNotAlone, lane: "docs", free: []string{"web", "api"}},
		{name: "without a lane it is not looked at", live: []lane.Lease{docs, web, api, held("ops", "", "ops/")}, force: true, outcome: lane.Refuse, class: lane.AllHeld},
	}
	for _, tt := range tests {
		for _, g := range algebras {
			t.Run(tt.name+"/"+string(g), func(t *testing.T) {
				tt.check(t, lane.Arbitrate(tt.evidence(g)))
			})
		}
	}
}

// Decide never answers with another lane and does not know force.
func TestDecideGivesTheLaneAskedFor(t *testing.T) {
	docs := held("docs", "cluster", "docs/**")
	for _, tt := range []struct {
		req   lane.Request
		class string
	}{
		{lane.Request{Lane: "docs"}, lane.SameLaneHeld},
		{lane.Request{Lane: "docs", Kind: "cluster"}, lane.SameLaneHeld},
		{lane.Request{Lane: "web"}, lane.Collision},
		{lane.Request{Lane: "web", Kind: "cluster"}, lane.Collision},
	} {
		ev := lane.Evidence{Request: tt.req, Lanes: yard(), Live: []lane.Lease{docs, held("fix", "keyword", "web/x")}, Algebra: lane.Glob, Force: true}
		v := lane.Decide(ev)
		if v.Outcome != lane.Refuse || v.ReasonClass != tt.class || !slices.Equal(v.FreeClusters, []string{"web", "api"}) {
			t.Errorf("%+v: got %+v, want %s with the free lanes", tt.req, v, tt.class)
		}
	}
	if v := lane.Decide(lane.Evidence{Lanes: yard(), Algebra: lane.Glob}); v.Err() == nil {
		t.Errorf("a lane is picked: %+v", v)
	}
}

// The rungs in order: each evidence holds what every later rung looks for too.
func TestRungsInOrder(t *testing.T) {
	live := []lane.Lease{held("infra", "infra", "infra/**"), held("api", "cluster", "api/**"), held("fix", "keyword", "web/x")}
	ev := lane.Evidence{
		Request: lane.Request{Lane: "api", Tree: []string{"web/x"}}, Lanes: yard(), Algebra: lane.Glob,
		SelfModify: []string{"web/"}, Budgets: map[string]int{"cluster": 0},
	}
	step := func(class string, edit func()) {
		t.Helper()
		edit()
		ev.Live = live
		if v := lane.Decide(ev); v.ReasonClass != class {
			t.Errorf("got %+v, want %s", v, class)
		}
	}
	step(lane.ExclusiveLive, func() {})
	step(lane.SameLaneHeld, func() { live = live[1:] })
	step(lane.TreeOutsideLane, func() { live = live[1:] })
	step(lane.ExclusiveNotAlone, func() { ev.Request = lane.Request{Lane: "web", Kind: "global"} })
	step(lane.Collision, func() { ev.Request = lane.Request{Lane: "web"} })
	step(lane.ClassBudgetExhausted, func() { live = nil })
	step(lane.SelfModify, func() { ev.Budgets = nil })
	step(lane.ClusterAdmitted, func() { ev.SelfModify = nil })
}

// With both a collision and what decides admission in the way, the lease that
// is given first says which is reported.
func TestCollisionOrSelfModify(t *testing.T) {
	ev := lane.Evidence{Request: lane.Request{Lane: "web", Kind: "cluster"}, Lanes: yard(), Algebra: lane.Glob, SelfModify: []string{"web/hooks"},
		Live: []lane.Lease{held("zz", "keyword", "web/x"), held("aa", "keyword", "x"), held("mm", "keyword", "web/y")}}
	if v := lane.Decide(ev); v.ReasonClass != lane.Collision || v.ConflictLane != "mm" {
		t.Errorf("got %+v, want the first collision by name", v)
	}
	ev.Live[0], ev.Live[1] = ev.Live[1], ev.Live[0]
	if v := lane.Decide(ev); v.ReasonClass != lane.SelfModify {
		t.Errorf("got %+v, want what decides admission", v)
	}
	ev.Live = append([]lane.Lease{held("_machine", "", "web/x")}, ev.Live...)
	if v := lane.Decide(ev); v.ReasonClass != lane.SelfModify {
		t.Errorf("got %+v: a reserved lease counts as given first", v)
	}
}

func TestArbitrateMalformed(t *testing.T) {
	tests := []struct {
		name string
		req  lane.Request
		edit func(*lane.Taxonomy)
	}{
		{name: "files without a lane", req: lane.Request{Tree: []string{"x"}}},
		{name: "files without a lane, of kind cluster", req: lane.Request{Kind: "cluster", Tree: []string{"x"}}},
		{name: "a keyword without a lane", req: lane.Request{Kind: "keyword"}},
		{name: "an unknown kind", req: lane.Request{Lane: "api", Kind: "bogus"}},
		{name: "an unknown kind without a lane", req: lane.Request{Kind: "bogus"}},
		{name: "a name that is no leaf", req: lane.Request{Lane: "k.07", Tree: []string{"x"}}},
		{name: "a tree that climbs out", req: lane.Request{Lane: "api", Tree: []string{"../x"}}},
		{name: "lanes that fold together", edit: func(x *lane.Taxonomy) { x.Exclusive = append(x.Exclusive, "aPi") }},
		{name: "a declared tree that climbs out", edit: func(x *lane.Taxonomy) { x.Trees["web"] = []string{"/"} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, force := range []bool{false, true} {
				x := yard()
				if tt.edit != nil {
					tt.edit(&x)
				}
				ev := lane.Evidence{Request: tt.req, Lanes: x, Algebra: lane.Glob, Force: force, Live: []lane.Lease{held("infra", "infra")}}
				v := lane.Arbitrate(ev)
				if v.Outcome != "" || v.Err() == nil || v.ExitCode() != 2 || v.FreeClusters == nil || v.Tree == nil {
					t.Errorf("got %+v, want no verdict with a cause", v)
				}
				if _, _, no, ok := lane.Conflicts(ev); tt.edit != nil && (ok || no.Err() == nil) {
					t.Errorf("Conflicts says %+v, %v", no, ok)
				}
			}
		})
	}
}

// A workspace that declares no lanes is shared by naming files.
func TestDynamicClaims(t *testing.T) {
	ev := lane.Evidence{Algebra: lane.Glob, Live: []lane.Lease{held("fix-1", "keyword", "a/**")}}
	if v := lane.Arbitrate(ev); v.ReasonClass != lane.AllHeld || !strings.Contains(v.Reason, "--tree") || len(v.FreeClusters) != 0 {
		t.Errorf("a bare request: %+v, want a word about --tree", v)
	}
	for _, tt := range []struct {
		tree  string
		class string
	}{{"b/**", lane.KeywordAdmitted}, {"a/x", lane.Collision}, {"", lane.UnknownLane}} {
		ev.Request = lane.Request{Lane: "fix-2", Kind: "keyword", Tree: []string{tt.tree}}
		if v := lane.Arbitrate(ev); v.ReasonClass != tt.class {
			t.Errorf("tree %q: got %+v, want %s", tt.tree, v, tt.class)
		}
	}
	ev.Request = lane.Request{Lane: "FIX-1", Kind: "keyword", Tree: []string{"b/**"}}
	if v := lane.Arbitrate(ev); v.ReasonClass != lane.SameLaneHeld {
		t.Errorf("a name that is taken: %+v", v)
	}
}

// A lane that is declared by its place on the list alone is free by name, and
// there is nothing to give.
func TestPickedLaneWithoutTree(t *testing.T) {
	ev := lane.Evidence{Lanes: lane.Taxonomy{Autopick: []string{"bare"}}, Algebra: lane.Glob}
	if v := lane.Arbitrate(ev); v.ReasonClass != lane.AllHeld {
		t.Errorf("got %+v, want nothing to pick", v)
	}
	ev.Request.Lane = "bare"
	if v := lane.Arbitrate(ev); v.ReasonClass != lane.UnknownTree || !slices.Equal(v.FreeClusters, []string{"bare"}) {
		t.Errorf("got %+v, want %s", v, lane.UnknownTree)
	}
}

// A composed and a decomposed name, and either case, are one lane throughout.
func TestNamesAreFoldedThroughout(t *testing.T) {
	const composed, decomposed = "caf\u00e9", "CAFE\u0301"
	ev := lane.Evidence{Algebra: lane.Glob, Lanes: lane.Taxonomy{
		Concurrent: []string{decomposed}, Autopick: []string{decomposed}, Trees: map[string][]string{decomposed: {"c/**"}}, Aliases: map[string]string{"bar": composed},
	}}
	for _, name := range []string{composed, decomposed, "Bar", ""} {
		ev.Request.Lane = name
		ev.Live = nil
		if v := lane.Arbitrate(ev); v.Lane != composed {
			t.Errorf("%q: got %+v, want lane %q", name, v, composed)
		}
		ev.Live = []lane.Lease{held(decomposed, "", "elsewhere")}
		if v := lane.Arbitrate(ev); v.Outcome != lane.Refuse || len(v.FreeClusters) != 0 {
			t.Errorf("%q: got %+v, want a held lane, and nothing free", name, v)
		}
	}
}

func TestConflicts(t *testing.T) {
	live := []lane.Lease{held("web", "cluster", "web/**"), held("Api", "cluster", "z"), held("fix", "keyword", "docs/a", "ops/"), held("_a", "global"),
		{Lane: "lost", Kind: lane.Keyword, Tree: []string{"api/x"}, Unreadable: "broken"}, {Lane: "old", Tree: []string{"**"}, State: lane.Free}}
	tests := []struct {
		claim string
		req   lane.Request
		want  []string
	}{
		{"by name, and by tree", lane.Request{Lane: "api"}, []string{"Api", "lost"}},
		{"by tree", lane.Request{Lane: "docs"}, []string{"fix"}},
		{"by exclusivity, all but reserved ones", lane.Request{Lane: "infra"}, []string{"Api", "fix", "lost", "web"}},
		{"a reserved lane by its name", lane.Request{Lane: "_A"}, []string{"_a"}},
		{"none", lane.Request{Lane: "new", Tree: []string{"new/"}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			ev := lane.Evidence{Request: tt.req, Lanes: yard(), Live: live, Algebra: lane.Glob, Budgets: map[string]int{"cluster": 0}, SelfModify: []string{"**"}}
			_, against, _, ok := lane.Conflicts(ev)
			var got []string
			for _, l := range against {
				got = append(got, l.Lane)
			}
			if !ok || !slices.Equal(got, tt.want) {
				t.Errorf("got %q, %v, want %q", got, ok, tt.want)
			}
		})
	}
	_, against, no, ok := lane.Conflicts(lane.Evidence{Request: lane.Request{Lane: "typo"}, Lanes: yard(), Live: live, Algebra: lane.Glob})
	if ok || len(against) > 0 || no.ReasonClass != lane.UnknownLane || !slices.Equal(no.FreeClusters, []string{"docs"}) {
		t.Errorf("a lane nobody knows: %+v, %+v, %v", against, no, ok)
	}
}
