package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/ship"
)

const (
	demoFleetFlag  = "fleet"
	demoFleetLeast = 2 // an honest worker and one that lies

	demoFleetPlan  = "SHOP"
	demoFleetClone = "fleet" // where it is supervised

	demoFleetMost  = time.Minute      // until every lane has a graded run
	demoFleetClose = 20 * time.Second // until nothing is left of them
)

// demoFleetLanes are the lanes that a fleet is made of, in order.
var demoFleetLanes = []string{
	"api", "auth", "billing", "cache", "cart", "events", "images", "mail",
	"orders", "prices", "search", "stock", "tax", "users", "vouchers", "web",
}

// demoFleetScript is the worker. It has its unit from its prompt and its lane from
// the lease it rides; the one of the lane %s lies. Workers take turns at the trunk: of
// many that push at once all but one have to begin anew, each time.
const demoFleetScript = `unit=$(sed -n 's/^Do one unit of work in this repository: //p')
lane=${GIT_DOS_LEASE%%@*}
phase=${unit#*/}
if [ "$lane" = %s ]; then
	echo "$unit is done, all tests pass"
	exit 0
fi
echo "$unit" >"$lane/work.txt"
git dos commit --lane "$lane" --plan ${unit%%/*} --phase "$phase" -m "${unit%%/*}: $phase work in $lane" "$lane/work.txt" || exit 1
turn=$(git rev-parse --path-format=absolute --git-common-dir)/turn tries=0
until mkdir "$turn" 2>/dev/null || [ $tries -ge 60 ]; do
	tries=$((tries+1))
	sleep 0.5
done
trap 'rmdir "$turn"' EXIT
tries=0
until git pull --quiet --rebase origin main && git dos push; do
	tries=$((tries+1))
	[ $tries -lt 30 ] || exit 1
done
`

// demoFleetRules are what the fleet's dos.toml states beyond what init wrote.
const demoFleetRules = `
[worker]
command = ["sh", "worker.sh"]
worktree = true
grace = "1s"

[supervise]
pending_window = "30s"
worker_launch_template = "git dos dispatch-loop --lane {lane} --fresh --max-iterations 9 --host-cap 99 --max-workers 99"
`

// A demoCrew is the fleet of a demo: what is announced of it, and what was seen.
type demoCrew struct {
	*stage
	lanes []string
	shown fleetShow
	watch demoWatch

	started bool // the supervisor was
}

// demoFleet shows a supervised fleet of n lanes, and ends all that it started however
// it ends.
func demoFleet(c *cli.Context, n int) error {
	switch {
	case n < demoFleetLeast || n > len(demoFleetLanes):
		return usagef("--%s %d is not between %d and %d", demoFleetFlag, n, demoFleetLeast, len(demoFleetLanes))
	case !canDetach:
		return usagef("--%s: git dos supervise is not supported on this system", demoFleetFlag)
	}
	st, err := newStage(c)
	if err != nil {
		return environmentf("%w", err)
	}
	if !c.Bool("keep") {
		defer os.RemoveAll(st.root)
	}
	f := &demoCrew{stage: st, lanes: demoFleetLanes[:n], watch: newDemoWatch()}
	defer f.endAll()
	for _, part := range []func() error{f.build, f.run, f.judge} {
		if err := part(); err != nil {
			if c.Context.Err() != nil {
				return c.Context.Err()
			}
			return environmentf("%w", err).hint("run it again with --keep and look into the folder")
		}
	}
	if c.Bool("keep") {
		f.say("\nThe folder is kept: " + f.root)
		f.shown.Folder = f.root
	}
	f.say("")
	return answer(c, f.shown)
}

func (f *demoCrew) liar() string { return f.lanes[len(f.lanes)-1] }

func demoFleetPhase(lane string) string { return strings.ToUpper(lane) + "1" }

