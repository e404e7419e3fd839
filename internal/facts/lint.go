package facts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// Lint is what there is to say of the dos.toml that somebody is working on: the
// work tree's, in a bare repository HEAD's. Nothing is decided by it where a
// fleet's trunk has another. Of a file with errors only those are told. The
// findings are sorted, and never nil; a file that cannot be read is an error.
func Lint(ctx context.Context, repo *refstore.Repo) ([]lane.Finding, error) {
	f, err := ownFile(ctx, repo, policyFile)
	if err != nil {
		return nil, fmt.Errorf("read dos.toml: %w", err)
	}
	if f.source == "" {
		return lintNothing(), nil
	}
	p, err := policy.Parse(f.data)
	var bad policy.Errors
	switch {
	case errors.As(err, &bad):
		return lintErrors(bad), nil
	case err != nil:
		return nil, fmt.Errorf("read dos.toml: %w", err)
	}
	files, err := tracked(ctx, repo)
	if err != nil {
		return nil, err
	}
	found := slices.Concat(lintKeys(p), lintLanes(p), lintNames(p), lintTrees(p, files), lane.LintPlanNumbers(plansAmong(files, p.Paths.PlansGlob)))
	lane.SortFindings(found)
	return found, nil
}

// tracked lists the paths of the files that are in the index, in a bare
// repository those in HEAD.
func tracked(ctx context.Context, repo *refstore.Repo) (files []string, err error) {
	if repo.WorkTree != "" {
		out, err := repo.Git.Output(ctx, "ls-files", "-z", "--full-name", "--", ":/")
		if err != nil {
			return nil, fmt.Errorf("list the tracked files: %w", err)
		}
		files = strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
		return slices.Compact(files), nil // one in conflict is listed several times
	}
	head, found, err := headCommit(ctx, repo)
	if err != nil || !found {
		return nil, err
	}
	for path, err := range ancestry.Files(ctx, repo.Git, head) {
		if err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	return files, nil
}

// plansAmong are the plan files.
func plansAmong(files []string, glob string) (plans []string) {
	scope := lane.NewScope([]string{glob})
	for _, f := range files {
		if scope.Contains(f) {
			plans = append(plans, f)
		}
	}
	return plans
}
