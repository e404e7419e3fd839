package setup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// policy reports what is wrong with dos.toml, all of it, and which rules
// admissions follow.
func (x *examiner) policy(ctx context.Context) {
	usable := x.ownPolicy(ctx)
	rules, err := facts.LoadRules(ctx, x.repo)
	var bad policy.Errors
	switch {
	case err == nil:
		x.facts(ctx, rules)
		x.trunk(rules)
		x.apart(ctx, rules)
		x.fleet(ctx, rules)
	case !usable: // said already
	case errors.As(err, &bad):
		x.problems("the trunk's dos.toml", bad)
	case errors.Is(err, facts.ErrNoFleetRemote):
		x.hub(ctx)
	case x.noSuchRemote(): // of whose trunk nothing can be known
	default:
		c := Check{ID: "TRUNK", Severity: Error, Detail: err.Error()}
		var t *facts.TrunkError
		if errors.As(err, &t) {
			c.Remedy = t.Hint
		}
		x.add(c)
	}
}

// hub reports that no remote is named for the fleet, which is right in its hub alone.
func (x *examiner) hub(ctx context.Context) {
	d, err := admit.OpenHub(ctx, x.repo, x.now)
	if err != nil {
		x.add(Check{ID: "FLEET", Severity: Error, Detail: err.Error(), Remedy: "git config dos.remote NAME"})
		return
	}
	x.trunk(d.Rules)
	x.add(Check{ID: "FLEET", Severity: OK, Detail: "this is the hub of " + d.Rules.Policy.Fleet.ID + ": what the fleet decides by is kept here"})
}

// noSuchRemote reports whether the remote that is named for the fleet is not there.
func (x *examiner) noSuchRemote() bool {
	conf, err := x.repo.Config()
	if err != nil {
		return false // said elsewhere
	}
	name := cmp.Or(os.Getenv("GIT_DOS_REMOTE"), conf.Get("dos.remote"))
	if name == "" || slices.Contains(conf.Remotes(), name) {
		return false
	}
	x.add(Check{ID: "FLEET", Severity: Error, Target: name, Detail: "it is named for the fleet's, and there is no such remote",
		Remedy: "git remote add " + verdict.ShellWord(name) + " URL, or git config dos.remote NAME"})
	return true
}

// ownPolicy reports whether the dos.toml here can be used.
func (x *examiner) ownPolicy(ctx context.Context) bool {
	data, found, err := facts.PolicyText(ctx, x.repo)
	if err != nil {
		x.unknown("POLICY", err)
		return false
	}
	if !found {
		c := Check{ID: "POLICY", Severity: Info, Target: policyName, Detail: "there is none here"}
		if x.repo.WorkTree != "" {
			c.Remedy = "git dos init"
		}
		x.add(c)
		return true
	}
	p, err := policy.Parse(data)
	var bad policy.Errors
	if errors.As(err, &bad) {
		x.problems(policyName, bad)
		return false
	}
	if err != nil {
		x.unknown("POLICY", err)
		return false
	}
	x.add(Check{ID: "POLICY", Severity: OK, Target: policyName, Detail: "declares " + some(p.Roster())})
	for _, key := range p.Ignored {
		x.add(Check{ID: "IGNORED_KEY", Severity: Info, Target: policyName, Line: key.Line, Detail: key.Key + " is accepted and has no effect"})
	}
	return true
}

func (x *examiner) problems(where string, bad policy.Errors) {
	for _, e := range bad {
		x.add(Check{ID: "POLICY", Severity: Error, Target: where, Line: e.Line, Detail: e.Message, Remedy: e.Hint})
	}
}

func (x *examiner) trunk(r facts.Rules) {
	switch t := r.Trunk; {
	case t.Branch == "":
		x.add(Check{ID: "TRUNK", Severity: Warn, Detail: "HEAD is detached and dos.toml names no trunk", Remedy: "git switch BRANCH, or set [trunk] ref in dos.toml"})
	case t.ID == "":
		x.add(Check{ID: "TRUNK", Severity: Info, Target: t.Branch, Detail: "has no commit yet"})
	default:
		x.add(Check{ID: "TRUNK", Severity: OK, Target: t.Ref, Detail: "at " + t.ID.Short() + "; rules from " + r.Source})
	}
}

