package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/machine"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// demoFleetLook is the time between two looks at the journal.
const demoFleetLook = 200 * time.Millisecond

// A demoWatch is what has been seen of a fleet.
type demoWatch struct {
	told   map[string]bool          // entries, by id, and lines
	exits  map[string][]string      // outcomes of the runs of a lane, in order
	spawns map[string]marker.Marker // all that was started, by run id
}

func newDemoWatch() demoWatch {
	return demoWatch{told: map[string]bool{}, exits: map[string][]string{}, spawns: map[string]marker.Marker{}}
}

// graded is how the runs of a lane ended: all as announced, or the first that did not.
func (w demoWatch) graded(lane, announced string) string {
	if len(w.exits[lane]) == 0 {
		return "none"
	}
	for _, outcome := range w.exits[lane] {
		if outcome != announced {
			return outcome
		}
	}
	return announced
}

// A demoEntry is what the demo tells of an entry of the journal.
type demoEntry struct {
	Op, ID  string
	Gen     uint64
	Payload struct {
		Lane    string
		RunID   string `json:"run_id"`
		Outcome string
		Reason  string
		Ship    *struct{ New string }
	}
}

// tell is the line of an entry, "" for one that is not shown.
func (e demoEntry) tell() string {
	p := e.Payload
	what := ""
	switch e.Op {
	case "ACQUIRE":
		what = "is held by " + p.RunID
	case "SHIP":
		what = "ships"
		if p.Ship != nil {
			what += " " + p.Ship.New[:min(12, len(p.Ship.New))]
		}
	case journal.OpExit:
		what = p.RunID + " is " + p.Outcome + ": " + p.Reason
	case "RELEASE":
		what = "is free again"
	default:
		return ""
	}
	return fmt.Sprintf("  %-12s %s", printable(p.Lane, false), printable(what, false))
}

// look tells what is new in the journal, and notes what was started.
func (f *demoCrew) look(ctx context.Context) error {
	if err := f.note(ctx); err != nil {
		return err
	}
	cmd := f.command(demoFleetClone, words("git dos journal tail --cached --json --limit 10000"))
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("git dos journal tail: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e demoEntry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("git dos journal tail: %w", err)
		}
		if f.watch.told[e.ID] {
			continue
		}
		f.watch.told[e.ID] = true
		if e.Op == journal.OpExit {
			f.watch.exits[e.Payload.Lane] = append(f.watch.exits[e.Payload.Lane], e.Payload.Outcome)
		}
		text := e.tell()
		key := fmt.Sprint(e.Gen, text) // an entry has another id where its chain is written anew
		if text != "" && !f.watch.told[key] {
			f.watch.told[key] = true
			f.say(text)
		}
	}
	return lines.Err()
}

// follow looks until every lane has a graded run, the time is over or the supervisor
// has ended.
func (f *demoCrew) follow(ctx context.Context, ended <-chan struct{}) error {
	for {
		if err := f.look(f.c.Context); err != nil {
			return err
		}
		if f.all() {
			return nil
		}
		select {
		case <-time.After(demoFleetLook):
		case <-ended:
			return errors.New("the supervisor has ended before every lane had its run")
		case <-ctx.Done():
			return f.c.Context.Err() // what is missing by then is in the table
		}
	}
}

func (f *demoCrew) all() bool {
	for _, lane := range f.lanes {
		if len(f.watch.exits[lane]) == 0 {
			return false
		}
	}
	return true
}

// drain waits until no process is left; what is left after its time is in the table.
func (f *demoCrew) drain() error {
	over := time.Now().Add(demoFleetClose)
	for {
		if err := f.look(f.c.Context); err != nil {
			return err
		}
		left, err := f.left(f.c.Context)
		if err != nil || len(left) == 0 || time.Now().After(over) {
			return errors.Join(err, f.look(f.c.Context))
		}
		select {
		case <-time.After(demoFleetLook):
		case <-f.c.Context.Done():
			return f.c.Context.Err()
		}
	}
}

// note keeps the markers of what was started, also of what is over since.
func (f *demoCrew) note(ctx context.Context) error {
	repo, err := refstore.Open(ctx, filepath.Join(f.root, demoFleetClone))
	if err != nil {
		return err
	}
	marks, err := marker.In(repo)
	if err != nil {
		return err
	}
	all, unread, err := marks.List()
	if err == nil && len(unread) > 0 {
		err = fmt.Errorf("marker %s", unread[0])
	}
	for _, m := range all {
		f.watch.spawns[m.RunID] = m
	}
	return err
}

// left are the processes that are still there of all that was started.
func (f *demoCrew) left(ctx context.Context) (own []machine.Owned, err error) {
	if err := f.note(ctx); err != nil {
		return nil, err
	}
	for node, spawns := range f.watch.byNode() {
		view, err := machine.Look(ctx, node, spawns)
		if err != nil {
			return nil, err
		}
		own = append(own, view.Own...)
	}
	return own, nil
}

func (w demoWatch) byNode() map[string][]marker.Marker {
	nodes := map[string][]marker.Marker{}
	for _, m := range w.spawns {
		nodes[m.Node] = append(nodes[m.Node], m)
	}
	return nodes
}

// ask runs a question of an actor, and reads its answer whatever that is.
func (f *demoCrew) ask(actor, line string, into any) error {
	out, err := f.command(actor, words(line)).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if jerr := json.Unmarshal(out, into); jerr != nil {
		return fmt.Errorf("%s: %w", line, errors.Join(err, jerr))
	}
	return nil
}

// A demoSupervisor is the process that supervises.
type demoSupervisor struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// supervise starts the supervisor; what it says goes to a file beside its clone.
func (f *demoCrew) supervise(ctx context.Context, line string) (*demoSupervisor, error) {
	log, err := os.Create(filepath.Join(f.root, "supervise.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	// It is ended by [demoSupervisor.end] alone, which lets it give its lane back, and
	// without a git in between, which would end by the signal and not by a status.
	like := f.command(demoFleetClone, words(line))
	cmd := exec.CommandContext(context.WithoutCancel(ctx), f.program, like.Args[2:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = like.Dir, like.Env, log, log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &demoSupervisor{cmd: cmd, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // its status says how it ended
		close(s.done)
	}()
	return s, nil
}

// end interrupts the supervisor and waits for it; it is killed when it takes too long.
// The answer is its exit status, -1 when it was killed.
func (s *demoSupervisor) end() int {
	_ = s.cmd.Process.Signal(os.Interrupt)
	stuck := time.AfterFunc(demoFleetClose, func() { _ = s.cmd.Process.Kill() })
	defer stuck.Stop()
	<-s.done
	return s.cmd.ProcessState.ExitCode()
}

// endAll ends what is left of all that was started, also after an interrupt.
func (f *demoCrew) endAll() {
	if !f.started {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.c.Context), demoFleetClose)
	defer cancel()
	for ctx.Err() == nil {
		left, err := f.left(ctx)
		if err != nil {
			warn(f.c, "what is left of the fleet is not known: %v", err)
		}
		if err != nil || len(left) == 0 {
			return
		}
		var failed []string
		for _, o := range left {
			if _, err := machine.End(ctx, o, 3*time.Second); err != nil {
				failed = append(failed, err.Error())
			}
		}
		if len(failed) == len(left) {
			warn(f.c, "not ended: %s", strings.Join(failed, "; "))
			return
		}
	}
}
