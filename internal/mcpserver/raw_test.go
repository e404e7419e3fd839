package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// asked sends lines after one another and returns what came back, by id.
func asked(t *testing.T, lines string) map[string]json.RawMessage {
	t.Helper()
	var out bytes.Buffer
	s := &Server{Name: "sample", Version: "1", Tools: sample, Run: func(context.Context, Call) (Ran, error) { return Ran{Stdout: []byte("{}")}, nil }}
	if err := s.Serve(t.Context(), io.NopCloser(strings.NewReader(hello+lines)), &out); err != nil {
		t.Fatalf("the server ended with %v", err)
	}
	got := map[string]json.RawMessage{}
	for line := range bytes.Lines(out.Bytes()) {
		var m struct {
			Version string `json:"jsonrpc"`
			ID      json.RawMessage
			Error   *struct{ Code int }
		}
		if err := json.Unmarshal(line, &m); err != nil || m.Version != "2.0" {
			t.Fatalf("it wrote %q", line)
		}
		id := string(m.ID)
		if id == "null" && m.Error != nil {
			id = fmt.Sprint(m.Error.Code)
		}
		got[id] = bytes.Clone(line)
	}
	return got
}

func TestABadMessageDoesNotEndTheSession(t *testing.T) {
	for name, c := range map[string]struct{ line, code string }{
		"no JSON":            {`{"jsonrpc":`, "-32700"},
		"text":               {`hello`, "-32700"},
		"a batch":            {`[{"jsonrpc":"2.0","id":9,"method":"ping"}]`, "-32600"},
		"a number":           {`7`, "-32600"},
		"another version":    {`{"jsonrpc":"1.0","id":9,"method":"ping"}`, "-32600"},
		"no request":         {`{"jsonrpc":"2.0"}`, "-32600"},
		"method of a number": {`{"jsonrpc":"2.0","id":9,"method":7}`, "-32600"},
		"id of half":         {`{"jsonrpc":"2.0","id":2.5,"method":"ping"}`, "-32600"},
		"id too large":       {`{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}`, "-32600"},
		"id of null":         {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, "-32600"},
		"id of a list":       {`{"jsonrpc":"2.0","id":[2],"method":"ping"}`, "-32600"},
		"deep":               {strings.Repeat("[", 20000) + strings.Repeat("]", 20000), "-32700"},
		"huge":               {`{"jsonrpc":"2.0","id":9,"method":"` + strings.Repeat("x", 3<<20) + `"}`, "-32600"},
		"no end":             {strings.Repeat("x", 2<<20), "-32600"},
	} {
		got := asked(t, c.line+"\n\n"+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
		if got[c.code] == nil || !strings.Contains(string(got["2"]), `"verify"`) {
			t.Errorf("%s: no error %s, or no answer after it: %s", name, c.code, got["2"])
		}
	}
}

// Of two requests with one id each is answered, though only one is run: whoever waits
// for the other is told.
func TestAnIDThatIsInUseIsRefused(t *testing.T) {
	in, client := io.Pipe()
	out := make(chan string, 10)
	running, answer := make(chan struct{}, 2), make(chan struct{})
	s := &Server{Name: "sample", Version: "1", Tools: sample, Run: func(context.Context, Call) (Ran, error) {
		running <- struct{}{}
		<-answer
		return Ran{Stdout: []byte("{}")}, nil
	}}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(t.Context(), in, lineWriter(out)) }()
	call := `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"verify","arguments":{"unit":"A/1"}}}` + "\n"
	fmt.Fprint(client, hello, call)
	<-out
	<-running
	fmt.Fprint(client, strings.Replace(call, `"a"`, `"\u0061"`, 1))
	if line := <-out; !strings.Contains(line, "not answered yet") || !strings.Contains(line, `"id":null`) {
		t.Errorf("the second is answered with %s", line)
	}
	close(answer)
	if line := <-out; !strings.Contains(line, `"id":"a","result"`) {
		t.Errorf("the first is answered with %s", line)
	}
	fmt.Fprint(client, call) // it is free again
	if line := <-out; !strings.Contains(line, `"id":"a","result"`) {
		t.Errorf("the third is answered with %s", line)
	}
	client.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A lineWriter sends on each message that is written.
type lineWriter chan string

func (w lineWriter) Write(data []byte) (int, error) {
	w <- string(data)
	return len(data), nil
}

func TestATranscript(t *testing.T) {
	got := asked(t, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\r\n"+
		`{"jsonrpc":"2.0","id":"three","method":"tools/call","params":{"name":"verify","arguments":{"unit":"A/1"}}}`+"\n"+
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"rm","arguments":{}}}`+"\n"+
		`{"jsonrpc":"2.0","id":5,"method":"no/such"}`+"\n"+
		`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"verify","arguments":"A/1"}}`+"\n"+
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
	for id, want := range map[string]string{
		"1":       `"serverInfo":{"name":"sample","version":"1"}`,
		"2":       `"additionalProperties":false`,
		`"three"`: `"structuredContent":{"exit_status":0,"meaning":"shipped","answer":{}}`,
		"4":       `"error":`,
		"5":       `"code":-32601`,
		"6":       `"isError":true`,
		"7":       `"result":{}`,
	} {
		if !strings.Contains(string(got[id]), want) {
			t.Errorf("%s: %s\nwant %s", id, got[id], want)
		}
	}
}

func TestAnInputThatFailsIsToldOf(t *testing.T) {
	s := &Server{Name: "sample", Version: "1", Tools: sample}
	broken := io.NopCloser(io.MultiReader(strings.NewReader(hello), failing{}))
	if err := s.Serve(t.Context(), broken, io.Discard); !errors.Is(err, errBroken) {
		t.Errorf("the server ended with %v", err)
	}
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errBroken }
