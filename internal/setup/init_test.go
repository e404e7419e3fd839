package setup

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

func TestMain(m *testing.M) { os.Exit(githome.Run(m, nil)) }

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return githome.Git(t, dir, args...)
}

// newClone makes an empty hub and a clone of it with one directory.
func newClone(t *testing.T) (hub, clone string) {
	t.Helper()
	dir := t.TempDir()
	hub, clone = filepath.Join(dir, "hub.git"), filepath.Join(dir, "clone")
	runGit(t, dir, "init", "-q", "--bare", "-b", "main", hub)
	runGit(t, dir, "init", "-q", "-b", "main", clone)
	runGit(t, clone, "remote", "add", "origin", hub)
	write(t, filepath.Join(clone, "api", "file"), "x\n")
	runGit(t, clone, "add", ".")
	runGit(t, clone, "commit", "-q", "-m", "root")
	runGit(t, clone, "push", "-q", "origin", "HEAD:main")
	return hub, clone
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func options(t *testing.T, dir, remote string) Options {
	t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Repo: repo, Now: time.Now, Remote: remote}
}

func initIn(t *testing.T, dir, remote string) Report {
	t.Helper()
	r, err := Init(context.Background(), options(t, dir, remote))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// However early a run ends, the next one completes it, and the fleet that the
// first one founded is the one that dos.toml ends up naming.
func TestInitCompletesAnInterruptedRun(t *testing.T) {
	ended := map[bool]int{}
	for i := range 8 {
		hub, clone := newClone(t)
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(5+i*15)*time.Millisecond)
		_, err := Init(ctx, options(t, clone, "origin"))
		cancel()
		ended[err == nil]++
		initIn(t, clone, "origin")
		if again := initIn(t, clone, "origin"); again.Outcome != "already" {
			t.Errorf("a third run still changed something: %+v", again.Steps)
		}
		checkInitialised(t, hub, clone)
	}
	if ended[false] == 0 {
		t.Errorf("no run was interrupted: %v", ended)
	}
}

