package facts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// A GatePolicy is the policy that gates judge by.
type GatePolicy struct {
	Policy policy.Policy
	Source string // for people: a commit and a path, or "defaults"
	Digest string // SHA-256 of the file in hex, "" for the defaults
	Remote string // the fleet's, "" without one
	Trunk  Trunk  // its Ref is where the policy was read, "" where there is no such ref
}

// LoadGatePolicy reads the policy that gates judge by: the dos.toml committed on
// the trunk, which is the remote-tracking ref wherever the trunk of a remote is
// known here. Neither the work tree nor a branch has a say in what it is judged
// by. A trunk that has no dos.toml turns no gate off: then the defaults hold,
// since whoever armed a hook asked for gates.
//
// A trunk that is not here is a *TrunkError.
func LoadGatePolicy(ctx context.Context, repo *refstore.Repo) (GatePolicy, error) {
	own, _, err := ownPolicy(ctx, repo)
	if err != nil {
		own = policy.Default() // a broken file in the work tree has no say either
	}
	g := GatePolicy{Policy: policy.Default(), Source: noPolicyFile}
	if g.Remote, err = fleetRemote(repo, own); err != nil {
		return g, err
	}
	files := repo.Files(ctx)
	defer files.Close()
	if g.Remote == "" {
		g.Trunk, err = plainTrunk(ctx, repo, files, own)
	} else {
		g.Trunk, err = (&trunkSearch{repo: repo, files: files, remote: g.Remote}).find(ctx, own)
	}
	if err != nil || g.Trunk.Ref == "" {
		return g, err
	}
	return g, g.read(ctx, repo, files)
}

// plainTrunk is the trunk of a repository without a fleet: as its remote has it,
// where that is known here.
func plainTrunk(ctx context.Context, repo *refstore.Repo, files *refstore.FileReader, own policy.Policy) (Trunk, error) {
	t, err := ownTrunk(ctx, repo, files, own)
	if err != nil {
		return t, err
	}
	remote, err := plainRemote(repo)
	if err != nil || remote == "" {
		return t, err
	}
	tracking := "refs/remotes/" + remote + "/"
	if short, ok := strings.CutPrefix(t.Ref, tracking); ok {
		t.Branch = "refs/heads/" + short
		return t, nil
	}
	id, err := repo.RefID(ctx, tracking+t.Short())
	if err == nil && id != "" && t.Branch != "" {
		t.Ref = tracking + t.Short()
	}
	return t, err
}

// read reads the dos.toml at the trunk.
func (g *GatePolicy) read(ctx context.Context, repo *refstore.Repo, files *refstore.FileReader) error {
	id, data, err := files.At(ctx, g.Trunk.Ref, policyFile)
	switch {
	case errors.Is(err, refstore.ErrNoCommit):
		return g.absent(ctx, repo)
	case errors.Is(err, refstore.ErrNoFile):
		g.Trunk.ID = id
		_, source, err := policyIn(ctx, repo, id) // tells a file that is missing from one that never was
		if err == nil && source != "" {
			err = errors.New(source + " cannot be read")
		}
		return err
	case err != nil:
		return err
	}
	g.Trunk.ID = id
	p, source, err := parsed(data, id.Short()+":"+policyFile, nil)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	g.Policy, g.Source, g.Digest = p, source, hex.EncodeToString(sum[:])
	return nil
}

// absent is about a trunk that names no commit here: an unborn branch has no
// policy yet, and what else it may be is an error.
func (g *GatePolicy) absent(ctx context.Context, repo *refstore.Repo) error {
	id, err := repo.RefID(ctx, g.Trunk.Ref)
	switch {
	case err != nil:
		return err
	case id != "":
		return errors.New(g.Trunk.Ref + " names a commit that cannot be read")
	case g.Remote != "":
		return notFetched(g.Trunk, g.Remote)
	}
	g.Trunk.Ref = ""
	return nil
}
