package liveness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// maxEvidence bounds the JSON that Decode reads.
const maxEvidence = 64 << 10

// Decode reads evidence and policy from JSON, with the policy's defaults for
// the numbers it does not state. The names are those of Evidence. Numbers are
// whole, only what may be unknown may be null, and a field that nobody reads is
// an error: each names the field.
func Decode(evidence, policy []byte) (Evidence, error) {
	ev := Evidence{Policy: DefaultPolicy()}
	err := decodeObject(evidence, map[string]field{
		"run_started_ms":        {into: &ev.StartedMS, required: true},
		"now_ms":                {into: &ev.NowMS, required: true},
		"commits_since_start":   {into: &ev.Commits, required: true},
		"journal_events_since":  {into: &ev.Events},
		"last_heartbeat_age_ms": {into: &ev.BeatAgeMS, null: true},
		"tokens_spent_since":    {into: &ev.Tokens},
		"process_alive":         {into: &ev.ProcessAlive, null: true},
		"last_progress_age_ms":  {into: &ev.ProgressAgeMS, null: true},
		"skewed_ms":             {into: &ev.SkewedMS, null: true},
		"workspace":             {into: &ev.Workspace, null: true},
		"finished":              {into: &ev.Finished},
		"holding":               {into: &ev.Holding},
	})
	if err == nil && policy != nil {
		err = decodeObject(policy, map[string]field{
			"grace_ms":           {into: &ev.Policy.GraceMS},
			"spin_ms":            {into: &ev.Policy.SpinMS},
			"progress_window_ms": {into: &ev.Policy.ProgressWindowMS},
		})
	}
	if err == nil {
		err = ev.check()
	}
	if err != nil {
		return Evidence{}, err
	}
	return ev, nil
}

// A field is where a value goes.
type field struct {
	into     any
	null     bool // null says that it is not known
	required bool
}

// decodeObject reads one value after the other, so that each error can name
// the field it is about.
func decodeObject(data []byte, fields map[string]field) error {
	if len(data) > maxEvidence {
		return fmt.Errorf("evidence is longer than %d bytes", maxEvidence)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return errors.New("evidence is not a JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return fmt.Errorf("evidence is not JSON: %w", err)
		}
		name, _ := key.(string)
		f, ok := fields[name]
		switch {
		case !ok:
			return fmt.Errorf("evidence has a field %.80q, which nothing reads", name)
		case seen[name]:
			return fmt.Errorf("%s is stated twice", name)
		}
		seen[name] = true
		if err := f.read(d); err != nil {
			return fmt.Errorf("%s %w", name, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("evidence is not JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("evidence is more than one JSON object")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if fields[name].required && !seen[name] {
			return fmt.Errorf("%s is missing", name)
		}
	}
	return nil
}

func (f field) read(d *json.Decoder) error {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return fmt.Errorf("has no JSON value: %w", err)
	}
	if string(raw) == "null" && !f.null {
		return errors.New("is null")
	}
	if err := json.Unmarshal(raw, f.into); err != nil {
		return fmt.Errorf("is %.80q, which is %s", raw, unfit(f.into))
	}
	return nil
}

func unfit(into any) string {
	switch into.(type) {
	case *bool, **bool:
		return "neither true nor false"
	}
	return "not a whole number that fits"
}
