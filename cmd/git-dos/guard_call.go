package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/guard"
)

// maxGuardCall bounds the call of a tool: a line that is too long to be judged
// is a verdict, so there is room for more than one.
const maxGuardCall = 1 << 20

// A guardCommand is what of a call says what is run: a line for a shell, or
// words.
type guardCommand struct {
	Command json.RawMessage `json:"command"`
	Argv    []string        `json:"argv"`
	Cmd     json.RawMessage `json:"cmd"`
	Script  *string         `json:"script"`
}

// A guardRequest is a call in one of the shapes that runtimes of agents send.
type guardRequest struct {
	guardCommand
	Input     *guardCommand `json:"input"`
	ToolInput *guardCommand `json:"tool_input"`
	Arguments *guardCommand `json:"arguments"`
}

// guardCall reads a call. A call that says two things, or nothing, is none:
// what runs must be what was judged.
func guardCall(data []byte) (ev guard.Evidence, err error) {
	switch {
	case len(data) > maxGuardCall:
		return ev, fmt.Errorf("more than %d bytes", maxGuardCall)
	case len(bytes.TrimSpace(data)) == 0:
		return ev, errors.New("it is empty")
	case !utf8.Valid(data):
		return ev, errors.New("it is not UTF-8")
	}
	if err := guardKeys(data); err != nil {
		return ev, err
	}
	var req guardRequest
	if err := json.Unmarshal(data, &req); err != nil {
		return ev, fmt.Errorf("it is no call of a tool: %w", err)
	}
	var found []guard.Evidence
	for _, cmd := range []*guardCommand{&req.guardCommand, req.Input, req.ToolInput, req.Arguments} {
		if cmd == nil {
			continue
		}
		more, err := cmd.evidence()
		if err != nil {
			return ev, err
		}
		found = append(found, more...)
	}
	switch len(found) {
	case 0:
		return ev, errors.New("it has no command and no argv")
	case 1:
		return found[0], nil
	}
	return ev, errors.New("it names more than one command, so that it is not clear which one runs")
}

// evidence is what a call tells to run, which is one thing if it is clear.
func (g guardCommand) evidence() (found []guard.Evidence, err error) {
	for _, raw := range []json.RawMessage{g.Command, g.Cmd} {
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		var line string
		var words []string
		switch {
		case json.Unmarshal(raw, &line) == nil:
			found = append(found, guard.Evidence{Command: line})
		case json.Unmarshal(raw, &words) == nil && len(words) > 0:
			found = append(found, guard.Evidence{Argv: words})
		default:
			return nil, errors.New("command is neither text nor a list of words")
		}
	}
	switch {
	case g.Argv != nil && len(g.Argv) == 0:
		return nil, errors.New("argv is empty")
	case g.Argv != nil:
		found = append(found, guard.Evidence{Argv: g.Argv})
	}
	if g.Script != nil {
		found = append(found, guard.Evidence{Command: *g.Script})
	}
	return found, nil
}

// guardKeys refuses an object with a key that stands there twice, in whichever
// case, since readers differ in which of the two they take; and what is no one
// object.
func guardKeys(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	type level struct {
		keys   []string
		object bool
		value  bool // the next token is a value
	}
	var open []level
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("it is no JSON: %w", err)
		}
		if len(open) == 0 && tok != json.Delim('{') {
			return errors.New("it is no one JSON object")
		}
		if len(open) > 0 {
			top := &open[len(open)-1]
			if key, isText := tok.(string); top.object && !top.value && isText {
				if slices.ContainsFunc(top.keys, func(had string) bool { return strings.EqualFold(had, key) }) {
					return fmt.Errorf("the key %q stands in it twice", key)
				}
				top.keys, top.value = append(top.keys, key), true
				continue
			}
			top.value = false
		}
		switch tok {
		case json.Delim('{'):
			open = append(open, level{object: true})
		case json.Delim('['):
			open = append(open, level{})
		case json.Delim('}'), json.Delim(']'):
			if open = open[:len(open)-1]; len(open) > 0 {
				open[len(open)-1].value = false
			}
		}
		if len(open) == 0 && dec.More() {
			return errors.New("it is more than one JSON object")
		}
	}
}
