package lease

import (
	"errors"

	"github.com/git-dos/git-dos/kernel/lane"
)

// maxSlots bounds the refs of lanes that are not declared.
const maxSlots = 1000

// errNoSlot means that no more lanes that are not declared can be held.
var errNoSlot = errors.New("as many lanes that are not declared are held as there can be")

// ChainName says to people which chain is meant.
func ChainName(chain string) string {
	if lane.IsSlot(chain) {
		return "slot " + chain
	}
	return "lane " + chain
}

// chainFor chooses the chain of a lane that nobody holds: its own where it is
// declared or reserved, else a slot.
func (d *draft) chainFor(c lane.Claim) (string, error) {
	if c.Declared || lane.Reserved(c.Lane) {
		return c.Lane, nil
	}
	return d.work.slot(d.skip)
}

// slot returns the lowest slot that is free and can be read, else the lowest
// that is not there yet.
func (t Table) slot(skip map[string]bool) (string, error) {
	fresh := ""
	for n := range maxSlots {
		chain := lane.SlotName(n)
		r, ok := t.Chains[chain]
		switch {
		case t.Unread[chain] != nil || skip[chain]:
		case ok && r.State == lane.Free:
			return chain, nil
		case !ok && fresh == "":
			fresh = chain
		}
	}
	if fresh == "" {
		return "", errNoSlot
	}
	return fresh, nil
}
