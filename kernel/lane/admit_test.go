package lane_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func lanes() lane.Taxonomy {
	return lane.Taxonomy{
		Concurrent: []string{"src", "Docs", "bare"},
		Exclusive:  []string{"infra", "whole"},
		Autopick:   []string{"src"},
		Trees: map[string][]string{
			"src": {"src/**"}, "Docs": {"docs/**", "*.md"}, "infra": {"infra/**"}, "extra": {"extra/"},
		},
		Aliases: map[string]string{"Code": "SRC", "ghost": "gone"},
	}
}

func held(name, kind string, tree ...string) lane.Lease {
	return lane.Lease{Lane: name, Kind: kind, Tree: tree, Holder: "bob", State: lane.Held}
}

func TestDecideAdmits(t *testing.T) {
	tests := []struct {
		name      string
		req       lane.Request
		live      []lane.Lease
		lane      string
		kind      string
		tree      []string
		class     string
		exclusive bool
	}{
		{name: "a declared lane takes its declared tree", req: lane.Request{Lane: "src"},
			lane: "src", kind: "cluster", tree: []string{"src/**"}, class: lane.ClusterAdmitted},
		{name: "a name is folded", req: lane.Request{Lane: "DOCS", Kind: "Cluster"},
			lane: "docs", kind: "cluster", tree: []string{"docs/**", "*.md"}, class: lane.ClusterAdmitted},
		{name: "an alias stands for its lane", req: lane.Request{Lane: "code"},
			lane: "src", kind: "cluster", tree: []string{"src/**"}, class: lane.ClusterAdmitted},
		{name: "a lane known by its tree alone is declared", req: lane.Request{Lane: "extra"},
			lane: "extra", kind: "cluster", tree: []string{"extra/"}, class: lane.ClusterAdmitted},
		{name: "an explicit tree narrows", req: lane.Request{Lane: "src", Tree: []string{"./src/a//b"}},
			lane: "src", kind: "cluster", tree: []string{"src/a/b"}, class: lane.ClusterAdmitted},
		{name: "empty entries are no explicit tree", req: lane.Request{Lane: "src", Tree: []string{""}},
			lane: "src", kind: "cluster", tree: []string{"src/**"}, class: lane.ClusterAdmitted},
		{name: "a declared lane without a tree lives by an explicit one", req: lane.Request{Lane: "bare", Tree: []string{"b"}},
			lane: "bare", kind: "cluster", tree: []string{"b"}, class: lane.ClusterAdmitted},
		{name: "an undeclared lane with a tree is a keyword", req: lane.Request{Lane: "fix-1", Kind: "cluster", Tree: []string{"fix/1"}},
			lane: "fix-1", kind: "keyword", tree: []string{"fix/1"}, class: lane.KeywordAdmitted},
		{name: "a declared lane may be asked for as a keyword", req: lane.Request{Lane: "src", Kind: "keyword"},
			lane: "src", kind: "keyword", tree: []string{"src/**"}, class: lane.KeywordAdmitted},
		{name: "an exclusive lane keeps its kind whatever is asked", req: lane.Request{Lane: "infra", Kind: "cluster"},
			lane: "infra", kind: "infra", tree: []string{"infra/**"}, class: lane.ExclusiveAdmitted, exclusive: true},
		{name: "an exclusive lane without a tree is everything", req: lane.Request{Lane: "whole"},
			lane: "whole", kind: "whole", tree: []string{"**/*"}, class: lane.ExclusiveAdmitted, exclusive: true},
		{name: "the global kind makes any lane exclusive", req: lane.Request{Lane: "src", Kind: "global"},
			lane: "src", kind: "global", tree: []string{"src/**"}, class: lane.ExclusiveAdmitted, exclusive: true},
		{name: "an exclusive lane's name as the kind makes any lane exclusive", req: lane.Request{Lane: "src", Kind: "INFRA"},
			lane: "src", kind: "infra", tree: []string{"src/**"}, class: lane.ExclusiveAdmitted, exclusive: true},
		{name: "the global kind names the global lane", req: lane.Request{Kind: "global"},
			lane: "global", kind: "global", tree: []string{"**/*"}, class: lane.ExclusiveAdmitted, exclusive: true},
		{name: "release is exclusive undeclared", req: lane.Request{Lane: "release"},
			lane: "release", kind: "release", tree: []string{"**/*"}, class: lane.ExclusiveAdmitted, exclusive: true},
		{name: "disjoint trees run side by side", req: lane.Request{Lane: "src"}, live: []lane.Lease{held("docs", "cluster", "docs/**")},
			lane: "src", kind: "cluster", tree: []string{"src/**"}, class: lane.ClusterAdmitted},
		{name: "a free lane does not bind", req: lane.Request{Lane: "src"}, live: []lane.Lease{{Lane: "src", Tree: []string{"src/**"}, State: lane.Free}},
			lane: "src", kind: "cluster", tree: []string{"src/**"}, class: lane.ClusterAdmitted},
		{name: "a reserved lane has no tree", req: lane.Request{Lane: "_render"}, live: []lane.Lease{held("infra", "infra", "**/*"), held("_dispatcher", "")},
			lane: "_render", kind: "cluster", tree: []string{}, class: lane.ReservedAdmitted},
		{name: "a reserved lease does not bind a tree", req: lane.Request{Lane: "src"}, live: []lane.Lease{held("_render", "")},
			lane: "src", kind: "cluster", tree: []string{"src/**"}, class: lane.ClusterAdmitted},
		{name: "an exclusive lane does not see reserved leases", req: lane.Request{Lane: "infra"}, live: []lane.Lease{held("_render", "global", "infra/**")},
			lane: "infra", kind: "infra", tree: []string{"infra/**"}, class: lane.ExclusiveAdmitted, exclusive: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, g := range algebras {
				v := lane.Decide(lane.Evidence{Request: tt.req, Lanes: lanes(), Live: tt.live, Algebra: g})
				if v.Outcome != lane.Acquire || v.Lane != tt.lane || v.LaneKind != tt.kind || v.ReasonClass != tt.class ||
					!slices.Equal(v.Tree, tt.tree) || v.Tree == nil || v.Exclusive != tt.exclusive || v.ExitCode() != 0 {
					t.Errorf("%s: got %+v", g, v)
				}
				c, _, ok := lane.Resolve(tt.req, lanes())
				if !ok || c.Lane != v.Lane || c.Kind != v.LaneKind || c.Exclusive != v.Exclusive || !slices.Equal(c.Tree, v.Tree) {
					t.Errorf("Resolve = %+v, %v; the verdict says %+v", c, ok, v)
				}
			}
		})
	}
}

