package facts

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A ref that names no commit is an error, or evidence that something is
// missing: it is never a history without the unit.
func TestNoRefIsReadAsAnEmptyHistory(t *testing.T) {
	h := base(t)
	h.commit(stamp, "api/a.go", "2")
	for _, name := range []string{
		"main\n", "main\nmain", "\nmain", "main main", "main..main", "main...main", "..", "^main", "--all", "--help", "-x", "HEAD^{tree}", "HEAD^{blob}",
		"main:api", ":api/a.go", ":0:api/a.go", "HEAD^!", "HEAD^@", "HEAD^2", "HEAD~9", "refs/heads/*", "refs/heads/", "refs/heads/main/", "heads", "@{-1}", "main@{upstream}", "\xff", "é",
		strings.Repeat("a", 5000), strings.Repeat("a/", 5000), strings.Repeat("1", 40), strings.Repeat("0", 40), strings.Repeat("1", 64), h.git("rev-parse", "HEAD^{tree}"), h.git("rev-parse", "HEAD:api/a.go"),
	} {
		ev, err := h.ask(h.dir, ref(name))
		switch {
		case errors.Is(err, ancestry.ErrNoRevision):
			if len(err.Error()) > 2000 {
				t.Errorf("ref %.40q: an error of %d bytes", name, len(err.Error()))
			}
		case err != nil:
			t.Errorf("ref %.40q: %v is no word on the ref", name, err)
		case ship.Decide(ev).Outcome != ship.Indeterminate:
			t.Errorf("ref %.40q: %+v", name, ship.Decide(ev))
		}
	}
}

// Objects may be absent in a partial clone. They are not fetched, whatever the
// remote and its settings.
func TestAPromisorIsNeverAsked(t *testing.T) {
	h := base(t)
	h.commit("rules", "dos.toml", "[lanes]\nconcurrent = [\"api\"]\n")
	h.commit(stamp, "api/a.go", "2")
	h.git("config", "uploadpack.allowFilter", "true")
	for _, filter := range []string{"blob:none", "tree:0"} {
		clone, asked := filepath.Join(t.TempDir(), "clone"), filepath.Join(t.TempDir(), "asked")
		h.git("clone", "-q", "--bare", "--filter="+filter, "file://"+h.dir, clone)
		h.at(clone, "config", "remote.origin.url", "ext::touch "+asked)
		h.at(clone, "config", "protocol.ext.allow", "always")
		h.wantIn(clone, "rules that are not here, "+filter, "INDETERMINATE")
		h.wantIn(clone, "and of another unit", "INDETERMINATE", unit("NONE", "N1"))
		if _, err := os.Lstat(asked); err == nil {
			t.Fatalf("%s: the remote was asked", filter)
		}
		_ = exec.Command("git", "-C", clone, "cat-file", "-e", h.git("rev-parse", "HEAD:dos.toml")).Run()
		if _, err := os.Lstat(asked); err != nil {
			t.Fatal("this test would not notice that a remote is asked")
		}
	}
}

// A commit-graph is a copy of what the commits say. One that was damaged may
// keep an answer from being given and does not change it.
func TestADamagedCommitGraphBendsNoAnswer(t *testing.T) {
	h := base(t)
	h.commit(stamp, "api/a.go", "2")
	h.git("checkout", "-q", "-b", "w")
	h.git("revert", "--no-edit", "HEAD")
	h.git("checkout", "-q", "main")
	h.commit("AUTH: AUTH3 add", "api/b.go", "2")
	h.git("merge", "-q", "-m", "merge w", "w")
	h.git("commit-graph", "write", "--reachable")
	path := filepath.Join(h.dir, ".git", "objects", "info", "commit-graph")
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	repo, err := refstore.Open(context.Background(), h.dir)
	if err != nil {
		t.Fatal(err)
	}
	bent := 0
	for at := 8; at < len(sound); at += 37 {
		damaged := []byte(string(sound))
		damaged[at] ^= 0xff
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		list, err := Ships(context.Background(), repo, []Unit{{"AUTH", "AUTH2"}, {"AUTH", "AUTH3"}}, ShipScope{Cold: true})
		if err != nil {
			bent++ // which is no answer
		}
		for i, ev := range list {
			v, want := ship.Decide(ev), [...]ship.Outcome{ship.NotShipped, ship.Shipped}[i]
			if v.Outcome == ship.Indeterminate {
				bent++
			} else if v.Outcome != want {
				t.Errorf("byte %d: %s is %s (%s), want %s", at, v.Phase, v.Outcome, v.Reason, want)
			}
		}
	}
	if bent == 0 {
		t.Error("no damage was noticed: the graph was not read")
	}
}

