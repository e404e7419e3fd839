package facts

import (
	"maps"
	"testing"

	"github.com/git-dos/git-dos/kernel/policy"
)

func TestBudgetsAreByKind(t *testing.T) {
	for claim, tt := range map[string]struct {
		classes []policy.ConcurrencyClass
		want    map[string]int
	}{
		"none":              {nil, map[string]int{}},
		"case is no matter": {[]policy.ConcurrencyClass{{Name: "Cluster", MaxConcurrent: 3}}, map[string]int{"cluster": 3}},
		"of two spellings the lower counts, first": {[]policy.ConcurrencyClass{{Name: "cluster", MaxConcurrent: 1}, {Name: "CLUSTER", MaxConcurrent: 2}}, map[string]int{"cluster": 1}},
		"of two spellings the lower counts, last":  {[]policy.ConcurrencyClass{{Name: "cluster", MaxConcurrent: 2}, {Name: "CLUSTER", MaxConcurrent: 0}}, map[string]int{"cluster": 0}},
		"what is no kind is left as it is":         {[]policy.ConcurrencyClass{{Name: "../X", MaxConcurrent: 2}}, map[string]int{"../X": 2}},
	} {
		if got := Budgets(policy.Policy{ConcurrencyClasses: tt.classes}); !maps.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", claim, got, tt.want)
		}
	}
}
