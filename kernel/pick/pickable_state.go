package pick

import (
	"fmt"
	"maps"
	"slices"
)

// stateKeys are what a state may say.
var stateKeys = map[string]bool{
	"shipped": true, "unparseable": true, "in_flight": true, "soft_claimed_elsewhere": true, "stale_claim": true, "plan_class": true,
	"operator_gated": true, "soak_open": true, "dependency_unmet": true, "cooldown_until_ms": true,
}

// ParseState reads a state from JSON. What it leaves out, or is null, does not
// hold the unit. A key that nothing reads is an error, since it may be a hold
// that is misspelled, and so is a value of another type.
func ParseState(data []byte) (State, error) {
	if err := checkText(data, MaxState); err != nil {
		return State{}, fmt.Errorf("the state %w", err)
	}
	all, err := members(data)
	if err != nil {
		return State{}, fmt.Errorf("the state %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if !stateKeys[key] {
			return State{}, fmt.Errorf("the state has a key %.80q, which nothing reads", key)
		}
	}
	f := fields{of: all}
	flag := func(name string) bool { return f.flag(name, false, true) }
	s := State{
		Shipped: flag("shipped"), Unparseable: flag("unparseable"), InFlight: flag("in_flight"), SoftClaimed: flag("soft_claimed_elsewhere"),
		StaleClaim: flag("stale_claim"), PlanClass: f.text("plan_class"), Gated: flag("operator_gated"), SoakOpen: flag("soak_open"),
		Dependency: flag("dependency_unmet"),
	}
	s.CooldownUntilMS, _ = f.whole("cooldown_until_ms")
	if f.err != nil {
		return State{}, f.err
	}
	return s, nil
}
