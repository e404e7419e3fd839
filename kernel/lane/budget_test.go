package lane_test

import (
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A class budget bounds the live leases of the kind that would be recorded.
func TestClassBudgets(t *testing.T) {
	api, web := held("api", "Cluster", "api/**"), held("web", "cluster", "web/**")
	fix := held("fix", "KEYWORD", "z")
	tests := []struct {
		name    string
		req     lane.Request
		live    []lane.Lease
		budgets map[string]int
		refused bool
	}{
		{"none may be live", lane.Request{Lane: "docs"}, nil, map[string]int{"cluster": 0}, true},
		{"one is", lane.Request{Lane: "docs"}, nil, map[string]int{"cluster": 1}, false},
		{"one was", lane.Request{Lane: "docs"}, []lane.Lease{api}, map[string]int{"cluster": 1}, true},
		{"two, of which one is live", lane.Request{Lane: "docs"}, []lane.Lease{api}, map[string]int{"cluster": 2}, false},
		{"two, both live", lane.Request{Lane: "docs"}, []lane.Lease{api, web}, map[string]int{"cluster": 2}, true},
		{"more than may be", lane.Request{Lane: "docs"}, []lane.Lease{api, web}, map[string]int{"cluster": 1}, true},
		{"another kind is live", lane.Request{Lane: "docs"}, []lane.Lease{fix}, map[string]int{"cluster": 1}, false},
		{"another kind is bounded", lane.Request{Lane: "docs"}, []lane.Lease{api}, map[string]int{"keyword": 0}, false},
		{"a keyword by its tree", lane.Request{Lane: "new", Tree: []string{"y"}}, []lane.Lease{fix}, map[string]int{"keyword": 1}, true},
		{"a declared lane as a keyword", lane.Request{Lane: "docs", Kind: "keyword"}, []lane.Lease{fix}, map[string]int{"keyword": 1}, true},
		{"an exclusive lane by its name", lane.Request{Lane: "infra"}, nil, map[string]int{"INFRA": 0}, true},
		{"global", lane.Request{Lane: "docs", Kind: "global"}, nil, map[string]int{"global": 0}, true},
		{"the lane's own kind decides, not the asked one", lane.Request{Lane: "infra", Kind: "cluster"}, nil, map[string]int{"cluster": 0}, false},
		{"a free lease does not count", lane.Request{Lane: "docs"}, []lane.Lease{{Lane: "api", Kind: "cluster", State: lane.Free}}, map[string]int{"cluster": 1}, false},
		{"a parked one does", lane.Request{Lane: "docs"}, []lane.Lease{{Lane: "api", Kind: "cluster", Tree: []string{"api/"}, State: lane.Parked}}, map[string]int{"cluster": 1}, true},
		{"a reserved one does not", lane.Request{Lane: "docs"}, []lane.Lease{held("_a", "cluster")}, map[string]int{"cluster": 1}, false},
		{"less than none is none", lane.Request{Lane: "docs"}, nil, map[string]int{"cluster": -1}, true},
		{"of two spellings the lower counts", lane.Request{Lane: "docs"}, []lane.Lease{api}, map[string]int{"Cluster": 1, "cluster": 9, "CLUSTER": 5}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ev := lane.Evidence{Request: tt.req, Lanes: yard(), Live: tt.live, Budgets: tt.budgets, Algebra: lane.Glob}
			for name, judge := range map[string]func(lane.Evidence) lane.Verdict{"Decide": lane.Decide, "Arbitrate": lane.Arbitrate} {
				v := judge(ev)
				if refused := v.ReasonClass == lane.ClassBudgetExhausted; refused != tt.refused || refused == (v.Outcome == lane.Acquire) {
					t.Errorf("%s: got %+v, want refused %v", name, v, tt.refused)
				}
			}
		})
	}
}

func TestClassBudgetIsCountedInWords(t *testing.T) {
	ev := lane.Evidence{Request: lane.Request{Lane: "docs"}, Lanes: yard(), Algebra: lane.Glob, Budgets: map[string]int{"cluster": 1}}
	for _, want := range []string{"1 lease of kind cluster is live, of at most 1", "2 leases of kind cluster are live, of at most 1"} {
		ev.Live = append(ev.Live, held([]string{"api", "web"}[len(ev.Live)], "cluster", []string{"api/**", "web/**"}[len(ev.Live)]))
		if v := lane.Decide(ev); v.Reason != want {
			t.Errorf("got %q, want %q", v.Reason, want)
		}
	}
}

// Nothing is picked over the budget, and the refusal says that it is why.
func TestClassBudgetOnAutoPick(t *testing.T) {
	ev := lane.Evidence{Lanes: yard(), Algebra: lane.Glob, Budgets: map[string]int{"cluster": 1}, Live: []lane.Lease{held("ops", "cluster", "ops/**")}}
	v := lane.Arbitrate(ev)
	if v.ReasonClass != lane.ClassBudgetExhausted || v.Outcome != lane.Refuse || len(v.FreeClusters) != 3 {
		t.Errorf("got %+v, want the budget, and what is free by name", v)
	}
	ev.Request = lane.Request{Lane: "ops", Kind: "cluster"}
	if v := lane.Arbitrate(ev); v.ReasonClass != lane.ClassBudgetExhausted || v.ConflictLane != "ops" || !strings.Contains(v.Reason, "bob") {
		t.Errorf("got %+v, want the budget, and who holds the lane", v)
	}
	ev.Budgets["cluster"] = 2
	if v := lane.Arbitrate(ev); v.ReasonClass != lane.AutoPick {
		t.Errorf("got %+v, want a pick", v)
	}
}
