package suite

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/refstore"
)

// A scratch is a repository driven by real git.
type scratch struct {
	t   testing.TB
	dir string
}

func newScratch(t testing.TB, args ...string) scratch {
	t.Helper()
	home := githome.Alone(t)
	t.Setenv("TMPDIR", t.TempDir())
	s := scratch{t, filepath.Join(home, "repo")}
	s.at(home, append([]string{"init", "-q", "-b", "main", s.dir}, args...)...)
	return s
}

func (s scratch) git(args ...string) string { s.t.Helper(); return s.at(s.dir, args...) }

func (s scratch) at(dir string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files, given as path and text, and commits them all.
func (s scratch) commit(files ...string) refstore.OID {
	s.t.Helper()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(s.dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(files[i+1], "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(files[i+1]), mode); err != nil {
			s.t.Fatal(err)
		}
	}
	s.git("add", "-A")
	s.git("commit", "-q", "--allow-empty", "-m", "x")
	return refstore.OID(s.git("rev-parse", "HEAD"))
}

func (s scratch) open(dir string) *refstore.Repo {
	s.t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		s.t.Fatal(err)
	}
	return repo
}

func (s scratch) shell(id refstore.OID, script string) Result {
	s.t.Helper()
	return s.run(s.open(s.dir), id, "sh", "-c", script)
}

