package lease

import (
	"fmt"
	"maps"
	"slices"

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
	Rides string   `json:"rides,omitempty"` // of a claim inside another lease: the chain of that
}

// books is the unit or the seat that stands on the chain at most.
func (g Grant) books(what string) string {
	if what == bookUnit {
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

// An Order is the record on order/grants: the tables that all admissions of an
// authority share. One entry is one admission, or the end of what an earlier one
// booked beside its lanes, so its chain is their order.
type Order struct {
	V       int                `json:"v"`
	Seq     uint64             `json:"seq"`
	Lanes   map[string]Grant   `json:"lanes"` // by chain
	Units   map[string]Booking `json:"units"`
	Seats   map[string]Booking `json:"seats"`
	Classes map[string]int     `json:"classes"` // live leases by kind after the newest admission
	Policy  string             `json:"policy"`  // trunk commit of the newest admission

	// Newest holds the chains of the newest admission, with the generation at
	// which it found each, 0 where there was none. It is nil in an older layout,
	// and stays so while a chain of which such an order says nothing cannot be read.
	Newest map[string]uint64 `json:"newest,omitempty"`

	// What Newest says, in an older layout: of the one chain there is.
	Admitted string `json:"admitted,omitempty"`
	Found    uint64 `json:"found,omitempty"`
}

// ParseOrder reads the record on the order chain.
func ParseOrder(seq uint64, payload []byte) (Order, error) {
	o, err := decodeAs(payload, readOrder)
	if err == nil {
		err = o.check(seq)
		o.Units, o.Seats = foldKeys(o.Units), foldKeys(o.Seats)
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
	if g, ok := o.Lanes[o.Admitted]; o.Admitted != "" && (!ok || o.Found > g.Gen) {
		return fmt.Errorf("%w: newest admission of lane %q over generation %d", ErrRecord, o.Admitted, o.Found)
	}
	for what, table := range map[string]map[string]Booking{"unit": o.Units, "seat": o.Seats} {
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
	for what, word := range map[string]string{"kind": g.Kind, bookUnit: g.Unit, bookSeat: g.Seat, "ridden lane": g.Rides} {
		if err := CheckWord(what, word); err != nil {
			return err
		}
	}
	return checkTree(g.Tree)
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
	if o.Newest == nil {
		found, ok = o.Found, o.Admitted != "" && o.Admitted == chain
	}
	return ok && gen >= found
}

// Vouch holds a record to the order: a lease of the generation and nonce that
// the order admitted has the lane, kind and tree of that admission, and one that
// was free when the order was written has not come back. An order of an older
// layout vouches for everything.
func (o Order) Vouch(r Record) error {
	g := o.Lanes[r.Chain()]
	if o.Newest == nil || r.State == lane.Free || g.Gen != r.Gen || g.Nonce != r.Nonce {
		return nil
	}
	switch {
	case g.Kind == "":
		return fmt.Errorf("lane %s: %w: generation %d ended and is held again", r.Chain(), ErrRecord, r.Gen)
	case g.Rides != "" && g.Rides != grantOf(r).Rides:
		return fmt.Errorf("lane %s: %w: generation %d rides another lane than it was admitted on", r.Chain(), ErrRecord, r.Gen)
	case g.lane(r.Chain()) != r.Lane || g.Kind != r.LaneKind || len(g.Tree) > 0 && !slices.Equal(g.Tree, r.Tree):
		return fmt.Errorf("lane %s: %w: it is not as generation %d was admitted", r.Chain(), ErrRecord, r.Gen)
	}
	return nil
}

// next is the order with the number after this one, its tables its own.
func (o Order) next() Order {
	n := o
	n.V, n.Seq = Version, o.Seq+1
	n.Lanes, n.Units, n.Seats, n.Classes = map[string]Grant{}, map[string]Booking{}, map[string]Booking{}, map[string]int{}
	maps.Copy(n.Lanes, o.Lanes)
	maps.Copy(n.Units, o.Units)
	maps.Copy(n.Seats, o.Seats)
	maps.Copy(n.Classes, o.Classes)
	return n
}
