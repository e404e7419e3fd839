package setup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/policy"
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
		x.fleet(ctx, rules)
	case !usable: // said already
	case errors.As(err, &bad):
		x.problems("the trunk's dos.toml", bad)
	case errors.Is(err, facts.ErrNoFleetRemote):
		x.add(Check{ID: "FLEET", Severity: Error, Detail: err.Error(), Remedy: "git config dos.remote NAME"})
	default:
		c := Check{ID: "TRUNK", Severity: Error, Detail: err.Error()}
		var t *facts.TrunkError
		if errors.As(err, &t) {
			c.Remedy = t.Hint
		}
		x.add(c)
	}
}

// ownPolicy reports whether the dos.toml here can be used.
func (x *examiner) ownPolicy(ctx context.Context) bool {
	data, found, err := x.readPolicy(ctx)
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

func (x *examiner) readPolicy(ctx context.Context) (data []byte, found bool, err error) {
	if x.repo.WorkTree != "" {
		f, err := readFile(filepath.Join(x.repo.WorkTree, policyName))
		return f.data, f.exists, err
	}
	_, data, err = x.repo.FileAt(ctx, "HEAD", policyName)
	if errors.Is(err, refstore.ErrNoCommit) || errors.Is(err, refstore.ErrNoFile) {
		return nil, false, nil
	}
	return data, err == nil, err
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
		x.add(Check{ID: id, Severity: Error, Target: r.Remote, Detail: err.Error(), Remedy: "git remote add " + quote(r.Remote) + " URL, or git config dos.remote NAME"})
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
}

func hintOf(err error) string {
	var s *admit.StoreError
	if errors.As(err, &s) {
		return s.Hint
	}
	return ""
}
