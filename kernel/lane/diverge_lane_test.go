package lane_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// judges are the two ways to be admitted. What must never be admitted is put
// to both.
var judges = map[string]func(lane.Evidence) lane.Verdict{"Decide": lane.Decide, "Arbitrate": lane.Arbitrate}

func TestD01PathSpellingsAreNeverFalselyDisjoint(t *testing.T) {
	pairs := [][2]string{
		{"./src/**", "src/x"}, {"src//a", "src/a"}, {"a/../src/x", "src/x"}, {"src/?.py", "src/a.py"}, {"src/[ab]", "src/b"},
		{"src/{a,b}", "src/a"}, {".", "any/thing"}, {"src/./x", "src/x"}, {"e\u0301t\u00e9/x", "\u00e9te\u0301/x"}, {`src\a`, "src/a"}, {" src/a ", "src/a"},
	}
	for _, g := range algebras {
		for _, p := range pairs {
			if g.Disjoint(p[:1], p[1:]) || g.Disjoint(p[1:], p[:1]) {
				t.Errorf("%s: %q and %q are said to be disjoint", g, p[0], p[1])
			}
			ev := lane.Evidence{Request: lane.Request{Lane: "two", Tree: p[1:]}, Live: []lane.Lease{held("one", "keyword", p[0])}, Algebra: g}
			for name, judge := range judges {
				if v := judge(ev); v.ReasonClass != lane.Collision {
					t.Errorf("%s, %s: %q beside %q: %+v", g, name, p[1], p[0], v)
				}
			}
		}
		for _, entry := range []string{"/src/a", "C:/src", "../src", "a/../../b", "!src", " ", "\t"} {
			v := lane.Decide(lane.Evidence{Request: lane.Request{Lane: "two", Tree: []string{entry}}, Algebra: g})
			if v.Err() == nil || v.ExitCode() != 2 {
				t.Errorf("%s: request for %q: %+v, want a contract error", g, entry, v)
			}
			if g.Disjoint([]string{entry}, []string{"unrelated/x"}) {
				t.Errorf("%s: a stored %q overlaps nothing", g, entry)
			}
		}
	}
}

func TestD02BlankAndRepeatedEntriesChangeNothing(t *testing.T) {
	lease := []string{"src/**"}
	for _, g := range algebras {
		if s := g.Score([]string{"", ""}, lease, 1); s.Admissible || s.Requested != 0 {
			t.Errorf("%s: a tree of blanks scores %+v", g, s)
		}
		diluted := []string{"src/a", "", "", "", "x", "./x", "y/../x", "X"}
		if s := g.Score(diluted, lease, 1.0/3); s.Admissible || s.Shared != 1 {
			t.Errorf("%s: a diluted tree scores %+v", g, s)
		}
		for name, judge := range judges {
			v := judge(lane.Evidence{Request: lane.Request{Lane: "fix", Kind: "keyword", Tree: []string{"", ""}}, Lanes: yard(), Algebra: g})
			if v.ReasonClass != lane.UnknownLane {
				t.Errorf("%s, %s: a tree of blanks: %+v", g, name, v)
			}
		}
	}
}

func TestD03EmptyTreeIsNeverGrantedAndBlocksEverything(t *testing.T) {
	for _, g := range algebras {
		for _, tree := range [][]string{nil, {}, {""}} {
			ev := lane.Evidence{Request: lane.Request{Lane: "ops"}, Lanes: yard(), Live: []lane.Lease{held("odd", "keyword", tree...)}, Algebra: g}
			if v := lane.Decide(ev); v.ReasonClass != lane.Collision || v.ConflictLane != "odd" {
				t.Errorf("%s: beside a lease with tree %q: %+v", g, tree, v)
			}
			if v := lane.Arbitrate(ev); v.Outcome != lane.Refuse || v.ConflictLane != "odd" {
				t.Errorf("%s: beside a lease with tree %q: %+v", g, tree, v)
			}
		}
		for _, req := range []lane.Request{{Lane: "whole"}, {Kind: "global"}, {Lane: "release"}, {Lane: "src", Kind: "global"}} {
			v := lane.Decide(lane.Evidence{Request: req, Lanes: lanes(), Algebra: g})
			if v.Outcome != lane.Acquire || len(v.Tree) == 0 {
				t.Errorf("%s: %+v: %+v, want a tree", g, req, v)
			}
		}
	}
}

