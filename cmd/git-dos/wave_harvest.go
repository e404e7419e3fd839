package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/life"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/packet"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/kernel/wave"
)

// A waveHarvestRow is what came of one worker.
type waveHarvestRow struct {
	WaveID   string          `json:"wave_id"`
	Unit     string          `json:"unit"`
	Lane     string          `json:"lane"`
	Node     string          `json:"node"`
	RunID    string          `json:"run_id"`
	State    wave.Came       `json:"state"`
	Reason   string          `json:"reason"`
	Sha      string          `json:"sha,omitempty"`
	Claimed  bool            `json:"claimed"`
	Requeued bool            `json:"requeued"` // it stays to be done, and the evidence is on record
	Settled  bool            `json:"settled"`  // a HARVEST row tells of it
	Dir      string          `json:"dir,omitempty"`
	Alone    string          `json:"alone,omitempty"` // a commit that is nowhere else
	Stranded []dispatchStray `json:"stranded"`
}

// A waveHarvestAnswer answers wave harvest.
type waveHarvestAnswer struct {
	Outcome string            `json:"outcome"`
	Reason  string            `json:"reason"`
	Rows    []waveHarvestRow  `json:"rows"`
	Counts  map[wave.Came]int `json:"counts"`
	Next    string            `json:"next,omitempty"`
	lifeSeen
}

// The outcomes of wave harvest.
const (
	harvestVerified = "VERIFIED"
	harvestOpen     = "OPEN"
	harvestStranded = "STRANDED"
)

// ExitCode implements [verdict.Verdict].
func (a waveHarvestAnswer) ExitCode() int {
	switch a.Outcome {
	case harvestVerified:
		return verdict.Yes
	case harvestOpen:
		return verdict.FirstOwned
	case harvestStranded:
		return verdict.FirstOwned + 1
	}
	return verdict.NoVerdict
}

func (a waveHarvestAnswer) String() string {
	s := a.Outcome + ": " + a.Reason
	for _, r := range a.Rows {
		s += fmt.Sprintf("\n  %-16s %s  run %s: %s", r.State, verdict.Show(r.Unit), verdict.Show(r.RunID), r.Reason)
		for _, l := range r.Stranded {
			s += "\n    stranded  " + verdict.Show(l.Path)
			if l.Commit != "" {
				s += "  committed as " + verdict.Short(l.Commit)
			} else if l.Why != "" {
				s += "  " + l.Why
			}
		}
		if r.Dir != "" && (r.Alone != "" || len(r.Stranded) > 0) {
			s += "\n    in        " + verdict.Show(r.Dir)
		}
	}
	if a.Next != "" {
		s += "\n  next      " + a.Next
	}
	return s + a.line()
}

func waveHarvestCommand() *cli.Command {
	return &cli.Command{
		Name:  "harvest",
		Usage: "ask git what came of the workers of waves",
		Description: "Holds every launch that is over against what shipped. VERIFIED: its unit shipped. QUIET_INCOMPLETE: its worker\n" +
			"says done, and it did not; the unit stays to be done, and a row has the evidence. HONEST_OPEN: it did not, and\n" +
			"nobody says so. STRANDED: it did not, and the worker's own worktree has files or a commit that are nowhere else;\n" +
			"it is shown until somebody has taken care of it. Of another node's worker that node tells what was left\n" +
			"(ELSEWHERE), and writes the rows: for each launch that is settled one HARVEST row and one ATTEMPT row, however\n" +
			"often it is asked for. Nothing is closed, launched or stopped.\n\n" +
			"With --commit the files are committed by their paths on the worker's own branch, but for those that a live\n" +
			"lease covers.",
		Flags: []cli.Flag{
			waveFlag(),
			&cli.BoolFlag{Name: "commit", Usage: "commit stranded files that no live lease covers, on the worker's own branch"},
		},
		Action: writes(waveHarvestAction),
	}
}

func waveHarvestAction(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if err := waveNamed(c); err != nil {
		return err
	}
	d, err := writingDesk(c)
	if err != nil {
		return err
	}
	a, err := harvestWaves(c, d, c.String("wave"))
	if err != nil {
		return err
	}
	return answer(c, a)
}