// apart reports that lanes are decided here by another dos.toml than the trunk's.
// That happens without a fleet, where each work tree's own copy counts.
func (x *examiner) apart(ctx context.Context, r facts.Rules) {
	if r.Remote != "" || x.repo.WorkTree == "" || r.Trunk.ID == "" {
		return
	}
	const id = "POLICY_APART"
	own, found, err := facts.PolicyText(ctx, x.repo)
	if err != nil {
		return // said already
	}
	_, trunk, err := x.repo.FileAt(ctx, string(r.Trunk.ID), policyName)
	c := Check{ID: id, Severity: Warn, Target: policyName, Remedy: "git diff " + verdict.ShellWord(r.Trunk.Short()) + " -- :/" + policyName}
	switch missing := errors.Is(err, refstore.ErrNoFile); {
	case err != nil && !missing:
		x.unknown(id, err)
		return
	case missing && !found, !missing && found && sameText(own, trunk):
		return
	case missing:
		c.Severity, c.Detail, c.Remedy = Info, "is not on "+r.Trunk.Short()+" yet: work trees without it have other lanes", "git add "+policyName+", and commit it"
	case !found:
		c.Detail = "is on " + r.Trunk.Short() + " and not here, where the defaults decide"
	default:
		c.Detail = "differs from the one on " + r.Trunk.Short() + ", and without a fleet this one decides here: other work trees may have other lanes"
	}
	x.add(c)
}

// sameText compares two texts but for the ends of their lines, which git may
// write in a work tree as the system has them.
func sameText(a, b []byte) bool {
	return bytes.Equal(bytes.ReplaceAll(a, []byte("\r\n"), []byte("\n")), bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")))
}

// fleet reports who decides, from what was last seen of the remote.
func (x *examiner) fleet(ctx context.Context, r facts.Rules) {
	const id = "FLEET"
	if r.Remote == "" {
		c := Check{ID: id, Severity: Info, Detail: "none: this repository decides its own lanes"}
		if conf, err := x.repo.Config(); err == nil && unshared(conf.Remotes()) != "" {
			c.Detail = "none: " + unshared(conf.Remotes())
		}
		x.add(c)
		return
	}
	a, err := x.repo.Remote(r.Remote, r.Policy.Fleet.Prefix)
	if err != nil {
		x.add(Check{ID: id, Severity: Error, Target: r.Remote, Detail: err.Error(), Remedy: "git remote add " + verdict.ShellWord(r.Remote) + " URL, or git config dos.remote NAME"})
		return
	}
	seen := a.LastFetch()
	if seen.IsZero() {
		x.add(Check{ID: id, Severity: Warn, Target: r.Remote, Detail: "fleet " + r.Policy.Fleet.ID + "; the remote has not been read yet", Remedy: "git dos lease live"})
		return
	}
	desk, err := admit.Open(ctx, x.repo, x.now)
	if err == nil {
		_, err = desk.Leases(ctx, true)
	}
	if errors.Is(err, admit.ErrNotInitialised) || errors.Is(err, admit.ErrWrongFleet) {
		x.add(Check{ID: id, Severity: Error, Target: r.Remote, Detail: err.Error(), Remedy: hintOf(err)})
		return
	}
	x.add(Check{ID: id, Severity: OK, Target: r.Remote, Detail: fmt.Sprintf("fleet %s, as seen at %s; the remote was not asked now", r.Policy.Fleet.ID, seen.UTC().Format(time.RFC3339))})
	x.mirror(ctx, a)
	if err == nil {
		x.delegations(ctx, desk)
	}
	x.ledgers(ctx, a)
}

func hintOf(err error) string {
	var s *admit.StoreError
	if errors.As(err, &s) {
		return s.Hint
	}
	return ""
}
