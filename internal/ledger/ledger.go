// Package ledger keeps what a node did and when it last beat.
//
// Each node has two refs of its own. refs/dos/journal/<node> is its ledger: a
// chain of rows that are only ever added, with a CHECKPOINT now and then that
// holds what its writer folded and, packed, every row before it.
// refs/dos/node/<node> is what the node says of itself: one record with the
// newest beat of every name, which processes of the node change in turn.
//
// But for the state that a checkpoint writes down, the package does not know
// what rows mean. It numbers them, finds the newer of what is here and what a
// remote was last seen to have, and reads one node after another. A node that
// cannot be read in full is named, together with the last entry that still can
// be; it never reads as a node without rows, and it keeps no other node from
// being read. Rows and records of a newer version are refused.
//
// No memory grows with a ledger: a reader of the present stops at the last
// checkpoint, and one of the past has one segment at a time.
package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// Version is the version of the rows and records this package reads and
// writes. A checkpoint whose state has parts is of [journal.SplitVersion].
const Version = 1

// MaxRow bounds one row, as it is written.
const MaxRow = 1 << 20

// Kinds of the two refs of a node.
const (
	journalKind = "journal"
	nodeKind    = "node"
)

// ErrVersion means that a newer git-dos wrote it. What it says is not guessed.
var ErrVersion = errors.New("written by a newer git-dos")

// ErrRow is wrapped by the refusal of a row that was to be written.
var ErrRow = errors.New("bad row")

// A Row is what a caller adds to a ledger: one JSON object with an op and a
// time, {"op":"HALT","at":"2026-01-02T12:00:00Z",...}. Its v and seq are set
// by the ledger.
type Row interface{ Encode() []byte }

// JSON is a row that is encoded already.
type JSON []byte

// Encode implements Row.
func (j JSON) Encode() []byte { return j }

// An Entry is one row of a node's ledger as it was read, or its CHECKPOINT.
type Entry struct {
	Node    string
	Seq     uint64 // place in the ledger, from 1; that of the row below for a CHECKPOINT
	Op      string
	At      time.Time // by the writer's clock, whole seconds
	ID      refstore.OID
	Payload []byte // the row: one line of JSON
}

// A head is what every row and every checkpoint begins with.
type head struct {
	V   *uint64 `json:"v"`
	Seq *uint64 `json:"seq"`
	Op  string  `json:"op"`
}

// entryOf reads the head of what a tip holds.
func entryOf(tip refstore.Tip) (Entry, error) {
	h, end, ok := headOf(tip.Entry.Payload)
	if ok && onlyHead(tip.Entry.Payload[end:]) {
		return entryBy(h, tip)
	}
	return entryIn(tip)
}

// glance is entryOf for a reader who takes a checkpoint up afterwards: what
// stands twice in one is found by whoever restores it.
func glance(tip refstore.Tip) (Entry, error) {
	if h, _, ok := headOf(tip.Entry.Payload); ok && tip.Entry.Op == refstore.OpCheckpoint {
		return entryBy(h, tip)
	}
	return entryOf(tip)
}

// entryIn decodes the head of what a tip holds, whatever form it has.
func entryIn(tip refstore.Tip) (Entry, error) {
	var h head
	if err := json.Unmarshal(tip.Entry.Payload, &h); err != nil {
		if _, err := nodeOf(tip); err != nil {
			return Entry{}, err
		}
		return Entry{}, fmt.Errorf("%w: %s at %s holds no row: %w", refstore.ErrBroken, tip.Ref, tip.ID, err)
	}
	return entryBy(h, tip)
}

// nodeOf is whose ledger a tip is of.
func nodeOf(tip refstore.Tip) (string, error) {
	name, ok := refstore.SplitRef(tip.Ref)
	if !ok || name.Kind != journalKind {
		return "", fmt.Errorf("%w: %s is no ledger", refstore.ErrBroken, tip.Ref)
	}
	return name.Leaf, nil
}

// entryBy is the entry of a tip whose head was read.
func entryBy(h head, tip refstore.Tip) (Entry, error) {
	node, err := nodeOf(tip)
	if err != nil {
		return Entry{}, err
	}
	checkpoint := tip.Entry.Op == refstore.OpCheckpoint // its payload may be a row that it carries on
	latest := uint64(Version)
	if checkpoint {
		latest = journal.SplitVersion
	}
	switch {
	case h.V == nil || *h.V == 0:
		return Entry{}, fmt.Errorf("%w: %s at %s has no version", refstore.ErrBroken, tip.Ref, tip.ID)
	case *h.V > latest:
		return Entry{}, fmt.Errorf("%w: %s at %s has version %d, this one knows %d", ErrVersion, tip.Ref, tip.ID, *h.V, latest)
	case h.Seq == nil || *h.Seq == 0:
		return Entry{}, fmt.Errorf("%w: %s at %s has no seq", refstore.ErrBroken, tip.Ref, tip.ID)
	case h.Op != tip.Entry.Op && !checkpoint:
		return Entry{}, fmt.Errorf("%w: %s at %s is a %s and says %.40q", refstore.ErrBroken, tip.Ref, tip.ID, tip.Entry.Op, h.Op)
	}
	return Entry{Node: node, Seq: *h.Seq, Op: tip.Entry.Op, At: tip.Entry.At, ID: tip.ID, Payload: tip.Entry.Payload}, nil
}

// rowObject checks a row that is to be written and returns it without a seq.
func rowObject(row Row) (o Object, op string, at time.Time, err error) {
	b := row.Encode()
	if len(b) > MaxRow {
		return o, "", at, fmt.Errorf("%w: %d bytes, at most %d", ErrRow, len(b), MaxRow)
	}
	if o, err = ParseObject(b); err != nil {
		return o, "", at, fmt.Errorf("%w: %w", ErrRow, err)
	}
	var h struct {
		head
		At *time.Time `json:"at"`
	}
	if err = json.Unmarshal(b, &h); err != nil {
		return o, "", at, fmt.Errorf("%w: %w", ErrRow, err)
	}
	for _, f := range o.fields { // which the decoder takes for the key itself
		if low := strings.ToLower(f.key); low != f.key && (low == "v" || low == "op" || low == "at" || low == "seq") {
			return o, "", at, fmt.Errorf("%w: key %.40q", ErrRow, f.key)
		}
	}
	switch {
	case !validOp(h.Op):
		err = fmt.Errorf("%w: op %.40q, want capital letters and underscores", ErrRow, h.Op)
	case h.Op == refstore.OpCheckpoint:
		err = fmt.Errorf("%w: a %s is made by compaction only", ErrRow, h.Op)
	case h.At == nil || h.At.IsZero():
		err = fmt.Errorf("%w: %s without a time (at)", ErrRow, h.Op)
	case h.V != nil && *h.V != Version:
		err = fmt.Errorf("%w: %s of version %d, this one writes %d", ErrRow, h.Op, *h.V, Version)
	}
	if err != nil {
		return o, "", at, err
	}
	o.setFirst("v", Version)
	return o, h.Op, h.At.UTC().Truncate(time.Second), nil
}

func validOp(s string) bool {
	return s != "" && len(s) <= 40 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// refOf is a ref of a node.
func refOf(kind, node string) (string, error) {
	if !refstore.ValidLeaf(node) {
		return "", fmt.Errorf("node id %.120q: use lower-case letters, digits, dot, dash and underscore, at most 100", node)
	}
	return refstore.Ref(kind, node), nil
}

// encode is JSON the way entries hold it.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
