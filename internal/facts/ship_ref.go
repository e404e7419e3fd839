package facts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// walked is what a walk begins from, with the policy that is in force there.
type walked struct {
	name   string // the full name of the ref, or the revision as it was given
	id     refstore.OID
	policy policy.Policy
}

// walkedRef resolves the ref to walk: the one asked for, else the trunk that
// admissions and pushes go by.
func walkedRef(ctx context.Context, repo *refstore.Repo, ref string) (walked, error) {
	files := repo.Files(ctx) // its git starts beside what is looked up first
	defer files.Close()
	if ref != "" {
		return readRef(ctx, repo, files, ref)
	}
	own, _, err := ownPolicy(ctx, repo)
	if err != nil {
		return walked{name: "HEAD"}, err
	}
	remote, err := fleetRemote(repo, own)
	if err != nil {
		return walked{}, err
	}
	if remote == "" {
		t, err := ownTrunk(ctx, repo, files, own)
		if err != nil && !errors.Is(err, refstore.ErrBroken) {
			return walked{name: firstOf(t.Ref, "HEAD")}, err
		}
		return readRef(ctx, repo, files, firstOf(t.Ref, "HEAD")) // which tells what is broken
	}
	t, err := (&trunkSearch{repo: repo, files: files, remote: remote}).find(ctx, own)
	if err != nil {
		return walked{name: "refs/remotes/" + remote + "/HEAD"}, err
	}
	at, err := readRef(ctx, repo, files, t.Ref)
	if errors.Is(err, ancestry.ErrNoRevision) {
		err = notFetched(t, remote)
	}
	return at, err
}

// ownTrunk is the trunk of a repository that belongs to no fleet. Where the HEAD
// of its remote is known here, or its main or master, the dos.toml of that says
// which branch it is,
// so that no branch a worker stands on can name itself: the branch here of that
// name, which is the one that pushes move, or the remote's HEAD itself where it
// says nothing. Otherwise the work tree's dos.toml says so, and else it is the
// current branch.
func ownTrunk(ctx context.Context, repo *refstore.Repo, files *refstore.FileReader, own policy.Policy) (Trunk, error) {
	remote, err := plainRemote(repo)
	if err != nil || remote == "" {
		return localTrunk(ctx, repo, own)
	}
	s := trunkSearch{repo: repo, files: files, remote: remote}
	head, err := s.usual(ctx)
	if err != nil || head == "" {
		return orLocal(ctx, repo, own, err)
	}
	stated, decided, err := s.stated(ctx, head)
	switch {
	case err != nil:
		return Trunk{Ref: head}, err
	case !decided && own.Trunk.Ref == "", decided && stated == "":
		return Trunk{Ref: head}, nil
	case decided:
		own.Trunk.Ref = stated
	}
	t, err := s.named(own.Trunk.Ref)
	if err != nil {
		return t, err
	}
	if !decided && t.Ref != head {
		return Trunk{Ref: head}, nil // only the branch in the work tree says otherwise
	}
	id, err := repo.RefID(ctx, t.Branch)
	if err == nil && id == "" {
		return t, nil // the branch is on the remote alone
	}
	own.Trunk.Ref = t.Branch
	return orLocal(ctx, repo, own, err)
}

func orLocal(ctx context.Context, repo *refstore.Repo, own policy.Policy, err error) (Trunk, error) {
	if err != nil {
		return Trunk{}, err
	}
	return localTrunk(ctx, repo, own)
}

// plainRemote is the remote of a repository without a fleet: the only one, or
// origin, else "".
func plainRemote(repo *refstore.Repo) (string, error) {
	c, err := repo.Config()
	if err != nil {
		return "", err
	}
	remotes := c.Remotes()
	switch {
	case len(remotes) == 1:
		return remotes[0], nil
	case slices.Contains(remotes, "origin"):
		return "origin", nil
	}
	return "", nil
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// readRef resolves a ref and reads its policy. A branch without a commit has a
// name and no id.
func readRef(ctx context.Context, repo *refstore.Repo, files *refstore.FileReader, ref string) (walked, error) {
	at := walked{name: ref, policy: policy.Default()}
	if !strings.HasPrefix(ref, "refs/") {
		full := ancestry.FullName(ctx, repo.Git, ref)
		if full == "" && ref != "HEAD" {
			names, err := ancestry.Refs(ctx, repo.Git, ref)
			if err != nil {
				return at, err
			}
			if len(names) > 1 {
				return at, &ShipRequestError{fmt.Errorf("%q may be %s: name one in full", ref, strings.Join(names, " or "))}
			}
		}
		at.name = firstOf(full, at.name)
	}
	if id, data, err := files.At(ctx, at.name, policyFile); err == nil {
		at.id = id
		at.policy, _, err = parsed(data, id.Short()+":"+policyFile, nil)
		return at, err
	}
	return searchRef(ctx, repo, at, ref) // which tells apart what may be wrong
}

// searchRef is readRef for a ref whose commit or dos.toml is not simply there.
func searchRef(ctx context.Context, repo *refstore.Repo, at walked, ref string) (walked, error) {
	id, err := ancestry.Resolve(ctx, repo.Git, ref)
	switch {
	case errors.Is(err, ancestry.ErrUnborn):
		if at.name, err = unbornName(ctx, repo, ref); err != nil {
			return at, err
		}
		at.policy, _, err = ownPolicy(ctx, repo)
		return at, err
	case err != nil:
		return at, err
	}
	at.id = id
	p, source, err := policyIn(ctx, repo, id)
	if err == nil && source == "" {
		p, _, err = ownPolicy(ctx, repo)
	}
	if err == nil {
		at.policy = p
	}
	return at, err
}

func unbornName(ctx context.Context, repo *refstore.Repo, ref string) (string, error) {
	head, err := ancestry.Symbolic(ctx, repo.Git, "HEAD")
	if err == nil && head == "" {
		head = ref
	}
	return head, err
}
