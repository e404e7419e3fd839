package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/agent"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// An agentSite is the worktree that an agent works in.
type agentSite struct {
	c    *cli.Context
	repo *refstore.Repo
	desk *admit.Desk
}

// hookAgentDir is where the agent stands: as the user says, else as the event
// does.
func hookAgentDir(c *cli.Context, call agent.Call) string {
	if c.IsSet("workspace") || call.Cwd == "" {
		return workspace(c)
	}
	return call.Cwd
}

// hookAgentSite opens the repository of dir or, where that is in none, of the
// paths, for one who goes on to read the lanes and look. It is nil where they are
// in none either: there is nothing to hold then.
func hookAgentSite(c *cli.Context, dir string, paths []string, look refstore.Ahead) (*agentSite, error) {
	look.Kinds = admit.LaneKinds()
	dirs := []string{dir}
	for _, p := range paths {
		if filepath.IsAbs(p) {
			dirs = append(dirs, nearestDir(p))
		}
	}
	for _, dir := range dirs {
		repo, err := refstore.OpenAhead(c.Context, dir, look)
		if errors.Is(err, refstore.ErrNoRepository) {
			if err := hookAgentUnused(c.Context, dir); err != nil {
				return nil, err
			}
			continue
		} else if err != nil {
			return nil, repoError(err)
		}
		d, err := deskOf(c, repo, admit.OpenToLook)
		return &agentSite{c, repo, d}, err
	}
	return nil, nil
}

// hookAgentUnused is an error where there is a .git above dir that git does not use: it
// is damaged, or another user's. Leases that cannot be read are not none.
func hookAgentUnused(ctx context.Context, dir string) error {
	at, err := filepath.Abs(dir)
	if err != nil {
		return environmentf("%w", err)
	}
	for {
		_, err := os.Lstat(filepath.Join(at, ".git"))
		switch {
		case err == nil:
			if _, err = refstore.Open(ctx, at); err != nil {
				return environmentf("%s is there, and %w", filepath.Join(at, ".git"), err).hint("put it right, or away if it is of no repository")
			}
			return nil // which git does not look for from dir
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return environmentf("look for a repository: %w", err)
		}
		up := filepath.Dir(at)
		if up == at {
			return nil
		}
		at = up
	}
}

// held is what is held, as it was last seen.
func (s *agentSite) held() (agent.Held, error) {
	records, mine, lost, err := s.leases()
	h := agent.Held{Lost: lost}
	for _, r := range records {
		h.Lanes = append(h.Lanes, agent.Lane{
			Name: r.Lane, Tree: r.Tree, Holder: r.Holder.String(), Mine: mine[r.Nonce], Lapsed: r.Lapsed(now(s.c)),
			Unit: r.Unit, Renewed: r.RenewedAt, TTL: time.Duration(r.TTL) * time.Second,
		})
	}
	return h, err
}

// leases are the records of what is held or parked, which of them are the
// agent's by their nonces, and the lanes it took and does not have any more.
func (s *agentSite) leases() (records []lease.Record, mine map[string]bool, lost []string, err error) {
	all, err := s.desk.Occupied(s.c.Context, true)
	if err != nil {
		return nil, nil, nil, deskError(err)
	}
	remembered, err := s.desk.RecallAll()
	if err != nil {
		return nil, nil, nil, environmentf("%w", err)
	}
	mine = map[string]bool{}
	if nonce := os.Getenv("GIT_DOS_NONCE"); nonce != "" {
		mine[nonce] = true
	}
	for _, h := range remembered {
		mine[h.Nonce] = true
	}
	has := map[string]bool{}
	for _, r := range all {
		if (r.State == lane.Held || r.State == lane.Parked) && !lane.Reserved(r.Lane) {
			records = append(records, r)
			has[r.Nonce] = true
			if i := slices.IndexFunc(remembered, func(h admit.Held) bool { return h.Lane == r.Lane && h.Under != "" && h.Under == r.Nonce }); i >= 0 && r.State == lane.Parked && !r.Delegate {
				mine[r.Nonce], has[remembered[i].Nonce] = true, true // parked, it went on with the nonce of its delegation
			}
		}
	}
	for _, h := range remembered {
		if !has[h.Nonce] && !lane.Reserved(h.Lane) {
			lost = append(lost, h.Lane)
		}
	}
	if nonce := os.Getenv("GIT_DOS_NONCE"); nonce != "" && !has[nonce] {
		lost = append(lost, firstOf(os.Getenv("GIT_DOS_LEASE"), "of GIT_DOS_NONCE"))
	}
	return records, mine, lost, nil
}

