package gates

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// Arrivals tells which paths one of the newest commits of the trunk added, and
// that the trunk still has. The trunk is as it stands on the side that receives
// it, where the push moves it, and else as it is known here.
func (s *Site) Arrivals(ctx context.Context, p hooks.Push, paths []string) (map[string]hooks.Arrival, error) {
	trunk := s.trunkBefore(p)
	if trunk == "" {
		return nil, nil
	}
	commits, err := s.newest(ctx, trunk)
	if err != nil {
		return nil, err
	}
	asked := map[string]bool{}
	for _, path := range paths {
		asked[path] = true
	}
	came := map[string]hooks.Arrival{}
	for c, err := range ancestry.Changed(ctx, s.Repo.Git.Offline(), commits...) {
		if err != nil {
			return nil, fmt.Errorf("what the trunk's newest commits added: %w", err)
		}
		if asked[c.Path] && c.OldMode == absent {
			a := came[c.Path]
			a.Commits = append(a.Commits, string(c.Commit))
			came[c.Path] = a
		}
	}
	return s.still(ctx, trunk, came)
}

const absent = "000000"

// trunkBefore is the trunk's tip before the push, "" where it has none.
func (s *Site) trunkBefore(p hooks.Push) refstore.OID {
	if u, ok := p.MovesTrunk(); ok {
		return refstore.OID(u.Old)
	}
	return s.Trunk.ID
}

// newest are the newest commits of a history.
func (s *Site) newest(ctx context.Context, tip refstore.OID) (commits []ancestry.Commit, err error) {
	for c, err := range ancestry.Walk(s.Repo.Git.Offline(), tip).ByDate().Commits(ctx) {
		if err != nil {
			return nil, fmt.Errorf("the trunk at %s: %w", tip.Short(), err)
		}
		if commits = append(commits, c); len(commits) == hooks.FreshWindow {
			break
		}
	}
	return commits, nil
}

// maxAsked is how many paths one git is asked about.
const maxAsked = 500

// still keeps what a commit has, with its content.
func (s *Site) still(ctx context.Context, at refstore.OID, came map[string]hooks.Arrival) (map[string]hooks.Arrival, error) {
	there := map[string]hooks.Arrival{}
	var paths []string
	for path := range came {
		paths = append(paths, path)
	}
	run := s.Repo.Git.Offline().With("GIT_LITERAL_PATHSPECS=1")
	for some := range slices.Chunk(paths, maxAsked) {
		out, err := run.Output(ctx, append([]string{"ls-tree", "-z", "--full-tree", string(at), "--"}, some...)...)
		if err != nil {
			return nil, ancestry.Unreadable(ctx, "the files of "+at.Short(), err)
		}
		for record := range strings.SplitSeq(string(out), "\x00") {
			f, path, ok := cutEntry(record)
			a, asked := came[path]
			if !ok || !asked || f.kind == "tree" {
				continue
			}
			a.Blob = f.id
			there[path] = a
		}
	}
	return there, nil
}
