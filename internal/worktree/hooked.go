package worktree

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/refstore/git"
)

// refHook is the hook that git runs when it moves a ref.
const refHook = "reference-transaction"

// traceVar names the file that git writes its events to.
const traceVar = "GIT_TRACE2_EVENT"

// traced has a git commit leave a record of its hooks, where there is one that
// can refuse without an exit status that says so. There is no record, and path
// is "", where the user has git write one elsewhere.
func (t *Tree) traced(ctx context.Context, run git.Runner) (_ git.Runner, path string, err error) {
	out, err := t.reading().Output(ctx, "rev-parse", "--git-path", "hooks/"+refHook)
	if err != nil {
		return run, "", err
	}
	hook := strings.TrimSuffix(string(out), "\n")
	if !filepath.IsAbs(hook) {
		hook = filepath.Join(t.repo.Git.Dir, hook)
	}
	if _, err := os.Stat(hook); err != nil || os.Getenv(traceVar) != "" {
		return run, "", nil
	}
	if path, err = t.repo.StateFile(traceFile + admit.NewNonce()); err != nil {
		return run, "", err
	}
	run.Env = append(run.Env, traceVar+"="+path)
	return run, path, nil
}

// maxTrace bounds how much of a record is read.
const maxTrace = 16 << 20

// refusedBy reports whether a record says that a run of the hook failed, in
// the git that was started and not in one that its hooks ran.
func refusedBy(record, hook string) bool {
	f, err := os.Open(record)
	if err != nil {
		return false
	}
	defer f.Close()
	ours, runs := "", map[int]bool{}
	lines := bufio.NewScanner(io.LimitReader(f, maxTrace))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Event, SID string
			Hook       string `json:"hook_name"`
			Child      int    `json:"child_id"`
			Code       int
		}
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		if ours == "" {
			ours = e.SID // it writes first
		}
		if e.SID != ours {
			continue
		}
		switch {
		case e.Event == "child_start" && e.Hook == hook:
			runs[e.Child] = true
		case e.Event == "child_exit" && runs[e.Child] && e.Code != 0:
			return true
		}
	}
	return false
}