// harvestWaves looks at the launches of one wave, or of all, that nobody has looked at.
func harvestWaves(c *cli.Context, d *admit.Desk, id string) (waveHarvestAnswer, error) {
	a := waveHarvestAnswer{Rows: []waveHarvestRow{}, Counts: map[wave.Came]int{}}
	seen, err := openWaves(c, d)
	if err != nil {
		return a, err
	}
	gone := seen.gone(id)
	if len(gone) > 0 { // what told of its end before it was over is in the ledger by now
		if seen, err = openWaves(c, d); err != nil {
			return a, err
		}
	}
	a.lifeSeen = lifeSeenAs(seen.book)
	lifeWarn(c, seen.book)
	if id != "" && seen.rows[id] == nil {
		return a, usagef("no ledger tells of wave %.100q", id).hint("git dos wave status --all lists the waves")
	}
	h := &harvesting{c: c, desk: d, seen: seen}
	for _, w := range seen.unharvested(id, gone) {
		row, err := h.look(w)
		if err != nil {
			return a, err
		}
		a.Rows = append(a.Rows, row)
		a.Counts[row.State]++
	}
	a.conclude()
	h.publish()
	return a, nil
}

// openWaves reads what is known of waves, by the ledgers as they are now.
func openWaves(c *cli.Context, d *admit.Desk) (*wavesSeen, error) {
	b, err := life.Open(c.Context, d, false, life.AskLaunches(), life.AskAnswers())
	if err != nil {
		return nil, lifeError(err)
	}
	return readWaves(c, b)
}

// gone are the runs of one wave, or of all, that are over and told nobody. The ledgers
// are read before that is looked at, so that a worker which ended in between seems so.
func (s *wavesSeen) gone(id string) map[string]bool {
	runs := map[string]bool{}
	for _, w := range s.workers(id) {
		if w.State == waveGone {
			runs[w.RunID] = true
		}
	}
	return runs
}

// unharvested are the workers of one wave, or of all, that nobody has looked at. One is
// gone only if it was before the ledgers were read: of any other the end may be told
// by now, and it runs until the next look.
func (s *wavesSeen) unharvested(id string, gone map[string]bool) (workers []waveWorker) {
	for _, w := range s.workers(id) {
		switch {
		case w.State == waveHarvested:
			continue
		case w.State == waveGone && !gone[w.RunID]:
			w.State = waveRunning
		}
		workers = append(workers, w)
	}
	return workers
}

func (a *waveHarvestAnswer) conclude() {
	n, good, bad := len(a.Rows), a.Counts[wave.Verified], a.Counts[wave.Stranded]
	switch {
	case n == 0:
		a.Outcome, a.Reason = harvestVerified, "no launch is left to be looked at"
	case bad > 0:
		a.Outcome, a.Reason = harvestStranded, fmt.Sprintf("%s left work that is nowhere else", verdict.Count(bad, "worker"))
		a.Next = "look at each worktree: merge its branch, or remove both; git dos wave harvest --commit commits what no lease covers"
	case good == n:
		a.Outcome, a.Reason = harvestVerified, verdict.Count(n, "worker")+", each of a unit that shipped"
	default:
		a.Outcome, a.Reason, a.Next = harvestOpen, fmt.Sprintf("%d of %d units shipped", good, n), a.further()
	}
}

// further is where to ask on: what cannot be seen here, else what a claim lacks.
func (a *waveHarvestAnswer) further() string {
	first := func(state wave.Came) int {
		return slices.IndexFunc(a.Rows, func(r waveHarvestRow) bool { return r.State == state })
	}
	if i := first(wave.Elsewhere); i >= 0 {
		return "git dos wave harvest, on node " + verdict.Show(a.Rows[i].Node)
	}
	if i := first(wave.QuietIncomplete); i >= 0 {
		return "git dos verify " + verdict.Show(a.Rows[i].Unit) + " --explain"
	}
	return ""
}

// A harvesting is a look at launches under way.
type harvesting struct {
	c    *cli.Context
	desk *admit.Desk
	seen *wavesSeen
	rows int // that were written
}

