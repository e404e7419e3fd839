package lease

import (
	"slices"
	"sync"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A LaneEntry is one entry of a lane's chain, as a push brings it.
type LaneEntry struct {
	Op     string
	Record Record
}

// Known is what the order knows of a chain, for whoever judges its steps.
type Known struct {
	Had   Grant   // before the push, the zero Grant where it knew nothing
	Since []Grant // what the push has it say of the chain, oldest first
	Blind bool    // nothing is known: no generation can be held to it
}

// last is the highest generation below gen that the order had come to, 0 where
// there is none.
func (k Known) last(gen uint64) (last uint64) {
	for _, g := range append(k.Since[:len(k.Since):len(k.Since)], k.Had) {
		if g.Gen < gen {
			last = max(last, g.Gen)
		}
	}
	return last
}

// has reports whether the order has had this very admission.
func (k Known) has(gen uint64, nonce string) bool {
	is := func(g Grant) bool { return g.Gen == gen && g.Nonce == nonce }
	return k.Blind || is(k.Had) || slices.ContainsFunc(k.Since, is)
}

// beyond reports whether the order has come past a generation. Whoever settles one
// has read the order, and it may have moved since.
func (k Known) beyond(gen uint64) bool {
	return k.Had.Gen > gen || slices.ContainsFunc(k.Since, func(g Grant) bool { return g.Gen > gen })
}

// settled reports whether a lease was admitted before the push.
func (k Known) settled(r Record) bool { return k.Had.Gen == r.Gen && k.Had.Nonce == r.Nonce }

// An opRule is one row of the table of ops.
type opRule struct {
	from, to []lane.State // to is nil where the state stays
	admits   bool         // a new generation begins
	ends     bool         // nobody has the lane afterwards
	torn     bool         // it may settle an admission that the chain lacks
}

const none lane.State = "" // of a chain that is not there

var (
	anyState  = []lane.State{lane.Held, lane.Waiting, lane.Parked, lane.Free}
	liveState = []lane.State{lane.Held, lane.Waiting, lane.Parked}
)

// laneOps is the table of ops on a lane's chain, where the authority is a server.
// A held lease counts as live there: only a SCAVENGE ends what somebody holds
// against its holder, and it says why.
var laneOps = sync.OnceValue(func() map[string]opRule {
	return map[string]opRule{
		OpAcquire:      {from: []lane.State{none, lane.Free, lane.Held, lane.Waiting}, to: []lane.State{lane.Held, lane.Waiting}, admits: true},
		OpDelegate:     {from: []lane.State{none, lane.Free, lane.Held, lane.Waiting}, to: []lane.State{lane.Held, lane.Waiting}, admits: true},
		OpReady:        {from: []lane.State{lane.Waiting}, to: []lane.State{lane.Held}},
		OpHeartbeat:    {from: []lane.State{lane.Held, lane.Waiting}},
		OpShip:         {from: []lane.State{lane.Held}},
		OpPark:         {from: []lane.State{lane.Held}, to: []lane.State{lane.Parked}},
		OpUnpark:       {from: []lane.State{lane.Parked}, to: []lane.State{lane.Held}},
		OpRelease:      {from: liveState, to: []lane.State{lane.Free}, ends: true},
		OpReturn:       {from: liveState, to: []lane.State{lane.Free}, ends: true},
		OpScavenge:     {from: append([]lane.State{none}, anyState...), to: []lane.State{lane.Free}, ends: true, torn: true},
		OpVoid:         {from: append([]lane.State{none}, anyState...), to: []lane.State{lane.Free}, ends: true, torn: true},
		opOfCheckpoint: {from: anyState},
	}
})

// opOfCheckpoint is the op of an entry that only packs what is before it.
const opOfCheckpoint = "CHECKPOINT"

// Step judges one entry on top of what is before it; before is nil where the
// chain begins. It is nil when a client could have written it. Rungs, first that
// applies:
//
//  1. the op leads from the state before to the state after, by the table
//  2. an admission has the generation that follows those of the chain and of the
//     order; it stands on a lease only where that was its own and never admitted
//  3. all else keeps generation and nonce, but for the end of an admission that the
//     order has and the chain lacks
//  4. nothing changes that the op has to leave as it is
func Step(before *Record, e LaneEntry, k Known) *Breach {
	var was Record
	if before != nil {
		was = *before
	}
	r, known := laneOps()[e.Op]
	switch {
	case e.Op == OpTaking || e.Op == OpPushing:
		return breach(IllegalStep, fixOwnNode, "%s is never written to a server", e.Op)
	case !known:
		return breach(IllegalStep, fixByVerb, "%.40q is no op on a lane", e.Op)
	case !slices.Contains(r.from, was.State), !r.leads(was.State, e.Record.State):
		return breach(IllegalStep, fixAgain, "%s does not lead from %s to %s", e.Op, stateWord(was.State), stateWord(e.Record.State))
	}
	if b := e.shape(r); b != nil {
		return b
	}
	switch {
	case r.admits:
		return e.admission(was, k)
	case r.torn && (before == nil || e.Record.Gen > was.Gen):
		return e.settles(before, k)
	}
	return e.keeps(was, k)
}

func (r opRule) leads(from, to lane.State) bool {
	if r.to == nil {
		return from == to
	}
	return slices.Contains(r.to, to)
}

func stateWord(s lane.State) string {
	if s == none {
		return "nothing"
	}
	return string(s)
}

// shape judges what a record says of itself under its op.
func (e LaneEntry) shape(r opRule) *Breach {
	is := e.Record
	switch {
	case is.Under != "" || is.Taking || len(is.Pushing) > 0:
		return breach(ChangedRecord, fixOwnNode, "%s has what only a lease within its node has", e.Op)
	case (e.Op == OpShip) != (is.Ship != nil) && e.Op != opOfCheckpoint:
		return breach(ForgedShip, fixPush, "a SHIP entry says what was pushed, and no other does; this is %s", e.Op)
	case r.ends && (is.Delegate || is.Reason == "" && e.Op != OpRelease && e.Op != OpReturn):
		return breach(ChangedRecord, fixByVerb, "%s ends a lease and does not say why, or leaves it with its node", e.Op)
	case is.Rides != nil && (r.admits && e.Op != OpAcquire || e.Op == OpShip || e.Op == OpPark || e.Op == OpUnpark || e.Op == OpReady):
		return breach(IllegalStep, fixByVerb, "a claim inside a lease neither ships, waits nor is parked, and no node has it; this is %s", e.Op)
	case r.admits && is.Delegate != (e.Op == OpDelegate):
		return breach(IllegalStep, fixByVerb, "DELEGATE is for a node, and ACQUIRE for a worker; this is %s", e.Op)
	case is.State == lane.Waiting && !is.exclusive():
		return breach(IllegalStep, fixByVerb, "only a lane that runs alone waits, and kind %s does not", is.LaneKind)
	}
	return nil
}

// admission judges the beginning of a lease.
func (e LaneEntry) admission(was Record, k Known) *Breach {
	is := e.Record
	if was.State == lane.Held || was.State == lane.Waiting {
		own := is.Nonce == was.Nonce || is.RunID != "" && is.RunID == was.RunID || is.Holder == was.Holder
		if k.settled(was) || !own {
			return breach(IllegalStep, fixAgain, "%s has the lane under generation %d, and a server does not judge that it lapsed", was.Holder, was.Gen)
		}
	}
	next := max(was.Gen, k.last(is.Gen)) + 1
	if is.Gen != next && !(k.Blind && is.Gen > was.Gen) {
		return breach(BadGeneration, fixAgain, "%s is generation %d, and the next is %d", e.Op, is.Gen, next)
	}
	return nil
}

// settles judges the end of an admission that the order has and the chain lacks,
// or of one that may still be on its way to a chain that is not there.
func (e LaneEntry) settles(before *Record, k Known) *Breach {
	is := e.Record
	if before == nil && e.Op == OpVoid && is.Gen == 1 && is.Nonce == "" {
		return nil
	}
	if !k.has(is.Gen, is.Nonce) && !k.beyond(is.Gen) {
		return breach(BadGeneration, fixAgain, "%s ends generation %d, which the order has not admitted", e.Op, is.Gen)
	}
	return nil
}
