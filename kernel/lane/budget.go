package lane

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// budgets are class budgets under canonical kinds.
type budgets map[string]int

// foldBudgets folds the kinds. Of two that are one the lower counts.
func foldBudgets(given map[string]int) budgets {
	folded := make(budgets, len(given))
	for kind, n := range given {
		kind = CanonicalOr(kind)
		if had, twice := folded[kind]; !twice || n < had {
			folded[kind] = n
		}
	}
	return folded
}

// room reports whether one more of the kind may be live beside so many.
func (b budgets) room(kind string, live int) bool {
	most, bounded := b[kind]
	return !bounded || live < most
}

// overBudget counts the leases that can be read. One whose kind nobody can tell
// is no matter: it keeps everything out before.
func (h *hearing) overBudget(kind string) Verdict {
	n, are := h.readable.kinds[kind], "are"
	if n == 1 {
		are = "is"
	}
	return refuse(ClassBudgetExhausted, fmt.Sprintf("%s of kind %s %s live, of at most %d",
		verdict.Count(n, "lease"), verdict.Show(kind), are, h.budgets[kind]))
}

// oneOf returns the first lease of the kind that cannot be read.
func (d *docket) oneOf(kind string) *held {
	for i := range d.live {
		l := &d.live[i]
		if l.Unreadable != "" && !l.reserved && l.kind == kind {
			return l
		}
	}
	return nil
}
