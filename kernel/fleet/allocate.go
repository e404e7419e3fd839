package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// WorkKind is the closed vocabulary of what workers are wanted for.
type WorkKind string

const (
	Engineering WorkKind = "engineering" // on accounts of tier 1
	Gardening   WorkKind = "gardening"   // on accounts of tier 2, and else of tier 1
)

// tiers are the tiers that work of a kind may run on, the first of them preferred;
// none for a kind that nobody knows.
func (k WorkKind) tiers(downshift bool) []int {
	switch {
	case k == Gardening:
		return []int{2, 1}
	case k == Engineering && downshift:
		return []int{1, 2}
	case k == Engineering:
		return []int{1}
	}
	return nil
}

// Known reports whether it is a kind of work.
func (k WorkKind) Known() bool { return k == Engineering || k == Gardening }

// A DropReason is the closed vocabulary of why an account gives no seat.
type DropReason string

const (
	DropExcluded    DropReason = "EXCLUDED"          // the policy keeps it for something else
	DropNonAccount  DropReason = "NON_ACCOUNT"       // it is nothing that work runs on
	DropWrongTier   DropReason = "WRONG_TIER"        // this kind of work does not run on its tier
	DropNameless    DropReason = "NAMELESS"          // its seats can have no names of their own
	DropUnread      DropReason = "UNREAD"            // who has its seats, or whether it is capped, cannot be told
	DropFull        DropReason = "FULL"              // every seat of it is taken
	DropCapped      DropReason = "CAPPED"            // it is used up, until a time where that is known
	DropUnavailable DropReason = "PROBE_UNAVAILABLE" // its probe says that it takes no work
	DropUnreadable  DropReason = "PROBE_UNREADABLE"  // its probe was not asked, or says what cannot be read
)

// A Seat is one place of an account.
type Seat struct {
	Account string `json:"account"`
	Name    string `json:"seat"`
}

// A Dropped is an account that gives no seat.
type Dropped struct {
	Account string     `json:"account"`
	Why     DropReason `json:"why"`
	Until   *time.Time `json:"until,omitempty"` // when it comes back, where that is known
	Detail  string     `json:"detail"`
}

// AllocateEvidence is everything Allocate may know.
type AllocateEvidence struct {
	Now       time.Time
	Accounts  []Account        // as declared, in that order
	Taken     []TakenSeat      // a seat may be named more than once
	Caps      []Cap            // at most one for each account
	Probes    map[string]Probe // by account; of one that is not here, nobody asked
	Unread    string           // why seats and caps cannot be told, "" where they can
	Kind      WorkKind
	Downshift bool   // engineering may run on tier 2
	Only      string // of this account alone; without a Kind its tier does not matter
	Requested int
}

// An Allocation answers "which seats may so many workers have?". It promises none
// of them: every worker still asks the authority for its seat.
type Allocation struct {
	Kind      WorkKind  `json:"work_kind"`
	Requested int       `json:"requested"`
	Shortfall int       `json:"shortfall"` // requested and not granted
	Granted   []Seat    `json:"granted"`   // in the order in which workers are to have them
	Dropped   []Dropped `json:"dropped"`   // accounts that give none, in the order of their declaration
	Total     int       `json:"total"`     // seats of all accounts that this kind of work may run on
	Taken     int       `json:"taken"`     // of those, by others
	Routable  int       `json:"routable"`  // accounts that have a seat to give
}

// Allocate grants seats one after another, each of the account that then has the
// fewest taken; of those alike, of the one that is declared first. Accounts of
// the tier that the work prefers come before all others. What is not known is not
// available, and no more are granted at once than a fleet can have workers. The
// same evidence has the same answer.
func Allocate(ev AllocateEvidence) Allocation {
	a := Allocation{Kind: ev.Kind, Requested: max(0, ev.Requested), Granted: []Seat{}, Dropped: []Dropped{}}
	pools := ev.pools(&a)
	a.Routable = len(pools)
	for len(a.Granted) < min(a.Requested, maxWorkers) {
		var best *pool
		for _, p := range pools {
			if p.free() && (best == nil || cmp.Or(cmp.Compare(p.rank, best.rank), cmp.Compare(p.live, best.live)) < 0) {
				best = p
			}
		}
		if best == nil {
			break
		}
		a.Granted = append(a.Granted, best.take())
	}
	a.Shortfall = a.Requested - len(a.Granted)
	return a
}

// A pool is an account that gives seats.
type pool struct {
	Account
	rank  int          // of its tier, 0 is preferred
	taken map[int]bool // its seats, by number
	live  int          // how many of them
	next  int          // no seat below it is free
}

func (p *pool) free() bool { return p.live < p.SessionCap }

func (p *pool) take() Seat {
	for p.taken[p.next] {
		p.next++
	}
	p.taken[p.next] = true
	p.live++
	return Seat{Account: p.Name, Name: SeatName(p.Name, p.next)}
}

