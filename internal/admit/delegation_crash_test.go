package admit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// crashVar makes the test binary one verb of a worker: VERB as its value, and DIR
// OWNER LATER COMMIT as arguments.
const crashVar = "GITDOS_ADMIT_CRASH"

func init() {
	if verb := os.Getenv(crashVar); verb != "" {
		os.Exit(runCrashing(verb, os.Args[1:]))
	}
}

func runCrashing(verb string, args []string) int {
	by, err := time.ParseDuration(args[2])
	var d *Desk
	if err == nil {
		d, err = openLater(args[0], by)
	}
	if err == nil {
		err = crashVerb(d, verb, args[1], refstore.OID(args[3]))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// openLater is the desk of a worker whose clock and time of day are ahead.
func openLater(dir string, by time.Duration) (*Desk, error) {
	ctx := context.Background()
	repo, err := refstore.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	d, err := Open(ctx, repo, func() time.Time { return time.Now().Add(by) })
	if err != nil {
		return nil, err
	}
	clock := d.Clock
	d.Clock = func() lease.Instant { i := clock(); i.At += int64(by); return i }
	return d, d.EnsureNode(ctx)
}

// crashVerb carries out a verb on lane api. What its owner holds is known by the run.
func crashVerb(d *Desk, verb, owner string, work refstore.OID) error {
	ctx, id := context.Background(), lease.Identity{RunID: "run-" + owner}
	var v lease.Verdict
	var err error
	switch verb {
	case "acquire":
		v, err = d.Acquire(ctx, askAgain("api", owner))
	case "heartbeat":
		v, err = d.Heartbeat(ctx, "api", id)
	case "release":
		v, err = d.Release(ctx, "api", id)
	case "park":
		v, err = d.Park(ctx, "api", "", id)
	case "unpark":
		v, err = d.Unpark(ctx, "api", "", id)
	case "push":
		var p lease.PushVerdict
		p, err = d.Push(ctx, PushRequest{Commit: work, Holds: []lease.Hold{{Lane: "api", Identity: id}}})
		v.Outcome, v.Reason = lease.Outcome(p.Outcome), p.Reason
		if p.ExitCode() == 0 { // landed now, or before
			v.Outcome = lease.Renewed
		}
	}
	if err == nil && v.ExitCode() != 0 {
		err = fmt.Errorf("%s: %s (%s)", verb, v.Outcome, v.Reason)
	}
	return err
}

func askAgain(name, owner string) Request {
	req := ask(name, owner)
	req.Identity = lease.Identity{RunID: req.RunID}
	return req
}

// A crashRow is a verb of alice's that is cut off, in a clone of a fleet of two
// nodes.
type crashRow struct {
	verb  string
	keep  string                         // fleet.keep
	setup func(t *testing.T, c *crashed) // what was before
	by    time.Duration                  // how much later the verb runs
	holds bool                           // alice was told before that the lane is hers, and has time left
	has   bool                           // alice gets it at once when she asks again
	least int                            // writes that the verb is made of
}

func aliceHas(t *testing.T, c *crashed) { acquire(t, open(t, c.dirs[0]), "api", "alice") }

// Every verb that moves a lane or its delegation.
var crashTable = map[string]crashRow{
	"an acquire that takes the lane": {verb: "acquire", has: true, least: 4, setup: func(*testing.T, *crashed) {}},
	"an acquire under a live delegation": {verb: "acquire", keep: "10m", has: true, least: 1, setup: func(t *testing.T, c *crashed) {
		d := open(t, c.dirs[0])
		got := acquire(t, d, "api", "old")
		v, err := d.Release(t.Context(), "api", mine(&got))
		wantVerdict(t, v, err, lease.Released, "")
	}},
	"a takeover of a lapsed lease": {verb: "acquire", by: 17 * time.Minute, least: 5, setup: func(t *testing.T, c *crashed) {
		acquire(t, open(t, c.dirs[0]), "api", "old")
		c.kill(t, "push", "old", 0, 2, "before") // announced, and on its way until the end of the test
		v, err := open(t, c.dirs[0]).Acquire(t.Context(), ask("api", "alice"))
		wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
	}},
	"a takeover from a process that has ended": {verb: "acquire", least: 3, setup: func(t *testing.T, c *crashed) {
		p := exec.Command("sleep", "600")
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		at, err := host.Process(int64(p.Process.Pid))
		if errors.Is(err, host.ErrUnsupported) {
			t.Skip("on this system nobody can tell that a process has ended")
		}
		req := ask("api", "old")
		req.Proc = &lease.Proc{PID: at.PID, Start: at.Start, Boot: at.Boot, PIDNS: at.PIDNS}
		v, err := open(t, c.dirs[0]).Acquire(t.Context(), req)
		wantVerdict(t, v, err, lease.Acquired, "")
		c.kill(t, "push", "old", 0, 2, "before") // its git lives on
		_ = p.Process.Kill()
		_ = p.Wait()
	}},
	"a heartbeat that renews the delegation": {verb: "heartbeat", by: 6 * time.Minute, holds: true, has: true, least: 3, setup: aliceHas},
	"a release that gives the lane back":     {verb: "release", least: 4, setup: aliceHas},
	"a push under a lease":                   {verb: "push", holds: true, has: true, least: 3, setup: aliceHas},
	"a park":                                 {verb: "park", holds: true, has: true, least: 4, setup: aliceHas},
	"an unpark": {verb: "unpark", holds: true, has: true, least: 1, setup: func(t *testing.T, c *crashed) {
		aliceHas(t, c)
		if err := crashVerb(open(t, c.dirs[0]), "park", "alice", ""); err != nil {
			t.Fatal(err)
		}
	}},
}

// Who comes after the crash, in this order, each once the one before is done.
var crashOrders = map[string][]string{
	"a worker of the node, then another node": {"bob", "carol"},
	"another node, then a worker of the node": {"carol", "bob"},
	"alice, then the others":                  {"alice", "bob", "carol"},
}

// A verb that died before or after any of its writes keeps nobody from going on for
// longer than a lease lapses in, and has given nothing away that somebody has.
func TestAVerbUnderADelegationCutOffAtEachWrite(t *testing.T) {
	for name, row := range crashTable {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCrashed(t, row)
			writes := c.count(t)
			if writes < row.least {
				t.Fatalf("the verb makes %d writes, want %d at least", writes, row.least)
			}
			for n := 1; n <= writes; n++ {
				for _, moment := range []string{"before", "after"} {
					if !long() && (moment == "after" && n < writes || moment == "before" && n == 1) {
						continue // to the refs it is the same as before the next, or as nothing at all
					}
					for i, order := range slices.Sorted(maps.Keys(crashOrders)) {
						if !long() && (n+i+len(moment))%len(crashOrders) != 0 { // one of them
							continue
						}
						t.Run(fmt.Sprintf("%s write %d of %d: %s", moment, n, writes, order), func(t *testing.T) {
							c.restore(t)
							c.kill(t, row.verb, "alice", row.by, n, moment)
							c.after(t, crashOrders[order], n == writes)
						})
					}
				}
			}
		})
	}
}

