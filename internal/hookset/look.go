package hookset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// A Reason says why a hook does not reach git-dos.
type Reason string

// The reasons.
const (
	Missing       Reason = "MISSING"        // there is no such file
	NotOurs       Reason = "NOT_OURS"       // another hook, and no trace of ours
	Replaced      Reason = "REPLACED"       // another tool wrote over ours, or moved it aside
	NotExecutable Reason = "NOT_EXECUTABLE" // git passes the file over
	LineEnds      Reason = "LINE_ENDS"      // CRLF: no shell runs it
	Edited        Reason = "EDITED"         // marked as ours, and not what install writes
	NewerFormat   Reason = "NEWER_FORMAT"   // written by a newer git-dos
	NoProgram     Reason = "NO_PROGRAM"     // neither where it was nor on PATH, where that counts: all is refused
)

// A Hook is one hook as git will run it from one worktree.
type Hook struct {
	Name    string `json:"name"`
	Armed   bool   `json:"armed"`
	Wanted  bool   `json:"wanted"` // it is not in order when it is not armed
	File    string `json:"file"`   // what git will run
	Reason  Reason `json:"reason_class,omitempty"`
	Tool    string `json:"tool,omitempty"`    // whose file it is, when it can be told
	Format  int    `json:"format,omitempty"`  // of our file
	Program string `json:"program,omitempty"` // what our file will call
	Via     string `json:"via,omitempty"`     // our file, when another tool calls it
	Order   Order  `json:"order,omitempty"`
	Chained string `json:"chained,omitempty"` // the hook that is run beside it
	Note    string `json:"note,omitempty"`    // what is lost, and yet no gate
}

// Outcomes of a look.
const (
	Armed        = "ARMED"
	GateNotArmed = "GATE_NOT_ARMED"
)

// A Look answers: are the gates armed from here?
type Look struct {
	Outcome   string `json:"outcome"`
	WorkTree  string `json:"worktree,omitempty"`
	Place     Place  `json:"place"`
	Installed bool   `json:"installed"` // install was run in this repository
	Hooks     []Hook `json:"hooks"`
	Fix       string `json:"fix,omitempty"`
	Note      string `json:"note,omitempty"` // what of others does not run from here
}

// ExitCode implements verdict.Verdict.
func (l Look) ExitCode() int {
	switch l.Outcome {
	case Armed:
		return verdict.Yes
	case GateNotArmed:
		return 3
	}
	return verdict.NoVerdict
}

// See looks at the hooks of a repository from one worktree.
func See(ctx context.Context, repo *refstore.Repo) (Look, error) {
	r, err := readRecord(repo)
	if err != nil {
		return Look{}, err
	}
	p, err := FindPlace(ctx, repo)
	if err != nil {
		return Look{}, err
	}
	l := Look{Outcome: Armed, WorkTree: repo.WorkTree, Place: p, Installed: r != nil}
	wanted := Client
	if repo.Bare {
		wanted = Server
	}
	if r != nil {
		wanted = r.Hooks
	}
	for _, name := range wanted {
		h, err := seeHook(p.Dir, name)
		if err != nil {
			return Look{}, err
		}
		h.Wanted = true
		if !h.Armed {
			l.Outcome = GateNotArmed
		}
		l.Hooks = append(l.Hooks, h)
	}
	if !repo.Bare && !slices.Contains(wanted, RefTransaction) {
		if h, err := seeHook(p.Dir, RefTransaction); err != nil {
			return Look{}, err
		} else if h.Format > 0 {
			l.Hooks = append(l.Hooks, h)
		}
	}
	if l.Outcome == GateNotArmed {
		l.Fix = fixOf(repo, p)
	}
	l.Note, err = lacking(repo, p)
	return l, err
}

// lacking says which files the main worktree has in the folder of its hooks and a linked
// one does not: whoever made that folder has not made it here, and git passes over what
// is not there.
func lacking(repo *refstore.Repo, p Place) (string, error) {
	if p.Value == "" || filepath.IsAbs(p.Value) || filepath.Base(repo.CommonDir) != ".git" {
		return "", nil
	}
	there := filepath.Join(filepath.Dir(repo.CommonDir), p.Value)
	files, err := os.ReadDir(there)
	if err != nil && !errors.Is(err, errNotExist) {
		return "", err
	}
	for _, f := range files {
		_, err := os.Lstat(filepath.Join(p.Dir, f.Name()))
		if name := strings.TrimSuffix(f.Name(), savedSuffix); errors.Is(err, errNotExist) && slices.Contains(gitHooks, name) {
			return fmt.Sprintf("%s of the main worktree is not in %s, so that it does not run from here: have the tool that makes that folder make it here too, then run git dos hooks install", f.Name(), p.Dir), nil
		}
	}
	return "", nil
}

// gitHooks are the hooks that git runs in a worktree.
var gitHooks = []string{
	"applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout", "post-commit", "post-merge", "post-rewrite",
	"pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase", "prepare-commit-msg", "reference-transaction",
}

func fixOf(repo *refstore.Repo, p Place) string {
	fix := "git dos hooks install"
	if repo.Bare {
		fix += " --server " + verdict.ShellWord(repo.CommonDir)
	}
	switch {
	case p.Scope == "command":
		return "run it without core.hooksPath on the command line or in GIT_CONFIG_*"
	case p.Shared && p.Scope == "worktree":
		return "git config --worktree --unset core.hooksPath, then " + fix
	case p.Shared:
		return fix + " --local-hooks-path"
	}
	return fix
}

func seeHook(dir, name string) (Hook, error) {
	h := Hook{Name: name, File: filepath.Join(dir, name)}
	s, err := readSpot(dir, name)
	if err != nil {
		return h, err
	}
	f := s.now
	h.Tool = toolOf(f.data)
	switch {
	case !f.exists:
		h.Reason = Missing
	case f.claim == foreign && s.behind():
		h.Via, f = s.legacy.path, s.legacy
	case f.claim == foreign && (s.saved.exists || s.displaced() != nil):
		h.Reason = Replaced
	case f.claim == foreign:
		h.Reason = NotOurs
	case f.claim == crlf:
		h.Reason = LineEnds
	case f.claim == newer:
		h.Reason = NewerFormat
	case f.claim == edited || f.shim.Hook != name || f.shim.forward():
		h.Reason = Edited
	}
	if f.claim == foreign || h.Reason != "" {
		return h, nil
	}
	h.Format, h.Order, h.Chained = f.shim.Format, f.shim.Order, f.shim.Chained
	if h.Program = programFor(f.shim); h.Program == "" {
		h.Reason = NoProgram
	}
	if !runs(f.path) || !runs(h.File) {
		h.Reason = NotExecutable
	}
	if h.Chained == name+savedSuffix {
		h.Chained = filepath.Join(dir, h.Chained)
		if !s.saved.exists {
			h.Note = fmt.Sprintf("%s is gone, so that only git-dos is run", h.Chained)
		}
	}
	h.Armed = h.Reason == ""
	return h, nil
}

// programFor is what a shim will call. That of a server looks for it nowhere else: the
// account that git runs as there may have another PATH than whoever installs.
func programFor(s Shim) string {
	if runs(filepath.FromSlash(s.Program)) {
		return s.Program
	}
	if OfServer(s.Hook) {
		return ""
	}
	name := "git-dos"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return found
}
