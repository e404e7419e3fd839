package admit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// readAgain is how long a reader waits before it looks once more at lanes that
// do not agree with the order: long enough for an admission to end.
const readAgain = 250 * time.Millisecond

// settled returns s, or a second look, and which of the chains that about picks
// are behind the order of admissions in it. What such a chain holds is not what
// was last written there: it must not be shown as free, or as never leased.
func (d *Desk) settled(ctx context.Context, s refstore.Snapshot, cached bool, about func(chain string) bool) (refstore.Snapshot, []string, error) {
	behind := chainsBehind(s, about)
	if len(behind) == 0 || cached {
		return s, behind, nil
	}
	select {
	case <-time.After(readAgain):
	case <-ctx.Done():
		return s, nil, context.Cause(ctx)
	}
	if err := d.Refresh(ctx, false); err != nil {
		return s, nil, err
	}
	s, err := d.look(ctx, true)
	return s, chainsBehind(s, about), err
}

// errBehind is why a chain behind the order is not shown.
var errBehind = errors.New("it is behind the order of admissions: its last admission is half done, or what was written there is gone")

func behindError(chain string) error {
	return &StoreError{
		Err:  fmt.Errorf("lane %s: %w", chain, errBehind),
		Hint: "ask again in a moment; git dos lease acquire repairs what was cut off and names what is lost",
	}
}

// chainsBehind lists, in name order, the chains that stand at a lower generation
// than the order admitted them with. Unreadable ones and an unreadable order
// are told of elsewhere.
func chainsBehind(s refstore.Snapshot, about func(chain string) bool) []string {
	order, err := orderOf(s)
	if err != nil {
		return nil
	}
	var behind []string
	for _, name := range slices.Sorted(maps.Keys(order.Lanes)) {
		target, err := ref(name)
		if err != nil || !about(name) {
			continue
		}
		if t := s.Tip(target); t.Err == nil && t.Entry.Gen < order.Lanes[name].Gen {
			behind = append(behind, name)
		}
	}
	return behind
}
