package liveness

import "iter"

// A Key says whose entries count: those on a lane by one holder of it.
type Key struct {
	Loop string // tells the holders of a lane apart
	Lane string
}

// The entries that Fold knows. All others mean nothing to it.
const (
	opAcquire    = "ACQUIRE"
	opRelease    = "RELEASE"
	opHeartbeat  = "HEARTBEAT"
	opAdopt      = "ADOPT"
	opCheckpoint = "CHECKPOINT"
	opCorrupt    = "_CORRUPT" // stands for an entry that could not be read
)

// An Entry is one entry of a journal.
type Entry struct {
	Op string
	Key
	AtMS   *int64 // nil: it has no time that can be read, and does not count
	Leases []Held // those that a CHECKPOINT carries on
}

// Held is a lease in a CHECKPOINT: its key, and when its holder last beat.
type Held struct {
	Key
	BeatMS *int64
}

// Folded is what a journal says of one holder.
type Folded struct {
	Events     int64  `json:"events_since_start"`
	BeatAgeMS  *int64 `json:"newest_heartbeat_age_ms"`
	EventAgeMS *int64 `json:"newest_event_age_ms"`
	SkewedMS   *int64 `json:"skewed_ms"`   // the newest stamp that lies ahead of now
	Corrupt    bool   `json:"saw_corrupt"` // an entry could not be read
}

// aheadMS is how far ahead of now the stamp of an entry may lie.
const aheadMS = 1000

// Fold reads a journal, oldest entry first, for the holder that key names; nil
// names nobody. Taking the lane after the first time and giving it back are
// events, if they happened after the second in which the run started. Taking
// it, beating on it and adopting it are beats, whenever they happened. To be
// scavenged or reconciled is what others do, and neither.
//
// A CHECKPOINT stands for the entries before it: a holder it names has taken
// its lane, and beat when the CHECKPOINT says.
func Fold(entries iter.Seq[Entry], key *Key, startedMS, nowMS int64) Folded {
	f := folding{startedMS: startedMS, nowMS: nowMS}
	for e := range entries {
		switch {
		case e.Op == opCorrupt:
			f.Corrupt = true
		case key == nil || *key == Key{}:
		case e.Op == opCheckpoint:
			f.checkpoint(e.Leases, *key)
		case e.Key == *key && e.AtMS != nil:
			f.entry(e.Op, *e.AtMS)
		}
	}
	return f.Folded
}

type folding struct {
	Folded
	startedMS, nowMS int64
	born             bool // the lane has been taken
}

func (f *folding) checkpoint(leases []Held, key Key) {
	for _, held := range leases {
		if held.Key != key {
			continue
		}
		f.born = true
		if held.BeatMS != nil {
			f.beat(*held.BeatMS)
		}
	}
}

func (f *folding) entry(op string, ms int64) {
	switch op {
	case opAcquire:
		if f.born {
			f.event(ms)
		}
		f.born = true
		f.beat(ms)
	case opRelease:
		f.event(ms)
	case opHeartbeat, opAdopt:
		f.beat(ms)
	}
}

func (f *folding) event(ms int64) {
	switch {
	case ahead(ms, f.nowMS, aheadMS):
		f.SkewedMS = larger(f.SkewedMS, ms)
	case second(ms) > second(f.startedMS):
		f.Events++
		f.EventAgeMS = smaller(f.EventAgeMS, age(ms, f.nowMS))
	}
}

func (f *folding) beat(ms int64) {
	if ahead(ms, f.nowMS, aheadMS) {
		f.SkewedMS = larger(f.SkewedMS, ms)
		return
	}
	f.BeatAgeMS = smaller(f.BeatAgeMS, age(ms, f.nowMS))
}

// second is the second that a time lies in.
func second(ms int64) int64 {
	if ms < 0 {
		return (ms+1)/1000 - 1
	}
	return ms / 1000
}
