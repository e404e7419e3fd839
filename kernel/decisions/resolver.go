package decisions

import "sync"

// Categories of reason tokens.
const (
	trueDrain    = "TRUE_DRAIN"
	staleClaim   = "STALE_CLAIM"
	operatorGate = "OPERATOR_GATE"
)

var categories = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"SHIPPED": trueDrain, trueDrain: trueDrain,
		"IN_FLIGHT": staleClaim, "SOFT_CLAIMED_ELSEWHERE": staleClaim, staleClaim: staleClaim, "COOLDOWN": staleClaim,
		"DRAFT_CLASS": operatorGate, "OPERATOR_GATED": operatorGate, "SOAK_OPEN": operatorGate, "DEPENDENCY_UNMET": operatorGate,
		operatorGate: operatorGate, "PARKED": operatorGate,
	}
})

// selfClearing are the refusals that end with the lease, the push or the budget
// they are about, without anybody's doing.
var selfClearing = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"SAME_LANE_HELD": true, "EXCLUSIVE_LIVE": true, "EXCLUSIVE_NOT_ALONE": true, "COLLISION": true, "CLASS_BUDGET_EXHAUSTED": true,
		"UNKNOWN_TREE": true, "ALL_HELD": true, "LADDER_EXHAUSTED": true, "LADDER_EMPTY_OTHERS_FREE": true, "ALL_ZERO_PICKS": true,
		"UNIT_CLAIMED": true, "SEAT_TAKEN": true, "DRAINING": true, "NOT_LAPSED": true,
	}
})

// resolver says who settles an entry. Whatever asks a human by its nature is
// theirs; of the others it hangs on the token, and no token is nobody's but a
// human's.
func (ev Evidence) resolver(kind Kind, token string) Resolver {
	switch kind {
	case SoakGate, Liveness, Heartbeat, ResumeProposal, EnforceBreaker, Asked:
		return Human
	case ArbiterRefuse:
		if selfClearing()[token] {
			return Backpressure
		}
	}
	category, ok := categories()[token]
	if !ok {
		category = ev.Categories[token]
	}
	switch {
	case token == "" || category == operatorGate:
		return Human
	case category == trueDrain || category == staleClaim:
		return Oracle
	}
	return Judge
}
