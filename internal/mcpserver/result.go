package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// result turns what the verb printed into an answer. What is no answer, or is
// too long for one, is an error: half an answer would be taken for a whole one.
func (t Tool) result(ran Ran) *mcp.CallToolResult {
	if e := told(ran.Stderr); e != nil && len(bytes.TrimSpace(ran.Stdout)) == 0 {
		if e.Verb == "" {
			e.Verb = t.Name
		}
		return Answer{ExitStatus: ran.Status, Error: e}.result()
	}
	switch {
	case len(ran.Stdout) > MaxAnswer:
		return fault("usage", t.Name, fmt.Sprintf("the answer has more than %d bytes", MaxAnswer), "ask for less: "+t.takes())
	case ran.Status == noVerdict || ran.Status < 0 || ran.Status > 127:
		return fault("environment", t.Name, fmt.Sprintf("it ended with status %d and said nothing of why", ran.Status), "")
	}
	a := Answer{ExitStatus: ran.Status, Meaning: t.Meanings[ran.Status]}
	values, err := split(ran.Stdout)
	switch {
	case err != nil:
		return fault("environment", t.Name, "it printed what is no JSON", "")
	case t.Lines:
		a.Answers = values
	case len(values) == 1:
		a.Answer = values[0].(json.RawMessage)
	default:
		return fault("environment", t.Name, fmt.Sprintf("it printed %d answers", len(values)), "")
	}
	return a.result()
}

// told is the error that a verb reports with --json; nil where it reports none.
func told(stderr []byte) *Error {
	for line := range bytes.Lines(stderr) {
		var e struct {
			Error *Error `json:"error"`
		}
		if json.Unmarshal(line, &e) == nil && e.Error != nil && e.Error.Kind != "" {
			return e.Error
		}
	}
	return nil
}

// split reads JSON values one after the other.
func split(data []byte) (values []any, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		var v json.RawMessage
		switch err := dec.Decode(&v); {
		case errors.Is(err, io.EOF):
			return values, nil
		case err != nil:
			return nil, err
		}
		values = append(values, v)
	}
}
