package facts

import (
	"context"
	"errors"
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
		t := Trunk{}
		if t.Ref, err = remoteHead(ctx, repo, own); err == nil && t.Ref == "" {
			t, err = localTrunk(ctx, repo, own)
		}
		if err == nil && t.Ref == "" {
			t.Ref = "HEAD"
		}
		if err != nil && !errors.Is(err, refstore.ErrBroken) {
			return walked{name: t.Ref}, err
		}
		return readRef(ctx, repo, files, t.Ref) // which tells what is broken
	}
	t, err := (&trunkSearch{repo, files, remote}).find(ctx, own)
	if err != nil {
		return walked{name: "refs/remotes/" + remote + "/HEAD"}, err
	}
	at, err := readRef(ctx, repo, files, t.Ref)
	if errors.Is(err, ancestry.ErrNoRevision) {
		err = notFetched(t, remote)
	}
	return at, err
}

// remoteHead is the trunk of a repository that belongs to no fleet and states
// none: the HEAD of its remote as it is known here, so that the branch a worker
// happens to stand on ships nothing. It is "" without one.
func remoteHead(ctx context.Context, repo *refstore.Repo, own policy.Policy) (string, error) {
	c, err := repo.Config()
	if err != nil || own.Trunk.Ref != "" {
		return "", err
	}
	remotes := c.Remotes()
	remote := "origin"
	if len(remotes) == 1 {
		remote = remotes[0]
	} else if !slices.Contains(remotes, remote) {
		return "", nil
	}
	return ancestry.Symbolic(ctx, repo.Git, "refs/remotes/"+remote+"/HEAD")
}

// readRef resolves a ref and reads its policy. A branch without a commit has a
// name and no id.
func readRef(ctx context.Context, repo *refstore.Repo, files *refstore.FileReader, ref string) (walked, error) {
	at := walked{name: ref, policy: policy.Default()}
	if !strings.HasPrefix(ref, "refs/") {
		if full := ancestry.FullName(ctx, repo.Git, ref); full != "" {
			at.name = full
		}
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
