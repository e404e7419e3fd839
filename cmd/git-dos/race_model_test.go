package main

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// A raceLane is a lane that the racers ask for. Its region is made of cells, so
// that the model tells overlap without comparing patterns.
type raceLane struct {
	tree      []string // to be asked for with; none for a declared lane
	cells     uint
	exclusive bool
}

const (
	cellAPIX = 1 << iota
	cellAPIY
	cellWeb
	cellDocsA
	cellDocsB
	cellLib
	cellElse
	cellOps
	cellTools
)

var raceLanes = map[string]raceLane{
	"api":   {cells: cellAPIX | cellAPIY},
	"web":   {cells: cellWeb},
	"docs":  {cells: cellDocsA | cellDocsB},
	"all":   {cells: 1<<9 - 1, exclusive: true},
	"ops":   {cells: cellOps},
	"tools": {cells: cellTools},
	"fix-x": {tree: []string{"api/x/**"}, cells: cellAPIX},
	"fix-y": {tree: []string{"API/y/*.go", "docs/a/**"}, cells: cellAPIY | cellDocsA},
	"book":  {tree: []string{"docs/b/**"}, cells: cellDocsB},
	"lib-1": {tree: []string{"lib/**"}, cells: cellLib},
	"lib-2": {tree: []string{"lib/**/*.go"}, cells: cellLib},
	"else":  {tree: []string{"else/**"}, cells: cellElse},
}

var raceAutopick = []string{"api", "web", "ops"}

// raceKeywords is how many keyword lanes may be held at once.
const raceKeywords = 3

func (l raceLane) keyword() bool { return l.tree != nil }

// A raceAsk is what a process was asked to do.
type raceAsk struct {
	verb       string // acquire, heartbeat, release, scavenge; look, landed, ended
	lanes      []string
	any, force bool
	unit, seat string
	nonce      string // heartbeat, release
}

// A raceTold is what it answered, or what the chains say of it.
type raceTold struct {
	outcome, class string
	conflict       string      // the lane that is said to stand in the way
	leases         []raceLease // got, looked at, landed or ended; unit and seat only for a look
	taken          []raceLease // scavenged by force
}

// A raceLease is one row of the admission table.
type raceLease struct{ lane, nonce, unit, seat string }

// A raceTable is the admission table: who holds which lane, in lane order.
type raceTable []raceLease

func (t raceTable) find(lane string) (raceLease, bool) {
	i := slices.IndexFunc(t, func(l raceLease) bool { return l.lane == lane })
	if i < 0 {
		return raceLease{}, false
	}
	return t[i], true
}

func (t raceTable) has(lane, nonce string) bool {
	l, ok := t.find(lane)
	return ok && l.nonce == nonce
}

func (t raceTable) without(lane string) raceTable {
	return slices.DeleteFunc(slices.Clone(t), func(l raceLease) bool { return l.lane == lane })
}

func (t raceTable) with(l raceLease) raceTable {
	next := append(slices.Clone(t), l)
	slices.SortFunc(next, func(a, b raceLease) int { return strings.Compare(a.lane, b.lane) })
	return next
}

// admits reports whether a lease may be added: nobody holds its lane, its
// files, its unit or its seat, nobody runs alone, and its class has room, which
// is not asked of an operator's force.
func (t raceTable) admits(l raceLease, force bool) bool {
	want, keywords := raceLanes[l.lane], 0
	for _, other := range t {
		has := raceLanes[other.lane]
		switch {
		case other.lane == l.lane, has.cells&want.cells != 0, has.exclusive, want.exclusive:
			return false
		case l.unit != "" && l.unit == other.unit, l.seat != "" && l.seat == other.seat:
			return false
		case has.keyword():
			keywords++
		}
	}
	return force || !want.keyword() || keywords < raceKeywords
}

// admitsAll reports whether lanes may be added together; unit and seat go with
// the first.
func (t raceTable) admitsAll(lanes []string, ask raceAsk) bool {
	for i, name := range lanes {
		l := raceLease{lane: name}
		if i == 0 {
			l.unit, l.seat = ask.unit, ask.seat
		}
		if !t.admits(l, ask.force) {
			return false
		}
		t = t.with(l)
	}
	return true
}