// pools sorts the accounts into those that give seats and those that do not, and
// counts the seats of all that the work may run on.
func (ev AllocateEvidence) pools(a *Allocation) (pools []*pool) {
	taken := ev.taken()
	for i, acc := range ev.Accounts {
		if ev.Only != "" && ev.Only != acc.Name {
			continue
		}
		p := &pool{Account: acc, rank: slices.Index(ev.Kind.tiers(ev.Downshift), acc.Tier), taken: taken[i], live: len(taken[i])}
		if ev.Only != "" && ev.Kind == "" {
			p.rank = 0
		}
		if p.taken == nil {
			p.taken = map[int]bool{}
		}
		d := ev.unfit(i, p.rank)
		if d == nil {
			a.Total += max(0, acc.SessionCap)
			a.Taken += p.live
			d = ev.away(*p)
		}
		if d == nil {
			pools = append(pools, p)
			continue
		}
		d.Account = acc.Name
		a.Dropped = append(a.Dropped, *d)
	}
	return pools
}

// Undecided are the accounts that would give a seat if their probes said so.
func (ev AllocateEvidence) Undecided() (names []string) {
	ev.Probes = nil
	for _, d := range Allocate(ev).Dropped {
		if d.Why == DropUnreadable {
			names = append(names, d.Account)
		}
	}
	return names
}

// taken are the seats that are taken, by account and number. One beyond what its
// account has is none of its seats.
func (ev AllocateEvidence) taken() map[int]map[int]bool {
	all := map[int]map[int]bool{}
	for _, t := range ev.Taken {
		i, k, ok := SeatOf(ev.Accounts, t.Seat)
		if !ok || k >= ev.Accounts[i].SessionCap {
			continue
		}
		if all[i] == nil {
			all[i] = map[int]bool{}
		}
		all[i][k] = true
	}
	return all
}

// unfit says why the work never runs on an account.
func (ev AllocateEvidence) unfit(at, rank int) *Dropped {
	a := ev.Accounts[at]
	switch why := nameless(ev.Accounts, at); {
	case a.Kind == KindNonAccount:
		return &Dropped{Why: DropNonAccount, Detail: "it is declared as no account"}
	case a.Kind != KindWorker:
		return &Dropped{Why: DropExcluded, Detail: "it is excluded by dos.toml"}
	case rank < 0:
		return &Dropped{Why: DropWrongTier, Detail: fmt.Sprintf("it is of tier %d, and %s work does not run there", a.Tier, verdict.Show(string(ev.Kind)))}
	case why != "":
		return &Dropped{Why: DropNameless, Detail: why}
	}
	return nil
}

// away says why an account that the work may run on gives no seat now.
func (ev AllocateEvidence) away(p pool) *Dropped {
	switch {
	case ev.Unread != "":
		return &Dropped{Why: DropUnread, Detail: ev.Unread}
	case p.SessionCap <= 0:
		return &Dropped{Why: DropFull, Detail: "it has no seats"}
	case !p.free():
		return &Dropped{Why: DropFull, Detail: "all of its seats are taken: " + verdict.Count(p.SessionCap, "seat")}
	}
	if d := ev.capped(p.Name); d != nil {
		return d
	}
	if !p.Probed {
		return nil
	}
	switch probe := ev.Probes[p.Name]; probe.State {
	case ProbeAvailable:
		return nil
	case ProbeUnavailable:
		return &Dropped{Why: DropUnavailable, Until: probe.Until, Detail: probe.Reason}
	case "":
		return &Dropped{Why: DropUnreadable, Detail: "its probe was not asked"}
	default:
		return &Dropped{Why: DropUnreadable, Detail: probe.Reason}
	}
}

// Cap is the cap that an account is under now, of several the one that lasts
// longest; nil where it is under none.
func (ev AllocateEvidence) Cap(account string) (longest *Cap) {
	for i, c := range ev.Caps {
		switch {
		case !sameAccount(c.Account, account) || c.over(ev.Now):
		case c.Until == nil:
			return &ev.Caps[i]
		case longest == nil || c.Until.After(*longest.Until):
			longest = &ev.Caps[i]
		}
	}
	return longest
}

// capped says that an account is used up.
func (ev AllocateEvidence) capped(account string) *Dropped {
	c := ev.Cap(account)
	switch {
	case c == nil:
		return nil
	case c.Until == nil:
		return &Dropped{Why: DropCapped, Detail: "it is capped, and until when cannot be told"}
	}
	d := &Dropped{Why: DropCapped, Until: c.Until, Detail: "it is capped until " + c.Until.UTC().Format(time.RFC3339)}
	if c.Reason != "" {
		d.Detail += ": " + c.Reason
	}
	return d
}

func sameAccount(a, b string) bool {
	if a == b {
		return true
	}
	x, ok := lane.FoldName(a)
	y, also := lane.FoldName(b)
	return ok && also && x == y
}

// Preflight is the part of preflight's evidence that an allocation is. Of the
// accounts that wait, the one that comes back first is at the front.
func (a Allocation) Preflight() (*Seats, *Accounts) {
	back := slices.Clone(a.Dropped)
	slices.SortStableFunc(back, func(x, y Dropped) int {
		switch {
		case x.Until == nil || y.Until == nil:
			return cmp.Compare(boolInt(x.Until == nil), boolInt(y.Until == nil))
		default:
			return x.Until.Compare(*y.Until)
		}
	})
	waiting := []string{}
	for _, d := range back {
		waiting = append(waiting, fmt.Sprintf("%s: %s", verdict.Show(d.Account), d.Detail))
	}
	total := min(a.Total, maxWorkers)
	return &Seats{Total: total, Leased: max(0, total-(a.Total-a.Taken))}, &Accounts{Routable: a.Routable, Waiting: waiting}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
