package journal

import (
	"slices"
	"strings"
	"time"
)

// A Need is what a question reads of a state. A state that lacks none of it
// answers the question as one that lacks nothing.
type Need struct {
	everything bool
	alerts     bool
	tables     []string
	since      time.Time // of the tables only what is no older
	runs       []string
	counts     bool
}

// Everything is what all questions together read.
var Everything = Need{everything: true}

// NeedAlerts is what [View.Alerts], [View.Acks] and [View.ForgotAlerts] read, but
// for the runs that alerts are about: see [View.AlertRuns].
func NeedAlerts() Need { return Need{alerts: true, tables: []string{tableEnforce, tableAck}} }

// NeedSpawns is what [View.Spawns] reads, if since is the zero time. Else it is what
// [View.Pending] reads for a window that began then: if no row it answers with
// has a key. One that has may stand for a request that was made before.
func NeedSpawns(since time.Time) Need {
	return Need{tables: []string{tableSpawn, tableExit}, since: since}
}

// NeedAttempts is what [View.Attempts] reads, NeedLaunches what [View.Launches] and
// [View.Waves] do.
func NeedAttempts() Need { return Need{tables: []string{tableAttempt}} }
func NeedLaunches() Need { return Need{tables: []string{tableLaunch, tableHarvest}} }

// NeedCaps is what [View.Caps] reads.
func NeedCaps() Need { return Need{tables: []string{tableCap}} }

// NeedAnswers is what [View.Answers] and [View.Exits] read.
func NeedAnswers() Need { return Need{tables: []string{tableVerdict, tableExit}} }

// NeedCounts is what [View.Count] reads.
func NeedCounts() Need { return Need{counts: true} }

// NeedRuns is what [View.Story] reads of runs.
func NeedRuns(ids ...string) Need { return Need{runs: ids} }

func (n Need) table(name string) bool {
	return n.everything || n.alerts && strings.HasPrefix(name, tableAlert) || slices.Contains(n.tables, name)
}

// Lacks names the parts that must be filled in before the questions can be
// answered.
func (s *State) Lacks(needs ...Need) (names []string) {
	p := s.split
	if p == nil {
		return nil
	}
	want := map[string]bool{}
	for _, n := range needs {
		if (n.everything || n.counts) && p.windows == nil {
			want[windowsPart] = true
		}
		for name, t := range p.tables {
			for _, tp := range t.parts {
				if n.table(name) && tp.slots == nil && (n.everything || !tp.newest.Before(n.since)) {
					want[tp.name] = true
				}
			}
		}
		for _, b := range p.bundles {
			if n.everything && b.runs == nil {
				want[b.name] = true
			}
		}
		for _, id := range n.runs {
			if b := bundleOf(p.bundles, id); b != nil {
				want[b.name] = true
			}
		}
	}
	return sortedKeys(want)
}

// AlertRuns are the runs of which [View.Alerts] asks whether they did what was
// asked of them.
func (v View) AlertRuns() (ids []string) {
	all := map[string]bool{}
	for _, op := range alertOps {
		for _, s := range v.nodes {
			t := s.tables[tableAlert+op]
			if t == nil {
				continue
			}
			t.open()
			for _, slot := range t.slots {
				if wants(slot.Last.Op, slot.Last.Kind) != "" && slot.First.RunID != "" {
					all[slot.First.RunID] = true
				}
			}
		}
	}
	return sortedKeys(all)
}
