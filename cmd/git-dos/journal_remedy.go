package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// A journalBad is a node of which something cannot be read, and what to do.
type journalBad struct {
	panelUnread
	Rows   uint64 `json:"rows_above,omitempty"` // that can be read, and are given up with it
	Remedy string `json:"remedy"`
}

// journalBadOf finds the remedy of a node. No row that can be read is given up but
// those above one that cannot, and none that a newer git-dos can read.
func journalBadOf(ctx context.Context, d *admit.Desk, remotes []*refstore.Remote, e *ledger.NodeError) (journalBad, error) {
	b := journalBad{panelUnread: panelUnreadOf(e), Rows: e.Rows}
	switch {
	case errors.Is(e.Err, ledger.ErrVersion), errors.Is(e.Err, refstore.ErrFormat):
		b.Remedy = "update git-dos: a newer one wrote it, and what it says is not guessed; git dos version shows this one's"
		return b, nil
	case errors.Is(e.Err, ledger.ErrForked):
		b.Remedy = "git config --unset dos.node, or another GIT_DOS_NODE, gives this clone a name of its own; then git dos sync"
		return b, nil
	case journalWhole(e):
		b.Remedy = "nothing is damaged: the entry is no row, and every other row of the node is read; git dos journal tail --node " + e.Node + " shows it"
		return b, nil
	}
	g, err := ledger.GiveUp(ctx, d.Repo, remotes, e)
	if err != nil {
		return b, panelError(err)
	}
	b.Remedy = journalPart(ctx, d, remotes, e, g) + journalGiveUp(e, g)
	return b, nil
}

// journalPart is what to do about a part before anything is given up.
func journalPart(ctx context.Context, d *admit.Desk, remotes []*refstore.Remote, e *ledger.NodeError, g ledger.GivingUp) (text string) {
	if !e.Part {
		return ""
	}
	for _, r := range remotes {
		if r.Name() == g.Remote {
			text = fmt.Sprintf("git fetch --refetch %s %s (git 2.36 or newer) brings a lost part again. ", r.Name(), r.ServerRef(e.Ref))
		}
	}
	where := ""
	if own, err := d.LookNode(ctx); err != nil || own.Copied || own.ID != e.Node {
		where = ", in the clone of node " + e.Node + ","
	}
	return text + "git dos journal compact" + where + " makes a checkpoint anew and loses no row, once a row stands above this one. " +
		"Only where that fails is anything given up, and an older checkpoint may lack the same part. "
}

func journalGiveUp(e *ledger.NodeError, g ledger.GivingUp) string {
	if len(g.Commands) == 0 {
		return "git fsck tells whether an object is damaged; another clone may have what is missing below refs/dos/at"
	}
	text := "git fsck tells whether an object is damaged. If no clone can read it, an operator gives it up"
	if e.Rows > 0 {
		text += fmt.Sprintf(", and the %s above it", verdict.Count(int(e.Rows), "row"))
	}
	if !e.Good.Sure {
		text += fmt.Sprintf(". What stands below it is a guess by what is left (look at git log %s)", e.Good.ID)
	}
	if g.Remote != "" {
		text += fmt.Sprintf(". %s has it too, so that every other clone answers LOST_STATE until the second command has run there as well", g.Remote)
	}
	return text + ": " + g.String()
}

// journalBadNodes names each ledger and record once, however much of it is bad.
func journalBadNodes(all []journalBad) (names []string) {
	for _, b := range all {
		if name := b.Node + " (" + b.Ref + ")"; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// journalFailure is the error of what cannot be read, with the first remedy.
func journalFailure(bad []*ledger.NodeError, all []journalBad) error {
	e := asCmdError(journalUnread(bad))
	if e == nil {
		return nil
	}
	hint := all[0].Remedy
	if len(all) > 1 {
		hint = fmt.Sprintf("of %s, where --json has a remedy for each of %d: %s", all[0].Ref, len(all), hint)
	}
	return e.hint("%s", hint)
}

// A journalAside is what this clone wrote under a name that it has given up, and
// what keeps it out of the way or gives it up.
type journalAside struct {
	Node   string `json:"node"`
	Ref    string `json:"ref"`
	ID     string `json:"id"`
	Rows   uint64 `json:"rows"` // that are here alone
	Remote string `json:"remote"`
	Tip    string `json:"tip"` // what counts, as the remote has it
	Keep   string `json:"keep"`
	Drop   string `json:"drop"`
	words  string
}

func (a journalAside) String() string {
	return "set aside: " + a.Ref + " " + a.words + "\n  keep: " + a.Keep + "\n  drop: " + a.Drop
}

// journalAsides finds what is set aside. Two ledgers of one node are told by
// whoever reads them.
func journalAsides(ctx context.Context, d *admit.Desk, nodes []string, remotes []*refstore.Remote) (all []journalAside, err error) {
	found, err := ledger.Asides(ctx, d.Repo, nodes, remotes)
	var forked *ledger.UnreadError
	if err != nil && !errors.As(err, &forked) {
		return nil, panelError(err)
	}
	for _, a := range found {
		all = append(all, journalAside{a.Node, a.Ref, string(a.ID), a.Rows, a.Remote, string(a.Tip), a.Keep(), a.Drop(), a.String()})
	}
	return all, nil
}
