package loop

import (
	"math"
	"testing"
)

func TestWaitMarkersEnd(t *testing.T) {
	b := MarkerBudget{Max: MaxWaitMarkers}
	for n := range 2 * int64(MaxWaitMarkers) {
		next, allowed, err := b.Emit()
		if want := n < MaxWaitMarkers; err != nil || allowed != want || next.Emitted != min(n+1, MaxWaitMarkers) {
			t.Errorf("marker %d: %+v, %t, %v", n+1, next, allowed, err)
		}
		b = next
	}
	if b, allowed, err := (MarkerBudget{math.MaxInt64, math.MaxInt64}).Emit(); allowed || err != nil || b.Emitted != math.MaxInt64 {
		t.Errorf("%+v, %t, %v", b, allowed, err)
	}
}

func TestATighterBudgetIsNeverAWiderOne(t *testing.T) {
	for _, c := range []struct{ emitted, most, want int64 }{{0, 4, 1}, {1, 4, 1}, {2, 4, 1}, {3, 4, 2}, {4, 4, 3}, {9, 4, 4}, {1, 1, 1}} {
		if got, err := (MarkerBudget{c.emitted, c.most}).Tighter(); err != nil || got != c.want {
			t.Errorf("%d of %d: %d, want %d, %v", c.emitted, c.most, got, c.want, err)
		}
	}
}

func TestABudgetThatCannotBeAllowsNothing(t *testing.T) {
	for _, b := range []MarkerBudget{{-1, 4}, {0, 0}, {0, -1}} {
		if _, allowed, err := b.Emit(); allowed || err == nil {
			t.Errorf("%+v: %t, %v", b, allowed, err)
		}
		if _, err := b.Tighter(); err == nil {
			t.Errorf("%+v has a tighter one", b)
		}
	}
}
