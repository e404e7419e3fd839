package fleet

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Readiness is the closed vocabulary of preflight.
type Readiness string

const (
	SpawnOK         Readiness = "SPAWN_OK"          // one worker more may start
	RefuseAtCap     Readiness = "REFUSE_AT_CAP"     // as many live as may
	RefuseNoSeat    Readiness = "REFUSE_NO_SEAT"    // every seat is taken
	RefuseNoAccount Readiness = "REFUSE_NO_ACCOUNT" // no account takes a worker now
	RefuseHost      Readiness = "REFUSE_HOST"       // this machine is in no state to bear one
	RefuseInspect   Readiness = "REFUSE_INSPECT"    // what must be looked at could not be
)

// PreflightEvidence is everything Preflight may know, each part gathered by
// itself. A nil Seats or Accounts is one that nobody asked for.
type PreflightEvidence struct {
	Unread     []string  `json:"unread"`            // what could not be looked at, and why
	Inspect    string    `json:"inspect,omitempty"` // the command that tells more of that; "" for git dos doctor
	Host       Host      `json:"host"`
	Processes  []Process `json:"processes"` // that are out of order, of anybody
	Live       Headcount `json:"live"`
	MaxWorkers int       `json:"max_workers"` // super.max_workers
	Target     int       `json:"target"`      // supervise.target; 0 does not bound
	Seats      *Seats    `json:"seats,omitempty"`
	Accounts   *Accounts `json:"accounts,omitempty"`
}

// Seats counts the places of the accounts that the worker may run on, and those of
// them that somebody has, on whichever machine. Of a worker that lives here they do
// not tell whether it has one of them.
type Seats struct {
	Total  int `json:"total"`
	Leased int `json:"leased"`
}

// Accounts counts the accounts that a worker could run on now, and says why
// the others cannot, the one that comes back first at the front.
type Accounts struct {
	Routable int      `json:"routable"`
	Waiting  []string `json:"waiting"`
}

// A Headcount counts the workers of this node, each source by itself: none of them
// sees all. Spawned are those that the asker itself started since the others
// were counted.
type Headcount struct {
	Leases  int `json:"leases"`  // leases whose worker is alive
	Started int `json:"started"` // processes that this node started and that run
	Spawned int `json:"spawned"`
}

// Workers is how many live at least.
func (c Headcount) Workers() int { return max(c.Leases, c.Started) + c.Spawned }

// A PreflightVerdict answers "may one more worker start here now?".
type PreflightVerdict struct {
	Outcome  Readiness         `json:"verdict"`
	OK       bool              `json:"ok"`
	Reason   string            `json:"reason"`
	Live     int               `json:"live"`
	Cap      int               `json:"cap"`
	Headroom int               `json:"headroom"` // how many more may start, never negative
	Binding  string            `json:"binding"`  // the term that the cap is
	Terms    []Term            `json:"terms"`
	Host     HostCapacity      `json:"host_capacity"`
	Flagged  []Process         `json:"flagged"`  // ours, out of order
	Reported []Process         `json:"reported"` // of others; they decide nothing
	Evidence PreflightEvidence `json:"evidence"`
	Next     string            `json:"next,omitempty"`
}

// A Term is one bound on the number of workers.
type Term struct {
	Name string `json:"name"`
	Cap  int    `json:"cap"`
}

var _ verdict.Verdict = PreflightVerdict{}

// Preflight judges in one order, the first hit wins: what could not be looked
// at, this host, seats, the cap, accounts. The same evidence has the same
// verdict, and one verdict only.
func Preflight(ev PreflightEvidence) PreflightVerdict {
	v := PreflightVerdict{Evidence: ev.shown(), Live: ev.Live.Workers(), Host: ev.Host.capacity(), Flagged: []Process{}, Reported: []Process{}}
	for _, p := range ev.Processes {
		if p.Own {
			v.Flagged = append(v.Flagged, p)
		} else {
			v.Reported = append(v.Reported, p)
		}
	}
	if err := ev.check(); err != nil {
		v.Reason = err.Error()
		return v
	}
	v.bound(ev)
	v.Outcome, v.Reason, v.Next = v.decide(ev)
	v.OK = v.Outcome == SpawnOK
	return v
}

// check reports why the evidence cannot be judged.
func (ev PreflightEvidence) check() error {
	type named struct {
		name string
		n    int
	}
	numbers := []named{
		{"max workers", ev.MaxWorkers}, {"target", ev.Target}, {"live leases", ev.Live.Leases},
		{"started workers", ev.Live.Started}, {"spawned workers", ev.Live.Spawned},
	}
	if s := ev.Seats; s != nil {
		numbers = append(numbers, named{"seats", s.Total}, named{"leased seats", s.Leased})
	}
	if a := ev.Accounts; a != nil {
		numbers = append(numbers, named{"routable accounts", a.Routable})
	}
	for _, x := range numbers {
		if x.n < 0 || x.n > maxWorkers {
			return fmt.Errorf("%s: %d is not between 0 and %d", x.name, x.n, maxWorkers)
		}
	}
	return ev.Host.check()
}

