package main

import (
	"errors"
	"testing"

	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/scope"
)

func TestACommitIsTriedAgainOnlyWhereOthersMayStandInItsWay(t *testing.T) {
	for name, c := range map[string]struct {
		v   scope.CommitVerdict
		err error
		met bool
	}{
		"the index is locked":         {scope.CommitVerdict{ReasonClass: scope.LockBusy}, nil, true},
		"somebody else stages":        {scope.CommitVerdict{ReasonClass: scope.ForeignStaged}, nil, true},
		"git could not lock a ref":    {scope.CommitVerdict{}, errors.New("cannot lock ref 'HEAD'"), true},
		"a hook refuses":              {scope.CommitVerdict{ReasonClass: scope.HookRefused}, nil, false},
		"a merge is under way":        {scope.CommitVerdict{ReasonClass: scope.MergeInProgress}, nil, false},
		"nothing is there to commit":  {scope.CommitVerdict{ReasonClass: scope.NothingChanged}, nil, false},
		"a commit that is not ours":   {scope.CommitVerdict{Outcome: scope.Raced, ReasonClass: scope.HeadRace}, nil, false},
		"a path that cannot be named": {scope.CommitVerdict{}, &worktree.PathError{}, false},
		"no work tree":                {scope.CommitVerdict{}, worktree.ErrBare, false},
	} {
		if met := commitMet(c.v, c.err); met != c.met {
			t.Errorf("%s: %v", name, met)
		}
	}
}
