package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/board"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/refstore"
)

// maxBoardEntries bounds the entries of chains that are read for a board. Each chain
// has the same part of them, and those that are longer share what others leave.
const maxBoardEntries = 100000

// A boardChain is a chain, as far as it was read.
type boardChain struct {
	ref, leaf string
	name      string       // of its lane, "" where its ref names none
	next      refstore.OID // the entry to go on with
	steps     []board.Step // newest first
	older     int          // entries in a row that are from before the time that is shown
	more      bool         // there are entries of that time that were not read
	err       error        // why it cannot be read further
}

// chains adds who had the lanes, by the chains here and those that the remote was last
// seen to have.
func (b *boardBook) chains(c *cli.Context, d *admit.Desk) error {
	remotes, err := d.Mirrors(c.Context, true)
	if err != nil {
		return panelUnreached(err)
	}
	q := refstore.Query{Kinds: []string{"lane"}}
	seen, err := d.Repo.Local().Read(c.Context, q)
	if err != nil {
		return panelError(err)
	}
	tips := seen.List("lane")
	for _, r := range remotes {
		there, err := r.Cached(c.Context, q)
		if err != nil {
			return panelError(err)
		}
		tips = append(tips, there.List("lane")...)
	}
	all := make([]*boardChain, len(tips))
	for i, tip := range tips {
		all[i] = boardChainOf(tip)
	}
	if err := b.readChains(c.Context, d.Repo, all); err != nil {
		return err
	}
	b.addChains(all)
	return nil
}

func boardChainOf(tip refstore.Tip) *boardChain {
	name, _ := refstore.SplitRef(tip.Ref)
	ch := &boardChain{ref: tip.Ref, leaf: name.Leaf, next: tip.ID, more: true}
	if ch.name, ch.err = lane.Chain(name.Leaf); ch.err == nil {
		ch.err = tip.Err
	}
	return ch
}

// readChains reads chains, no more than most entries of all of them.
func (b *boardBook) readChains(ctx context.Context, repo *refstore.Repo, all []*boardChain) error {
	left := b.most
	for range 2 {
		open := slices.DeleteFunc(slices.Clone(all), func(ch *boardChain) bool { return ch.err != nil || !ch.more })
		for i, each := 0, left/max(len(open), 1); i < len(open); i++ {
			left -= b.read(ctx, repo, open[i], each)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// read goes on with a chain for at most so many entries, and returns how many there
// were.
func (b *boardBook) read(ctx context.Context, repo *refstore.Repo, ch *boardChain, most int) (n int) {
	ch.more = false
	ch.err = repo.Chain(ctx, ch.ref, ch.next, func(t refstore.Tip) bool {
		if n == most {
			ch.more, ch.next = ch.older == 0, t.ID
			return false
		}
		n++
		in := !t.Entry.At.Before(b.data.Since)
		if in || ch.older == 0 {
			ch.steps = board.Before(ch.steps, b.step(ch.name, t))
		}
		if in {
			ch.older = 0
			return true
		}
		ch.older++
		return ch.older < boardOlder
	})
	return n
}

// addChains adds what was read of chains, and says of which there is more.
func (b *boardBook) addChains(all []*boardChain) {
	cut := map[string]bool{}
	for _, ch := range all {
		if ch.err != nil {
			b.unread(ch.ref + ": " + panelWords(ch.err))
		}
		name := firstOf(ch.name, ch.leaf)
		if ch.err == nil && ch.more {
			cut[name] = true
		}
		slices.Reverse(ch.steps)
		for about, spans := range board.Timeline(ch.steps, b.data.Since, b.data.At, ch.err != nil || ch.more, name) {
			b.spans[about] = append(b.spans[about], spans...)
		}
	}
	b.data.CutLanes = len(cut)
}
