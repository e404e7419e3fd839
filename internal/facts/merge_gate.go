package facts

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/internal/shipindex"
	"github.com/git-dos/git-dos/kernel/audit"
	"github.com/git-dos/git-dos/kernel/mergegate"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// A MergeGateRequest asks whether a branch may be merged.
type MergeGateRequest struct {
	Branch string // any revision
	Into   string // what it is to be merged into, "" for the trunk

	NoSuite     bool // do not run the suite
	TestWitness bool // run it a second time, with the branch's tests alone
}

// A MergeGateError is a branch that there is nothing to judge of.
type MergeGateError struct {
	Err  error
	Hint string
}

func (e *MergeGateError) Error() string { return e.Err.Error() }
func (e *MergeGateError) Unwrap() error { return e.Err }

// MergeGate gathers the evidence on a branch: what its commits claim, whether
// the diffs and the history bear that out, and how the suite fares on what the
// merge would be. The rules and the suite's command are those of the dos.toml
// committed where the branch is to go, or the defaults where there is none; no
// dos.toml of the branch or of a work tree counts.
//
// What cannot be read is ancestry.ErrMissing or suite.ErrMissing: a part of the
// branch that nobody saw is not clean.
func MergeGate(ctx context.Context, repo *refstore.Repo, req MergeGateRequest) (mergegate.Evidence, error) {
	g := mergeGate{repo: repo, req: req}
	for _, step := range []func(context.Context) error{g.ends, g.related, g.range_, g.claims, g.runs} {
		if err := step(ctx); err != nil {
			return mergegate.Evidence{}, err
		}
	}
	return g.ev, nil
}

// mergeGate fills the evidence of one branch.
type mergeGate struct {
	repo  *refstore.Repo
	req   MergeGateRequest
	into  walked // with the policy committed there
	tip   refstore.OID
	base  refstore.OID
	rows  []shipindex.Row // the commits of the branch
	ships []gateShip      // what they say they ship
	ev    mergegate.Evidence
}

// ends resolves the two sides and reads the policy of the one.
func (g *mergeGate) ends(ctx context.Context) error {
	var err error
	if g.tip, err = ancestry.Resolve(ctx, g.repo.Git, g.req.Branch); err != nil {
		return err // who mistyped the branch hears of that first
	}
	if g.into, err = walkedRef(ctx, g.repo, g.req.Into); err != nil {
		return err
	}
	if g.into.id == "" {
		return &MergeGateError{Err: fmt.Errorf("%s has no commit to merge into", g.into.name)}
	}
	if err := g.trunkIsKnown(ctx); err != nil {
		return err
	}
	p, source, err := policyIn(ctx, g.repo, g.into.id)
	if err != nil {
		return err
	}
	if source == "" {
		p = policy.Default() // the work tree's may be the branch's own
	}
	g.into.policy = p
	name := ancestry.FullName(ctx, g.repo.Git, g.req.Branch)
	if name == "" {
		name = g.req.Branch
	}
	g.ev = mergegate.Evidence{
		Branch: name, CandidateID: string(g.tip), Into: g.into.name, IntoID: string(g.into.id), NoSuite: g.req.NoSuite,
	}
	return nil
}

// related finds where the branch left the other side.
func (g *mergeGate) related(ctx context.Context) error {
	out, err := g.repo.Git.Offline().Output(ctx, "merge-base", string(g.into.id), string(g.tip))
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case git.Code(err) == 1 && g.repo.Shallow:
		return fmt.Errorf("%w: where %s left %s is beyond the shallow edge", ancestry.ErrMissing, g.ev.Branch, g.ev.Into)
	case git.Code(err) == 1:
		return &MergeGateError{Err: fmt.Errorf("%s and %s have no commit in common", g.ev.Branch, g.ev.Into), Hint: "name the branch it is to be merged into with --into"}
	case git.Code(err) > 1:
		return fmt.Errorf("%w: %w", ancestry.ErrMissing, err)
	case err != nil:
		return err
	}
	base, ok := refstore.ParseOID(strings.TrimSuffix(string(out), "\n"))
	if !ok {
		return fmt.Errorf("%w: git merge-base named no commit", ancestry.ErrMissing)
	}
	if base == g.tip {
		return &MergeGateError{Err: fmt.Errorf("nothing to merge: %s already has %s", g.ev.Into, g.ev.Branch), Hint: "name a branch with commits of its own"}
	}
	g.base, g.ev.BaseID = base, string(base)
	return nil
}

// range_ reads every commit of the branch once, for its audit, the units it
// says it ships and what it takes back.
func (g *mergeGate) range_(ctx context.Context) error {
	commits, err := auditRange(ctx, g.repo, g.into.id, g.tip)
	if err != nil {
		return err
	}
	seen := func(yield func(ancestry.Commit, error) bool) {
		for c, err := range commits {
			if err == nil {
				g.consider(c)
			}
			if !yield(c, err) {
				return
			}
		}
	}
	for f, err := range AuditCommits(ctx, g.repo, false, seen) {
		if err != nil {
			return err
		}
		g.count(f)
	}
	return nil
}

func (g *mergeGate) consider(c ancestry.Commit) {
	g.ev.Commits++
	row := rowOf(c, g.into.policy.Stamp)
	g.rows = append(g.rows, row)
	for _, unit := range row.Units {
		g.ships = append(g.ships, gateShip{commit: string(c.ID), unit: unit})
	}
}

func (g *mergeGate) count(f audit.Finding) {
	a := &g.ev.Audit
	a.Commits++
	switch f.Outcome {
	case audit.OK:
		a.Witnessed++
	case audit.Abstain:
		a.Abstained++
	default:
		a.Unwitnessed++
		if len(a.Shas) < mergegate.MaxListed {
			a.Shas = append(a.Shas, f.Sha)
		}
	}
}

// floor is the least that a unit needs on a branch. The ledger's entry is
// written by the push that follows, so a floor of the ledger asks here for what
// that entry will be held against.
func (g *mergeGate) floor() (ship.Witness, error) {
	floor, err := ship.ParseFloor(g.into.policy.Verify.Floor)
	if err != nil {
		return "", fmt.Errorf("dos.toml: verify.%w", err)
	}
	if floor == ship.Ledger {
		floor = ship.Trailer
	}
	return floor, nil
}
