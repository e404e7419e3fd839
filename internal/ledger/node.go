package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// OpBeat is the op of an entry that records a beat.
const OpBeat = "BEAT"

// OpEnd is the op of an entry that records that what beat was stopped.
const OpEnd = "BEAT_END"

const endsKey = "beat_ends"

// Bounds of a node's record.
const (
	maxBeats  = 1000
	maxName   = 100
	maxRecord = 1 << 20
)

// beatSkew is how far ahead of a new beat the recorded one may be and still
// count as newer. One further ahead was stamped by a clock that was wrong.
const beatSkew = 60 * time.Second

// ErrRecord is wrapped by every failure to read a node's record.
var ErrRecord = errors.New("unreadable record of a node")

// A Beat is the newest sign that something of this name has run.
type Beat struct {
	At    time.Time `json:"at"` // to the millisecond
	RunID string    `json:"run_id,omitempty"`
	Host  string    `json:"host,omitempty"`

	IntervalMS int64 `json:"interval_ms,omitempty"` // at which it comes round, 0 when it did not say
}

// RecordBeat puts a beat into the record of a node in this repository. Of
// several beats of one name the newest is kept: when that is another one
// already, nothing is written and wrote is false.
func RecordBeat(ctx context.Context, repo *refstore.Repo, node, name string, b Beat) (wrote bool, err error) {
	if !ValidBeat(name) {
		return false, fmt.Errorf("beat %.120q: use lower-case letters, digits and dash, at most %d", name, maxName)
	}
	if b.At.IsZero() {
		return false, fmt.Errorf("beat %s: no time", name)
	}
	b.At = b.At.UTC().Truncate(time.Millisecond)
	value, err := encode(b)
	if err != nil {
		return false, err
	}
	return EditNode(ctx, repo, node, OpBeat, b.At, func(record *Object) error {
		all, err := beatsOf(*record)
		if err != nil {
			return err
		}
		if had, ok := all[name]; ok {
			if ahead := had.At.Sub(b.At); ahead >= 0 && ahead <= beatSkew {
				return errUnchanged
			}
		} else if len(all) >= maxBeats {
			return fmt.Errorf("beat %s: node %s has %d names already", name, node, maxBeats)
		}
		return setIn(record, "beats", name, value)
	})
}

// RecordEnd puts into the record of a node in this repository that whatever beats under
// a name was stopped, so that it is missed only once it has beaten again.
func RecordEnd(ctx context.Context, repo *refstore.Repo, node, name string, at time.Time) error {
	if !ValidBeat(name) {
		return fmt.Errorf("beat %.120q: use lower-case letters, digits and dash, at most %d", name, maxName)
	}
	value, err := encode(at.UTC().Truncate(time.Millisecond))
	if err != nil {
		return err
	}
	_, err = EditNode(ctx, repo, node, OpEnd, at, func(record *Object) error { return setIn(record, endsKey, name, value) })
	return err
}

// endsOf is when names were stopped.
func endsOf(record Object) (map[string]time.Time, error) {
	in, err := objectIn(record, endsKey)
	if err != nil {
		return nil, err
	}
	all := map[string]time.Time{}
	for _, f := range in.fields {
		var at time.Time
		if err := json.Unmarshal(f.value, &at); err != nil || at.IsZero() || !ValidBeat(f.key) {
			return nil, fmt.Errorf("%w: end %.60s of beat %.40q", ErrRecord, f.value, f.key)
		}
		all[f.key] = at
	}
	return all, nil
}

// setIn sets a field of the object that a field holds.
func setIn(o *Object, key, inner string, value json.RawMessage) error {
	in, err := objectIn(*o, key)
	if err != nil {
		return err
	}
	in.Set(inner, value)
	b, err := in.Encode()
	o.Set(key, b)
	return err
}

