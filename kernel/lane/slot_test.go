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
		leaf, err := lane.ChainLeaf(got)
		if chain, err2 := lane.Chain(leaf); leaf != got || chain != got || err != nil || err2 != nil {
			t.Errorf("%q is the chain %q: %v, %v", got, chain, err, err2)
		}
	}
	for _, leaf := range []string{"", "k", "k.", "k.0", "k.7", "k.007", "k.000", "K.00", "k.00x", "k.x0", "k.-1", "k. 1", "k.0\u0661", "kk.00", "k.00.lock", "lane"} {
		if lane.IsSlot(leaf) {
			t.Errorf("IsSlot(%q)", leaf)
		}
	}
}

func TestChains(t *testing.T) {
	for chain, want := range map[string]string{"api": "api", "a b": "a%20b", "k.07": "k.07", "API": "api", "k.007": "", "": "", "_d": "_d"} {
		leaf, err := lane.ChainLeaf(chain)
		if leaf != want || (err != nil) != (want == "") {
			t.Errorf("ChainLeaf(%q) = %q, %v", chain, leaf, err)
		}
		if again, err := lane.Chain(leaf); want != "" && (err != nil || again != lane.CanonicalOr(chain)) {
			t.Errorf("Chain(%q) = %q, %v", leaf, again, err)
		}
	}
	for _, leaf := range []string{"", "API", "a b", "k.007", "a%2"} {
		if chain, err := lane.Chain(leaf); err == nil {
			t.Errorf("Chain(%q) = %q", leaf, chain)
		}
	}
}
