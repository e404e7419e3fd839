package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

func leaseShow(c *cli.Context) error {
	name, err := laneFlag(c)
	if err != nil {
		return err
	}
	d, err := readingDesk(c)
	if err != nil {
		return err
	}
	if name, err = canonicalLane(d, name); err != nil {
		return err
	}
	r, asOf, err := d.Lease(c.Context, name, c.Bool("cached"))
	if err != nil {
		return deskError(err)
	}
	v := lease.Verdict{Outcome: lease.Shown, Lane: name, Lease: r, AsOf: &asOf, Reason: "never leased"}
	if r != nil {
		if r.State != lane.Free {
			v.Holder = &r.Holder
		}
		v.Reason = stateOf(*r, now(c))
	}
	return answer(c, shownLane{v, d.Remote()})
}

// A shownLane answers lease show.
type shownLane struct {
	lease.Verdict
	from string // the fleet's remote, "" for the repository itself
}

func (s shownLane) String() string { return s.Verdict.String() + seenAs(*s.AsOf, s.from) }

// seenAs says how old an answer about a fleet may be, on a line of its own.
func seenAs(asOf time.Time, from string) string {
	if from == "" {
		return ""
	}
	return fmt.Sprintf("\nas of %s on %s", asOf.Format(time.RFC3339), from)
}

// stateOf says how a lane stands, in words.
func stateOf(r lease.Record, now time.Time) string {
	switch {
	case r.State == lane.Free:
		return fmt.Sprintf("free since %s (%s)", r.RenewedAt.UTC().Format(time.RFC3339), r.Reason)
	case r.Lapsed(now):
		return fmt.Sprintf("%s by %s, lapsed %s ago and not taken", r.State, r.Holder, now.Sub(r.Deadline()).Round(time.Second))
	}
	return fmt.Sprintf("%s by %s until %s", r.State, r.Holder, r.Deadline().UTC().Format(time.RFC3339))
}

// A listing answers lease live. Its JSON is an array of leases, which is what
// --leases reads; each says as of when it was read.
type listing struct {
	leases []lease.Record
	never  []string // lanes that are declared and were never leased; in the text only
	from   string   // the remote, "" for the repository itself
	asOf   time.Time
	now    time.Time
}

func (l listing) ExitCode() int { return verdict.Yes }

func (l listing) MarshalJSON() ([]byte, error) {
	type seen struct {
		lease.Record
		AsOf time.Time `json:"as_of"`
	}
	out := []seen{}
	for _, r := range l.leases {
		out = append(out, seen{r, l.asOf})
	}
	var b bytes.Buffer
	err := writeJSON(&b, out)
	return b.Bytes(), err
}

func (l listing) String() string {
	var rows []string
	for _, r := range l.leases {
		rows = append(rows, fmt.Sprintf("%-16s %s", r.Lane, stateOf(r, l.now)))
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

func leaseLive(c *cli.Context) error {
	if err := noArguments(c); err != nil {
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
	reading, err := d.Leases(c.Context, c.Bool("cached"))
	if err != nil {
		return deskError(err)
	}
	l := listing{leases: reading.Lanes, from: d.Remote(), asOf: reading.AsOf, now: now(c)}
	if c.Bool("all") {
		l.never = neverLeased(d.Declared(), reading.Lanes)
	} else {
		l.leases = slices.DeleteFunc(l.leases, func(r lease.Record) bool { return r.State == lane.Free })
	}
	return answer(c, l)
}

// neverLeased are the declared lanes without a record.
func neverLeased(declared []string, leased []lease.Record) []string {
	return slices.DeleteFunc(declared, func(name string) bool {
		return slices.ContainsFunc(leased, func(r lease.Record) bool { return r.Lane == name })
	})
}

// A logLine is one entry of a chain as it is shown.
type logLine struct {
	At      time.Time       `json:"at"`
	Ref     string          `json:"ref"`
	Op      string          `json:"op"`
	Gen     uint64          `json:"gen"`
	ID      string          `json:"id"`
	Payload json.RawMessage `json:"payload"`
	what    string
	about   subject
}

// A subject is whom and what an entry is about, as far as it says.
type subject struct{ lane, run, node string }

func (l logLine) String() string {
	return fmt.Sprintf("%s  %-9s g%-3d %s", l.At.Format(time.RFC3339), l.Op, l.Gen, l.what)
}

// lineOf reads as much of an entry as it understands: a later version's may
// say something else.
func lineOf(t refstore.Tip) logLine {
	l := logLine{At: t.Entry.At, Ref: t.Ref, Op: t.Entry.Op, Gen: t.Entry.Gen, ID: string(t.ID), Payload: t.Entry.Payload}
	var about struct {
		Lane   string        `json:"lane"`
		RunID  string        `json:"run_id"`
		Owner  string        `json:"owner"`
		Holder *lease.Holder `json:"holder"` // in a journal: who stood in the way
		Reason string        `json:"reason"`
		Ship   *lease.Ship   `json:"ship"`
	}
	if json.Unmarshal(t.Entry.Payload, &about) != nil {
		return l
	}
	l.about = subject{lane: about.Lane, run: about.RunID}
	words := []string{about.Lane}
	name, _ := refstore.SplitRef(t.Ref)
	switch {
	case name.Kind == "journal":
		l.about.node = name.Leaf
		words = append(words, about.Owner)
	case about.Holder != nil:
		l.about.node = about.Holder.Node
		words = append(words, about.Holder.String())
	}
	if about.Ship != nil {
		words = append(words, fmt.Sprintf("%.12s", about.Ship.New))
		for _, u := range about.Ship.Units {
			words = append(words, u.Plan+"/"+u.Phase)
		}
	}
	if about.Reason != "" {
		words = append(words, "("+about.Reason+")")
	}
	l.what = strings.Join(words, "  ")
	return l
}

func leaseLog(c *cli.Context) error {
	name, err := laneFlag(c)
	if err != nil {
		return err
	}
	d, err := readingDesk(c)
	if err != nil {
		return err
	}
	if name, err = canonicalLane(d, name); err != nil {
		return err
	}
	var lines []logLine
	limit := c.Int("limit")
	err = d.Log(c.Context, name, c.Bool("cached"), func(t refstore.Tip) bool {
		lines = append(lines, lineOf(t))
		return limit <= 0 || len(lines) < limit
	})
	if err != nil {
		return deskError(err)
	}
	return answerLines(c, lines)
}