func checkInitialised(t *testing.T, hub, clone string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(clone, "dos.toml"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	meta := runGit(t, hub, "log", "--format=%B", "refs/dos/meta/format")
	if p.Fleet.ID == "" || !strings.Contains(meta, `"fleet":"`+p.Fleet.ID+`"`) || strings.Count(meta, "dos meta: INIT") != 1 {
		t.Errorf("dos.toml names fleet %q, the remote says:\n%s", p.Fleet.ID, meta)
	}
	if ignore, _ := os.ReadFile(filepath.Join(clone, ".gitignore")); string(ignore) != ".dos/\n" {
		t.Errorf(".gitignore holds %q", ignore)
	}
	if got := runGit(t, clone, "config", "dos.remote"); got != "origin" {
		t.Errorf("dos.remote is %q", got)
	}
	runGit(t, clone, "rev-parse", "--verify", "refs/dos/meta/format")
	if left, _ := filepath.Glob(filepath.Join(clone, ".git-dos-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestInitsAtTheSameTimeDoTheWorkOnce(t *testing.T) {
	hub, clone := newClone(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for range 8 {
		o := options(t, clone, "origin")
		wg.Go(func() {
			r, err := Init(context.Background(), o)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			for _, s := range r.Steps {
				if s.Step == "policy" && s.State == Done {
					made++
				}
			}
		})
	}
	wg.Wait()
	if made != 1 {
		t.Errorf("dos.toml was written %d times", made)
	}
	checkInitialised(t, hub, clone)
}

func TestInitOnAnUnbornBranch(t *testing.T) {
	dir := t.TempDir()
	hub, clone := filepath.Join(dir, "hub.git"), filepath.Join(dir, "clone")
	runGit(t, dir, "init", "-q", "--bare", "-b", "main", hub)
	runGit(t, dir, "clone", "-q", hub, clone)
	runGit(t, clone, "symbolic-ref", "HEAD", "refs/heads/main")
	write(t, filepath.Join(clone, "untracked", "file"), "x\n")
	r := initIn(t, clone, "origin")
	data, err := os.ReadFile(filepath.Join(clone, "dos.toml"))
	if err != nil || !bytes.Contains(data, []byte(`concurrent = ["main"]`)) || r.Outcome != "initialised" {
		t.Errorf("%+v, %v, dos.toml:\n%s", r, err, data)
	}
	want := "git add dos.toml .gitignore|git commit -m 'git-dos: share the lanes' dos.toml .gitignore|git push origin HEAD:main"
	if got := strings.Join(r.Next, "|"); got != want {
		t.Errorf("next %q, want %q", got, want)
	}
	for _, command := range r.Next {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = clone
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	if r := initIn(t, clone, "origin"); r.Outcome != "already" || len(r.Next) > 0 {
		t.Errorf("after its own commands: %+v", r)
	}
}

// The trunk is the remote's to name, whatever is checked out here, and dos.toml
// passes it on.
func TestInitAsksTheRemoteForItsTrunk(t *testing.T) {
	tests := []struct{ claim, head, here, want string }{
		{"HEAD is main", "main", "feature", "git switch -c git-dos-init origin/main|git push origin HEAD:main"},
		{"HEAD is another", "trunk", "trunk", "git remote set-head origin --auto|git push origin HEAD:trunk"},
		{"HEAD names no branch that is there", "gone", "main", "unknown"},
	}
	for _, tt := range tests {
		hub, clone := newClone(t)
		runGit(t, clone, "push", "-q", "origin", "HEAD:trunk")
		runGit(t, hub, "symbolic-ref", "HEAD", "refs/heads/"+tt.head)
		runGit(t, clone, "update-ref", "-d", "refs/remotes/origin/main")
		runGit(t, clone, "switch", "-q", "-C", tt.here)
		if tt.here == "feature" {
			runGit(t, clone, "commit", "-q", "--allow-empty", "-m", "wip")
		}
		r, err := Init(context.Background(), options(t, clone, "origin"))
		got := "unknown"
		if err == nil {
			got = r.Next[0] + "|" + r.Next[len(r.Next)-1]
			if text, _ := os.ReadFile(filepath.Join(clone, "dos.toml")); !strings.Contains(string(text), "\nref = \""+tt.head+"\"\n") {
				t.Errorf("%s: dos.toml does not name the trunk:\n%s", tt.claim, text)
			}
		} else if !errors.Is(err, facts.ErrNoTrunk) {
			t.Errorf("%s: %v", tt.claim, err)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.claim, got, tt.want)
		}
	}
}

// On a remote without a branch the trunk is what the main worktree is on,
// wherever init runs; dos.toml states it, so it can have any name.
func TestInitOnAnEmptyRemoteTakesTheMainWorktreesBranch(t *testing.T) {
	hub, clone := newClone(t)
	runGit(t, hub, "update-ref", "-d", "refs/heads/main")
	runGit(t, clone, "update-ref", "-d", "refs/remotes/origin/main")
	runGit(t, clone, "branch", "-q", "-m", "develop")
	side := filepath.Join(t.TempDir(), "side")
	runGit(t, clone, "worktree", "add", "-q", side, "-b", "feature")
	r := initIn(t, side, "origin")
	if got, want := r.Next[len(r.Next)-1], "git push origin HEAD:develop"; got != want {
		t.Errorf("next %q, want %q", got, want)
	}
	runGit(t, side, "push", "-q", "origin", "HEAD:develop")
	rules, err := facts.LoadRules(context.Background(), options(t, side, "").Repo)
	var no *facts.TrunkError
	if !errors.As(err, &no) || !strings.Contains(err.Error(), "trunk develop of origin has no dos.toml") {
		t.Errorf("rules %+v, %v; want the trunk develop, without dos.toml yet", rules.Trunk, err)
	}
}

// A dos.toml of the user's is told the trunk where nothing else would name it;
// a clone that gets by on the trunk's dos.toml is told the command.
func TestInitNamesATrunkThatNobodyWouldFind(t *testing.T) {
	hub, clone := newClone(t)
	runGit(t, clone, "switch", "-q", "-c", "trunk")
	runGit(t, hub, "symbolic-ref", "HEAD", "refs/heads/trunk")
	runGit(t, clone, "push", "-q", "origin", "HEAD:trunk", ":main")
	write(t, filepath.Join(clone, "dos.toml"), "[lease]\nttl = \"20m\"\n")
	initIn(t, clone, "origin")
	runGit(t, clone, "add", ".")
	runGit(t, clone, "commit", "-q", "-m", "share")
	runGit(t, clone, "push", "-q", "origin", "HEAD:trunk")
	rules, err := facts.LoadRules(context.Background(), options(t, clone, "").Repo)
	if err != nil || rules.Trunk.Branch != "refs/heads/trunk" {
		t.Errorf("trunk %+v, %v", rules.Trunk, err)
	}
	other := filepath.Join(t.TempDir(), "other")
	runGit(t, filepath.Dir(other), "init", "-q", "-b", "main", other)
	runGit(t, other, "remote", "add", "origin", hub)
	r := initIn(t, other, "origin")
	if want := "git remote set-head origin --auto"; len(r.Next) == 0 || r.Next[0] != want {
		t.Fatalf("next %q, want %q first", r.Next, want)
	}
	runGit(t, other, "remote", "set-head", "origin", "--auto")
	if rules, err := facts.LoadRules(context.Background(), options(t, other, "").Repo); err != nil || rules.Trunk.Branch != "refs/heads/trunk" {
		t.Errorf("trunk %+v, %v", rules.Trunk, err)
	}
}

// What the user has at the place of a file is not followed and not replaced.
func TestInitLeavesOddFilesAlone(t *testing.T) {
	for _, name := range []string{"dos.toml", ".gitignore"} {
		_, clone := newClone(t)
		target := filepath.Join(t.TempDir(), "elsewhere")
		if err := os.Symlink(target, filepath.Join(clone, name)); err != nil {
			t.Fatal(err)
		}
		_, err := Init(context.Background(), options(t, clone, ""))
		if err == nil || !strings.Contains(err.Error(), name+" is not a regular file") {
			t.Errorf("%s as a symbolic link: %v", name, err)
		}
		if _, err := os.Lstat(target); err == nil {
			t.Errorf("%s: the link was written through", name)
		}
		if out := runGit(t, clone, "for-each-ref", "refs/dos"); out != "" {
			t.Errorf("%s: refs were written: %s", name, out)
		}
	}
}

// A fleet id is text from whoever can write to the remote.
func TestAHostileFleetIDIsNotAdopted(t *testing.T) {
	hub, clone := newClone(t)
	initIn(t, clone, "origin")
	forged := strings.Replace(runGit(t, hub, "cat-file", "commit", "refs/dos/meta/format"), `"fleet":"fleet-`, `"fleet":"x\"\n[worker]\ncommand=[\"sh\"] #`, 1)
	cmd := exec.Command("git", "hash-object", "-t", "commit", "-w", "--stdin")
	cmd.Dir, cmd.Stdin = hub, strings.NewReader(forged+"\n")
	id, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	runGit(t, hub, "update-ref", "refs/dos/meta/format", strings.TrimSpace(string(id)))
	other := filepath.Join(t.TempDir(), "other")
	runGit(t, hub, "clone", "-q", hub, other)
	_, err = Init(context.Background(), options(t, other, "origin"))
	if err == nil || !strings.Contains(err.Error(), "no legal id") {
		t.Errorf("%v, want a refusal of the id", err)
	}
	if _, err := os.Lstat(filepath.Join(other, "dos.toml")); err == nil {
		t.Error("dos.toml was written")
	}
}

// dos.toml that is committed and not here is not written a second time, and a
// user's file keeps its line ends when the fleet is appended.
func TestInitRespectsTheUsersPolicy(t *testing.T) {
	_, clone := newClone(t)
	path := filepath.Join(clone, "dos.toml")
	write(t, path, "[lanes]\r\nconcurrent = [\"all\"]\r\ntrees.all = [\"**/*\"]")
	runGit(t, clone, "add", ".")
	runGit(t, clone, "commit", "-q", "-m", "own")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r := initIn(t, clone, "")
	if s := r.Steps[0]; s.State != Left || !strings.Contains(s.Detail, "git checkout -- dos.toml") {
		t.Errorf("a deleted dos.toml: %+v", s)
	}
	runGit(t, clone, "checkout", "--", "dos.toml")
	initIn(t, clone, "origin")
	data, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(data, []byte("[lanes]\r\n")) || bytes.Count(data, []byte("\n")) != bytes.Count(data, []byte("\r\n")) {
		t.Errorf("%v: %q", err, data)
	}
	if _, err := Undo(context.Background(), options(t, clone, "")); err != nil {
		t.Fatal(err)
	}
	if back, _ := os.ReadFile(path); string(back) != "[lanes]\r\nconcurrent = [\"all\"]\r\ntrees.all = [\"**/*\"]" {
		t.Errorf("after undo: %q", back)
	}
}

// A choice that is made again, because another clone was first, starts over:
// what it meant to append the first time is not appended beside the trunk's.
func TestAChoiceStartsOver(t *testing.T) {
	_, clone := newClone(t)
	ctx := context.Background()
	w, err := look(ctx, options(t, clone, "origin"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := w.choice(ctx)(nil)
	if err != nil || len(w.appendix) == 0 {
		t.Fatalf("%q, %v, nothing to append", first, err)
	}
	if again, _ := w.choice(ctx)(nil); again != first {
		t.Errorf("a new fleet is %q and then %q", first, again)
	}
	write(t, filepath.Join(clone, "dos.toml"), "[fleet]\nid = \"theirs\"\n")
	runGit(t, clone, "add", ".")
	runGit(t, clone, "commit", "-q", "-m", "theirs")
	runGit(t, clone, "push", "-q", "origin", "HEAD:main")
	if got, err := w.choice(ctx)(nil); err != nil || got != "theirs" || len(w.appendix) > 0 {
		t.Errorf("%q, %v, would append %q; want the trunk's fleet and nothing", got, err, w.appendix)
	}
}
