package lane_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// broken is a lease whose record cannot be read, of what it holds at most.
func broken(name, kind string, tree ...string) lane.Lease {
	return lane.Lease{Lane: name, Kind: kind, Tree: tree, Unreadable: "entry 3 is no record"}
}

// A lease that cannot be read keeps from an answer whatever it may stand
// against, and nothing else.
// nobody is an unreadable lane that nobody was admitted to.
func nobody(name string) lane.Lease {
	l := broken(name, "")
	l.NameOnly = true
	return l
}

func TestUnreadableLeases(t *testing.T) {
	api, docs := held("api", "cluster", "api/**"), held("docs", "cluster", "docs/**")
	lost := broken("lost", "keyword", "docs/a", "web/b")
	tests := []struct {
		name    string
		req     lane.Request
		live    []lane.Lease
		budgets map[string]int
		force   bool
		class   string
		lane    string // conflict lane, or the lane to run on
	}{
		{name: "its own lane", req: lane.Request{Lane: "API"}, live: []lane.Lease{broken("api", "cluster", "elsewhere")}, class: lane.Unreadable, lane: "api"},
		{name: "and that of an undeclared lane", req: lane.Request{Lane: "lost", Tree: []string{"z"}}, live: []lane.Lease{lost}, class: lane.Unreadable, lane: "lost"},
		{name: "a tree that meets its tree", req: lane.Request{Lane: "web", Kind: "cluster"}, live: []lane.Lease{lost}, class: lane.Unreadable, lane: "lost"},
		{name: "also of a request that could be sent elsewhere", req: lane.Request{Lane: "web"}, live: []lane.Lease{lost}, class: lane.Unreadable, lane: "lost"},
		{name: "a tree that does not is admitted", req: lane.Request{Lane: "ops"}, live: []lane.Lease{lost, broken("api", "cluster", "api/**")}, class: lane.ClusterAdmitted, lane: "ops"},
		{name: "files too", req: lane.Request{Lane: "new", Tree: []string{"z"}}, live: []lane.Lease{lost}, class: lane.KeywordAdmitted, lane: "new"},
		{name: "without a tree it may hold everything", req: lane.Request{Lane: "ops"}, live: []lane.Lease{broken("lost", "keyword")}, class: lane.Unreadable, lane: "lost"},
		{name: "a tree that cannot be cleaned too", req: lane.Request{Lane: "ops"}, live: []lane.Lease{broken("lost", "keyword", "/abs")}, class: lane.Unreadable, lane: "lost"},
		{name: "of a kind nobody knows it may run alone", req: lane.Request{Lane: "ops"}, live: []lane.Lease{broken("lost", "", "docs/a")}, class: lane.Unreadable, lane: "lost"},
		{name: "of an exclusive kind it may too", req: lane.Request{Lane: "ops"}, live: []lane.Lease{broken("infra", "infra", "infra/**")}, class: lane.Unreadable, lane: "infra"},
		{name: "so may an exclusive lane", req: lane.Request{Lane: "ops"}, live: []lane.Lease{broken("infra", "keyword", "infra/**")}, class: lane.Unreadable, lane: "infra"},
		{name: "an exclusive lane is not known to be alone", req: lane.Request{Lane: "infra"}, live: []lane.Lease{lost}, class: lane.Unreadable, lane: "lost"},
		{name: "a reserved one counts by its name only", req: lane.Request{Lane: "infra"}, live: []lane.Lease{broken("_machine", "")}, class: lane.ExclusiveAdmitted, lane: "infra"},
		{name: "and there it counts", req: lane.Request{Lane: "_machine"}, live: []lane.Lease{broken("_machine", "")}, class: lane.Unreadable, lane: "_machine"},
		{name: "a reserved lane sees no other", req: lane.Request{Lane: "_machine"}, live: []lane.Lease{broken("lost", "")}, class: lane.ReservedAdmitted, lane: "_machine"},
		{name: "one without a name counts by what it holds", req: lane.Request{Lane: "new", Tree: []string{"docs/x"}}, live: []lane.Lease{broken("", "keyword", "z")}, class: lane.KeywordAdmitted, lane: "new"},
		{name: "under the name of its slot", req: lane.Request{Lane: "new", Tree: []string{"z/x"}}, live: []lane.Lease{broken("k.00", "keyword", "z")}, class: lane.Unreadable, lane: "k.00"},
		{name: "in the way of its name alone it is so", req: lane.Request{Lane: "api"}, live: []lane.Lease{nobody("api")}, class: lane.Unreadable, lane: "api"},
		{name: "and of nothing else", req: lane.Request{Lane: "ops"}, live: []lane.Lease{nobody("api")}, class: lane.ClusterAdmitted, lane: "ops"},
		{name: "not of one that runs alone", req: lane.Request{Lane: "infra"}, live: []lane.Lease{nobody("api")}, class: lane.ExclusiveAdmitted, lane: "infra"},
		{name: "free it counts for nothing", req: lane.Request{Lane: "api"}, live: []lane.Lease{{Lane: "api", State: lane.Free, Unreadable: "x"}}, class: lane.ClusterAdmitted, lane: "api"},

		{name: "a refusal that needs nothing of it stands: held", req: lane.Request{Lane: "api"}, live: []lane.Lease{api, broken("lost", "")}, class: lane.SameLaneHeld, lane: "api"},
		{name: "a refusal that needs nothing of it stands: unknown", req: lane.Request{Lane: "typo"}, live: []lane.Lease{broken("typo", "")}, class: lane.UnknownLane},
		{name: "a refusal that needs nothing of it stands: collision", req: lane.Request{Lane: "new", Tree: []string{"api/x"}}, live: []lane.Lease{broken("aa", ""), api}, class: lane.Collision, lane: "api"},
		{name: "a refusal that needs nothing of it stands: exclusive", live: []lane.Lease{broken("aa", ""), held("infra", "")}, class: lane.ExclusiveLive, lane: "infra"},

		{name: "a pick it may stand against is passed over", live: []lane.Lease{lost}, class: lane.AutoPick, lane: "api"},
		{name: "a pick of its lane too", live: []lane.Lease{broken("docs", "cluster", "docs/**")}, class: lane.AutoPick, lane: "web"},
		{name: "with nothing else found there is no answer", live: []lane.Lease{lost, api}, class: lane.Unreadable, lane: "lost"},
		{name: "nor after a lane that is held", req: lane.Request{Lane: "api", Kind: "cluster"}, live: []lane.Lease{lost, api}, class: lane.Unreadable, lane: "lost"},
		{name: "nothing is picked beside one that may run alone", live: []lane.Lease{broken("lost", "", "z")}, class: lane.Unreadable, lane: "lost"},

		{name: "force passes over it", req: lane.Request{Lane: "docs"}, live: []lane.Lease{lost}, force: true, class: lane.Forced, lane: "docs"},
		{name: "but not if it may run alone", req: lane.Request{Lane: "docs"}, live: []lane.Lease{broken("lost", "", "z")}, force: true, class: lane.Unreadable, lane: "lost"},

		{name: "it counts against the budget of its kind", req: lane.Request{Lane: "ops"}, live: []lane.Lease{broken("api", "CLUSTER", "api/**"), docs}, budgets: map[string]int{"cluster": 2},
			class: lane.Unreadable, lane: "api"},
		{name: "which may have room", req: lane.Request{Lane: "ops"}, live: []lane.Lease{broken("api", "cluster", "api/**"), docs}, budgets: map[string]int{"cluster": 3},
			class: lane.ClusterAdmitted, lane: "ops"},
		{name: "or be used up without it", req: lane.Request{Lane: "ops"}, live: []lane.Lease{broken("api", "cluster", "api/**"), docs}, budgets: map[string]int{"cluster": 1},
			class: lane.ClassBudgetExhausted},
		{name: "of another kind it does not count", req: lane.Request{Lane: "ops"}, live: []lane.Lease{lost, docs}, budgets: map[string]int{"cluster": 2}, class: lane.ClusterAdmitted, lane: "ops"},
	}
	for _, tt := range tests {
		for _, g := range algebras {
			t.Run(tt.name+"/"+string(g), func(t *testing.T) {
				ev := lane.Evidence{Request: tt.req, Lanes: yard(), Live: tt.live, Budgets: tt.budgets, Force: tt.force, Algebra: g}
				v := lane.Arbitrate(ev)
				if v.ReasonClass != tt.class || v.ConflictLane+v.Lane != tt.lane {
					t.Errorf("got %+v, want %s of lane %q", v, tt.class, tt.lane)
				}
				undecided := tt.class == lane.Unreadable
				if (v.Outcome == "") != undecided || errors.Is(v.Err(), lane.ErrUnreadable) != undecided {
					t.Errorf("got %+v with error %v", v, v.Err())
				}
				if undecided && (!strings.Contains(v.Err().Error(), "entry 3") || v.ExitCode() != 2 || v.Tree == nil || v.FreeClusters == nil) {
					t.Errorf("got %+v, want its cause", v)
				}
				if tt.req.Lane != "" && !tt.force && v.ReasonClass == tt.class && tt.req.Kind == "" {
					if d := lane.Decide(ev); d.ReasonClass != tt.class || d.Err() != nil != undecided {
						t.Errorf("Decide says %+v", d)
					}
				}
			})
		}
	}
}