func TestDecideRefuses(t *testing.T) {
	src := lane.Request{Lane: "src"}
	tests := []struct {
		name   string
		req    lane.Request
		live   []lane.Lease
		self   []string
		class  string
		lane   string   // conflict lane
		reason []string // what the reason must name
	}{
		{name: "an unknown lane", req: lane.Request{Lane: "typo"}, class: lane.UnknownLane, reason: []string{"typo"}},
		{name: "an unknown lane of any kind", req: lane.Request{Lane: "typo", Kind: "global"}, class: lane.UnknownLane},
		{name: "an alias of nothing", req: lane.Request{Lane: "ghost"}, class: lane.UnknownLane, reason: []string{"gone"}},
		{name: "a lane without a tree", req: lane.Request{Lane: "bare"}, class: lane.UnknownTree, reason: []string{"bare"}},
		{name: "a tree outside the lane", req: lane.Request{Lane: "src", Tree: []string{"src/a", "docs/b"}},
			class: lane.TreeOutsideLane, reason: []string{"docs/b", "src/**"}},
		{name: "a tree beside an exclusive lane", req: lane.Request{Lane: "infra", Tree: []string{"src"}}, class: lane.TreeOutsideLane},
		{name: "a held lane", req: src, live: []lane.Lease{held("src", "cluster", "elsewhere/")},
			class: lane.SameLaneHeld, lane: "src", reason: []string{"bob", "src"}},
		{name: "a held lane in another spelling", req: src, live: []lane.Lease{held("SRC", "cluster", "elsewhere/")}, class: lane.SameLaneHeld, lane: "src"},
		{name: "a held lane by its alias", req: lane.Request{Lane: "CODE"}, live: []lane.Lease{held("src", "cluster", "elsewhere/")},
			class: lane.SameLaneHeld, lane: "src"},
		{name: "a held reserved lane", req: lane.Request{Lane: "_render"}, live: []lane.Lease{held("_render", "")}, class: lane.SameLaneHeld, lane: "_render"},
		{name: "a parked lane", req: src, live: []lane.Lease{{Lane: "src", State: lane.Parked}}, class: lane.SameLaneHeld, lane: "src", reason: []string{"parked"}},
		{name: "a lane in a state nobody knows", req: src, live: []lane.Lease{{Lane: "src", State: "odd"}}, class: lane.SameLaneHeld, lane: "src"},
		{name: "a lane in no state at all", req: src, live: []lane.Lease{{Lane: "src"}}, class: lane.SameLaneHeld, lane: "src"},
		{name: "an exclusive lease by its lane", req: src, live: []lane.Lease{held("infra", "cluster", "infra/**")},
			class: lane.ExclusiveLive, lane: "infra", reason: []string{"bob", "infra"}},
		{name: "an exclusive lease by its kind", req: src, live: []lane.Lease{held("fix", "whole", "fix/")}, class: lane.ExclusiveLive, lane: "fix"},
		{name: "a global lease", req: src, live: []lane.Lease{held("fix", "GLOBAL", "fix/")}, class: lane.ExclusiveLive, lane: "fix"},
		{name: "a lease recorded as exclusive", req: src, live: []lane.Lease{{Lane: "fix", Exclusive: true, Tree: []string{"fix/"}}},
			class: lane.ExclusiveLive, lane: "fix"},
		{name: "a waiting exclusive", req: src, live: []lane.Lease{{Lane: "infra", State: lane.Waiting}}, class: lane.ExclusiveLive, lane: "infra", reason: []string{"waits"}},
		{name: "an exclusive request beside anything", req: lane.Request{Lane: "infra"}, live: []lane.Lease{held("src", "cluster", "src/**"), held("_a", "")},
			class: lane.ExclusiveNotAlone, lane: "src", reason: []string{"bob", "src"}},
		{name: "a global request beside anything", req: lane.Request{Lane: "src", Kind: "global"}, live: []lane.Lease{held("fix", "", "fix/")},
			class: lane.ExclusiveNotAlone, lane: "fix"},
		{name: "an overlapping tree", req: src, live: []lane.Lease{held("fix", "keyword", "x", "SRC/a/*.go")},
			class: lane.Collision, lane: "fix", reason: []string{"src/**", "SRC/a/*.go", "bob", "fix"}},
		{name: "a lease whose tree is unknown", req: src, live: []lane.Lease{held("fix", "keyword")}, class: lane.Collision, lane: "fix", reason: []string{"unknown"}},
		{name: "a lease whose tree is blank", req: src, live: []lane.Lease{held("fix", "keyword", "", "")}, class: lane.Collision, lane: "fix"},
		{name: "a lease whose tree cannot be read", req: src, live: []lane.Lease{held("fix", "keyword", "/abs")}, class: lane.Collision, lane: "fix"},
		{name: "a lease whose lane cannot be read", req: src, live: []lane.Lease{held("_a\x00", "keyword", "src/x")}, class: lane.Collision, lane: "_a\x00", reason: []string{`"_a\x00"`}},
		{name: "a tree that decides admission", req: src, self: []string{"dos.toml", "src/hooks/"}, class: lane.SelfModify, reason: []string{"src/hooks/"}},
		{name: "everything, where something decides admission", req: lane.Request{Lane: "whole"}, self: []string{"dos.toml"}, class: lane.SelfModify},
		{name: "exclusivity comes before the name", req: src, live: []lane.Lease{held("infra", "infra", "infra/**"), held("src", "cluster", "src/**")},
			class: lane.ExclusiveLive, lane: "infra"},
		{name: "an exclusive lane that is held", req: lane.Request{Lane: "infra"}, live: []lane.Lease{held("infra", "infra", "infra/**")},
			class: lane.ExclusiveLive, lane: "infra", reason: []string{"bob"}},
		{name: "a held lane that is not declared", req: lane.Request{Lane: "fix"}, live: []lane.Lease{held("fix", "keyword", "fix/")},
			class: lane.SameLaneHeld, lane: "fix", reason: []string{"bob"}},
		{name: "a held lane comes before a tree outside it", req: lane.Request{Lane: "src", Tree: []string{"docs/"}},
			live: []lane.Lease{held("src", "cluster", "src/**")}, class: lane.SameLaneHeld, lane: "src"},
		{name: "exclusivity comes before trees", req: src, live: []lane.Lease{held("a", "keyword", "src/**"), held("infra", "infra", "infra/**")},
			class: lane.ExclusiveLive, lane: "infra"},
		{name: "the first lane by name is reported", req: src, live: []lane.Lease{held("z", "keyword", "src/z"), held("B", "keyword", "src/b"), held("c", "keyword", "src/c")},
			class: lane.Collision, lane: "b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, g := range algebras {
				ev := lane.Evidence{Request: tt.req, Lanes: lanes(), Live: tt.live, Algebra: g, SelfModify: tt.self}
				v := lane.Decide(ev)
				if v.Outcome != lane.Refuse || v.ReasonClass != tt.class || v.ConflictLane != tt.lane || v.ExitCode() != 3 {
					t.Errorf("%s: got %+v, want %s by lane %q", g, v, tt.class, tt.lane)
				}
				if v.Lane != "" || v.LaneKind != "" || len(v.Tree) != 0 || v.Tree == nil || v.Exclusive {
					t.Errorf("%s: a refusal grants something: %+v", g, v)
				}
				for _, want := range tt.reason {
					if !strings.Contains(v.Reason, want) {
						t.Errorf("%s: reason %q does not name %q", g, v.Reason, want)
					}
				}
				slices.Reverse(ev.Live)
				if again := lane.Decide(ev); again.Reason != v.Reason {
					t.Errorf("%s: in another order: %q, not %q", g, again.Reason, v.Reason)
				}
				slices.Reverse(ev.Live)
			}
		})
	}
}

