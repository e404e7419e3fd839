package decisions

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// An Alert is what one node's ledger says again and again, told once: the rows
// of one op that differ in nothing that is shown.
type Alert struct {
	Op      string // REFUSE, HALT, RESUME_PROPOSED, DECISION or ENFORCE
	Node    string // in whose ledger they stand
	Kind    string // DECISION: what it is about
	Lane    string
	Class   string // the reason's token
	Reason  string
	RunID   string
	Handle  string
	Owner   string
	Target  string
	Command string // of the newest row
	Edge    string // and the change of state that raised it
	Gen     uint64 // and the lease it is about
	Nonce   string
	FirstAt time.Time
	At      time.Time // of the newest row
	Seq     uint64    // its place
	Count   uint64    // rows
	Streak  uint64    // ENFORCE: denies since an operator let one through
	Seqs    []uint64  // places of the newest few rows, oldest first
	Seconds []int64   // and their times

	BlockingLanes []string // REFUSE, of the newest row: what stood in the way
	BlockingGens  []uint64

	Answered bool // what it asks for was done since
}

// kind of the entries an alert makes; "" makes none.
func (a Alert) kind() Kind {
	switch a.Op {
	case "REFUSE":
		return ArbiterRefuse
	case "HALT":
		return Liveness
	case "RESUME_PROPOSED":
		return ResumeProposal
	case "ENFORCE":
		return EnforceBreaker
	case "DECISION":
		if _, ok := ranks()[Kind(a.Kind)]; ok {
			return Kind(a.Kind)
		}
		return Asked
	}
	return ""
}

// entry is what an alert comes to; ok is false when none of its rows counts any
// more.
func (ev Evidence) entry(a Alert) (Entry, bool) {
	rest := ev.rest(a, a.kind())
	if len(rest) == 0 {
		return Entry{}, false
	}
	e := a.named()
	e.Recorded = a.Command != ""
	e.Command, e.Source, e.Seen = a.command(), source(a.Node), map[string]uint64{source(a.Node): a.Seq}
	e.Resolver = ev.resolver(e.Kind, e.Token)
	e.ID = idOf(e)
	e.Resolved = ev.resolved(a, e.Kind)
	seen, ok := ev.Acks[e.ID][source(a.Node)]
	if e.Acked = ok && seen >= a.Seq; !e.Acked && ok {
		rest = slices.DeleteFunc(rest, func(r row) bool { return r.seq <= seen })
	}
	e.Count = uint64(len(rest))
	if len(rest) == len(a.Seqs) && uint64(len(rest)) < a.Count && (!ok || e.Acked) && !ev.old(a.FirstAt, e.Kind) && !ev.overtaken(a, row{at: a.FirstAt}) {
		// The oldest rows are known by their number and the first of them.
		e.Count, rest[0].at = a.Count, a.FirstAt
	}
	for _, r := range rest {
		e.Evidence = append(e.Evidence, e.Source+"#"+strconv.FormatUint(r.seq, 10))
	}
	ev.date(&e, rest[0].at)
	return e, true
}

// named is the part of an entry that tells it apart.
func (a Alert) named() Entry {
	e := Entry{Kind: a.kind(), Lane: a.Lane, Token: a.Class, Text: a.Reason, RunID: a.RunID, Handle: a.Handle}
	if e.Kind == EnforceBreaker {
		e.Handle, e.Text = a.Target, fmt.Sprintf("%s keeps being denied %s", a.Owner, a.Target)
	}
	return e
}

// source is the name that acks know a ledger by.
func source(node string) string { return "journal/" + node }

// A row is one row of an alert.
type row struct {
	seq uint64
	at  time.Time
}

// rest are the rows of an alert that still count, oldest first.
func (ev Evidence) rest(a Alert, kind Kind) []row {
	var rest []row
	for i, seq := range a.Seqs[:min(len(a.Seqs), len(a.Seconds))] {
		r := row{seq, time.Unix(a.Seconds[i], 0).UTC()}
		if !ev.old(r.at, kind) && !ev.overtaken(a, r) {
			rest = append(rest, r)
		}
	}
	return rest
}

// old reports whether a row is past its retention. What asks that something be
// stopped stays until it was.
func (ev Evidence) old(at time.Time, kind Kind) bool {
	return kind != Liveness && kind != SoakGate && kind != Heartbeat && ev.Policy.Retention >= 0 && ev.Now.Sub(at) > ev.Policy.Retention
}

