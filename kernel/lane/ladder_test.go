package lane_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func count(n int) *int { return &n }

func candidate(name, kind string, tree ...string) lane.Request {
	return lane.Request{Lane: name, Kind: kind, Tree: tree}
}

func TestLadder(t *testing.T) {
	three := []lane.Request{candidate("p1", "slot", "a/**"), candidate("docs", "", "docs/**"), candidate("p2", "derived", "b/**")}
	tests := []struct {
		name    string
		ladder  lane.Ladder
		live    []lane.Lease
		budgets map[string]int
		class   string
		lane    string
		kind    string
		count   *int
	}{
		{name: "the first candidate is given, of the kind it states", ladder: lane.Ladder{Candidates: three}, class: lane.AutoPickLadder, lane: "p1", kind: "slot"},
		{name: "a held name is passed over, and no kind is cluster", ladder: lane.Ladder{Candidates: three}, live: []lane.Lease{held("P1", "slot", "z")},
			class: lane.AutoPickLadder, lane: "docs", kind: "cluster"},
		{name: "so is a tree that collides", ladder: lane.Ladder{Candidates: three}, live: []lane.Lease{held("x", "keyword", "a/1", "docs/1")},
			class: lane.AutoPickLadder, lane: "p2", kind: "derived"},
		{name: "and one without a tree", ladder: lane.Ladder{Candidates: []lane.Request{candidate("p0", "slot"), candidate("p9", "slot", ""), three[2]}},
			class: lane.AutoPickLadder, lane: "p2", kind: "derived"},
		{name: "an exclusive or a reserved candidate is never given, nor one outside its lane", ladder: lane.Ladder{Candidates: []lane.Request{
			candidate("infra", "", "infra/**"), candidate("x", "global", "x"), candidate("x", "INFRA", "x"), candidate("_a", "", "x"), candidate("docs", "", "web/**"), candidate("FRONT", "", "web/a")}},
			class: lane.AutoPickLadder, lane: "web", kind: "cluster"},
		{name: "an exclusive lease stops all", ladder: lane.Ladder{Candidates: three}, live: []lane.Lease{held("infra", "infra", "infra/**")}, class: lane.ExclusiveLive},
		{name: "an empty ladder gives nothing, whatever is on the list", class: lane.LadderExhausted},
		{name: "nothing left", ladder: lane.Ladder{Candidates: three}, live: []lane.Lease{held("x", "keyword", "**/*")}, class: lane.LadderExhausted},

		{name: "budgets bound each kind", ladder: lane.Ladder{Candidates: three}, live: []lane.Lease{held("q", "slot", "q")}, budgets: map[string]int{"slot": 1},
			class: lane.AutoPickLadder, lane: "docs", kind: "cluster"},
		{name: "all used up", ladder: lane.Ladder{Candidates: three[:1]}, live: []lane.Lease{held("q", "slot", "q")}, budgets: map[string]int{"slot": 1}, class: lane.ClassBudgetExhausted},
		{name: "a held candidate had no part in that", ladder: lane.Ladder{Candidates: three[:2]}, live: []lane.Lease{held("q", "slot", "q"), held("docs", "", "docs/")}, budgets: map[string]int{"slot": 1},
			class: lane.ClassBudgetExhausted},
		{name: "a budget of none", ladder: lane.Ladder{Candidates: three[:1]}, budgets: map[string]int{"slot": 0}, class: lane.ClassBudgetExhausted},
		{name: "not all used up", ladder: lane.Ladder{Candidates: three[:2]}, live: []lane.Lease{held("q", "slot", "docs/")}, budgets: map[string]int{"slot": 1}, class: lane.LadderExhausted},

		{name: "the oracle's count is told", ladder: lane.Ladder{Candidates: three, Picks: map[string]*int{"p1": count(4)}}, class: lane.AutoPickLadder, lane: "p1", kind: "slot", count: count(4)},
		{name: "no work passes over, less than none too, an unknown amount does not",
			ladder: lane.Ladder{Candidates: three, Picks: map[string]*int{"P1": count(0), "docs": count(-2), "p2": nil}}, class: lane.AutoPickLadder, lane: "p2", kind: "derived"},
		{name: "no work anywhere", ladder: lane.Ladder{Candidates: three, Picks: map[string]*int{"p1": count(0), "docs": count(0), "p2": count(0)}}, class: lane.AllZeroPicks, count: count(0)},
		{name: "no work on what was free", ladder: lane.Ladder{Candidates: three[:2], Picks: map[string]*int{"p1": count(0), "docs": count(3)}}, live: []lane.Lease{held("x", "", "docs/")},
			class: lane.AllZeroPicks, count: count(0)},
		{name: "a named one needs a known amount", ladder: lane.Ladder{Candidates: []lane.Request{candidate("n", "named", "n"), three[0]}, Picks: map[string]*int{}},
			class: lane.AutoPickLadder, lane: "p1", kind: "slot"},
		{name: "and is no lane without work where it is not known", ladder: lane.Ladder{Candidates: []lane.Request{candidate("n", "named", "n")}, Picks: map[string]*int{}}, class: lane.LadderExhausted},
		{name: "without an oracle it needs none", ladder: lane.Ladder{Candidates: []lane.Request{candidate("n", "named", "n")}}, class: lane.AutoPickLadder, lane: "n", kind: "named"},

		{name: "ranks put them in order, the unranked last", ladder: lane.Ladder{Candidates: three, Ranks: map[string]float64{"p2": 2, "DOCS": 1}}, class: lane.AutoPickLadder, lane: "p2", kind: "derived"},
		{name: "equal ranks keep theirs", ladder: lane.Ladder{Candidates: three, Ranks: map[string]float64{"p2": 2, "docs": 2}}, class: lane.AutoPickLadder, lane: "docs", kind: "cluster"},
		{name: "what is no number ranks last", ladder: lane.Ladder{Candidates: three, Ranks: map[string]float64{"p1": math.NaN(), "p2": -5}}, class: lane.AutoPickLadder, lane: "p2", kind: "derived"},

		{name: "what meets no sibling is preferred", ladder: lane.Ladder{Candidates: three, Siblings: []string{"S1"}, SiblingTrees: map[string][]string{"s1": {"a/1"}}},
			class: lane.AutoPickLadder, lane: "docs", kind: "cluster"},
		{name: "of all of them", ladder: lane.Ladder{Candidates: three, Siblings: []string{"s1", "s2"}, SiblingTrees: map[string][]string{"s1": {"a/1"}, "s2": {"x", "docs/1"}}},
			class: lane.AutoPickLadder, lane: "p2", kind: "derived"},
		{name: "if all meet one, the first is given", ladder: lane.Ladder{Candidates: three, Siblings: []string{"s1"}, SiblingTrees: map[string][]string{"s1": {"**"}}},
			class: lane.AutoPickLadder, lane: "p1", kind: "slot"},
		{name: "a sibling whose tree is not known meets all", ladder: lane.Ladder{Candidates: three, Siblings: []string{"s1", ""}, SiblingTrees: map[string][]string{"s1": {"a/1"}}},
			class: lane.AutoPickLadder, lane: "p1", kind: "slot"},
		{name: "without trees siblings are not looked at", ladder: lane.Ladder{Candidates: three, Siblings: []string{"s1"}}, class: lane.AutoPickLadder, lane: "p1", kind: "slot"},
		{name: "preferred or not, there must be work", ladder: lane.Ladder{Candidates: three, Siblings: []string{"s1"}, SiblingTrees: map[string][]string{"s1": {"a/1"}},
			Picks: map[string]*int{"p1": count(1), "docs": count(0), "p2": count(0)}}, class: lane.AutoPickLadder, lane: "p1", kind: "slot", count: count(1)},
		{name: "a candidate that hangs on an unreadable lease is passed over", ladder: lane.Ladder{Candidates: three}, live: []lane.Lease{broken("x", "keyword", "a/1")},
			class: lane.AutoPickLadder, lane: "docs", kind: "cluster"},
		{name: "and with nothing else there is no answer", ladder: lane.Ladder{Candidates: three[:1]}, live: []lane.Lease{broken("x", "keyword", "a/1")}, class: lane.Unreadable},
	}
	for _, tt := range tests {
		for _, g := range algebras {
			t.Run(tt.name+"/"+string(g), func(t *testing.T) {
				v := lane.ArbitrateLadder(lane.Evidence{Lanes: yard(), Live: tt.live, Budgets: tt.budgets, Algebra: g}, tt.ladder)
				if v.ReasonClass != tt.class || v.Lane != tt.lane || v.LaneKind != tt.kind || v.AutoPicked != (tt.lane != "") {
					t.Errorf("got %+v, want %s of lane %q", v, tt.class, tt.lane)
				}
				if (v.PickCount == nil) != (tt.count == nil) || tt.count != nil && *v.PickCount != *tt.count {
					t.Errorf("got pick count %v, want %v", v.PickCount, tt.count)
				}
				if v.Outcome == lane.Refuse && tt.class != lane.ExclusiveLive && len(v.FreeClusters) == 0 {
					t.Errorf("got %+v, want the free lanes of the list", v)
				}
			})
		}
	}
}

