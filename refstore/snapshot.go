package refstore

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Tip is where one ref stands. A ref that does not exist has the zero ID and
// a nil Err; one that exists and cannot be used has an Err and must never be
// taken for absent.
type Tip struct {
	Ref    string
	ID     OID
	Parent OID
	Entry  Entry // zero for refs outside refs/dos and for unreadable ones
	Err    error
}

// A Snapshot is what one read of an authority saw. Names are local names, on
// whichever authority they were read.
type Snapshot struct {
	tips map[string]Tip
	AsOf time.Time // when the read began, by this machine's clock
}

// Tip returns the state of ref as read; the zero ID when it did not exist.
func (s Snapshot) Tip(ref string) Tip {
	if t, ok := s.tips[ref]; ok {
		return t
	}
	return Tip{Ref: ref}
}

// List returns the tips below refs/dos/<kind>/, by name.
func (s Snapshot) List(kind string) []Tip {
	prefix := Ref(kind, "")
	var out []Tip
	for _, t := range s.tips {
		if strings.HasPrefix(t.Ref, prefix) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b Tip) int { return cmp.Compare(a.Ref, b.Ref) })
	return out
}

// Broken returns the unreadable tips, by name.
func (s Snapshot) Broken() []Tip {
	var out []Tip
	for _, ref := range slices.Sorted(maps.Keys(s.tips)) {
		if s.tips[ref].Err != nil {
			out = append(out, s.tips[ref])
		}
	}
	return out
}

func newSnapshot(at time.Time, tips []Tip) Snapshot {
	s := Snapshot{tips: make(map[string]Tip, len(tips)), AsOf: at}
	for _, t := range tips {
		s.tips[t.Ref] = t
	}
	return s
}
