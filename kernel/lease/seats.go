package lease

import (
	"maps"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A TakenSeat is a seat that no other lease may have now.
type TakenSeat struct {
	Seat  string    // as its holder spells it, where that is known
	By    []Record  // the leases that have it, none where only the order knows of it
	Until time.Time // where only the order knows
}

// Seats lists the seats that are taken, as an admission would find them: those that
// a lease names which has neither ended nor lapsed, and those that the order has booked for a
// lease which stands nowhere yet. Of a chain that cannot be read it lists what the
// order says stands there at most; there may be more.
func (t Table) Seats(by Lapsing) (taken []TakenSeat) {
	seen, over := map[string]bool{}, t.Lapsed(by)
	for _, chain := range t.chains() {
		if r := t.Chains[chain]; r.State != lane.Free && r.Seat != "" && !over[chain] {
			seen[foldKey(r.Seat)] = true
			taken = append(taken, TakenSeat{Seat: r.Seat, By: []Record{r}})
		}
	}
	for _, chain := range t.unreadChains() {
		if seat := t.Order.Lanes[chain].Seat; seat != "" && !seen[foldKey(seat)] {
			seen[foldKey(seat)] = true
			taken = append(taken, TakenSeat{Seat: seat})
		}
	}
	for _, seat := range slices.Sorted(maps.Keys(t.Order.Seats)) {
		if seen[foldKey(seat)] {
			continue
		}
		if found := t.tenure(bookSeat, seat, t.Order.Seats[seat], by.Now, by.Skew); !found.over && !all(found.by, over) {
			taken = append(taken, TakenSeat{Seat: seat, By: found.by, Until: found.until})
		}
	}
	return taken
}

// all reports whether there are such leases, and every one of them is on these chains.
func all(leases []Record, chains map[string]bool) bool {
	return len(leases) > 0 && !slices.ContainsFunc(leases, func(r Record) bool { return !chains[r.Chain()] })
}
