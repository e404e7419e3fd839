package facts

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-dos/git-dos/refstore/ancestry"
)

// walks asserts which ref an unqualified question is about.
func (h *history) walks(dir, claim, want string) {
	h.t.Helper()
	ev, err := h.ask(dir)
	if err != nil {
		h.t.Errorf("%s: %v", claim, err)
		return
	}
	if ev.Ref != want {
		h.t.Errorf("%s: walked %q, want %q", claim, ev.Ref, want)
	}
}

func TestTheTrunkWithoutARemote(t *testing.T) {
	h := newHistory(t)
	h.walks(h.dir, "an unborn branch", "refs/heads/main")
	h.want("ships nothing", "NOT_SHIPPED")
	h.want("also by name", "NOT_SHIPPED", ref("HEAD"))
	h.commit("root", "a", "1")
	h.git("checkout", "-q", "-b", "work")
	h.commit(stamp, "a", "2")
	h.walks(h.dir, "the current branch", "refs/heads/work")
	h.git("checkout", "-q", "--detach")
	h.walks(h.dir, "a detached HEAD", "HEAD")
	h.want("is walked from its commit", "SHIPPED subject direct")

	h.git("checkout", "-q", "main")
	h.commit("rules", "dos.toml", "[trunk]\nref = \"main\"\n")
	h.git("checkout", "-q", "-b", "work2")
	h.commit(stamp, "a", "2")
	h.walks(h.dir, "the declared trunk", "refs/heads/main")
	h.want("does not have the work branch's commit", "NOT_SHIPPED")
	h.want("which --ref finds", "SHIPPED subject direct", ref("work2"))
	h.git("tag", "main", "work2")
	h.walks(h.dir, "a tag of the same name is not it", "refs/heads/main")
	h.git("worktree", "add", "-q", filepath.Join(t.TempDir(), "wt"), "-b", "work3")
	h.walks(h.dir, "from a linked worktree", "refs/heads/main")

	h.commit("rules", "dos.toml", "[trunk]\nref = \"gone\"\n")
	if _, err := h.ask(h.dir); !errors.Is(err, ancestry.ErrNoRevision) {
		t.Errorf("a trunk that is not there: %v, want ErrNoRevision", err)
	}
}

func TestTheTrunkOfAClone(t *testing.T) {
	h := newHistory(t)
	h.commit("root", "a", "1")
	dir := filepath.Join(t.TempDir(), "clone")
	h.git("clone", "-q", h.dir, dir)
	c := &history{t: t, dir: dir, tick: 1000}
	c.git("checkout", "-q", "-b", "work")
	c.commit(stamp, "a", "2")
	c.walks(dir, "without a fleet, the remote's HEAD", "refs/remotes/origin/main")
	c.want("which does not have the commit", "NOT_SHIPPED")
	c.git("remote", "add", "second", h.dir)
	c.walks(dir, "of several remotes, origin's", "refs/remotes/origin/main")
	c.git("remote", "set-head", "origin", "--delete")
	c.walks(dir, "its main where that is not known", "refs/remotes/origin/main")
	c.git("remote", "set-head", "origin", "main")
	c.git("remote", "rename", "origin", "first")
	c.walks(dir, "and where no remote stands out", "refs/heads/work")
	c.git("remote", "rename", "first", "origin")

	c.git("config", "dos.remote", "origin")
	c.walks(dir, "the fleet's remote", "refs/remotes/origin/main")
	c.want("does not have what was not pushed", "NOT_SHIPPED")
	c.git("remote", "set-head", "origin", "--delete")
	c.walks(dir, "main where its HEAD is not known", "refs/remotes/origin/main")
	c.git("config", "dos.remote", "second")
	if _, err := c.ask(dir); err == nil {
		t.Error("a fleet remote that was never fetched fell back to something weaker")
	}
	c.git("fetch", "-q", "second")
	c.walks(dir, "once it is fetched", "refs/remotes/second/main")
}

func TestABranchCannotNameItselfTheTrunk(t *testing.T) {
	h := newHistory(t)
	h.commit("root", "dos.toml", "[trunk]\nref = \"main\"\n")
	dir := filepath.Join(t.TempDir(), "clone")
	h.git("clone", "-q", h.dir, dir)
	c := &history{t: t, dir: dir, tick: 1000}
	c.git("config", "dos.remote", "origin")
	c.git("checkout", "-q", "-b", "work")
	c.commit(stamp, "a", "2", "dos.toml", "[trunk]\nref = \"refs/heads/work\"\n")
	c.walks(dir, "the trunk's own dos.toml decides", "refs/remotes/origin/main")
	c.want("so the branch ships nothing", "NOT_SHIPPED")
	c.git("checkout", "-q", "main")
	c.commit(stamp, "a", "3")
	c.want("nor does an unpushed commit of a local branch main", "NOT_SHIPPED")
	c.git("push", "-q", "origin", "main:main2")
	c.git("push", "-q", "origin", "main:refs/heads/x")
	h.git("update-ref", "refs/heads/main", c.git("rev-parse", "main"))
	c.git("fetch", "-q", "origin")
	c.want("a pushed one does", "SHIPPED subject direct")
}

func TestALinkInPlaceOfTheRulesIsAnError(t *testing.T) {
	h := newHistory(t)
	if err := os.Symlink("/dev/zero", filepath.Join(h.dir, "dos.toml")); err != nil {
		t.Skip("no symbolic links here")
	}
	h.git("add", "dos.toml")
	h.git("commit", "-q", "-m", "rules")
	if _, err := h.ask(h.dir, ref("HEAD")); err == nil {
		t.Error("a symbolic link was read as rules")
	}
}
