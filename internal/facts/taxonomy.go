package facts

import (
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/policy"
)

// Taxonomy is what a policy declares about lanes.
func Taxonomy(p policy.Policy) lane.Taxonomy {
	return lane.Taxonomy{
		Concurrent: p.Lanes.Concurrent, Exclusive: p.Lanes.Exclusive, Autopick: p.Lanes.Autopick,
		Trees: p.Lanes.Trees, Aliases: p.Lanes.Aliases,
	}
}

// Budgets are the class budgets of a policy, by canonical kind; of two that are
// one kind the lower counts. A name that no kind can have stays as it is, and
// binds nobody.
func Budgets(p policy.Policy) map[string]int {
	budgets := map[string]int{}
	for _, class := range p.ConcurrencyClasses {
		kind := lane.CanonicalOr(class.Name)
		if had, twice := budgets[kind]; !twice || class.MaxConcurrent < had {
			budgets[kind] = class.MaxConcurrent
		}
	}
	return budgets
}