// A request that names its lane is judged as ever. Sent elsewhere, it goes
// through the declared list and asks the oracle.
func TestLadderForNamedLane(t *testing.T) {
	docs := held("docs", "cluster", "docs/**")
	l := lane.Ladder{Candidates: []lane.Request{candidate("p1", "slot", "a/**")}, Picks: map[string]*int{"web": count(0), "api": count(2), "ops": count(0)}}
	tests := []struct {
		name  string
		req   lane.Request
		force bool
		class string
		lane  string
		count int
	}{
		{name: "free", req: lane.Request{Lane: "ops"}, class: lane.ClusterAdmitted, lane: "ops"},
		{name: "held", req: lane.Request{Lane: "docs"}, class: lane.SameLaneHeld},
		{name: "held, of kind cluster", req: lane.Request{Lane: "docs", Kind: "cluster"}, class: lane.AutoPick, lane: "api", count: 2},
		{name: "files", req: lane.Request{Lane: "fix", Tree: []string{"docs/x"}}, class: lane.Collision},
		{name: "forced", req: lane.Request{Lane: "docs"}, force: true, class: lane.Forced, lane: "docs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := lane.ArbitrateLadder(lane.Evidence{Request: tt.req, Force: tt.force, Lanes: yard(), Live: []lane.Lease{docs}, Algebra: lane.Glob}, l)
			if v.ReasonClass != tt.class || v.Lane != tt.lane || (v.PickCount != nil) != (tt.count > 0) || tt.count > 0 && *v.PickCount != tt.count {
				t.Errorf("got %+v, want %s of lane %q", v, tt.class, tt.lane)
			}
		})
	}
	l.Picks = map[string]*int{"web": count(0), "api": count(0)}
	v := lane.ArbitrateLadder(lane.Evidence{Request: lane.Request{Lane: "docs", Kind: "cluster"}, Lanes: yard(), Live: []lane.Lease{docs}, Algebra: lane.Glob}, l)
	if v.ReasonClass != lane.AllZeroPicks || v.ConflictLane != "docs" || !slices.Equal(v.FreeClusters, []string{"web", "api"}) {
		t.Errorf("with no work anywhere: got %+v", v)
	}
}

func TestLadderMalformed(t *testing.T) {
	for name, c := range map[string]lane.Request{
		"no lane":              candidate("", "", "x"),
		"a name that is none":  candidate("k.01", "", "x"),
		"a kind that is none":  candidate("x", "\x00", "x"),
		"a tree that is none":  candidate("x", "", "../x"),
		"a tree that is blank": candidate("x", "", " "),
	} {
		l := lane.Ladder{Candidates: []lane.Request{candidate("p1", "slot", "a"), c}}
		v := lane.ArbitrateLadder(lane.Evidence{Lanes: yard(), Algebra: lane.Glob}, l)
		if v.Outcome != "" || v.Err() == nil || !strings.Contains(v.Err().Error(), "candidate 2") {
			t.Errorf("%s: got %+v, want no verdict that names the candidate", name, v)
		}
	}
}
