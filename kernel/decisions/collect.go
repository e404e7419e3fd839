package decisions

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Beat is a named beat that is late, by the verdict of whoever judged it.
type Beat struct {
	Name    string
	Verdict string // LATE or MISSING; another makes no entry
	LastMS  *int64 // of the newest that counts, nil when it never beat
	Skewed  bool   // a newer one is stamped in the future
}

// An Envelope is the verdict a packet was rendered with.
type Envelope struct {
	Path        string
	Lane        string
	RunID       string
	Verdict     string
	ReasonClass string // of a refusal
	Reason      string
	DoNotRender bool
	Blocked     bool
	AllClear    bool
	At          time.Time // zero when unknown
}

// A Soak is a wait that ends on a day.
type Soak struct {
	Lane string
	Unit string
	Path string
	End  time.Time // its last day
}

// maxAhead is how far ahead of the reader a stamp may be without being called
// one from the future.
const maxAhead = time.Minute

// date fills in the time of an entry's oldest evidence.
func (ev Evidence) date(e *Entry, at time.Time) {
	if at.IsZero() {
		return
	}
	at = at.UTC()
	e.At = &at
	if e.Skewed = at.Sub(ev.Now) > maxAhead; !e.Skewed {
		age := int64(max(0, ev.Now.Sub(at)) / time.Second)
		e.Age = &age
	}
}

// idOf is 12 digits over what tells entries apart. What is about one run, or
// one name, is told apart by that too.
func idOf(e Entry) string {
	key := []string{string(e.Kind), e.Lane, e.Token, e.Text}
	switch e.Kind {
	case Liveness, ResumeProposal, Heartbeat, Asked, EnforceBreaker:
		key = append(key, e.RunID, e.Handle)
	}
	data, _ := json.Marshal(key)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

// collect makes an entry of everything there is, whatever its age.
func (ev Evidence) collect() []Entry {
	var all []Entry
	for _, a := range ev.breakers() {
		if a.kind() == "" {
			continue
		}
		if e, ok := ev.entry(a); ok {
			all = append(all, e)
		}
	}
	for _, b := range ev.Beats {
		if b.Verdict == "LATE" || b.Verdict == "MISSING" {
			all = append(all, ev.beat(b))
		}
	}
	for _, n := range ev.Envelopes {
		if kind := n.kind(); kind != "" {
			all = append(all, ev.envelope(n, kind))
		}
	}
	for _, s := range ev.Soaks {
		if !s.End.Before(ev.Now.UTC().Truncate(24 * time.Hour)) {
			all = append(all, ev.soak(s))
		}
	}
	return all
}

// breakers leaves out denies that do not open the breaker: those of one holder
// at one target count together, in whichever ledger they stand.
func (ev Evidence) breakers() []Alert {
	type pair struct{ owner, target string }
	denies := map[pair]uint64{}
	for _, a := range ev.Alerts {
		if a.Op == "ENFORCE" {
			denies[pair{a.Owner, a.Target}] += a.Streak
		}
	}
	return slices.DeleteFunc(slices.Clone(ev.Alerts), func(a Alert) bool {
		return a.Op == "ENFORCE" && (denies[pair{a.Owner, a.Target}] < ev.Policy.Consecutive || a.Streak == 0)
	})
}

// finish fills in what every entry that is not of a ledger has; seq numbers its
// evidence.
func (ev Evidence) finish(e Entry, seq uint64) Entry {
	e.Resolver, e.ID = ev.resolver(e.Kind, e.Token), idOf(e)
	e.Count, e.Seen = 1, map[string]uint64{e.Source: seq}
	e.Evidence = []string{e.Source}
	seen, ok := ev.Acks[e.ID][e.Source]
	e.Acked = ok && seen >= seq
	return e
}

func millis(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(max(0, t.UnixMilli()))
}

// beat is told apart by its verdict too: one that is late and then missing is
// two changes of state.
func (ev Evidence) beat(b Beat) Entry {
	e := Entry{Kind: Heartbeat, Token: b.Verdict, Text: "beat " + b.Name + " is " + strings.ToLower(b.Verdict), Handle: b.Name, Source: "beat/" + b.Name, Command: "git dos pulse"}
	var last time.Time
	if b.LastMS == nil {
		e.Text = "beat " + b.Name + " was never heard"
	} else {
		last = time.UnixMilli(*b.LastMS)
	}
	e = ev.finish(e, millis(last))
	ev.date(&e, last)
	e.Skewed = e.Skewed || b.Skewed
	return e
}

func (n Envelope) kind() Kind {
	switch {
	case n.DoNotRender || n.Blocked && !n.AllClear:
		return PreflightRefuse
	case n.Verdict != "" && n.Verdict != "LIVE" && n.Verdict != "ACCEPT" || n.ReasonClass != "":
		return Wedge
	}
	return ""
}

func (ev Evidence) envelope(n Envelope, kind Kind) Entry {
	e := Entry{Kind: kind, Lane: n.Lane, Token: cmp.Or(n.ReasonClass, n.Verdict), Text: n.Reason, RunID: n.RunID, Source: n.Path}
	e = ev.finish(e, millis(n.At))
	ev.date(&e, n.At)
	return e
}

func (ev Evidence) soak(s Soak) Entry {
	e := Entry{Kind: SoakGate, Lane: s.Lane, Handle: s.Unit, Source: s.Path}
	e.Text = fmt.Sprintf("%s soaks until %s", s.Unit, s.End.UTC().Format(time.DateOnly))
	return ev.finish(e, millis(s.End))
}