func TestDecideMalformed(t *testing.T) {
	clash := func(edit func(*lane.Taxonomy)) lane.Taxonomy {
		x := lanes()
		edit(&x)
		return x
	}
	tests := []struct {
		name  string
		req   lane.Request
		lanes lane.Taxonomy
	}{
		{"no lane", lane.Request{}, lanes()},
		{"a keyword without a lane", lane.Request{Kind: "keyword", Tree: []string{"x"}}, lanes()},
		{"a lane of white space", lane.Request{Lane: "  "}, lanes()},
		{"a name that is no leaf", lane.Request{Lane: "../x", Tree: []string{"x"}}, lanes()},
		{"an unknown kind", lane.Request{Lane: "src", Kind: "bogus"}, lanes()},
		{"a concurrent lane's name as the kind", lane.Request{Lane: "src", Kind: "docs"}, lanes()},
		{"a kind that cannot be read", lane.Request{Lane: "src", Kind: "\x00"}, lanes()},
		{"an absolute tree", lane.Request{Lane: "src", Tree: []string{"/src"}}, lanes()},
		{"a tree out of the repository", lane.Request{Lane: "src", Tree: []string{"src/../../x"}}, lanes()},
		{"a tree of white space", lane.Request{Lane: "src", Tree: []string{" "}}, lanes()},
		{"a reserved lane with a tree", lane.Request{Lane: "_x", Tree: []string{"a"}}, lanes()},
		{"a reserved lane with a kind", lane.Request{Lane: "_x", Kind: "global"}, lanes()},
		{"declared names that fold together", lane.Request{Lane: "src"}, clash(func(x *lane.Taxonomy) { x.Concurrent = append(x.Concurrent, "SRC") })},
		{"a tree under another spelling of a lane", lane.Request{Lane: "src"}, clash(func(x *lane.Taxonomy) { x.Trees["docs"] = nil })},
		{"a declared name that is no leaf", lane.Request{Lane: "src"}, clash(func(x *lane.Taxonomy) { x.Exclusive = append(x.Exclusive, "con") })},
		{"a declared tree that cannot be cleaned", lane.Request{Lane: "docs"}, clash(func(x *lane.Taxonomy) { x.Trees["src"] = []string{"/"} })},
		{"an alias that is no name", lane.Request{Lane: "src"}, clash(func(x *lane.Taxonomy) { x.Aliases[""] = "src" })},
		{"an alias of what is no name", lane.Request{Lane: "src"}, clash(func(x *lane.Taxonomy) { x.Aliases["x"] = "-" })},
		{"an alias for two lanes", lane.Request{Lane: "src"}, clash(func(x *lane.Taxonomy) { x.Aliases["CODE"] = "docs" })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := lane.Decide(lane.Evidence{Request: tt.req, Lanes: tt.lanes, Algebra: lane.Glob})
			if v.Outcome != "" || v.ExitCode() != 2 || v.Err() == nil || v.Tree == nil {
				t.Errorf("got %+v, want no verdict with a cause", v)
			}
			if _, no, ok := lane.Resolve(tt.req, tt.lanes); ok || no.Reason != v.Reason {
				t.Errorf("Resolve says %+v, %v", no, ok)
			}
		})
	}
}

