package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// waveKey names the launch of a unit by a wave, which is made once.
func waveKey(waveID, unit string) string { return waveID + " " + ship.Fold(unit) }

// maxWaveWord bounds the name of a wave: rows hold it.
const maxWaveWord = 100

// waveAskedOf reads --wave of a worker.
func waveAskedOf(id, unit string, set bool) error {
	switch {
	case !set:
		return nil
	case id == "" || len(id) > maxWaveWord || printable(id, false) != id || strings.ContainsAny(id, " ") || strings.HasPrefix(id, "-"):
		return usagef("--wave %.100q is no name of a wave", id)
	case unit == "":
		return usagef("--wave needs --unit").hint("a wave launches a unit once, and none is named")
	case os.Getenv("GIT_DOS_NONCE") != "":
		return usagef("a worker of a wave takes a lease of its own, and GIT_DOS_NONCE names another").hint("unset GIT_DOS_NONCE")
	}
	return nil
}

// enlist makes this worker the one that its wave launched for its unit, unless there
// is one: the unit is had by it alone by now, so nobody else is asking. What it writes
// is with the fleet before CMD runs, and so before the unit can be had again. Where it
// returns an answer or an error, nothing is held.
func (w *workerRunning) enlist() (*workerAnswer, error) {
	id := w.c.String("wave")
	if id == "" {
		return nil, nil
	}
	refused, err := w.launchedOnce(id)
	if refused != nil || err != nil {
		err = errors.Join(err, w.giveBack())
	}
	return refused, err
}

func (w *workerRunning) launchedOnce(id string) (*workerAnswer, error) {
	if _, err := w.published(); err != nil { // it reads what others have told, too
		return nil, err
	}
	b, err := life.Open(w.c.Context, w.home, true, life.AskLaunches())
	if err != nil {
		return nil, lifeError(err)
	}
	if err := journalUnread(loopLedgers(b)); err != nil {
		return nil, err
	}
	before, err := w.launchedBefore(b, waveKey(id, w.job.req.Unit))
	if err != nil {
		return nil, err
	}
	for _, h := range b.Hidden() {
		if h.Launch(w.began.Add(-waveForgets)) {
			return nil, errorf(kindIndeterminate, "whether the unit was launched before cannot be told: %w", life.RowsError(h)).hint("git dos journal check names the entry")
		}
	}
	if before != "" {
		return refusedWorker(w.lease.Lane, "wave", before, "git dos wave status; git dos wave harvest", func(*workerAnswer) {}), nil
	}
	if err := w.home.Journal(w.c.Context, w.launchRow(id)); err != nil {
		return nil, deskError(err)
	}
	told, err := w.published()
	if err == nil && told != "" {
		err = errorf(kindStore, "nothing was started, since the launch could not be told to the fleet: %s", told).hint("git dos sync says more")
	}
	return nil, err
}

// launchedBefore says which launch of the unit there was: one by the same wave, or one
// by any that nobody has looked at.
func (w *workerRunning) launchedBefore(b *life.Book, key string) (string, error) {
	all, err := b.Waves(w.c.Context)
	if err != nil {
		return "", lifeError(err)
	}
	unit := verdict.Show(w.job.req.Unit)
	for _, r := range all {
		if r.Key == key {
			return fmt.Sprintf("wave %s has launched unit %s before, as run %s on node %s", verdict.Show(r.WaveID), unit, verdict.Show(r.RunID), verdict.Show(r.Node)), nil
		}
	}
	open, err := b.Launches(w.c.Context)
	if err != nil {
		return "", lifeError(err)
	}
	if r := waveOpen(open, reconcile.Same(w.job.req.Unit), w.home.Now()); r != nil {
		return fmt.Sprintf("wave %s has launched unit %s, as run %s on node %s, and nobody has looked at what came of that", verdict.Show(r.WaveID), unit, verdict.Show(r.RunID), verdict.Show(r.Node)), nil
	}
	return "", nil
}

// tellEnd has the end of a worker of a wave with the fleet, so that whoever plans the
// next one knows of it.
func (w *workerRunning) tellEnd() {
	if w.c.String("wave") == "" {
		return
	}
	if why, err := w.published(); err != nil || why != "" {
		warn(w.c, "the end of run %s was not told to the fleet yet: %s", w.run, firstOf(why, errorText(err)))
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return verdict.Clip(err.Error())
}

// launchRow is the row of this worker's launch. Its process is the keeper, which looks
// after CMD.
func (w *workerRunning) launchRow(id string) journal.Row {
	row := journal.Row{
		Op: journal.OpLaunch, WaveID: id, Key: waveKey(id, w.job.req.Unit), Lane: w.lease.Lane, Unit: w.job.req.Unit, Seat: w.job.req.Seat, RunID: w.run, Node: w.home.Node,
		Gen: w.lease.Gen, Nonce: w.lease.Nonce, Owner: w.lease.Holder.Owner, Log: w.log, StartSha: string(w.base), PID: int64(os.Getpid()),
	}
	if w.account != nil {
		row.Account = w.account.Name
	}
	if p, err := host.Process(int64(os.Getpid())); err == nil {
		row.Start, row.BootID = p.Start, p.Boot
	}
	return row
}

// tellTries is how often what this node tells is sent anew where another process of it
// was sending at the same time.
const tellTries = 5

// published sends what this node has to tell, and reads what others have. It returns
// why its ledger is not with the fleet, "" where it is or there is none.
func (w *workerRunning) published() (why string, err error) {
	ledger := refstore.Ref("journal", w.home.Node)
	for range tellTries {
		report, err := w.home.Sync(w.c.Context, admit.SyncRequest{Force: true})
		if err != nil {
			return "", deskError(err)
		}
		why = ""
		for _, p := range report.Published {
			if p.Ref == ledger && p.State != admit.Sent {
				why = fmt.Sprintf("%s: %s", p.State, firstOf(p.Reason, "another process sends it"))
			}
			if p.Ref == ledger && p.State != admit.Sent && p.State != admit.Raced {
				return why, nil
			}
		}
		if why == "" {
			return "", nil
		}
	}
	return why, nil
}

// waveForgets is how long ago rows that cannot be read may tell of a launch by the
// same wave. Its plan is older than that by then.
const waveForgets = 24 * time.Hour
