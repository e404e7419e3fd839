package facts

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A history is a scratch repository driven by real git.
type history struct {
	t    testing.TB
	dir  string
	tick int
}

func newHistory(t testing.TB, args ...string) *history {
	t.Helper()
	home := githome.Alone(t)
	h := &history{t: t, dir: filepath.Join(home, "repo")}
	h.at(home, append([]string{"init", "-q", "-b", "main", h.dir}, args...)...)
	return h
}

func (h *history) git(args ...string) string { h.t.Helper(); return h.at(h.dir, args...) }

func (h *history) at(dir string, args ...string) string {
	h.t.Helper()
	h.tick++
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	when := fmt.Sprintf("%d +0000", 1700000000+h.tick)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("git %v: %v: %s", args, err, errs.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// commit writes files, given as path, content pairs, and commits them.
func (h *history) commit(message string, files ...string) string {
	h.t.Helper()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(h.dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o644); err != nil {
			h.t.Fatal(err)
		}
		h.git("add", files[i])
	}
	h.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message)
	return h.git("rev-parse", "HEAD")
}

// raw commits the current tree under a message that git commit would refuse.
func (h *history) raw(message string, files ...string) string {
	h.t.Helper()
	h.commit("replaced", files...)
	head, _, _ := strings.Cut(h.git("cat-file", "commit", "HEAD"), "\n\n")
	path := filepath.Join(h.dir, ".git", "message")
	if err := os.WriteFile(path, []byte(head+"\n\n"+message), 0o644); err != nil {
		h.t.Fatal(err)
	}
	id := h.git("hash-object", "-t", "commit", "-w", "--literally", path)
	h.git("update-ref", "HEAD", id)
	return id
}

// base is a history with one commit that ships nothing.
func base(t testing.TB) *history {
	h := newHistory(t)
	h.commit("root", "README", "hello\n", "api/a.go", "package a\n")
	return h
}

func (h *history) ask(dir string, change ...func(*ShipRequest)) (ship.Evidence, error) {
	h.t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		h.t.Fatal(err)
	}
	req := ShipRequest{Plan: "AUTH", Phase: "AUTH2"}
	for _, f := range change {
		f(&req)
	}
	return Ship(context.Background(), repo, req)
}

// want asserts the verdict as "OUTCOME witness rung" and part of the reason.
func (h *history) want(claim, want string, change ...func(*ShipRequest)) ship.Verdict {
	h.t.Helper()
	return h.wantIn(h.dir, claim, want, change...)
}

func (h *history) wantIn(dir, claim, want string, change ...func(*ShipRequest)) ship.Verdict {
	h.t.Helper()
	ev, err := h.ask(dir, change...)
	if err != nil {
		h.t.Errorf("%s: %v", claim, err)
		return ship.Verdict{}
	}
	v := ship.Decide(ev)
	if got := strings.TrimSpace(fmt.Sprintf("%s %s %s", v.Outcome, v.Witness, v.Rung)); got != want {
		h.t.Errorf("%s: got %q (%s), want %q", claim, got, v.Reason, want)
	}
	return v
}

func ref(name string) func(*ShipRequest) { return func(r *ShipRequest) { r.Ref = name } }

func unit(plan, phase string) func(*ShipRequest) {
	return func(r *ShipRequest) { r.Plan, r.Phase = plan, phase }
}

func entries(list ...ship.LedgerEntry) func(*ShipRequest) {
	return func(r *ShipRequest) {
		r.Ledger = func(context.Context) ([]ship.LedgerEntry, error) { return list, nil }
	}
}

const stamp = "AUTH: AUTH2 add refresh"