func TestSoftOverlap(t *testing.T) {
	ev := lane.Evidence{
		Request: lane.Request{Lane: "fix", Tree: []string{"src/a", "x", "y"}},
		Lanes:   lanes(), Algebra: lane.Glob, Live: []lane.Lease{held("src", "cluster", "src/**")},
	}
	if v := lane.Decide(ev); v.ReasonClass != lane.Collision {
		t.Errorf("without a ratio: %+v, want a collision", v)
	}
	if ev.RatioMax = 1.0 / 3; lane.Decide(ev).Outcome != lane.Acquire {
		t.Errorf("with a ratio of one third: %+v, want admission", lane.Decide(ev))
	}
}

// Words that mean "exclusive" undeclared are ordinary lanes once declared, but
// the global kind always excludes.
func TestDeclaredWords(t *testing.T) {
	tax := lane.Taxonomy{
		Concurrent: []string{"release", "global"},
		Autopick:   []string{"auto"},
		Trees:      map[string][]string{"release": {"rel/"}, "global": {"glob/"}, "abi": {"abi/"}},
	}
	tests := []struct {
		name, lane, kind string
		want             lane.Claim
	}{
		{"a declared word is ordinary", "release", "", lane.Claim{Lane: "release", Kind: "cluster"}},
		{"a word with only a tree is exclusive", "abi", "", lane.Claim{Lane: "abi", Kind: "abi", Exclusive: true}},
		{"the global kind excludes", "release", "global", lane.Claim{Lane: "release", Kind: "global", Exclusive: true}},
		{"an autopick lane is declared", "auto", "", lane.Claim{Lane: "auto", Kind: "cluster"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := map[string][]string{"auto": {"a"}}[tt.lane]
			c, no, ok := lane.Resolve(lane.Request{Lane: tt.lane, Kind: tt.kind, Tree: tree}, tax)
			if !ok || c.Lane != tt.want.Lane || c.Kind != tt.want.Kind || c.Exclusive != tt.want.Exclusive || !c.Declared {
				t.Errorf("got %+v, %+v, want %+v", c, no, tt.want)
			}
		})
	}
	_, no, ok := lane.Resolve(lane.Request{Lane: "auto"}, tax)
	if ok || no.ReasonClass != lane.UnknownTree {
		t.Errorf("an autopick lane without a tree: %+v, %v", no, ok)
	}
}

