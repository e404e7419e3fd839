package facts

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// dated commits a file at a date of its own, as a machine with a wrong clock.
func (h *history) dated(year int, message, path, content string) string {
	h.t.Helper()
	h.commit(message, path, content)
	when := fmt.Sprintf("%d-01-01T00:00:%02dZ", year, h.tick%60)
	cmd := exec.Command("git", "commit", "-q", "--amend", "--no-edit", "--allow-empty", "--cleanup=verbatim", "--date", when)
	cmd.Dir, cmd.Env = h.dir, append(os.Environ(), "GIT_COMMITTER_DATE="+when)
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("%v: %s", err, out)
	}
	return h.git("rev-parse", "HEAD")
}

func TestWrongClocksChangeNoAnswer(t *testing.T) {
	h := newHistory(t)
	h.dated(2033, "root", "README", "1")
	h.dated(2033, addRefresh+" (#12)", "api/a.go", "2")
	for i := range 12 {
		h.dated(2020, fmt.Sprint("work ", i), "b", fmt.Sprint(i))
	}
	h.want("a ship of the future", "SHIPPED subject direct")
	h.dated(2020, `Revert "`+addRefresh+` (#12)" (#13)`+"\n\nReverts o/r#12\n", "api/a.go", "1")
	h.want("its revert of today", "NOT_SHIPPED subject direct")

	m := newHistory(t)
	m.dated(2033, "root", "README", "1")
	m.dated(2033, addRefresh, "api/a.go", "2")
	m.git("checkout", "-q", "-b", "w")
	m.dated(2033, "on the side", "c", "1")
	m.git("checkout", "-q", "main")
	for i := range 12 {
		m.dated(2020, fmt.Sprint("work ", i), "b", fmt.Sprint(i))
	}
	m.git("merge", "-q", "--no-edit", "w")
	m.git("revert", "-m1", "--no-edit", "HEAD")
	m.want("older than the merge that was reverted", "SHIPPED subject direct")
}

// Many reverted merges are looked at by one pass, which must agree.
func TestManyRevertedMerges(t *testing.T) {
	h := base(t)
	for i := range 2 * fewPairs {
		h.git("checkout", "-q", "-b", fmt.Sprint("w", i))
		h.commit(fmt.Sprintf("AUTH: AUTH%d add", i), fmt.Sprintf("api/%d.go", i), "2")
		h.git("checkout", "-q", "main")
		h.commit("other", "b", fmt.Sprint(i))
		h.git("merge", "-q", "--no-edit", fmt.Sprint("w", i))
		if i%4 != 0 {
			h.git("revert", "-m1", "--no-edit", "HEAD")
		}
	}
	for i := range 2 * fewPairs {
		want := "NOT_SHIPPED subject direct"
		if i%4 == 0 {
			want = "SHIPPED subject direct"
		}
		h.want(fmt.Sprint("unit ", i), want, unit("AUTH", fmt.Sprint("AUTH", i)))
	}
}

// GitLab's revert of a merge request quotes the merge and names no id.
func TestARevertMayQuoteAMerge(t *testing.T) {
	for _, before := range []bool{true, false} {
		h := base(t)
		h.git("checkout", "-q", "-b", "w")
		h.commit(addRefresh, "api/a.go", "2")
		h.git("checkout", "-q", "main")
		h.commit("other", "b", "1")
		h.git("merge", "-q", "-m", "Merge branch 'w' into 'main'", "w")
		h.want("a merged ship", "SHIPPED subject direct")
		if before {
			h.git("branch", "other", "HEAD~1")
			h.git("checkout", "-q", "other")
		}
		h.commit("Revert \"Merge branch 'w' into 'main'\"\n\nThis reverts merge request !12\n", "api/a.go", "1")
		if before {
			h.git("checkout", "-q", "main")
			h.git("merge", "-q", "-s", "ours", "-m", "merge other", "other")
			h.want("quoted by a commit that never had it", "SHIPPED subject direct")
			continue
		}
		h.want("quoted by a later revert", "NOT_SHIPPED subject direct")
		h.want("without the index too", "NOT_SHIPPED subject direct", func(r *ShipRequest) { r.Cold = true })
	}
}

