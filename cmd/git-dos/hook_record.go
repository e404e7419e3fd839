package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/internal/pushed"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// record writes down what a human let through, without which it does not pass,
// and then the receipts of a push that passes.
func (a *hookAsk) record(v *hookVerdict) {
	used := hooks.Used(v.Gates, a.overrides)
	receipts := v.Outcome == hookPassed && a.brought != nil && len(a.brought.IDs()) > 0
	if len(used) == 0 && !receipts {
		return
	}
	d, owner, err := a.desk()
	if err == nil && len(used) > 0 {
		err = d.Journal(a.c.Context, a.overrideRows(v, used, owner)...)
	}
	if err != nil {
		v.Unwritten = fmt.Sprintf("nothing could be recorded in the ledger of this node: %v", err)
		if len(used) > 0 {
			v.Unwritten += "; no override counts"
			v.Gates = hooks.Withdraw(v.Gates)
			v.decide()
		}
		return
	}
	v.Overrides = append(v.Overrides, used...)
	if receipts {
		if v.Receipts, err = a.receipts(d, v, owner); err != nil {
			v.Receipts = []string{}
			v.Unwritten = fmt.Sprintf("the receipt of the gates could not be recorded, and git dos hooks audit will ask for it: %v", err)
		}
	}
}

// desk is what writes to this node's ledger, and who works here.
func (a *hookAsk) desk() (*admit.Desk, string, error) {
	d := &admit.Desk{Repo: a.repo, Now: func() time.Time { return now(a.c) }, Rules: facts.Rules{Policy: a.rules.Policy, Remote: a.rules.Remote}}
	if err := d.EnsureNode(a.c.Context); err != nil {
		return nil, "", err
	}
	owner, err := ownerName(a.c, d)
	return d, owner, err
}

// maxListed bounds the commits that one row lists.
const maxListed = 500

func (a *hookAsk) overrideRows(v *hookVerdict, used []hooks.Override, owner string) (rows []journal.Row) {
	for _, o := range used {
		row := journal.Row{
			Op: journal.OpOverride, Owner: owner, ReasonClass: string(o.Token), Reason: o.Reason, Verb: "hook " + v.Hook,
			Target: a.push.Remote, Digest: a.rules.Digest,
		}
		if len(a.push.Updates) > 0 {
			row.Ref, row.Sha = a.push.Updates[0].Ref, a.push.Updates[0].New
		}
		for _, r := range v.Gates {
			if r.Outcome != hooks.Overridden || r.Findings[0].Token != o.Token {
				continue
			}
			for _, f := range r.Findings {
				if f.Commit != "" && !slices.Contains(row.Commits, f.Commit) && len(row.Commits) < maxListed {
					row.Commits = append(row.Commits, f.Commit)
				}
			}
			row.Detail = r.Findings[0].Reason
		}
		rows = append(rows, row)
	}
	return rows
}

// receipts writes a GATE row for each tip that brings commits, unless this node
// has one of that tip for that remote already.
func (a *hookAsk) receipts(d *admit.Desk, v *hookVerdict, owner string) (tips []string, err error) {
	remote, err := pushed.RemoteName(a.repo, a.push)
	if err != nil {
		return nil, err
	}
	base, err := a.brought.Base(a.c.Context)
	switch {
	case err != nil:
		return nil, err
	case len(base) > maxListed:
		return nil, fmt.Errorf("the push stands on %d commits, more than the %d that a row can name; push its branches one by one", len(base), maxListed)
	}
	results, err := hookOutcomes(v.Gates)
	if err != nil {
		return nil, err
	}
	var rows []journal.Row
	for c, err := range a.brought.Commits(a.c.Context) {
		if err != nil {
			return nil, err
		}
		ref, isTip := a.brought.Ref(c.ID)
		if !isTip {
			continue
		}
		row := journal.Row{
			Op: journal.OpGate, Owner: owner, Sha: c.ID, Tree: c.Tree, Base: hookStrings(base), Ref: ref, Target: remote,
			Verb: "hook " + v.Hook, Verdict: v.Outcome, Digest: a.rules.Digest, Verdicts: results,
		}
		had, err := hookHas(a, d.Node, row)
		if err != nil {
			return nil, err
		}
		if tips = append(tips, c.ID); !had {
			rows = append(rows, row)
		}
	}
	return tips, d.Journal(a.c.Context, rows...)
}

func hookStrings(ids []refstore.OID) (words []string) {
	for _, id := range ids {
		words = append(words, string(id))
	}
	return words
}

// hookOutcomes is what each gate came to, as a row has it.
func hookOutcomes(results []hooks.Result) (json.RawMessage, error) {
	all := map[string]string{}
	for _, r := range results {
		all[string(r.Token)] = r.Outcome
	}
	return json.Marshal(all)
}

// recentRows is how far back a receipt is looked for where the ledgers were not
// read already.
const recentRows = 1000

// hookHas reports whether this node's ledger has the receipt: git runs the hook
// once for each address of a remote.
func hookHas(a *hookAsk, node string, want journal.Row) (found bool, err error) {
	same := func(had journal.Row) bool {
		return had.Sha == want.Sha && had.Target == want.Target && had.Digest == want.Digest && had.Verb == want.Verb &&
			string(had.Verdicts) == string(want.Verdicts) && slices.Equal(had.Base, want.Base)
	}
	if a.past != nil && a.past.err == nil {
		return slices.ContainsFunc(a.past.receipts.rows, func(had journal.Row) bool { return had.From == node && same(had) }), nil
	}
	seen := 0
	_, err = ledger.Read(a.c.Context, a.repo, ledger.Query{Nodes: []string{node}}, func(e ledger.Entry) bool {
		seen++
		if e.Op == journal.OpGate {
			had, err := journal.Decode(e.Payload)
			found = err == nil && same(had)
		}
		return !found && seen < recentRows
	})
	return found, err
}
