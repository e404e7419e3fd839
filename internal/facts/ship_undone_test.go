package facts

import "testing"

const addRefresh = "AUTH: AUTH2 add refresh"

// A revert names the id the ship had where it was made. A rebase and a pick
// give both another.
func TestARevertMeansTheWorkAndNotTheID(t *testing.T) {
	t.Run("both rebased", func(t *testing.T) {
		h := base(t)
		h.git("checkout", "-q", "-b", "w")
		h.commit(addRefresh, "api/a.go", "2")
		h.git("revert", "--no-edit", "HEAD")
		h.git("checkout", "-q", "main")
		h.commit("other", "b", "1")
		h.git("rebase", "-q", "main", "w")
		h.want("the rebased ship", "NOT_SHIPPED subject direct")
		h.commit(addRefresh, "api/a.go", "3")
		h.want("a later ship of the same title", "SHIPPED subject direct")
	})
	t.Run("both picked to a release line", func(t *testing.T) {
		h := base(t)
		h.git("branch", "rel")
		x := h.commit(addRefresh, "api/a.go", "2")
		h.git("revert", "--no-edit", "HEAD")
		r := h.git("rev-parse", "HEAD")
		h.git("checkout", "-q", "rel")
		h.git("cherry-pick", x)
		h.want("the ship alone", "SHIPPED subject direct", ref("rel"))
		h.git("cherry-pick", r)
		h.want("with the revert", "NOT_SHIPPED subject direct", ref("rel"))
		h.git("revert", "--no-edit", "HEAD")
		h.want("taken back in turn", "SHIPPED subject direct", ref("rel"))
	})
	t.Run("a host that names no id", func(t *testing.T) {
		h := base(t)
		h.commit(addRefresh+" (#12)", "api/a.go", "2")
		h.commit("Revert \""+addRefresh+" (#12)\" (#13)\n\nReverts org/repo#12\n", "api/a.go", "1")
		h.want("by its title", "NOT_SHIPPED subject direct")
		h.commit("Reapply \""+addRefresh+" (#12)\" (#14)", "b", "1")
		h.want("words alone restore nothing", "NOT_SHIPPED subject direct")
		h.commit("Reapply \""+addRefresh+" (#12)\" (#15)", "api/a.go", "2")
		h.want("the change does", "SHIPPED subject direct")
	})
	t.Run("another of the same title that was meant", func(t *testing.T) {
		h := base(t)
		x := h.commit(addRefresh, "api/a.go", "2")
		h.commit(addRefresh, "api/a.go", "3")
		h.git("revert", "--no-edit", "HEAD")
		if v := h.want("the other stands", "SHIPPED subject direct"); v.Sha != x {
			t.Errorf("got %s, want %s", v.Sha, x)
		}
	})
	t.Run("a pick with -x of what was reverted", func(t *testing.T) {
		h := base(t)
		h.git("branch", "rel")
		x := h.commit(addRefresh, "api/a.go", "2")
		h.git("checkout", "-q", "rel")
		h.git("cherry-pick", "-x", x)
		h.git("checkout", "-q", "main")
		h.git("merge", "-q", "-m", "merge rel", "rel")
		h.git("revert", "--no-edit", x)
		h.want("the copy below the revert", "NOT_SHIPPED subject direct")
		h.git("cherry-pick", "-x", x)
		h.want("a copy after it", "SHIPPED subject direct")
	})
	t.Run("a revert beside the work", func(t *testing.T) {
		h := base(t)
		h.git("checkout", "-q", "-b", "w")
		h.commit("Revert \""+addRefresh+"\"\n\nThis reverts commit 0123456789012345678901234567890123456789.\n", "b", "1")
		h.git("checkout", "-q", "main")
		h.commit(addRefresh, "api/a.go", "2")
		h.git("merge", "-q", "-m", "merge w", "w")
		h.want("does not mean it", "SHIPPED subject direct")
	})
}
