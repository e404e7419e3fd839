// Package agent judges what an agent is about to do, as its runtime tells it:
// may this tool be called, does the agent still hold what it works on, and may
// it stop?
//
// Runtimes send much the same in different words. Read brings them to one
// shape; what decides and cannot be read is an error, and never a yes.
package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/guard"
)

// A Dialect is whose words a call is in, and the answer to it.
type Dialect string

// The dialects. Plain is the contract for runtimes that have none of their own.
const (
	Plain   Dialect = "plain"
	Claude  Dialect = "claude" // Codex speaks it too
	Gemini  Dialect = "gemini"
	Cursor  Dialect = "cursor"
	Copilot Dialect = "copilot"
)

// A Call is an event of a runtime.
type Call struct {
	Dialect  Dialect
	Tool     string
	Cwd      string
	Commands []guard.Evidence // what would be run
	Paths    []string         // what would be written, as the runtime names it

	Again      bool // the agent goes on because a stop was refused
	AgainKnown bool // the runtime says so, or that it does not
}

// input is what the runtimes send, side by side.
type input struct {
	Event      string          `json:"hook_event_name"`
	Tool       *string         `json:"tool_name"`
	ToolInput  json.RawMessage `json:"tool_input"`
	ToolName   *string         `json:"toolName"`
	ToolArgs   json.RawMessage `json:"toolArgs"`
	Cwd        string          `json:"cwd"`
	Roots      []string        `json:"workspace_roots"`
	Talk       string          `json:"conversation_id"`
	Command    *string         `json:"command"`
	StopActive *bool           `json:"stop_hook_active"`
	LoopCount  *int            `json:"loop_count"`
}

func read(data []byte) (in input, call Call, err error) {
	if err := json.Unmarshal(data, &in); err != nil {
		return in, call, fmt.Errorf("it is no event of an agent's runtime: %w", err)
	}
	call = Call{Dialect: Plain, Cwd: in.Cwd}
	switch {
	case in.Talk != "" || len(in.Roots) > 0:
		call.Dialect = Cursor
	case in.ToolName != nil:
		call.Dialect = Copilot
	case slices.Contains([]string{"BeforeTool", "AfterTool", "AfterAgent"}, in.Event):
		call.Dialect = Gemini
	case in.Event != "":
		call.Dialect = Claude
	}
	if call.Cwd == "" && len(in.Roots) > 0 {
		call.Cwd = in.Roots[0]
	}
	return in, call, nil
}

// ReadStop reads the event that an agent wants to stop.
func ReadStop(data []byte) (Call, error) {
	in, call, err := read(data)
	switch {
	case in.StopActive != nil:
		call.Again, call.AgainKnown = *in.StopActive, true
	case in.LoopCount != nil:
		call.Again, call.AgainKnown = *in.LoopCount > 0, true
	}
	return call, err
}

// ReadDone reads the event that a tool was called.
func ReadDone(data []byte) (Call, error) {
	_, call, err := read(data)
	return call, err
}

// ReadTool reads the event that a tool is about to be called.
func ReadTool(data []byte) (Call, error) {
	in, call, err := read(data)
	if err != nil {
		return call, err
	}
	args := in.ToolInput
	switch {
	case in.Tool != nil:
		call.Tool = *in.Tool
	case in.ToolName != nil:
		call.Tool, args = *in.ToolName, in.ToolArgs
	case in.Command != nil:
		call.Tool, args = "shell", data
	}
	if call.Tool == "" {
		return call, errors.New("it names no tool: tool_name is missing")
	}
	fields, err := object(args)
	if err != nil {
		return call, fmt.Errorf("the input of %s %w", clip(call.Tool), err)
	}
	return call, call.fill(kindOf(call.Tool), fields)
}

// object reads the arguments of a tool, which some runtimes send as JSON in a
// string.
func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var inner string
	if json.Unmarshal(raw, &inner) == nil {
		raw = json.RawMessage(inner)
	}
	fields := map[string]json.RawMessage{}
	if len(raw) == 0 || string(raw) == "null" {
		return fields, nil
	}
	if json.Unmarshal(raw, &fields) != nil {
		return nil, errors.New("is no object")
	}
	return fields, nil
}

func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "..."
	}
	return s
}
