package main

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/kernel/wave"
)

// How a worker of a wave stands.
const (
	waveRunning   = "RUNNING"   // it has its lease
	waveEnded     = "ENDED"     // its keeper has told how
	waveGone      = "GONE"      // it is there no more, and nobody told
	waveAway      = "UNKNOWN"   // it is another node's, and its lease is live no more
	waveHarvested = "HARVESTED" // somebody has looked at what came of it
)

// A waveWorker is one worker of a wave.
type waveWorker struct {
	WaveID    string     `json:"wave_id"`
	Unit      string     `json:"unit"`
	Lane      string     `json:"lane"`
	Account   string     `json:"account,omitempty"`
	Seat      string     `json:"seat,omitempty"`
	Node      string     `json:"node"`
	Local     bool       `json:"local"`
	RunID     string     `json:"run_id"`
	Gen       uint64     `json:"gen"`
	Nonce     string     `json:"nonce"`
	BootID    string     `json:"boot_id,omitempty"`
	PID       int64      `json:"pid,omitempty"`
	Start     string     `json:"start,omitempty"`
	State     string     `json:"state"`
	Leased    bool       `json:"leased"` // its lease is live
	Outcome   string     `json:"outcome,omitempty"`
	Reason    string     `json:"reason,omitempty"`
	Log       string     `json:"log,omitempty"`
	LogBytes  *int64     `json:"log_bytes,omitempty"` // of a log that is here, without its header
	Launched  *time.Time `json:"launched_at,omitempty"`
	AgeS      *int64     `json:"age_s,omitempty"`
	Overdue   bool       `json:"overdue"` // it was launched longer ago than a marker is kept
	launchRow journal.Row
}

// A waveStatusAnswer answers wave status.
type waveStatusAnswer struct {
	Outcome string       `json:"outcome"`
	Waves   int          `json:"waves"`
	Running int          `json:"running"`
	Rung    wave.State   `json:"rung"`
	Workers []waveWorker `json:"workers"`
	Next    string       `json:"next,omitempty"`
	lifeSeen
}

// ExitCode implements [verdict.Verdict].
func (a waveStatusAnswer) ExitCode() int { return verdict.Yes }

func (a waveStatusAnswer) String() string {
	s := fmt.Sprintf("%s in %s, %d running; by hand the ramp is at %s", verdict.Count(len(a.Workers), "worker"), verdict.Count(a.Waves, "wave"), a.Running, a.Rung.Rung)
	if a.Rung.Stopped {
		s += ", and has stopped"
	}
	for _, w := range a.Workers {
		s += fmt.Sprintf("\n  %-9s %s  lane %s  run %s", w.State, verdict.Show(w.Unit), verdict.Show(w.Lane), verdict.Show(w.RunID))
		if !w.Local {
			s += "  on " + verdict.Show(w.Node)
		}
		if w.AgeS != nil {
			s += "  " + (time.Duration(*w.AgeS) * time.Second).String()
		}
		if w.Overdue {
			s += "  overdue"
		}
		if w.Outcome != "" {
			s += "  " + verdict.Show(w.Outcome)
		}
		if w.Local && w.Log != "" {
			s += "\n            log " + verdict.Show(w.Log)
		}
	}
	if a.Next != "" {
		s += "\n  next      " + a.Next
	}
	return s + a.line()
}

func waveStatusCommand() *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "list the workers of waves that nobody has looked at yet",
		Description: "Of each worker that a wave has launched, on whichever node, and that was not harvested: where it runs, whether\n" +
			"its lease is live, how long ago it was launched, and what its keeper told of its end. RUNNING has its lease,\n" +
			"ENDED was told of, GONE is over without a word, and of UNKNOWN only its own node can tell. With --all also\n" +
			"those that were harvested. And the rung that a launch by hand has.",
		Flags: []cli.Flag{
			waveFlag(),
			&cli.BoolFlag{Name: "all", Usage: "also those that were harvested"},
			journalCached(),
		},
		Action: waveStatusAction,
	}
}

