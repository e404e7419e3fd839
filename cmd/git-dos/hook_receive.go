package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/receive"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// The outcomes of a push where it arrives, beside those of every hook.
const (
	hookLetIn    = "overridden"
	hookRecorded = "recorded"
)

// A receiveAnswer is what a push comes to where it arrives.
type receiveAnswer struct {
	Outcome  string            `json:"outcome"`
	Hook     string            `json:"hook"`
	Refs     int               `json:"refs"`
	Trunk    string            `json:"trunk,omitempty"`
	Commits  int               `json:"commits"`
	Findings []receive.Finding `json:"findings"`
	Warnings []receive.Finding `json:"warnings"`
	Gates    []hooks.Result    `json:"gates"`
	Override *receive.Override `json:"override,omitempty"`
	Note     string            `json:"note,omitempty"` // why it will have no receipt
}

var _ verdict.Verdict = receiveAnswer{}

// ExitCode implements [verdict.Verdict].
func (a receiveAnswer) ExitCode() int {
	switch a.Outcome {
	case hookPassed, hookLetIn:
		return verdict.Yes
	case hookRefused:
		return hookGated
	}
	return verdict.NoVerdict
}

func (a receiveAnswer) String() string {
	var b strings.Builder
	receiveLines(&b, a.Findings, "")
	receiveLines(&b, a.Warnings, "warning: ")
	refusing := hookResultLines(&b, a.Gates)
	if len(a.Findings) > 0 {
		refusing = append([]string{a.Findings[0].Token}, refusing...)
	}
	switch {
	case a.Outcome == hookRefused:
		fmt.Fprintf(&b, "git-dos: the push is refused, all of it\n")
		fmt.Fprintf(&b, "git-dos: whoever keeps the repository may let one through, once, which is recorded: git config %s '%s: REASON'\n", receive.OverrideSetting, refusing[0])
	case a.Override != nil:
		fmt.Fprintf(&b, "git-dos: let through by the repository's override: %s: %s\n", a.Override.Token, a.Override.Reason)
	}
	if a.Note != "" {
		fmt.Fprintf(&b, "git-dos: it will have no receipt: %s\n", a.Note)
	}
	return b.String()
}

func receiveLines(b *strings.Builder, found []receive.Finding, what string) {
	for _, f := range found {
		fmt.Fprintf(b, "git-dos: %s%s", what, f.Token)
		if f.Ref != "" {
			fmt.Fprintf(b, " %s", printable(f.Ref, false))
		}
		if f.Path != "" {
			fmt.Fprintf(b, " %q", f.Path)
		}
		fmt.Fprintf(b, ": %s\n  fix: %s\n", printable(f.Reason, false), f.Fix)
	}
}

// hookPreReceive judges a push that has arrived, all of it.
func hookPreReceive(c *cli.Context, args []string) error {
	in, err := hookInput(c, hooks.PreReceive)
	if err != nil {
		return err
	}
	p, err := hooks.ParseReceive(hooks.PreReceive, args, in)
	if err != nil {
		return err
	}
	return hookJudge(c, p)
}

// hookOneRef judges one ref of a push, for a host that runs no other hook.
func hookOneRef(c *cli.Context, args []string) error {
	p, err := hooks.ParseUpdate(args)
	if err != nil {
		return err
	}
	return hookJudge(c, p)
}

func hookJudge(c *cli.Context, p hooks.Push) error {
	hookOfServer()
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	req := receive.Request{Hook: p.Hook, Updates: p.Updates, Gates: receiveGates(c, repo)}
	stop := hookProgress(c, p.Hook, progressDelay())
	r := receive.Judge(c.Context, repo, req)
	stop()
	if c.Context.Err() != nil {
		return context.Cause(c.Context)
	}
	a := receiveAnswer{Outcome: hookPassed, Hook: p.Hook, Refs: len(p.Updates), Trunk: r.Trunk, Commits: r.Gated.Commits, Override: r.Override}
	a.Findings, a.Warnings = append([]receive.Finding{}, r.Refused...), append([]receive.Finding{}, r.Warned...)
	a.Gates = append([]hooks.Result{}, r.Gated.Results...)
	switch {
	case len(r.Refusing()) > 0:
		a.Outcome = hookRefused
		return hookAnswer(c, a)
	case r.Override != nil:
		a.Outcome = hookLetIn
	}
	if err := receive.Note(c.Context, repo, req, r); err != nil {
		a.Note = err.Error()
	}
	return hookAnswer(c, a)
}

// A receiptAnswer is what was written of a push that has landed.
type receiptAnswer struct {
	Outcome    string   `json:"outcome"`
	Hook       string   `json:"hook"`
	Node       string   `json:"node,omitempty"`
	Receipts   int      `json:"receipts"`
	Overrides  int      `json:"overrides"`
	Unreceived []string `json:"unreceived"` // branches that moved and that no pre-receive judged
}

var _ verdict.Verdict = receiptAnswer{}

// ExitCode implements [verdict.Verdict].
func (a receiptAnswer) ExitCode() int { return verdict.Yes }

func (a receiptAnswer) String() string {
	var b strings.Builder
	for _, ref := range a.Unreceived {
		fmt.Fprintf(&b, "git-dos: no receipt for %s: no pre-receive hook of git dos judged it\n", printable(ref, false))
	}
	return b.String()
}

// hookPostReceive writes the receipts of a push that has landed.
func hookPostReceive(c *cli.Context, args []string) error {
	in, err := hookInput(c, hooks.PostReceive)
	if err != nil {
		return err
	}
	p, err := hooks.ParseReceive(hooks.PostReceive, args, in)
	if err != nil {
		return err
	}
	hookOfServer()
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	done, err := receive.Landed(c.Context, repo, p.Updates, loginName(), now(c))
	if err != nil {
		return errorf(kindStore, "the push has landed, and its receipt is not written: %w", err).hint("git dos doctor in the repository that was pushed to")
	}
	a := receiptAnswer{Outcome: hookRecorded, Hook: p.Hook, Node: done.Node, Receipts: done.Receipts, Overrides: done.Overrides, Unreceived: append([]string{}, done.Unreceived...)}
	return hookAnswer(c, a)
}

// hookOfServer drops the settings that a pusher on the same machine brings along:
// what is judged here is the repository's own.
func hookOfServer() {
	for _, name := range os.Environ() {
		if name, _, _ = strings.Cut(name, "="); strings.HasPrefix(name, "GIT_DOS_") && !strings.HasPrefix(name, "GIT_DOS_NOW") || name == "DISPATCH_HOST_ID" || name == "DISPATCH_WORKSPACE" {
			_ = os.Unsetenv(name)
		}
	}
}
