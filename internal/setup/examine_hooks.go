package setup

import (
	"context"
	"strings"

	"github.com/git-dos/git-dos/internal/hookset"
)

// hooks reports whether git asks git-dos, from this worktree. That hooks were
// never installed is no fault: they are a courtesy to whoever pushes. That they
// were, and are not run, is one, because somebody counts on them.
func (x *examiner) hooks(ctx context.Context) {
	const id = "HOOKS"
	look, err := hookset.See(ctx, x.repo)
	switch {
	case err != nil:
		x.unknown(id, err)
		return
	case !look.Installed && look.Outcome != hookset.Armed:
		if !x.repo.Bare {
			x.add(Check{ID: id, Severity: Info, Target: look.Place.Dir, Detail: "git does not ask git-dos before it commits or pushes", Remedy: look.Fix})
		}
		return
	}
	var armed []string
	for _, h := range look.Hooks {
		switch {
		case h.Armed:
			armed = append(armed, h.Name)
		case h.Wanted:
			x.add(Check{ID: hookset.GateNotArmed, Severity: Error, Target: h.File, Detail: h.Why(), Remedy: look.Fix})
		}
		if h.Note != "" {
			x.add(Check{ID: id, Severity: Warn, Target: h.File, Detail: h.Note, Remedy: "git dos hooks install"})
		}
	}
	if len(armed) > 0 {
		x.add(Check{ID: id, Severity: OK, Target: look.Place.Dir, Detail: "git asks git-dos for " + strings.Join(armed, ", ")})
	}
}
