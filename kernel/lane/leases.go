package lane

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds on the leases that a caller may hand over.
const (
	maxLeaseBytes = 1 << 20
	maxLeaseRows  = 10_000
)

// unreadableState is the state of a row whose record could not be read.
const unreadableState State = "unreadable"

// ParseLeases reads the leases a caller knows of: a JSON array of objects with
// the keys lane, lane_kind, tree, state and holder, which is text or an object
// with the keys node, owner and worker. Other keys are not looked at; what
// lease live prints is legal. A row of state free is left out, and one without
// a state is held. A row of state unreadable may do without a lane; its reason
// says why it could not be read, and with admitted false it is in the way of its
// name alone.
//
// Anything else is an error, and so is text beyond 1 MiB or 10,000 rows. What
// a tree holds is not judged here: one that cannot be read names every file.
func ParseLeases(data []byte) ([]Lease, error) {
	switch {
	case len(data) > maxLeaseBytes:
		return nil, fmt.Errorf("leases take %d bytes, more than %d", len(data), maxLeaseBytes)
	case !utf8.Valid(data):
		return nil, errors.New("leases are not valid UTF-8")
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(data, &rows); err != nil {
		return nil, fmt.Errorf("leases are not a JSON array: %w", err)
	}
	switch {
	case rows == nil:
		return nil, errors.New("leases are not a JSON array: null")
	case len(rows) > maxLeaseRows:
		return nil, fmt.Errorf("leases have %d rows, more than %d", len(rows), maxLeaseRows)
	}
	leases := make([]Lease, 0, len(rows))
	for i, row := range rows {
		l, err := parseLease(row)
		if err != nil {
			return nil, fmt.Errorf("lease %d: %w", i+1, err)
		}
		if l.State != Free {
			leases = append(leases, l)
		}
	}
	return leases, nil
}

func parseLease(row json.RawMessage) (l Lease, err error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(row, &keys); err != nil || keys == nil {
		return l, errors.New("not a JSON object")
	}
	state := string(Held)
	for _, key := range []struct {
		name string
		into *string
	}{{"lane", &l.Lane}, {"lane_kind", &l.Kind}, {"state", &state}} {
		if err := parseText(keys[key.name], key.into); err != nil {
			return l, fmt.Errorf("%s is not text", key.name)
		}
	}
	if l.Tree, err = parseTree(keys["tree"]); err != nil {
		return l, err
	}
	if l.Holder, err = parseHolder(keys["holder"]); err != nil {
		return l, err
	}
	l.State = State(state)
	switch {
	case l.State == unreadableState:
		l.State = Held
		return unreadableLease(l, keys), nil
	case l.State != Free && l.Lane == "":
		return l, errors.New("no lane")
	}
	return l, nil
}

// unreadableLease adds the words there are for a record that cannot be read,
// whatever they are, and the slot it stands on where its lane is not known.
func unreadableLease(l Lease, keys map[string]json.RawMessage) Lease {
	var slot string
	admitted := true
	_ = json.Unmarshal(keys["reason"], &l.Unreadable)
	_ = json.Unmarshal(keys["slot"], &slot)
	_ = json.Unmarshal(keys["admitted"], &admitted)
	l.NameOnly = !admitted
	if l.Unreadable == "" {
		l.Unreadable = "it could not be when these leases were listed"
	}
	if l.Lane == "" && IsSlot(slot) {
		l.Lane = slot
	}
	return l
}

// parseText reads text; null is as good as a missing key.
func parseText(raw json.RawMessage, into *string) error {
	if missing(raw) {
		return nil
	}
	return json.Unmarshal(raw, into)
}

func parseTree(raw json.RawMessage) ([]string, error) {
	if missing(raw) {
		return nil, nil
	}
	var entries []*string
	if err := json.Unmarshal(raw, &entries); err != nil || slices.Contains(entries, nil) {
		return nil, errors.New("tree is not a list of text")
	}
	tree := make([]string, len(entries))
	for i, e := range entries {
		tree[i] = *e
	}
	return tree, nil
}

// parseHolder reads a holder of either form, as one text.
func parseHolder(raw json.RawMessage) (string, error) {
	var name string
	if parseText(raw, &name) == nil {
		return name, nil
	}
	var parts struct{ Node, Owner, Worker string }
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", errors.New("holder is neither text nor an object of text")
	}
	owner := cmp.Or(parts.Owner, parts.Worker, "an unnamed holder")
	if parts.Node == "" || strings.HasSuffix(owner, "@"+parts.Node) {
		return owner, nil
	}
	return owner + " on " + parts.Node, nil
}

func missing(raw json.RawMessage) bool {
	return len(raw) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}
