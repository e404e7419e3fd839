package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/kernel/wave"
)

// waveUnset are the variables of a worker that its launcher may run in. What it
// launches is no part of that worker: it takes a lease of its own.
var waveUnset = []string{"GIT_DOS_NONCE", "GIT_DOS_LEASE", "GIT_DOS_RUN_ID", "GIT_DOS_OWNER", "FLEET_WORKER_ID"}

// start starts the worker of a row, and waits until CMD runs or was refused.
func (l *waveLaunching) start(row *waveLaunchRow) {
	i := slices.IndexFunc(l.plan.Rows, func(r wave.Row) bool { return r.Unit == row.Unit })
	if err := l.plan.writePrompt(l.plan.Rows[i]); err != nil {
		row.Result, row.Reason = rowRefused, verdict.Clip(err.Error())
		return
	}
	var out, told clipped
	cmd, err := l.plan.command(row.Argv)
	if err == nil {
		cmd.Stdout, cmd.Stderr = &out, &told
		err = cmd.Run()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		row.Result, row.Reason = rowRefused, verdict.Clip(err.Error())
		return
	}
	var a workerAnswer
	if json.Unmarshal(out.Bytes(), &a) != nil {
		row.Result, row.Reason = rowFailed, "its keeper says: "+verdict.Show(strings.TrimSpace(firstOf(told.String(), out.String(), "nothing")))
		if cmd.ProcessState.ExitCode() == verdict.NoVerdict { // nothing is held, and nothing runs, where there is no verdict
			row.Result = rowRefused
		}
		return
	}
	l.answer.Next = a.Next // where it was refused
	row.RunID, row.Gen, row.PID, row.Dir, row.Log = a.RunID, a.Gen, a.PID, a.Dir, a.Log
	switch a.Outcome {
	case workerStarted:
		row.Result = rowStarted
	case supervise.NotAdmitted:
		row.Result, row.Reason = rowRefused, a.Reason
	default:
		row.Result, row.Reason = rowRefused, fmt.Sprintf("%s: %s", a.Outcome, a.Reason)
	}
}

// command is a row's command, with an answer that can be read. It has a session of its
// own: a terminal that interrupts the launch does not cut a start in two.
func (p *wavePlanned) command(argv []string) (*exec.Cmd, error) {
	if !canDetach {
		return nil, errors.New("workers cannot be detached on this system")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	own := slices.Insert(slices.Clone(argv[2:]), len(p.req.prefix)-2, "--json") // the first two are git and dos
	cmd := exec.Command(self, own...)
	cmd.Dir = p.desk.Repo.WorkTree
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if !slices.Contains(waveUnset, name) {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	ownSession(cmd)
	return cmd, nil
}

// writePrompt writes what the worker of a row reads, unless it is given a file.
func (p *wavePlanned) writePrompt(row wave.Row) error {
	if !p.req.prompt {
		return nil
	}
	name, err := p.promptFile(row)
	if err != nil {
		return err
	}
	text, err := p.promptText(row)
	if err != nil {
		return err
	}
	tmp := fmt.Sprintf("%s.%d", name, os.Getpid()) // another launch of the same plan writes the same
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, name)
}

// A clipped buffer keeps the beginning of what is written to it.
type clipped struct{ bytes.Buffer }

const maxClipped = 1 << 20

func (b *clipped) Write(p []byte) (int, error) {
	if room := maxClipped - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
