package setup

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

const (
	policyName = "dos.toml"
	ignoreName = ".gitignore"
)

// work is one run of Init: what it found, and what it has reported so far.
type work struct {
	Options
	desk   *admit.Desk
	record record
	report Report

	policy   file          // the work tree's dos.toml
	own      policy.Policy // what it says, the defaults without one
	ignore   file
	head     refstore.OID // "" when unborn
	branch   string       // the branch HEAD is on, "" when detached
	inHead   bool         // HEAD has a dos.toml
	division division

	trunk    facts.Trunk    // of the fleet's remote, zero without one
	onTrunk  *policy.Policy // the trunk's dos.toml as last fetched, nil without one
	prefix   string         // the fleet's, on the remote
	minted   string         // an id this run made up
	stated   string         // the branch to state as the trunk where dos.toml states none
	appendix []byte         // the tables to append to dos.toml
	addTrunk bool           // [trunk] is one of them
	setHead  bool           // this clone has to be told which branch is the trunk
}

// look reads everything Init depends on and writes nothing.
func look(ctx context.Context, o Options) (*work, error) {
	w := &work{Options: o, desk: admit.Unready(o.Repo, o.Now)}
	w.report = Report{Remote: o.Remote, Steps: []Step{}, Next: []string{}}
	if o.Repo.WorkTree == "" {
		return nil, problemf("run it in a clone of this repository",
			"there is no work tree here to put dos.toml in")
	}
	if err := checkPrefix(o); err != nil {
		return nil, err
	}
	var err error
	if w.record, err = loadRecord(o.Repo); err != nil {
		return nil, err
	}
	if w.policy, err = readFile(filepath.Join(o.Repo.WorkTree, policyName)); err != nil {
		return nil, err
	}
	if w.own, err = policy.Parse(w.policy.data); err != nil {
		return nil, facts.NamePolicy(w.policy.path, err)
	}
	if w.ignore, err = readFile(filepath.Join(o.Repo.WorkTree, ignoreName)); err != nil {
		return nil, err
	}
	if err := w.lookAtHead(ctx); err != nil {
		return nil, err
	}
	if err := w.lookAtFleet(ctx); err != nil {
		return nil, err
	}
	return w, w.lookAtTrunk(ctx)
}

func checkPrefix(o Options) error {
	if o.Prefix == "" {
		return nil
	}
	if o.Remote == "" {
		return problemf("name the remote too: --remote R", "--prefix is where the fleet's refs live on a remote")
	}
	var bad policy.Errors
	if _, err := policy.Parse(policy.TemplateFleet("fleet", o.Prefix)); errors.As(err, &bad) {
		return problemf("for example --prefix refs/heads/dos", "--prefix %q: %s", o.Prefix, bad[0].Message)
	}
	return nil
}

func (w *work) lookAtHead(ctx context.Context) error {
	var err error
	if w.branch, err = ancestry.Symbolic(ctx, w.Repo.Git, "HEAD"); err != nil {
		return err
	}
	w.head, _, err = w.Repo.FileAt(ctx, "HEAD", policyName)
	w.inHead = err == nil
	if err != nil && !errors.Is(err, refstore.ErrNoCommit) && !errors.Is(err, refstore.ErrNoFile) {
		return err
	}
	w.division, err = divide(ctx, w.Repo, w.head == "")
	return err
}

// lookAtFleet finds the trunk of the fleet's remote: the one that is asked
// for, else the one that is set already.
func (w *work) lookAtFleet(ctx context.Context) error {
	c, err := w.Repo.Config()
	if err != nil {
		return err
	}
	remote := w.Remote
	if remote == "" {
		remote = c.Get("dos.remote")
	}
	if !slices.Contains(c.Remotes(), remote) {
		if w.Remote == "" {
			return nil
		}
		return problemf("git remote -v lists the remotes; git remote add "+w.Remote+" URL adds one", "no remote named %q is configured", w.Remote)
	}
	w.trunk, err = facts.RemoteTrunk(ctx, w.Repo, remote, w.own)
	switch {
	case err == nil:
	case w.Remote == "":
		return nil // the fleet was not asked about
	case errors.Is(err, facts.ErrNoTrunk):
		if w.trunk, err = w.askForTrunk(ctx, err); err != nil {
			return err
		}
	default:
		return err
	}
	if err := w.readTrunk(ctx); err != nil {
		return err
	}
	w.prefix, err = w.fleetPrefix()
	return err
}

// askForTrunk asks the remote for the branch that nothing here names. On a
// remote without any branch it is the one of the main worktree.
func (w *work) askForTrunk(ctx context.Context, unknown error) (facts.Trunk, error) {
	branch, empty, err := w.desk.RemoteHead(ctx, w.Remote)
	if err != nil {
		return facts.Trunk{}, err
	}
	if branch == "" && empty {
		if branch, err = w.mainBranch(ctx); err != nil {
			return facts.Trunk{}, err
		}
	}
	switch {
	case branch == "":
		return facts.Trunk{}, unknown
	case !empty && branch != "refs/heads/main" && branch != "refs/heads/master":
		w.setHead = true
	}
	return facts.Trunk{Branch: branch, Ref: "refs/remotes/" + w.Remote + "/" + strings.TrimPrefix(branch, "refs/heads/")}, nil
}

// readTrunk reads the trunk's dos.toml as last fetched.
func (w *work) readTrunk(ctx context.Context) error {
	w.onTrunk = nil
	id, data, err := w.Repo.FileAt(ctx, w.trunk.Ref, policyName)
	w.trunk.ID = id
	if errors.Is(err, refstore.ErrNoCommit) || errors.Is(err, refstore.ErrNoFile) {
		return nil
	}
	if err != nil {
		return err
	}
	p, err := policy.Parse(data)
	if err != nil {
		return facts.NamePolicy(w.trunk.Ref+" at "+id.Short()+":"+policyName, err)
	}
	w.onTrunk = &p
	return nil
}

// fleetPrefix is where the fleet's refs live on its remote: what dos.toml
// says, here or on the trunk, else the flag.
func (w *work) fleetPrefix() (string, error) {
	stated := ""
	if w.own.Fleet.ID != "" {
		stated = w.own.Fleet.Prefix
	} else if w.onTrunk != nil && w.onTrunk.Fleet.ID != "" {
		stated = w.onTrunk.Fleet.Prefix
	}
	switch {
	case stated == "" && w.Prefix == "":
		return refstore.DefaultPrefix, nil
	case stated == "":
		return w.Prefix, nil
	case w.Prefix != "" && w.Prefix != stated:
		return "", problemf("leave --prefix out, or change it in dos.toml for the whole fleet", "--prefix %s: dos.toml has the fleet at %s", w.Prefix, stated)
	}
	return stated, nil
}
