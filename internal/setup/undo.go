package setup

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/internal/admit"
)

// deleteRefs is the command that ends what undo leaves.
const deleteRefs = `git for-each-ref --format='delete %(refname)' refs/dos/ | git update-ref --stdin`

// Undo removes what Init wrote in this worktree and what has not been changed
// since. It deletes no ref and reaches no remote.
func Undo(ctx context.Context, o Options) (Report, error) {
	w := &work{Options: o, desk: admit.Unready(o.Repo, o.Now)}
	w.report = Report{Steps: []Step{}, Next: []string{}}
	var err error
	if w.record, err = loadRecord(o.Repo); err != nil {
		return Report{}, err
	}
	for _, step := range []func(context.Context) error{w.undoPolicy, w.undoIgnore, w.undoRemote, w.undoNode, w.refsStay} {
		if err := step(ctx); err != nil {
			return w.report, err
		}
	}
	if !o.DryRun {
		if err := w.record.settle(o.Repo); err != nil {
			return w.report, err
		}
	}
	switch {
	case o.DryRun:
		w.report.Outcome = "would"
	case w.report.changed(Undone):
		w.report.Outcome = "undone"
	default:
		w.report.Outcome = "already"
	}
	return w.report, nil
}

// undo is step for taking something back; forget are the parts of the record
// that are about it.
func (w *work) undo(s Step, do func() error, forget ...*string) error {
	err := w.step(s, do)
	if err != nil || w.DryRun {
		return err
	}
	last := &w.report.Steps[len(w.report.Steps)-1]
	last.State = Undone
	if what, ok := strings.CutPrefix(last.Detail, "remove "); ok {
		last.Detail = "removed " + what
		if what == "it" {
			last.Detail = "removed"
		}
	}
	for _, field := range forget {
		*field = ""
	}
	return nil
}

func (w *work) leave(step, target, why string) {
	w.report.add(Step{Step: step, Target: target, State: Left, Detail: why})
}

func (w *work) undoPolicy(context.Context) error {
	const step = "policy"
	if w.Repo.WorkTree == "" {
		return nil
	}
	f, err := readFile(filepath.Join(w.Repo.WorkTree, policyName))
	if err != nil {
		return err
	}
	same := digest(f.data) == w.record.Policy
	kept, isAppended := bytes.CutSuffix(f.data, []byte(w.record.PolicyAdded))
	switch {
	case !f.exists:
		w.already(step, policyName, "is not there")
	case w.record.PolicyMade && same:
		return w.undo(Step{Step: step, Target: policyName, Detail: "remove it"}, func() error { return os.Remove(f.path) },
			&w.record.Policy, &w.record.PolicyAdded)
	case w.record.PolicyAdded != "" && isAppended:
		return w.undo(Step{Step: "fleet_id", Target: policyName, Detail: "remove what init appended to it"}, func() error { return f.replace(kept) },
			&w.record.Policy, &w.record.PolicyAdded)
	case w.record.PolicyMade || w.record.PolicyAdded != "":
		w.leave(step, policyName, "has been changed since init wrote it")
	default:
		w.leave(step, policyName, "was not written by init here")
	}
	return nil
}

func (w *work) undoIgnore(context.Context) error {
	const step = "ignore"
	if w.Repo.WorkTree == "" {
		return nil
	}
	f, err := readFile(filepath.Join(w.Repo.WorkTree, ignoreName))
	if err != nil {
		return err
	}
	kept, found := withoutLine(f.data, w.record.IgnoreAdded)
	switch {
	case !f.exists || !ignores(f.data):
		w.already(step, ignoreName, "does not list .dos/")
	case !found:
		w.leave(step, ignoreName, "lists .dos/, and not by init here")
	case w.record.IgnoreMade && len(kept) == 0:
		return w.undo(Step{Step: step, Target: ignoreName, Detail: "remove it"}, func() error { return os.Remove(f.path) }, &w.record.IgnoreAdded)
	default:
		return w.undo(Step{Step: step, Target: ignoreName, Detail: "remove .dos/"}, func() error { return f.replace(kept) }, &w.record.IgnoreAdded)
	}
	return nil
}

// withoutLine takes back what Init appended to a text: all of it while it
// still is the end, else only the line.
func withoutLine(text []byte, added string) ([]byte, bool) {
	if added == "" {
		return nil, false
	}
	if kept, ok := bytes.CutSuffix(text, []byte(added)); ok {
		return kept, true
	}
	line := strings.TrimLeft(added, "\r\n")
	for at := 0; at < len(text); {
		i := bytes.Index(text[at:], []byte(line))
		if i < 0 {
			break
		}
		if i += at; i == 0 || text[i-1] == '\n' {
			return append(bytes.Clone(text[:i]), text[i+len(line):]...), true
		}
		at = i + 1
	}
	return nil, false
}

func (w *work) undoRemote(ctx context.Context) error {
	const step, key = "remote", "dos.remote"
	if w.record.Remote != "" {
		w.leave("remote_format", w.record.Remote, "what it holds for the fleet stays; other clones use it")
	}
	now, err := w.desk.LocalSetting(ctx, key)
	switch {
	case err != nil:
		return err
	case now == "":
		w.already(step, "git config "+key, "is not set")
	case w.record.Remote != now:
		w.leave(step, "git config "+key, "is "+now+", which init did not set here")
	case w.record.RemoteBefore != "":
		return w.undo(Step{Step: step, Target: "git config " + key, Detail: "set back to " + w.record.RemoteBefore},
			func() error { return w.desk.Set(ctx, key, w.record.RemoteBefore) }, &w.record.Remote)
	default:
		return w.undo(Step{Step: step, Target: "git config " + key, Detail: "unset"}, func() error { return w.desk.Unset(ctx, key) }, &w.record.Remote)
	}
	return nil
}

func (w *work) undoNode(ctx context.Context) error {
	const step, key = "node", "dos.node"
	id, err := w.desk.LocalSetting(ctx, key)
	if err != nil {
		return err
	}
	bound, err := w.desk.LocalSetting(ctx, "dos.nodebinding")
	switch {
	case err != nil:
		return err
	case id == "" && bound == "":
		w.already(step, "git config "+key, "is not set")
	case bound == "":
		w.leave(step, "git config "+key, "is "+id+", which was set by hand")
	default:
		return w.undo(Step{Step: step, Target: "git config " + key, Detail: "unset"}, func() error {
			return errors.Join(w.desk.Unset(ctx, key), w.desk.Unset(ctx, "dos.nodebinding"))
		})
	}
	return nil
}

// refsStay reports the refs, which hold what others may still need.
func (w *work) refsStay(ctx context.Context) error {
	out, err := w.Repo.Git.Output(ctx, "for-each-ref", "--count=1", "--format=%(refname)", "refs/dos/")
	if err != nil {
		return err
	}
	if len(out) == 0 {
		w.already("refs", "refs/dos", "there are none")
	} else {
		w.leave("refs", "refs/dos", "refs stay, leases and journals with them; when nobody needs them: "+deleteRefs)
	}
	return nil
}