func waveFlag() cli.Flag {
	return &cli.StringFlag{Name: "wave", Usage: "only the wave `ID`"}
}

func waveStatusAction(c *cli.Context) error {
	seen, err := waveSeen(c)
	if err != nil {
		return err
	}
	a := waveStatusAnswer{Outcome: "LISTED", Workers: []waveWorker{}, lifeSeen: lifeSeenAs(seen.book)}
	if a.Rung, err = waveRungByHand(c, seen.book); err != nil {
		return err
	}
	waves := map[string]bool{}
	for _, w := range seen.workers(c.String("wave")) {
		if w.State == waveHarvested && !c.Bool("all") {
			continue
		}
		waves[w.WaveID] = true
		if w.State == waveRunning {
			a.Running++
		} else if w.State != waveHarvested {
			a.Next = "git dos wave harvest"
		}
		a.Workers = append(a.Workers, w)
	}
	a.Waves = len(waves)
	return answer(c, a)
}

// waveSeen reads what is known of waves, for a verb that lists them.
func waveSeen(c *cli.Context) (*wavesSeen, error) {
	if err := noArguments(c); err != nil {
		return nil, err
	}
	if err := waveNamed(c); err != nil {
		return nil, err
	}
	b, err := lifeBook(c)
	if err != nil {
		return nil, err
	}
	seen, err := readWaves(c, b)
	if err != nil {
		return nil, err
	}
	if id := c.String("wave"); id != "" && seen.rows[id] == nil {
		return nil, usagef("no ledger tells of wave %.100q", id).hint("git dos wave status --all lists the waves")
	}
	lifeWarn(c, b)
	return seen, nil
}

// waveNamed reads --wave of a verb that looks at waves.
func waveNamed(c *cli.Context) error {
	if id := c.String("wave"); c.IsSet("wave") && (id == "" || len(id) > maxWaveWord || printable(id, false) != id) {
		return usagef("--wave %.100q is no name of a wave", id).hint("git dos wave status lists them")
	}
	return nil
}

// workers are those of one wave, or of all.
func (s *wavesSeen) workers(id string) (all []waveWorker) {
	for _, of := range s.order {
		if id != "" && of != id {
			continue
		}
		for _, r := range s.rows[of] {
			all = append(all, s.stands(r))
		}
	}
	return all
}

// stands says how a worker stands.
func (s *wavesSeen) stands(r journal.Row) waveWorker {
	w := waveWorker{
		WaveID: r.WaveID, Unit: r.Unit, Lane: r.Lane, Account: r.Account, Seat: r.Seat, Node: r.Node, Local: r.Node != "" && r.Node == s.node, RunID: r.RunID,
		Gen: r.Gen, Nonce: r.Nonce, BootID: r.BootID, PID: r.PID, Start: r.Start, Log: r.Log, Leased: s.live[r.Nonce] && r.Nonce != "", launchRow: r,
	}
	exit, ended := s.exits[r.RunID]
	switch {
	case r.Op == journal.OpHarvest:
		w.State, w.Outcome, w.Reason = waveHarvested, r.Outcome, r.Reason
	case !s.over(r):
		w.State = waveRunning
	case ended:
		w.State, w.Outcome, w.Reason = waveEnded, exit.Outcome, exit.Reason
	case w.Local:
		w.State = waveGone
	default:
		w.State = waveAway
	}
	if r.Op == journal.OpLaunch {
		at, age := r.At.UTC(), int64(max(0, now(s.c).Sub(r.At))/time.Second) // another's clock may be ahead
		w.Launched, w.AgeS, w.Overdue = &at, &age, now(s.c).Sub(r.At) > supervise.MarkerAge
	}
	if w.Local && r.Log != "" {
		if n, err := reclaimLog(r.Log); err == nil {
			w.LogBytes = &n
		}
	}
	return w
}
