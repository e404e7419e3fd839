package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/policy"
)

// Init prepares a repository: dos.toml, the ignored folder, a node id and the
// layout of its refs; with a remote, also that remote as the authority of a
// fleet. The remote comes first, so that nothing here speaks of a fleet that
// its remote refused.
//
// The error is a *Problem where the request cannot be carried out, policy.Errors
// where a dos.toml is unusable, or what package admit returns.
func Init(ctx context.Context, o Options) (Report, error) {
	if !o.DryRun && o.Repo.WorkTree != "" {
		unlock, err := o.Repo.LockShared(ctx, "init.lock")
		if err != nil {
			return Report{}, err
		}
		defer unlock()
	}
	w, err := look(ctx, o)
	if err == nil {
		err = w.noLocalLease(ctx)
	}
	if err != nil {
		return Report{}, err
	}
	steps := []func(context.Context) error{w.remoteFormat, w.policyFile, w.ignoreLine, w.nodeID, w.localFormat, w.remoteSetting}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return w.report, err
		}
	}
	switch {
	case o.DryRun:
		w.report.Outcome = "would"
	case w.report.changed(Done):
		w.report.Outcome = "initialised"
	default:
		w.report.Outcome = "already"
	}
	if err := w.noteScope(); err != nil {
		return w.report, err
	}
	return w.report, w.whatNext(ctx)
}

// step reports something that is to be done, and does it unless this is a dry
// run.
func (w *work) step(s Step, do func() error) error {
	s.State = Would
	if !w.DryRun {
		s.State = Done
		if err := do(); err != nil {
			return err
		}
	}
	w.report.add(s)
	return nil
}

func (w *work) already(step, target, detail string) {
	w.report.add(Step{Step: step, Target: target, State: Already, Detail: detail})
}

// policyFile creates dos.toml, or appends the fleet to the one there is.
func (w *work) policyFile(ctx context.Context) error {
	const step = "policy"
	switch {
	case w.policy.exists && len(w.appendix) > 0:
		detail := "append [fleet] with the id"
		if w.report.Fleet != "" { // a dry run does not know it
			detail += " " + w.report.Fleet
		}
		if w.addTrunk {
			detail += " and [trunk] with " + w.stated
		}
		return w.step(Step{Step: "fleet_id", Target: policyName, Detail: detail}, w.appendFleet)
	case w.policy.exists && w.Remote != "" && w.own.Fleet.ID == "":
		w.already(step, policyName, "is there; the fleet id is on the trunk, git merge "+w.trunkName()+" brings it here")
	case w.policy.exists:
		w.already(step, policyName, "is there")
	case w.onTrunk != nil:
		w.already(step, policyName, "is on the trunk; git merge "+w.trunkName()+" brings it here")
	case w.inHead:
		w.report.add(Step{Step: step, Target: policyName, State: Left, Detail: "is committed and missing here; git checkout -- dos.toml brings it back"})
	default:
		data := append(policy.Template(w.stated, w.division.lanes), w.appendix...)
		if _, err := policy.Parse(data); err != nil {
			return fmt.Errorf("the dos.toml for this repository would not be readable: %w", err)
		}
		detail := "write " + w.division.String()
		if w.stated != "" {
			detail = "write trunk " + w.stated + ", " + w.division.String()
		}
		switch {
		case w.DryRun && w.Remote != "":
			detail += "; unless the trunk has one that was not fetched yet"
		case w.report.Joined:
			detail += "; the trunk has none yet, so another clone may be about to push one"
		}
		return w.step(Step{Step: step, Target: policyName, Detail: detail}, func() error {
			w.record.Policy, w.record.PolicyMade = digest(data), true
			if err := w.record.save(w.Repo); err != nil {
				return err
			}
			return create(w.policy.path, data)
		})
	}
	return nil
}

func (w *work) appendFleet() error {
	add := appended(w.policy.data, w.appendix)
	data := append(bytes.Clone(w.policy.data), add...)
	if w.record.PolicyMade && w.record.Policy != digest(w.policy.data) {
		w.record.PolicyMade = false // the user has changed it since
	}
	w.record.Policy, w.record.PolicyAdded = digest(data), string(add)
	if err := w.record.save(w.Repo); err != nil {
		return err
	}
	return w.policy.replace(data)
}

// ignoreLine keeps the folder that git-dos writes reports to out of commits.
func (w *work) ignoreLine(context.Context) error {
	if ignores(w.ignore.data) {
		w.already("ignore", ignoreName, "lists .dos/")
		return nil
	}
	add := appended(w.ignore.data, []byte(".dos/\n"))
	return w.step(Step{Step: "ignore", Target: ignoreName, Detail: "add .dos/"}, func() error {
		w.record.IgnoreAdded = string(add)
		w.record.IgnoreMade = !w.ignore.exists
		if err := w.record.save(w.Repo); err != nil {
			return err
		}
		return w.ignore.replace(append(bytes.Clone(w.ignore.data), add...))
	})
}

func ignores(text []byte) bool {
	for line := range strings.SplitSeq(string(text), "\n") {
		switch strings.TrimRight(line, " \r") {
		case ".dos", ".dos/", "/.dos", "/.dos/":
			return true
		}
	}
	return false
}

// nodeID gives this clone a name of its own.
func (w *work) nodeID(ctx context.Context) error {
	const step, target = "node", "git config dos.node"
	n, err := w.desk.LookNode(ctx)
	if err != nil {
		return err
	}
	detail := "name this clone"
	switch {
	case n.Environment:
		w.already(step, target, "the environment names this node "+n.ID)
		return nil
	case n.Copied:
		detail = "name this copy of " + n.ID
	case n.ID != "":
		w.already(step, target, "is "+n.ID)
		return nil
	}
	return w.step(Step{Step: step, Target: target, Detail: detail}, func() error { return w.desk.EnsureNode(ctx) })
}

// localFormat marks the layout of this repository's own refs.
func (w *work) localFormat(ctx context.Context) error {
	const step, target = "format", "refs/dos/meta/format"
	there, err := w.desk.HasLocal(ctx)
	if err != nil {
		return err
	}
	if there {
		w.already(step, target, "is there")
		return nil
	}
	return w.step(Step{Step: step, Target: target, Detail: "create it in this repository"}, func() error {
		_, err := w.desk.InitLocal(ctx)
		return err
	})
}

// remoteSetting tells the other verbs which remote the fleet's is.
func (w *work) remoteSetting(ctx context.Context) error {
	const step, key = "remote", "dos.remote"
	if w.Remote == "" {
		return nil
	}
	before, err := w.desk.LocalSetting(ctx, key)
	if err != nil {
		return err
	}
	if before == w.Remote {
		w.already(step, "git config "+key, "is "+w.Remote)
		return nil
	}
	detail := "set to " + w.Remote
	if before != "" {
		detail += ", was " + before
	}
	return w.step(Step{Step: step, Target: "git config " + key, Detail: detail}, func() error {
		w.record.Remote, w.record.RemoteBefore = w.Remote, before
		return errors.Join(w.record.save(w.Repo), w.desk.Set(ctx, key, w.Remote))
	})
}
