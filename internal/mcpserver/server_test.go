package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var sample = []Tool{
	{Name: "verify", About: "did it ship?", Words: []string{"verify"}, Meanings: map[int]string{0: "shipped"},
		Params: []Param{{Name: "unit", Operand: true, Required: true}, {Name: "ref", Flag: "ref"}, {Name: "cached", Kind: Truth, Flag: "cached"}, {Name: "nonce", Env: "NONCE"}}},
	{Name: "log", Words: []string{"log"}, Lines: true, Params: []Param{{Name: "limit", Kind: Number, Flag: "limit"}, {Name: "tree", Kind: Texts, Flag: "tree"}}},
}

// serve starts a server whose calls end as run says, and a client of it.
func serve(t *testing.T, run func(context.Context, Call) (Ran, error)) *mcp.ClientSession {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	s := &Server{Name: "sample", Version: "1", Tools: sample, Run: run}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.Background(), toServer, fromServer); fromServer.Close() }()
	c := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		fromClient.Close()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(5 * time.Second):
			t.Error("the server goes on without its client")
		}
	})
	return session
}

func call(t *testing.T, s *mcp.ClientSession, name string, args any) Answer {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var a, told Answer
	text := r.Content[0].(*mcp.TextContent).Text
	if json.Unmarshal(data, &a) != nil || json.Unmarshal([]byte(text), &told) != nil {
		t.Fatalf("%s returned %s and %s", name, data, text)
	}
	if a.ExitStatus != told.ExitStatus || r.IsError != (a.Error != nil) {
		t.Errorf("%s: %s beside %s, is_error %v", name, data, text, r.IsError)
	}
	return a
}

func TestACallIsACommandLine(t *testing.T) {
	var got Call
	s := serve(t, func(_ context.Context, c Call) (Ran, error) {
		got = c
		return Ran{Stdout: []byte(`{"outcome":"SHIPPED"}` + "\n")}, nil
	})
	a := call(t, s, "verify", map[string]any{"unit": "--force", "ref": "-x", "cached": true, "nonce": "n1"})
	if want := []string{"verify", "--ref=-x", "--cached=true", "--", "--force"}; fmt.Sprint(got.Words) != fmt.Sprint(want) || fmt.Sprint(got.Env) != "[NONCE=n1]" {
		t.Errorf("it ran %q with %q, want %q", got.Words, got.Env, want)
	}
	if string(a.Answer) != `{"outcome":"SHIPPED"}` || a.ExitStatus != 0 || a.Meaning != "shipped" {
		t.Errorf("answer %+v", a)
	}
	call(t, s, "verify", map[string]any{"unit": "A/1", "cached": false, "ref": nil})
	if fmt.Sprint(got.Words) != "[verify -- A/1]" {
		t.Errorf("what is not asked for is %q", got.Words)
	}
	call(t, s, "log", map[string]any{"limit": 3, "tree": []string{"a b", "--c"}})
	if fmt.Sprint(got.Words) != "[log --limit=3 --tree=a b --tree=--c]" {
		t.Errorf("a list is %q", got.Words)
	}
}

func TestWhatIsNoCallRunsNothing(t *testing.T) {
	s := serve(t, func(context.Context, Call) (Ran, error) {
		t.Error("it was run")
		return Ran{}, nil
	})
	for name, args := range map[string]string{
		"unit is missing":        `{}`,
		"is not known":           `{"unit":"A/1","force":true}`,
		"is no text":             `{"unit":7}`,
		"is empty":               `{"unit":""}`,
		"control characters":     `{"unit":"A\u0000/1"}`,
		"nonce has control":      `{"unit":"A/1","nonce":"sec\nret"}`,
		"more than 4096 bytes":   `{"unit":"` + strings.Repeat("x", maxText+1) + `"}`,
		"is not true or false":   `{"unit":"A/1","cached":"yes"}`,
		"arguments are no objec": `["A/1"]`,
	} {
		a := call(t, s, "verify", json.RawMessage(args))
		if a.Error == nil || a.Error.Kind != "usage" || !strings.Contains(a.Error.Message, name) || !strings.Contains(a.Error.Hint, "unit (required)") {
			t.Errorf("%.60s: %+v, want %q", args, a.Error, name)
		} else if strings.Contains(a.Error.Message, "sec") {
			t.Errorf("the message repeats a nonce: %s", a.Error.Message)
		}
	}
	if _, err := sample[0].call([]byte(`{"unit":"A/1","unit":"B/2"}`)); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("an argument that stands there twice: %v", err)
	}
	for name, args := range map[string]string{"no whole number": `{"limit":1.5}`, "no whole number ": `{"limit":-1}`, "no list": `{"tree":"a"}`, "is no text": `{"tree":[null]}`} {
		if a := call(t, s, "log", json.RawMessage(args)); a.Error == nil || !strings.Contains(a.Error.Message, strings.TrimSpace(name)) {
			t.Errorf("%s: %+v", args, a.Error)
		}
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "rm"}); err == nil {
		t.Error("a tool that is not offered was called")
	}
}

