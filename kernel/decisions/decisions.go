// Package decisions lists what needs a human.
//
// Nothing is stored: the list is projected from what the ledgers hold, from the
// beats that are late, from the envelopes and soaks of plans, every time anew.
// The same thing said many times is one entry that counts. An entry goes away
// when what it asked for came about, when it is too old, or when somebody
// acknowledged it, and comes back as soon as there is newer evidence for it.
//
// "Nothing to decide" is said only if everything that could hold an entry was
// read. Where something could not be, the list is what is known of it, and an
// empty one is no verdict.
package decisions

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Kind says what an entry is about.
type Kind string

// The kinds, in the order in which they are listed: those of one line rank
// alike.
const (
	Liveness, Heartbeat                           Kind = "LIVENESS", "HEARTBEAT"
	ArbiterRefuse, EnforceBreaker, ResumeProposal Kind = "ARBITER_REFUSE", "ENFORCE_BREAKER", "RESUME_PROPOSAL"
	Asked                                         Kind = "DECISION"
	PreflightRefuse                               Kind = "PREFLIGHT_REFUSE"
	Wedge                                         Kind = "WEDGE"
	SoakGate                                      Kind = "SOAK_GATE"
)

var ranks = sync.OnceValue(func() map[Kind]int {
	return map[Kind]int{
		Liveness: 0, Heartbeat: 0, ArbiterRefuse: 1, EnforceBreaker: 1, ResumeProposal: 1, Asked: 1,
		PreflightRefuse: 2, Wedge: 3, SoakGate: 4,
	}
})

// Resolver is who settles an entry.
type Resolver string

// The resolvers.
const (
	Human        Resolver = "HUMAN"
	Judge        Resolver = "JUDGE"        // whoever weighs the reasons
	Oracle       Resolver = "ORACLE"       // the truth: ask again
	Backpressure Resolver = "BACKPRESSURE" // it clears by itself
)

// Evidence is everything Decide may know.
type Evidence struct {
	Now    time.Time
	Policy Policy
	All    bool // entries that are resolved, acknowledged or for nobody to settle, too

	Alerts    []Alert
	Acks      map[string]map[string]uint64 // by id: the newest evidence seen, by source
	Lanes     map[string]Lane              // every lane that could be read; another's state is unknown
	Beats     []Beat
	Envelopes []Envelope
	Soaks     []Soak
	Done      map[string]bool // runs of which nothing is left to decide: they are complete, or moving again

	Categories map[string]string // of reason tokens this package does not know

	// Unread are the ledgers, rows and files that could not be read, and
	// Forgot is when the newest alert was dropped that had no room.
	Unread []string
	Forgot time.Time
}

// Policy holds the numbers.
type Policy struct {
	Retention   time.Duration // after which an entry is no longer shown; 0: 30 days, negative: never
	Cooldown    time.Duration // after the last deny, for the breaker; 0: 6 hours
	Consecutive uint64        // denies that open the breaker; 0: 3
}

func (p Policy) filled() Policy {
	p.Retention = cmp.Or(p.Retention, 30*24*time.Hour)
	p.Cooldown = cmp.Or(p.Cooldown, 6*time.Hour)
	p.Consecutive = cmp.Or(p.Consecutive, 3)
	return p
}

// A Lane is how a lane stands.
type Lane struct {
	Gen    uint64
	Held   bool
	Parked bool      // held, and kept until somebody decides about it
	Since  time.Time // when it was last acquired, released or scavenged
	RunID  string    // of its lease, as the next two
	Nonce  string
	Owner  string
}

// An Entry is one line of the list.
type Entry struct {
	ID       string            `json:"id"`
	Kind     Kind              `json:"kind"`
	Resolver Resolver          `json:"resolver_kind"`
	Lane     string            `json:"lane"`
	Token    string            `json:"reason_token"`
	Text     string            `json:"reason_text"`
	RunID    string            `json:"run_id"`
	At       *time.Time        `json:"run_ts"` // of the oldest evidence, null when unknown
	Age      *int64            `json:"age_seconds"`
	Source   string            `json:"source_path"`
	Evidence []string          `json:"evidence"` // the oldest source first
	Command  string            `json:"proposed_command"`
	Recorded bool              `json:"command_recorded,omitempty"` // the command is a row's, so somebody's word
	Handle   string            `json:"handle"`
	Count    uint64            `json:"dup_count"`
	Resolved bool              `json:"resolved"`
	Acked    bool              `json:"acked,omitempty"`
	Skewed   bool              `json:"skewed,omitempty"` // stamped in the future
	Seen     map[string]uint64 `json:"seen"`             // the newest evidence, by source: what an ack must carry
}

