package lane_test

import (
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestSlots(t *testing.T) {
	for n, want := range map[int]string{0: "k.00", 7: "k.07", 42: "k.42", 99: "k.99", 100: "k.100", 999: "k.999"} {
		got := lane.SlotName(n)
		if got != want || !lane.IsSlot(got) {
			t.Errorf("SlotName(%d) = %q, want the slot %q", n, got, want)
		}
		if _, err := lane.Canonical(got); err == nil {
			t.Errorf("%q is a lane's name too", got)
		}
		if _, err := lane.FromLeaf(got); err == nil {
			t.Errorf("%q is a lane's leaf too", got)
		}
	}
	for _, leaf := range []string{"", "k", "k.", "k.0", "k.7", "k.007", "k.000", "K.00", "k.00x", "k.x0", "k.-1", "k. 1", "k.0\u0661", "kk.00", "k.00.lock", "lane"} {
		if lane.IsSlot(leaf) {
			t.Errorf("IsSlot(%q)", leaf)
		}
	}
}
