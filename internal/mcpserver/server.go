// Package mcpserver offers the verbs of a program to an agent as tools of the
// Model Context Protocol, over one pair of streams.
//
// A call of a tool becomes the words of a command line, which the caller of the
// package runs. What an agent sends is checked here before it does: which tools
// there are, which arguments each takes, of what kind and of what length. No
// argument can turn into an option, and none passes through a shell.
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds on what one client may ask for.
const (
	MaxMessage = 1 << 20  // bytes of one message from the client
	MaxAnswer  = 64 << 10 // bytes of one answer to it
	AtOnce     = 4        // calls that run at a time
	InLine     = 64       // calls that run or wait to
)

// A Server is what is offered, and how a call is run.
type Server struct {
	Name, Version string
	Instructions  string // for the model, with the list of tools
	Tools         []Tool

	// Run runs the words of one call, and ends soon after ctx does. An error
	// means that the words were not run.
	Run func(ctx context.Context, call Call) (Ran, error)

	line chan struct{} // a place for each call that runs or waits
	run  chan struct{} // a place for each that runs
	busy sync.WaitGroup
}

// A Ran is how a command line ended.
type Ran struct {
	Status         int
	Stdout, Stderr []byte
}

// Serve answers the client until in ends or ctx does. It returns after the last
// call has ended; nil means that the client has left.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	s.line, s.run = make(chan struct{}, InLine), make(chan struct{}, AtOnce)
	defer s.busy.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	server := mcp.NewServer(&mcp.Implementation{Name: s.Name, Version: s.Version}, &mcp.ServerOptions{
		Instructions: s.Instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		Logger:       slog.New(slog.DiscardHandler), // what a client sends may be a secret
	})
	for _, t := range s.Tools {
		server.AddTool(t.offer(), s.handler(t))
	}
	lines := screen(in, out)
	defer lines.Close()
	err := server.Run(ctx, &mcp.IOTransport{Reader: lines, Writer: lines, MaxLineLength: MaxMessage + 1})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err == nil && ctx.Err() == nil {
		err = lines.failed()
	}
	return err
}

// handler answers calls of one tool. It never returns an error: a model is told
// of a fault in the result, where it can see it.
func (s *Server) handler(t Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		call, err := t.call(req.Params.Arguments)
		if err != nil {
			return fault("usage", t.Name, err.Error(), t.takes()), nil
		}
		select {
		case s.line <- struct{}{}:
		default:
			return fault("busy", t.Name, fmt.Sprintf("%d calls wait already", InLine), "wait for an answer before the next call"), nil
		}
		s.busy.Add(1)
		defer func() { <-s.line; s.busy.Done() }()
		select {
		case s.run <- struct{}{}:
			defer func() { <-s.run }()
		case <-ctx.Done():
			return fault("interrupted", t.Name, "cancelled before it was run", ""), nil
		}
		ran, err := s.Run(ctx, call)
		if err != nil {
			return fault("environment", t.Name, err.Error(), ""), nil
		}
		return t.result(ran), nil
	}
}

// An Answer is what a tool returns, as structured content and as text.
type Answer struct {
	ExitStatus int             `json:"exit_status"`       // that of the verb; the verdict
	Meaning    string          `json:"meaning,omitempty"` // of the status
	Answer     json.RawMessage `json:"answer,omitempty"`  // what the verb prints with --json
	Answers    []any           `json:"answers,omitempty"` // of a verb that prints a line for each
	Error      *Error          `json:"error,omitempty"`   // in place of an answer
}

// An Error is why there is no verdict. Hint is what to do next, where it can be
// said a command.
type Error struct {
	Kind    string `json:"kind"`
	Verb    string `json:"verb,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// noVerdict is the status of a call that could not be judged.
const noVerdict = 2

func fault(kind, verb, message, hint string) *mcp.CallToolResult {
	return Answer{ExitStatus: noVerdict, Error: &Error{kind, verb, message, hint}}.result()
}

// result is the answer as both kinds of client read it.
func (a Answer) result() *mcp.CallToolResult {
	data, err := json.Marshal(a)
	if err != nil { // what the verb printed is JSON, so that this is not to be
		data = []byte(`{"exit_status":2,"error":{"kind":"environment","message":"the answer cannot be written"}}`)
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: string(data)}},
		StructuredContent: json.RawMessage(data),
		IsError:           a.Error != nil,
	}
}
