package receive

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// rules are what a push is judged by: the trunk and the dos.toml on it, as they
// stand before the push, so that no push changes what it is judged by.
type rules struct {
	trunk  string // full name of the branch, "" where HEAD is detached and none is stated
	tip    refstore.OID
	policy policy.Policy
	digest string // of the dos.toml, "" where there is none
	prefix string // of the refs of git-dos, "" for the default alone
}

// rulesOf reads the policy of the branch that HEAD names. Where that states another
// trunk, the policy is that trunk's. Without a dos.toml, or a trunk, the defaults
// stand in; one that cannot be read is an error.
func rulesOf(ctx context.Context, repo *refstore.Repo) (rules, error) {
	files := repo.Files(ctx)
	defer files.Close()
	head, known := repo.Head()
	branch := head.Branch
	if !known {
		var err error
		if branch, err = ancestry.Symbolic(ctx, repo.Git, "HEAD"); err != nil {
			return rules{}, fmt.Errorf("which branch HEAD names: %w", err)
		}
	}
	r, err := policyAt(ctx, files, branch)
	if err != nil || r.policy.Trunk.Ref == "" {
		return r, err
	}
	stated, err := named(ctx, repo, r.policy.Trunk.Ref)
	if err != nil || stated == branch {
		return r, err
	}
	return policyAt(ctx, files, stated)
}

// policyAt is the policy on a branch.
func policyAt(ctx context.Context, files *refstore.FileReader, branch string) (rules, error) {
	r := rules{trunk: branch, policy: policy.Default()}
	if branch == "" {
		return r, nil
	}
	id, data, err := files.At(ctx, branch, "dos.toml")
	r.tip = id
	switch {
	case errors.Is(err, refstore.ErrNoCommit), errors.Is(err, refstore.ErrNoFile):
		return r, nil
	case err != nil:
		return r, err
	}
	if r.policy, err = policy.Parse(data); err != nil {
		return r, fmt.Errorf("dos.toml of %s at %s: %w", strings.TrimPrefix(branch, "refs/heads/"), id.Short(), err)
	}
	r.prefix, r.digest = r.policy.Fleet.Prefix, fmt.Sprintf("%x", sha256.Sum256(data))
	return r, nil
}

// named is the branch here that a [trunk] ref means: main, or origin/main as a
// clone calls it.
func named(ctx context.Context, repo *refstore.Repo, ref string) (string, error) {
	name := strings.TrimPrefix(ref, "refs/heads/")
	if id, err := repo.RefID(ctx, "refs/heads/"+name); err != nil || id != "" {
		return "refs/heads/" + name, err
	}
	rest, remote := strings.CutPrefix(name, "refs/remotes/")
	if !remote && strings.HasPrefix(name, "refs/") {
		return "", fmt.Errorf("[trunk] ref %q is no branch", ref)
	}
	if _, short, ok := strings.Cut(rest, "/"); ok {
		if id, err := repo.RefID(ctx, "refs/heads/"+short); err != nil || id != "" || remote {
			return "refs/heads/" + short, err
		}
	}
	return "refs/heads/" + name, nil
}

// local is the local name of a ref of git-dos.
func (r rules) local(ref string) string {
	if r.prefix != "" {
		if name, ok := refstore.LocalName(r.prefix, ref); ok {
			return name
		}
	}
	return ref
}

// below is the prefix that lanes are kept under.
func (r rules) below() string {
	if r.prefix != "" {
		return r.prefix
	}
	return refstore.DefaultPrefix
}
