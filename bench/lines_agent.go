package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Events as a runtime sends them.
const (
	writeEvent = `{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"l7/a","content":"x"}}`
	bashEvent  = `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git status --short && go test ./..."}}`
	doneEvent  = `{"hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"file_path":"l7/a","content":"x"}}`
	stopEvent  = `{"hook_event_name":"Stop","stop_hook_active":false}`
)

// hookAgent measures the hooks of an agent beside the one read verb that each is
// to cost no more than, the start of the program taken off both. The column of git
// has that verb.
func hookAgent(b *bench) ([]row, error) {
	dir, err := b.atWork()
	if err != nil {
		return nil, err
	}
	live, verify := b.process(dir, b.dos, "lease", "live"), b.process(dir, b.dos, "verify", "SHOP/API1")
	m, err := b.pairs(localPairs, b.process(dir, b.start), live, b.event(dir, writeEvent, "pre-tool"), b.event(dir, bashEvent, "pre-tool"), b.event(dir, doneEvent, "post-tool"),
		verify, b.event(dir, stopEvent, "stop"))
	if err != nil {
		return nil, err
	}
	one := func(what string, took, verb time.Duration, name string) row {
		return row{what: what, product: took, start: m[0], git: verb - m[0], target: 1.1, note: name + " without its start in the place of git"}
	}
	return []row{
		one("hook-agent pre-tool, a write, 50 leases", m[2], m[1], "lease live"),
		one("hook-agent pre-tool, a command line", m[3], m[1], "lease live"),
		one("hook-agent post-tool, 50 leases", m[4], m[1], "lease live"),
		one("hook-agent stop, a unit that shipped", m[6], m[5], "verify"),
	}, nil
}

// event is an arm that answers one event.
func (b *bench) event(dir, event, name string) arm {
	return func() (time.Duration, error) {
		cmd := exec.CommandContext(b.ctx, b.dos, "hook-agent", name)
		cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(event), b.words, b.words
		began := time.Now()
		err := cmd.Run()
		took := time.Since(began)
		if err != nil {
			err = fmt.Errorf("hook-agent %s: %w: %s", name, err, b.lastWords())
		}
		return took, err
	}
}

// atWork makes a repository in which an agent holds one lane and has shipped its
// unit, and others hold the other lanes.
func (b *bench) atWork() (string, error) {
	dir, err := b.repo(readLanes, noFleet)
	if err != nil {
		return "", err
	}
	lane := laneName(7)
	for path, text := range map[string]string{lane + "/a": "a\n", "docs/shop-plan.md": "## 1. SHOP API1 - serve it\nin " + lane + "/a\n"} {
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	others := b.newDir("others")
	err = b.quiet(dir, []string{"git", "add", "-A"}, []string{"git", "commit", "--quiet", "-m", "SHOP: API1: serve it"}, []string{"git", "worktree", "add", "--quiet", "--detach", others},
		[]string{b.dos, "lease", "acquire", "--lane", lane, "--ttl", "12h", "--unit", "SHOP/API1"})
	if err != nil {
		return "", err
	}
	for i := range readLanes {
		if i == 7 {
			continue
		}
		if err := b.quiet(others, []string{b.dos, "lease", "acquire", "--lane", laneName(i), "--ttl", "12h"}); err != nil {
			return "", err
		}
	}
	return dir, nil
}
