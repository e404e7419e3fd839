package admit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// readAgain is how long a reader waits before it looks once more at lanes that
// do not agree with the order: long enough for an admission to end.
const readAgain = 250 * time.Millisecond

// settled returns s, or a second look, once none of the lanes that about picks
// is behind the order of admissions. What such a lane holds is not what was
// last written there: it must not be shown as free, or as never leased.
func (d *Desk) settled(ctx context.Context, s refstore.Snapshot, cached bool, about func(lane string) bool) (refstore.Snapshot, error) {
	behind := lanesBehind(s, about)
	if len(behind) == 0 {
		return s, nil
	}
	if !cached {
		select {
		case <-time.After(readAgain):
		case <-ctx.Done():
			return s, context.Cause(ctx)
		}
		if err := d.Refresh(ctx, false); err != nil {
			return s, err
		}
		var err error
		if s, err = d.look(ctx, true); err != nil {
			return s, err
		}
		behind = lanesBehind(s, about)
	}
	if len(behind) == 0 {
		return s, nil
	}
	return s, &StoreError{
		Err:  fmt.Errorf("lane %s is behind the order of admissions: its last admission is half done, or what was written there is gone", behind[0]),
		Hint: "ask again in a moment; git dos lease acquire repairs what was cut off and names what is lost",
	}
}

// lanesBehind lists, in name order, the lanes that stand at a lower generation
// than the order admitted them with. Unreadable lanes and an unreadable order
// are told of elsewhere.
func lanesBehind(s refstore.Snapshot, about func(lane string) bool) []string {
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
