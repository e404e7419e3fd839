package scope

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// CommitEvidence is everything DecideCommit may know about a commit that is to
// hold the named paths and no other. All paths are as git stores them.
type CommitEvidence struct {
	Branch     string // the full ref name HEAD stands for, "" when detached
	Unfinished Operation
	Unmerged   []string // paths with conflicts, anywhere
	Beyond     []string // named paths that a symbolic link leads to
	Hidden     []Hidden // named paths that git was told not to look at
	Changed    []string // what would be committed
	Kept       []string // of those, paths staged as deleted and still there
	Foreign    []string // paths staged and not named
	Lane       string   // "" when none was named
	Tree       []string // of the lane
	Links      []Link   // symbolic links among Changed
	Lock       *Lock    // git's lock on the index, nil when there is none
}

// An Operation of git's that is to go on, with the git command that finishes it
// when given --continue and takes it back when given --abort, "" where that is
// not known. The zero Operation is none.
type Operation struct{ Name, Command string }

func (o Operation) next() string {
	if o.Command == "" {
		return "finish or abort it; git status tells how"
	}
	return fmt.Sprintf("%s --continue finishes it, %s --abort takes it back", o.Command, o.Command)
}

// A Hidden is a path with the flag of the index that hides it: assume-unchanged
// or skip-worktree.
type Hidden struct{ Path, Flag string }

// A Link is a symbolic link, or a path beyond one, and the paths it leads to: as
// the link's text says, and as the disk has it. "" is a place outside the
// repository.
type Link struct {
	Path  string
	Leads []string
}

// A Lock is a lock file of git's.
type Lock struct {
	Path string
	Age  time.Duration
}

// staleLock is the age from which a lock was probably left behind.
const staleLock = 15 * time.Minute

// CommitOutcome is the closed vocabulary of the verdict.
type CommitOutcome string

// The outcomes.
const (
	Committed   CommitOutcome = "committed"    // the commit is there, and is what was asked for
	WouldCommit CommitOutcome = "would_commit" // a dry run: nothing stands against it
	Refused     CommitOutcome = "refused"      // nothing was committed
	Raced       CommitOutcome = "raced"        // a commit is there, and is not what was asked for
)

// Reason classes of a commit that was refused or raced.
const (
	Detached        = "DETACHED"
	MergeInProgress = "MERGE_IN_PROGRESS"
	SymlinkEscape   = "SYMLINK_ESCAPE"
	NotLookedAt     = "NOT_LOOKED_AT"
	NothingChanged  = "NOTHING_CHANGED"
	CachedRemove    = "CACHED_REMOVE_WORKTREE_PRESENT"
	OutOfScope      = "OUT_OF_SCOPE"
	ForeignStaged   = "FOREIGN_STAGED"
	LockBusy        = "LOCK_BUSY"
	HookRefused     = "HOOK_REFUSED"
	PathspecRace    = "PATHSPEC_RACE"
	MessageRace     = "MESSAGE_RACE"
	HeadRace        = "HEAD_RACE"
)

// A Trailer is one line of the commit's trailer block.
type Trailer struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// A CommitVerdict answers "was exactly this committed?".
type CommitVerdict struct {
	Outcome      CommitOutcome `json:"outcome"`
	Commit       string        `json:"commit,omitempty"` // full id
	Branch       string        `json:"branch"`           // full ref name, "" when HEAD is detached
	Lane         string        `json:"lane,omitempty"`
	Paths        []string      `json:"paths"` // in the commit, or meant to be
	Trailers     []Trailer     `json:"trailers"`
	Message      string        `json:"message,omitempty"` // of a dry run
	ReasonClass  string        `json:"reason_class,omitempty"`
	Reason       string        `json:"reason"`
	RefusedFiles []string      `json:"refused_files,omitempty"`
	Next         string        `json:"next,omitempty"`
}

var _ verdict.Verdict = CommitVerdict{}

