package lease

import (
	"fmt"
	"maps"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A Grant is what the order says of a chain: the generation it was last admitted
// with, and that admission's nonce. Where an admission ended the lease of another
// by force, it is the nonce of the one that ended it. The rest is what stands on
// the chain at most, should its record be unreadable; a chain without a kind was
// free when the order was written, and a kind without a tree may hold everything.
type Grant struct {
	Gen   uint64   `json:"gen"`
	Nonce string   `json:"nonce"`
	Lane  string   `json:"lane,omitempty"` // on a slot
	Kind  string   `json:"kind,omitempty"`
	Tree  []string `json:"tree,omitempty"`
	Unit  string   `json:"unit,omitempty"`
	Seat  string   `json:"seat,omitempty"`
}

// claims is the unit or the seat that stands on the chain at most.
func (g Grant) claims(what string) string {
	if what == claimUnit {
		return g.Unit
	}
	return g.Seat
}

// lane is the name of the lane that was admitted on a chain.
func (g Grant) lane(chain string) string {
	if g.Lane != "" {
		return g.Lane
	}
	return chain
}

// A Claim is a unit or a seat taken by an admission, for a time of its own.
type Claim struct {
	Nonce string `json:"nonce"`
	Until string `json:"until"` // RFC 3339
}

// An Order is the record on order/grants: the tables that all admissions of an
// authority share. One entry is one admission, or the end of what an earlier one
// claimed beside its lanes, so its chain is their order.
type Order struct {
	V       int              `json:"v"`
	Seq     uint64           `json:"seq"`
	Lanes   map[string]Grant `json:"lanes"` // by chain
	Units   map[string]Claim `json:"units"`
	Seats   map[string]Claim `json:"seats"`
	Classes map[string]int   `json:"classes"` // live leases by kind after the newest admission
	Policy  string           `json:"policy"`  // trunk commit of the newest admission

	// Newest holds the chains of the newest admission, with the generation at
	// which it found each, 0 where there was none. It is nil in an older layout.
	Newest map[string]uint64 `json:"newest,omitempty"`
}

// ParseOrder reads the record on the order chain.
func ParseOrder(seq uint64, payload []byte) (Order, error) {
	var o Order
	err := decode(payload, &o)
	if err == nil {
		err = o.check(seq)
	}
	if err != nil {
		return Order{}, fmt.Errorf("order of admissions: %w", err)
	}
	return o, nil
}

func (o Order) check(seq uint64) error {
	switch {
	case o.V != Version:
		return fmt.Errorf("%w: version %d, this git-dos knows %d", ErrRecord, o.V, Version)
	case o.Seq != seq || seq == 0 || seq > maxGen:
		return fmt.Errorf("%w: number %d in entry %d", ErrRecord, o.Seq, seq)
	case o.Lanes == nil:
		return fmt.Errorf("%w: no table of lanes", ErrRecord)
	}
	for chain, g := range o.Lanes {
		if err := g.check(chain); err != nil {
			return fmt.Errorf("%w: admission of lane %q as generation %d: %w", ErrRecord, chain, g.Gen, err)
		}
	}
	for chain, found := range o.Newest {
		if g, ok := o.Lanes[chain]; !ok || found > g.Gen {
			return fmt.Errorf("%w: newest admission of lane %q over generation %d", ErrRecord, chain, found)
		}
	}
	for what, table := range map[string]map[string]Claim{"unit": o.Units, "seat": o.Seats} {
		for key, c := range table {
			if err := c.check(what, key); err != nil {
				return fmt.Errorf("%w: %w", ErrRecord, err)
			}
		}
	}
	if err := CheckWord("policy", o.Policy); err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	return nil
}

func (g Grant) check(chain string) error {
	switch slot := lane.IsSlot(chain); {
	case slot && !canonical(g.Lane), !slot && (g.Lane != "" || !canonical(chain)):
		return fmt.Errorf("it is no lane")
	case g.Gen == 0 || g.Gen > maxGen || g.Nonce == "":
		return fmt.Errorf("without a generation or a nonce")
	case g.Kind == "" && len(g.Tree) > 0:
		return fmt.Errorf("a tree without a kind")
	}
	if err := CheckWord("nonce", g.Nonce); err != nil {
		return err
	}
	for what, word := range map[string]string{"kind": g.Kind, claimUnit: g.Unit, claimSeat: g.Seat} {
		if err := CheckWord(what, word); err != nil {
			return err
		}
	}
	return checkTree(g.Tree)
}

func (c Claim) check(what, key string) error {
	until, err := time.Parse(time.RFC3339, c.Until)
	switch {
	case err != nil || !inRange(until):
		return fmt.Errorf("%s %q is claimed until %q", what, key, c.Until)
	case key == "" || c.Nonce == "":
		return fmt.Errorf("%s %q is claimed by %q", what, key, c.Nonce)
	}
	if err := CheckWord(what, key); err != nil {
		return err
	}
	return CheckWord("nonce", c.Nonce)
}

// admits reports whether the order knows this very admission.
func (o Order) admits(r Record) bool {
	g, ok := o.Lanes[r.Chain()]
	return ok && g.Gen == r.Gen && g.Nonce == r.Nonce
}

// ahead reports whether the order has admitted a later generation of the chain
// than the one it is at.
func (o Order) ahead(chain string, gen uint64) bool { return o.Lanes[chain].Gen > gen }

// overruled reports whether an admission ended this lease by force and was cut
// off before it reached the chain.
func (o Order) overruled(r Record) bool {
	g := o.Lanes[r.Chain()]
	return r.State != lane.Free && g.Gen == r.Gen && g.Nonce != r.Nonce
}

// explains reports whether the newest admission, cut off before it reached the
// chain, leaves it at gen. Every admission before it is on its chains: none is
// decided on a torn table. A chain that was not there may have been made since
// by the VOID of an acquirer that gave up.
func (o Order) explains(chain string, gen uint64) bool {
	found, ok := o.Newest[chain]
	return ok && gen >= found
}

// next is the order with the number after this one, its tables its own.
func (o Order) next() Order {
	n := o
	n.V, n.Seq = Version, o.Seq+1
	n.Lanes, n.Units, n.Seats, n.Classes = map[string]Grant{}, map[string]Claim{}, map[string]Claim{}, map[string]int{}
	maps.Copy(n.Lanes, o.Lanes)
	maps.Copy(n.Units, o.Units)
	maps.Copy(n.Seats, o.Seats)
	maps.Copy(n.Classes, o.Classes)
	return n
}

// without is the order after the claims that are over are taken out, and whether
// there were any.
func (o Order) without(over func(what, key string, c Claim) bool) (Order, bool) {
	n := o.next()
	maps.DeleteFunc(n.Units, func(key string, c Claim) bool { return over(claimUnit, key, c) })
	maps.DeleteFunc(n.Seats, func(key string, c Claim) bool { return over(claimSeat, key, c) })
	return n, len(n.Units) < len(o.Units) || len(n.Seats) < len(o.Seats)
}

// end is the entry that ends what a lease claims beside its lane, none when the
// order has no claim of its.
func (o Order) end(leases ...Record) []Write {
	n, any := o.without(func(what, key string, c Claim) bool {
		for _, r := range leases {
			if r.Nonce == c.Nonce && r.claims(what) == key {
				return true
			}
		}
		return false
	})
	if !any {
		return nil
	}
	return []Write{n.write(OpEnded)}
}