func (s scratch) run(repo *refstore.Repo, id refstore.OID, command ...string) Result {
	s.t.Helper()
	r, err := Run(context.Background(), repo, id, command, time.Minute)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// nothingLeft checks that no checkout was left behind.
func nothingLeft(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestTheCommandSeesTheTreeAndNothingElse(t *testing.T) {
	s := newScratch(t)
	old := s.commit("a/file", "one\n", "gone", "x\n")
	s.git("rm", "-q", "gone")
	tip := s.commit("a/file", "two\n")
	if err := os.WriteFile(filepath.Join(s.dir, "untracked"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "a/file"), []byte("edited\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	status := s.git("status", "--porcelain")
	for id, want := range map[refstore.OID]string{tip: "a a/file two", old: "a a/file gone one", refstore.OID(s.git("rev-parse", "HEAD^{tree}")): "a a/file two"} {
		r := s.shell(id, "find . -mindepth 1 | sort | sed s:^./:: && cat a/file")
		if got := strings.Join(strings.Fields(r.Output), " "); got != want || !r.Passed() {
			t.Errorf("%s: %q, exit %d; want %q", id.Short(), got, r.Exit, want)
		}
		if string(r.Tree) != s.git("rev-parse", string(id)+"^{tree}") {
			t.Errorf("tree %s", r.Tree)
		}
	}
	if got := s.git("status", "--porcelain"); got != status {
		t.Errorf("the work tree's status changed from %q to %q", status, got)
	}
	if out := s.git("count-objects", "-v"); strings.Contains(out, "tmp") {
		t.Error(out)
	}
	nothingLeft(t)
}

func TestHowTheCommandEndedIsTold(t *testing.T) {
	s := newScratch(t)
	tip := s.commit("ok", "#!/bin/sh\necho fine\n", "plain", "no program\n", "noexec", "#! no\n")
	repo := s.open(s.dir)
	for claim, c := range map[string]struct {
		command []string
		exit    int
		output  string
	}{
		"success":                                  {[]string{"sh", "-c", "echo out; echo err >&2"}, 0, "out\nerr\n"},
		"failure":                                  {[]string{"sh", "-c", "exit 7"}, 7, ""},
		"a signal":                                 {[]string{"sh", "-c", "kill -9 $$"}, -1, ""},
		"a program of the tree":                    {[]string{"./ok"}, 0, "fine\n"},
		"a program that the tree does not have":    {[]string{"./none"}, 127, "fork/exec ./none: no such file or directory"},
		"a file that is no program":                {[]string{"./plain"}, 126, "fork/exec ./plain: permission denied"},
		"nothing comes from standard input":        {[]string{"cat"}, 0, ""},
		"no word is read as an option or by shell": {[]string{"echo", "$HOME", "*"}, 0, "$HOME *\n"},
	} {
		r := s.run(repo, tip, c.command...)
		if r.Exit != c.exit || r.Output != c.output || r.Passed() != (c.exit == 0) || r.TimedOut {
			t.Errorf("%s: exit %d, %q; want %d, %q", claim, r.Exit, r.Output, c.exit, c.output)
		}
	}
	if (Result{}).Passed() {
		t.Error("what did not run has passed")
	}
	nothingLeft(t)
}

func TestWhatDidNotRunIsAnError(t *testing.T) {
	s := newScratch(t)
	tip := s.commit("a", "x")
	repo := s.open(s.dir)
	blob := refstore.OID(s.git("rev-parse", "HEAD:a"))
	for claim, c := range map[string]struct {
		id      refstore.OID
		command []string
		want    error
	}{
		"a command this machine does not have":   {tip, []string{"no-such-program-here"}, ErrNoProgram},
		"a tree that is not here":                {refstore.OID(strings.Repeat("1", 40)), []string{"true"}, ErrMissing},
		"an object that is no tree":              {blob, []string{"true"}, ErrMissing},
		"an absolute path that is not here":      {tip, []string{"/no/such/program"}, os.ErrNotExist},
		"no command":                             {tip, nil, nil},
		"an empty word":                          {tip, []string{""}, nil},
		"a name where a full object id must be":  {"HEAD", []string{"true"}, nil},
		"an option where an object id should be": {"--all", []string{"true"}, nil},
	} {
		r, err := Run(context.Background(), repo, c.id, c.command, time.Minute)
		if err == nil || c.want != nil && !errors.Is(err, c.want) || r.Passed() {
			t.Errorf("%s: %v, passed %v; want %v", claim, err, r.Passed(), c.want)
		}
	}
	nothingLeft(t)
}

// A file of the tree that is missing must not make an incomplete checkout.
func TestAMissingFileIsNotLeftOut(t *testing.T) {
	s := newScratch(t)
	tip := s.commit("a", "some text\n", "b", "other\n")
	blob := s.git("rev-parse", "HEAD:a")
	if err := os.Remove(filepath.Join(s.dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), s.open(s.dir), tip, []string{"true"}, time.Minute); !errors.Is(err, ErrMissing) {
		t.Errorf("%v, want ErrMissing", err)
	}
	nothingLeft(t)
}

func TestEveryShapeOfRepository(t *testing.T) {
	for claim, open := range map[string]func(s scratch) *refstore.Repo{
		"plain":       func(s scratch) *refstore.Repo { return s.open(s.dir) },
		"a subfolder": func(s scratch) *refstore.Repo { return s.open(filepath.Join(s.dir, "sub")) },
		"bare": func(s scratch) *refstore.Repo {
			s.git("clone", "-q", "--bare", ".", "../bare")
			return s.open(s.dir + "/../bare")
		},
		"linked worktree": func(s scratch) *refstore.Repo {
			s.git("worktree", "add", "-q", "../wt")
			return s.open(s.dir + "/../wt")
		},
		"sparse checkout": func(s scratch) *refstore.Repo { s.git("sparse-checkout", "set", "sub"); return s.open(s.dir) },
		"borrowed objects": func(s scratch) *refstore.Repo {
			s.git("clone", "-q", "--shared", ".", "../shared")
			return s.open(s.dir + "/../shared")
		},
		"inside a hook": func(s scratch) *refstore.Repo {
			for name, value := range map[string]string{"GIT_DIR": s.dir + "/.git", "GIT_INDEX_FILE": s.dir + "/.git/index", "GIT_WORK_TREE": s.dir, "GIT_PREFIX": "sub/"} {
				s.t.Setenv(name, value)
			}
			return s.open("")
		},
	} {
		for _, format := range []string{"sha1", "sha256"} {
			t.Run(claim+" "+format, func(t *testing.T) {
				s := newScratch(t, "--object-format="+format)
				tip := s.commit("top", "1\n", "sub/file", "2\n")
				index := filepath.Join(s.dir, ".git", "index")
				before, _ := os.ReadFile(index)
				repo := open(s)
				if claim != "sparse checkout" {
					defer func() {
						if after, _ := os.ReadFile(index); string(after) != string(before) {
							t.Error("the repository's index changed")
						}
					}()
				}
				r := s.run(repo, tip, "sh", "-c", "cat top sub/file; env | grep '^GIT_' | sort")
				want := "1\n2\n"
				if !strings.HasPrefix(r.Output, want) || strings.Contains(r.Output, "GIT_DIR") || strings.Contains(r.Output, "GIT_INDEX_FILE") || strings.Contains(r.Output, "GIT_WORK_TREE") {
					t.Errorf("%q", r.Output)
				}
			})
		}
	}
}
