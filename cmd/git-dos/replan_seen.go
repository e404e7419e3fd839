package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/replan"
	"github.com/git-dos/git-dos/kernel/loop"
	look "github.com/git-dos/git-dos/kernel/replan"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// replanMark is the mark of a look. One for which the trunk cannot be told has
// none: looking at everything says what is wrong.
func replanMark(c *cli.Context, b *life.Book, scope []string) (string, error) {
	v := buildVersion(debug.ReadBuildInfo())
	mark, err := replan.Mark(c.Context, b, fmt.Sprintf("%s %s %t", v.Version, v.Commit, v.Dirty), scope)
	if errors.Is(err, ancestry.ErrMissing) {
		return "", nil
	}
	return mark, err
}

// keep notes for the next look that this one found nothing and left nothing, or
// that it did.
func (r replanned) keep(c *cli.Context, a replanAnswer) {
	s := replan.Seen{At: now(c).UTC().Truncate(time.Second), Quiet: a.Quiet, Outside: a.Outside, Lines: a.Lines, Ref: a.Ref, RefID: a.RefID}
	if a.Outcome == loop.Unproductive && len(a.Recorded)+len(a.Stamps)+a.Doubts+a.Later+len(r.look.Lost) == 0 {
		s.Mark = r.mark
	}
	s.Keep(r.book.Desk.Repo, r.scope)
}

// skip answers for a look that would find what an earlier one found. What needs
// an operator may come with time alone, and is looked up.
func (r replanned) skip(c *cli.Context, seen replan.Seen) (a replanAnswer, err error) {
	if err := r.decisions(c); err != nil {
		return a, err
	}
	r.look.Scope, r.look.Ref, r.look.RefID, r.look.Lines = r.scope, seen.Ref, seen.RefID, seen.Lines
	r.found.Outside = seen.Outside
	v := look.Skip(seen.At)
	if err := v.Err(); err != nil {
		return a, err
	}
	a = replanAnswerOf(r, v, nil)
	a.Quiet, a.Skipped, a.LookedAt, a.DryRun = seen.Quiet, true, &seen.At, c.Bool("dry-run")
	return a, nil
}
