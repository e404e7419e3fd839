package lane

import "fmt"

// foldBudgets puts class budgets under canonical kinds. Of two that are one
// kind the lower counts.
func foldBudgets(budgets map[string]int) map[string]int {
	folded := make(map[string]int, len(budgets))
	for kind, n := range budgets {
		kind = foldKind(kind)
		if had, twice := folded[kind]; !twice || n < had {
			folded[kind] = n
		}
	}
	return folded
}

// spent reports whether as many leases of the kind are live as may be, or more.
// One whose kind nobody can tell is no matter: it keeps everything out before.
func (h *hearing) spent(kind string, d *docket) bool {
	most, bounded := h.budgets[kind]
	return bounded && d.kinds[kind] >= most
}

func (h *hearing) overBudget(kind string) Verdict {
	return refuse(ClassBudgetExhausted, fmt.Sprintf("%d leases of kind %s are live, of at most %d",
		h.known.kinds[kind], show(kind), h.budgets[kind]))
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