func TestD04RatioOfNothingIsStrict(t *testing.T) {
	ev := lane.Evidence{Request: lane.Request{Lane: "fix", Tree: []string{"src/a", "x", "y", "z"}}, Lanes: lanes(), Live: []lane.Lease{held("src", "", "src/**")}}
	for _, ev.Algebra = range algebras {
		for ratio, class := range map[float64]string{0: lane.Collision, -1: lane.Collision, 0.24: lane.Collision, 0.25: lane.KeywordAdmitted, 1: lane.KeywordAdmitted} {
			if ev.RatioMax = ratio; lane.Decide(ev).ReasonClass != class {
				t.Errorf("%s: ratio %v: %+v, want %s", ev.Algebra, ratio, lane.Decide(ev), class)
			}
		}
	}
}

func TestD05ExclusiveLeaseExcludesWhateverKindWasAsked(t *testing.T) {
	for _, g := range algebras {
		for _, req := range []lane.Request{{Lane: "infra"}, {Lane: "infra", Kind: "cluster"}, {Lane: "INFRA", Kind: "keyword"}, {Lane: "web", Kind: "global"}, {Kind: "infra"}} {
			v := lane.Decide(lane.Evidence{Request: req, Lanes: yard(), Algebra: g})
			if !v.Exclusive || v.LaneKind != "infra" && v.LaneKind != "global" {
				t.Errorf("%s: %+v is recorded as %+v", g, req, v)
			}
			stored := lane.Lease{Lane: v.Lane, Kind: v.LaneKind, Tree: v.Tree, State: lane.Held}
			beside := lane.Evidence{Request: lane.Request{Lane: "docs"}, Lanes: yard(), Live: []lane.Lease{stored}, Algebra: g}
			for name, judge := range judges {
				if v := judge(beside); v.ReasonClass != lane.ExclusiveLive {
					t.Errorf("%s, %s: beside %+v: %+v", g, name, stored, v)
				}
			}
		}
		for _, stored := range []lane.Lease{held("infra", "cluster", "infra/**"), held("infra", "", "infra/**"), held("x", "global", "x"), held("x", "Infra", "x")} {
			v := lane.Arbitrate(lane.Evidence{Lanes: yard(), Live: []lane.Lease{stored}, Algebra: g})
			if v.ReasonClass != lane.ExclusiveLive {
				t.Errorf("%s: beside %+v: %+v", g, stored, v)
			}
		}
	}
}

func TestD06ExclusiveLaneIsNeverPicked(t *testing.T) {
	x := lane.Taxonomy{Exclusive: []string{"infra"}, Autopick: []string{"infra", "Release", "web"}, Trees: map[string][]string{"infra": {"infra/**"}, "web": {"web/**"}},
		Aliases: map[string]string{"release": "infra"}}
	for _, g := range algebras {
		ev := lane.Evidence{Lanes: x, Algebra: g}
		if v := lane.Arbitrate(ev); v.Lane != "web" {
			t.Errorf("%s: got %+v, want web", g, v)
		}
		ev.Live = []lane.Lease{held("web", "", "web/**")}
		if v := lane.Arbitrate(ev); v.Outcome != lane.Refuse || len(v.FreeClusters) > 0 {
			t.Errorf("%s: got %+v, want nothing picked and nothing offered", g, v)
		}
	}
}

