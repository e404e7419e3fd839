package loop

import "fmt"

// MaxWaitMarkers is how often a worker may say that it waits, unless it is told
// otherwise.
const MaxWaitMarkers = 4

// A MarkerBudget is how often a worker has said in a run that it waits, and how
// often it may. A worker that says so without end does nothing else.
type MarkerBudget struct {
	Emitted int64
	Max     int64
}

func (b MarkerBudget) check() error {
	switch {
	case b.Emitted < 0:
		return fmt.Errorf("number of wait markers is negative: %d", b.Emitted)
	case b.Max < 1:
		return fmt.Errorf("wait markers allowed is less than 1: %d", b.Max)
	}
	return nil
}

// Emit asks for one marker more. It is allowed while fewer were emitted than may
// be, and then counts; one that is refused does not. A budget that cannot be is
// an error, and allows nothing.
func (b MarkerBudget) Emit() (next MarkerBudget, allowed bool, err error) {
	if err := b.check(); err != nil {
		return b, false, err
	}
	if b.Emitted >= b.Max {
		return b, false, nil
	}
	b.Emitted++
	return b, true, nil
}

// Tighter proposes what a run may be allowed after one that emitted so many: one
// less than that, at least 1 and never more than now. It is advice.
func (b MarkerBudget) Tighter() (int64, error) {
	if err := b.check(); err != nil {
		return 0, err
	}
	return max(1, min(b.Max, b.Emitted-1)), nil
}
