package facts

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
)

var errPlanOutside = errors.New("is not the path of a file inside the repository")

// planPaths reads the paths of files as git does: from where the repository was
// opened, or absolute. It returns them from the root of the tree.
func planPaths(ctx context.Context, repo *refstore.Repo, files []string) ([]string, error) {
	if len(files) == 0 {
		return nil, nil
	}
	out, err := repo.Git.Output(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, fmt.Errorf("find where in the repository this is: %w", err)
	}
	prefix := strings.TrimSuffix(string(out), "\n")
	var clean []string
	for _, f := range files {
		name := prefix + filepath.ToSlash(f)
		if filepath.IsAbs(f) {
			name = planFromRoot(repo.WorkTree, f)
		}
		if name = path.Clean(name); f == "" || name == "." || path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") {
			return nil, &PlanFileError{fmt.Sprintf("%q", f), true, errPlanOutside}
		}
		if !slices.Contains(clean, name) {
			clean = append(clean, name)
		}
	}
	return clean, nil
}

// planFromRoot is an absolute path seen from the top of the work tree, through
// symbolic links above the file; ".." where it lies elsewhere.
func planFromRoot(top, file string) string {
	real := func(dir string) string {
		if r, err := filepath.EvalSymlinks(dir); err == nil {
			return r
		}
		return dir
	}
	rel, err := filepath.Rel(real(top), filepath.Join(real(filepath.Dir(file)), filepath.Base(file)))
	if top == "" || err != nil {
		return ".."
	}
	return filepath.ToSlash(rel)
}
