package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// maxPanelCommits bounds the commits that are looked at.
const maxPanelCommits = 5000

// A panelCommit is a commit of late, and the runs that its trailers name.
type panelCommit struct {
	ancestry.Commit
	runs  []string
	paths []string // filled in by panelPaths
}

// panelCommits are the newest commits dated no earlier than since, of all
// branches, remote ones too, and of the HEADs of all worktrees, newest first.
func panelCommits(ctx context.Context, repo *refstore.Repo, since time.Time) ([]*panelCommit, error) {
	ids, err := panelReached(ctx, repo, since, "--exclude=refs/dos/*", "--exclude=refs/stash", "--all")
	if err != nil {
		return nil, err
	}
	var all []*panelCommit
	for commit, err := range ancestry.Read(ctx, repo.Git, ids) {
		if err != nil {
			return nil, err
		}
		k := &panelCommit{Commit: commit}
		for _, t := range commit.Trailers() {
			if strings.EqualFold(t.Key, "Dos-Run") {
				k.runs = append(k.runs, strings.TrimSpace(t.Value))
			}
		}
		all = append(all, k)
	}
	return all, nil
}

// panelReached are the newest commits dated no earlier than since, by what git
// rev-list is to begin with.
func panelReached(ctx context.Context, repo *refstore.Repo, since time.Time, from ...string) ([]refstore.OID, error) {
	args := []string{"rev-list", "--date-order", fmt.Sprintf("--max-count=%d", maxPanelCommits), fmt.Sprintf("--since=@%d", max(since.Unix(), 0))}
	out, err := repo.Git.Output(ctx, append(append(args, from...), "--")...)
	if err != nil {
		return nil, err
	}
	var ids []refstore.OID
	for line := range strings.Lines(string(out)) {
		id, ok := refstore.ParseOID(strings.TrimSuffix(line, "\n"))
		if !ok {
			return nil, fmt.Errorf("git rev-list printed %.60q", line)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// panelPaths fills in what commits that name no run changed.
func panelPaths(ctx context.Context, repo *refstore.Repo, all []*panelCommit) error {
	byID := map[refstore.OID]*panelCommit{}
	var list []ancestry.Commit
	for _, k := range all {
		if len(k.runs) == 0 {
			byID[k.ID] = k
			list = append(list, k.Commit)
		}
	}
	if len(list) == 0 {
		return nil
	}
	for change, err := range ancestry.Changed(ctx, repo.Git, list...) {
		if err != nil {
			return err
		}
		if k := byID[change.Commit]; k != nil && !slices.Contains(k.paths[max(0, len(k.paths)-1):], change.Path) {
			k.paths = append(k.paths, change.Path)
		}
	}
	return nil
}
