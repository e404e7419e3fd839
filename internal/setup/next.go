package setup

import (
	"context"
	"slices"
	"strings"
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
		w.report.Next = append(w.report.Next, "git remote set-head "+quote(w.Remote)+" --auto")
	}
	if len(files) == 0 && !share {
		return nil
	}
	list := strings.Join(files, " ")
	aside := share && w.strayFromTrunk()
	next := w.report.Next
	if aside { // so that nothing else of this branch reaches the trunk
		next = append(next, "git switch -c git-dos-init "+quote(w.trunkName()))
	}
	switch {
	case len(files) > 0:
		add := "git add "
		if ignored {
			add += "-f "
		}
		next = append(next, add+list, "git commit -m "+quote(commitMessage)+" "+list)
	case aside:
		next = append(next, "git checkout "+w.head.Short()+" -- dos.toml", "git commit -m "+quote(commitMessage))
	}
	if share {
		next = append(next, "git push "+quote(w.Remote)+" HEAD:"+quote(strings.TrimPrefix(w.trunk.Branch, "refs/heads/")))
		w.report.OtherClones = []string{"git fetch " + quote(w.Remote), "git dos init --remote " + quote(w.Remote)}
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

// quote makes a word safe to paste into a shell.
func quote(word string) string {
	plain := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@%+"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
