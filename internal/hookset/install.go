package hookset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// Steps of a write. Tests replace them to end it between any two.
var (
	rename = os.Rename
	remove = os.Remove
)

// A Request says what is to be installed.
type Request struct {
	Hooks   []string // empty for those that were installed before, else the usual ones
	Also    []string // besides those
	Order   Order    // empty for that of before, else First
	Program string   // full path of what the hooks are to call
	OwnPath bool     // a shared folder may be passed by with a core.hooksPath of this repository
}

// What became of an installation.
const (
	Installed = "INSTALLED"
	Unchanged = "UNCHANGED"
	Refused   = "REFUSED"
)

// Why nothing was installed.
const (
	SharedHooksPath = "SHARED_HOOKS_PATH" // others than this repository use the folder
	TrackedHook     = "TRACKED_HOOK"      // the file is in the repository's history
	EditedHook      = "EDITED_HOOK"       // ours, with somebody's changes
	SavedHook       = "SAVED_HOOK"        // a hook is already kept under the name that is needed
)

// A Change is what was done about one hook.
type Change struct {
	Name    string `json:"name"`
	File    string `json:"file"`
	Did     string `json:"did"` // armed, kept, passed_on, removed, restored or left
	Order   Order  `json:"order,omitempty"`
	Chained string `json:"chained,omitempty"`
	Why     string `json:"why,omitempty"` // of what was left
}

// An Installation answers install.
type Installation struct {
	Outcome string   `json:"outcome"`
	Reason  string   `json:"reason_class,omitempty"`
	Place   Place    `json:"place"`
	Hooks   []Change `json:"hooks"`
	Detail  string   `json:"reason,omitempty"`
	Fix     string   `json:"fix,omitempty"`
}

// ExitCode implements verdict.Verdict.
func (i Installation) ExitCode() int {
	switch i.Outcome {
	case Installed, Unchanged:
		return verdict.Yes
	case Refused:
		return 3
	}
	return verdict.NoVerdict
}

func (i Installation) refuse(reason, detail, fix string) Installation {
	i.Outcome, i.Reason, i.Detail, i.Fix, i.Hooks = Refused, reason, detail, fix, []Change{}
	return i
}

// Install arms hooks. It looks at all of them first, and writes nothing when one
// of them is refused.
func Install(ctx context.Context, repo *refstore.Repo, q Request) (Installation, error) {
	r, err := readRecord(repo)
	if err != nil {
		return Installation{}, err
	}
	p, err := FindPlace(ctx, repo)
	if err != nil {
		return Installation{}, err
	}
	r = r.with(q, repo.Bare)
	switch own := p.Dir == ownDir(repo); {
	case own && r.Moved == nil:
		return Installation{}, fmt.Errorf("core.hooksPath is %s, and what install knew of it is gone: git config --unset core.hooksPath, remove the folder, and install again", p.Value)
	case own:
		return installOwn(repo, r, p, q)
	case q.OwnPath:
		return installBeside(ctx, repo, r, p, q)
	case p.Shared:
		return Installation{Place: p}.refuse(SharedHooksPath, sharedWhy(p), fixOf(repo, p)), nil
	}
	return installInto(ctx, repo, r, p, q)
}

// with is the record as it is to be.
func (r *record) with(q Request, bare bool) *record {
	next := record{Format: Format, Order: First}
	if r != nil {
		next = *r
	}
	switch {
	case len(q.Hooks) > 0:
		next.Hooks = append(slices.Clone(next.Hooks), q.Hooks...)
	case r == nil && bare:
		next.Hooks = slices.Clone(Server)
	case r == nil:
		next.Hooks = slices.Clone(Client)
	}
	next.Hooks = append(slices.Clone(next.Hooks), q.Also...)
	slices.Sort(next.Hooks)
	next.Hooks = slices.Compact(next.Hooks)
	if q.Order != "" {
		next.Order = q.Order
	}
	return &next
}

// installInto arms the hooks of a folder that is the repository's.
func installInto(ctx context.Context, repo *refstore.Repo, r *record, p Place, q Request) (Installation, error) {
	i := Installation{Outcome: Unchanged, Place: p, Hooks: []Change{}}
	var spots []spot
	for _, name := range r.Hooks {
		s, err := readSpot(p.Dir, name)
		if err != nil {
			return i, err
		}
		kept, err := tracked(ctx, repo, s.now.path)
		if err != nil {
			return i, err
		}
		if kept {
			return i.refuse(TrackedHook, s.now.path+" is tracked: it would be changed for everybody, with a path of this machine in it",
				"git dos hooks install --local-hooks-path"), nil
		}
		if reason, detail, fix, err := s.blocked(); err != nil || reason != "" {
			return i.refuse(reason, detail, fix), err
		}
		spots = append(spots, s)
	}
	if p.Value != "" && !filepath.IsAbs(p.Value) && !slices.Contains(r.Paths, filepath.Clean(p.Value)) {
		r.Paths = append(slices.Clone(r.Paths), filepath.Clean(p.Value))
	}
	if err := r.prepare(repo, p.Dir); err != nil {
		return i, err
	}
	for _, s := range spots {
		c, err := s.arm(Shim{Format: Format, Hook: s.name, Program: q.Program}, r.Order)
		if err != nil {
			return i, err
		}
		if c.Did != "kept" {
			i.Outcome = Installed
		}
		i.Hooks = append(i.Hooks, c)
	}
	return i, nil
}

// prepare makes the folder, and writes the record before anything is installed.
func (r *record) prepare(repo *refstore.Repo, dir string) error {
	for _, made := range []string{filepath.Dir(recordPath(repo)), dir} {
		rel, err := filepath.Rel(repo.CommonDir, made)
		if _, missing := os.Lstat(made); errors.Is(missing, errNotExist) && err == nil && filepath.IsLocal(rel) && !slices.Contains(r.Made, rel) {
			r.Made = append(slices.Clone(r.Made), rel)
		}
	}
	if err := r.write(repo); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o777)
}