// admissible reports whether a request could be granted as things stand.
func (t raceTable) admissible(ask raceAsk) bool {
	if len(ask.lanes) > 0 && t.admitsAll(ask.lanes, ask) {
		return true
	}
	return (ask.any || len(ask.lanes) == 0) && slices.ContainsFunc(raceAutopick, func(name string) bool {
		return t.admitsAll([]string{name}, ask)
	})
}

// raceStep is one step of the admission table.
func raceStep(t raceTable, ask raceAsk, told raceTold) (bool, raceTable) {
	switch ask.verb {
	case "acquire":
		return raceAcquire(t, ask, told)
	case "look":
		return slices.Equal(t, raceTable(told.leases)), t
	case "landed":
		for _, l := range told.leases {
			if !t.admits(l, ask.force) {
				return false, t
			}
			t = t.with(l)
		}
		return true, t
	case "ended":
		l := told.leases[0]
		return t.has(l.lane, l.nonce), t.without(l.lane)
	}
	return raceKeep(t, ask, told)
}

func raceAcquire(t raceTable, ask raceAsk, told raceTold) (bool, raceTable) {
	switch told.outcome {
	case "contended":
		return true, t
	case "refuse":
		return raceRefusal(t, ask, told), t
	}
	for _, l := range told.taken {
		if !ask.force || !t.has(l.lane, l.nonce) {
			return false, t
		}
		t = t.without(l.lane)
	}
	for i, l := range told.leases {
		if t.has(l.lane, l.nonce) {
			continue // it was had before
		}
		if i == 0 {
			l.unit, l.seat = ask.unit, ask.seat
		}
		if !t.admits(l, ask.force) {
			return false, t
		}
		t = t.with(l)
	}
	var got []string
	for _, l := range told.leases {
		got = append(got, l.lane)
	}
	return slices.Equal(got, ask.lanes) || len(got) == 1 && (ask.any || len(ask.lanes) == 0), t
}

// raceRefusal reports whether a refusal is justified: the request could not be
// granted, and what it says stands in the way does.
func raceRefusal(t raceTable, ask raceAsk, told raceTold) bool {
	if t.admissible(ask) {
		return false
	}
	switch told.class {
	case "SAME_LANE_HELD", "COLLISION", "EXCLUSIVE_LIVE", "EXCLUSIVE_NOT_ALONE":
		_, held := t.find(told.conflict)
		among := slices.Contains(ask.lanes, told.conflict) // of several, one can be in the way of another
		return held || among && len(ask.lanes) > 1
	case "UNIT_CLAIMED":
		return slices.ContainsFunc(t, func(l raceLease) bool { return ask.unit != "" && l.unit == ask.unit })
	case "SEAT_TAKEN":
		return slices.ContainsFunc(t, func(l raceLease) bool { return ask.seat != "" && l.seat == ask.seat })
	}
	return told.class != ""
}

func raceKeep(t raceTable, ask raceAsk, told raceTold) (bool, raceTable) {
	lane := ask.lanes[0]
	held, is := t.find(lane)
	mine := is && held.nonce == ask.nonce
	switch told.outcome {
	case "renewed":
		return mine, t
	case "released":
		return mine, t.without(lane)
	case "scavenged":
		return is && t.has(lane, told.leases[0].nonce), t.without(lane)
	case "free":
		return !is, t
	case "lost", "refuse":
		return ask.verb != "scavenge" && !mine, t
	}
	return told.outcome == "contended", t
}

// raceModel is the admission table for the checker.
var raceModel = porcupine.Model{
	Init: func() any { return raceTable(nil) },
	Step: func(state, input, output any) (bool, any) {
		ok, next := raceStep(state.(raceTable), input.(raceAsk), output.(raceTold))
		return ok, next
	},
	Equal: func(a, b any) bool { return slices.Equal(a.(raceTable), b.(raceTable)) },
	Hash: func(state any) uint64 {
		h := fnv.New64a()
		for _, l := range state.(raceTable) {
			fmt.Fprintln(h, l)
		}
		return h.Sum64()
	},
}
