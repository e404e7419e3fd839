//go:build unix

package hookset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/refstore"
)

// TestMain is also what hook files call as git dos hooks chain.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "real" {
		a := os.Args[3:] // --program P --before|--after FILE -- HOOK ZERO ARGS
		c := Chain{Program: a[1], Order: Order(strings.TrimPrefix(a[2], "--")), Chained: a[3], Hook: a[5], Zero: a[6], Args: a[7:],
			Patience: 5 * time.Second, In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
		code, err := c.Run(context.Background())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 2
		}
		os.Exit(code)
	}
	os.Exit(githome.Run(m, nil))
}

// recorder stands in for git-dos: it writes down how it was called, and ends
// with the status in the file "status" beside it.
const recorder = `#!/bin/sh
me=${0%/*}
case "$1 $2" in "hooks chain") exec "$me/real" "$@";; esac
{ printf 'argv'; printf ' <%s>' "$@"; echo; printf 'input '; cat; echo; } >> "$me/calls"
exit "$(cat "$me/status" 2>/dev/null || echo 0)"
`

// fakeProgram makes a recorder and returns its path.
func fakeProgram(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "git-dos")
	writeFile(t, path, recorder, 0o755)
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(filepath.Dir(path), "real"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func writeFile(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func newRepo(t *testing.T) *refstore.Repo {
	t.Helper()
	dir := t.TempDir()
	githome.Git(t, dir, "init", "-q", "-b", "main")
	githome.Git(t, dir, "commit", "-q", "--allow-empty", "--no-verify", "-m", "root")
	return open(t, dir)
}

func open(t *testing.T, dir string) *refstore.Repo {
	t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

func install(t *testing.T, repo *refstore.Repo, q Request) Installation {
	t.Helper()
	if q.Program == "" {
		q.Program = "/opt/bin/git-dos"
	}
	i, err := Install(context.Background(), repo, q)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func uninstall(t *testing.T, repo *refstore.Repo) Removal {
	t.Helper()
	r, err := Uninstall(context.Background(), repo)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func see(t *testing.T, repo *refstore.Repo) Look {
	t.Helper()
	l, err := See(context.Background(), repo)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func hookOf(t *testing.T, l Look, name string) Hook {
	t.Helper()
	for _, h := range l.Hooks {
		if h.Name == name {
			return h
		}
	}
	t.Fatalf("no %s in %v", name, l.Hooks)
	return Hook{}
}

// snapshot tells every file below some folders: name, mode, link and bytes.
func snapshot(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			text := info.Mode().String()
			if info.Mode()&fs.ModeSymlink != 0 {
				link, _ := os.Readlink(path)
				text += " -> " + link
			}
			if info.Mode().IsRegular() {
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				text += fmt.Sprintf(" %q", data)
				if d.Name() != "config" { // git writes it anew
					text += info.ModTime().String()
				}
			}
			all[path] = text
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func sameSnapshot(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for path, text := range got {
		if want[path] != text {
			t.Errorf("%s: %s is %.300s, was %.300s", what, path, text, want[path])
		}
	}
	for path := range want {
		if _, ok := got[path]; !ok {
			t.Errorf("%s: %s is gone", what, path)
		}
	}
}

// The folders in which an installation leaves traces.
func traces(repo *refstore.Repo) []string {
	return []string{filepath.Join(repo.CommonDir, "hooks"), filepath.Join(repo.CommonDir, "dos"), filepath.Join(repo.CommonDir, "config"), filepath.Join(repo.WorkTree, ".husky")}
}

func TestUninstallPutsBackEveryByteModeAndLink(t *testing.T) {
	before := map[string]func(t *testing.T, repo *refstore.Repo){
		"nothing":            func(*testing.T, *refstore.Repo) {},
		"no folder of hooks": func(t *testing.T, repo *refstore.Repo) { _ = os.RemoveAll(filepath.Join(repo.CommonDir, "hooks")) },
		"a script": func(t *testing.T, repo *refstore.Repo) {
			writeFile(t, filepath.Join(repo.CommonDir, "hooks", "pre-push"), "#!/bin/sh\nexit 0\n", 0o751)
		},
		"a program": func(t *testing.T, repo *refstore.Repo) {
			writeFile(t, filepath.Join(repo.CommonDir, "hooks", "pre-push"), "\x7fELF\x00\xff", 0o755)
		},
		"a large program": func(t *testing.T, repo *refstore.Repo) {
			writeFile(t, filepath.Join(repo.CommonDir, "hooks", "pre-commit"), strings.Repeat("\x7fELF\x00\xff", 1<<18), 0o755)
		},
		"a file that does not run": func(t *testing.T, repo *refstore.Repo) {
			writeFile(t, filepath.Join(repo.CommonDir, "hooks", "commit-msg"), "#!/bin/sh\r\n", 0o644)
		},
		"a link": func(t *testing.T, repo *refstore.Repo) {
			if err := os.Symlink("../../scripts/dispatch", filepath.Join(repo.CommonDir, "hooks", "pre-push")); err != nil {
				t.Fatal(err)
			}
		},
		"husky's folder": func(t *testing.T, repo *refstore.Repo) {
			writeFile(t, filepath.Join(repo.WorkTree, ".husky", "_", "pre-push"), "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", 0o755)
			githome.Git(t, repo.WorkTree, "config", "core.hooksPath", ".husky/_")
		},
	}
	for name, prepare := range before {
		for _, q := range []Request{{}, {Order: Last}, {OwnPath: true}, {Hooks: []string{"pre-push", RefTransaction}}} {
			t.Run(fmt.Sprintf("%s/%+v", name, q), func(t *testing.T) {
				repo := newRepo(t)
				prepare(t, repo)
				repo = open(t, repo.WorkTree)
				want := snapshot(t, traces(repo)...)
				for range 2 {
					if i := install(t, repo, q); i.Outcome != Installed {
						t.Fatalf("%+v", i)
					}
					first := snapshot(t, traces(repo)...)
					if i := install(t, repo, q); i.Outcome != Unchanged && !q.OwnPath || i.Outcome == Refused {
						t.Errorf("again: %+v", i)
					}
					sameSnapshot(t, "after installing again", snapshot(t, traces(repo)...), first)
					if r := uninstall(t, repo); r.Outcome != Removed {
						t.Errorf("%+v", r)
					}
					sameSnapshot(t, "after taking out", snapshot(t, traces(repo)...), want)
					if r := uninstall(t, repo); r.Outcome != NothingHere {
						t.Errorf("again: %+v", r)
					}
				}
			})
		}
	}
}
