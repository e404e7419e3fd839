package admit

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// halfGrant is the part of an admission of lane api, generation 1, that is on
// the lane, and the part that is in the order.
func halfGrant(t *testing.T, owner string) (onLane, inOrder refstore.Write) {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Second)
	r := lease.Record{
		V: lease.Version, Lane: "api", LaneKind: lane.Cluster, Tree: []string{"api/**"}, Scope: lease.Fleet, State: lane.Held, Gen: 1,
		Nonce: "dead", Holder: lease.Holder{Node: "n", Owner: owner}, RunID: "run-" + owner, TTL: 900, AcquiredAt: now, RenewedAt: now,
	}
	o := lease.Order{V: lease.Version, Seq: 1, Lanes: map[string]lease.Grant{"api": {Gen: 1, Nonce: "dead", Kind: lane.Cluster, Tree: []string{"api/**"}}}, Newest: map[string]uint64{"api": 0}}
	lanePart, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	orderPart, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	order := refstore.Write{Ref: orderRef, Entry: refstore.Entry{Op: lease.OpGranted, Gen: 1, Payload: orderPart, At: now}}
	return laneEntry(t, lease.OpAcquire, 1, "api", string(lanePart)), order
}

// A server died after the lane and before the order.
func TestLaneThatLandedAloneIsHeldForItsOwner(t *testing.T) {
	for where, make := range desks(t) {
		t.Run(where, func(t *testing.T) {
			d, refs := make(t)
			onLane, _ := halfGrant(t, "alice")
			appendTo(t, refs, onLane)
			v, err := d.Acquire(t.Context(), ask("api", "bob"))
			wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)

			// Nobody was told that it is theirs, so nobody may work on it.
			mine := lease.Identity{RunID: "run-alice"}
			v, err = d.Heartbeat(t.Context(), "api", mine)
			wantVerdict(t, v, err, lease.LostLease, lease.NotAdmitted)

			req := ask("api", "alice")
			req.Identity = mine
			v, err = d.Acquire(t.Context(), req)
			wantVerdict(t, v, err, lease.Acquired, "")
			if v.Lease.Nonce != "dead" || admissions(t, refs).Lanes["api"].Nonce != "dead" || v.Reacquired {
				t.Errorf("%+v, order %+v", v, admissions(t, refs))
			}
			v, err = d.Heartbeat(t.Context(), "api", mine)
			wantVerdict(t, v, err, lease.Renewed, "")
		})
	}
}

func TestLaneThatLandedAloneIsVoidedWhenOvertaken(t *testing.T) {
	d := open(t, localRepo(t))
	acquireWord(t, d, "word", "api/x/**")
	onLane, _ := halfGrant(t, "alice")
	appendTo(t, d.Repo.CommonDir, onLane)
	req := ask("api", "alice")
	req.Identity = lease.Identity{RunID: "run-alice"}
	v, err := d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Refused, lane.Collision)
	if ops := opsOf(t, d.Repo.CommonDir, "refs/dos/lane/api"); ops != "ACQUIRE VOID" {
		t.Errorf("the chain is %s", ops)
	}
}

func acquireWord(t *testing.T, d *Desk, name, tree string) {
	t.Helper()
	req := ask(name, "bob")
	req.Tree = []string{tree}
	if v, err := d.Acquire(t.Context(), req); err != nil || v.Outcome != lease.Acquired {
		t.Fatalf("%+v %v", v, err)
	}
}

func TestLaneThatLandedAloneCanBeScavenged(t *testing.T) {
	d := open(t, localRepo(t))
	onLane, _ := halfGrant(t, "alice")
	appendTo(t, d.Repo.CommonDir, onLane)
	v, err := d.Scavenge(t.Context(), "api", "oncall")
	wantVerdict(t, v, err, lease.Scavenged, "")
	if got := acquire(t, d, "api", "bob"); got.Gen != 2 {
		t.Errorf("granted %+v", got)
	}
}

// A server died after the order and before the lane. Whoever comes next waits
// for as long as a living one could take, frees the lane, and goes on.
func TestOrderThatLandedAloneIsRepairedInTime(t *testing.T) {
	for where, make := range desks(t) {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			d, refs := make(t)
			_, inOrder := halfGrant(t, "alice")
			appendTo(t, refs, inOrder)
			begun := time.Now()
			early := time.AfterFunc(lease.TornFor-200*time.Millisecond, func() {
				if out, err := exec.Command("git", "-C", refs, "for-each-ref", "refs/dos/lane").CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("written too early: %s %v", out, err)
				}
			})
			defer early.Stop()
			v, err := d.Acquire(t.Context(), ask("web", "bob"))
			wantVerdict(t, v, err, lease.Acquired, "")
			if took := time.Since(begun); took < lease.TornFor {
				t.Errorf("repaired after %s, want at least %s", took, lease.TornFor)
			}
			if ops := opsOf(t, refs, "refs/dos/lane/api"); ops != "VOID" {
				t.Errorf("the chain is %q", ops)
			}
			if r := stateOf(t, refs, "api"); r.State != lane.Free || r.Gen != 1 || r.Nonce != "dead" {
				t.Errorf("the lane is %+v", r)
			}
			if got := acquire(t, d, "api", "carol"); got.Gen != 2 {
				t.Errorf("granted %+v", got)
			}
		})
	}
}