// finishes looks at what git shows of each lane of the agent. The rules are read
// beside the leases: who took none has nothing to finish, and reads neither.
func (s *agentSite) finishes() (ends []agent.Finish, err error) {
	remembered, err := s.desk.RecallAll()
	if err != nil {
		return nil, environmentf("%w", err)
	}
	if len(remembered) == 0 && os.Getenv("GIT_DOS_NONCE") == "" {
		return nil, nil
	}
	opened := sync.OnceValues(func() (*admit.Desk, error) { return admit.Open(s.c.Context, s.repo, time.Now) })
	go opened()
	records, mine, _, err := s.leases()
	if err != nil {
		return nil, err
	}
	records = slices.DeleteFunc(records, func(r lease.Record) bool { return !mine[r.Nonce] || r.State != lane.Held })
	if len(records) == 0 {
		return nil, nil
	}
	desk, err := opened()
	if err != nil {
		return nil, deskError(err)
	}
	for _, r := range records {
		f, err := s.finish(r, desk)
		if err != nil {
			return nil, err
		}
		ends = append(ends, f)
	}
	return ends, nil
}

// finish looks at one lane: its files and its unit at once, as each takes git as
// long as the other.
func (s *agentSite) finish(r lease.Record, desk *admit.Desk) (agent.Finish, error) {
	ctx, cancel := context.WithCancel(s.c.Context)
	defer cancel()
	f := agent.Finish{Lane: r.Lane, Unit: r.Unit}
	shipped := make(chan agent.Finish, 1)
	go func(f agent.Finish) {
		if f.Unit != "" {
			s.shipped(ctx, desk, &f)
		}
		shipped <- f
	}(f)
	left, err := s.uncommitted(r, desk.Rules.Policy)
	if err != nil || len(left) > 0 {
		cancel()
		<-shipped
		f.Left = left
		return f, err
	}
	return <-shipped, nil
}

// uncommitted lists what of a lane is not committed.
func (s *agentSite) uncommitted(r lease.Record, p policy.Policy) (left []string, err error) {
	if s.repo.WorkTree == "" || len(r.Tree) == 0 {
		return nil, nil
	}
	t, err := worktree.Look(s.c.Context, s.repo)
	if err != nil {
		return nil, scopeError(err)
	}
	ev := scope.CleanEvidence{Lane: r.Lane, Tree: r.Tree, Scratch: append(slices.Clone(p.Clean.Scratch), p.Paths.NextPackets+"/**", p.Paths.Runs+"/**")}
	if ev.Uncommitted, err = t.Uncommitted(s.c.Context, ev.Matters()); err != nil {
		return nil, scopeError(err)
	}
	for _, l := range scope.DecideClean(ev).Paths {
		left = append(left, l.Path)
	}
	return left, nil
}

// shipped asks what git dos verify says of the unit. What cannot be told is said
// to be unknown.
func (s *agentSite) shipped(ctx context.Context, desk *admit.Desk, f *agent.Finish) {
	plan, phase, ok := splitUnit(f.Unit)
	if f.Unknown = !ok; !ok {
		return
	}
	floor, _ := ship.ParseFloor("") // that of dos.toml
	q := &shipQuestion{repo: s.repo, lent: desk, req: facts.ShipRequest{Plan: plan, Phase: phase, ShipScope: facts.ShipScope{Floor: floor}}}
	a, err := q.ask(ctx)
	f.Unknown = err != nil || a.Outcome == ship.Indeterminate
	f.Shipped, f.Why = err == nil && a.Outcome == ship.Shipped, a.Reason
}
