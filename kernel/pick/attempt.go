package pick

import (
	"encoding/json"
	"fmt"
	"strings"
)

// How an attempt at a unit ended, in its caller's word. None of them takes a
// unit off the list of what is to be done.
const (
	EndShipped = "shipped" // by its word there is nothing to wait for
	EndDrained = "drained" // there was nothing to do
	EndBlocked = "blocked" // something stood in the way
	EndError   = "error"   // it could not be tried in earnest
	EndUnknown = "unknown" // nobody can tell
)

// Ends are all of them.
func Ends() []string { return []string{EndShipped, EndDrained, EndBlocked, EndError, EndUnknown} }

// End reads the word for how an attempt ended, in either case of letters. Any
// other word is unknown.
func End(word string) string {
	switch w := strings.ToLower(strings.TrimSpace(word)); w {
	case EndShipped, EndDrained, EndBlocked, EndError:
		return w
	}
	return EndUnknown
}

// An Attempt is one or more attempts at a unit that ended alike, by the newest.
type Attempt struct {
	AtMS  int64
	End   string // one of Ends
	TS    string // as its record writes the time
	Count int64  // how many, at least 1
}

// attemptFamily and attemptVersion are the schema of records that are read.
const (
	attemptFamily  = "lane-journal"
	attemptVersion = 1
	attemptOp      = "ATTEMPT"
)

// ParseAttempts reads the attempts at a unit out of a list of records, as the
// older tool's journal holds them. Records of other ops, units or families, of
// a later version or without a time are not attempts at it. A time that is no
// whole number is an error that names the record's index.
func ParseAttempts(data []byte, unit string) ([]Attempt, error) {
	if err := checkText(data, MaxPacket); err != nil {
		return nil, fmt.Errorf("the list of attempts %w", err)
	}
	records, err := elements(data)
	if err != nil {
		return nil, fmt.Errorf("the list of attempts %w", err)
	}
	var all []Attempt
	for i, raw := range records {
		if raw[0] != '{' {
			continue
		}
		of, err := members(raw)
		if err != nil {
			return nil, fmt.Errorf("attempts[%d] %w", i, err)
		}
		if !isAttempt(of, unit) {
			continue
		}
		f := fields{of: of}
		at, ok := f.whole("attempted_at_ms")
		if f.err != nil {
			return nil, fmt.Errorf("attempts[%d]: %w", i, f.err)
		}
		if ok {
			all = append(all, Attempt{AtMS: at, End: End(word(of["outcome"])), TS: word(of["ts"]), Count: 1})
		}
	}
	return all, nil
}

// isAttempt reports whether a record is an attempt at the unit that this
// version can read.
func isAttempt(of map[string]json.RawMessage, unit string) bool {
	raw, stated := of["op"]
	op := word(raw)
	if stated && !isNull(raw) && (op == "" && string(raw) != `""` || op != "" && op != attemptOp) {
		return false
	}
	return word(of["unit_id"]) == unit && readable(of["schema"])
}

// readable judges a schema tag: the family first, then the version. What has
// another form is no tag, and its record is read.
func readable(raw json.RawMessage) bool {
	var tag struct{ Family, Version json.RawMessage }
	var family string
	var version int64
	if json.Unmarshal(raw, &tag) != nil || json.Unmarshal(tag.Family, &family) != nil || json.Unmarshal(tag.Version, &version) != nil || version < 1 {
		return true
	}
	return family == attemptFamily && version <= attemptVersion
}

// word is a string, "" for anything else.
func word(raw json.RawMessage) (s string) {
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