// A transaction that was only slow is not repaired.
func TestOrderAheadForAMomentIsWaitedFor(t *testing.T) {
	t.Parallel()
	dir := localRepo(t)
	d := open(t, dir)
	onLane, inOrder := halfGrant(t, "alice")
	appendTo(t, dir, inOrder)
	time.AfterFunc(700*time.Millisecond, func() { appendTo(t, dir, onLane) })
	v, err := d.Acquire(t.Context(), ask("api", "bob"))
	wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
	if ops := opsOf(t, dir, "refs/dos/lane/api"); ops != "ACQUIRE" {
		t.Errorf("the chain is %s", ops)
	}
}

// killingGit is a git, first on a PATH, whose update-ref is killed right before
// it renames the nth lock file into place. It then makes the file dead and
// hangs, so that its parent can be killed before it hears of it.
func killingGit(t *testing.T, nth int, dead string) (env []string) {
	t.Helper()
	return []string{"PATH=" + filepath.Dir(wrap(t, "git", `
for word in "$@"; do case "$word" in update-ref) `+killer(t, nth)+` "$real" "$@"; touch "`+dead+`"; exec sleep 5 3>&- ;; esac; done
exec "$real" "$@"
`)) + ":" + os.Getenv("PATH")}
}

// wrap makes a script of that name which knows the real git as $real.
func wrap(t *testing.T, name, text string) string {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	return script(t, filepath.Join(t.TempDir(), name), "real="+real+"\n"+text)
}

// killer is the start of a command line that kills what it runs right before
// its nth rename.
func killer(t *testing.T, nth int) string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed: the kill between two renames is not tested")
	}
	return fmt.Sprintf("%s -f -qq -o /dev/null -e trace=rename,renameat,renameat2 -e inject=rename,renameat,renameat2:signal=SIGKILL:when=%d", strace, nth)
}