func TestABranchMergedMoreThanOnceUnderOneTitle(t *testing.T) {
	h := base(t)
	for i := range 3 {
		h.git("checkout", "-q", "-B", "dev", "main")
		h.commit(fmt.Sprintf("AUTH: AUTH%d add", i), fmt.Sprintf("api/%d.go", i), "2")
		h.git("checkout", "-q", "main")
		h.git("merge", "-q", "--no-ff", "-m", "Merge branch 'dev' into 'main'", "dev")
	}
	h.commit("Revert \"Merge branch 'dev' into 'main'\"\n\nThis reverts merge request !14\n", "api/2.go", "1")
	h.want("the last is meant", "NOT_SHIPPED subject direct", unit("AUTH", "AUTH2"))
	h.want("the first stands", "SHIPPED subject direct", unit("AUTH", "AUTH0"))
	h.want("and the second", "SHIPPED subject direct", unit("AUTH", "AUTH1"))
}

func TestASquashThatChangesNothingOfAShip(t *testing.T) {
	h := base(t)
	ship := h.commit(addRefresh, "api/a.go", "2")
	body := fmt.Sprintf("* Revert \"%s\"\n\nThis reverts commit %s.\n\n* Revert \"Revert \"%s\"\"\n\nThis reverts commit %s.\n\n* fix it\n", addRefresh, ship, addRefresh, strings.Repeat("1", 40))
	h.commit("fix it (#13)\n\n"+body, "b", "1")
	h.want("what the branch restored itself", "SHIPPED subject direct")
}

func TestARevertIsUndoneByWhatShips(t *testing.T) {
	h := base(t)
	h.commit("plan", "docs/auth-plan.md", "open\n")
	h.commit(addRefresh, "api/a.go", "2")
	id := h.git("rev-parse", "HEAD")
	h.commit(fmt.Sprintf("Revert \"%s\"\n\nThis reverts commit %s.\n", addRefresh, id), "api/a.go", "1", "docs/auth-plan.md", "open again\n")
	h.want("reverted, the plan with it", "NOT_SHIPPED subject direct")
	r := h.git("rev-parse", "HEAD")
	h.commit(fmt.Sprintf("Reapply \"%s\"\n\nThis reverts commit %s.\n", addRefresh, r), "api/a.go", "2")
	h.want("the work is back, whatever the plan says", "SHIPPED subject direct")
}

func TestANameThatMayBeTwoRefsIsRefused(t *testing.T) {
	h := base(t)
	h.git("checkout", "-q", "-b", "w")
	h.commit(addRefresh, "api/a.go", "2")
	h.git("checkout", "-q", "main")
	h.git("tag", "main", "w")
	if ev, err := h.ask(h.dir, ref("main")); err == nil || !strings.Contains(err.Error(), "refs/heads/main or refs/tags/main") {
		t.Errorf("got %v, %v", ev.Ref, err)
	}
	h.want("the branch by its full name", "NOT_SHIPPED", ref("refs/heads/main"))
}

func TestABranchCannotNameItselfTheTrunkOfAClone(t *testing.T) {
	h := newHistory(t)
	h.commit("root", "dos.toml", "[lanes]\nconcurrent = [\"main\"]\n")
	c := h.cloned()
	c.git("checkout", "-q", "-b", "w")
	c.commit(addRefresh, "a", "2", "dos.toml", "[trunk]\nref = \"w\"\n")
	c.walks(c.dir, "the remote's dos.toml names no trunk", "refs/remotes/origin/main")
	c.want("so the branch ships nothing", "NOT_SHIPPED")

	bare := newHistory(t)
	bare.commit("root", "a", "1")
	d := bare.cloned()
	d.git("checkout", "-q", "-b", "w")
	d.commit(addRefresh, "a", "2", "dos.toml", "[trunk]\nref = \"w\"\n")
	d.walks(d.dir, "the remote has no dos.toml, and a branch names itself", "refs/remotes/origin/main")
	d.commit("rules", "dos.toml", "[trunk]\nref = \"main\"\n")
	d.walks(d.dir, "or names the remote's", "refs/heads/main")

	h.commit("rules", "dos.toml", "[trunk]\nref = \"origin/main\"\n")
	c.git("fetch", "-q")
	c.walks(c.dir, "it names main, which is the branch here that pushes move", "refs/heads/main")
	c.git("branch", "-D", "main")
	c.walks(c.dir, "or the remote's, where there is no branch", "refs/remotes/origin/main")
}

func (h *history) cloned() *history {
	dir := h.t.TempDir() + "/clone"
	h.git("clone", "-q", h.dir, dir)
	return &history{t: h.t, dir: dir, tick: 1000}
}
