package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/runid"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// logAbout is what a story is about: a lane or a run.
type logAbout struct{ lane, run string }

// A logTale is what refs have about one lane or run.
type logTale struct {
	about   logAbout
	limit   int
	entries []logEntry // oldest first
	cut     bool       // there are older ones
	notRead []string
}

// gather reads lanes, ledgers and, for a run, history.
func (s *logTale) gather(c *cli.Context, d *admit.Desk) error {
	remotes, err := d.Mirrors(c.Context, c.Bool("cached"))
	if err != nil {
		return panelUnreached(err)
	}
	q := refstore.Query{Kinds: []string{"lane"}}
	here, err := d.Repo.Local().Read(c.Context, q)
	if err != nil {
		return panelError(err)
	}
	if err := s.lanes(c, d, here); err != nil {
		return err
	}
	for _, r := range remotes {
		there, err := r.Cached(c.Context, q)
		if err != nil {
			return panelError(err)
		}
		if err := s.lanes(c, d, there); err != nil {
			return err
		}
	}
	if err := s.ledgers(c, d); err != nil {
		return err
	}
	if s.about.run != "" {
		err = s.commits(c, d)
	}
	storyOrder(s.entries, logEntry.point)
	return err
}

// point is where an entry belongs among those of its second.
func (e logEntry) point() storyPoint {
	if e.Ref == "" {
		return storyPoint{at: e.At, id: e.ID, run: e.RunID}
	}
	return storyPointOf(e.At, e.Ref, e.Op, e.Gen, e.Payload)
}

// lanes adds what the chains of a snapshot have. One that cannot be read is
// named, where it may have anything.
func (s *logTale) lanes(c *cli.Context, d *admit.Desk, seen refstore.Snapshot) error {
	for _, tip := range seen.List("lane") {
		name, ok := refstore.SplitRef(tip.Ref)
		if s.about.lane != "" && (!ok || !lane.IsSlot(name.Leaf) && !logIsLeaf(name.Leaf, s.about.lane)) {
			continue
		}
		err := tip.Err
		var found []logEntry // newest first
		if err == nil {
			err = d.Repo.Chain(c.Context, tip.Ref, tip.ID, func(t refstore.Tip) bool {
				if e, about := logRecord(t); s.wants(about) {
					found = append(found, e)
				}
				return len(found) <= s.limit
			})
		}
		if err != nil {
			if c.Context.Err() != nil {
				return c.Context.Err()
			}
			s.notRead = append(s.notRead, tip.Ref+": "+panelWords(err))
		}
		slices.Reverse(found)
		s.merge(found)
	}
	return nil
}

func logIsLeaf(leaf, name string) bool {
	want, err := lane.Leaf(name)
	return err == nil && leaf == want
}

func (s *logTale) wants(about logAbout) bool {
	if s.about.run != "" {
		return about.run == s.about.run
	}
	if about.lane == s.about.lane {
		return true
	}
	name, err := lane.Canonical(about.lane)
	return err == nil && name == s.about.lane
}

// ledgers adds the rows of all nodes.
func (s *logTale) ledgers(c *cli.Context, d *admit.Desk) error {
	var found []logEntry // of one node, oldest first
	node := ""
	l, err := panelRows(c, d, func(e ledger.Entry) bool {
		if e.Node != node {
			s.merge(found)
			found, node = nil, e.Node
		}
		if row, about := logRow(e); s.wants(about) {
			if found = append(found, row); len(found) > 2*s.limit {
				found, s.cut = slices.Clone(found[len(found)-s.limit:]), true
			}
		}
		return true
	})
	s.merge(found)
	for _, u := range l.NotRead {
		s.notRead = append(s.notRead, u.String())
	}
	return err
}

// merge puts entries of one ref, oldest first, among the others by time,
// without changing the order of either, and keeps the newest.
func (s *logTale) merge(more []logEntry) {
	old, all := s.entries, make([]logEntry, 0, len(s.entries)+len(more))
	for _, e := range more {
		for len(old) > 0 && !old[0].At.After(e.At) {
			all, old = append(all, old[0]), old[1:]
		}
		all = append(all, e)
	}
	all = append(all, old...)
	if n := len(all) - s.limit; n > 0 {
		all, s.cut = all[n:], true
	}
	s.entries = all
}