// Whatever part of an admission a killed git leaves, nobody is granted a lane
// twice, and after an operator's word every lane can be had.
func TestGitKilledBeforeEachRename(t *testing.T) {
	for nth := 1; nth <= 2; nth++ {
		t.Run(fmt.Sprint("local, rename ", nth), func(t *testing.T) {
			t.Parallel()
			dir := localRepo(t)
			dead := filepath.Join(t.TempDir(), "dead")
			p := acquirer(t, killingGit(t, nth, dead), dir, "api", "alice")
			p.start()
			waitFor(t, func() bool { return exists(dead) })
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
			afterTheKill(t, open(t, dir), dir, []string{"", "lane"}[nth-1])
		})
		t.Run(fmt.Sprint("remote, rename ", nth), func(t *testing.T) {
			t.Parallel()
			f := newFleet(t)
			dir := f.clone(t)
			acquire(t, open(t, dir), "web", "carol") // the order exists, the lane does not
			dead := filepath.Join(t.TempDir(), "dead")
			gitIn(t, dir, "config", "remote.origin.receivepack", wrap(t, "receive", killer(t, nth)+" \"$real\" receive-pack \"$@\"; touch \""+dead+"\"; exec sleep 5\n"))
			p := acquirer(t, nil, dir, "api", "alice")
			p.start()
			waitFor(t, func() bool { return exists(dead) })
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
			// A lock file that a dead server left is an operator's to remove.
			if removeLocks(t, f.hub) == 0 {
				t.Error("the server was not killed in a transaction")
			}
			afterTheKill(t, open(t, f.clone(t)), f.hub, []string{"", "order"}[nth-1])
		})
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func removeLocks(t *testing.T, gitDir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(gitDir, "refs"), func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") {
			n++
			return os.Remove(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func waitFor(t *testing.T, what func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !what(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing happened")
		}
	}
}

// afterTheKill checks which part landed and lets another worker and the owner
// come, in that order.
func afterTheKill(t *testing.T, d *Desk, refs, landed string) {
	t.Helper()
	before := stateOf(t, refs, "api")
	order := admissions(t, refs).Lanes["api"]
	if lanePart, orderPart := before.State == lane.Held, order.Gen > 0; lanePart != (landed == "lane") || orderPart != (landed == "order") {
		t.Errorf("left behind: lane %q gen %d, order gen %d; want only %q", before.State, before.Gen, order.Gen, landed)
	}
	v, err := d.Acquire(t.Context(), ask("api", "bob"))
	if err != nil {
		t.Fatal(err)
	}
	if held := before.State == lane.Held; held && v.Outcome != lease.Refused || !held && v.Outcome != lease.Acquired {
		t.Errorf("another worker gets %s (%s)", v.Outcome, v.Reason)
	}
	req := ask("api", "alice")
	req.Identity = lease.Identity{RunID: "run-alice"}
	own, err := d.Acquire(t.Context(), req)
	if err != nil || own.Outcome == v.Outcome {
		t.Errorf("the owner gets %s, another %s: %v", own.Outcome, v.Outcome, err)
	}
	freeAll(t, d.Repo.WorkTree, "api")
	acquire(t, d, "api", "dave")
	gitIn(t, refs, "fsck", "--no-dangling")
}

// The push succeeds and the answer is lost on the way.
func TestDroppedAnswerIsSettledByTheRefs(t *testing.T) {
	f := newFleet(t)
	dir := f.clone(t)
	gitIn(t, dir, "config", "remote.origin.receivepack", dropsAnswers(t))
	d := open(t, dir)
	got := acquire(t, d, "api", "alice")
	if r := stateOf(t, f.hub, "api"); r.Nonce != got.Nonce || r.State != lane.Held {
		t.Errorf("the lane is %+v", r)
	}
	if ops := opsOf(t, f.hub, "refs/dos/lane/api"); ops != "ACQUIRE" {
		t.Errorf("the chain is %s", ops)
	}
	v, err := d.Heartbeat(t.Context(), "api", lease.Identity{Nonce: got.Nonce})
	wantVerdict(t, v, err, lease.Renewed, "")
	v, err = d.Release(t.Context(), "api", lease.Identity{Nonce: got.Nonce})
	wantVerdict(t, v, err, lease.Released, "")
}

// dropsAnswers is a receive-pack that shows its refs and does its work, and
// then ends without a report.
func dropsAnswers(t *testing.T) string {
	t.Helper()
	return wrap(t, "receive", `
mkfifo "$0.$$"
exec 3<&0
"$real" receive-pack "$@" <&3 > "$0.$$" &
# The advertisement ends with the first flush packet; what follows is dropped.
python3 -c '
import sys
f, out = open(sys.argv[1], "rb"), sys.stdout.buffer
while True:
    head = f.read(4)
    out.write(head)
    size = int(head, 16)
    if size == 0: break
    out.write(f.read(size - 4))
out.flush()
f.read()
' "$0.$$"
rm -f "$0.$$"
exit 1
`)
}

// An interrupt that comes while the server is still at work: whatever lands
// later is refused or given back.
func TestInterruptLeavesNothingHeld(t *testing.T) {
	for claim, receive := range map[string]string{
		"the server dies with its client":     "exec \"$real\" receive-pack \"$@\"\n",
		"the server goes on without a client": "exec setsid \"$real\" receive-pack \"$@\"\n",
	} {
		for _, before := range []string{"never leased", "free"} {
			t.Run(claim+", "+before, func(t *testing.T) {
				t.Parallel()
				f := newFleet(t)
				dir := f.clone(t)
				if before == "free" {
					acquire(t, open(t, dir), "api", "carol")
					freeAll(t, dir, "api")
				}
				marks := filepath.Join(f.root, "marks")
				write(t, filepath.Join(marks, "x"), "")
				// The first push takes longer than a client takes to give up on its git.
				script(t, filepath.Join(f.hub, "hooks", "pre-receive"), "cat > /dev/null\ntest -e "+marks+"/first || { touch "+marks+"/first; sleep 4; }\n")
				gitIn(t, dir, "config", "remote.origin.receivepack", wrap(t, "receive", receive))
				p := acquirer(t, nil, dir, "api", "alice")
				p.start()
				waitFor(t, func() bool { return exists(filepath.Join(marks, "first")) })
				begun := time.Now()
				interrupt(p)
				rep, ok := p.report(t)
				if !ok || rep.Outcome == string(lease.Acquired) || rep.Err == "" {
					t.Fatalf("reported %+v", rep)
				}
				time.Sleep(time.Until(begun.Add(4500 * time.Millisecond))) // for what is still on its way
				if r := stateOf(t, f.hub, "api"); r.State == lane.Held && !strings.Contains(rep.Err, "may be held") {
					t.Errorf("said %q, and the lane is %+v", rep.Err, r)
				}
				if table := admissions(t, f.hub); table.Lanes["api"].Gen > stateOf(t, f.hub, "api").Gen {
					t.Errorf("the order is ahead: %+v", table)
				}
			})
		}
	}
}

// Who is killed once it was admitted knows its lease again by the nonce that it noted
// before.
func TestALeaseHasTheNonceThatWasMintedForIt(t *testing.T) {
	d := open(t, localRepo(t))
	req := ask("api", "alice")
	req.Nonce = NewNonce()
	v, err := d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Acquired, "")
	if v.Lease == nil || v.Lease.Nonce != req.Nonce {
		t.Fatalf("%+v, and not nonce %s", v.Lease, req.Nonce)
	}
}
