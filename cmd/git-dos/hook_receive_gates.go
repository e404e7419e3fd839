package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/gates"
	"github.com/git-dos/git-dos/internal/pushed"
	"github.com/git-dos/git-dos/internal/receive"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// receiveAsked are the gates that a server asks. LEASE_FENCE is none of them, since
// the law of lanes has it. Neither is UNGATED: a push does nothing wrong by what is
// on the trunk before it, and what it brings itself is judged here and now.
var receiveAsked = []hooks.Token{
	hooks.ScopeEscape, hooks.OffTrunk, hooks.FileAdmission, hooks.SecretShape, hooks.PublicLeak,
	hooks.FreshDeletion, hooks.BrokenLink, hooks.CommitMessage, hooks.ClaimUnwitnessed, hooks.WouldNotCompile,
}

// receiveGates asks the gates about what a push brings, of all its refs that are not
// git-dos's own: what a tag brings the trunk would not bring again.
func receiveGates(c *cli.Context, repo *refstore.Repo) receive.Gates {
	return func(ctx context.Context, by receive.Rules, p hooks.Push) receive.Gated {
		if err := receiveBuilds(repo, &by); err != nil {
			return receiveUnjudged(err)
		}
		h, err := pushed.Incoming(ctx, repo, p, by.Policy.Fleet.Prefix)
		if err != nil {
			return receiveUnjudged(err)
		}
		a := receiveAsk(c, repo, by, p)
		a.brought, a.history = h, h
		armed, err := a.gates()
		if err != nil {
			return receiveUnjudged(err)
		}
		g := receive.Gated{Results: hooks.Judge(ctx, p, h, armed, nil), Commits: len(h.IDs())}
		return receiveBrought(ctx, g, h)
	}
}

// receiveBuildSetting is where whoever keeps the repository says that nothing of a
// pusher's is to be run there, whatever the policy of the trunk builds.
const receiveBuildSetting = "dos.receiveBuild"

// receiveBuilds turns the gate off that runs a command, where it is not to run here.
func receiveBuilds(repo *refstore.Repo, by *receive.Rules) error {
	conf, err := repo.Config()
	if err != nil {
		return err
	}
	switch said := conf.Get(strings.ToLower(receiveBuildSetting)); strings.ToLower(said) {
	case "", "true":
	case "false":
		by.Policy.Gates.Modes = maps.Clone(by.Policy.Gates.Modes)
		by.Policy.Gates.Modes[hooks.WouldNotCompile.Name()] = policy.GateOff
	default:
		return fmt.Errorf("%s is %.40q: it is true or false", receiveBuildSetting, said)
	}
	return nil
}

// receiveAsk is a question about a repository that others push to: the trunk is its
// own, and nobody works in it.
func receiveAsk(c *cli.Context, repo *refstore.Repo, by receive.Rules, p hooks.Push) *hookAsk {
	a := &hookAsk{c: c, repo: repo, push: p}
	a.rules.Policy, a.rules.Trunk = by.Policy, facts.Trunk{Branch: by.Trunk, Ref: by.Trunk, ID: by.Tip}
	desk := &admit.Desk{Repo: repo, Rules: facts.Rules{Policy: by.Policy}}
	a.site = &gates.Site{
		Repo: repo, Gates: by.Policy.Gates, Trunk: a.rules.Trunk, Now: func() time.Time { return now(c) },
		Desk: func(context.Context) (*admit.Desk, error) { return desk, nil },
	}
	return a
}

// receiveBrought adds what receipts say: which refs bring commits, and what those
// stand on.
func receiveBrought(ctx context.Context, g receive.Gated, h *pushed.History) receive.Gated {
	if g.Commits == 0 {
		return g
	}
	base, err := h.Base(ctx)
	if err == nil {
		g.Tips, err = h.Tips(ctx)
	}
	if err != nil {
		g.Results = append(g.Results, hooks.CannotJudgeAll(err, nil))
		return g
	}
	g.Base = hookStrings(base)
	return g
}

func receiveUnjudged(err error) receive.Gated {
	return receive.Gated{Results: []hooks.Result{hooks.CannotJudgeAll(err, nil)}}
}

// hookLeash is who is bound to which lanes. On a server no worktree holds any: those
// bind that ride in the push.
func (a *hookAsk) hookLeash() hooks.Leash {
	if a.push.Hook == hooks.PreReceive || a.push.Hook == hooks.UpdateHook {
		return receiveLeash{a.hookSite()}
	}
	return a.hookSite()
}

type receiveLeash struct{ *gates.Site }

func (receiveLeash) Holds(context.Context, hooks.Push) ([]hooks.Hold, error) { return nil, nil }

func (receiveLeash) Staged(context.Context) (hooks.Touch, error) {
	return hooks.Touch{}, errors.New("nothing is staged where a push arrives")
}
