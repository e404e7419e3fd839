package fleet

import (
	"strings"
	"testing"
	"time"
)

func TestAMarkerGoesWhenItIsOverOldAndItsLeaseHasEnded(t *testing.T) {
	over := Trace{RunID: "r", Lane: "api", Node: "here", Own: true, Ended: true, Lease: LeaseEnded, Age: 12 * time.Hour}
	for name, tt := range map[string]struct {
		change func(*Trace)
		want   Remedy
	}{
		"over, old, its lease ended":          {func(*Trace) {}, RemedyPrune},
		"over, old, its lease lapsed":         {func(m *Trace) { m.Lease = LeaseLapsed }, RemedyPrune},
		"its lease stands":                    {func(m *Trace) { m.Lease = LeaseStands }, RemedyLeave},
		"its lease cannot be told":            {func(m *Trace) { m.Lease = LeaseUnknown }, RemedyLook},
		"its lease is not looked at":          {func(m *Trace) { m.Lease = "" }, RemedyLook},
		"young":                               {func(m *Trace) { m.Age -= time.Second }, RemedyLeave},
		"from the future":                     {func(m *Trace) { m.Age = -time.Hour }, RemedyLeave},
		"it runs":                             {func(m *Trace) { m.Ended, m.Age = false, time.Hour }, RemedyLeave},
		"it runs for 12 hours":                {func(m *Trace) { m.Ended = false }, RemedyLook},
		"it runs for 12 hours, lease lapsed":  {func(m *Trace) { m.Ended, m.Lease = false, LeaseLapsed }, RemedyLook},
		"processes of it run on":              {func(m *Trace) { m.Processes = 1 }, RemedyLook},
		"another node's":                      {func(m *Trace) { m.Own = false }, RemedyLeave},
		"another node's, with processes here": {func(m *Trace) { m.Own, m.Processes = false, 2 }, RemedyLeave},
	} {
		m := over
		tt.change(&m)
		if got := m.Judge(); got.Remedy != tt.want || got.Reason == "" {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestAFileGoesWhenItIsOldAndNoMarkerNamesIt(t *testing.T) {
	for want, s := range map[Remedy]Stray{RemedyPrune: {Age: FileAge}, RemedyLeave: {Age: FileAge - time.Second}} {
		if got := s.Judge(); got.Remedy != want {
			t.Errorf("%v: %s, want %s", s.Age, got.Remedy, want)
		}
	}
	if got := (Stray{Age: 2 * FileAge, Named: true}).Judge(); got.Remedy != RemedyLeave {
		t.Errorf("the log of a marker: %s", got.Remedy)
	}
}

// idle is a worker that an operator may have ended.
func idle() Remnant {
	return Remnant{
		Process: Process{PID: 7, Start: "5", Own: true, RunID: "r", Lane: "api"}, Role: RoleWorker, Lease: LeaseStands,
		Liveness: Spinning, Witnessed: number(0), LastCommitMS: number[int64](-1), LogBytes: number[int64](9000), RecentMS: 1000,
	}
}

func TestAProcessIsEndedOnlyWhereNothingIsLost(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Remnant)
		want   Remedy
	}{
		"it spins and brought nothing":              {func(*Remnant) {}, RemedyEnd},
		"it stalled and brought nothing":            {func(m *Remnant) { m.Liveness = Stalled }, RemedyEnd},
		"so did one whose lease lapsed":             {func(m *Remnant) { m.Lease = LeaseLapsed }, RemedyEnd},
		"it gets on":                                {func(m *Remnant) { m.Liveness = Advancing }, RemedyLeave},
		"it spins and brought something":            {func(m *Remnant) { m.Witnessed = number(1) }, RemedyLeave},
		"what it brought is not known":              {func(m *Remnant) { m.Witnessed = nil }, RemedyLook},
		"how it gets on is not known":               {func(m *Remnant) { m.Liveness = "" }, RemedyLook},
		"how it gets on is a word of another":       {func(m *Remnant) { m.Liveness = "RUNNING" }, RemedyLook},
		"it is not ours":                            {func(m *Remnant) { m.Own = false }, RemedyLeave},
		"when it began is not known":                {func(m *Remnant) { m.Start = "" }, RemedyLeave},
		"it outlived its worker":                    {func(m *Remnant) { m.WorkerEnded, m.KeeperEnded, m.Liveness = true, true, "" }, RemedyEnd},
		"its worker is silent":                      {func(m *Remnant) { m.WorkerEnded, m.LogBytes = true, number[int64](512) }, RemedyEnd},
		"its worker ended and said much":            {func(m *Remnant) { m.WorkerEnded, m.LogBytes = true, number[int64](513) }, RemedyLeave},
		"its worker ended, its log is not known":    {func(m *Remnant) { m.WorkerEnded, m.LogBytes = true, nil }, RemedyLeave},
		"a short log alone is not silence":          {func(m *Remnant) { m.LogBytes, m.Liveness = number[int64](0), Advancing }, RemedyLeave},
		"its keeper alone ended":                    {func(m *Remnant) { m.KeeperEnded, m.Liveness = true, Advancing }, RemedyLeave},
		"a held lease and a recent commit":          {func(m *Remnant) { m.LastCommitMS = number[int64](1000) }, RemedyLeave},
		"even where it outlived its worker":         {func(m *Remnant) { m.WorkerEnded, m.KeeperEnded, m.LastCommitMS = true, true, number[int64](0) }, RemedyLeave},
		"a recent commit without a lease":           {func(m *Remnant) { m.Lease, m.LastCommitMS = LeaseEnded, number[int64](0) }, RemedyEnd},
		"an older commit":                           {func(m *Remnant) { m.LastCommitMS = number[int64](1001) }, RemedyEnd},
		"whether it committed is not known":         {func(m *Remnant) { m.LastCommitMS = nil }, RemedyLook},
		"so of one that outlived its worker":        {func(m *Remnant) { m.WorkerEnded, m.KeeperEnded, m.LastCommitMS = true, true, nil }, RemedyLook},
		"its lease cannot be told":                  {func(m *Remnant) { m.Lease, m.WorkerEnded, m.KeeperEnded = LeaseUnknown, true, true }, RemedyLook},
		"its lease was not looked at":               {func(m *Remnant) { m.Lease, m.WorkerEnded, m.KeeperEnded = "", true, true }, RemedyLook},
		"a loop that runs":                          {func(m *Remnant) { m.Role, m.Lease = RoleLaunch, LeaseEnded }, RemedyLeave},
		"what is left of a loop that does not run":  {func(m *Remnant) { m.Role, m.Lease, m.WorkerEnded, m.KeeperEnded = RoleLaunch, LeaseEnded, true, true }, RemedyEnd},
		"a process of ours with nothing else known": {func(m *Remnant) { *m = Remnant{Process: m.Process} }, RemedyLook},
	} {
		m := idle()
		tt.change(&m)
		got := m.Judge()
		if got.Remedy != tt.want || got.Why == "" || (got.Next != "") != (tt.want == RemedyEnd) {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestWhatIsLeftOverHasOneOutcome(t *testing.T) {
	prune := Trace{Own: true, Ended: true, Lease: LeaseEnded, Age: MarkerAge}
	for name, tt := range map[string]struct {
		ev   ReclaimEvidence
		live bool
		want Reclaiming
		code int
	}{
		"nothing":                     {ReclaimEvidence{}, false, ReclaimNothing, 0},
		"nothing, to be removed":      {ReclaimEvidence{}, true, ReclaimNothing, 0},
		"a marker can go":             {ReclaimEvidence{Traces: []Trace{prune}}, false, ReclaimFlagged, 3},
		"a marker went":               {ReclaimEvidence{Traces: []Trace{prune}}, true, ReclaimDone, 0},
		"a file went":                 {ReclaimEvidence{Strays: []Stray{{Age: FileAge}}}, true, ReclaimDone, 0},
		"one went, another is unread": {ReclaimEvidence{Traces: []Trace{prune}, Unread: []string{"x"}}, true, ReclaimFlagged, 3},
		"one is in order":             {ReclaimEvidence{Traces: []Trace{{Own: true}}}, true, ReclaimNothing, 0},
		"a process may be ended":      {ReclaimEvidence{Remnants: []Remnant{idle()}}, false, ReclaimFlagged, 3},
	} {
		v := Reclaim(tt.ev)
		if tt.live {
			for i := range v.Markers {
				v.Markers[i].Removed = v.Markers[i].Remedy == RemedyPrune
			}
			for i := range v.Files {
				v.Files[i].Removed = true
			}
			v = v.Concluded(true)
		}
		if v.Outcome != tt.want || v.ExitCode() != tt.code || v.Reason == "" {
			t.Errorf("%s: %s, want %s", name, v, tt.want)
		}
	}
	kept := Reclaim(ReclaimEvidence{Traces: []Trace{prune}})
	kept.Markers[0].Failed = "it is a folder"
	if kept = kept.Concluded(true); kept.Outcome != ReclaimFlagged || !strings.Contains(kept.String(), "not removed: it is a folder") {
		t.Errorf("one that could not be removed: %s", kept)
	}
}

func TestOnePidIsEndedByAPersonAndOnlyIfItMayBe(t *testing.T) {
	busy := idle()
	busy.PID, busy.Liveness = 8, Advancing
	v := Reclaim(ReclaimEvidence{Remnants: []Remnant{idle(), busy}})
	for name, tt := range map[string]struct {
		pid    int64
		driver string
		want   Reclaiming
	}{
		"one that may be":         {7, "", ReclaimDone},
		"asked for by a driver":   {7, "RID-1", ReclaimRefused},
		"one that is at work":     {8, "", ReclaimRefused},
		"one that is not of ours": {9, "", ReclaimRefused},
	} {
		if _, got := v.Enact(tt.pid, tt.driver); got.Outcome != tt.want || (got.ExitCode() == 0) != (tt.want == ReclaimDone) {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	unread := Reclaim(ReclaimEvidence{Unread: []string{"the markers"}})
	if _, got := unread.Enact(7, ""); got.Outcome != ReclaimRefused || !strings.Contains(got.Reason, "the markers") {
		t.Errorf("with markers that cannot be read: %s", got)
	}
}

func TestAnEndingSaysWhatBecameOfTheProcess(t *testing.T) {
	_, v := Reclaim(ReclaimEvidence{Remnants: []Remnant{idle()}}).Enact(7, "")
	for name, tt := range map[string]struct {
		e    Ending
		want Reclaiming
		says string
	}{
		"it ended":        {Ending{PID: 7, Signal: "TERM", Pinned: true, Gone: true}, ReclaimDone, "ended by TERM"},
		"it was gone":     {Ending{PID: 7, Gone: true}, ReclaimDone, "had ended by itself"},
		"it is there":     {Ending{PID: 7, Signal: "KILL", Pinned: true}, ReclaimFlagged, "is there still"},
		"it was not held": {Ending{PID: 7, Signal: "TERM", Gone: true}, ReclaimDone, "no way to hold on"},
	} {
		if got := v.ByEnding(tt.e); got.Outcome != tt.want || !strings.Contains(got.Reason, tt.says) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
