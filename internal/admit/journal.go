package admit

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// A Row is one entry of a node's journal.
type Row struct {
	V           int           `json:"v"`
	Op          string        `json:"op"`
	Seq         uint64        `json:"seq"` // place in the node's journal, from 1
	At          time.Time     `json:"at"`
	Lane        string        `json:"lane,omitempty"`
	Owner       string        `json:"owner,omitempty"`
	RunID       string        `json:"run_id,omitempty"`
	Operator    string        `json:"operator,omitempty"`
	ReasonClass string        `json:"reason_class,omitempty"`
	Reason      string        `json:"reason,omitempty"`
	Holder      *lease.Holder `json:"holder,omitempty"` // who stood in the way

	Scavenged []lease.Taken `json:"scavenged,omitempty"` // what an operator's force ended
}

// Ops of a node's journal.
const (
	OpRefuse   = "REFUSE"   // an acquire was refused
	OpOverride = "OVERRIDE" // an acquire was forced
)

// Journal appends a row to this node's journal, in this repository.
func (d *Desk) Journal(ctx context.Context, row Row) error {
	ctx, cancel := context.WithTimeoutCause(ctx, localTime, errTimeUp)
	defer cancel()
	target := refstore.Ref("journal", d.Node)
	_, err := d.Repo.Update(ctx, d.Repo.Local(), refstore.Query{Kinds: []string{"journal"}}, func(s refstore.Snapshot) ([]refstore.Write, error) {
		tip := s.Tip(target)
		if tip.Err != nil {
			return nil, tip.Err
		}
		seq, err := nextSeq(tip)
		if err != nil {
			return nil, err
		}
		row.V, row.Seq, row.At = lease.Version, seq, d.Now().UTC().Truncate(time.Second)
		payload, err := json.Marshal(row)
		return []refstore.Write{{Ref: target, Entry: refstore.Entry{Op: row.Op, Payload: payload, At: row.At}}}, err
	})
	if err != nil {
		return d.storeError(err)
	}
	d.compactJournal(ctx, target, row.Seq)
	return nil
}

// nextSeq counts from the tip; a checkpoint carries the number on.
func nextSeq(tip refstore.Tip) (uint64, error) {
	if tip.ID == "" {
		return 1, nil
	}
	var last Row
	if err := json.Unmarshal(tip.Entry.Payload, &last); err != nil {
		return 0, fmt.Errorf("%w: %s: %w", refstore.ErrBroken, tip.Ref, err)
	}
	return last.Seq + 1, nil
}

// compactJournal adds a checkpoint after every retention.journal_max_entries
// rows, so that reading the journal stays cheap however long it grows. The row
// is in either way; a checkpoint that fails is made up for by the next.
func (d *Desk) compactJournal(ctx context.Context, target string, seq uint64) {
	every := uint64(max(d.Rules.Policy.Retention.JournalMaxEntries, 1))
	if seq%every != 0 {
		return
	}
	_, _ = d.Repo.Compact(ctx, d.Repo.Local(), target, d.Now(), func(tip refstore.Tip) (uint64, []byte) {
		return 0, tip.Entry.Payload // the last row: it carries the number on
	})
}

// Journals calls visit with every row of every node's journal kept in this
// repository, newest first within one.
func (d *Desk) Journals(ctx context.Context, visit func(refstore.Tip) bool) error {
	s, err := d.Repo.Local().Read(ctx, refstore.Query{Kinds: []string{"journal"}})
	if err != nil {
		return d.storeError(err)
	}
	for _, tip := range s.List("journal") {
		if tip.Err != nil {
			return d.storeError(tip.Err)
		}
		if err := d.Repo.Chain(ctx, tip.Ref, tip.ID, visit); err != nil {
			return d.storeError(err)
		}
	}
	return nil
}
