package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/gates"
	"github.com/git-dos/git-dos/internal/pushed"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A hookAsk is one question to the gates.
type hookAsk struct {
	c         *cli.Context
	repo      *refstore.Repo
	rules     facts.GatePolicy
	push      hooks.Push
	history   hooks.History
	brought   *pushed.History // of a push
	overrides []hooks.Override
	leakGates []hooks.Gate
	scanned   chan struct{} // closed once they have scanned
	site      *gates.Site   // see hookSite
	past      *hookPast     // nil where UNGATED is not asked

	unread []hooks.Result // what all gates need and cannot be read
}

// hookOpen opens the repository that git runs the hook in, and reads the policy
// that is in force. The environment of an agent that works elsewhere has no say
// in which repository that is. What is to be read besides is read meanwhile.
func hookOpen(c *cli.Context, p hooks.Push, overrides []hooks.Override, meanwhile ...func(*refstore.Repo)) (*hookAsk, error) {
	repo, err := refstore.Open(c.Context, firstOf(c.String("workspace"), "."))
	if err != nil {
		return nil, repoError(err)
	}
	a := &hookAsk{c: c, repo: repo, push: p, overrides: overrides}
	var others sync.WaitGroup
	for _, read := range meanwhile {
		others.Go(func() { read(repo) })
	}
	defer others.Wait()
	a.rules, err = facts.LoadGatePolicy(c.Context, repo)
	if err != nil && !hookBegins(p, err) {
		a.fail(fmt.Errorf("the policy on the trunk: %w", err))
	}
	a.push.Trunk = a.rules.Trunk.Branch
	if p.Hook == hooks.PrePush && a.rules.Policy.Gates.Mode(hooks.Ungated.Name()) != policy.GateOff {
		a.past = a.lookBack()
	}
	return a, nil
}

// hookBegins reports whether a push makes the very trunk that cannot be found
// for its policy: of a remote that has nothing yet nothing can be read, and the
// defaults hold.
func hookBegins(p hooks.Push, err error) bool {
	var trunk *facts.TrunkError
	if !errors.As(err, &trunk) || len(p.Updates) == 0 {
		return false
	}
	unknown := errors.Is(err, facts.ErrNoTrunk)
	begins := false
	for _, u := range p.Updates {
		if !u.Creates() {
			return false
		}
		begins = begins || u.Ref == trunk.Unfetched || unknown
	}
	return begins
}

// fail notes what no gate can judge without.
func (a *hookAsk) fail(err error) {
	a.unread = append(a.unread, hooks.CannotJudgeAll(err, a.overrides))
}

// judge runs the gates, records what was let through and what passed, and
// answers.
func (a *hookAsk) judge() error {
	if err := a.c.Context.Err(); err != nil {
		return context.Cause(a.c.Context)
	}
	results := a.unread
	if a.history != nil {
		armed, err := a.gates()
		if err != nil {
			a.fail(err)
			results = a.unread
		}
		stop := hookProgress(a.c, a.push.Hook, progressDelay())
		results = append(results, hooks.Judge(a.c.Context, a.push, a.history, armed, a.overrides)...)
		stop()
		if a.c.Context.Err() != nil {
			return context.Cause(a.c.Context)
		}
	}
	if a.repo.Shallow {
		hookDeepen(results)
	}
	v := hookVerdictOf(a.push, results)
	v.Policy, v.Digest = a.rules.Source, a.rules.Digest
	if a.brought != nil {
		v.Commits = len(a.brought.IDs())
	}
	a.record(&v)
	return hookAnswer(a.c, v)
}

// hookDeepen says what brings a shallow clone the history that could not be read.
func hookDeepen(results []hooks.Result) {
	for _, r := range results {
		for i, f := range r.Findings {
			if f.Token == hooks.CannotJudge && strings.Contains(f.Reason, ancestry.ErrMissing.Error()) {
				r.Findings[i].Fix = "this clone is shallow, and git fetch --unshallow brings the rest of its history"
			}
		}
	}
}
