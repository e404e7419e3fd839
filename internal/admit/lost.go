package admit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/lease"
)

// ErrLostState means that lanes are behind the order of admissions, and not
// because an admission was cut off: their refs were deleted or moved back. They
// are not free, and nothing is decided until an operator has settled them.
var ErrLostState = errors.New("behind the order of admissions: what was written there is gone (LOST_STATE)")

func lostState(lanes []string) error {
	verb := "is"
	if len(lanes) > 1 {
		verb = "are"
	}
	return &StoreError{
		Err:  fmt.Errorf("%s %s %w", lanesNamed(lanes), verb, ErrLostState),
		Hint: fmt.Sprintf("its holder may be at work; an operator who knows better frees it with: git dos lease scavenge --lane %s --force --operator NAME", lanes[0]),
	}
}

func lanesNamed(lanes []string) string {
	if len(lanes) == 1 {
		return lease.ChainName(lanes[0])
	}
	return "lanes " + strings.Join(lanes, ", ")
}

// unlessLost runs a decision that returns a *lease.TornError about a lane that
// looks lost. One read can straddle two admissions, so it is run once more when
// those must be over.
func unlessLost(ctx context.Context, decide func() error) error {
	err := decide()
	var torn *lease.TornError
	if !errors.As(err, &torn) {
		return err
	}
	select {
	case <-time.After(lease.TornFor):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err = decide(); errors.As(err, &torn) {
		return lostState(torn.Chains)
	}
	return err
}