func TestForgedShips(t *testing.T) {
	for name, c := range map[string]struct {
		forge func(*history)
		want  string
	}{
		"an empty commit":             {func(h *history) { h.commit(stamp) }, "NOT_SHIPPED subject direct"},
		"a plan document":             {func(h *history) { h.commit(stamp, "docs/auth-plan.md", "SHIPPED\n") }, "NOT_SHIPPED subject direct"},
		"a plan document in a folder": {func(h *history) { h.commit(stamp, "docs/a/b/auth-plan.md", "SHIPPED\n") }, "NOT_SHIPPED subject direct"},
		"a release cut": {func(h *history) {
			h.commit(stamp, "VERSION", "2\n", "ChangeLog.md", "x\n", "docs/releases/2.md", "x\n")
		}, "NOT_SHIPPED subject direct"},
		"a ledger file":               {func(h *history) { h.commit(stamp, "x/dos.state.yaml", "2\n") }, "NOT_SHIPPED subject direct"},
		"a version below the root is": {func(h *history) { h.commit(stamp, "api/VERSION", "2\n") }, "SHIPPED subject direct"},
		"a separator in a subject":    {func(h *history) { h.raw("x\u2028"+strings.Repeat("d", 40)+" "+stamp+"\n", "api/a.go", "2") }, "NOT_SHIPPED"},
		"a stamp in a body":           {func(h *history) { h.commit("x\n\n"+stamp+"\n--END--\n"+stamp, "api/a.go", "2") }, "NOT_SHIPPED"},
		"a trailer out of its block":  {func(h *history) { h.commit("x\n\nDos-Ship: AUTH/AUTH2\n\nmore prose", "api/a.go", "2") }, "NOT_SHIPPED"},
		"a trailer in the title":      {func(h *history) { h.commit("Dos-Ship: AUTH/AUTH2", "api/a.go", "2") }, "NOT_SHIPPED"},
		"a stamp cut short by a NUL":  {func(h *history) { h.raw(stamp+"\x00 is not done\n", "api/a.go", "2") }, "NOT_SHIPPED"},
		"a trailer behind a NUL":      {func(h *history) { h.raw("x\x00\n\nDos-Ship: AUTH/AUTH2\n", "api/a.go", "2") }, "NOT_SHIPPED"},
		"an unmerged branch": {func(h *history) {
			h.git("checkout", "-q", "-b", "w")
			h.commit(stamp, "api/a.go", "2")
			h.git("checkout", "-q", "main")
		}, "NOT_SHIPPED"},
		"uncommitted work": {func(h *history) { os.WriteFile(filepath.Join(h.dir, stamp), nil, 0o644); h.git("add", ".") }, "NOT_SHIPPED"},
		"a merge that took nothing": {func(h *history) {
			h.git("checkout", "-q", "-b", "w")
			h.commit("x", "api/a.go", "2")
			h.git("checkout", "-q", "main")
			h.git("merge", "-q", "--no-ff", "-s", "ours", "-m", stamp, "w")
		}, "NOT_SHIPPED subject direct"},
		"a replace ref": {func(h *history) {
			tip := h.commit("x", "api/a.go", "2")
			forged := h.commit(stamp, "api/a.go", "3")
			h.git("reset", "-q", "--hard", tip)
			h.git("replace", tip, forged)
		}, "NOT_SHIPPED"},
		"a note": {func(h *history) { h.git("notes", "add", "-m", "Dos-Ship: AUTH/AUTH2") }, "NOT_SHIPPED"},
	} {
		t.Run(name, func(t *testing.T) {
			h := base(t)
			c.forge(h)
			h.want("forged by "+name, c.want)
		})
	}
}