// DecideCommit judges a commit before it is made. Rungs, first that applies,
// each named by its reason class:
//
//  1. HEAD is on no branch: DETACHED
//  2. a merge, rebase or the like is not finished: MERGE_IN_PROGRESS
//  3. a named path lies beyond a symbolic link: SYMLINK_ESCAPE
//  4. git was told not to look at a named path: NOT_LOOKED_AT
//  5. no named path differs from HEAD: NOTHING_CHANGED
//  6. a path is staged as deleted and still there: CACHED_REMOVE_WORKTREE_PRESENT
//  7. a path lies outside the named lane: OUT_OF_SCOPE
//  8. a symbolic link leads out of the named lane: SYMLINK_ESCAPE
//  9. git's index is locked: LOCK_BUSY
//  10. something else is staged: FOREIGN_STAGED
//  11. would_commit
func DecideCommit(ev CommitEvidence) CommitVerdict {
	v := CommitVerdict{Outcome: WouldCommit, Branch: ev.Branch, Lane: ev.Lane, Paths: shown(ev.Changed), Trailers: []Trailer{}}
	var out []string
	if ev.Lane != "" {
		out = outside(ev.Tree, ev.Changed)
	}
	links := ev.escapingLinks()
	switch {
	case ev.Branch == "":
		next := "git switch BRANCH, or git switch -c BRANCH"
		if ev.Unfinished.Name != "" { // git detaches while it rebases
			next = ev.Unfinished.next()
		}
		return v.refuse(Detached, "HEAD is detached: no branch would hold the commit", nil, next)
	case ev.Unfinished.Name != "":
		return v.refuse(MergeInProgress, ev.Unfinished.Name+" is in progress, and only whole commits end it", nil, ev.Unfinished.next())
	case len(ev.Unmerged) > 0:
		return v.refuse(MergeInProgress, verdict.Count(len(ev.Unmerged), "path")+" with conflicts", ev.Unmerged, "resolve the conflicts; git status tells how")
	case len(ev.Beyond) > 0:
		return v.refuse(SymlinkEscape, verdict.Count(len(ev.Beyond), "named path")+" beyond a symbolic link", ev.Beyond, "name the files where they really are")
	case len(ev.Hidden) > 0:
		return v.hides(ev.Hidden)
	case len(ev.Changed) == 0:
		return v.refuse(NothingChanged, "nothing that was named differs from HEAD", nil, changedPaths)
	case len(ev.Kept) > 0:
		return v.refuse(CachedRemove, verdict.Count(len(ev.Kept), "path")+" staged as deleted and still in the work tree", ev.Kept,
			"delete the file, or take it back with git add; git commit without paths commits it as it is")
	case len(out) > 0:
		return v.refuse(OutOfScope, fmt.Sprintf("%s outside the tree of lane %s", verdict.Count(len(out), "path"), ev.Lane), out,
			"leave these paths out, or commit them under their own lane")
	case len(links) > 0:
		return v.refuse(SymlinkEscape, fmt.Sprintf("%s out of lane %s", verdict.Count(len(links), "symbolic link"), ev.Lane), links,
			"have the link lead to a file of the lane, or leave it out")
	case ev.Lock != nil: // whose git may be between moving the branch and writing the index
		return v.Locked(*ev.Lock)
	case len(ev.Foreign) > 0:
		return v.refuse(ForeignStaged, verdict.Count(len(ev.Foreign), "path")+" staged and not named", ev.Foreign,
			"name these paths too, or take them out of the index with git restore --staged")
	}
	v.Reason = verdict.Count(len(ev.Changed), "path")
	return v
}

// escapingLinks lists the links that lead out of the lane's tree. Without a
// lane there is no tree to leave.
func (ev CommitEvidence) escapingLinks() []string {
	if ev.Lane == "" {
		return nil
	}
	return escapingLinks(lane.NewScope(ev.Tree), ev.Links)
}

func escapingLinks(tree lane.Scope, links []Link) []string {
	var out []string
	for _, l := range links {
		for _, to := range l.Leads {
			if !tree.Contains(to) {
				out = append(out, l.Path)
				break
			}
		}
	}
	return out
}

// hides is the refusal over paths whose changes git would not see.
func (v CommitVerdict) hides(all []Hidden) CommitVerdict {
	var paths []string
	for _, h := range all {
		paths = append(paths, h.Path)
	}
	flag := all[0].Flag
	return v.refuse(NotLookedAt, fmt.Sprintf("git was told not to look at %s (%s)", verdict.Count(len(all), "named path"), flag), paths,
		"git update-index --no-"+flag+" PATH has git look again; or name the other paths one by one")
}

// changedPaths is what to do where nothing that was named has changed.
const changedPaths = "git status --short lists what has changed; name some of that"

func (v CommitVerdict) refuse(class, reason string, paths []string, next string) CommitVerdict {
	v.Outcome, v.ReasonClass, v.Reason, v.Next = Refused, class, reason, next
	if len(paths) > 0 {
		v.RefusedFiles = shown(paths)
	}
	return v
}

// Locked is the refusal over a lock that another git holds or left behind.
func (v CommitVerdict) Locked(l Lock) CommitVerdict {
	age := l.Age.Round(time.Second)
	next := "wait for the other git and try again"
	if l.Age >= staleLock {
		next = "see that no git runs here, then remove the file"
	}
	return v.refuse(LockBusy, fmt.Sprintf("%s has been there for %s", l.Path, age), nil, next)
}

// Hooked is the refusal of a hook, in its own words.
func (v CommitVerdict) Hooked(words string) CommitVerdict {
	if words == "" {
		words = "it said nothing"
	}
	return v.refuse(HookRefused, "a hook refused: "+words, nil, "put right what it says; the index is as it was")
}

// Unchanged is the refusal of a commit whose change went away meanwhile.
func (v CommitVerdict) Unchanged() CommitVerdict {
	return v.refuse(NothingChanged, "nothing that was named differs from HEAD any more", nil, changedPaths)
}

// ExitCode implements [verdict.Verdict].
func (v CommitVerdict) ExitCode() int {
	switch v.Outcome {
	case Committed, WouldCommit:
		return verdict.Yes
	case Refused, Raced:
		return verdict.FirstOwned
	}
	return verdict.NoVerdict
}

func (v CommitVerdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", v.Outcome, strings.TrimPrefix(v.Branch, "refs/heads/"))
	if v.Branch == "" {
		b.WriteString("HEAD")
	}
	if v.Commit != "" {
		fmt.Fprintf(&b, " %.12s", v.Commit)
	}
	if v.ReasonClass != "" {
		fmt.Fprintf(&b, " (%s)", v.ReasonClass)
	}
	fmt.Fprintf(&b, ": %s", v.Reason)
	if len(v.RefusedFiles) > 0 {
		named(&b, v.RefusedFiles)
	} else if v.Outcome != Refused {
		named(&b, v.Paths)
	}
	if v.Message != "" {
		b.WriteString("\n\n" + strings.TrimSuffix(v.Message, "\n"))
	}
	if v.Next != "" {
		fmt.Fprintf(&b, "\n  next: %s", v.Next)
	}
	return b.String()
}
