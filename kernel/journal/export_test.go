package journal

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// The two ways to read a checkpoint.
var (
	RestoreWritten = restoreWritten
	RestoreAny     = restoreAny
)

// HeadWritten reads the head of a checkpoint that keeps its state in parts in the
// one way, HeadAny in the other; restored is what the state is made of.
func HeadWritten(payload string) (restored any, ok bool) {
	doc, ok := readHead(payload)
	return doc, ok
}

func HeadAny(payload []byte) (restored any, err error) {
	if about, err := look(payload, checkpointKeys()); err != nil || about.V != SplitVersion || about.Op != OpCheckpoint {
		return nil, fmt.Errorf("it is no head: %v, %+v", err, about)
	}
	var doc headDoc
	err = json.Unmarshal(payload, &doc)
	return doc, err
}

// SplitSmall is Split of a state of any size into parts that are small.
func (s *State) SplitSmall(at time.Time, to int) ([]byte, []Part, error) {
	return s.splitTo(at, cuts{0, to, 4 * to})
}

// MaxLater bounds the rows that a state keeps until its parts are read.
const MaxLater = maxLater

// Differ tells in what two states differ once all of both is decoded, "" if in
// nothing.
func Differ(a, b *State) string {
	for _, s := range []*State{a, b} {
		for _, t := range s.tables {
			t.open()
			t.written = nil
			for _, slot := range t.slots { // none and an empty list are one
				slot.Stamps, slot.Seen = append([]Stamp(nil), slot.Stamps...), append([]Witness(nil), slot.Seen...)
			}
		}
		for id, u := range s.runs.byID {
			u.load(id, s.node, s.seq)
		}
	}
	for name, t := range a.tables {
		if o := b.tables[name]; o == nil || !reflect.DeepEqual(t, o) {
			return fmt.Sprintf("table %s: %+v\n%+v", name, t, o)
		}
	}
	for id, u := range a.runs.byID {
		if o := b.runs.byID[id]; o == nil || !reflect.DeepEqual(u, o) {
			return fmt.Sprintf("run %s: %+v\n%+v", id, u, o)
		}
	}
	if !reflect.DeepEqual(a, b) {
		return fmt.Sprintf("%+v\n%+v", a, b)
	}
	return ""
}