// build makes the hub and the clone, with a plan that has a unit for each lane.
func (f *demoCrew) build() error {
	f.say(fmt.Sprintf("\nA hub, and a clone of it with %d lanes and a unit of work in each. The worker of %s will lie.", len(f.lanes), f.liar()))
	for _, line := range []string{"git init --quiet --bare hub.git", "git clone --quiet hub.git " + demoFleetClone} {
		if err := f.quiet("", line); err != nil {
			return err
		}
	}
	files, plan := map[string]string{"worker.sh": fmt.Sprintf(demoFleetScript, f.liar())}, "# Shop\n"
	for i, lane := range f.lanes {
		files[lane+"/README"] = lane + "\n"
		plan += fmt.Sprintf("\n## %d. %s %s — work in %s\n\nin %s/README\n", i+1, demoFleetPlan, demoFleetPhase(lane), lane, lane)
	}
	if err := f.write(files); err != nil {
		return err
	}
	for _, line := range []string{"git add .", `git commit --quiet -m "start"`, "git push --quiet origin HEAD", "git dos init --remote origin"} {
		if err := f.quiet(demoFleetClone, line); err != nil {
			return err
		}
	}
	rules, err := os.ReadFile(filepath.Join(f.root, demoFleetClone, "dos.toml"))
	if err != nil {
		return err
	}
	if err := f.write(map[string]string{"dos.toml": string(rules) + demoFleetRules, "docs/shop-plan.md": plan}); err != nil {
		return err
	}
	for _, line := range []string{"git add .", `git commit --quiet -m "lanes and a plan"`, "git push --quiet origin HEAD"} {
		if err := f.quiet(demoFleetClone, line); err != nil {
			return err
		}
	}
	return nil
}

// write writes files of the clone, by their paths in it.
func (f *demoCrew) write(files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(f.root, demoFleetClone, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// run supervises until every lane has a graded run, and waits until what was started
// on them has ended by itself.
func (f *demoCrew) run() error {
	line := fmt.Sprintf("git dos supervise --target %d --interval 3s --max-ticks 30 --host-cap 99 --max-workers 99", len(f.lanes))
	f.say("\nA supervisor keeps a worker on each.\n  $ " + line)
	ctx, cancel := context.WithTimeout(f.c.Context, demoFleetMost)
	defer cancel()
	s, err := f.supervise(ctx, line)
	if err != nil {
		return err
	}
	f.started = true
	err = f.follow(ctx, s.done)
	f.shown.Supervisor = s.end()
	if err != nil {
		return err
	}
	f.say("\nIt is interrupted, and what it started ends by itself.")
	return f.drain()
}

// judge asks a clone that was made afterwards what shipped, and looks for what is left.
func (f *demoCrew) judge() error {
	f.say("\nA clone that is made now says what shipped.")
	if err := f.quiet("", "git clone --quiet hub.git auditor"); err != nil {
		return err
	}
	if err := f.quiet("auditor", "git dos init --remote origin"); err != nil {
		return err
	}
	for _, lane := range f.lanes {
		row := fleetLane{Lane: lane, Unit: demoFleetPlan + "/" + demoFleetPhase(lane), Announced: string(ship.Shipped), ExitAnnounced: string(supervise.ClaimWitnessed)}
		if lane == f.liar() {
			row.Announced, row.ExitAnnounced = string(ship.NotShipped), string(supervise.ClaimNoCommit)
		}
		row.Exit = f.watch.graded(lane, row.ExitAnnounced)
		var v struct{ Outcome string }
		if err := f.ask("auditor", "git dos verify "+row.Unit+" --json", &v); err != nil {
			return err
		}
		row.Ended = v.Outcome
		f.say(fmt.Sprintf("  $ git dos verify %-16s %s", row.Unit, row.Ended))
		f.shown.Lanes = append(f.shown.Lanes, row)
	}
	var held []struct{ Lane string }
	if err := f.ask(demoFleetClone, "git dos lease live --json", &held); err != nil {
		return err
	}
	f.shown.Held = []string{}
	for _, l := range held {
		f.shown.Held = append(f.shown.Held, l.Lane)
	}
	left, err := f.left(f.c.Context)
	if err != nil {
		return err
	}
	f.shown.Left = len(left)
	f.shown.tell()
	return nil
}
