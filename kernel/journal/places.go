package journal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The tables of a state. Each holds what one kind of question needs.
const (
	tableAlert   = "alert:" // one for each op that raises alerts, named by it
	tableEnforce = "enforce"
	tableAck     = "ack"
	tableAttempt = "attempt"
	tableSpawn   = "spawn"
	tableExit    = "exit"
	tableLaunch  = "launch"
	tableHarvest = "harvest"
	tableCap     = "cap"
	tableVerdict = "verdict"
	tableGap     = "gap"
)

// alertOps are the ops that ask for somebody's attention.
var alertOps = []string{OpDecision, OpHalt, OpRefuse, OpResumeProposed}

// A place is where a row goes, and what it does there.
type place struct {
	table, key string
	change     func(*Slot, Row)
	gone       bool // the slot is closed by the row, if it is there
}

// placesOf says where a row goes. What a run is to do and has done is kept
// beside the tables.
func placesOf(r Row) []place {
	switch r.Op {
	case OpRefuse, OpHalt, OpResumeProposed, OpDecision:
		return []place{{table: tableAlert + r.Op, key: alertKey(r), change: raise}}
	case OpEnforce:
		return enforcePlaces(r)
	case OpAck:
		return []place{{table: tableAck, key: r.ID, change: see}}
	case OpAttempt:
		return []place{{table: tableAttempt, key: join(r.Unit, attemptWord(r.Outcome)), change: keepLatest}}
	case OpSpawn:
		return []place{{table: tableSpawn, key: spawnKey(r), change: keepBoth}}
	case OpExit:
		return []place{{table: tableExit, key: workerKey(r), change: keepLast}}
	case OpLaunch:
		key := workerKey(r)
		return []place{{table: tableHarvest, key: key, gone: true}, {table: tableLaunch, key: key, change: keepLast}}
	case OpHarvest:
		key := workerKey(r)
		return []place{{table: tableLaunch, key: key, gone: true}, {table: tableHarvest, key: key, change: keepLast}}
	case OpCap:
		return []place{{table: tableCap, key: r.Account, change: keepLast}}
	case OpVerdict:
		return []place{{table: tableVerdict, key: join(r.Verb, r.RunID, r.Subject), change: keepLast}}
	case OpGap:
		return []place{{table: tableGap, key: join(r.RunID, r.ReasonClass), change: keepLast}}
	}
	return nil
}

// join makes one key of words that may hold anything.
func join(words ...string) string {
	key, _ := json.Marshal(words)
	return string(key)
}

// alertKey tells apart what is shown apart: for what is about one run, the run
// and its handle too.
func alertKey(r Row) string {
	if r.Op == OpRefuse {
		return join(r.Lane, r.ReasonClass, r.Reason)
	}
	return join(r.Kind, r.Lane, r.ReasonClass, r.Reason, r.RunID, r.Handle)
}

// attemptWord is one of the five ends of an attempt.
func attemptWord(outcome string) string {
	switch w := strings.ToLower(strings.TrimSpace(outcome)); w {
	case "shipped", "drained", "blocked", "error":
		return w
	}
	return "unknown"
}

// spawnKey is that of a request where it has one. Without a key or a run, every
// row is a spawn of its own.
func spawnKey(r Row) string {
	switch {
	case r.Key != "":
		return join("key", r.Key)
	case r.RunID != "":
		return join("run", r.RunID, r.Lane)
	}
	return join("row", fmt.Sprint(r.Seq))
}

// workerKey names a worker by its wave and its run, or by its unit if it has
// none.
func workerKey(r Row) string {
	if r.RunID != "" {
		return join(r.WaveID, r.RunID)
	}
	return join(r.WaveID, "", r.Lane, r.Unit, r.Seat)
}

// The words of an ENFORCE row.
const (
	Denied     = "deny"
	Admitted   = "admit" // an operator let it through
	selfModify = "SELF_MODIFY"
)

func enforcePlaces(r Row) []place {
	if r.Verdict != Admitted && (r.Verdict != Denied || r.ReasonClass != selfModify) {
		return nil
	}
	return []place{{table: tableEnforce, key: join(r.Owner, r.Target), change: func(s *Slot, r Row) {
		if r.Verdict == Admitted {
			s.Streak = 0
			s.Last = r
			return
		}
		if s.Streak == 0 {
			s.First, s.Stamps = r, nil
		}
		s.Streak++
		raise(s, r)
	}}}
}

// raise keeps the first row, the newest, and when the newest few came.
func raise(s *Slot, r Row) {
	s.Stamps = append(s.Stamps, Stamp{r.Seq, r.At.Unix()})
	if n := len(s.Stamps); n > maxStamps {
		s.Stamps = append([]Stamp(nil), s.Stamps[n-maxStamps:]...)
	}
	keepBoth(s, r)
}

// keepBoth keeps the first row and the last.
func keepBoth(s *Slot, r Row) {
	if s.Count == 0 {
		s.First = r
	}
	keepLast(s, r)
}

func keepLast(s *Slot, r Row) {
	s.Count++
	s.Last = r
}

// keepLatest keeps the row of the latest time, of two the one that came later.
func keepLatest(s *Slot, r Row) {
	s.Count++
	if s.Count == 1 || !r.At.Before(s.Last.At) {
		s.Last = r
	}
}

// maxSeen bounds the sources one ack speaks of. What it does not speak of is
// shown.
const maxSeen = 500

// see keeps the newest evidence that any ack of the same decision saw.
func see(s *Slot, r Row) {
	for _, source := range slices.Sorted(maps.Keys(r.Seen)) {
		i, found := slices.BinarySearchFunc(s.Seen, source, func(w Witness, n string) int { return strings.Compare(w.Source, n) })
		switch {
		case found:
			s.Seen[i].Seq = max(s.Seen[i].Seq, r.Seen[source])
		case len(s.Seen) < maxSeen:
			s.Seen = slices.Insert(s.Seen, i, Witness{source, r.Seen[source]})
		}
	}
	keepLast(s, r)
}

func (s *State) place(p place, r Row) {
	t := s.table(p.table)
	if p.gone {
		t.drop(p.key)
		return
	}
	t.put(p.key, func(slot *Slot) { p.change(slot, r) })
}