// A ship is told from a claim by its own first-parent change, however it came.
func TestShapesOfAShip(t *testing.T) {
	for name, c := range map[string]struct {
		make func(*history)
		want string
	}{
		"a mode change alone": {func(h *history) { h.git("update-index", "--chmod=+x", "api/a.go"); h.git("commit", "-q", "-m", stamp) }, yes},
		"a submodule": {func(h *history) {
			h.git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",sub")
			h.git("commit", "-q", "-m", stamp)
		}, yes},
		"the root": {func(h *history) {
			h.git("checkout", "-q", "--orphan", "new")
			h.git("commit", "-q", "-m", stamp)
			h.git("branch", "-M", "main")
		}, yes},
		"an unrelated root, merged": {func(h *history) {
			h.git("checkout", "-q", "--orphan", "new")
			h.commit(stamp, "n", "1")
			h.git("checkout", "-q", "main")
			h.git("merge", "-q", "--allow-unrelated-histories", "-m", "m", "new")
		}, yes},
		"an empty root": {func(h *history) {
			h.git("checkout", "-q", "--orphan", "new")
			h.git("rm", "-rfq", "--cached", ".")
			h.git("commit", "-q", "--allow-empty", "-m", stamp)
			h.git("branch", "-M", "main")
		}, noStamp},
		"a rename of a plan file": {func(h *history) {
			h.commit("x", "docs/a-plan.md", "1")
			h.git("mv", "docs/a-plan.md", "docs/b-plan.md")
			h.git("commit", "-q", "-m", stamp)
		}, noStamp},
		"a plan file moved elsewhere": {func(h *history) {
			h.commit("x", "docs/a-plan.md", "1")
			h.git("mv", "docs/a-plan.md", "api/b.md")
			h.git("commit", "-q", "-m", stamp)
		}, yes},
		"a plan file in capitals":      {func(h *history) { h.commit(stamp, "Docs/A-PLAN.md", "1") }, noStamp},
		"a path that ends like a plan": {func(h *history) { h.commit(stamp, "xdocs/a-plan.md", "1") }, yes},
		"a ledger file in a folder":    {func(h *history) { h.commit(stamp, "a/b/Plans.yaml", "1", "CHANGELOG", "1") }, noStamp},
		"a merge whose second side is the trunk": {func(h *history) {
			h.git("checkout", "-q", "-b", "w")
			h.commit("x", "api/a.go", "2")
			h.git("checkout", "-q", "main")
			h.commit("y", "web", "2")
			h.git("checkout", "-q", "w")
			h.git("merge", "-q", "-m", stamp, "main")
			h.git("branch", "-f", "main", "w")
			h.git("checkout", "-q", "main")
		}, yes},
	} {
		t.Run(name, func(t *testing.T) {
			h := base(t)
			c.make(h)
			h.want("when the index is made", c.want)
			h.want("from the index", c.want)
		})
	}
}

