package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
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
	if name, err = laneWord(d, name); err != nil {
		return err
	}
	r, asOf, err := d.Lease(c.Context, name, c.Bool("cached"))
	if err != nil {
		return deskError(err)
	}
	v := lease.Verdict{Outcome: lease.Shown, Lane: name, Lease: r, AsOf: &asOf, Reason: "never leased"}
	display := string(lane.Free)
	if target, err := d.CanonicalLane(name); r == nil && err == nil {
		v.Lane = target
	}
	if r != nil {
		v.Lane = cmp.Or(r.Lane, name)
		if r.State != lane.Free {
			v.Holder = &r.Holder
		}
		v.Reason, display = stateOf(*r, now(c)), r.Display(now(c))
	}
	return answer(c, shownLane{v, display, d.Remote()})
}

// A shownLane answers lease show.
type shownLane struct {
	lease.Verdict
	Display string `json:"display"`
	from    string // the fleet's remote, "" for the repository itself
}

func (s shownLane) String() string {
	text := s.Verdict.String()
	if r := s.Lease; r != nil && r.State != lane.Free {
		for _, part := range [][2]string{{"proc", procWords(r.Proc)}, {"slot", r.Slot}, {"inside", r.Inside()}} {
			if part[1] != "" {
				text += fmt.Sprintf("\n  %-9s %s", part[0], part[1])
			}
		}
	}
	return text + seenAs(*s.AsOf, s.from)
}

// procWords names a worker's process.
func procWords(p *lease.Proc) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%d, begun at %s of boot %s, in %s", p.PID, p.Start, p.Boot, p.PIDNS)
}

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
	case r.State == lane.Parked:
		return fmt.Sprintf("parked by %s", r.Holder)
	case r.Display(now) == lease.Suspended:
		return fmt.Sprintf("%s by %s, suspended: its deadline passed %s ago, and nobody took it", r.State, r.Holder, now.Sub(r.Deadline()).Round(time.Second))
	case r.Display(now) == lease.Skewed:
		return fmt.Sprintf("%s by %s until %s, skewed: renewed %s from now by its own clock", r.State, r.Holder, r.Deadline().UTC().Format(time.RFC3339), r.RenewedAt.Sub(now).Round(time.Second))
	}
	return fmt.Sprintf("%s by %s until %s", r.State, r.Holder, r.Deadline().UTC().Format(time.RFC3339))
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
	gen := ""
	if l.Gen > 0 { // a journal counts no admissions
		gen = fmt.Sprintf("g%d", l.Gen)
	}
	return fmt.Sprintf("%s  %-9s %-4s %s", l.At.Format(time.RFC3339), l.Op, gen, l.what)
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
		words = append(words, receiptWords(t)...)
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
	if name, err = laneWord(d, name); err != nil {
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
	return linesPaged(c, lines)
}