// bound finds the cap and the term that it is. Of equal terms the first in
// their order binds.
func (v *PreflightVerdict) bound(ev PreflightEvidence) {
	v.Terms = append(v.Terms, Term{"max_workers", ev.MaxWorkers})
	if ev.Target > 0 {
		v.Terms = append(v.Terms, Term{"target", ev.Target})
	}
	if v.Host.Cap != nil {
		v.Terms = append(v.Terms, Term{v.Host.Binding, *v.Host.Cap})
	}
	if ev.Seats != nil && ev.Seats.Total > 0 {
		v.Terms = append(v.Terms, Term{seatsTerm, ev.Seats.bound(v.Live)})
	}
	v.Cap, v.Binding = v.Terms[0].Cap, v.Terms[0].Name
	for _, t := range v.Terms[1:] {
		if t.Cap < v.Cap {
			v.Cap, v.Binding = t.Cap, t.Name
		}
	}
	v.Headroom = max(0, v.Cap-v.Live)
}

const seatsTerm = "seats"

// gone says of seats of which none is left that it is so.
func (s Seats) gone() string {
	if s.Total == 1 {
		return "the one seat there is is taken"
	}
	return fmt.Sprintf("all %s are taken", verdict.Count(s.Total, "seat"))
}

// bound is how many workers there may be by these seats, when so many live: for each
// seat that is free one more. Where every worker has one of them, that is Total.
func (s Seats) bound(live int) int { return max(live, s.Leased) + max(0, s.Total-s.Leased) }

// decide is the fixed order.
func (v *PreflightVerdict) decide(ev PreflightEvidence) (outcome Readiness, reason, next string) {
	lack := ev.Host.lack()
	switch {
	case len(ev.Unread) > 0:
		return RefuseInspect, "not everything could be looked at: " + strings.Join(ev.Unread, "; "), cmp.Or(ev.Inspect, "git dos doctor")
	case len(v.Flagged) > 0:
		return RefuseHost, v.flagged(), "git dos reclaim"
	case lack != "":
		return RefuseHost, lack, "make room on this machine, then git dos preflight"
	case ev.Seats != nil && v.seatsGone(*ev.Seats):
		return RefuseNoSeat, ev.Seats.gone(), "git dos account list"
	case v.Live >= v.Cap:
		return RefuseAtCap, fmt.Sprintf("%s of at most %d, by %s", verdict.Count(v.Live, "worker"), v.Cap, v.Binding), v.wait()
	case ev.Accounts != nil && ev.Accounts.Routable == 0:
		return RefuseNoAccount, ev.Accounts.reason(), "git dos account list"
	}
	return SpawnOK, fmt.Sprintf("%s of at most %d, by %s", verdict.Count(v.Live, "worker"), v.Cap, v.Binding), ""
}

// wait is what to do at the cap. What the machine bears is an estimate, and whoever
// knows better can say so; the other terms are somebody's word.
func (v *PreflightVerdict) wait() string {
	const next = "wait until one has ended: git dos lease live"
	if v.Host.Cap == nil || v.Binding != v.Host.Binding {
		return next
	}
	return next + "; where this machine bears more: --host-cap N"
}

// seatsGone is a pool of which nothing is left, where it is the pool that
// bounds. One that has no seats is not taken.
func (v *PreflightVerdict) seatsGone(s Seats) bool {
	return s.Total > 0 && s.Leased >= s.Total && s.bound(v.Live) <= v.Cap
}

func (v *PreflightVerdict) flagged() string {
	first := v.Flagged[0]
	reason := fmt.Sprintf("process %d (%s), which this node started, %s", first.PID, verdict.Show(first.Name), strings.Join(first.Reasons, ", "))
	if more := len(v.Flagged) - 1; more > 0 {
		reason += fmt.Sprintf(" (and %d more)", more)
	}
	return reason
}

func (a Accounts) reason() string {
	if len(a.Waiting) == 0 {
		return "there is no account to run a worker on"
	}
	return "no account takes a worker now: " + strings.Join(a.Waiting, "; ")
}

// shown is the evidence as it stands with a verdict: no list of it is null.
func (ev PreflightEvidence) shown() PreflightEvidence {
	ev.Unread = append([]string{}, ev.Unread...)
	ev.Processes = append([]Process{}, ev.Processes...)
	return ev
}

// ExitCode implements [verdict.Verdict].
func (v PreflightVerdict) ExitCode() int {
	switch v.Outcome {
	case SpawnOK:
		return verdict.Yes
	case RefuseAtCap:
		return verdict.FirstOwned
	case RefuseNoSeat:
		return verdict.FirstOwned + 1
	case RefuseNoAccount:
		return verdict.FirstOwned + 2
	case RefuseHost:
		return verdict.FirstOwned + 3
	case RefuseInspect:
		return verdict.FirstOwned + 4
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v PreflightVerdict) Err() error { return verdict.Err(v.Outcome, v.Reason) }

func (v PreflightVerdict) String() string {
	if v.Outcome == "" {
		return "no verdict: " + v.Err().Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", v.Outcome, v.Reason)
	for _, p := range v.Flagged {
		fmt.Fprintf(&b, "\nours    %s", p)
	}
	for _, p := range v.Reported {
		fmt.Fprintf(&b, "\nothers' %s", p)
	}
	if v.Next != "" {
		b.WriteString("\nnext    " + v.Next)
	}
	return b.String()
}