func TestTrueShips(t *testing.T) {
	side := func(h *history, names ...string) {
		for _, n := range names {
			h.git("checkout", "-q", "-b", n, "main")
			h.commit(stamp+" "+n, "api/"+n+".go", n)
			h.git("checkout", "-q", "main")
		}
	}
	for name, c := range map[string]struct {
		make func(*history)
		want string
	}{
		"a stamp":                 {func(h *history) { h.commit(stamp, "api/a.go", "2") }, "SHIPPED subject direct"},
		"below later work":        {func(h *history) { h.commit(stamp, "api/a.go", "2"); h.commit("x", "api/a.go", "3"); h.commit("y") }, "SHIPPED subject direct"},
		"with a later empty copy": {func(h *history) { h.commit(stamp, "api/a.go", "2"); h.commit(stamp) }, "SHIPPED subject direct"},
		"a trailer":               {func(h *history) { h.commit("add\n\nbody\n\nDos-Ship: AUTH/AUTH2", "api/a.go", "2") }, "SHIPPED subject trailer-block"},
		"a worker line before it": {func(h *history) { h.commit("add\n\n(fak-worker 7)\n\nDos-Ship: AUTH/AUTH2", "api/a.go", "2") }, "SHIPPED subject trailer-block"},
		"a deletion":              {func(h *history) { h.git("rm", "-q", "api/a.go"); h.commit(stamp) }, "SHIPPED subject direct"},
		"a rename":                {func(h *history) { h.git("mv", "api/a.go", "api/b.go"); h.commit(stamp) }, "SHIPPED subject direct"},
		"not UTF-8":               {func(h *history) { h.raw(stamp+" caf\xe9\n\n\xff\n", "api/a.go", "2") }, "SHIPPED subject direct"},
		"a long message":          {func(h *history) { h.raw(stamp+"\n\n"+strings.Repeat("text ", 300_000)+"\n", "api/a.go", "2") }, "SHIPPED subject direct"},
		"on a merged side":        {func(h *history) { side(h, "w"); h.git("merge", "-q", "--no-ff", "-m", "merge w", "w") }, "SHIPPED subject direct"},
		"on an octopus arm": {func(h *history) {
			side(h, "w", "v")
			h.commit("x", "z", "z")
			h.git("merge", "-q", "-m", "merge", "w", "v")
		}, "SHIPPED subject direct"},
		"a squash":      {func(h *history) { side(h, "w"); h.git("merge", "-q", "--squash", "w"); h.commit(stamp + " (#12)") }, "SHIPPED subject direct"},
		"a cherry-pick": {func(h *history) { side(h, "w"); h.commit("x", "z", "z"); h.git("cherry-pick", "-x", "w") }, "SHIPPED subject direct"},
		"a merge that is a stamp": {func(h *history) {
			h.git("checkout", "-q", "-b", "w")
			h.commit("x", "api/a.go", "2")
			h.git("checkout", "-q", "main")
			h.git("merge", "-q", "--no-ff", "-m", stamp, "w")
		}, "SHIPPED subject direct"},
	} {
		t.Run(name, func(t *testing.T) {
			h := base(t)
			c.make(h)
			h.want("shipped by "+name, c.want)
		})
	}
}

func TestReverts(t *testing.T) {
	h := base(t)
	shipped := h.commit(stamp, "api/a.go", "2", "docs/a.md", "2")
	h.git("revert", "--no-edit", "HEAD")
	first := h.git("rev-parse", "HEAD")
	v := h.want("a revert withdraws", "NOT_SHIPPED subject direct")
	if v.RevertedBy != first || v.Sha != shipped {
		t.Errorf("named %s reverted by %s, want %s and %s", v.Sha, v.RevertedBy, shipped, first)
	}
	h.commit("Reapply\n\nThis reverts commit " + first + ".")
	h.want("an empty commit does not restore", "NOT_SHIPPED subject direct")
	h.commit("Reapply\n\nThis reverts commit "+first+".", "api/a.go", "3")
	h.want("nor one that leaves a path out", "NOT_SHIPPED subject direct")
	h.git("reset", "-q", "--hard", first)
	h.git("revert", "--no-edit", first)
	h.want("a revert of the revert restores", "SHIPPED subject direct")
	h.git("revert", "--no-edit", "HEAD")
	h.want("a third withdraws again", "NOT_SHIPPED subject direct")
	h.commit(stamp+" again", "api/a.go", "9")
	h.want("a new ship counts", "SHIPPED subject direct")
	h.commit("back out\n\n    This reverts commit "+h.git("rev-parse", "HEAD")[:9]+" (again, 2024).", "api/a.go", "2")
	h.want("an abbreviated revert withdraws", "NOT_SHIPPED subject direct")
}