// A crashed is a fleet that is put back to where it was before each crash.
type crashed struct {
	crashRow
	*testFleet
	dirs  []string      // the clones of two nodes
	work  refstore.OID  // of alice, to be pushed
	at    time.Duration // how much later it is by now
	saved string
	marks string
	env   []string
}

func newCrashed(t *testing.T, row crashRow) *crashed {
	t.Helper()
	c := &crashed{crashRow: row, testFleet: delegating(t, row.keepLine()), marks: t.TempDir(), saved: t.TempDir()}
	c.dirs = []string{c.clone(t), c.clone(t)}
	c.work = commit(t, c.dirs[0], "api: work", "api/a", "2\n")
	for _, dir := range c.dirs {
		open(t, dir)
		gitIn(t, dir, "config", "gc.auto", "0")
	}
	c.env = []string{"PATH=" + filepath.Dir(wrap(t, "git", fmt.Sprintf(crashGit, c.marks))) + ":" + os.Getenv("PATH")}
	row.setup(t, c)
	if err := os.Rename(filepath.Join(c.marks, "late.2"), filepath.Join(c.marks, "late-always")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for i, dir := range c.state() {
		if err := os.CopyFS(filepath.Join(c.saved, fmt.Sprint(i)), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (r crashRow) keepLine() string {
	if r.keep == "" {
		return ""
	}
	return fmt.Sprintf("keep = %q", r.keep)
}

// state is where everything is that a verb moves.
func (c *crashed) state() []string {
	return []string{c.hub, filepath.Join(c.dirs[0], ".git"), filepath.Join(c.dirs[1], ".git")}
}

// restore puts all back into the directories as they were, which nodes are known by.
func (c *crashed) restore(t *testing.T) {
	t.Helper()
	for i, dir := range c.state() {
		old, err := os.ReadDir(dir)
		for _, e := range old {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
		if err = errors.Join(err, os.CopyFS(dir, os.DirFS(filepath.Join(c.saved, fmt.Sprint(i))))); err != nil {
			t.Fatal(err)
		}
	}
	late, err := filepath.Glob(filepath.Join(c.marks, "late.*"))
	for _, file := range late {
		err = errors.Join(err, os.Remove(file))
	}
	if err != nil {
		t.Fatal(err)
	}
	c.at = c.by
}

// crashGit counts the writes of its parent, and kills it before or after the nth.
// The push that was to be made then is noted: it may still arrive.
const crashGit = `
verb=; marks=%s
for word in "$@"; do case "$word" in update-ref|push) verb=$word; break ;; esac; done
test -n "$verb" || exec "$real" "$@"
in=/dev/null
case " $* " in *" --stdin "*)
	in=$(mktemp "$marks/in.XXXXXX"); cat > "$in"
	test -s "$in" || exit 0 ;;
esac
n=$(( $(cat "$marks/count") + 1 )); echo $n > "$marks/count"
test $n = "$CRASH_AT" || exec "$real" "$@" < "$in"
if test $CRASH_MOMENT = after; then "$real" "$@" < "$in"
elif test $verb = push; then pwd > "$marks/late.$CRASH_AT"; printf '%%s\n' "$@" >> "$marks/late.$CRASH_AT"
fi
kill -KILL $PPID
`

// run is a verb in a process of its own.
func (c *crashed) run(t *testing.T, verb, owner string, by time.Duration, at int, moment string) (killed bool, out string) {
	t.Helper()
	self, err := os.Executable()
	if err == nil {
		err = os.WriteFile(filepath.Join(c.marks, "count"), []byte("0\n"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, c.dirs[0], owner, by.String(), string(c.work))
	cmd.Env = append(append(os.Environ(), c.env...), crashVar+"="+verb, fmt.Sprint("CRASH_AT=", at), "CRASH_MOMENT="+moment)
	all, err := cmd.CombinedOutput()
	return err != nil && cmd.ProcessState.ExitCode() < 0, string(all)
}

// count is how many writes the verb makes when nobody kills it.
func (c *crashed) count(t *testing.T) int {
	t.Helper()
	c.restore(t)
	if _, out := c.run(t, c.verb, "alice", c.by, 0, "-"); out != "" {
		t.Fatalf("%s: %s", c.verb, out)
	}
	text, err := os.ReadFile(filepath.Join(c.marks, "count"))
	n, nerr := strconv.Atoi(strings.TrimSpace(string(text)))
	if err = errors.Join(err, nerr); err != nil {
		t.Fatal(err)
	}
	return n
}

func (c *crashed) kill(t *testing.T, verb, owner string, by time.Duration, at int, moment string) {
	t.Helper()
	if killed, out := c.run(t, verb, owner, by, at, moment); !killed {
		t.Fatalf("%s was not killed: %s", verb, out)
	}
}

// after lets others come, and checks that each can go on and that nothing lands
// which was on its way.
func (c *crashed) after(t *testing.T, who []string, last bool) {
	t.Helper()
	trunk := gitIn(t, c.hub, "rev-parse", "main")
	for i, owner := range who {
		id := lease.Identity{RunID: "run-" + owner}
		switch d := c.comes(t, owner, i == 0); {
		case t.Failed():
			return
		case owner == "alice" && c.verb == "push":
			if err := crashVerb(d, "push", owner, c.work); err != nil {
				t.Error(err)
			}
			trunk = gitIn(t, c.hub, "rev-parse", "main")
			fallthrough
		default:
			if owner != "alice" {
				c.lateArrives(t, trunk)
				c.aliceIsOver(t)
			}
			v, err := d.Release(t.Context(), "api", id)
			wantVerdict(t, v, err, lease.Released, "")
		}
	}
	c.shipped(t, trunk)
	if !last && !long() {
		return
	}
	c.takesAll(t)
	for _, dir := range append(c.dirs, c.hub) {
		gitIn(t, dir, "fsck", "--strict", "--no-dangling")
	}
}

// desk is that of a worker, now.
func (c *crashed) desk(t *testing.T, owner string) *Desk {
	t.Helper()
	dir := c.dirs[0]
	if owner == "carol" {
		dir = c.dirs[1]
	}
	d, err := openLater(dir, c.at)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// comes lets a worker ask for the lane until it has it.
func (c *crashed) comes(t *testing.T, owner string, first bool) *Desk {
	t.Helper()
	var v lease.Verdict
	var err error
	for try := range 5 {
		d := c.desk(t, owner)
		if owner == "alice" { // she may have left it parked
			if _, err := d.Unpark(t.Context(), "api", "", lease.Identity{RunID: "run-alice"}); err != nil {
				t.Fatal(err)
			}
		}
		v, err = d.Acquire(t.Context(), askAgain("api", owner))
		if err != nil {
			t.Fatalf("%s, %s later: %v", owner, c.at, err)
		}
		if v.Outcome == lease.Acquired {
			if try == 0 && first && c.holds && owner != "alice" {
				t.Errorf("%s is granted what alice has", owner)
			}
			return d
		}
		if owner == "alice" && first && c.has {
			t.Fatalf("alice gets %s (%s)", v.Outcome, v.Reason)
		}
		if stateOf(t, c.dirs[0], "api").State == lane.Parked || stateOf(t, c.hub, "api").State == lane.Parked {
			if try > 1 { // it is hers until she says otherwise
				a := c.desk(t, "alice")
				if err := errors.Join(crashVerb(a, "unpark", "alice", ""), crashVerb(a, "release", "alice", "")); err != nil {
					t.Fatal(err)
				}
			}
		}
		c.at += 20 * time.Minute
	}
	t.Fatalf("%s, %s later, gets %s (%s)", owner, c.at, v.Outcome, v.Reason)
	return nil
}

// lateArrives lets the push arrive that was on its way when its parent died.
func (c *crashed) lateArrives(t *testing.T, trunk string) {
	t.Helper()
	before := gitIn(t, c.hub, "for-each-ref")
	late, err := filepath.Glob(filepath.Join(c.marks, "late*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range late {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		cmd := exec.Command("git", words[1:]...)
		cmd.Dir = words[0]
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("what was on its way has landed: %s", out)
		}
	}
	if after := gitIn(t, c.hub, "for-each-ref"); after != before || gitIn(t, c.hub, "rev-parse", "main") != trunk {
		t.Errorf("the remote has\n%s\nand had\n%s", after, before)
	}
}

// aliceIsOver checks that she is told so, now that another has the lane.
func (c *crashed) aliceIsOver(t *testing.T) {
	t.Helper()
	d := c.desk(t, "alice")
	v, err := d.Heartbeat(t.Context(), "api", lease.Identity{RunID: "run-alice"})
	if err != nil || v.Outcome != lease.LostLease {
		t.Errorf("alice beats on: %s (%s), %v", v.Outcome, v.Reason, err)
	}
	p, err := d.Push(t.Context(), PushRequest{Commit: c.work, Holds: []lease.Hold{{Lane: "api", Identity: lease.Identity{RunID: "run-alice"}, Named: true}}})
	if err != nil || p.Outcome != lease.Fenced {
		t.Errorf("alice pushes on: %s (%s), %v", p.Outcome, p.Reason, err)
	}
}

// shipped checks that the trunk moved under a lease of the lane's, if it did.
func (c *crashed) shipped(t *testing.T, trunk string) {
	t.Helper()
	if now := gitIn(t, c.hub, "rev-parse", "main"); now != trunk {
		t.Errorf("the trunk stands on %s, and stood on %s", now, trunk)
	}
	if trunk != string(c.work) {
		return
	}
	nonce, found := "", 0
	for text := range strings.SplitSeq(gitIn(t, c.hub, "log", "--reverse", "--format=%B%x00", "refs/dos/lane/api"), "\x00") {
		from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
		if from < 0 {
			continue
		}
		var r lease.Record
		if err := json.Unmarshal([]byte(text[from:to+1]), &r); err != nil {
			t.Fatal(err)
		}
		if r.Ship != nil && r.Ship.New == trunk {
			if found++; r.Nonce != nonce || r.State != lane.Held || r.Ship.Under == nil || r.Ship.Under.Holder.Owner != "alice" {
				t.Errorf("shipped by %+v, and %s has the lane", r, nonce)
			}
		}
		nonce = r.Nonce
	}
	if found == 0 {
		t.Error("the trunk moved, and no lease shipped it")
	}
}

// takesAll checks that another node gets the lane that runs alone, so that nothing
// is stuck.
func (c *crashed) takesAll(t *testing.T) {
	t.Helper()
	for range 4 {
		d := c.desk(t, "carol")
		v, err := d.Acquire(t.Context(), askAgain("all", "carol"))
		if err != nil {
			t.Fatal(err)
		}
		if v.Outcome == lease.Acquired {
			v, err = d.Release(t.Context(), "all", mine(v.Lease))
			wantVerdict(t, v, err, lease.Released, "")
			return
		}
		c.at += 20 * time.Minute
	}
	t.Error("the lane that runs alone is stuck")
}
