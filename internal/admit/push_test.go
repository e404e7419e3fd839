package admit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

const mainRef = "refs/heads/main"

// riding is a push under leases the pusher remembers.
func riding(commit refstore.OID, leases ...lease.Record) PushRequest {
	req := PushRequest{Commit: commit}
	for _, r := range leases {
		req.Holds = append(req.Holds, lease.Hold{Lane: r.Lane, Identity: lease.Identity{Nonce: r.Nonce}})
	}
	return req
}

// wantPush pushes and checks the answer and whether the trunk moved.
func wantPush(t *testing.T, d *Desk, refs string, req PushRequest, want lease.PushOutcome, class string) lease.PushVerdict {
	t.Helper()
	before := gitIn(t, refs, "for-each-ref", mainRef)
	v, err := d.Push(t.Context(), req)
	if err != nil || v.Outcome != want || v.ReasonClass != class {
		t.Errorf("got %q %q (%s), error %v; want %q %q", v.Outcome, v.ReasonClass, v.Reason, err, want, class)
	}
	if moved := gitIn(t, refs, "for-each-ref", mainRef) != before; moved && want != lease.Landed {
		t.Errorf("%s, and the trunk moved", want)
	}
	return v
}

func shipsOn(t *testing.T, refs, name string) (ships []lease.Ship) {
	t.Helper()
	d := &Desk{Repo: openRepo(t, refs)}
	s, err := d.Repo.Local().Read(t.Context(), refstore.Query{Kinds: []string{"lane"}})
	if err != nil {
		t.Fatal(err)
	}
	target, _ := ref(name)
	err = d.Repo.Chain(t.Context(), target, s.Tip(target).ID, func(tip refstore.Tip) bool {
		if r, err := record(tip); err == nil && tip.Entry.Op == lease.OpShip {
			ships = append(ships, *r.Ship)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return ships
}

func TestTrunkAndShipMoveTogether(t *testing.T) {
	f := newFleet(t)
	dir := f.clone(t)
	d := open(t, dir)
	api, web := acquire(t, d, "api", "alice"), acquire(t, d, "web", "alice")
	old := gitIn(t, dir, "rev-parse", "HEAD")
	first := commit(t, dir, "PLAN: API1\n\nDos-Ship: PLAN/API1\n", "api/a", "2\n")
	tip := commit(t, dir, "more", "api/b", "1\n")
	req := riding(tip, api, web)
	req.Plan, req.Phase = "PLAN", "API2"
	v := wantPush(t, d, f.hub, req, lease.Landed, "")
	if got := gitIn(t, f.hub, "rev-parse", mainRef); got != string(tip) {
		t.Errorf("the trunk is at %s", got)
	}
	if !slices.Equal(v.Lanes, []string{"api"}) || v.Old != old || v.New != string(tip) {
		t.Errorf("%+v", v)
	}
	ships := shipsOn(t, f.hub, "api")
	if len(ships) != 1 || ships[0].Ref != mainRef || ships[0].Old != old || ships[0].New != string(tip) || len(ships[0].Units) != 2 {
		t.Fatalf("%+v", ships)
	}
	if u := ships[0].Units[0]; u.Plan != "PLAN" || u.Phase != "API1" || u.Commit != string(first) || u.Tree != gitIn(t, dir, "rev-parse", string(first)+"^{tree}") {
		t.Errorf("the unit of a trailer: %+v", u)
	}
	if u := ships[0].Units[1]; u.Phase != "API2" || u.Commit != string(tip) {
		t.Errorf("the unit of the request: %+v", u)
	}
	if n := len(shipsOn(t, f.hub, "web")); n != 0 {
		t.Errorf("%d ships on an untouched lane", n)
	}
	if gitIn(t, dir, "rev-parse", "origin/main") != string(tip) {
		t.Error("the tracking branch did not follow")
	}
	wantPush(t, d, f.hub, riding(tip, api), lease.Nothing, "")
	both := commit(t, dir, "both", "api/a", "3\n", "web/w", "3\n")
	if v := wantPush(t, d, f.hub, riding(both, api, web), lease.Landed, ""); len(v.Lanes) != 2 {
		t.Errorf("%+v", v)
	}
	beat, err := d.Heartbeat(t.Context(), "api", lease.Identity{Nonce: api.Nonce})
	wantVerdict(t, beat, err, lease.Renewed, "")
}

func TestPathsOutsideTheLaneStayHome(t *testing.T) {
	f := newFleet(t)
	base := f.clone(t)
	commit(t, base, "files", "api/old", "1\n", "web/gone", "1\n", "web/moved", "a long enough text to be a rename\n")
	gitIn(t, base, "push", "--quiet", "origin", "HEAD:main")
	dir := f.clone(t)
	d := open(t, dir)
	api := acquire(t, d, "api", "alice")
	start := gitIn(t, dir, "rev-parse", "HEAD")
	for claim, tt := range map[string]struct {
		change func()
		path   string
	}{
		"a file elsewhere":                {func() { commit(t, dir, "x", "api/new", "1\n", "web/new", "1\n") }, "web/new"},
		"a file at the top":               {func() { commit(t, dir, "x", "README", "1\n") }, "README"},
		"a deletion elsewhere":            {func() { gitIn(t, dir, "rm", "-q", "web/gone"); commit(t, dir, "x") }, "web/gone"},
		"a rename into the lane":          {func() { gitIn(t, dir, "mv", "web/moved", "api/moved"); commit(t, dir, "x") }, "web/moved"},
		"a rename out of the lane":        {func() { gitIn(t, dir, "mv", "api/old", "web/old"); commit(t, dir, "x") }, "web/old"},
		"a name beyond ASCII":             {func() { commit(t, dir, "x", "wéb/ü", "1\n") }, "wéb/ü"},
		"a name with a newline":           {func() { commit(t, dir, "x", "web/a\nb", "1\n") }, "web/a\nb"},
		"a name that only starts alike":   {func() { commit(t, dir, "x", "api2/a", "1\n") }, "api2/a"},
		"a name in another case":          {func() { commit(t, dir, "x", "API/a", "1\n") }, "API/a"},
		"a change of mode elsewhere":      {func() { gitIn(t, dir, "update-index", "--chmod=+x", "web/w"); commit(t, dir, "x") }, "web/w"},
		"a change in an earlier commit":   {func() { commit(t, dir, "x", "web/w", "9\n"); commit(t, dir, "y", "api/a", "9\n") }, "web/w"},
		"a change that a merge brings in": {func() { mergeOf(t, dir, "web/side") }, "web/side"},
	} {
		t.Run(claim, func(t *testing.T) {
			gitIn(t, dir, "reset", "--quiet", "--hard", start)
			tt.change()
			tip := refstore.OID(gitIn(t, dir, "rev-parse", "HEAD"))
			v := wantPush(t, d, f.hub, riding(tip, api), lease.Gated, lease.ScopeEscape)
			if v.ExitCode() != 5 || !slices.Contains(v.Paths, tt.path) {
				t.Errorf("exit %d, escaping %q, want %q", v.ExitCode(), v.Paths, tt.path)
			}
		})
	}
	if n := len(shipsOn(t, f.hub, "api")); n != 0 {
		t.Errorf("%d ships", n)
	}
}

func mergeOf(t *testing.T, dir, path string) {
	gitIn(t, dir, "checkout", "--quiet", "-b", "side-"+filepath.Base(t.TempDir()))
	commit(t, dir, "side", path, "1\n")
	gitIn(t, dir, "checkout", "--quiet", "main")
	commit(t, dir, "mine", "api/mine", "1\n")
	gitIn(t, dir, "merge", "--quiet", "--no-edit", "-")
}

func TestStaleHolderIsFenced(t *testing.T) {
	f := newFleet(t)
	alice, bob := f.clone(t), f.clone(t)
	d := open(t, alice)
	api := acquire(t, d, "api", "alice")
	tip := commit(t, alice, "work", "api/a", "2\n")

	operator := open(t, bob)
	v, err := operator.Scavenge(t.Context(), "api", "oncall")
	wantVerdict(t, v, err, lease.Scavenged, "")
	p := wantPush(t, d, f.hub, riding(tip, api), lease.Fenced, lease.NoLease)
	if !strings.Contains(p.Reason, "scavenged by operator oncall") {
		t.Errorf("the reason is %q", p.Reason)
	}
	acquire(t, operator, "api", "bob")
	p = wantPush(t, d, f.hub, riding(tip, api), lease.Fenced, lease.StaleLease)
	if p.Holder == nil || p.Holder.Owner != "bob" {
		t.Errorf("fenced by %+v", p.Holder)
	}
	wantPush(t, d, f.hub, riding(tip), lease.Fenced, lease.NoLease)
	if n := len(shipsOn(t, f.hub, "api")); n != 0 {
		t.Errorf("%d ships", n)
	}
}

// The lease moves between the pusher's read and its push.
func TestLeaseTakenDuringThePushFences(t *testing.T) {
	f := newFleet(t)
	alice := f.clone(t)
	d := open(t, alice)
	api := acquire(t, d, "api", "alice")
	tip := commit(t, alice, "work", "api/a", "2\n")
	// What an operator writes, ready to be put in place by the server itself.
	operator := f.clone(t)
	freed := stateOf(t, f.hub, "api")
	v, writes := lease.Scavenge(lease.KeepEvidence{Lane: "api", Chain: "api", Current: &freed, Operator: "oncall", Stamp: lease.Stamp{Now: freed.RenewedAt}})
	if v.Outcome != lease.Scavenged {
		t.Fatal(v)
	}
	r := openRepo(t, f.hub)
	tipOf := refstore.OID(gitIn(t, f.hub, "rev-parse", "refs/dos/lane/api"))
	entry, err := r.WriteEntry(context.Background(), "refs/dos/lane/api", tipOf, refstore.Entry{Op: writes[0].Op, Gen: writes[0].Gen, Payload: writes[0].Payload, At: freed.RenewedAt})
	if err != nil {
		t.Fatal(err)
	}
	script(t, filepath.Join(f.hub, "hooks", "pre-receive"), "cat > /dev/null\nunset GIT_QUARANTINE_PATH\ngit update-ref refs/dos/lane/api "+string(entry)+" "+string(tipOf)+" 2>/dev/null\nexit 0\n")
	wantPush(t, d, f.hub, riding(tip, api), lease.Fenced, lease.NoLease)
	_ = operator
}

func TestTrunkThatMovedOnIsRaced(t *testing.T) {
	f := newFleet(t)
	alice, bob := f.clone(t), f.clone(t)
	d := open(t, alice)
	api := acquire(t, d, "api", "alice")
	tip := commit(t, alice, "work", "api/a", "2\n")
	theirs := commit(t, bob, "theirs", "web/w", "2\n")
	gitIn(t, bob, "push", "--quiet", "origin", "HEAD:main")
	v := wantPush(t, d, f.hub, riding(tip, api), lease.Raced, lease.NotAhead)
	if !strings.Contains(v.Reason, theirs.Short()) || !strings.Contains(v.Next, "git rebase origin/main") {
		t.Errorf("%+v", v)
	}
	gitIn(t, alice, "rebase", "--quiet", "origin/main")
	wantPush(t, d, f.hub, riding(refstore.OID(gitIn(t, alice, "rev-parse", "HEAD")), api), lease.Landed, "")
}

func TestHooksOfUserAndServerAreGates(t *testing.T) {
	f := newFleet(t)
	dir := f.clone(t)
	d := open(t, dir)
	api := acquire(t, d, "api", "alice")
	tip := commit(t, dir, "work", "api/a", "2\n")

	hook := script(t, filepath.Join(dir, ".git", "hooks", "pre-push"), "echo 'tests fail' >&2\nexit 1\n")
	v := wantPush(t, d, f.hub, riding(tip, api), lease.Gated, "DENIED")
	t.Logf("pre-push: %s", v.Reason)
	script(t, hook, "exit 0\n")

	update := script(t, filepath.Join(f.hub, "hooks", "update"), "case $1 in refs/heads/main) echo 'main is protected' >&2; exit 1;; esac\n")
	v = wantPush(t, d, f.hub, riding(tip, api), lease.Gated, "DENIED")
	if !strings.Contains(v.Reason, "main is protected") || v.ExitCode() != 5 {
		t.Errorf("%+v", v)
	}
	if n := len(shipsOn(t, f.hub, "api")); n != 0 {
		t.Errorf("%d ships although the trunk did not move", n)
	}
	script(t, update, "exit 0\n")
	wantPush(t, d, f.hub, riding(tip, api), lease.Landed, "")
}

// The trunk has the commit, by a plain git push. What the pusher asks to be
// recorded is recorded, or it is told that it was not.
func TestUnitOnATrunkThatHasTheCommit(t *testing.T) {
	f := newFleet(t)
	dir := f.clone(t)
	d := open(t, dir)
	api := acquire(t, d, "api", "alice")
	web := commit(t, dir, "others", "web/w", "2\n")
	gitIn(t, dir, "push", "--quiet", "origin", "HEAD:main")
	unit := func(commit refstore.OID, phase string) PushRequest {
		req := riding(commit, api)
		req.Plan, req.Phase = "PLAN", phase
		return req
	}
	named := riding(web, api)
	named.Holds[0].Named = true
	v := wantPush(t, d, f.hub, unit(web, "API1"), lease.Gated, lease.NothingToShip)
	if v.ExitCode() != 5 || !strings.HasPrefix(v.Reason, "the unit was not recorded: ") || len(v.Units) != 0 {
		t.Errorf("%+v", v)
	}
	wantPush(t, d, f.hub, named, lease.Nothing, "")
	wantPush(t, d, f.hub, riding(web, api), lease.Nothing, "")
	none := unit(web, "API1")
	none.Holds = nil
	wantPush(t, d, f.hub, none, lease.Fenced, lease.NoLease)
	stale := riding(web, lease.Record{Lane: "docs", Nonce: "none"})
	stale.Holds[0].Named = true
	wantPush(t, d, f.hub, stale, lease.Fenced, lease.NoLease)

	tip := commit(t, dir, "work", "api/a", "2\n")
	gitIn(t, dir, "push", "--quiet", "origin", "HEAD:main")
	wantPush(t, d, f.hub, riding(tip, api), lease.Nothing, "")
	wantPush(t, d, f.hub, unit(tip, "API1"), lease.Landed, "")
	if ships := shipsOn(t, f.hub, "api"); len(ships) != 1 || ships[0].New != string(tip) || len(ships[0].Units) != 1 || ships[0].Units[0].Commit != string(tip) {
		t.Fatalf("%+v", ships)
	}
	wantPush(t, d, f.hub, unit(tip, "API1"), lease.Nothing, "") // a second time
	wantPush(t, d, f.hub, unit(tip, "API2"), lease.Gated, lease.NothingToShip)
	wantPush(t, d, f.hub, unit(web, "API2"), lease.Gated, lease.NothingToShip) // an earlier commit

	tip = commit(t, dir, "more work", "api/a", "3\n")
	gitIn(t, dir, "push", "--quiet", "origin", "HEAD:main")
	named = riding(tip, api)
	named.Holds[0].Named = true
	wantPush(t, d, f.hub, named, lease.Landed, "")
	if n := len(shipsOn(t, f.hub, "api")); n != 2 {
		t.Errorf("%d ships", n)
	}
	wantPush(t, d, f.hub, unit(tip, "api1"), lease.Nothing, "") // the ship before the last has it
}

// What the repository says git should not show is in a commit all the same.
func TestHiddenSubmodulesAreChangedPaths(t *testing.T) {
	f := newFleet(t)
	dir := f.clone(t)
	pointer := func(id string) { gitIn(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+id+",web/sub") }
	pointer(strings.Repeat("1", 40))
	commit(t, dir, "submodule", ".gitmodules", "[submodule \"sub\"]\n\tpath = web/sub\n\turl = ../sub\n\tignore = all\n")
	gitIn(t, dir, "push", "--quiet", "origin", "HEAD:main")
	d := open(t, dir)
	api := acquire(t, d, "api", "alice")
	pointer(strings.Repeat("2", 40))
	tip := commit(t, dir, "work", "api/a", "2\n")
	for _, config := range [][2]string{{"diff.ignoreSubmodules", "all"}, {"submodule.sub.ignore", "all"}} {
		gitIn(t, dir, "config", config[0], config[1])
		v := wantPush(t, d, f.hub, riding(tip, api), lease.Gated, lease.ScopeEscape)
		if !slices.Equal(v.Paths, []string{"web/sub"}) {
			t.Errorf("%s: escaping %q", config[0], v.Paths)
		}
	}
}

// A trunk that has never been pushed has no rules to judge by.
func TestUnbornTrunkIsRefused(t *testing.T) {
	f := newFleet(t)
	dir := f.clone(t)
	gitIn(t, dir, "update-ref", "-d", "refs/remotes/origin/main")
	gitIn(t, f.hub, "update-ref", "-d", mainRef)
	_, err := Open(t.Context(), openRepo(t, dir), nil)
	if err == nil || !strings.Contains(err.Error(), "trunk main of origin has not been fetched") {
		t.Errorf("%v", err)
	}
}

// The branch of this very worktree already stands on the commit: only SHIP is
// missing. Others' paths on it are theirs.
func TestLocalTrunkOfThisWorktree(t *testing.T) {
	dir := localRepo(t)
	d := open(t, dir)
	api, web := acquire(t, d, "api", "alice"), acquire(t, d, "web", "bob")
	tip := commit(t, dir, "PLAN: 1\n\nDos-Ship: PLAN/1\n", "api/a", "2\n", "web/w", "2\n", "README", "x\n")
	v := wantPush(t, d, dir, riding(tip, api), lease.Landed, "")
	if !slices.Equal(v.Lanes, []string{"api"}) {
		t.Errorf("%+v", v)
	}
	wantPush(t, d, dir, riding(tip, api), lease.Nothing, "")
	beat, err := d.Heartbeat(t.Context(), "api", lease.Identity{Nonce: api.Nonce})
	wantVerdict(t, beat, err, lease.Renewed, "")
	wantPush(t, d, dir, riding(tip, api), lease.Nothing, "")
	// Each lane counts from its own last ship.
	if v := wantPush(t, d, dir, riding(tip, api, web), lease.Landed, ""); !slices.Equal(v.Lanes, []string{"web"}) {
		t.Errorf("%+v", v)
	}
	if ships := shipsOn(t, dir, "api"); len(ships) != 1 || len(ships[0].Units) != 1 {
		t.Errorf("%+v", ships)
	}
	wantPush(t, d, dir, riding(tip, lease.Record{Lane: "docs", Nonce: "none"}), lease.Fenced, lease.NoLease)
}

// Another worktree stands on the trunk: it is brought along, files and all,
// unless it has changes of its own.
func TestLocalTrunkOfAnotherWorktree(t *testing.T) {
	dir := localRepo(t)
	commit(t, dir, "trunk is main", "dos.toml", lanesToml+"[trunk]\nref = \"main\"\n")
	tree := filepath.Join(t.TempDir(), "tree")
	gitIn(t, dir, "worktree", "add", "--quiet", "-b", "side", tree)
	d := open(t, tree)
	api := acquire(t, d, "api", "alice")
	tip := commit(t, tree, "work", "api/a", "2\n")
	before := gitIn(t, dir, "rev-parse", mainRef)

	write(t, filepath.Join(dir, "web/w"), "changed\n")
	for claim, desk := range map[string]*Desk{"from another worktree": d, "from the one that stands on it": open(t, dir)} {
		_, err := desk.Push(t.Context(), riding(tip, api))
		var out *CheckedOutError
		if !errors.As(err, &out) || out.Where != dir || out.Branch != mainRef {
			t.Errorf("%s: %v", claim, err)
		}
	}
	if gitIn(t, dir, "rev-parse", mainRef) != before || len(shipsOn(t, dir, "api")) != 0 {
		t.Error("the trunk moved under uncommitted changes")
	}
	gitIn(t, dir, "checkout", "--quiet", "web/w")
	write(t, filepath.Join(dir, "untracked"), "kept\n")
	wantPush(t, d, dir, riding(tip, api), lease.Landed, "")
	text, err := os.ReadFile(filepath.Join(dir, "api/a"))
	if err != nil || string(text) != "2\n" || gitIn(t, dir, "status", "--porcelain") != "?? untracked" {
		t.Errorf("the worktree was left behind: %q %v, status %q", text, err, gitIn(t, dir, "status", "--porcelain"))
	}
	if len(shipsOn(t, dir, "api")) != 1 {
		t.Error("no SHIP")
	}
}

// A lease that was lost moves neither the trunk nor the worktree on it.
func TestLocalTrunkOfAnotherWorktreeIsFenced(t *testing.T) {
	dir := localRepo(t)
	commit(t, dir, "trunk is main", "dos.toml", lanesToml+"[trunk]\nref = \"main\"\n")
	tree := filepath.Join(t.TempDir(), "tree")
	gitIn(t, dir, "worktree", "add", "--quiet", "-b", "side", tree)
	d := open(t, tree)
	api := acquire(t, d, "api", "alice")
	tip := commit(t, tree, "work", "api/a", "2\n")
	freeAll(t, dir, "api")
	wantPush(t, d, dir, riding(tip, api), lease.Fenced, lease.NoLease)
	if text, _ := os.ReadFile(filepath.Join(dir, "api/a")); string(text) != "1\n" {
		t.Errorf("the worktree has %q", text)
	}
}

func TestLocalTrunkNobodyStandsOn(t *testing.T) {
	dir := localRepo(t)
	write(t, filepath.Join(dir, "dos.toml"), lanesToml+"[trunk]\nref = \"main\"\n")
	commit(t, dir, "trunk is main", "dos.toml", lanesToml+"[trunk]\nref = \"main\"\n")
	gitIn(t, dir, "checkout", "--quiet", "-b", "work")
	d := open(t, dir)
	api := acquire(t, d, "api", "alice")
	escaped := commit(t, dir, "too much", "web/w", "2\n")
	wantPush(t, d, dir, riding(escaped, api), lease.Gated, lease.ScopeEscape)
	gitIn(t, dir, "reset", "--quiet", "--hard", "main")
	tip := commit(t, dir, "work", "api/a", "2\n")
	wantPush(t, d, dir, riding(tip, api), lease.Landed, "")
	if gitIn(t, dir, "rev-parse", mainRef) != string(tip) || len(shipsOn(t, dir, "api")) != 1 {
		t.Error("trunk and SHIP did not move together")
	}
}

func TestBareTrunk(t *testing.T) {
	source := localRepo(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	gitIn(t, source, "clone", "--quiet", "--bare", source, bare)
	d := open(t, bare)
	api := acquire(t, d, "api", "alice")
	tip := commit(t, source, "work", "api/a", "2\n")
	gitIn(t, bare, "fetch", "--quiet", source, "main:incoming")
	wantPush(t, d, bare, riding(tip, api), lease.Landed, "")
	if gitIn(t, bare, "rev-parse", mainRef) != string(tip) {
		t.Error("the trunk did not move")
	}
}

func TestDetachedHeadWithoutATrunkIsAnError(t *testing.T) {
	dir := localRepo(t)
	gitIn(t, dir, "checkout", "--quiet", "--detach")
	d := open(t, dir)
	if _, err := d.Push(t.Context(), riding(refstore.OID(gitIn(t, dir, "rev-parse", "HEAD")))); err == nil || !strings.Contains(err.Error(), "[trunk] ref") {
		t.Errorf("%v", err)
	}
}

// A lane that this worktree remembers and that cannot be read stops the pushes
// that would need it, and no others.
func TestAnUnreadableLaneStopsOnlyThePushesThatNeedIt(t *testing.T) {
	f := newFleet(t)
	dir := f.clone(t)
	d := open(t, dir)
	api, web := acquire(t, d, "api", "alice"), acquire(t, d, "web", "alice")
	gitIn(t, f.hub, "update-ref", "refs/dos/lane/web", mainRef)
	_, err := d.Push(t.Context(), riding(commit(t, dir, "work", "web/w", "2\n"), api, web))
	var store *StoreError
	if !errors.As(err, &store) {
		t.Errorf("a push into it: %v", err)
	}
	gitIn(t, dir, "reset", "--quiet", "--hard", "HEAD~1")
	wantPush(t, d, f.hub, riding(commit(t, dir, "work", "api/a", "2\n"), api, web), lease.Landed, "")
	named := riding(commit(t, dir, "work", "api/a", "3\n"), api, web)
	named.Holds[1].Named = true
	if _, err = d.Push(t.Context(), named); !errors.As(err, &store) {
		t.Errorf("a push that names it: %v", err)
	}
}