// Verdict is the list.
type Verdict struct {
	Entries []Entry  `json:"decisions"`
	Open    int      `json:"open"`   // neither resolved nor acknowledged
	Hidden  int      `json:"hidden"` // left out: they clear without a human, are resolved or acknowledged
	Unread  []string `json:"unread"` // what could not be read
	decided bool
}

var _ verdict.Verdict = Verdict{}

// ExitCode implements [verdict.Verdict]. A list is an answer, also an empty one,
// unless what could not be read might have filled it.
func (v Verdict) ExitCode() int {
	if !v.decided || len(v.Entries) == 0 && len(v.Unread) > 0 {
		return verdict.NoVerdict
	}
	return verdict.Yes
}

// Decide projects the list: it collects, drops what is too old, puts alike
// entries together, leaves out what needs nobody, and sorts.
func Decide(ev Evidence) Verdict {
	ev.Policy = ev.Policy.filled()
	v := Verdict{Entries: []Entry{}, Unread: append([]string{}, ev.Unread...), decided: true}
	if horizon := ev.Now.Add(-ev.Policy.Retention); !ev.Forgot.IsZero() && (ev.Policy.Retention < 0 || ev.Forgot.After(horizon)) {
		v.Unread = append(v.Unread, "alerts up to "+ev.Forgot.UTC().Format(time.RFC3339)+": there was no room for all of them")
	}
	shown, hidden := map[string]bool{}, map[string]bool{}
	entries := slices.DeleteFunc(ev.collect(), ev.stale)
	for _, e := range merged(slices.Clone(entries)) {
		if !e.Resolved && !e.Acked {
			v.Open++
		}
	}
	for _, e := range merged(slices.DeleteFunc(entries, func(e Entry) bool {
		out := !ev.All && (e.Resolved || e.Acked || e.Resolver != Human)
		hidden[e.ID] = hidden[e.ID] || out
		return out
	})) {
		shown[e.ID] = true
		v.Entries = append(v.Entries, e)
	}
	for id, out := range hidden {
		if out && !shown[id] {
			v.Hidden++
		}
	}
	return v
}

// stale reports whether an entry is too old to be shown, or of unknown age,
// which is as good. What asks that something be stopped, or is about now, has
// no age at which it is settled. Rows of a ledger were looked at one by one.
func (ev Evidence) stale(e Entry) bool {
	switch {
	case e.Kind != PreflightRefuse && e.Kind != Wedge || ev.Policy.Retention < 0:
		return false
	case e.At == nil:
		return true
	}
	return ev.Now.Sub(*e.At) > ev.Policy.Retention
}

// merged puts entries of one id together, in a fixed order whatever theirs.
func merged(all []Entry) []Entry {
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(a.compare(b), slices.Compare(a.Evidence, b.Evidence),
			strings.Compare(a.RunID, b.RunID), strings.Compare(a.Handle, b.Handle), strings.Compare(a.Command, b.Command))
	})
	var out []Entry
	at := map[string]int{}
	for _, e := range all {
		i, ok := at[e.ID]
		if !ok {
			at[e.ID] = len(out)
			e.Seen, e.Evidence = maps.Clone(e.Seen), slices.Clone(e.Evidence)
			out = append(out, e)
			continue
		}
		out[i].absorb(e)
	}
	return out
}

// absorb adds an entry of the same id. It is open as soon as one of the two is:
// what one ledger still asks, another has not answered.
func (e *Entry) absorb(o Entry) {
	e.Count += o.Count
	e.Resolved, e.Acked = e.Resolved && o.Resolved, e.Acked && o.Acked
	e.Evidence = append(e.Evidence, o.Evidence...)
	for source, seq := range o.Seen {
		e.Seen[source] = max(e.Seen[source], seq)
	}
}

// compare orders entries: by rank, then the oldest first and those of unknown
// age last.
func (e Entry) compare(o Entry) int {
	age := func(e Entry) int64 {
		if e.Age == nil {
			return -1
		}
		return *e.Age
	}
	return cmp.Or(cmp.Compare(ranks()[e.Kind], ranks()[o.Kind]), cmp.Compare(age(o), age(e)), strings.Compare(e.ID, o.ID))
}