// A policy that gives no algebra, or one nobody knows, admits one at a time.
func TestUnknownAlgebraAdmitsAlone(t *testing.T) {
	ev := lane.Evidence{Request: lane.Request{Lane: "src"}, Lanes: lanes(), Live: []lane.Lease{held("docs", "cluster", "docs/**")}}
	for _, g := range []lane.Algebra{"", "regexp"} {
		ev.Algebra = g
		if v := lane.Decide(ev); v.ReasonClass != lane.Collision {
			t.Errorf("%q: %+v, want a collision", g, v)
		}
	}
}

// The exit codes are the product's public contract.
func TestExitCodes(t *testing.T) {
	for outcome, want := range map[lane.Outcome]int{lane.Acquire: 0, lane.Refuse: 3, "": 2, "odd": 2} {
		if got := (lane.Verdict{Outcome: outcome}).ExitCode(); got != want {
			t.Errorf("ExitCode(%q) = %d, want %d", outcome, got, want)
		}
	}
	if (lane.Verdict{}).Err() == nil || (lane.Verdict{Outcome: lane.Refuse}).Err() != nil {
		t.Error("only what was not decided is an error")
	}
}

func TestVerdictJSON(t *testing.T) {
	v := lane.Decide(lane.Evidence{Request: lane.Request{Lane: "src"}, Lanes: lanes(), Algebra: lane.Glob,
		Live: []lane.Lease{held("fix", "keyword", "src/a")}})
	got, err := json.Marshal(v)
	want := `{"outcome":"refuse","lane":"","lane_kind":"","tree":[],"exclusive":false,"reason_class":"COLLISION",` +
		`"reason":"src/** overlaps src/a, which bob holds on lane fix","holder":"bob","conflict_lane":"fix",` +
		`"auto_picked":false,"free_clusters":["src"],"pick_count":null,"hint_refused":""}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// Whoever comes second is refused: two requests whose trees share a file are
// never both admitted, whichever is first.
func FuzzNoDoubleGrant(f *testing.F) {
	f.Add("fix", "src/a", "other", "src/*", "src/a")
	f.Add("src", "", "docs", "", "src/a")
	f.Add("infra", "", "_x", "", "a")
	f.Fuzz(func(t *testing.T, laneA, treeA, laneB, treeB, path string) {
		for _, g := range algebras {
			a := lane.Evidence{Request: lane.Request{Lane: laneA, Tree: []string{treeA}}, Lanes: lanes(), Algebra: g}
			b := lane.Evidence{Request: lane.Request{Lane: laneB, Tree: []string{treeB}}, Lanes: lanes(), Algebra: g}
			va := lane.Decide(a)
			if va.Outcome != lane.Acquire {
				continue
			}
			b.Live = []lane.Lease{{Lane: va.Lane, Kind: va.LaneKind, Tree: va.Tree, Exclusive: va.Exclusive, Holder: "a"}}
			vb := lane.Decide(b)
			if vb.Outcome != lane.Acquire {
				continue
			}
			if va.Lane == vb.Lane || g.Contains(va.Tree, path) && g.Contains(vb.Tree, path) {
				t.Errorf("%s: both admitted: %+v and %+v", g, va, vb)
			}
			if (va.Exclusive || vb.Exclusive) && !lane.Reserved(va.Lane) && !lane.Reserved(vb.Lane) {
				t.Errorf("%s: one runs beside an exclusive one: %+v and %+v", g, va, vb)
			}
		}
	})
}
