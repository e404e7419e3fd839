package oldjournal

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A Fold is the state of a journal after some of its rows. The zero Fold is
// the state before the first.
type Fold struct {
	live    []live // in the order in which they were first acquired
	counter int64  // generations given out
	seq     int64  // the highest number a row bore
	doubts  []string
}

type live struct {
	key   key
	gen   int64
	lease Lease
}

// A Generation is how many leases had been acquired when a live one was.
type Generation struct {
	LoopTS     string `json:"loop_ts"`
	Lane       string `json:"lane"`
	Generation int64  `json:"generation"`
}

// Replay folds rows from the first on.
func Replay(entries []Entry) *Fold {
	f := &Fold{}
	for _, e := range entries {
		f.Add(e)
	}
	return f
}

// Add folds one more row. Ops that change no lease, in whatever case, only
// count for the sequence.
func (f *Fold) Add(e Entry) {
	for _, field := range []string{"seq", "seq_watermark"} {
		if n, ok := number(e[field]); ok && n < math.MaxInt64 {
			f.seq = max(f.seq, n)
		}
	}
	switch e.op() {
	case opCheckpoint:
		f.load(e)
	case opAcquire, opReconcile:
		f.acquire(e)
	case opRelease, opScavenge:
		f.end(e)
	case opHeartbeat:
		f.beat(e)
	case opAdopt:
		f.adopt(e)
	case opCorrupt:
		f.doubt("a row that does not parse")
	}
}

// maxDoubts bounds the doubts that are told apart.
const maxDoubts = 20

func (f *Fold) doubt(format string, args ...any) {
	if len(f.doubts) < maxDoubts {
		f.doubts = append(f.doubts, fmt.Sprintf(format, args...))
	}
}

// find is the index of a live lease, or -1.
func (f *Fold) find(k key) int {
	return slices.IndexFunc(f.live, func(l live) bool { return l.key == k })
}

// flat are the fields a row without a lease object holds one by.
var flat = []string{
	"lane", "lane_kind", "tree", "loop_ts", "host_id", "pid", "acquired_at", "heartbeat_at", "ttl_minutes", "holder", "run_id",
}

// acquire adds a lease, or replaces the one of its name where it stands.
func (f *Fold) acquire(e Entry) {
	k := keyOf(e)
	if k.blank() {
		f.doubt("an acquire of no lane")
		return
	}
	var lease Lease
	if given(e["lease"]) {
		if json.Unmarshal(e["lease"], &lease) != nil {
			f.doubt("an acquire of lane %q whose lease is no object", k.lane)
			return
		}
	} else {
		lease = Lease{}
		for _, name := range flat {
			if v, ok := e[name]; ok {
				lease[name] = v
			}
		}
	}
	if own := keyOf(lease); own != k {
		if given(lease["loop_ts"]) || given(lease["lane"]) {
			f.doubt("an acquire of lane %q with the lease of lane %q", k.lane, own.lane)
		}
		lease = maps.Clone(lease)
		lease["loop_ts"], lease["lane"] = encode(k.loop), encode(k.lane)
	}
	f.counter++
	f.put(live{k, f.counter, lease})
}

func (f *Fold) put(l live) {
	switch i := f.find(l.key); {
	case i >= 0:
		f.live[i] = l
	case len(f.live) >= maxLeases:
		f.doubt("more than %d leases live at once", maxLeases)
	default:
		f.live = append(f.live, l)
	}
}

func (f *Fold) end(e Entry) {
	if i := f.find(keyOf(e)); i >= 0 {
		f.live = slices.Delete(f.live, i, i+1)
	}
}

// changed is a copy of a live lease that may be written to, or nil. Earlier
// readers keep what they were given.
func (f *Fold) changed(e Entry) Lease {
	i := f.find(keyOf(e))
	if i < 0 {
		return nil
	}
	f.live[i].lease = maps.Clone(f.live[i].lease)
	return f.live[i].lease
}

