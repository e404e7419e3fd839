package setup

import (
	"context"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

const commitMessage = "git-dos: share the lanes"

// whatNext lists the commands that bring what Init wrote to everybody.
func (w *work) whatNext(ctx context.Context) error {
	files, ignored, err := w.uncommitted(ctx)
	if err != nil {
		return err
	}
	share := w.Remote != "" && (w.onTrunk == nil || w.onTrunk.Fleet.ID == "")
	if w.setHead {
		w.report.Next = append(w.report.Next, "git remote set-head "+verdict.ShellWord(w.Remote)+" --auto")
	}
	if len(files) == 0 && !share {
		return nil
	}
	list := strings.Join(files, " ")
	aside := share && w.strayFromTrunk()
	next := w.report.Next
	if aside { // so that nothing else of this branch reaches the trunk
		next = append(next, "git switch -c git-dos-init "+verdict.ShellWord(w.trunkName()))
	}
	switch {
	case len(files) > 0:
		add := "git add "
		if ignored {
			add += "-f "
		}
		next = append(next, add+list, "git commit -m "+verdict.ShellWord(commitMessage)+" "+list)
	case aside:
		next = append(next, "git checkout "+w.head.Short()+" -- dos.toml", "git commit -m "+verdict.ShellWord(commitMessage))
	}
	if share {
		next = append(next, "git push "+verdict.ShellWord(w.Remote)+" HEAD:"+verdict.ShellWord(strings.TrimPrefix(w.trunk.Branch, "refs/heads/")))
		w.report.OtherClones = []string{"git fetch " + verdict.ShellWord(w.Remote), "git dos init --remote " + verdict.ShellWord(w.Remote)}
	}
	w.report.Next = next
	return nil
}

// strayFromTrunk reports whether pushing HEAD would bring the trunk more than
// what Init wrote.
func (w *work) strayFromTrunk() bool {
	return w.branch != w.trunk.Branch && w.trunk.ID != "" && w.head != w.trunk.ID
}

// uncommitted lists which of Init's files are not, or not in this form, in the
// index and HEAD; ignored says that git add would decline one of them.
func (w *work) uncommitted(ctx context.Context) (files []string, ignored bool, err error) {
	out, err := w.Repo.Git.Output(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored", "--no-renames", "--ignore-submodules=all",
		"--", ":(top,literal)"+policyName, ":(top,literal)"+ignoreName)
	if err != nil {
		return nil, false, err
	}
	for record := range strings.SplitSeq(string(out), "\x00") {
		if len(record) < 4 || record[1] == 'D' {
			continue
		}
		files = append(files, record[3:])
		ignored = ignored || strings.HasPrefix(record, "!!")
	}
	for _, s := range w.report.Steps {
		if s.State == Would && (s.Target == policyName || s.Target == ignoreName) {
			files = append(files, s.Target)
		}
	}
	slices.Sort(files)
	files = slices.Compact(files)
	slices.Reverse(files) // dos.toml first
	return files, ignored, nil
}
