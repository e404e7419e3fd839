package admit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lease"
)

// sideWorker is a repository whose trunk main nobody stands on, with a worker
// in it and a commit of theirs.
func sideWorker(t *testing.T) (dir string, d *Desk, req PushRequest) {
	t.Helper()
	dir = localRepo(t)
	commit(t, dir, "trunk is main", "dos.toml", lanesToml+"[trunk]\nref = \"main\"\n")
	gitIn(t, dir, "checkout", "--quiet", "-b", "side")
	d = open(t, dir)
	api := acquire(t, d, "api", "alice")
	return dir, d, riding(commit(t, dir, "work", "api/a", "2\n"), api)
}

func wantCheckedOut(t *testing.T, d *Desk, req PushRequest, words, hint string) {
	t.Helper()
	before := gitIn(t, d.Repo.CommonDir, "rev-parse", mainRef)
	_, err := d.Push(t.Context(), req)
	var out *CheckedOutError
	if !errors.As(err, &out) || !strings.Contains(err.Error(), words) || !strings.Contains(out.Hint, hint) {
		t.Errorf("got %v; want %q with a hint at %q", err, words, hint)
	}
	if gitIn(t, d.Repo.CommonDir, "rev-parse", mainRef) != before {
		t.Error("the trunk moved")
	}
}

func TestTheWorktreeOfATrunkMayHaveAnyName(t *testing.T) {
	dir, d, req := sideWorker(t)
	tree := filepath.Join(t.TempDir(), "a\nbranch refs/heads/side\nb")
	gitIn(t, dir, "worktree", "add", "--quiet", tree, "main")
	wantPush(t, d, dir, req, lease.Landed, "")
	if text, err := os.ReadFile(filepath.Join(tree, "api/a")); err != nil || string(text) != "2\n" {
		t.Errorf("the worktree was left behind: %q %v", text, err)
	}
}

func TestAnOlderGitListsWorktreesByLine(t *testing.T) {
	dir, d, req := sideWorker(t)
	tree := filepath.Join(t.TempDir(), "tree")
	gitIn(t, dir, "worktree", "add", "--quiet", tree, "main")
	real := strings.TrimSpace(gitIn(t, dir, "--exec-path")) + "/git"
	bin := t.TempDir()
	script(t, filepath.Join(bin, "git"), `for a; do [ "$a" = -z ] && list=$list$a; [ "$a" = worktree ] && list=worktree; done
[ "$list" = worktree-z ] && { echo "error: unknown switch" >&2; >"`+bin+`/asked"; exit 129; }
exec `+real+` "$@"
`)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	wantPush(t, d, dir, req, lease.Landed, "")
	if text, err := os.ReadFile(filepath.Join(tree, "api/a")); err != nil || string(text) != "2\n" {
		t.Errorf("the worktree was left behind: %q %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(bin, "asked")); err != nil {
		t.Error("the older git was not asked for -z, so the test proves nothing")
	}
}

func TestAWorktreeThatIsGoneStandsOnNothing(t *testing.T) {
	dir, d, req := sideWorker(t)
	tree := filepath.Join(t.TempDir(), "tree")
	gitIn(t, dir, "worktree", "add", "--quiet", tree, "main")
	if err := os.RemoveAll(tree); err != nil {
		t.Fatal(err)
	}
	wantPush(t, d, dir, req, lease.Landed, "")
}

// Git keeps a locked worktree whose directory is away.
func TestAWorktreeThatIsAwayStopsThePush(t *testing.T) {
	dir, d, req := sideWorker(t)
	tree := filepath.Join(t.TempDir(), "tree")
	gitIn(t, dir, "worktree", "add", "--quiet", "--lock", tree, "main")
	if err := os.RemoveAll(tree); err != nil {
		t.Fatal(err)
	}
	wantCheckedOut(t, d, req, "checked out in "+tree+", which does not exist", "git worktree prune")
}

func TestTwoWorktreesOnTheTrunkStopThePush(t *testing.T) {
	dir, d, req := sideWorker(t)
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	gitIn(t, dir, "worktree", "add", "--quiet", one, "main")
	gitIn(t, dir, "worktree", "add", "--quiet", "--force", two, "main")
	wantCheckedOut(t, d, req, "checked out in "+one+", and in "+two, "switch --detach")
	gitIn(t, two, "switch", "--quiet", "--detach")
	wantPush(t, d, dir, req, lease.Landed, "")
}