func TestD07UnknownLaneIsRefusedForEveryKind(t *testing.T) {
	for _, g := range algebras {
		for _, kind := range []string{"", "cluster", "keyword", "global", "infra"} {
			for name, judge := range judges {
				ev := lane.Evidence{Request: lane.Request{Lane: "typo", Kind: kind}, Lanes: yard(), Algebra: g}
				v := judge(ev)
				if v.ReasonClass != lane.UnknownLane || !slices.Equal(v.FreeClusters, []string{"docs", "web", "api"}) {
					t.Errorf("%s, %s: kind %q: %+v", g, name, kind, v)
				}
				if kind == "global" || kind == "infra" {
					continue
				}
				ev.Request.Tree = []string{"z/**"}
				if v := judge(ev); v.ReasonClass != lane.KeywordAdmitted || v.LaneKind != lane.Keyword || v.Lane != "typo" {
					t.Errorf("%s, %s: kind %q with a tree: %+v", g, name, kind, v)
				}
			}
		}
		for _, req := range []lane.Request{{Kind: "keyword", Tree: []string{"x"}}, {Kind: "keyword"}, {Tree: []string{"x"}}, {Kind: "cluster", Tree: []string{"x"}}} {
			if v := lane.Arbitrate(lane.Evidence{Request: req, Lanes: yard(), Algebra: g}); v.ExitCode() != 2 || v.Err() == nil {
				t.Errorf("%s: %+v: %+v, want a contract error", g, req, v)
			}
		}
		for _, kind := range []string{"", "cluster"} {
			if v := lane.Arbitrate(lane.Evidence{Request: lane.Request{Kind: kind}, Lanes: yard(), Algebra: g}); !v.AutoPicked || v.Lane == "" || len(v.Tree) == 0 {
				t.Errorf("%s: kind %q without a lane: %+v, want a pick", g, kind, v)
			}
		}
	}
}

func TestD08AliasIsResolvedFirst(t *testing.T) {
	for name, judge := range judges {
		ev := lane.Evidence{Request: lane.Request{Lane: "BackEnd"}, Lanes: yard(), Algebra: lane.Glob}
		if v := judge(ev); v.Lane != "api" || !slices.Equal(v.Tree, []string{"api/**"}) {
			t.Errorf("%s: got %+v, want lane api", name, v)
		}
		ev.Live = []lane.Lease{held("api", "", "elsewhere")}
		if v := judge(ev); v.ReasonClass != lane.SameLaneHeld || v.ConflictLane != "api" {
			t.Errorf("%s: got %+v, want lane api held", name, v)
		}
	}
}

func TestD09LaneIsOneInEverySpelling(t *testing.T) {
	for name, judge := range judges {
		for _, kind := range []string{"", "cluster", "keyword"} {
			v := judge(lane.Evidence{Request: lane.Request{Lane: "aPi", Kind: kind}, Lanes: yard(), Algebra: lane.Glob})
			if v.Lane != "api" || !slices.Equal(v.Tree, []string{"api/**"}) {
				t.Errorf("%s: kind %q: got %+v, want lane api with its tree", name, kind, v)
			}
		}
	}
	ev := lane.Evidence{Lanes: lane.Taxonomy{Concurrent: []string{"ApI"}, Autopick: []string{"ApI"}, Trees: map[string][]string{"ApI": {"a"}}},
		Live: []lane.Lease{held("aPi", "", "elsewhere")}, Algebra: lane.Glob}
	if v := lane.Arbitrate(ev); v.ReasonClass != lane.AllHeld {
		t.Errorf("a lane held in another spelling: %+v", v)
	}
	ev.Lanes.Autopick = []string{"api"}
	if v := lane.Arbitrate(ev); v.Err() == nil {
		t.Errorf("lanes that are equal after folding: %+v", v)
	}
}

func TestD10TreelessKindsUnknownKindsAndForeignTrees(t *testing.T) {
	for name, judge := range judges {
		v := judge(lane.Evidence{Request: lane.Request{Kind: "global"}, Lanes: yard(), SelfModify: []string{"dos.toml"}, Algebra: lane.Glob})
		if v.ReasonClass != lane.SelfModify {
			t.Errorf("%s: kind global: %+v, want %s", name, v, lane.SelfModify)
		}
		if v := judge(lane.Evidence{Request: lane.Request{Kind: "global"}, Lanes: yard(), Algebra: lane.Glob}); !slices.Equal(v.Tree, []string{"**/*"}) {
			t.Errorf("%s: kind global: %+v, want everything", name, v)
		}
		if v := judge(lane.Evidence{Request: lane.Request{Lane: "solo"}, Lanes: yard(), Algebra: lane.Glob}); !slices.Equal(v.Tree, []string{"**/*"}) {
			t.Errorf("%s: an exclusive lane without a tree: %+v, want everything", name, v)
		}
		if v := judge(lane.Evidence{Request: lane.Request{Lane: "api", Kind: "bogus"}, Lanes: yard(), Algebra: lane.Glob}); v.Err() == nil || v.ExitCode() != 2 {
			t.Errorf("%s: kind bogus: %+v", name, v)
		}
		for _, kind := range []string{"", "cluster", "keyword", "global"} {
			v := judge(lane.Evidence{Request: lane.Request{Lane: "api", Kind: kind, Tree: []string{"web/**"}}, Lanes: yard(), Algebra: lane.Glob})
			if v.ReasonClass != lane.TreeOutsideLane {
				t.Errorf("%s: another lane's tree, of kind %q: %+v", name, kind, v)
			}
		}
	}
}

