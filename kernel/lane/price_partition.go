package lane

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// MaxPartition bounds the bytes of a partition.
const MaxPartition = 1 << 20

// ParsePartition reads the workers of a partition: {"agents": [...]} or the
// bare array. Of a worker it reads name, lane, lease_id, mode (strings) and
// tree (an array of strings); null is as good as absent, and other keys are
// nobody's business. An error says where in the JSON.
func ParsePartition(data []byte) ([]PriceWorker, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	switch {
	case len(data) > MaxPartition:
		return nil, fmt.Errorf("has more than %d bytes", MaxPartition)
	case !utf8.Valid(data):
		return nil, errors.New("is not valid UTF-8")
	case len(bytes.TrimSpace(data)) == 0:
		return nil, errors.New("is empty: an empty partition is []")
	}
	if err := partitionSyntax(data); err != nil {
		return nil, err
	}
	where, list := "the partition", json.RawMessage(data)
	if partitionKind(data) == "an object" {
		var top map[string]json.RawMessage
		if err := json.Unmarshal(data, &top); err != nil {
			return nil, err
		}
		var ok bool
		if list, ok = top["agents"]; !ok {
			return nil, errors.New(`has no key "agents": want {"agents": [...]} or an array`)
		}
		where = "agents"
	}
	var items []json.RawMessage
	if err := partitionValue(list, "an array", where, &items); err != nil {
		return nil, err
	}
	if len(items) > MaxPriceWorkers {
		return nil, fmt.Errorf("has %d workers, more than %d: price it in parts", len(items), MaxPriceWorkers)
	}
	if where != "agents" {
		where = ""
	}
	workers := make([]PriceWorker, len(items))
	for i, item := range items {
		if err := workers[i].parse(item, fmt.Sprintf("%s[%d]", where, i)); err != nil {
			return nil, err
		}
	}
	return workers, nil
}

// parse reads one worker; where is its place in the JSON.
func (w *PriceWorker) parse(item json.RawMessage, where string) error {
	var fields map[string]json.RawMessage
	if err := partitionValue(item, "an object", where, &fields); err != nil {
		return err
	}
	for _, f := range []struct {
		key string
		to  *string
	}{{"name", &w.Name}, {"lane", &w.Lane}, {"lease_id", &w.LeaseID}, {"mode", &w.Mode}} {
		if raw, given := partitionField(fields, f.key); given {
			if err := partitionValue(raw, "a string", where+"."+f.key, f.to); err != nil {
				return err
			}
		}
	}
	raw, ok := partitionField(fields, "tree")
	if !ok {
		return nil
	}
	var entries []json.RawMessage
	if err := partitionValue(raw, "an array", where+".tree", &entries); err != nil {
		return err
	}
	w.Tree = make([]string, len(entries))
	for i, e := range entries {
		if err := partitionValue(e, "a string", fmt.Sprintf("%s.tree[%d]", where, i), &w.Tree[i]); err != nil {
			return err
		}
	}
	return nil
}

func partitionField(fields map[string]json.RawMessage, key string) (json.RawMessage, bool) {
	raw, ok := fields[key]
	return raw, ok && partitionKind(raw) != "null"
}

// partitionValue decodes a value that must be of a kind.
func partitionValue(raw json.RawMessage, want, where string, to any) error {
	if got := partitionKind(raw); got != want {
		return fmt.Errorf("%s is %s, want %s", where, got, want)
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// partitionKind names what a well-formed value is.
func partitionKind(raw json.RawMessage) string {
	switch raw = bytes.TrimSpace(raw); raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// partitionSyntax reports the first byte that is not JSON by line and column.
func partitionSyntax(data []byte) error {
	var syntax *json.SyntaxError
	err := json.Unmarshal(data, new(json.RawMessage))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF), !errors.As(err, &syntax):
		return fmt.Errorf("is not JSON: %w", err)
	}
	before := data[:min(max(0, int(syntax.Offset)-1), len(data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("is not JSON, at line %d column %d: %w", line, column, err)
}