// overtaken reports whether a refusal is superseded: a lane that stood in the
// way, or the one that was asked for, changed hands since. By the generation if
// the row names it, which no clock can get wrong, else by times.
func (ev Evidence) overtaken(a Alert, r row) bool {
	if a.kind() != ArbiterRefuse {
		return false
	}
	own := true
	for i, name := range a.BlockingLanes[:min(len(a.BlockingLanes), len(a.BlockingGens))] {
		own = own && name != a.Lane
		l, ok := ev.Lanes[name]
		gen := a.BlockingGens[i]
		switch {
		case !ok:
		case gen > 0 && (l.Gen > gen || l.Gen == gen && !l.Held):
			return true
		case (gen == 0 || r.seq != a.Seq) && l.Since.After(r.at):
			return true
		}
	}
	l, ok := ev.Lanes[a.Lane]
	return own && ok && l.Since.After(r.at)
}

// resolved reports whether what an alert asks for has come about.
func (ev Evidence) resolved(a Alert, kind Kind) bool {
	switch kind {
	case Liveness:
		return !ev.keeps(a) && (a.Answered || a.RunID != "" && ev.Done[a.RunID] || ev.leaseOver(a))
	case ResumeProposal:
		return a.Answered || a.RunID != "" && ev.Done[a.RunID] || ev.outdone(a)
	case EnforceBreaker:
		return len(ev.Unread) == 0 && !ev.holds(a.Owner) && ev.Now.Sub(a.At) > ev.Policy.Cooldown
	}
	return false
}

// Diverged is the token of what is recorded of a run that others went on beside.
const Diverged = "DIVERGED"

// ofPlan reports whether an alert says how its run can be gone on with, or that it
// cannot for what others did. The last word on that counts.
func (a Alert) ofPlan() bool {
	return a.RunID != "" && (a.Op == "RESUME_PROPOSED" || a.Op == "DECISION" && Kind(a.Kind) == ResumeProposal && a.Class == Diverged)
}

// after compares places in one ledger, and times between two.
func (a Alert) after(b Alert) bool {
	return a.Node == b.Node && a.Seq > b.Seq || a.Node != b.Node && a.At.After(b.At)
}

// outdone reports whether another word on how its run can be gone on with came later.
// The same word of another ledger is the same entry.
func (ev Evidence) outdone(a Alert) bool {
	return a.ofPlan() && slices.ContainsFunc(ev.Alerts, func(b Alert) bool {
		return b.ofPlan() && b.RunID == a.RunID && b.after(a) && IDOf(b) != IDOf(a)
	})
}

// LastWord is the newest alert that says how a run can be gone on with, and false when
// none does that was not answered.
func LastWord(known []Alert, run string) (last Alert, ok bool) {
	for _, a := range known {
		if a.ofPlan() && a.RunID == run && !a.Answered && (!ok || a.after(last)) {
			last, ok = a, true
		}
	}
	return last, ok
}

// keeps reports whether the lane that an alert is about is parked for its run: nobody
// else is admitted to it, whatever became of the run. Parking may change the nonce.
func (ev Evidence) keeps(a Alert) bool {
	l, ok := ev.Lanes[a.Lane]
	return ok && l.Parked && a.RunID != "" && l.RunID == a.RunID
}

// leaseOver reports whether the lease that an alert is about is known to be over.
func (ev Evidence) leaseOver(a Alert) bool {
	l, ok := ev.Lanes[a.Lane]
	switch {
	case !ok || a.Lane == "":
		return false
	case a.Nonce != "":
		return !l.Held || l.Nonce != a.Nonce
	case a.Gen > 0:
		return l.Gen > a.Gen || l.Gen == a.Gen && !l.Held
	case a.RunID != "":
		return !l.Held || l.RunID != a.RunID
	}
	return false
}

func (ev Evidence) holds(owner string) bool {
	for _, l := range ev.Lanes {
		if l.Held && l.Owner == owner {
			return true
		}
	}
	return false
}

// command is what an alert proposes to do. A question is over when somebody says so,
// and so is a wish about what only its handle names.
func (a Alert) command() string {
	switch {
	case a.Command != "":
		return a.Command
	case a.kind() == Asked, a.kind() == Liveness && a.RunID+a.Lane == "":
		return AckCommand(IDOf(a))
	case a.kind() == ResumeProposal && a.RunID != "":
		return "git dos resume --run-id " + verdict.ShellWord(a.RunID)
	case a.RunID != "" && a.kind() == Liveness:
		return "git dos status " + verdict.ShellWord(a.RunID)
	case a.Lane != "":
		return "git dos lease show --lane " + verdict.ShellWord(a.Lane)
	}
	return ""
}

// IDOf is the id of the entry that an alert makes.
func IDOf(a Alert) string { return idOf(a.named()) }

// Fresh reports whether an alert that somebody is about to record says
// something that no ledger says yet: it is raised once for each change of
// state, which Edge names, however often the state is looked at. That a run be
// stopped is asked anew once it was answered.
func Fresh(known []Alert, a Alert) bool {
	id := IDOf(a)
	return !slices.ContainsFunc(known, func(k Alert) bool {
		return k.Op == a.Op && k.Edge == a.Edge && id == IDOf(k) && !(k.Answered && k.Op == "HALT")
	})
}
