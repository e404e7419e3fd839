//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/mcpserver"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Servers of one repository keep nothing to themselves: of their callers one gets a
// lane, and where a lease is, each of them sees at once.
func TestTwoServersOfOneRepository(t *testing.T) {
	t.Parallel()
	dir, env := mcpRepo(t)
	other := filepath.Join(t.TempDir(), "other")
	gitIn(t, dir, env, "worktree", "add", "-q", other)
	here, _ := mcpClient(t, dir, env)
	beside, _ := mcpClient(t, dir, env) // of the same worktree
	there, _ := mcpClient(t, other, env)
	servers := []*mcp.ClientSession{here, there}

	var wg sync.WaitGroup
	statuses := make([]int, 6)
	for i := range statuses {
		wg.Go(func() {
			statuses[i] = mcpCall(t, servers[i%2], "lease_acquire", map[string]any{"lanes": []string{"web"}, "run_id": fmt.Sprintf("run-%d", i)}).ExitStatus
		})
	}
	wg.Wait()
	slices.Sort(statuses)
	if !slices.Equal(statuses, []int{0, 3, 3, 3, 3, 3}) {
		t.Errorf("statuses %v", statuses)
	}
	if a := mcpCall(t, here, "lease_acquire", map[string]any{"lanes": []string{"api"}, "run_id": "r-1"}); a.ExitStatus != 0 {
		t.Fatalf("acquire: %+v", a)
	}
	for _, c := range []struct {
		who    *mcp.ClientSession
		tool   string
		status int
	}{{there, "lease_heartbeat", 3}, {there, "lease_release", 3}, {beside, "lease_heartbeat", 0}, {beside, "lease_release", 0}, {here, "lease_heartbeat", 3}} {
		if a := mcpCall(t, c.who, c.tool, map[string]any{"lane": "api"}); a.ExitStatus != c.status {
			t.Errorf("%s: %d %s %+v, want %d", c.tool, a.ExitStatus, a.Answer, a.Error, c.status)
		}
	}
}

// Calls that wait take all places there are, until they are cancelled: then the next
// call runs, no process of theirs goes on, and nothing was taken.
func TestWaitsThatAreCancelledMakeRoom(t *testing.T) {
	t.Parallel()
	dir, env := mcpRepo(t)
	other := filepath.Join(t.TempDir(), "other")
	gitIn(t, dir, env, "worktree", "add", "-q", other)
	s, _ := mcpClient(t, dir, env)
	if a := mcpCall(t, s, "lease_acquire", map[string]any{"lanes": []string{"api"}, "run_id": "r-1"}); a.ExitStatus != 0 {
		t.Fatalf("acquire: %+v", a)
	}
	waits, _ := mcpClient(t, other, env)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	for i := range mcpserver.AtOnce {
		wg.Go(func() {
			if r, err := waits.CallTool(ctx, &mcp.CallToolParams{Name: "lease_acquire", Arguments: map[string]any{"lanes": []string{"api"}, "run_id": fmt.Sprintf("w-%d", i), "wait": "1h"}}); err == nil {
				t.Errorf("a call that waits was answered: %s", r.Content[0].(*mcp.TextContent).Text)
			}
		})
	}
	time.Sleep(time.Second) // they wait
	cancel()
	wg.Wait()
	began := time.Now()
	if a := mcpCall(t, waits, "lease_live", nil); a.ExitStatus != 0 || strings.Contains(string(a.Answer), "w-") {
		t.Errorf("after that: %d %s %+v", a.ExitStatus, a.Answer, a.Error)
	}
	if took := time.Since(began); took > mcpGrace {
		t.Errorf("the next call took %v", took)
	}
	if a := mcpCall(t, s, "lease_release", map[string]any{"lane": "api"}); a.ExitStatus != 0 {
		t.Errorf("release: %+v", a)
	}
	time.Sleep(300 * time.Millisecond)
	if a := mcpCall(t, s, "lease_live", nil); string(a.Answer) != "[]" {
		t.Errorf("held after all: %s", a.Answer)
	}
}

// A client that does not read holds up its own answers, and loses none of them; one
// that never reads does not keep its server from ending.
func TestAClientThatReadsSlowly(t *testing.T) {
	t.Parallel()
	dir, env := mcpRepo(t)
	for _, reads := range []bool{true, false} {
		cmd := exec.Command("git-dos", "mcp", "-C", dir)
		cmd.Env = env
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		const asks = 40
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			fmt.Fprint(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
			for i := range asks {
				fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", i+2)
			}
		}()
		time.Sleep(time.Second)
		if !reads {
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() { _, _ = cmd.Process.Wait(); close(ended) }()
			select {
			case <-ended:
			case <-time.After(15 * time.Second):
				t.Error("it does not end while nobody reads")
			}
			continue
		}
		got := map[int]bool{}
		for lines := bufio.NewReader(out); len(got) < asks+1; {
			line, err := lines.ReadBytes('\n')
			var m struct {
				ID     int
				Result json.RawMessage
			}
			if err != nil || json.Unmarshal(line, &m) != nil || len(m.Result) == 0 || got[m.ID] {
				t.Fatalf("after %d answers: %.200q: %v", len(got), line, err)
			}
			got[m.ID] = true
			time.Sleep(10 * time.Millisecond)
		}
		<-sent
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("it ended with %v", err)
		}
	}
}
