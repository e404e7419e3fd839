//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A receiveRun is a hub with the hooks of a server, and clones of it by a transport.
type receiveRun struct {
	*testing.T
	home, program string
	hub           *farHub
	env           []string
}

func newReceiveRun(t *testing.T, by string) *receiveRun {
	program, err := exec.LookPath("git-dos")
	if err != nil {
		t.Fatal(err)
	}
	r := &receiveRun{T: t, home: t.TempDir(), program: program}
	r.hub = newFarHub(t, by, r.home)
	r.env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
	r.env = append(r.env, "HOME="+r.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=w@x", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=w@x")
	return r
}

func (r *receiveRun) clone(name string) (dir string) {
	r.Helper()
	dir = filepath.Join(r.home, name)
	var config []string
	for i := 0; i < len(r.hub.config); i += 2 {
		config = append(config, "-c", r.hub.config[i]+"="+r.hub.config[i+1])
	}
	gitIn(r.T, r.home, r.env, append(append(config, "clone", "--quiet"), append(config, r.hub.url, dir)...)...)
	gitIn(r.T, dir, r.env, "checkout", "--quiet", "-B", "main")
	return dir
}

func (r *receiveRun) commit(dir, file string) {
	r.Helper()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(file+"\n"), 0o644); err != nil {
		r.Fatal(err)
	}
	gitIn(r.T, dir, r.env, "add", "-f", file)
	gitIn(r.T, dir, r.env, "commit", "--quiet", "-m", "add "+file)
}

// push pushes past the hooks of the clone, and returns what the pusher reads.
func (r *receiveRun) push(dir string, refs ...string) (words string, err error) {
	cmd := exec.Command("git", append([]string{"push", "--no-verify", "origin"}, refs...)...)
	cmd.Dir, cmd.Env = dir, r.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Whatever a push comes by, what is legal lands, and whoever pushes what is not reads
// why. An sshd has a PATH of its own, and git-dos is not on it.
func TestAServerJudgesByEachTransport(t *testing.T) {
	for by := range serveFar {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			r := newReceiveRun(t, by)
			one := r.clone("one")
			r.commit(one, "first")
			if words, err := r.push(one, "main"); err != nil {
				t.Fatal(words)
			}
			if out, err := exec.Command(r.program, "hooks", "install", "--server", r.hub.dir).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			r.commit(one, "second")
			if words, err := r.push(one, "main"); err != nil || strings.Contains(words, "git-dos") {
				t.Errorf("a legal push: %v: %s", err, words)
			}
			r.commit(one, "id_rsa")
			before := gitIn(t, r.hub.dir, nil, "for-each-ref")
			for refs, want := range map[string]string{
				"main":                       "remote: git-dos: FILE_ADMISSION id_rsa ",
				"main~1:refs/heads/x main:y": "remote: git-dos: FILE_ADMISSION id_rsa ",
				"main~1:refs/dos/lane/a":     "remote: git-dos: NOT_AN_ENTRY refs/dos/lane/a: ",
			} {
				words, err := r.push(one, strings.Fields(refs)...)
				if err == nil || !strings.Contains(words, want) || !strings.Contains(words, "remote: git-dos: the push is refused, all of it") {
					t.Errorf("%s: %v: %s", refs, err, words)
				}
			}
			if after := gitIn(t, r.hub.dir, nil, "for-each-ref"); after != before {
				t.Errorf("a push that is refused moves refs:\n%s%s", before, after)
			}
			r.together(4)
		})
	}
}

// together has several push at once, each to a branch of its own: all of them land,
// and each leaves a receipt.
func (r *receiveRun) together(n int) {
	r.Helper()
	var all sync.WaitGroup
	for i := range n {
		dir := r.clone(fmt.Sprint("many", i))
		r.commit(dir, fmt.Sprint("file", i))
		all.Go(func() {
			if words, err := r.push(dir, fmt.Sprint("main:branch", i)); err != nil || strings.Contains(words, "git-dos") {
				r.Errorf("push %d: %v: %s", i, err, words)
			}
		})
	}
	all.Wait()
	rows := gitIn(r.T, r.hub.dir, nil, "log", "--format=%b", "refs/dos/journal/"+strings.TrimSpace(gitIn(r.T, r.hub.dir, nil, "config", "dos.node")))
	for i := range n {
		if want := fmt.Sprintf(`"ref":"refs/heads/branch%d","verb":"hook pre-receive","verdict":"passed"`, i); strings.Count(rows, want) != 1 {
			r.Errorf("branch %d has no receipt, or several: %s", i, rows)
		}
	}
}
