package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/mcpserver"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpRepo is a repository with two lanes, and what commands see in it.
func mcpRepo(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	home := t.TempDir()
	env = append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "GIT_DOS_NODE=box",
		"GIT_AUTHOR_NAME=worker", "GIT_AUTHOR_EMAIL=worker@example.com", "GIT_COMMITTER_NAME=worker", "GIT_COMMITTER_EMAIL=worker@example.com")
	if err := os.WriteFile(filepath.Join(dir, "dos.toml"), []byte("[trunk]\nref = \"main\"\n[lanes]\nconcurrent = [\"api\", \"web\"]\n[lanes.trees]\napi = [\"api/**\"]\nweb = [\"web/**\"]\n[heartbeats]\nsupervise = \"5m\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, env, "init", "-q", "-b", "main")
	gitIn(t, dir, env, "add", "dos.toml")
	gitIn(t, dir, env, "commit", "-q", "-m", "root")
	return dir, env
}

// mcpClient is the client of a server that runs as a process of its own.
func mcpClient(t *testing.T, dir string, env []string) (*mcp.ClientSession, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command("git-dos", "mcp", "-C", dir)
	cmd.Env = env
	var said bytes.Buffer
	cmd.Stderr = &said
	c := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
	session, err := c.Connect(context.Background(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if said.Len() > 0 {
			t.Errorf("the server said %q", said.String())
		}
	})
	return session, &said
}

func mcpCall(t *testing.T, s *mcp.ClientSession, name string, args map[string]any) mcpserver.Answer {
	t.Helper()
	r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var a mcpserver.Answer
	if err := json.Unmarshal([]byte(r.Content[0].(*mcp.TextContent).Text), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAnAgentWorksThroughTools(t *testing.T) {
	dir, env := mcpRepo(t)
	s, _ := mcpClient(t, dir, env)
	a := mcpCall(t, s, "lease_acquire", map[string]any{"lanes": []string{"api"}, "run_id": "r-1", "ttl": "10m"})
	if a.ExitStatus != 0 || !strings.Contains(string(a.Answer), `"lane":"api"`) {
		t.Fatalf("acquire: %d %s %+v", a.ExitStatus, a.Answer, a.Error)
	}
	for _, c := range []struct {
		tool   string
		args   map[string]any
		status int
		want   string // in the answer, or in the error
	}{
		{"lease_acquire", map[string]any{"lanes": []string{"api"}, "run_id": "r-2"}, 3, `"lane":"api"`},
		{"lease_live", nil, 0, `"held_here":true`},
		{"lease_show", map[string]any{"lane": "api"}, 0, `"state":"held"`},
		{"lease_log", map[string]any{"lane": "api", "limit": 5}, 0, ""},
		{"log", map[string]any{"lane": "api"}, 0, ""},
		{"lease_heartbeat", map[string]any{"lane": "api"}, 0, `"lane":"api"`},
		{"lease_heartbeat", map[string]any{"lane": "api", "nonce": "not-the-one"}, 3, "STALE_LEASE"},
		{"arbitrate", map[string]any{"lane": "web"}, 0, "web"},
		{"verify", map[string]any{"unit": "SHOP/API1"}, 1, "NOT_SHIPPED"},
		{"reconcile", map[string]any{"unit": "SHOP/API1", "claimed_done": true}, 3, "QUIET_INCOMPLETE"},
		{"pickable", map[string]any{"unit": "SHOP/API1"}, -1, ""},
		{"cooldown", map[string]any{"unit": "SHOP/API1"}, 0, "CLEAR"},
		{"guard", map[string]any{"argv": []string{"git", "push", "--force"}}, 3, "POLICY_BLOCK"},
		{"scope_gate", map[string]any{"lane": "api", "file": []string{"web/x"}}, 6, "WRONG_TARGET"},
		{"decisions_list", nil, 0, ""},
		{"queue_list", nil, 0, ""},
		{"commit_audit", nil, 0, ""},
		{"beat", map[string]any{"name": "supervise"}, 0, "supervise"},
		{"pulse", nil, -1, ""},
		{"loop", nil, -1, ""},
		{"preflight", nil, -1, ""},
		{"plan", nil, 0, ""},
		{"next_up", nil, -1, ""},
		{"status", map[string]any{"run": "r-1"}, -1, ""},
		{"liveness", map[string]any{"run": "r-1"}, -1, ""},
		{"verify", map[string]any{"unit": "--force"}, 2, "want PLAN and PHASE"},
		{"lease_show", map[string]any{"lane": "nowhere"}, 2, "nowhere"},
		{"lease_release", map[string]any{"lane": "api"}, 0, `"lane":"api"`},
	} {
		a := mcpCall(t, s, c.tool, c.args)
		answer := string(a.Answer)
		if a.Error != nil {
			answer = a.Error.Message
		}
		if a.ExitStatus != c.status && c.status >= 0 || !strings.Contains(answer, c.want) || (a.Error != nil) != (a.ExitStatus == 2 || a.ExitStatus == 4 && a.Error != nil) {
			t.Errorf("%s %v: %d %s %+v; want %d and %q", c.tool, c.args, a.ExitStatus, a.Answer, a.Error, c.status, c.want)
		}
		if a.Error != nil && a.Error.Hint == "" {
			t.Errorf("%s %v: %+v does not say what to do", c.tool, c.args, a.Error)
		}
	}
}

// Every answer is that of the command line.
func TestAToolAnswersAsTheVerb(t *testing.T) {
	dir, env := mcpRepo(t)
	s, _ := mcpClient(t, dir, append(env, "GIT_DOS_NOW=2026-01-02T12:00:00Z"))
	for _, tool := range []struct {
		name string
		args map[string]any
		line []string
	}{
		{"verify", map[string]any{"unit": "SHOP/API1"}, []string{"verify", "SHOP/API1"}},
		{"guard", map[string]any{"argv": []string{"git", "status"}}, []string{"guard", "--", "git", "status"}},
		{"lease_live", map[string]any{"all": true}, []string{"lease", "live", "--all"}},
	} {
		cmd := exec.Command("git-dos", append([]string{"--json", "-C", dir}, tool.line...)...)
		cmd.Env = append(env, "GIT_DOS_NOW=2026-01-02T12:00:00Z")
		want, _ := cmd.Output()
		var compact bytes.Buffer
		if err := json.Compact(&compact, want); err != nil {
			t.Fatal(err)
		}
		a := mcpCall(t, s, tool.name, tool.args)
		if a.ExitStatus != cmd.ProcessState.ExitCode() || string(a.Answer) != compact.String() {
			t.Errorf("%s: %d %s\nthe verb: %d %s", tool.name, a.ExitStatus, a.Answer, cmd.ProcessState.ExitCode(), compact.String())
		}
	}
}

// What a tool does not require can be left out: it answers without.
func TestAToolAnswersWithoutWhatItDoesNotRequire(t *testing.T) {
	dir, env := mcpRepo(t)
	s, _ := mcpClient(t, dir, env)
	if a := mcpCall(t, s, "lease_acquire", map[string]any{"lanes": []string{"api"}}); a.ExitStatus != 0 {
		t.Fatalf("%+v", a)
	}
	required := map[string]any{"lane": "api", "unit": "SHOP/API1", "name": "supervise", "argv": []string{"git", "status"}}
	oneOf := map[string]map[string]any{"scope_gate": {"file": []string{"api/a"}}, "log": {"lane": "api"}} // say which is missing
	tools := mcpTools()
	last := slices.IndexFunc(tools, func(t mcpserver.Tool) bool { return t.Name == "lease_release" })
	tools = append(slices.Delete(slices.Clone(tools), last, last+1), tools[last]) // others ask for what the lease is of
	for _, tool := range tools {
		given := map[string]any{}
		maps.Copy(given, oneOf[tool.Name])
		for _, p := range tool.Params {
			if p.Required {
				given[p.Name] = required[p.Name]
			}
		}
		if _, named := given["id"]; named {
			continue // there is no task and no decision
		}
		if a := mcpCall(t, s, tool.Name, given); a.Error != nil {
			t.Errorf("%s %v: %+v", tool.Name, given, a.Error)
		}
	}
}

func TestOneOfManyCallsGetsTheLane(t *testing.T) {
	dir, env := mcpRepo(t)
	s, _ := mcpClient(t, dir, env)
	var wg sync.WaitGroup
	statuses := make([]int, 6)
	for i := range statuses {
		wg.Add(1)
		go func() {
			defer wg.Done()
			statuses[i] = mcpCall(t, s, "lease_acquire", map[string]any{"lanes": []string{"web"}, "run_id": "run-" + string(rune('a'+i))}).ExitStatus
		}()
	}
	wg.Wait()
	slices.Sort(statuses)
	if !slices.Equal(statuses, []int{0, 3, 3, 3, 3, 3}) {
		t.Errorf("statuses %v", statuses)
	}
}

// A cancelled call ends, and what it waited for is not taken.
func TestACancelledCallLeavesNothingBehind(t *testing.T) {
	dir, env := mcpRepo(t)
	s, _ := mcpClient(t, dir, env)
	other := filepath.Join(t.TempDir(), "other")
	gitIn(t, dir, env, "worktree", "add", "-q", other)
	if a := mcpCall(t, s, "lease_acquire", map[string]any{"lanes": []string{"api"}, "run_id": "r-1"}); a.ExitStatus != 0 {
		t.Fatalf("acquire: %+v", a)
	}
	s2, _ := mcpClient(t, other, env)
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if r, err := s2.CallTool(ctx, &mcp.CallToolParams{Name: "lease_acquire", Arguments: map[string]any{"lanes": []string{"api"}, "run_id": "r-2", "wait": "1h"}}); err == nil {
		t.Fatalf("a call that waits was answered: %s", r.Content[0].(*mcp.TextContent).Text)
	}
	if a := mcpCall(t, s, "lease_release", map[string]any{"lane": "api"}); a.ExitStatus != 0 {
		t.Errorf("release: %+v", a)
	}
	time.Sleep(100 * time.Millisecond)
	if a := mcpCall(t, s, "lease_live", nil); string(a.Answer) != "[]" {
		t.Errorf("held after all: %s", a.Answer)
	}
}

// Each tool is a verb with these flags, and no tool can force, or speak for an
// operator.
func TestToolsAreVerbs(t *testing.T) {
	commands, _ := mcpCommands()
	names := map[string]bool{}
	for _, o := range mcpOffers() {
		c := commands[o.verb]
		if c == nil {
			t.Errorf("%s is no verb", o.verb)
			continue
		}
		for _, f := range o.flags {
			if flag := named(c.Flags, f); flag == nil {
				t.Errorf("%s has no flag --%s", o.verb, f)
			} else if p := mcpParam(flag, f); p.About == "" || takesValue(flag) == (p.Kind == mcpserver.Truth) {
				t.Errorf("%s --%s is offered as %+v", o.verb, f, p)
			}
			if slices.Contains([]string{"force", "operator", "leases", "state", "replay", "proc"}, f) {
				t.Errorf("%s offers --%s", o.verb, f)
			}
		}
	}
	for _, tool := range mcpTools() {
		if names[tool.Name] || tool.About == "" {
			t.Errorf("%s is offered twice, or says nothing", tool.Name)
		}
		names[tool.Name] = true
	}
}
