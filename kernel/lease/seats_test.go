package lease

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

func withSeat(seat string) func(*Record) { return func(r *Record) { r.Seat = seat } }

// holdingSeat is a table whose order has a seat for a lease.
func holdingSeat(t Table, r Record, key string) Table {
	t.Order.Seats = map[string]Booking{key: {Nonce: r.Nonce, Until: r.Deadline().Format(time.RFC3339)}}
	return t
}

// A seat is listed exactly where an admission would refuse it.
func TestSeatsAreListedAsAnAdmissionFindsThem(t *testing.T) {
	code := onLane("code", lane.Cluster, "src/**")
	bob := heldBy("bob", "b0b", code, withSeat("A/0"))
	gone := heldBy("bob", "b0b", code, withSeat("A/0"), inState(lane.Free))
	hidden := tableWith(bob)
	grant := hidden.Order.Lanes["code"]
	grant.Seat = "A/0"
	hidden.Order.Lanes["code"] = grant
	delete(hidden.Chains, "code")
	hidden.Unread = map[string]error{"code": errors.New("damaged")}
	for _, tt := range []struct {
		claim string
		table Table
		after time.Duration
		want  string
	}{
		{"nobody has one", tableWith(), 0, ""},
		{"a lease has it", tableWith(bob), 0, "A/0 of 1"},
		{"a lease and the order have it", holdingSeat(tableWith(bob), bob, "a/0"), 0, "A/0 of 1"},
		{"a lease past its deadline", holdingSeat(tableWith(bob), bob, "a/0"), 15 * time.Minute, "A/0 of 1"},
		{"one that has lapsed", holdingSeat(tableWith(bob), bob, "a/0"), time.Hour, ""},
		{"one that has ended", holdingSeat(tableWith(gone), bob, "a/0"), 0, ""},
		{"only the order has it", holdingSeat(tableWith(), bob, "a/0"), 0, "a/0 of 0"},
		{"and its time is over", holdingSeat(tableWith(), bob, "a/0"), 17 * time.Minute, ""},
		{"a lane that cannot be read", hidden, 0, "A/0 of 0"},
	} {
		by := Lapsing{Skew: time.Minute, Now: noon.Add(tt.after)}
		got := ""
		for _, s := range tt.table.Seats(by) {
			got += fmt.Sprintf("%s of %d", s.Seat, len(s.By))
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.claim, got, tt.want)
		}
		if len(tt.table.Unread) > 0 {
			continue
		}
		ev := asking(tt.table, booking("", "a/0"))
		ev.Stamp.Now, ev.Lapsing = by.Now, by
		v, _, err := Acquire(ev)
		if refused := v.ReasonClass == SeatTaken; err != nil || refused != (tt.want != "") {
			t.Errorf("%s: the admission answers %s (%s), %v", tt.claim, v.Outcome, v.ReasonClass, err)
		}
	}
}
