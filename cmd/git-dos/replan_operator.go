package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/replan"
	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// replanLeases are the caller's leases that are in force: those this worktree
// took, and those of the nonce that it states.
func replanLeases(c *cli.Context, b *life.Book) ([]replan.Lease, error) {
	d := b.Desk
	held, err := d.RecallAll()
	if err != nil {
		return nil, environmentf("%w", err)
	}
	nonce := firstOf(c.String("nonce"), os.Getenv("GIT_DOS_NONCE"))
	if nonce != "" {
		reading, err := b.Leases(c.Context)
		if err != nil {
			return nil, deskError(err)
		}
		for _, r := range reading.Lanes {
			if r.Nonce == nonce && !r.Delegate {
				held = append(held, admit.Held{Lane: r.Lane, Nonce: nonce})
			}
		}
	}
	var leases []replan.Lease
	seen := map[string]bool{}
	for _, h := range held {
		if seen[h.Lane] {
			continue
		}
		seen[h.Lane] = true
		now, _, err := d.Lease(c.Context, h.Lane, true)
		if err != nil {
			warn(c, "lane %s: %v", h.Lane, err)
			continue
		}
		if now != nil && now.Nonce == h.Nonce && now.Display(d.Now()) == string(lane.Held) {
			leases = append(leases, replanLease(*now))
		}
	}
	return leases, nil
}

func replanLease(r lease.Record) replan.Lease {
	name := fmt.Sprintf("%s@%d", r.Lane, r.Gen)
	if r.UnderGen > 0 {
		name = fmt.Sprintf("%s@%d.%d", r.Lane, r.UnderGen, r.Gen)
	}
	return replan.Lease{Lane: r.Lane, Tree: r.Tree, Note: worktree.Note{Lease: name, Run: r.RunID, Worker: firstEnv("FLEET_WORKER_ID")}}
}

// A replanItem is something that needs an operator.
type replanItem struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	Reason  string `json:"reason"`
	Command string `json:"command"`
}

// The kinds of what a look itself needs an operator for.
const (
	replanUnread  = "UNREAD"
	replanUnknown = "INDETERMINATE"
	replanStale   = "STALE-STAMP"
)

// replanShown is how many things that need an operator are named.
const replanShown = 2

// replanDecisions are what waits for a decision, in the order of the list.
func replanDecisions(l decisionsView) (items []replanItem) {
	if len(l.Entries) == 0 && l.ExitCode() == verdict.NoVerdict {
		return []replanItem{{replanUnread, "decisions", "what needs a decision cannot be told: " + l.Unread[0], "git dos journal check"}}
	}
	for _, e := range l.Entries {
		items = append(items, replanItem{string(e.Kind), firstOf(e.Lane, e.RunID, e.ID), firstOf(e.Text, e.Token), firstOf(e.Command, "git dos decisions show "+e.ID)})
	}
	return items
}

// operator adds what the look itself needs an operator for, and keeps the first
// few.
func (r replanned) operator(pages []replan.Page) (items []replanItem, more int) {
	items = r.items
	for _, u := range r.found.Unknown {
		items = append(items, replanItem{replanUnknown, u.Name, "whether it shipped cannot be told: " + u.Reason, "git dos verify " + verdict.ShellWord(u.Plan) + " " + verdict.ShellWord(u.Phase)})
	}
	for _, p := range pages {
		why, wrong := p.Why, 0
		for _, m := range p.Rows {
			if m.Why != "" {
				wrong++
			}
			if m.Why != "" && why == "" {
				why = fmt.Sprintf("line %d: %s", m.Line, m.Why)
			}
		}
		if p.Why != "" || wrong > 0 {
			items = append(items, replanItem{replanStale, p.File, why, r.remedy(p)})
		}
	}
	more = max(0, len(items)-replanShown)
	return items[:len(items)-more], more
}

// remedy is what to do about a document that was not stamped: take a lane that
// covers it, where there is one, else one for the occasion.
func (r replanned) remedy(p replan.Page) string {
	file := verdict.ShellWord(p.File)
	switch {
	case p.Why == "":
		return "git dos plan --check -- " + file
	case !p.Bare:
		return "git status -- " + file
	}
	rules := r.book.Desk.Rules.Policy
	for _, name := range rules.Roster() {
		if tree := rules.Tree(name); !rules.Exclusive(name) && lane.NewScope(tree).Contains(p.File) {
			return "git dos lease acquire " + verdict.ShellWord(name) + " && git dos replan"
		}
	}
	if strings.ContainsAny(p.File, "*?[]{}\\!") { // a tree would read it as a pattern
		return "git dos plan --check -- " + file
	}
	return "git dos lease acquire --lane plans --tree " + file + " && git dos replan"
}
