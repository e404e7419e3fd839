// Package facts turns a repository into evidence for the kernel: the rules that
// are in force, and what history says of units, plans, issues and branches.
//
// It changes nothing that anybody decides by: the ship index it keeps is a
// cache, and a suite runs in a folder of its own. What is not there and what
// cannot be read are told apart: the second is an error, or evidence that says
// so, and never reads as the first.
package facts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// policyFile is where the policy stands in a tree.
const policyFile = "dos.toml"

// Rules are the policy that admissions in a repository are decided under, and
// where it came from.
type Rules struct {
	Policy policy.Policy
	Source string // for people: a path, or a commit and a path; noPolicyFile without one
	Remote string // the fleet's remote, "" when the repository is its own authority
	Trunk  Trunk
}

// Stated reports whether a dos.toml states the policy, as opposed to the
// defaults standing in for one.
func (r Rules) Stated() bool { return r.Source != noPolicyFile }

// ErrNoFleetRemote means that dos.toml names a fleet and no remote could be
// told to be its own.
var ErrNoFleetRemote = errors.New("dos.toml names a fleet, and git config dos.remote names no remote")

// LoadRules reads the policy of a repository. With a fleet, that is the
// dos.toml on the trunk of the fleet's remote as last fetched, so that no
// branch can change what it is judged by. Without one it is the work tree's
// dos.toml (a bare repository's HEAD), or the defaults when there is none. A
// policy with errors is an error.
func LoadRules(ctx context.Context, repo *refstore.Repo) (Rules, error) {
	r, err := ownRules(ctx, repo)
	if err != nil {
		return Rules{}, err
	}
	if r.Remote == "" {
		if err := protectOwn(&r.Policy, func() ([]byte, error) { return localMod(ctx, repo) }); err != nil {
			return Rules{}, err
		}
		r.Trunk, err = localTrunk(ctx, repo, r.Policy)
		return r, err
	}
	return trunkRules(ctx, repo, r)
}

// LoadOwnRules is LoadRules for a caller that decides nothing and only looks:
// where the work tree's dos.toml names the fleet, or there is none, its copy of
// the policy serves and the trunk is left out, which saves two processes.
func LoadOwnRules(ctx context.Context, repo *refstore.Repo) (Rules, error) {
	r, err := ownRules(ctx, repo)
	if err != nil {
		return Rules{}, err
	}
	if r.Remote == "" || r.Policy.Fleet.ID != "" {
		return r, nil
	}
	return trunkRules(ctx, repo, r)
}

// ownRules is the work tree's policy, and the remote it leads to.
func ownRules(ctx context.Context, repo *refstore.Repo) (Rules, error) {
	own, source, err := ownPolicy(ctx, repo)
	if err != nil {
		return Rules{}, err
	}
	r := Rules{Policy: own, Source: source}
	r.Remote, err = fleetRemote(repo, own)
	return r, err
}

// noPolicyFile is the source of a policy that no file states.
const noPolicyFile = "defaults"

// ownPolicy is the policy of the work tree, in a bare repository that of HEAD.
func ownPolicy(ctx context.Context, repo *refstore.Repo) (policy.Policy, string, error) {
	f, err := ownFile(ctx, repo, policyFile)
	switch {
	case err != nil:
		return policy.Policy{}, "", err
	case f.source == "":
		return policy.Default(), noPolicyFile, nil
	}
	return parsed(f.data, f.source, nil)
}

// maxPolicy is what policy.Parse accepts; of a longer file enough is read for
// it to refuse.
const maxPolicy = 1 << 20

// policyIn is the policy that a commit holds; the source is "" when it holds
// none.
func policyIn(ctx context.Context, repo *refstore.Repo, id refstore.OID) (policy.Policy, string, error) {
	f, err := committedFile(ctx, repo, id, policyFile)
	if err != nil || f.source == "" {
		return policy.Policy{}, "", err
	}
	return parsed(f.data, f.source, nil)
}

func parsed(data []byte, source string, at *onTrunk) (policy.Policy, string, error) {
	p, err := policy.Parse(data)
	if err != nil {
		return policy.Policy{}, "", namePolicy(source, at, err)
	}
	return p, source, nil
}

// fleetRemote is the remote this clone coordinates through: the environment,
// then git config, then, in a fleet, the only remote there is. Whether it is
// really the fleet's is checked against the id it carries.
func fleetRemote(repo *refstore.Repo, own policy.Policy) (string, error) {
	c, err := repo.Config()
	if err != nil {
		return "", err
	}
	name := namedRemote(c)
	if name != "" || own.Fleet.ID == "" {
		return name, nil
	}
	if remotes := c.Remotes(); len(remotes) == 1 {
		return remotes[0], nil
	}
	return "", fmt.Errorf("%w: run git config dos.remote NAME", ErrNoFleetRemote)
}

func namedRemote(c refstore.Config) string {
	return cmp.Or(os.Getenv("GIT_DOS_REMOTE"), c.Get("dos.remote"))
}

// MayHaveFleet reports whether the settings leave it to dos.toml, at most, that a
// remote decides on the lanes.
func MayHaveFleet(c refstore.Config) bool { return namedRemote(c) != "" || len(c.Remotes()) == 1 }

// trunkRules replaces the work tree's policy with the trunk's.
func trunkRules(ctx context.Context, repo *refstore.Repo, r Rules) (Rules, error) {
	files := readTrunk(repo, r.Remote)
	defer files.close()
	search := &trunkSearch{repo: repo, files: files, remote: r.Remote, head: files.branch()}
	var err error
	if r.Trunk, err = search.find(ctx, r.Policy); err != nil {
		return Rules{}, err
	}
	branch := r.Trunk.Short()
	id, data, err := files.At(ctx, r.Trunk.Ref, policyFile)
	switch {
	case errors.Is(err, refstore.ErrNoCommit):
		return Rules{}, notFetched(r.Trunk, r.Remote)
	case errors.Is(err, refstore.ErrNoFile):
		return Rules{}, &TrunkError{
			Err:  fmt.Errorf("trunk %s of %s has no dos.toml", branch, r.Remote),
			Hint: fmt.Sprintf("git dos init --remote %s names the commands that commit and push it; then git fetch %s", r.Remote, r.Remote),
		}
	case err != nil:
		return Rules{}, err
	}
	r.Trunk.ID = id
	r.Source = search.source(id)
	r.Policy, err = search.parsed(data, id, branch)
	switch {
	case err != nil:
		return Rules{}, err
	case r.Policy.Fleet.ID == "":
		return Rules{}, &TrunkError{Err: fmt.Errorf("%s has no [fleet] id", r.Source), Hint: "git dos init --remote " + r.Remote}
	}
	if err = protectOwn(&r.Policy, func() ([]byte, error) { return commitMod(ctx, files, id) }); err == nil {
		files.keep(ctx)
	}
	return r, err
}
