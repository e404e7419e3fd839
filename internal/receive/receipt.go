package receive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// A Receipts is what was written of a push that has landed.
type Receipts struct {
	Node       string // whose ledger they are in: this repository's own
	Receipts   int    // GATE rows
	Overrides  int    // OVERRIDE rows
	Unreceived []string
}

// Landed writes the receipts of a push to this repository's own ledger: a GATE row
// for every branch that moved, or ref that brought commits, and was judged before, and an OVERRIDE row for what an
// override let through, which is used up by that. Branches that nobody judged have
// none, and are named. who is the account that the push was made by.
func Landed(ctx context.Context, repo *refstore.Repo, updates []hooks.Update, who string, at time.Time) (Receipts, error) {
	var r Receipts
	var rows []ledger.Row
	var errs []error
	var used *Override
	for _, u := range updates {
		n, ok, err := take(repo, u)
		switch {
		case err != nil:
			errs = append(errs, err)
		case ok && n.Override != nil:
			used = n.Override
			rows = append(rows, overrideRow(u, n, who, at))
			r.Overrides++
		}
		if u.Deletes() || !u.IsBranch() && !n.Gated {
			continue
		}
		if !ok || n.Tree == "" {
			r.Unreceived = append(r.Unreceived, u.Ref)
			continue
		}
		rows = append(rows, receiptRow(u, n, at))
		r.Receipts++
	}
	if len(rows) == 0 {
		return r, errors.Join(errs...)
	}
	desk := &admit.Desk{Repo: repo}
	if err := desk.EnsureNode(ctx); err != nil {
		return Receipts{Unreceived: r.Unreceived}, errors.Join(append(errs, err)...)
	}
	r.Node = desk.Node
	if _, err := ledger.Append(ctx, repo, r.Node, rows...); err != nil {
		return Receipts{Node: r.Node, Unreceived: r.Unreceived}, errors.Join(append(errs, err)...)
	}
	if used != nil {
		errs = append(errs, useUp(ctx, repo, *used))
	}
	return r, errors.Join(errs...)
}

// What a receipt says.
const (
	passed   = "passed"   // gates judged what the ref brings, as at a client
	accepted = "accepted" // the push was taken, and hooks audit looks for another receipt
)

// receiptRow is the receipt of one ref.
func receiptRow(u hooks.Update, n note, at time.Time) journal.Row {
	v, _ := json.Marshal(n.Verdicts) // words
	row := journal.Row{Op: journal.OpGate, At: at, Ref: u.Ref, Sha: n.Commit, Tree: n.Tree, Digest: n.Policy, Verb: "hook " + hooks.PreReceive, Verdict: accepted, Verdicts: v}
	switch {
	case n.Gated:
		row.Verdict, row.Base = passed, n.Base
	case u.Old != "":
		row.Base = []string{u.Old}
	}
	return row
}

func overrideRow(u hooks.Update, n note, who string, at time.Time) journal.Row {
	return journal.Row{
		Op: journal.OpOverride, At: at, Kind: hooks.PreReceive, Owner: who, ReasonClass: n.Override.Token, Reason: n.Override.Reason,
		Ref: u.Ref, Sha: u.New, StartSha: u.Old,
	}
}

// useUp takes an override out of the settings, which may hold another by now.
func useUp(ctx context.Context, repo *refstore.Repo, o Override) error {
	_, err := repo.Git.Output(ctx, "config", "--local", "--unset", OverrideSetting, "^"+quoted(o.Token)+"[[:space:]]*:")
	if err != nil {
		return fmt.Errorf("the override is recorded and stands still: git config --unset %s: %w", OverrideSetting, err)
	}
	return nil
}

// quoted is a token as a regular expression that matches it alone.
func quoted(token string) string {
	var out []byte
	for _, b := range []byte(token) {
		if !slices.Contains([]byte("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), b) {
			out = append(out, '.')
			continue
		}
		out = append(out, b)
	}
	return string(out)
}
