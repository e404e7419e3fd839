package scope

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Landing is what is known of the commit that was made.
type Landing struct {
	Commit   string
	Paths    []string // that it changed
	Asked    []string // that were to be committed
	Found    bool     // it is known to be ours, on the branch that was judged
	Message  bool     // its message is the one asked for
	Tree     []string // of the lane, with Links; nil without one
	Links    []Link   // symbolic links it holds
	Trailers []Trailer
}

// Landed judges the commit that was made. Rungs, first that applies:
//
//  1. it cannot be told from others made meanwhile: HEAD_RACE
//  2. it holds a path that was not asked for, or lacks one: PATHSPEC_RACE
//  3. a symbolic link in it leads out of the lane: SYMLINK_ESCAPE
//  4. its message is another: MESSAGE_RACE
//  5. committed
func (v CommitVerdict) Landed(l Landing) CommitVerdict {
	v.Commit, v.Paths, v.Trailers, v.Message = l.Commit, shown(l.Paths), l.Trailers, ""
	if v.Trailers == nil {
		v.Trailers = []Trailer{}
	}
	more, missing := except(l.Paths, l.Asked), except(l.Asked, l.Paths)
	links := CommitEvidence{Lane: v.Lane, Tree: l.Tree, Links: l.Links}.escapingLinks()
	const look = "the commit was left as it is: look at it with git show"
	switch {
	case !l.Found:
		return v.raced(HeadRace, "HEAD moved on meanwhile, and which commit is this one cannot be told", nil, "look at git log: nothing was taken back")
	case len(more) > 0:
		return v.raced(PathspecRace, verdict.Count(len(more), "path")+" in the commit that nobody asked for; a hook may have added it", more, look)
	case len(missing) > 0:
		return v.raced(PathspecRace, verdict.Count(len(missing), "path")+" asked for and not in the commit; a hook may have taken it back", missing, look)
	case len(links) > 0:
		return v.raced(SymlinkEscape, fmt.Sprintf("%s in the commit out of lane %s", verdict.Count(len(links), "symbolic link"), v.Lane), links, look)
	case !l.Message:
		return v.raced(MessageRace, "the message is not the one asked for; a hook may have changed it", nil, look)
	}
	v.Outcome, v.ReasonClass, v.Next = Committed, "", ""
	v.Reason = verdict.Count(len(l.Paths), "path")
	return v
}

// except lists the paths that are not among the others.
func except(paths, others []string) []string {
	among := map[string]bool{}
	for _, p := range others {
		among[p] = true
	}
	var out []string
	for _, p := range paths {
		if !among[p] {
			out = append(out, p)
		}
	}
	return out
}

func (v CommitVerdict) raced(class, reason string, paths []string, next string) CommitVerdict {
	v = v.refuse(class, reason, paths, next)
	v.Outcome = Raced
	return v
}