// A lane that cannot be read is not listed as free.
func TestUnreadableIsNotFree(t *testing.T) {
	ev := lane.Evidence{Request: lane.Request{Lane: "api"}, Lanes: yard(), Algebra: lane.Glob,
		Live: []lane.Lease{held("api", "cluster", "api/**"), broken("web", "cluster", "web/**")}}
	if v := lane.Arbitrate(ev); v.ReasonClass != lane.SameLaneHeld || !slices.Equal(v.FreeClusters, []string{"docs"}) {
		t.Errorf("got %+v, want only docs free", v)
	}
}

// The hostile words of a record that cannot be read do not reach a terminal.
func TestUnreadableIsShownSafely(t *testing.T) {
	ev := lane.Evidence{Request: lane.Request{Lane: "api"}, Lanes: yard(), Algebra: lane.Glob,
		Live: []lane.Lease{{Lane: "\x1b[2Jx", Kind: "keyword", Holder: "\x07", Unreadable: "\x1b]0;pwned\x07" + strings.Repeat("x", 1<<20)}}}
	v := lane.Arbitrate(ev)
	if v.ReasonClass != lane.Unreadable || strings.ContainsAny(v.Reason+v.String(), "\x1b\x07") || len(v.Reason) > 1000 {
		t.Errorf("got %.300q", v.Reason)
	}
}
