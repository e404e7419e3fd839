package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/machine"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/internal/worker"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lane"
)

// A launch is one command that is started on a lane, with its marker.
type launch struct {
	words []string
	env   []string
	marks marker.Folder
	mark  marker.Marker
}

// newLaunch makes a launch of a row, and starts nothing.
func (e *enacting) newLaunch(r supervise.Row) (*launch, error) {
	repo := e.book.Desk.Repo
	template := loopTemplate(e.policy)
	if template == "" {
		return nil, errors.New("supervise.worker_launch_template is set no more")
	}
	m, err := mintRun(now(e.c), lineage(e.c, "launch"))
	if err != nil {
		return nil, err
	}
	leaf, err := lane.Leaf(m.RunID)
	if err != nil {
		return nil, err
	}
	l := &launch{words: loopWords(template, r)}
	l.mark = marker.Marker{
		Node: e.desk.Node, RunID: m.RunID, Lane: r.Lane, Nonce: admit.NewNonce(), Launch: true,
		Dir: repo.WorkTree, Started: now(e.c),
	}
	if l.mark.Log, err = repo.SharedFile("logs", leaf+".log"); err != nil {
		return nil, err
	}
	if l.marks, err = marker.In(repo); err != nil {
		return nil, err
	}
	pass := append(slices.Clone(e.policy.Worker.EnvPass), "GIT_DOS_NODE", "DISPATCH_HOST_ID")
	l.env = worker.Environ(os.Environ(), pass, []string{"GIT_DOS_RUN_ID=" + m.RunID, machine.EnvLaunch + "=" + l.mark.Nonce})
	return l, nil
}

// start starts the process, notes it, and only then lets it become the command: it
// is never running without a marker.
func (l *launch) start(s *supervising) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(l.mark.Log, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("the log: %w", err)
	}
	defer log.Close()
	if _, err := fmt.Fprintf(log, "%slaunch %s lane=%s run=%s argv0=%q\n", reclaimHeader, l.mark.Started.UTC().Format(time.RFC3339), l.mark.Lane, l.mark.RunID, l.words[0]); err != nil {
		return fmt.Errorf("the log: %w", err)
	}
	wait, note, err := os.Pipe()
	if err != nil {
		return err
	}
	defer note.Close()
	cmd := exec.Command(self, append([]string{"supervise", "--" + launchedFlag + "=3", "--"}, l.words...)...)
	cmd.Dir, cmd.Env = l.mark.Dir, l.env
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{wait} // descriptor 3
	ownSession(cmd)
	err = cmd.Start()
	wait.Close()
	if err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // it is collected when it ends; what came of it is in git
	named, err := host.Process(int64(cmd.Process.Pid))
	if err != nil {
		named = host.Proc{PID: int64(cmd.Process.Pid)}
	}
	l.mark.Keeper = marker.Of(named)
	if err := l.marks.Put(l.mark); err != nil {
		return err
	}
	if s.stopped() {
		return errors.New("the supervisor was stopped before it was let go")
	}
	_, err = io.WriteString(note, "\n")
	return err
}
