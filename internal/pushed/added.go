package pushed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/exec"
	"strings"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// patchDiff are the switches of a diff that is read line by line. No attribute
// of the pushed tree hides a file from it.
var patchDiff = []string{
	"-r", "-p", "-c", "-U0", "--text", "--full-index", "--no-renames", "--no-relative", "--no-ext-diff", "--no-textconv", "--no-color",
	"--ignore-submodules=none", "--submodule=short", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/",
	"--diff-algorithm=myers", "--no-indent-heuristic", // which lines are shown is nobody's matter here
}

// Added yields the lines of the messages of tags, those that the commits add, and
// those of their messages.
func (h *History) Added(ctx context.Context) iter.Seq2[hooks.Line, error] {
	return func(yield func(hooks.Line, error) bool) {
		if !taggedLines(h.tags, yield) || len(h.ids) == 0 {
			return
		}
		known := make(map[string]bool, len(h.ids))
		for _, id := range h.ids {
			known[string(id)] = true
		}
		args := append([]string{"diff-tree", "--stdin", "--root"}, patchDiff...)
		p := &patch{isCommit: func(id string) bool { return known[id] }, yield: yield, solid: h.solid.add}
		more, err := stream(ctx, h.repo.Git, git.Call{Args: args, Stdin: strings.NewReader(lines(h.ids))}, p.read)
		if err != nil {
			yield(hooks.Line{}, err)
			return
		}
		if !more {
			return
		}
		for c, err := range h.Commits(ctx) {
			if err != nil {
				yield(hooks.Line{}, err)
				return
			}
			if !messageLines(c.ID, []byte(c.Message), yield) {
				return
			}
		}
	}
}

// messageLines yields the lines of a message until yield has enough.
func messageLines(commit string, message []byte, yield func(hooks.Line, error) bool) bool {
	n := 0
	for line := range bytes.Lines(message) {
		n++
		if !yield(hooks.Line{Commit: commit, Number: n, Text: bytes.TrimSuffix(line, []byte("\n"))}, nil) {
			return false
		}
	}
	return true
}

// stream runs a git and hands its output to read while it runs. It reports
// whether read came to the end; one that has enough ends git.
func stream(ctx context.Context, run git.Runner, call git.Call, read func(io.Reader) (bool, error)) (bool, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd, err := run.Offline().Command(ctx, call)
	if err != nil {
		return false, err
	}
	words := &head{}
	cmd.Stderr = words
	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, fmt.Errorf("git %s: %w", call.Args[0], err)
	}
	more, err := read(out)
	if err != nil || !more {
		parent := context.Cause(ctx)
		cancel()
		_ = cmd.Wait()
		return false, errors.Join(parent, err)
	}
	if err := cmd.Wait(); err != nil {
		return false, ended(ctx, call.Args[0], err, string(words.kept))
	}
	return true, nil
}

// ended is the error of a git that did not end well: what it was to read cannot
// be read, unless something else ended it.
func ended(ctx context.Context, name string, err error, words string) error {
	var exit *exec.ExitError
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !errors.As(err, &exit) || exit.ExitCode() < 0 {
		return fmt.Errorf("git %s: %w", name, err)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(words), "\n")
	return fmt.Errorf("%w: git %s: %s", ancestry.ErrMissing, name, strings.TrimPrefix(first, "fatal: "))
}

// head keeps the first bytes written to it.
type head struct{ kept []byte }

func (h *head) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), max(0, 4096-len(h.kept)))]...)
	return len(p), nil
}
