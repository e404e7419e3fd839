package wave

import (
	"strings"
	"testing"
)

// TestHarvestTruthTable holds every worker there can be against the rule, written down
// the other way round: from what must hold for each word.
func TestHarvestTruthTable(t *testing.T) {
	for bits := range 1 << 8 {
		is := func(n int) bool { return bits>>n&1 == 1 }
		r := Remains{Unit: "A/1", Over: is(0), Shipped: is(1), Claimed: is(2), Here: is(3)}
		if is(4) {
			r.Unclear = "shallow"
		}
		if is(5) {
			r.Alone = "c0ffee"
		}
		if is(6) {
			r.Dirty = []string{"api/x"}
		}
		if is(7) {
			r.Unseen = "no access"
		}
		got, why := Harvest(r)
		open := r.Over && r.Unclear == "" && !r.Shipped
		left := r.Alone != "" || len(r.Dirty) > 0
		for came, holds := range map[Came]bool{
			Running:         !r.Over,
			Indeterminate:   r.Over && r.Unclear != "" || open && r.Here && r.Unseen != "",
			Verified:        r.Over && r.Unclear == "" && r.Shipped,
			Elsewhere:       open && !r.Here,
			Stranded:        open && r.Here && r.Unseen == "" && left,
			QuietIncomplete: open && r.Here && r.Unseen == "" && !left && r.Claimed,
			HonestOpen:      open && r.Here && r.Unseen == "" && !left && !r.Claimed,
		} {
			if holds != (got == came) {
				t.Errorf("%+v: %s, and %s holds: %v", r, got, came, holds)
			}
		}
		if why == "" || got.Settled() && (!r.Over || left && !r.Shipped && r.Here) {
			t.Errorf("%+v: %s, %q", r, got, why)
		}
	}
	if got, why := Harvest(Remains{Unit: "A/1", Over: true, Node: "n\x1b2", Overdue: true}); got != Elsewhere || !strings.Contains(why, `only node "n\x1b2" can see, which has told nothing`) {
		t.Error(got, why)
	}
	if _, why := Harvest(Remains{Unit: "A/1", Over: true, Here: true, End: "it ended with status 3"}); !strings.HasSuffix(why, "it ended with status 3") {
		t.Error(why)
	}
}
