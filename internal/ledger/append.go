package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// perMove is how many entries one move of a ref may add.
const perMove = 4

// Appended says where rows stand now.
type Appended struct {
	First, Last uint64       // their places, 0 when there are none
	Tip         refstore.OID // the entry of the last
}

// Append adds rows to the ledger of a node in this repository, in their order
// and on top of whatever other processes have added. Nothing is added to a
// ledger whose newest entry, or the one below it, cannot be read or is not
// numbered rightly: nobody would get to read it. Up to four go in together
// or not at all. Of more, each four do: with an error, the result says how far
// it came.
func Append(ctx context.Context, repo *refstore.Repo, node string, rows ...Row) (Appended, error) {
	var done Appended
	target, err := refOf(journalKind, node)
	if err != nil {
		return done, err
	}
	all := make([]pending, len(rows))
	for i, row := range rows {
		o, op, at, err := rowObject(row)
		if err != nil {
			return done, fmt.Errorf("row %d for %s: %w", i+1, target, err)
		}
		all[i] = pending{o, op, at}
	}
	for len(all) > 0 {
		n := min(len(all), perMove)
		first, tip, err := appendSome(ctx, repo, target, all[:n])
		if err != nil {
			return done, fmt.Errorf("append to %s: %w", target, err)
		}
		if done.First == 0 {
			done.First = first
		}
		done.Last, done.Tip = first+uint64(n)-1, tip
		all = all[n:]
	}
	return done, nil
}

// A pending row has all but its place.
type pending struct {
	row Object
	op  string
	at  time.Time
}

// appendSome adds rows in one move.
func appendSome(ctx context.Context, repo *refstore.Repo, target string, rows []pending) (first uint64, tip refstore.OID, err error) {
	c := &commits{repo: repo}
	defer c.close()
	u, err := repo.Update(ctx, repo.Local(), refstore.Query{Kinds: []string{journalKind}}, func(s refstore.Snapshot) ([]refstore.Write, error) {
		last, err := c.lastOf(ctx, s.Tip(target))
		if err != nil {
			return nil, err
		}
		first = last + 1
		return entries(target, first, rows)
	})
	if err != nil {
		return 0, "", err
	}
	if len(u.Wrote) != 1 {
		return 0, "", errors.New("nothing was written")
	}
	// A try that was given up for lost may have won after all: what counts is
	// the seq of the entry that stands.
	if tip = u.Wrote[0].New; u.Seen.Tip(target).ID == u.Wrote[0].Expect {
		return first, tip, nil
	}
	err = repo.Chain(ctx, target, tip, func(t refstore.Tip) bool {
		var e Entry
		if e, err = entryOf(t); err == nil {
			first = e.Seq + 1 - uint64(len(rows))
		}
		return false
	})
	return first, tip, err
}

func entries(target string, seq uint64, rows []pending) (writes []refstore.Write, err error) {
	for i, p := range rows {
		row := p.row.clone()
		row.Set("seq", fmt.Append(nil, seq+uint64(i)))
		payload, err := row.Encode()
		if err != nil {
			return nil, err
		}
		writes = append(writes, refstore.Write{Ref: target, Entry: refstore.Entry{Op: p.op, Payload: payload, At: p.at}})
	}
	return writes, nil
}

// lastOf is the place of the last row at or below a tip, 0 where there is none
// yet. A checkpoint carries the number on.
func (c *commits) lastOf(ctx context.Context, tip refstore.Tip) (uint64, error) {
	if tip.Err != nil || tip.ID == "" {
		return 0, tip.Err
	}
	e, err := entryOf(tip)
	if err != nil {
		return 0, err
	}
	n := numbering{}
	if _, err = n.next(tip); err == nil {
		err = n.end(e, tip)
	}
	if err != nil || tip.Parent == "" {
		return e.Seq, err
	}
	below, err := c.entry(ctx, tip.Ref, tip.Parent)
	if err == nil {
		_, err = n.next(below)
	}
	return e.Seq, err
}