func TestD11ClassBudgetsBindOnEveryWayIn(t *testing.T) {
	for kind, req := range map[string]lane.Request{"cluster": {Lane: "api"}, "keyword": {Lane: "x", Tree: []string{"x"}}, "infra": {Lane: "infra"}, "global": {Kind: "global"}} {
		for name, judge := range judges {
			v := judge(lane.Evidence{Request: req, Lanes: yard(), Budgets: map[string]int{kind: 0}, Algebra: lane.Glob})
			if v.ReasonClass != lane.ClassBudgetExhausted || !strings.Contains(v.Reason, kind) {
				t.Errorf("%s: %s with a budget of none: %+v", name, kind, v)
			}
		}
	}
	ev := lane.Evidence{Lanes: yard(), Budgets: map[string]int{"cluster": 0}, Algebra: lane.Glob}
	if v := lane.Arbitrate(ev); v.ReasonClass != lane.ClassBudgetExhausted {
		t.Errorf("a pick with a budget of none: %+v", v)
	}
	ladder := lane.Ladder{Candidates: []lane.Request{{Lane: "p", Kind: "slot", Tree: []string{"x"}}}}
	if v := lane.ArbitrateLadder(lane.Evidence{Lanes: yard(), Budgets: map[string]int{"slot": 0}, Algebra: lane.Glob}, ladder); v.ReasonClass != lane.ClassBudgetExhausted {
		t.Errorf("a ladder with a budget of none: %+v", v)
	}
}

func TestD12OnlyArbitrateSuggestsAnotherLane(t *testing.T) {
	mine := held("api", "cluster", "api/**")
	for _, kind := range []string{"", "cluster", "keyword"} {
		ev := lane.Evidence{Request: lane.Request{Lane: "api", Kind: kind}, Lanes: yard(), Live: []lane.Lease{mine}, Algebra: lane.Glob}
		v := lane.Decide(ev)
		if v.ReasonClass != lane.SameLaneHeld || v.Holder != "bob" || v.Lane != "" {
			t.Errorf("kind %q: Decide says %+v", kind, v)
		}
		a := lane.Arbitrate(ev)
		if suggested := a.AutoPicked && a.Lane == "docs"; suggested != (kind == "cluster") {
			t.Errorf("kind %q: Arbitrate says %+v", kind, a)
		}
	}
}

// What a policy that cannot be used has to say is never a default taxonomy.
func TestD17MalformedLanesAdmitNobody(t *testing.T) {
	for what, x := range map[string]lane.Taxonomy{
		"a name that is no leaf":        {Concurrent: []string{"main", "../x"}},
		"two names that fold together":  {Concurrent: []string{"main", "MAIN"}},
		"a tree that climbs out":        {Concurrent: []string{"main"}, Trees: map[string][]string{"main": {"../**"}}},
		"an alias that stands for two":  {Concurrent: []string{"main"}, Aliases: map[string]string{"m": "main", "M": "other"}},
		"an alias of what is no name":   {Concurrent: []string{"main"}, Aliases: map[string]string{"m": ""}},
		"a tree under another spelling": {Concurrent: []string{"main"}, Trees: map[string][]string{"Main": {"x"}}},
	} {
		for _, req := range []lane.Request{{}, {Lane: "main"}, {Lane: "x", Tree: []string{"x"}}, {Kind: "global"}, {Lane: "_a"}} {
			for name, judge := range judges {
				if v := judge(lane.Evidence{Request: req, Lanes: x, Algebra: lane.Glob, Force: true}); v.Outcome != "" || v.Err() == nil || v.ExitCode() != 2 {
					t.Errorf("%s: %s: %+v: %+v", name, what, req, v)
				}
			}
			if v := lane.ArbitrateLadder(lane.Evidence{Request: req, Lanes: x, Algebra: lane.Glob}, lane.Ladder{}); v.Err() == nil {
				t.Errorf("ladder: %s: %+v: %+v", what, req, v)
			}
		}
	}
}
