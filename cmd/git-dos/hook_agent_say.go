package main

import (
	"bytes"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/agent"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// maxAgentEvent bounds an event. A tool that writes a file has it all in there.
const maxAgentEvent = 16 << 20

// An agentEvent is which event is answered.
type agentEvent int

const (
	agentPre agentEvent = iota
	agentPost
	agentStop
)

// hookAgentCall reads the event from standard input.
func hookAgentCall(c *cli.Context, read func([]byte) (agent.Call, error)) (agent.Call, error) {
	if err := noArguments(c); err != nil {
		return agent.Call{}, err
	}
	data, err := readInput(c, c.App.Reader, maxAgentEvent)
	switch {
	case err != nil:
		return agent.Call{}, environmentf("standard input: %w", err)
	case len(data) > maxAgentEvent:
		return agent.Call{}, usagef("standard input: more than %d bytes", maxAgentEvent)
	case len(bytes.TrimSpace(data)) == 0:
		return agent.Call{}, usagef("standard input is empty").hint("a runtime sends its event there; docs/agent-hooks.md has its keys")
	}
	if err := guardKeys(data); err != nil {
		return agent.Call{}, usagef("standard input: %w", err)
	}
	call, err := read(data)
	if err != nil {
		return call, usagef("standard input: %w", err).hint("docs/agent-hooks.md has the keys of an event")
	}
	return call, nil
}

// Answers in the words of the runtimes that read standard output.
type (
	agentContext struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	agentTold struct {
		Specific agentContext `json:"hookSpecificOutput"`
	}
	agentCursor struct {
		Permission string `json:"permission,omitempty"`
		Agent      string `json:"agent_message,omitempty"`
		Context    string `json:"additional_context,omitempty"`
		Followup   string `json:"followup_message,omitempty"`
	}
	agentCopilot struct {
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	}
)

// hookAgentAnswer tells the runtime. A yes is never said in words, which would
// take the place of the rules that the user has for the tool.
func hookAgentAnswer(c *cli.Context, call agent.Call, event agentEvent, v agent.Verdict) error {
	said, status := hookAgentWords(call.Dialect, event, v)
	if c.Bool("json") {
		said = v
		status = verdict.Yes
		if v.Outcome == agent.Deny {
			status = verdict.NoVerdict
		}
	}
	if status != verdict.Yes && !c.Bool("json") {
		io.WriteString(c.App.ErrWriter, printable(v.String(), true)+"\n")
	}
	if said != nil {
		var out bytes.Buffer
		if err := writeJSON(&out, said); err != nil {
			return err
		}
		if err := writeOut(c.App.Writer, out.Bytes()); err != nil {
			return err
		}
	}
	if status != verdict.Yes {
		return answered(status)
	}
	return nil
}

// hookAgentWords are an answer as a dialect has it, and its status.
func hookAgentWords(d agent.Dialect, event agentEvent, v agent.Verdict) (said any, status int) {
	if v.Outcome == agent.Allow {
		return nil, verdict.Yes
	}
	text := printable(v.String(), true)
	switch {
	case v.Outcome == agent.Tell && d == agent.Cursor:
		return agentCursor{Context: text}, verdict.Yes
	case v.Outcome == agent.Tell && d == agent.Gemini:
		return agentTold{agentContext{"AfterTool", text}}, verdict.Yes
	case v.Outcome == agent.Tell:
		return agentTold{agentContext{"PostToolUse", text}}, verdict.Yes
	case d == agent.Cursor && event == agentStop:
		return agentCursor{Followup: text}, verdict.Yes
	case d == agent.Cursor:
		return agentCursor{Permission: "deny", Agent: text}, verdict.NoVerdict
	case d == agent.Copilot && event == agentPre:
		return agentCopilot{"deny", text}, verdict.Yes
	}
	return nil, verdict.NoVerdict
}