// Git abbreviates an id to four digits at the least, and later objects may make
// those name several. Every commit they may mean is withdrawn, and none is
// restored by them.
func TestShortIDsOfRevertsAreReadSafely(t *testing.T) {
	h := base(t)
	h.commit(stamp, "api/a.go", "2")
	h.git("config", "core.abbrev", "4")
	h.git("revert", "--reference", "--no-edit", "HEAD")
	if message := h.git("show", "-s", "--format=%B", "HEAD"); !strings.Contains(message, "commit "+h.git("rev-parse", "HEAD~1")[:4]+" (") {
		t.Fatalf("git wrote %q, so the test proves nothing", message)
	}
	h.want("a revert by four digits", "NOT_SHIPPED subject direct")
	revert := h.git("rev-parse", "HEAD")
	h.commit("Reapply\n\nThis reverts commit "+revert[:4]+".", "api/a.go", "2", "docs/a.md", "2")
	h.want("is restored by four digits that name it alone", "SHIPPED subject direct")
	h.twin(revert)
	h.want("and not when they may name another commit", "INDETERMINATE subject direct")

	h = base(t)
	h.git("checkout", "-q", "-b", "w")
	h.commit(stamp, "api/a.go", "2")
	h.git("checkout", "-q", "main")
	h.git("merge", "-q", "--no-ff", "-m", "merge w", "w")
	merge := h.git("rev-parse", "HEAD")
	h.commit("back out\n\nThis reverts commit "+merge[:4]+", reversing\nchanges made to "+h.git("rev-parse", "HEAD~1")[:4]+".", "api/a.go", "1")
	h.want("a merge by four digits", "NOT_SHIPPED subject direct")
	h.twin(merge)
	h.want("also when they may name another commit", "NOT_SHIPPED subject direct")
}

// twin makes a commit, on no branch, whose id begins like another's.
func (h *history) twin(id string) {
	h.t.Helper()
	tree := h.git("rev-parse", "HEAD^{tree}")
	for n := range 2_000_000 {
		body := fmt.Sprintf("tree %s\nauthor w <w@x> 1 +0000\ncommitter w <w@x> 1 +0000\n\n%d\n", tree, n)
		sum := sha1.Sum(fmt.Appendf(nil, "commit %d\x00%s", len(body), body))
		if hex.EncodeToString(sum[:2]) == id[:4] && hex.EncodeToString(sum[:]) != id {
			file := filepath.Join(h.dir, ".git", "twin")
			if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
				h.t.Fatal(err)
			}
			h.git("hash-object", "-w", "-t", "commit", file)
			return
		}
	}
	h.t.Fatal("no twin was found")
}

func TestARevertElsewhereWithdrawsNothing(t *testing.T) {
	h := base(t)
	h.commit(stamp, "api/a.go", "2")
	h.git("checkout", "-q", "-b", "w")
	h.git("revert", "--no-edit", "HEAD")
	h.git("checkout", "-q", "main")
	h.want("a revert on an unmerged branch", "SHIPPED subject direct")
	h.git("merge", "-q", "--no-ff", "-m", "merge w", "w")
	h.want("the same once merged", "NOT_SHIPPED subject direct")
}

func TestARevertedMergeTakesItsShipsAlong(t *testing.T) {
	h := base(t)
	h.git("checkout", "-q", "-b", "w")
	h.commit(stamp, "api/a.go", "2")
	h.git("checkout", "-q", "main")
	h.commit("other: x", "z", "z")
	h.git("merge", "-q", "--no-ff", "-m", "merge w", "w")
	h.git("revert", "--no-edit", "-m", "1", "HEAD")
	reverted := h.git("rev-parse", "HEAD")
	if v := h.want("the ship the merge brought in", "NOT_SHIPPED subject direct"); v.RevertedBy != reverted {
		t.Errorf("reverted by %s, want %s", v.RevertedBy, reverted)
	}
	h.git("revert", "--no-edit", "HEAD")
	h.want("and back again", "SHIPPED subject direct")

	h = base(t)
	h.commit(stamp, "api/a.go", "2")
	h.git("checkout", "-q", "-b", "w", "HEAD~1")
	h.commit("x", "y", "y")
	h.git("checkout", "-q", "main")
	h.git("merge", "-q", "--no-ff", "-m", "merge w", "w")
	h.git("revert", "--no-edit", "-m", "1", "HEAD")
	h.want("a ship on the side that was kept", "SHIPPED subject direct")
	h.git("reset", "-q", "--hard", "HEAD~1")
	h.git("revert", "--no-edit", "-m", "2", "HEAD")
	h.want("and on the side that was not", "NOT_SHIPPED subject direct")
}

