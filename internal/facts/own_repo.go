package facts

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// ownModule is the module of git-dos itself, and modFile where a tree says
// which module it is.
const (
	ownModule = "github.com/git-dos/git-dos"
	modFile   = "go.mod"
)

// ownProtected is what decides admission in git-dos's own repository.
var ownProtected = []string{"kernel/", "refstore/", "hooks/", "cmd/git-dos/", "dos.toml"}

// OwnProtected lists the entries that admission.self_modify holds by default in
// git-dos's own repository.
func OwnProtected() []string { return slices.Clone(ownProtected) }

// protectOwn fills the default of admission.self_modify that depends on which
// repository it is: in git-dos's own, what it runs on. A list that the policy
// states stands. goMod reads the go.mod of the tree that the policy came from,
// nil when that has none, and is not asked where the answer cannot matter.
func protectOwn(p *policy.Policy, goMod func() ([]byte, error)) error {
	if p.Stated("admission.self_modify") {
		return nil
	}
	data, err := goMod()
	if err == nil && ownRepository(data) {
		p.Admission.SelfModify = OwnProtected()
	}
	return err
}

// ownRepository reports whether a go.mod declares git-dos's own module.
func ownRepository(goMod []byte) bool {
	for line := range strings.Lines(string(goMod)) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "module" {
			continue
		}
		if len(words) != 2 {
			return false
		}
		name, err := strconv.Unquote(words[1])
		if err != nil {
			name = words[1]
		}
		return name == ownModule
	}
	return false
}

// commitMod reads the go.mod of a commit through a reader that is open anyway.
func commitMod(ctx context.Context, files treeReader, id refstore.OID) ([]byte, error) {
	_, data, err := files.At(ctx, string(id), modFile)
	if errors.Is(err, refstore.ErrNoFile) {
		return nil, nil
	}
	return data, err
}

// localMod reads the go.mod beside the policy of a repository without a fleet.
// What has its name and is no file is none.
func localMod(ctx context.Context, repo *refstore.Repo) ([]byte, error) {
	f, err := ownFile(ctx, repo, modFile)
	if errors.Is(err, errNotAFile) {
		return nil, nil
	}
	return f.data, err
}

// OwnRepository reports whether the tree that rules came from is git-dos's own
// source: its go.mod declares the module.
func OwnRepository(ctx context.Context, repo *refstore.Repo, rules Rules) (bool, error) {
	if rules.Remote == "" {
		data, err := localMod(ctx, repo)
		return ownRepository(data), err
	}
	files := repo.Files(ctx)
	defer files.Close()
	data, err := commitMod(ctx, files, rules.Trunk.ID)
	return ownRepository(data), err
}