// Reverts reach as far as they say, and no further.
func TestShapesOfARevert(t *testing.T) {
	revertOf := func(id string) string { return "back out\n\nThis reverts commit " + id + "." }
	for name, c := range map[string]struct {
		make func(h *history, id string)
		want string
	}{
		"an id in capitals": {func(h *history, id string) { h.commit(revertOf(strings.ToUpper(id)), "api/a.go", "1") }, noStamp},
		"a phrase that is wrapped": {func(h *history, id string) {
			h.commit("back out\n\nThis\nreverts\ncommit\n"+id+"\nand more", "api/a.go", "1")
		}, noStamp},
		"a phrase in the title":   {func(h *history, id string) { h.commit("This reverts commit "+id, "api/a.go", "1") }, noStamp},
		"a phrase that is quoted": {func(h *history, id string) { h.commit("back out\n\n> this reverts commit "+id, "api/a.go", "1") }, noStamp},
		"an empty revert":         {func(h *history, id string) { h.commit(revertOf(id)) }, noStamp},
		"one that holds a NUL":    {func(h *history, id string) { h.raw("x\x00\n\nThis reverts commit "+id+".\n", "api/a.go", "1") }, noStamp},
		"one below a megabyte of text": {func(h *history, id string) {
			h.raw("x\n\n"+strings.Repeat("text ", 200_000)+"\n\nThis reverts commit "+id+".\n", "api/a.go", "1")
		}, noStamp},
		"two of three in one message": {func(h *history, id string) {
			h.commit(revertOf(strings.Repeat("1", 40))+"\n"+revertOf(id), "api/a.go", "1")
		}, noStamp},
		"an id with one digit wrong": {func(h *history, id string) { h.commit(revertOf(id[:39]+string("10"[id[39]&1])), "api/a.go", "1") }, yes},
		"three digits":               {func(h *history, id string) { h.commit(revertOf(id[:3]), "api/a.go", "1") }, yes},
		"of a revert that never was": {func(h *history, id string) {
			h.commit("Revert \"Revert \\\"x\\\"\"\n\nThis reverts commit "+strings.Repeat("2", 40)+".", "api/a.go", "1")
		}, yes},
		"by another wording": {func(h *history, id string) { h.commit("undo "+id, "api/a.go", "1") }, yes},
	} {
		t.Run(name, func(t *testing.T) {
			h := base(t)
			c.make(h, h.commit(stamp, "api/a.go", "2"))
			for _, when := range []string{"when the index is made", "from the index"} {
				h.want(fmt.Sprintf("%s, %s", name, when), c.want)
			}
		})
	}
}

// A squashed branch ships what is left of it at its end.
func TestShapesOfASquash(t *testing.T) {
	h := base(t)
	h.subjects("AUTH", no,
		"AUTH: {} add\n\n* Revert \"AUTH: {} add\"\n",
		"AUTH: {} add (#1)\n\n* AUTH: {} add\n\n* Revert \"AUTH: {} add\"\n\nThis reverts commit 0123456.\n",
		"AUTH: {} add\n\n* AUTH: {} add\n* Revert \"AUTH: {} add\"\n* Reapply \"AUTH: {} add\"\n* Revert \"Reapply \"AUTH: {} add\"\"\n",
		"AUTH: {} add\n\nSquashed commit of the following:\n\ncommit 1\n\n    Revert \"AUTH: {} add\"\n\ncommit 2\n\n    AUTH: {} add\n",
		"add\n\n* AUTH: {} add\n* Revert \"AUTH: {} add\"\n\nDos-Ship: AUTH/{}\n",
		"AUTH: {} add\n\n- REVERT \"auth: {} add\"\n",
	)
	h.subjects("AUTH", yes,
		"AUTH: {} add\n\n* Revert \"AUTH: {} add\"\n* Reapply \"AUTH: {} add\"\n",
		"AUTH: {} add\n\n* Revert \"AUTH: {} add\"\n* Revert \"Revert \"AUTH: {} add\"\"\n",
		"AUTH: {} add\n\n* AUTH: {} one\n* AUTH: {} two\n* Revert \"AUTH: {} one\"\n",
		"AUTH: {} add\n\n* Revert \"AUTH: {}0 add\"\n",
		"AUTH: {} add\n\n* Revert \"fix: typo\"\n* AUTH: {} add\n",
		"AUTH: {} add\n\nThis explains why we revert nothing of AUTH: {} here.\n",
	)
}

// removeObject deletes a loose object.
func (h *history) removeObject(id string) {
	h.t.Helper()
	if err := os.Remove(filepath.Join(h.dir, ".git", "objects", id[:2], id[2:])); err != nil {
		h.t.Fatal(err)
	}
}

