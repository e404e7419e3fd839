package facts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

func TestOwnRepositoryIsToldByItsModule(t *testing.T) {
	for goMod, want := range map[string]bool{
		"module github.com/git-dos/git-dos\n":                           true,
		"// made by hand\r\n\r\nmodule  github.com/git-dos/git-dos\r\n": true,
		"module \"github.com/git-dos/git-dos\" // quoted\n":             true,
		"module `github.com/git-dos/git-dos`":                           true,
		"":                                                              false,
		"module":                                                        false,
		"module github.com/git-dos/git-dos/v2\n":                        false,
		"module example.com/fork\nrequire github.com/git-dos/git-dos v1.0.0\n": false,
		"module example.com/fork\nmodule github.com/git-dos/git-dos\n":         false,
		"// module github.com/git-dos/git-dos\nmodule example.com/x\n":         false,
		"require github.com/git-dos/git-dos v1.0.0\n":                          false,
		"module (\n\tgithub.com/git-dos/git-dos\n)\n":                          false,
		"modulegithub.com/git-dos/git-dos\n":                                   false,
		"module github.com/git-dos/git-dos extra\n":                            false,
	} {
		if got := ownRepository([]byte(goMod)); got != want {
			t.Errorf("%q: %v, want %v", goMod, got, want)
		}
	}
}

func TestProtectOwn(t *testing.T) {
	own := func() ([]byte, error) { return []byte("module " + ownModule + "\n"), nil }
	tests := []struct {
		claim, toml string
		goMod       func() ([]byte, error)
		want        []string
		fails       bool
	}{
		{"git-dos's own repository protects what it runs on", "", own, ownProtected, false},
		{"any other protects nothing", "", func() ([]byte, error) { return []byte("module x\n"), nil }, nil, false},
		{"one without a go.mod protects nothing", "", func() ([]byte, error) { return nil, nil }, nil, false},
		{"a stated list stands", "[admission]\nself_modify = [\"x/**\"]\n", own, []string{"x/**"}, false},
		{"a stated empty list stands", "[admission]\nself_modify = []\n", own, nil, false},
		{"a go.mod that cannot be read is no answer", "", func() ([]byte, error) { return nil, errors.New("gone") }, nil, true},
	}
	for _, tt := range tests {
		p, err := policy.Parse([]byte(tt.toml))
		if err != nil {
			t.Fatal(err)
		}
		err = protectOwn(&p, tt.goMod)
		if (err != nil) != tt.fails || !slices.Equal(p.Admission.SelfModify, tt.want) {
			t.Errorf("%s: %q, %v; want %q", tt.claim, p.Admission.SelfModify, err, tt.want)
		}
	}
}

// What is no file is no go.mod; what is one and cannot be read is an error.
func TestLocalMod(t *testing.T) {
	repo := &refstore.Repo{WorkTree: t.TempDir()}
	check := func(claim, want string, fails bool) {
		t.Helper()
		if data, err := localMod(context.Background(), repo); string(data) != want || (err != nil) != fails {
			t.Errorf("%s: %q, %v", claim, data, err)
		}
	}
	check("none there", "", false)
	path := filepath.Join(repo.WorkTree, modFile)
	for _, tt := range []struct {
		claim, want string
		make        func() error
		fails       bool
	}{
		{"a directory", "", func() error { return os.Mkdir(path, 0o700) }, false},
		{"a link to nothing", "", func() error { return os.Symlink("nowhere", path) }, true},
		{"a link to itself", "", func() error { return os.Symlink(path, path) }, true},
		{"a file", "module x\n", func() error { return os.WriteFile(path, []byte("module x\n"), 0o600) }, false},
	} {
		if err := tt.make(); err != nil {
			t.Fatal(err)
		}
		check(tt.claim, tt.want, tt.fails)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// The go.mod that counts stands beside the dos.toml that counts: the work
// tree's, HEAD's in a bare repository, and the trunk's in a fleet.
func TestRulesOfGitDosProtectWhatItRunsOn(t *testing.T) {
	h := newHistory(t)
	bare, clone := filepath.Join(t.TempDir(), "bare.git"), filepath.Join(t.TempDir(), "clone")
	check := func(claim, dir string, want bool) {
		t.Helper()
		r, err := rulesOf(t, dir)
		if err != nil {
			t.Errorf("%s: %v", claim, err)
			return
		}
		if got := slices.Equal(r.Policy.Admission.SelfModify, ownProtected); got != want || !got && len(r.Policy.Admission.SelfModify) > 0 {
			t.Errorf("%s: self_modify is %q", claim, r.Policy.Admission.SelfModify)
		}
		repo, err := refstore.Open(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if own, err := OwnRepository(context.Background(), repo, r); own != want || err != nil {
			t.Errorf("%s: OwnRepository %v, %v", claim, own, err)
		}
	}
	check("an empty repository is not git-dos's", h.dir, false)
	h.commit("rules", "dos.toml", fiveMinutes)
	h.git("clone", "-q", "--bare", h.dir, bare)
	check("one without a go.mod neither", bare, false)
	h.commit("source", modFile, "module "+ownModule+"\n")
	check("a work tree with its go.mod is", h.dir, true)
	h.git("push", "-q", bare, "HEAD")
	check("and a bare repository that has it on HEAD", bare, true)

	h.commit("fleet", "dos.toml", ofAFleet)
	h.git("clone", "-q", h.dir, clone)
	check("a fleet that has it on the trunk is", clone, true)
	if err := os.Remove(filepath.Join(clone, modFile)); err != nil {
		t.Fatal(err)
	}
	check("whatever the work tree lacks", clone, true)
	h.commit("fork", modFile, "module example.com/fork\n")
	h.at(clone, "fetch", "-q")
	if err := os.WriteFile(filepath.Join(clone, modFile), []byte("module "+ownModule+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("or has", clone, false)
}