func TestShallowHistories(t *testing.T) {
	h := base(t)
	h.commit(stamp, "api/a.go", "2")
	h.git("checkout", "-q", "-b", "w")
	h.git("revert", "--no-edit", "HEAD")
	h.commit("x", "w1", "1")
	h.git("checkout", "-q", "main")
	for i := range 3 {
		h.commit("later", "z", fmt.Sprint(i))
	}
	clone := func(depth string) string {
		dir := filepath.Join(t.TempDir(), "clone")
		h.git("clone", "-q", "--depth="+depth, "file://"+h.dir, dir)
		return dir
	}
	d1 := clone("1")
	h.wantIn(d1, "an edge that seems to touch everything", "INDETERMINATE")
	h.wantIn(d1, "a plan without a commit", "INDETERMINATE", unit("NONE", "N1"))
	h.wantIn(clone("4"), "a ship at the edge, its own diff unknown", "INDETERMINATE subject direct")
	h.wantIn(clone("5"), "a ship above every edge", "SHIPPED subject direct")
	h.at(d1, "fetch", "-q", "--unshallow")
	h.wantIn(d1, "once it is whole", "SHIPPED subject direct")

	h.git("merge", "-q", "--no-ff", "-m", "merge w", "w")
	h.want("a revert on the side", "NOT_SHIPPED subject direct")
	for depth, want := range map[string]string{"2": "INDETERMINATE", "3": "INDETERMINATE", "4": "INDETERMINATE", "5": "NOT_SHIPPED subject direct"} {
		h.wantIn(clone(depth), "the same at depth "+depth, want)
	}
	whole := clone("5")
	if err := os.WriteFile(filepath.Join(whole, ".git", "shallow"), []byte(h.git("rev-parse", "w")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h.wantIn(whole, "a hidden side that holds the revert", "INDETERMINATE subject direct")
}

func TestAPartOfHistoryThatIsNotHere(t *testing.T) {
	h := base(t)
	first := h.commit("x", "api/a.go", "1")
	h.commit(stamp, "api/a.go", "2")
	h.git("config", "uploadpack.allowFilter", "true")
	partial := filepath.Join(t.TempDir(), "partial")
	h.git("clone", "-q", "--bare", "--filter=tree:0", "file://"+h.dir, partial)
	h.wantIn(partial, "trees were never fetched", "INDETERMINATE")
	if got := h.at(partial, "count-objects", "-v"); !strings.Contains(got, "in-pack: 3\n") {
		t.Errorf("asking fetched objects: %s", got)
	}

	if err := os.Remove(filepath.Join(h.dir, ".git", "objects", first[:2], first[2:])); err != nil {
		t.Fatal(err)
	}
	h.want("a commit below the ship is gone", "INDETERMINATE")
	h.want("a plan without a commit", "INDETERMINATE", unit("NONE", "N1"))
	h.want("a ref whose object was never here", "INDETERMINATE", ref(strings.Repeat("1", 40)))
	if err := os.WriteFile(filepath.Join(h.dir, ".git", "refs", "heads", "main"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	h.want("a ref that is broken", "INDETERMINATE", ref("refs/heads/main"))
}

func TestLanes(t *testing.T) {
	toml := "[lanes]\nconcurrent = [\"api\", \"web\"]\n[lanes.trees]\napi = [\"api/**\"]\nweb = [\"web/**\"]\n"
	lease := "add\n\nDos-Ship: AUTH/AUTH2\nDos-Lease: api@3.1"
	for name, c := range map[string]struct {
		plans   string
		message string
		files   []string
		floor   ship.Witness
		want    string
	}{
		"the plan's lane, inside":               {"AUTH = \"api\"", stamp, []string{"api/a.go", "2"}, "", "SHIPPED subject-in-tree direct"},
		"the plan's lane, one path outside":     {"AUTH = \"api\"", stamp, []string{"api/a.go", "2", "web/a", "2"}, "", "NOT_SHIPPED subject direct"},
		"a name that only begins like the tree": {"AUTH = \"api\"", stamp, []string{"api2/a.go", "2"}, "", "NOT_SHIPPED subject direct"},
		"the trailer's lane, inside":            {"", lease, []string{"api/a.go", "2"}, "trailer", "SHIPPED trailer trailer-block"},
		"the trailer's lane, outside":           {"", lease, []string{"web/a.go", "2"}, "", "NOT_SHIPPED subject trailer-block"},
		"the plan's lane overrules the trailer": {"AUTH = \"web\"", lease, []string{"api/a.go", "2"}, "", "NOT_SHIPPED subject trailer-block"},
		"a lane without a tree is unknown":      {"", strings.Replace(lease, "api@", "k.00@", 1), []string{"x", "2"}, "", "SHIPPED subject trailer-block"},
		"two lanes are none":                    {"", lease + "\nDos-Lease: web@1", []string{"x", "2"}, "", "SHIPPED subject trailer-block"},
	} {
		t.Run(name, func(t *testing.T) {
			h := base(t)
			h.commit("rules", "dos.toml", toml+"[plans]\n"+c.plans+"\n")
			h.commit(c.message, c.files...)
			h.want(name, c.want, func(r *ShipRequest) { r.Floor = c.floor })
		})
	}
}

func TestTheLedgerWitness(t *testing.T) {
	h := base(t)
	h.commit("rules", "dos.toml", "[lanes]\nconcurrent = [\"api\"]\n[lanes.trees]\napi = [\"api/**\"]\n")
	named := h.commit(stamp, "api/a.go", "2")
	unnamed := h.commit("other", "api/b.go", "2")
	empty := h.commit("nothing")
	h.git("checkout", "-q", "-b", "w")
	away := h.commit(stamp, "api/a.go", "3")
	h.git("checkout", "-q", "main")
	entry := func(plan, commit string, tree ...string) func(*ShipRequest) {
		made := ""
		if commit != strings.Repeat("1", 40) {
			made = h.git("rev-parse", commit+"^{tree}")
		}
		return entries(ship.LedgerEntry{ID: "e", Lane: "api", Gen: 1, Plan: plan, Phase: "AUTH2", Commit: commit, CommitTree: made, Tree: tree, Leased: ship.Yes})
	}
	h.want("a commit that names it, in the leased tree", "SHIPPED ledger ledger", entry("auth", named, "api/**"))
	h.want("outside the leased tree", "SHIPPED trailer ledger", entry("AUTH", named, "web/**"))
	h.want("an entry that names another tree object", "SHIPPED trailer ledger", entry("AUTH", named, "api/**"), func(r *ShipRequest) {
		list, _ := r.Ledger(context.Background())
		list[0].CommitTree = strings.Repeat("1", 40)
		entries(list...)(r)
	})
	h.want("no tree was leased", "SHIPPED trailer ledger", entry("AUTH", named))
	h.want("a commit that the trunk lacks", "SHIPPED subject direct", entry("AUTH", away, "api/**"))
	h.want("an entry for a commit that never existed", "SHIPPED subject direct", entry("AUTH", strings.Repeat("1", 40), "api/**"))
	h.want("a commit that does not name it", "SHIPPED trailer ledger", entry("NONE", unnamed, "api/**"), unit("NONE", "AUTH2"))
	h.want("is below the floor ledger", "NOT_SHIPPED trailer ledger", entry("NONE", unnamed, "api/**"), unit("NONE", "AUTH2"), func(r *ShipRequest) { r.Floor = ship.Ledger })
	h.want("a commit that changed nothing", "NOT_SHIPPED trailer ledger", entry("NONE", empty, "api/**"), unit("NONE", "AUTH2"))
	h.git("revert", "--no-edit", named)
	h.want("a reverted commit", "NOT_SHIPPED ledger ledger", entry("AUTH", named, "api/**"))

	broken := errors.New("chain is unreadable")
	if _, err := h.ask(h.dir, func(r *ShipRequest) {
		r.Ledger = func(context.Context) ([]ship.LedgerEntry, error) { return nil, broken }
	}); !errors.Is(err, broken) {
		t.Errorf("an unreadable ledger: %v", err)
	}
}

func TestWhoseRules(t *testing.T) {
	const parens = "feat: y (AUTH AUTH2)"
	loose, strict := "[stamp]\ntrailer_stamp = true\n", "[stamp]\ntrailer_stamp = false\n"
	h := base(t)
	h.commit("rules", "dos.toml", strict)
	h.commit(parens, "api/a.go", "2")
	os.WriteFile(filepath.Join(h.dir, "dos.toml"), []byte(loose), 0o644)
	h.want("a work tree cannot loosen the rules of the ref", "NOT_SHIPPED")
	os.WriteFile(filepath.Join(h.dir, "dos.toml"), []byte("[stamp\n"), 0o644)
	h.want("nor break them where the ref is named", "NOT_SHIPPED", ref("main"))
	if _, err := h.ask(h.dir); !errors.As(err, new(policy.Errors)) {
		t.Errorf("a broken work-tree file while it is needed to find the trunk: %v", err)
	}

	h = base(t)
	h.commit(parens, "api/a.go", "2")
	os.WriteFile(filepath.Join(h.dir, "dos.toml"), []byte(loose), 0o644)
	h.want("a ref without rules takes the work tree's", "SHIPPED subject trailer")
	h.want("named or not", "SHIPPED subject trailer", ref("HEAD"))
	for name, text := range map[string]string{"an unknown key": "[stamp]\ntrailer_stamps = true\n", "a type": "[stamp]\ntrailer_stamp = 1\n", "syntax": "[stamp"} {
		os.WriteFile(filepath.Join(h.dir, "dos.toml"), []byte(text), 0o644)
		if _, err := h.ask(h.dir, ref("HEAD")); !errors.As(err, new(policy.Errors)) {
			t.Errorf("%s in it: %v, want policy errors", name, err)
		}
		h.git("add", "dos.toml")
		h.git("commit", "-q", "-m", "rules")
		if _, err := h.ask(h.dir, ref("HEAD")); !errors.As(err, new(policy.Errors)) {
			t.Errorf("%s on the ref: %v, want policy errors", name, err)
		}
		h.git("reset", "-q", "--hard", "HEAD~1")
	}
	h.commit("rules", "dos.toml", "[verify]\nfloor = \"trailer\"\n")
	h.want("the floor is the ref's", "NOT_SHIPPED", unit("AUTH", "AUTH3"))
	h.commit("AUTH: AUTH3 x", "api/a.go", "3")
	h.want("and refuses a subject", "NOT_SHIPPED subject direct", unit("AUTH", "AUTH3"))
	h.want("unless the caller names another", "SHIPPED subject direct", unit("AUTH", "AUTH3"), func(r *ShipRequest) { r.Floor = ship.Subject })
	h.commit("rules", "dos.toml", "[verify]\nfloor = \"mention\"\n")
	h.commit("v1.2.3: AUTH9 and more", "api/a.go", "4")
	h.want("a floor for releases", "SHIPPED mention release-prefix", unit("AUTH", "AUTH9"))
}

func TestPlansThatShareANumber(t *testing.T) {
	h := base(t)
	h.commit("plans", "docs/117_alpha-plan.md", "a\n", "docs/x/117_beta-plan.md", "b\n", "docs/118_gamma-plan.md", "c\n")
	h.commit("117: P1 x", "api/a.go", "2")
	h.commit("118: P1 x", "api/a.go", "3")
	h.want("a shared number", "NOT_SHIPPED  ambiguous-number", unit("117", "P1"))
	h.want("a number of its own", "SHIPPED subject direct", unit("118", "P1"))
}

func TestBadRequests(t *testing.T) {
	h := base(t)
	for _, c := range []func(*ShipRequest){unit("", "P"), unit("P", ""), unit("P", "a\nb"), unit(strings.Repeat("x", 5000), "P")} {
		var bad *ShipRequestError
		if _, err := h.ask(h.dir, c); !errors.As(err, &bad) {
			t.Errorf("got %v, want a ShipRequestError", err)
		}
	}
	for _, name := range []string{"nope", "refs/heads/nope", "--all", "main..main", "HEAD:README"} {
		if ev, err := h.ask(h.dir, ref(name)); !errors.Is(err, ancestry.ErrNoRevision) && !(err == nil && ev.History == ship.Missing) {
			t.Errorf("ref %q: %+v, %v", name, ev, err)
		}
	}
}
