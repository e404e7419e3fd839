package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/super"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/kernel/wave"
)

// ramp moves the rung by what became of the waves since this dispatcher began. A ramp
// that stops, stops the ticks.
func (t *superTicking) ramp(l *superLook) error {
	ev, err := t.lastWave(l)
	if err != nil {
		return err
	}
	ev.Reclaimed = ev.Reclaimed || t.answer.Reclaimed > 0
	climb := wave.Ramp(t.answer.Rung, ev)
	t.answer.Climb, t.answer.Rung = &climb, climb.After
	t.answer.waits = super.Hold(climb.After.Rung == wave.Full, climbers(ev.Workers))
	if climb.Move == wave.Stop {
		return t.halt(l, super.Halt{Signal: super.SpawnFailures, Reason: fmt.Sprintf("wave %s: %s", verdict.Show(t.last), climb.Reason), Next: "git dos wave status --all; then git dos super resume --operator NAME"})
	}
	return nil
}

// lastWave is what became of the wave that this dispatcher launched last.
func (t *superTicking) lastWave(l *superLook) (ev wave.RungEvidence, err error) {
	if t.last == "" {
		return ev, nil
	}
	return waveEvidence(t.c, l.book, t.last)
}

func climbers(workers []wave.Worker) (all []super.Climber) {
	for _, w := range workers {
		all = append(all, super.Climber{Leased: w.Leased, Over: w.Over, Proven: w.First == wave.Borne})
	}
	return all
}

// wave plans, and launches what the rung lets. A refusal is what the tick found, and no
// failure of it.
func (t *superTicking) wave(req waveRequest) error {
	req.ramp, req.told = &t.answer.Rung, t.told
	p, err := planWave(t.c, t.desk, req)
	if err != nil {
		return err
	}
	l, err := superOf(t.c, p.book)
	if err != nil {
		return err
	}
	t.choose(p.ready, l)
	switch {
	case t.answer.waits != "":
		t.answer.Reason = t.answer.waits
	case len(p.Rows) == 0:
		why, next := p.refused()
		t.answer.Reason, t.answer.Next = "nothing to launch: "+firstOf(why, p.Reason), firstOf(next, "git dos wave plan says what is in the way of each unit")
	default:
		a, err := launchWave(t.c, p, p.PlanID, true, t.gate)
		if err != nil {
			return err
		}
		t.answer.Launch, t.answer.Reason = &a, fmt.Sprintf("%s: %s", a.Outcome, a.Reason)
		if t.answer.Launches = a.Started; a.Started > 0 {
			t.last = a.WaveID
		}
	}
	t.answer.Outcome = superTicked
	return t.c.Context.Err()
}

// gate is asked before each worker: the lane must be this tick's still, and nobody may
// have stopped it meanwhile.
func (t *superTicking) gate(c *cli.Context, d *admit.Desk) (why, next string, err error) {
	if why := t.isLost(); why != "" {
		return why, "git dos super status", nil
	}
	r, _, err := d.Lease(c.Context, super.Lane, false)
	switch {
	case err != nil:
		return "", "", deskError(err)
	case r == nil || r.Nonce != t.lease.Nonce || r.State != lane.Held:
		return "lane " + super.Lane + " is this tick's no more", "git dos super status", nil
	}
	return "", "", nil
}

// harvest asks git what came of the workers that are over. What it cannot tell it is
// asked again by the next tick.
func (t *superTicking) harvest() {
	if t.c.Context.Err() != nil {
		return
	}
	h, err := harvestWaves(t.c, t.desk, "")
	if err != nil {
		warn(t.c, "what came of the workers was not harvested: %v", err)
		return
	}
	t.answer.Harvest = &h
}

// settle keeps the rung, records the tick and hands it to the others. What was started
// stands without it.
func (t *superTicking) settle() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.c.Context), workerCleanup)
	defer cancel()
	a, d := &t.answer, t.desk
	t.harvest()
	if t.lease != nil {
		v, err := d.HeartbeatRung(ctx, super.Lane, lease.Identity{Nonce: t.lease.Nonce}, rungText(a.Rung, t.last))
		switch {
		case err != nil:
			warn(t.c, "the rung was not kept, and the next wave goes by the one before: %v", deskError(err))
		case v.Outcome != lease.Renewed:
			warn(t.c, "the rung was not kept: %s", v.Reason)
		}
	}
	data, err := json.Marshal(superCounts{Launches: a.Launches, Reclaimed: a.Reclaimed, Rung: string(a.Rung.Rung)})
	if err == nil {
		err = d.Journal(ctx, journal.Row{
			Op: journal.OpVerdict, Verb: superTickVerb, Verdict: a.Outcome, Subject: a.At.Format(time.RFC3339), RunID: a.RunID,
			Lane: super.Lane, Reason: a.Reason, Detail: verdict.Clip(a.Reason), Verdicts: data,
		})
	}
	if err != nil {
		warn(t.c, "this tick is not on record: %v", deskError(err))
	}
	if d.Remote() != "" {
		if report, err := d.Sync(ctx, admit.SyncRequest{Force: true}); err != nil || report.Outcome != admit.InSync {
			warn(t.c, "this tick was not wholly published: git dos sync says why")
		}
	}
}

// rungText is where the ramp stands, as the lease holds it: the rung, drop-backs in a
// row, the wave that moved it last, and the one that was launched last.
func rungText(s wave.State, last string) string {
	return fmt.Sprintf("%s drops=%d moved=%s last=%s", s.Rung, s.Drops, s.WaveID, last)
}

// rungOf reads it. What cannot be read was not earned: it is the first rung.
func rungOf(text string) (s wave.State, last string) {
	s = wave.State{Rung: wave.Canary}
	words := strings.Split(text, " ")
	if len(words) != 4 {
		return s, ""
	}
	drops, isDrops := strings.CutPrefix(words[1], "drops=")
	moved, isMoved := strings.CutPrefix(words[2], "moved=")
	last, isLast := strings.CutPrefix(words[3], "last=")
	n, err := strconv.Atoi(drops)
	r := wave.Rung(words[0])
	if err != nil || n < 0 || !isDrops || !isMoved || !isLast || r != wave.Canary && r != wave.Step && r != wave.Full {
		return s, ""
	}
	return wave.State{Rung: r, Drops: n, WaveID: moved}, last
}
