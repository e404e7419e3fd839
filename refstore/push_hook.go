package refstore

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/refstore/git"
)

// errHook means that a push was not sent because the user's own pre-push hook
// refused it.
var errHook = errors.New("the pre-push hook refused it")

// pushAsking runs a push that the user's hooks are asked about, and tells their
// refusal from all else that can end it: by what git notes of its children, for the
// words on standard error may be anybody's.
func (a *Remote) pushAsking(ctx context.Context, args []string) (stdout []byte, words string, err error) {
	scratch, err := MakeScratch("push")
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", errNotSent, err)
	}
	defer func() { _ = scratch.Close() }()
	trace := filepath.Join(scratch.Dir, "trace")
	stdout, words, err = a.run.With("GIT_TRACE2_EVENT="+trace).Run(ctx, git.Call{Args: args})
	if err != nil && hookFailed(trace, "pre-push") {
		err = fmt.Errorf("%w: %w", errHook, err)
	}
	return stdout, words, err
}

// maxTrace bounds what is read of a trace: hooks may run many gits.
const maxTrace = 1 << 20

// hookFailed reports whether a trace of git has the hook as a child of the first
// git that wrote to it, and its end with another status than 0.
func hookFailed(trace, hook string) bool {
	f, err := os.Open(trace)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxTrace)
	child := -1
	for lines.Scan() {
		var e struct {
			Event string `json:"event"`
			SID   string `json:"sid"`
			Child int    `json:"child_id"`
			Hook  string `json:"hook_name"`
			Code  int    `json:"code"`
		}
		if json.Unmarshal(lines.Bytes(), &e) != nil || strings.Contains(e.SID, "/") {
			continue // not of this git, but of one that it started
		}
		switch {
		case e.Event == "child_start" && e.Hook == hook:
			child = e.Child
		case e.Event == "child_exit" && e.Child == child:
			return e.Code != 0
		}
	}
	return false
}
