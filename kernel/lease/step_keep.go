package lease

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// keeps judges an entry of the same lease.
func (e LaneEntry) keeps(was Record, k Known) *Breach {
	is := e.Record
	switch {
	case is.Gen != was.Gen:
		return breach(BadGeneration, fixByVerb, "%s goes from generation %d to %d, and only an admission does", e.Op, was.Gen, is.Gen)
	case is.Nonce != was.Nonce:
		return breach(StaleToken, "stop: the lane has another lease now; git dos lease live shows whose", "%s has not the nonce of the lease that %s has", e.Op, was.Holder)
	}
	given := e.Op == OpPark && was.Delegate && !is.Delegate // to the worker who parks it
	if !given && (is.Holder != was.Holder || is.RunID != was.RunID) {
		return breach(HolderSwap, fixByVerb, "%s puts %s in the place of %s within generation %d", e.Op, is.Holder, was.Holder, is.Gen)
	}
	free := changes[e.Op]
	if given {
		free = append(slices.Clone(free), "delegate", "holder", "run_id", "proc", "ttl_s")
	}
	switch {
	case e.Op == OpShip && is.Proc == nil:
		free = append(slices.Clone(free), "proc") // the one it names has ended
	case e.Op == OpHeartbeat && !k.settled(was):
		free = append(slices.Clone(free), "ttl_s", "policy") // it completes an admission that was cut off
	}
	if e.Op != opOfCheckpoint {
		free = append(slices.Clone(free), "reason", "renewed_at", "ship")
	}
	differ := slices.DeleteFunc(differing(was, is), func(key string) bool { return slices.Contains(free, key) })
	if len(differ) > 0 {
		return breach(ChangedRecord, fixByVerb, "%s changes %s of the lease", e.Op, strings.Join(differ, ", "))
	}
	return nil
}

// changes are the keys of a record that an op may change, beside what every entry
// says of itself.
var changes = map[string][]string{
	OpHeartbeat: {"proc", "taking", "rung"},
	OpReady:     {"state", "proc"},
	OpPark:      {"state", "operator"},
	OpUnpark:    {"state", "operator", "proc"},
	OpRelease:   {"state", "delegate", "taking"},
	OpReturn:    {"state", "delegate", "taking"},
	OpScavenge:  {"state", "delegate", "taking", "operator"},
	OpVoid:      {"state", "delegate", "taking"},
}

// differing lists the keys that two records have not alike, in order.
func differing(a, b Record) []string {
	var x, y map[string]json.RawMessage
	_ = json.Unmarshal(encode(a), &x) // what encode wrote
	_ = json.Unmarshal(encode(b), &y)
	keys := map[string]bool{}
	for key, value := range x {
		if !bytes.Equal(value, y[key]) {
			keys[key] = true
		}
	}
	for key := range y {
		if _, ok := x[key]; !ok {
			keys[key] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}
