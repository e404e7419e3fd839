package pick

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/strict"
)

// ParseState reads a state from JSON. What it leaves out, or is null, does not
// hold the unit. A key that nothing reads is an error, since it may be a hold
// that is misspelled, and so is a value of another type.
func ParseState(data []byte) (State, error) {
	var s State
	if strings.TrimSpace(string(data)) == "" {
		return s, errors.New("the state is empty")
	}
	maybe := func(into any) strict.Field { return strict.Field{Into: into, Null: true} }
	err := strict.Object("the state", data, MaxState, map[string]strict.Field{
		"shipped": maybe(&s.Shipped), "unparseable": maybe(&s.Unparseable), "in_flight": maybe(&s.InFlight),
		"soft_claimed_elsewhere": maybe(&s.SoftClaimed), "stale_claim": maybe(&s.StaleClaim), "plan_class": maybe(&s.PlanClass),
		"operator_gated": maybe(&s.Gated), "soak_open": maybe(&s.SoakOpen), "dependency_unmet": maybe(&s.Dependency),
		"cooldown_until_ms": maybe(&s.CooldownUntilMS),
	})
	if err == nil && len(s.PlanClass) > maxWord {
		err = fmt.Errorf("plan_class has %d bytes, at most %d", len(s.PlanClass), maxWord)
	}
	if err != nil {
		return State{}, err
	}
	return s, nil
}