func (f *Fold) beat(e Entry) {
	if l := f.changed(e); l != nil {
		stamp(l, e)
	}
}

// stamp refreshes a lease by the time of a row; a row without one says nothing.
func stamp(l Lease, e Entry) {
	for _, field := range []string{"heartbeat_at", "ts"} {
		if given(e[field]) && text(e[field]) != "" {
			l["heartbeat_at"] = e[field]
			return
		}
	}
}

func (f *Fold) adopt(e Entry) {
	l := f.changed(e)
	if l == nil {
		return
	}
	for _, field := range []string{"holder", "pid", "host_id"} {
		if given(e[field]) {
			l[field] = e[field]
		}
	}
	stamp(l, e)
}

// load forgets every lease and takes up those of a checkpoint. One whose
// leases cannot be read leaves what was live before: to forget it would free
// lanes that somebody holds.
func (f *Fold) load(e Entry) {
	var leases []Lease
	if !given(e["leases"]) || json.Unmarshal(e["leases"], &leases) != nil || len(leases) > maxLeases || slices.ContainsFunc(leases, func(l Lease) bool { return l == nil }) {
		f.doubt("a checkpoint whose leases are no list of objects")
		return
	}
	gens, marks := map[key]int64{}, []Generation{}
	if given(e["generations"]) && json.Unmarshal(e["generations"], &marks) != nil {
		f.doubt("a checkpoint whose generations are no list")
	}
	for _, g := range marks {
		gens[key{strings.TrimSpace(g.LoopTS), strings.TrimSpace(g.Lane)}] = g.Generation
		f.counter = max(f.counter, g.Generation)
	}
	if n, ok := number(e["generation_watermark"]); ok {
		f.counter = max(f.counter, n)
	}
	var doubts []string
	if given(e["doubts"]) && json.Unmarshal(e["doubts"], &doubts) != nil {
		f.doubt("a checkpoint whose doubts are no list")
	}
	for _, d := range doubts {
		f.doubt("%s", d)
	}
	f.live = nil
	for _, l := range leases {
		k := keyOf(l)
		if k.blank() {
			f.doubt("a checkpoint with a lease of no lane")
			continue
		}
		gen := gens[k]
		if gen == 0 {
			f.counter++
			gen = f.counter
		}
		f.put(live{k, gen, l})
	}
}

// Live are the leases that live, in the order in which they were first
// acquired.
func (f *Fold) Live() []Lease {
	leases := make([]Lease, 0, len(f.live))
	for _, l := range f.live {
		leases = append(leases, l.lease)
	}
	return leases
}

// Generations are those of the live leases.
func (f *Fold) Generations() []Generation {
	gens := make([]Generation, 0, len(f.live))
	for _, l := range f.live {
		gens = append(gens, Generation{l.key.loop, l.key.lane, l.gen})
	}
	return gens
}

// LastGeneration is the highest generation that was ever given out, to a lease
// that lives or not. Whoever takes the lanes over must count on from it.
func (f *Fold) LastGeneration() int64 { return f.counter }

// NextSeq is the number of the next row.
func (f *Fold) NextSeq() int64 { return f.seq + 1 }

// Doubts are the reasons, the first few of them, why there may be leases that
// Live does not show. Nobody may take a lane for free while there are any.
func (f *Fold) Doubts() []string { return slices.Clone(f.doubts) }

// Compact is the checkpoint that stands for all rows folded so far. It always
// carries the generations on, also when no lease lives, and the doubts.
func (f *Fold) Compact() Entry {
	e := Entry{"op": encode(opCheckpoint), "leases": encode(f.Live()), "generations": encode(f.Generations())}
	e["seq_watermark"], e["generation_watermark"] = encode(f.seq), encode(f.counter)
	if len(f.doubts) > 0 {
		e["doubts"] = encode(f.doubts)
	}
	return e
}

func encode(v any) json.RawMessage {
	data, _ := json.Marshal(v) // strings, numbers and JSON that was read
	return data
}
