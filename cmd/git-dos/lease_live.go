package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A listing answers lease live. Its JSON is an array of leases, which is what
// --leases reads; each says as of when it was read. A lane that cannot be read
// has a row too, so that nobody takes it for free, and the status says so.
type listing struct {
	leases []lease.Record
	unread []lease.Unread
	here   map[string]bool // the nonces of the leases that this worktree took
	never  []string        // lanes that are declared and were never leased; in the text only
	from   string          // the remote, "" for the repository itself
	asOf   time.Time
	now    time.Time
}

func (l listing) ExitCode() int {
	if len(l.unread) > 0 {
		return leaseStore
	}
	return verdict.Yes
}

// A liveLease is the row of a lease that can be read.
type liveLease struct {
	lease.Record
	Display  string    `json:"display"`
	HeldHere bool      `json:"held_here,omitempty"` // by this worktree
	AsOf     time.Time `json:"as_of"`
}

// An unreadLease is the row of a lane that cannot be read. Its kind and tree are
// what it holds at most; no tree is everything.
type unreadLease struct {
	Lane     string    `json:"lane"` // "" where a slot does not say whose it is
	Slot     string    `json:"slot,omitempty"`
	State    string    `json:"state"` // unreadable
	LaneKind string    `json:"lane_kind"`
	Tree     []string  `json:"tree"`
	Admitted bool      `json:"admitted"` // false: nobody was, and it is in the way of its name alone
	Reason   string    `json:"reason"`
	AsOf     time.Time `json:"as_of"`
}

func (l listing) MarshalJSON() ([]byte, error) {
	out := []any{}
	for _, r := range l.leases {
		out = append(out, liveLease{r, r.Display(l.now), l.heldHere(r), l.asOf})
	}
	for _, u := range l.unread {
		row := unreadLease{Lane: u.Lane, State: string(lane.UnreadableState), LaneKind: u.Kind, Tree: append([]string{}, u.Tree...), Admitted: !u.NameOnly, Reason: u.Unreadable, AsOf: l.asOf}
		if u.Lane != u.Chain {
			row.Slot = u.Chain
		}
		out = append(out, row)
	}
	var b bytes.Buffer
	err := writeJSON(&b, out)
	return b.Bytes(), err
}

func (l listing) String() string {
	var rows []string
	for _, r := range l.leases {
		rows = append(rows, fmt.Sprintf("%-16s %s", r.Lane, l.row(r)))
	}
	for _, u := range l.unread {
		rows = append(rows, fmt.Sprintf("%-16s cannot be read: %s", u.Chain, strings.Join(strings.Fields(u.Unreadable), " ")))
	}
	for _, name := range l.never {
		rows = append(rows, fmt.Sprintf("%-16s free, never leased", name))
	}
	slices.Sort(rows)
	if len(rows) == 0 {
		rows = []string{"no lane is held"}
	}
	return strings.Join(rows, "\n") + seenAs(l.asOf, l.from)
}

// row says how a lane stands, and what it is held for.
func (l listing) row(r lease.Record) string {
	text := stateOf(r, l.now)
	if r.State == lane.Free {
		return text
	}
	if r.Unit != "" {
		text += ", unit " + r.Unit
	}
	if r.Seat != "" {
		text += ", seat " + r.Seat
	}
	if r.Rides != nil {
		text += ", inside lane " + r.Rides.Lane
		if len(r.Tree) > 0 {
			text += ": " + strings.Join(r.Tree, " ")
		}
	}
	if l.heldHere(r) {
		text += " (this worktree)"
	}
	return text
}

func (l listing) heldHere(r lease.Record) bool { return r.State != lane.Free && l.here[r.Nonce] }

func leaseLive(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if err := oneFormat(c); err != nil {
		return err
	}
	open := lookingDesk
	if c.Bool("all") {
		open = readingDesk // which lanes there are is the trunk's to say
	}
	d, err := open(c)
	if err != nil {
		return err
	}
	here := heldHere(d) // while git still lists the refs
	reading, err := d.Leases(c.Context, c.Bool("cached"))
	if err != nil {
		return deskError(err)
	}
	l := listing{leases: reading.Lanes, unread: reading.Unread, here: here, from: d.Remote(), asOf: reading.AsOf, now: now(c)}
	if c.Bool("all") {
		l.never = neverLeased(d.Declared(), reading)
	} else {
		l.leases = slices.DeleteFunc(l.leases, func(r lease.Record) bool { return r.State == lane.Free })
	}
	l.leases = append(l.leases, reading.Claims...)
	if wantsRecords(c) {
		return answerRecords(c, l, l.records())
	}
	return answerPaged(c, l)
}

// heldHere are the nonces of the leases that this worktree took; none where that
// cannot be told, as they only mark rows.
func heldHere(d *admit.Desk) map[string]bool {
	held, err := d.RecallAll()
	if err != nil {
		return nil
	}
	here := map[string]bool{}
	for _, h := range held {
		here[h.Nonce] = true
	}
	return here
}

// records are the rows, sorted by lane. One that cannot be read is named by its slot
// where that does not say whose it is, and nothing else is told of it.
func (l listing) records() []record {
	var records []record
	for _, name := range l.never {
		records = append(records, bareRecord(string(lane.Free), name))
	}
	for _, r := range l.leases {
		if r.State == lane.Free {
			records = append(records, bareRecord(r.Display(l.now), r.Lane))
			continue
		}
		here := ""
		if l.heldHere(r) {
			here = "here"
		}
		records = append(records, record{r.Display(l.now), strconv.FormatUint(r.Gen, 10), r.Deadline().Format(time.RFC3339),
			r.Holder.Node, r.Holder.Owner, r.RunID, r.Unit, r.Seat, here, r.Lane})
	}
	for _, u := range l.unread {
		records = append(records, bareRecord(string(lane.UnreadableState), cmp.Or(u.Lane, u.Chain)))
	}
	slices.SortFunc(records, func(a, b record) int {
		return cmp.Or(cmp.Compare(a[len(a)-1], b[len(b)-1]), slices.Compare(a, b))
	})
	return records
}

// bareRecord is a row of liveFields with a state and a lane alone.
func bareRecord(state, name string) record {
	r := make(record, len(strings.Split(liveFields, ", ")))
	r[0], r[len(r)-1] = state, name
	return r
}

// liveFields are those of a record of lease live.
const liveFields = "state, generation, deadline, node, owner, run, unit, seat, here, lane"

// neverLeased are the declared lanes without a record.
func neverLeased(declared []string, seen admit.Reading) []string {
	return slices.DeleteFunc(declared, func(name string) bool {
		return slices.ContainsFunc(seen.Lanes, func(r lease.Record) bool { return r.Lane == name }) ||
			slices.ContainsFunc(seen.Unread, func(u lease.Unread) bool { return u.Lane == name })
	})
}