// ValidBeat reports whether name may be that of a beat.
func ValidBeat(name string) bool {
	return name != "" && len(name) <= maxName && name[0] != '-' && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func parseBeat(raw json.RawMessage) (b Beat, err error) {
	if err = json.Unmarshal(raw, &b); err == nil && b.At.IsZero() {
		err = errors.New("no time")
	}
	return b, err
}

// errUnchanged ends an edit that has nothing to change.
var errUnchanged = errors.New("unchanged")

// EditNode changes the record of a node in this repository and adds it to the
// node's chain with the given op. edit gets the record as it stands, with v,
// node and at; the fields it does not set stay as they are, byte for byte. It
// may run several times. Nothing is written when it changes nothing.
func EditNode(ctx context.Context, repo *refstore.Repo, node, op string, at time.Time, edit func(*Object) error) (wrote bool, err error) {
	target, err := refOf(nodeKind, node)
	if err != nil {
		return false, err
	}
	u, err := repo.Update(ctx, repo.Local(), refstore.Query{Kinds: []string{nodeKind}}, func(s refstore.Snapshot) ([]refstore.Write, error) {
		payload, err := edited(s.Tip(target), node, at, edit)
		if err != nil || payload == nil {
			return nil, err
		}
		return []refstore.Write{{Ref: target, Entry: refstore.Entry{Op: op, Payload: payload, At: at.UTC().Truncate(time.Second)}}}, nil
	})
	if err != nil {
		return false, fmt.Errorf("write %s: %w", target, err)
	}
	return len(u.Wrote) > 0, nil
}

// edited is the record of a node after an edit, nil when that changed nothing.
func edited(tip refstore.Tip, node string, at time.Time, edit func(*Object) error) ([]byte, error) {
	record, err := recordOf(tip, node)
	if err != nil {
		return nil, err
	}
	was, err := record.Encode()
	if err != nil {
		return nil, err
	}
	err = edit(&record)
	if errors.Is(err, errUnchanged) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	is, err := record.Encode()
	if err != nil || bytes.Equal(is, was) {
		return nil, err
	}
	stamp, err := encode(at.UTC().Truncate(time.Millisecond))
	if err != nil {
		return nil, err
	}
	record.Set("at", stamp)
	if is, err = record.Encode(); err == nil && len(is) > maxRecord {
		err = fmt.Errorf("record of node %s: %d bytes, at most %d", node, len(is), maxRecord)
	}
	return is, err
}

// recordOf reads a node's record; a new one where there is none yet.
func recordOf(tip refstore.Tip, node string) (Object, error) {
	if tip.Err != nil {
		return Object{}, tip.Err
	}
	if tip.ID == "" {
		id, err := encode(node)
		return Object{[]field{{"v", json.RawMessage("1")}, {"node", id}, {"at", json.RawMessage("null")}}}, err
	}
	if len(tip.Entry.Payload) > maxRecord {
		return Object{}, fmt.Errorf("%w: %s: %d bytes, at most %d", ErrRecord, tip.Ref, len(tip.Entry.Payload), maxRecord)
	}
	o, err := ParseObject(tip.Entry.Payload)
	if err != nil {
		return o, fmt.Errorf("%w: %s at %s: %w", ErrRecord, tip.Ref, tip.ID, err)
	}
	var v uint64
	var who string
	for key, to := range map[string]any{"v": &v, "node": &who} {
		raw, _ := o.Get(key)
		if err := json.Unmarshal(raw, to); err != nil {
			return o, fmt.Errorf("%w: %s at %s: %s: %w", ErrRecord, tip.Ref, tip.ID, key, err)
		}
	}
	switch {
	case v > Version:
		return o, fmt.Errorf("%w: %s at %s has version %d, this one knows %d", ErrVersion, tip.Ref, tip.ID, v, Version)
	case v == 0 || who != node:
		return o, fmt.Errorf("%w: %s at %s is version %d of node %.40q", ErrRecord, tip.Ref, tip.ID, v, who)
	}
	return o, nil
}

// objectIn is a field that holds an object, an empty one where it is absent.
func objectIn(o Object, key string) (Object, error) {
	raw, ok := o.Get(key)
	if !ok || string(raw) == "null" {
		return Object{}, nil
	}
	in, err := ParseObject(raw)
	if err != nil {
		return in, fmt.Errorf("%w: %s: %w", ErrRecord, key, err)
	}
	return in, nil
}
