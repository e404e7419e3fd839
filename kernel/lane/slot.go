package lane

import (
	"fmt"
	"strings"
)

// SlotName returns the leaf of the n-th ref kept for lanes that are not
// declared: k.00, k.01 and on.
func SlotName(n int) string { return fmt.Sprintf("k.%02d", n) }

// IsSlot reports whether a ref leaf is one that [SlotName] writes: two digits
// or more, and no zero in front that two digits do not need.
func IsSlot(leaf string) bool {
	digits, ok := strings.CutPrefix(leaf, "k.")
	if !ok || len(digits) < 2 || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	return len(digits) == 2 || digits[0] != '0'
}

// ChainLeaf returns the last component of the ref of a chain, which is the
// canonical name of a lane or a slot.
func ChainLeaf(chain string) (string, error) {
	if IsSlot(chain) {
		return chain, nil
	}
	return Leaf(chain)
}

// Chain is the inverse of [ChainLeaf]. Anything ChainLeaf would not have
// written is an error.
func Chain(leaf string) (string, error) {
	if IsSlot(leaf) {
		return leaf, nil
	}
	return FromLeaf(leaf)
}