// logRecord reads an entry of a lane's chain.
func logRecord(t refstore.Tip) (logEntry, logAbout) {
	e := logEntry{At: t.Entry.At, Ref: t.Ref, Op: t.Entry.Op, Gen: t.Entry.Gen, ID: string(t.ID), Payload: t.Entry.Payload}
	var r lease.Record
	if err := json.Unmarshal(t.Entry.Payload, &r); err != nil {
		e.Text = "a record that this version cannot read"
		return e, logAbout{}
	}
	e.Lane, e.RunID, e.Node = r.Lane, r.RunID, r.Holder.Node
	words := []string{r.Holder.String()}
	if r.Unit != "" && r.Ship == nil {
		words = append(words, "unit "+r.Unit)
	}
	if r.Ship != nil && t.Entry.Op == lease.OpShip {
		words = append(words, verdict.Short(r.Ship.New))
		for _, u := range r.Ship.Units {
			words = append(words, u.Plan+"/"+u.Phase)
		}
	}
	if r.Operator != "" {
		words = append(words, "by "+r.Operator)
	}
	if r.Reason != "" {
		words = append(words, "("+r.Reason+")")
	}
	e.Text = strings.Join(words, "  ")
	return e, logAbout{r.Lane, r.RunID}
}

// logRow reads a row of a ledger.
func logRow(le ledger.Entry) (logEntry, logAbout) {
	e := logEntry{At: le.At, Ref: refstore.Ref("journal", le.Node), Op: le.Op, ID: string(le.ID), Seq: le.Seq, Node: le.Node, Payload: le.Payload}
	r, err := journal.Decode(le.Payload)
	about := logAbout{r.Lane, r.RunID} // as far as a row says that cannot be read
	e.Lane, e.RunID = r.Lane, r.RunID
	if errors.Is(err, journal.ErrNewer) {
		e.Text = "a row of a newer git-dos"
		return e, about
	}
	if err != nil {
		e.Text = "a row that cannot be read"
		return e, about
	}
	e.Text = logWords(r)
	return e, about
}

// logWords says what a row says, beyond its lane and its run.
func logWords(r journal.Row) string {
	var words []string
	add := func(label, value string) {
		if value = strings.TrimSpace(value); value != "" {
			words = append(words, label+verdict.Clip(value))
		}
	}
	add("", r.Owner)
	add("by ", r.Operator)
	add("unit ", r.Unit)
	add("seat ", r.Seat)
	add("", strings.Trim(r.Plan+"/"+r.Phase, "/"))
	add("goal: ", r.Goal)
	add("steps ", strings.Join(r.DeclaredSteps, ", "))
	add("step ", r.StepID)
	add("", verdict.Short(r.Sha))
	add("via ", r.Via)
	add("from ", verdict.Short(r.ResumeSha))
	add("left ", strings.Join(r.Residual, ", "))
	add("", r.Kind)
	add("", r.Verb)
	add("", r.Verdict)
	add("", r.Outcome)
	if r.Status != nil {
		add("status ", fmt.Sprint(*r.Status))
	}
	if r.PID > 0 {
		add("pid ", fmt.Sprint(r.PID))
	}
	add("handle ", r.Handle)
	add("decision ", r.ID)
	add("", r.Subject)
	add("", r.Target)
	add("", r.Ref)
	add("", r.ReasonClass)
	add("", r.Detail)
	if r.Reason != "" {
		add("(", r.Reason+")")
	}
	if r.Holder != nil && r.Op == journal.OpRefuse {
		add("held by ", lease.Holder{Node: r.Holder.Node, Owner: r.Holder.Owner}.String())
	}
	return strings.Join(words, "  ")
}

// commits adds those that name the run.
func (s *logTale) commits(c *cli.Context, d *admit.Desk) error {
	since := time.Time{}
	if len(s.entries) > 0 {
		since = s.entries[0].At
	}
	if ms, ok := runid.Decode(s.about.run); ok && (since.IsZero() || time.UnixMilli(ms).Before(since)) {
		since = time.UnixMilli(ms)
	}
	if since.IsZero() {
		return nil // nothing says when to begin to look
	}
	found, err := panelCommits(c.Context, d.Repo, since.Add(-time.Hour))
	if err != nil {
		if c.Context.Err() != nil {
			return c.Context.Err()
		}
		s.notRead = append(s.notRead, "commits: "+panelWords(err))
		return nil
	}
	var mine []logEntry
	for _, k := range slices.Backward(found) {
		if slices.Contains(k.runs, s.about.run) {
			mine = append(mine, logEntry{At: k.CommitTime.UTC(), Op: "COMMIT", ID: string(k.ID), RunID: s.about.run, Text: verdict.Short(string(k.ID)) + "  " + k.Subject()})
		}
	}
	slices.SortStableFunc(mine, func(a, b logEntry) int { return a.At.Compare(b.At) })
	s.merge(mine)
	return nil
}
