package worktree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore"
)

// A scratch is a repository driven by real git, apart from the configuration of
// whoever runs the test.
type scratch struct {
	t   *testing.T
	dir string
}

func newScratch(t *testing.T) *scratch {
	t.Helper()
	s := alone(t)
	s.run("git", "init", "-q", "-b", "main", s.dir)
	return s
}

// alone is a scratch without a repository.
func alone(t *testing.T) *scratch {
	t.Helper()
	githome.Alone(t)
	return &scratch{t, filepath.Join(t.TempDir(), "repo")}
}

// bases holds a repository for each set of files that based was asked for.
var bases string

func TestMain(m *testing.M) {
	var err error
	if bases, err = os.MkdirTemp("", "worktree-bases-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(bases)
	os.Exit(code)
}

// based is a scratch whose first commit has these files. It is copied from the
// first one that was made of them.
func based(t *testing.T, files ...string) *scratch {
	t.Helper()
	master := filepath.Join(bases, fmt.Sprintf("%x", strings.Join(files, "\x00")))
	s := alone(t)
	if _, err := os.Stat(master); err != nil {
		first := &scratch{t, master}
		first.run("git", "init", "-q", "-b", "main", master)
		first.write(files...)
		first.git("add", "-A")
		first.git("commit", "-q", "-m", "base")
	}
	if err := os.CopyFS(s.dir, os.DirFS(master)); err != nil {
		t.Fatal(err)
	}
	s.git("update-index", "-q", "--refresh")
	return s
}

func (s *scratch) run(name string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command(name, args...)
	if st, err := os.Stat(s.dir); err == nil && st.IsDir() {
		cmd.Dir = s.dir
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%s %q: %v: %s", name, args, err, errs.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (s *scratch) git(args ...string) string { s.t.Helper(); return s.run("git", args...) }

// write writes files with the given content.
func (s *scratch) write(files ...string) {
	s.t.Helper()
	for i := 0; i < len(files); i += 2 {
		p := filepath.Join(s.dir, files[i])
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(files[i+1]), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *scratch) link(text, at string) {
	s.t.Helper()
	p := filepath.Join(s.dir, at)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Symlink(text, p); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scratch) remove(paths ...string) {
	s.t.Helper()
	for _, p := range paths {
		if err := os.RemoveAll(filepath.Join(s.dir, p)); err != nil {
			s.t.Fatal(err)
		}
	}
}

// hook installs a hook, a shell script.
func (s *scratch) hook(name, script string) {
	s.t.Helper()
	p := filepath.Join(s.dir, ".git", "hooks", name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scratch) index() string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, ".git", "index"))
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return string(data)
}

// tree opens the work tree from a directory below the top, "" for the top.
func (s *scratch) tree(below string) *Tree {
	s.t.Helper()
	repo, err := refstore.Open(context.Background(), filepath.Join(s.dir, below))
	if err != nil {
		s.t.Fatal(err)
	}
	tr, err := Open(context.Background(), repo)
	if err != nil {
		s.t.Fatal(err)
	}
	return tr
}

// ask is one commit: its paths, its lane and the lane's tree.
type ask struct {
	below string
	paths []string
	lane  []string // the tree of a lane; nil without one
}

func (s *scratch) try(a ask) (scope.CommitVerdict, error) {
	s.t.Helper()
	ctx := context.Background()
	t := s.tree(a.below)
	named, err := t.Named(a.paths)
	if err != nil {
		return scope.CommitVerdict{}, err
	}
	name := ""
	if a.lane != nil {
		name = "l"
	}
	d, err := t.Draft(ctx, named, name, a.lane)
	if err != nil {
		return scope.CommitVerdict{}, err
	}
	return d.Commit(ctx, []byte("subject\n\nbody\n"))
}

// commit wants the commit to land with exactly these paths.
func (s *scratch) commit(a ask, want ...string) {
	s.t.Helper()
	v, err := s.try(a)
	if err != nil || v.Outcome != scope.Committed {
		s.t.Fatalf("%q: %v, %v", a.paths, v, err)
	}
	if got := s.changed(); !slices.Equal(got, want) || v.Commit != s.git("rev-parse", "HEAD") {
		s.t.Fatalf("the commit holds %q, want %q; verdict %+v", got, want, v)
	}
}

// changed lists what HEAD changed.
func (s *scratch) changed() []string {
	s.t.Helper()
	out := s.git("diff-tree", "-r", "--root", "-z", "--name-only", "--no-renames", "--no-commit-id", "HEAD")
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
}

// refuse wants a refusal or a race of this class, and HEAD and the index as
// they were unless a commit was made.
func (s *scratch) refuse(a ask, class string, files ...string) scope.CommitVerdict {
	s.t.Helper()
	index := s.index()
	v, err := s.try(a)
	if err != nil {
		s.t.Fatalf("%q: %v", a.paths, err)
	}
	if v.ReasonClass != class || !slices.Equal(v.RefusedFiles, files) || v.ExitCode() != 3 {
		s.t.Fatalf("%q: %+v; want %s over %q", a.paths, v, class, files)
	}
	if v.Outcome == scope.Refused && s.index() != index {
		s.t.Errorf("%q: the refusal changed the index", a.paths)
	}
	return v
}

// status is what git status says, in short.
func (s *scratch) status() string { s.t.Helper(); return s.git("status", "--porcelain") }