func TestAnAnswerIsWholeOrAnError(t *testing.T) {
	var ran Ran
	s := serve(t, func(context.Context, Call) (Ran, error) { return ran, nil })
	for name, c := range map[string]struct {
		ran  Ran
		tool string
		want string // of the error, "" for none
	}{
		"a refusal is an answer":      {Ran{Status: 3, Stdout: []byte("{}")}, "verify", ""},
		"a stream without lines":      {Ran{}, "log", ""},
		"an error of the verb":        {Ran{Status: 2, Stderr: []byte(`{"error":{"kind":"store","message":"gone","hint":"git dos doctor"}}`)}, "verify", "gone"},
		"too long":                    {Ran{Stdout: []byte(`"` + strings.Repeat("x", MaxAnswer) + `"`)}, "verify", "more than 65536"},
		"no JSON":                     {Ran{Stdout: []byte("help")}, "verify", "no JSON"},
		"nothing":                     {Ran{}, "verify", "0 answers"},
		"status 2 and words":          {Ran{Status: 2, Stdout: []byte("{}")}, "verify", "status 2"},
		"killed":                      {Ran{Status: -1, Stdout: []byte("{}")}, "verify", "status -1"},
		"two answers of a verb of on": {Ran{Stdout: []byte("{}\n{}")}, "verify", "2 answers"},
	} {
		ran = c.ran
		a := call(t, s, c.tool, map[string]any{"unit": "A/1"})
		if c.tool == "log" {
			a = call(t, s, c.tool, nil)
		}
		switch {
		case c.want == "" && (a.Error != nil || a.ExitStatus != c.ran.Status):
			t.Errorf("%s: %+v", name, a)
		case c.want != "" && (a.Error == nil || !strings.Contains(a.Error.Message, c.want) || a.Answer != nil || a.ExitStatus == 0):
			t.Errorf("%s: %+v with %+v", name, a, a.Error)
		}
	}
}

func TestCallsRunAFewAtATime(t *testing.T) {
	var now, most atomic.Int32
	goOn := make(chan bool)
	s := serve(t, func(context.Context, Call) (Ran, error) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		<-goOn
		now.Add(-1)
		return Ran{Stdout: []byte("{}")}, nil
	})
	const over = 20
	kinds := make(chan string, InLine+over)
	for range InLine + over {
		go func() {
			r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "verify", Arguments: map[string]any{"unit": "A/1"}})
			switch {
			case err != nil:
				kinds <- err.Error()
			case r.IsError && strings.Contains(r.Content[0].(*mcp.TextContent).Text, `"busy"`):
				kinds <- "busy"
			case r.IsError:
				kinds <- r.Content[0].(*mcp.TextContent).Text
			default:
				kinds <- "ran"
			}
		}()
	}
	n := map[string]int{}
	for range over { // while none of the others ends
		n[<-kinds]++
	}
	if n["busy"] != over {
		t.Errorf("of those that are one too many: %v", n)
	}
	close(goOn)
	for range InLine {
		n[<-kinds]++
	}
	if n["ran"] != InLine || most.Load() > AtOnce || most.Load() < 2 {
		t.Errorf("%v, at most %d at a time", n, most.Load())
	}
}

func TestACancelledCallIsInterrupted(t *testing.T) {
	began, ended := make(chan bool, 1), make(chan bool, 1)
	s := serve(t, func(ctx context.Context, _ Call) (Ran, error) {
		began <- true
		<-ctx.Done()
		ended <- true
		return Ran{Status: 130}, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "verify", Arguments: map[string]any{"unit": "A/1"}}); err == nil {
		t.Error("a cancelled call was answered")
	}
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("a cancelled call goes on")
	}
}