// look says what came of one worker, and puts on record what is settled.
func (h *harvesting) look(w waveWorker) (waveHarvestRow, error) {
	out := waveHarvestRow{WaveID: w.WaveID, Unit: w.Unit, Lane: w.Lane, Node: w.Node, RunID: w.RunID, Stranded: []dispatchStray{}}
	exit := h.seen.exits[w.RunID]
	r := wave.Remains{Unit: w.Unit, Over: w.State != waveRunning, Here: w.Local, Node: w.Node, Overdue: w.Overdue, Claimed: exit.ReasonClass == string(supervise.EndClaim), End: exit.Reason}
	if r.Over {
		h.truth(&r)
		if w.Local {
			h.left(w, &r, &out)
		}
	}
	out.Claimed, out.Sha = r.Claimed, r.Sha
	out.State, out.Reason = wave.Harvest(r)
	if err := h.c.Context.Err(); err != nil {
		return out, err
	}
	if !out.State.Settled() || !w.Local && !w.Overdue { // its own node settles it, so that it is settled once
		return out, nil
	}
	out.Requeued = out.State != wave.Verified
	err := h.settle(w, exit, out)
	out.Settled = err == nil
	return out, err
}

// truth is whether the unit of a worker shipped.
func (h *harvesting) truth(r *wave.Remains) {
	u, err := unitOf(r.Unit)
	if err != nil {
		r.Unclear = verdict.Clip(err.Error())
		return
	}
	v, err := (&dispatching{c: h.c, desk: h.desk}).truth(u)
	if err != nil {
		r.Unclear = verdict.Clip(err.Error())
		return
	}
	r.Shipped, r.Sha = v.Outcome == ship.Shipped, v.Sha
}

// unitOf is a unit by its name alone, as a packet has it: one of a plan, or a task of
// the queue.
func unitOf(name string) (packet.Candidate, error) {
	if task, is := strings.CutPrefix(ship.Fold(reconcile.Spelled(name)), "task/"); is && queue.ValidID(task) {
		return packet.Candidate{Plan: "task", Phase: task, Task: task}, nil
	}
	plan, phase, err := reconcile.Bind(name, "", "")
	return packet.Candidate{Plan: plan, Phase: phase, Until: packet.Until{Unit: true}}, err
}

// settle writes the rows about a launch, unless somebody has by now.
func (h *harvesting) settle(w waveWorker, exit journal.Row, out waveHarvestRow) error {
	row := w.launchRow
	row.Op, row.Seq, row.Outcome, row.Reason, row.Sha = journal.OpHarvest, 0, string(out.State), verdict.Clip(out.Reason), out.Sha
	rows := []journal.Row{row}
	words := map[wave.Came]string{wave.Verified: "shipped", wave.QuietIncomplete: "unknown", wave.HonestOpen: "error"}
	served := exit.ReasonClass != string(supervise.EndOverloaded) && exit.ReasonClass != string(supervise.EndRateLimited)
	if served || out.State != wave.HonestOpen { // one that was not served has not tried it
		rows = append(rows, journal.Row{
			Op: journal.OpAttempt, Unit: reconcile.Spelled(w.Unit), Outcome: words[out.State], RunID: w.RunID, Lane: w.Lane, Reason: verdict.Clip(out.Reason),
		})
	}
	return lifeWrite(h.c, false, func(b *life.Book) error {
		open, err := b.Launches(h.c.Context)
		if err != nil {
			return lifeError(err)
		}
		if !slices.ContainsFunc(open, func(r journal.Row) bool { return r.RunID == w.RunID && r.WaveID == w.WaveID }) {
			return nil
		}
		_, err = b.Record(h.c.Context, rows...)
		h.rows += len(rows)
		return lifeError(err)
	})
}

// publish tells the fleet. What is not told is told by the next sync.
func (h *harvesting) publish() {
	if h.rows == 0 {
		return
	}
	if _, err := h.desk.Sync(h.c.Context, admit.SyncRequest{Force: true}); err != nil {
		warn(h.c, "the harvest was not told to the fleet: %v", deskError(err))
	}
}
