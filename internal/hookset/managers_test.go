//go:build unix

package hookset

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/refstore"
)

// managersSwitch has the real tools fetched and run.
const managersSwitch = "GITDOS_HOOK_MANAGERS"

// The versions the tests are about.
const (
	huskyVersion    = "husky@9.1.7"
	lefthookVersion = "lefthook@2.2.2"
)

// manager is a real tool that installs hooks.
type manager struct {
	prepare func(t *testing.T, repo *refstore.Repo) // what a project keeps
	install func(t *testing.T, repo *refstore.Repo)
}

func command(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// managers fetches the tools. A tool that cannot be had fails the test: it was
// asked for.
func managers(t *testing.T) map[string]manager {
	t.Helper()
	if os.Getenv(managersSwitch) == "" {
		t.Skip("fetches husky and lefthook with npm, and needs pre-commit on PATH; set " + managersSwitch + "=1 to run it")
	}
	tools := t.TempDir()
	writeFile(t, filepath.Join(tools, "package.json"), "{}", 0o644)
	command(t, tools, "npm", "install", "--no-audit", "--no-fund", "--silent", huskyVersion, lefthookVersion)
	bin := filepath.Join(tools, "node_modules", ".bin")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	say := "{ printf 'theirs'; printf ' <%s>' \"$@\"; echo; cat; } >> theirs\n"
	return map[string]manager{
		"husky": {
			prepare: func(t *testing.T, repo *refstore.Repo) {
				writeFile(t, filepath.Join(repo.WorkTree, ".husky", "pre-push"), say, 0o644)
			},
			install: func(t *testing.T, repo *refstore.Repo) { command(t, repo.WorkTree, filepath.Join(bin, "husky")) },
		},
		"lefthook": {
			prepare: func(t *testing.T, repo *refstore.Repo) {
				writeFile(t, filepath.Join(repo.WorkTree, "lefthook.yml"),
					"pre-push:\n  commands:\n    tell:\n      use_stdin: true\n      run: \"{ echo 'theirs <{1}> <{2}>'; cat; } >> theirs\"\n", 0o644)
			},
			install: func(t *testing.T, repo *refstore.Repo) {
				command(t, repo.WorkTree, filepath.Join(bin, "lefthook"), "install")
			},
		},
		"pre-commit": {
			prepare: func(t *testing.T, repo *refstore.Repo) {
				writeFile(t, filepath.Join(repo.WorkTree, ".pre-commit-config.yaml"),
					"repos:\n- repo: local\n  hooks:\n  - id: tell\n    name: tell\n    language: system\n    always_run: true\n    pass_filenames: false\n    stages: [push]\n"+
						"    entry: sh -c 'echo \"theirs <$PRE_COMMIT_REMOTE_NAME> <$PRE_COMMIT_REMOTE_URL>\" >> theirs'\n", 0o644)
				githome.Git(t, repo.WorkTree, "add", ".pre-commit-config.yaml")
				githome.Git(t, repo.WorkTree, "commit", "-q", "--no-verify", "-m", "config")
			},
			install: func(t *testing.T, repo *refstore.Repo) {
				command(t, repo.WorkTree, "pre-commit", "install", "--hook-type", "pre-push")
			},
		},
	}
}

// bothRan pushes, and reports whether each hook was told of it.
func bothRan(t *testing.T, repo *refstore.Repo, program, branch string) (theirs, own bool) {
	t.Helper()
	calls := filepath.Join(filepath.Dir(program), "calls")
	for _, path := range []string{calls, filepath.Join(repo.WorkTree, "theirs")} {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(repo.WorkTree, "file"), branch+githome.Git(t, repo.WorkTree, "rev-parse", "HEAD"), 0o644) // lefthook runs nothing for an empty push
	githome.Git(t, repo.WorkTree, "add", "file")
	githome.Git(t, repo.WorkTree, "commit", "-q", "--no-verify", "-m", branch)
	if out, err := push(t, repo.WorkTree, branch); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	url := githome.Git(t, repo.WorkTree, "remote", "get-url", "origin")
	told := read(t, calls)
	own = strings.Contains(told, "argv <hook> <pre-push> <--> <origin> <"+url+">") && strings.Contains(told, "input HEAD ") &&
		strings.Contains(told, " refs/heads/"+branch+" ")
	theirs = strings.Contains(read(t, filepath.Join(repo.WorkTree, "theirs")), "theirs <origin> <"+url+">")
	return theirs, own
}

func TestRealManagersBeforeOurs(t *testing.T) {
	for name, m := range managers(t) {
		for _, order := range []Order{First, Last} {
			t.Run(name+"/"+string(order), func(t *testing.T) {
				repo, program := pushed(t), fakeProgram(t)
				m.prepare(t, repo)
				m.install(t, repo)
				before := snapshot(t, traces(repo)...)
				install(t, repo, Request{Program: program, Order: order})
				if l := see(t, repo); l.Outcome != Armed {
					t.Fatalf("%v", l)
				}
				if theirs, own := bothRan(t, repo, program, "a"); !theirs || !own {
					t.Errorf("theirs ran: %v, ours: %v", theirs, own)
				}
				if l := see(t, repo); l.Outcome != Armed {
					t.Errorf("after a push: %v", l)
				}
				uninstall(t, repo)
				sameSnapshot(t, "taken out", snapshot(t, traces(repo)...), before)
				if theirs, own := bothRan(t, repo, program, "b"); !theirs || own {
					t.Errorf("taken out: theirs ran: %v, ours: %v", theirs, own)
				}
			})
		}
	}
}

// What the tool does to our hooks is its own; what is asked is that it is seen,
// that install arms again, and that nothing of ours is left in the end.
func TestRealManagersAfterOurs(t *testing.T) {
	for name, m := range managers(t) {
		t.Run(name, func(t *testing.T) {
			repo, program := pushed(t), fakeProgram(t)
			m.prepare(t, repo)
			install(t, repo, Request{Program: program, Hooks: []string{"pre-push"}})
			m.install(t, repo)
			again(t, repo, program, m, name == "pre-commit")
			m.install(t, repo) // as its own update does
			again(t, repo, program, m, false)
			uninstall(t, repo)
			for path, text := range snapshot(t, traces(repo)...) {
				if strings.Contains(text, marker) || strings.HasSuffix(path, savedSuffix) {
					t.Errorf("%s is left: %.200s", path, text)
				}
			}
			if theirs, own := bothRan(t, repo, program, "z"); !theirs || own {
				t.Errorf("taken out: theirs ran: %v, ours: %v", theirs, own)
			}
		})
	}
}

// again arms what a tool has just written over, or holds it to be armed still.
func again(t *testing.T, repo *refstore.Repo, program string, m manager, still bool) {
	t.Helper()
	l := see(t, repo)
	t.Logf("after the tool: %v", l)
	_, own := bothRan(t, repo, program, "a")
	if own != (l.Outcome == Armed) {
		t.Errorf("ours ran: %v; status says %v", own, l)
	}
	if still && l.Outcome != Armed {
		t.Errorf("the tool runs what it finds, and yet %v", l)
	}
	install(t, repo, Request{Program: program})
	if l := see(t, repo); l.Outcome != Armed {
		t.Errorf("armed again: %v", l)
	}
	if theirs, own := bothRan(t, repo, program, "b"); !theirs || !own {
		t.Errorf("armed again: theirs ran: %v, ours: %v", theirs, own)
	}
}
