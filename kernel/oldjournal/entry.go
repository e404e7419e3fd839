// Package oldjournal reads the lane journal of the older tool, for those who
// come from it: its rows, the leases that live by them, their generations, and
// whether such a lease is dead, healthy or moving by that tool's rules.
//
// The journal is a file with one JSON object per line. A lease is named by the
// time its loop began and its lane; it is the object that its holder wrote, and
// fields nobody here knows are carried along. Rows that do not parse are not
// passed over: they, and rows that should have changed a lease and do not say
// how, are counted as doubts, and an importer that has any must not take the
// leases for all there are.
package oldjournal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// The ops that change leases, and the mark of a line that did not parse.
const (
	opAcquire    = "ACQUIRE"
	opReconcile  = "RECONCILE"
	opRelease    = "RELEASE"
	opScavenge   = "SCAVENGE"
	opHeartbeat  = "HEARTBEAT"
	opAdopt      = "ADOPT"
	opCheckpoint = "CHECKPOINT"
	opCorrupt    = "_CORRUPT"
)

// Bounds of a journal that is read.
const (
	MaxText   = 64 << 20 // of the file
	maxLine   = 1 << 20  // of a row
	maxLeases = 10000    // live at once
)

// ErrTooLarge means that a journal is larger than what is read of one.
var ErrTooLarge = errors.New("journal is too large to read")

// An Entry is one row: an object, its values undecoded.
type Entry map[string]json.RawMessage

// A Lease is the object a holder wrote into its row.
type Lease map[string]json.RawMessage

// Parse splits a journal into its rows and counts those that did not parse,
// each of which stays in place as a row that says so. A last line that does not
// parse was torn by a crash and is dropped; a line that is JSON and no object
// is nobody's row.
func Parse(text []byte) (entries []Entry, corrupt int, err error) {
	if len(text) > MaxText {
		return nil, 0, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(text), MaxText)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	for i, line := range lines {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		switch e, ok := parseLine(line); {
		case ok && e != nil:
			entries = append(entries, e)
		case !ok && i < len(lines)-1:
			entries = append(entries, Entry{"op": json.RawMessage(`"` + opCorrupt + `"`)})
			corrupt++
		}
	}
	return entries, corrupt, nil
}

// parseLine reports whether a line is JSON, and returns it if it is an object.
func parseLine(line []byte) (Entry, bool) {
	if len(line) > maxLine || !json.Valid(line) {
		return nil, false
	}
	var e Entry
	if line[0] != '{' || json.Unmarshal(line, &e) != nil {
		return nil, true
	}
	return e, true
}

// text is a string field; what is no string is none.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// number is an integer field.
func number(raw json.RawMessage) (int64, bool) {
	var n *int64
	if json.Unmarshal(raw, &n) != nil || n == nil {
		return 0, false
	}
	return *n, true
}

// given reports whether a field is there and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func (e Entry) op() string { return text(e["op"]) }

// A key names a lease.
type key struct{ loop, lane string }

func keyOf(fields map[string]json.RawMessage) key {
	return key{strings.TrimSpace(text(fields["loop_ts"])), strings.TrimSpace(text(fields["lane"]))}
}

func (k key) blank() bool { return k == key{} }