// Whether a revert was itself taken back cannot be said without its change.
func TestARevertThatCannotBeRead(t *testing.T) {
	h := base(t)
	ship := h.commit(stamp, "api/a.go", "2")
	revert := h.commit("back out\n\nThis reverts commit "+ship+".", "api/a.go", "1", "more", "1")
	h.commit("Reapply\n\nThis reverts commit "+revert+".", "api/a.go", "2", "more", "2")
	h.want("all is here", yes)
	h.removeObject(h.git("rev-parse", revert+"^{tree}"))
	h.want("its tree is gone", "INDETERMINATE subject direct")
}

// Which of two reverts is named does not depend on how the index grew.
func TestTwoRevertsAreToldInOneOrder(t *testing.T) {
	h := base(t)
	id := h.commit(stamp, "api/a.go", "2")
	for _, branch := range []string{"older", "newer"} {
		h.git("checkout", "-q", "-b", branch, "main")
		h.commit("back out\n\nThis reverts commit "+id+".", branch, "1")
	}
	h.want("the newer first", noStamp, ref("newer"))
	h.git("merge", "-q", "-m", "merge", "older")
	warm := h.want("then both", noStamp, ref("newer"))
	if cold := h.want("cold", noStamp, ref("newer"), func(r *ShipRequest) { r.Cold = true }); cold != warm {
		t.Errorf("cold %+v\nwarm %+v", cold, warm)
	}
}

// An index that was made before the history was cut does not fill the gap.
func TestAnIndexFromBeforeTheCut(t *testing.T) {
	h := base(t)
	h.commit(stamp, "api/a.go", "2")
	h.commit("x", "z", "1")
	clone := filepath.Join(t.TempDir(), "clone")
	h.git("clone", "-q", "file://"+h.dir, clone)
	h.wantIn(clone, "whole", yes)
	h.at(clone, "fetch", "-q", "--depth=1", "origin", "main")
	h.wantIn(clone, "cut", "INDETERMINATE")
}

// A damaged index is as good as none: no row of it is left behind.
func TestADamagedIndexBendsNoAnswer(t *testing.T) {
	h := base(t)
	h.commit(stamp, "api/a.go", "2")
	h.git("revert", "--no-edit", "HEAD")
	h.commit("AUTH: AUTH3 add", "api/b.go", "2")
	h.commit("more of AUTH2 to come", "api/b.go", "3")
	cold, err := h.ask(h.dir, func(r *ShipRequest) { r.Cold, r.Explain = true, true })
	if err != nil {
		t.Fatal(err)
	}
	ask := func() string {
		ev, err := h.ask(h.dir, func(r *ShipRequest) { r.Explain = true })
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v", ev)
	}
	want := fmt.Sprintf("%+v", cold)
	if got := ask(); got != want {
		t.Fatalf("the first time\n%s\nwant\n%s", got, want)
	}
	files, err := filepath.Glob(filepath.Join(h.dir, ".git", "dos", "index", "*-*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	sound, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(sound); at += max(1, len(sound)/24) {
		damaged := []byte(string(sound))
		damaged[at] ^= 0x55
		if err := os.WriteFile(files[0], damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := ask(); got != want {
			t.Errorf("byte %d of %d\n%s\nwant\n%s", at, len(sound), got, want)
		}
	}
}

// A commit-graph that hides parents cuts the history short for git. No index is
// made of what is left, so the answer is right once the graph is gone.
func TestAHiddenParentLeavesNoIndex(t *testing.T) {
	h := base(t)
	h.commit(stamp, "api/a.go", "2")
	h.commit("x", "z", "1")
	h.git("commit-graph", "write", "--reachable")
	path := filepath.Join(h.dir, ".git", "objects", "info", "commit-graph")
	graph, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for toc := graph[8:]; string(toc[:4]) != "\x00\x00\x00\x00"; toc = toc[12:] {
		if string(toc[:4]) == "CDAT" {
			at = int(binary.BigEndian.Uint64(toc[4:12]))
		}
	}
	for i := range 3 { // a tree, two parents, times: 36 bytes
		binary.BigEndian.PutUint32(graph[at+36*i+20:], 0x70000000)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, graph, 0o644); err != nil {
		t.Fatal(err)
	}
	h.want("the parents are hidden", "INDETERMINATE")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	h.want("and seen again", yes)
}
