package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/refstore"
)

// panelTime is how long a row or a beat may take against other writers.
const panelTime = 10 * time.Second

// panelUnreached adds to an error of a remote what can be answered without it.
func panelUnreached(err error) error {
	e := asCmdError(panelError(err))
	if e == nil || e.Kind != kindStore || !admit.Unreachable(err) {
		return panelError(err)
	}
	return e.hint("check the network; --cached answers from what was last seen")
}

// panelError gives an error of the ledgers its kind and hint.
func panelError(err error) error {
	var store *admit.StoreError
	var outcome *refstore.OutcomeError
	var lost *refstore.LostStateError
	switch {
	case err == nil, asCmdError(err) != nil:
		return err
	case errors.As(err, &store), errors.Is(err, context.Canceled):
		return deskError(err)
	case errors.As(err, &lost):
		return errorf(kindStore, "%w", err).hint("git dos sync shows what is gone, git dos sync --republish gives back what this clone last saw")
	case errors.Is(err, ledger.ErrVersion), errors.Is(err, refstore.ErrFormat):
		return errorf(kindStore, "%w", err).hint("a newer git-dos wrote it: git dos version shows this one's; what it says is not guessed")
	case errors.Is(err, refstore.ErrBroken), errors.Is(err, ledger.ErrRecord), errors.Is(err, ledger.ErrForked):
		return errorf(kindStore, "%w", err).hint("git dos journal check names the last entry of each node that can be read")
	case errors.As(err, &outcome), errors.Is(err, context.DeadlineExceeded):
		return errorf(kindStore, "%w", err).hint("another git-dos may be in the way: try again, or see git dos doctor")
	}
	return deskError(err)
}

// A panelUnread is a node that could not be read in full. Nothing follows about
// it, and least of all that it has nothing.
type panelUnread struct {
	Node    string `json:"node"`
	Ref     string `json:"ref"`
	ID      string `json:"id,omitempty"`        // what cannot be read
	Good    string `json:"last_good,omitempty"` // the newest entry below it that can
	GoodSeq uint64 `json:"last_good_seq,omitempty"`
	Why     string `json:"why"`
}

func panelUnreadOf(e *ledger.NodeError) panelUnread {
	u := panelUnread{Node: e.Node, Ref: e.Ref, ID: string(e.ID), Why: panelWords(e.Err)}
	if e.Good != nil {
		u.Good, u.GoodSeq = string(e.Good.ID), e.Good.Seq
	}
	return u
}

// panelWords is an error on one line of bounded length.
func panelWords(err error) string {
	const most = 500
	words := printable(strings.Join(strings.Fields(err.Error()), " "), false)
	if len(words) > most {
		words = strings.ToValidUTF8(words[:most], "") + "..."
	}
	return words
}

func (u panelUnread) String() string {
	text := u.Ref + ": " + u.Why
	if u.Good != "" {
		text += fmt.Sprintf("; the last entry that can be read is %s (seq %d)", u.Good, u.GoodSeq)
	}
	return text
}

// panelSeen is the part of an answer that says as of when a fleet was seen.
type panelSeen struct {
	AsOf *time.Time `json:"as_of,omitempty"`

	from string // the fleet's remote, "" without one
}

func panelSeenAt(d *admit.Desk, asOf time.Time) panelSeen {
	if d.Remote() == "" {
		return panelSeen{}
	}
	asOf = asOf.UTC().Truncate(time.Second)
	return panelSeen{&asOf, d.Remote()}
}

func (s panelSeen) line() string {
	if s.AsOf == nil {
		return ""
	}
	return seenAs(*s.AsOf, s.from)
}

// panelDesk opens the workspace, maybe the fleet's hub, for a verb that reads leases,
// ledgers and nodes.
func panelDesk(c *cli.Context) (*admit.Desk, error) { return lifeDesk(c, admit.OpenHub) }

// lifeDesk opens the workspace with the refs of leases, ledgers and nodes read ahead.
func lifeDesk(c *cli.Context, open deskOpener) (*admit.Desk, error) {
	repo, err := refstore.OpenAhead(c.Context, workspace(c), refstore.Ahead{Kinds: admit.LifeKinds()})
	if err != nil {
		return nil, repoError(err)
	}
	return deskOf(c, repo, open)
}

// panelBook opens the workspace and reads what its ledgers and nodes tell of what
// it is going to be asked for.
func panelBook(c *cli.Context, asks ...life.Ask) (*life.Book, error) {
	d, err := panelDesk(c)
	if err != nil {
		return nil, err
	}
	b, err := life.Open(c.Context, d, c.Bool("cached"), asks...)
	if err != nil {
		return nil, panelUnreached(err)
	}
	return b, nil
}

// panelLedgers is the part of an answer that says which ledgers it is made of.
type panelLedgers struct {
	NotRead []panelUnread `json:"not_read,omitempty"` // ledgers that could not be read; nothing in the answer is theirs
	panelSeen
}

func (l panelLedgers) text() string {
	var b strings.Builder
	for _, u := range l.NotRead {
		b.WriteString("\nnot read: " + u.String())
	}
	return b.String() + l.line()
}

// panelRows visits every row of all ledgers, those of one node after those of
// another, the oldest first. Of a ledger that cannot be read nothing is visited.
func panelRows(c *cli.Context, d *admit.Desk, visit func(ledger.Entry) bool) (panelLedgers, error) {
	remotes, err := d.Mirrors(c.Context, c.Bool("cached"))
	if err != nil {
		return panelLedgers{}, panelUnreached(err)
	}
	report, err := ledger.Read(c.Context, d.Repo, ledger.Query{Remotes: remotes, History: true, Oldest: true}, visit)
	l := panelLedgers{panelSeen: panelSeenAt(d, report.AsOf)}
	var unread *ledger.UnreadError
	switch {
	case errors.As(err, &unread):
		for _, e := range unread.Nodes {
			l.NotRead = append(l.NotRead, panelUnreadOf(e))
		}
	case err != nil:
		return l, panelError(err)
	}
	return l, nil
}

// panelNotRead is the error of an answer that would be empty because something
// could not be read.
func panelNotRead(what string, all []panelUnread) error {
	var words []string
	for _, u := range all[:min(len(all), 20)] {
		words = append(words, u.String())
	}
	return errorf(kindStore, "%s; not read: %s", what, firstOf(strings.Join(words, "; "), "rows that are none")).
		hint("git dos journal check names what cannot be read, and the last entry that can")
}

// panelNodes are the node records of a book that cannot be read.
func panelNodes(b *life.Book) (all []*ledger.NodeError) {
	for _, e := range b.Unread {
		if name, _ := refstore.SplitRef(e.Ref); name.Kind == "node" {
			all = append(all, e)
		}
	}
	return all
}

// panelComplete reports whether nothing is left of what a run declared.
func panelComplete(ctx context.Context, b *life.Book, id string) (bool, error) {
	r, err := b.Run(ctx, id)
	if err != nil {
		return false, err
	}
	ev, err := r.Resume(ctx, false)
	if err != nil {
		return false, err
	}
	return resume.Decide(ev).Outcome == resume.Complete, nil
}
