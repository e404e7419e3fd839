package fleet

import (
	"strings"
	"testing"
	"time"
)

// ran is evidence of a command that ended by itself.
func ran(status int, change func(*GradeEvidence)) GradeEvidence {
	ev := GradeEvidence{Exit: Exit{Started: true, Status: status, Output: 10}, RateLimited: []int{75}, Overloaded: []int{69}}
	if change != nil {
		change(&ev)
	}
	return ev
}

func commits(cs ...OwnCommit) func(*GradeEvidence) {
	return func(ev *GradeEvidence) { ev.Commits = cs }
}

func unit(shipped string, cs ...OwnCommit) func(*GradeEvidence) {
	return func(ev *GradeEvidence) { ev.Unit, ev.Shipped, ev.Commits = "SHOP/API1", shipped, cs }
}

func ended(change func(*Exit)) func(*GradeEvidence) {
	return func(ev *GradeEvidence) { change(&ev.Exit) }
}

func stale(change func(*GradeEvidence)) func(*GradeEvidence) {
	return func(ev *GradeEvidence) {
		change(ev)
		seen := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
		ev.AsOf = &seen
	}
}

var (
	landed  = OwnCommit{ID: "aaaaaaaaaaaaaaaa", OnTrunk: true, Witnessed: true}
	lie     = OwnCommit{ID: "bbbbbbbbbbbbbbbb", OnTrunk: true}
	private = OwnCommit{ID: "cccccccccccccccc", Witnessed: true}
)

func TestAWorkerIsGradedFromGitWhateverItSaid(t *testing.T) {
	for name, c := range map[string]struct {
		ev     GradeEvidence
		want   WorkerOutcome
		claim  WorkerOutcome
		end    End
		reason string
		status int
	}{
		"its unit shipped by its commit":               {ran(0, unit(landed.ID, landed)), ClaimWitnessed, ClaimWitnessed, EndClaim, "shipped by aaaaaaaaaaaa", 0},
		"its unit shipped, and it then failed":         {ran(1, unit(landed.ID, landed)), ClaimWitnessed, ClaimWitnessed, EndUnclear, "", 0},
		"its unit shipped by somebody else":            {ran(0, unit("dddddddddddddddd", landed)), ClaimUnwitnessed, ClaimUnwitnessed, EndClaim, "not of this run", 5},
		"its unit shipped before it began":             {ran(0, unit("dddddddddddddddd")), ClaimNoCommit, ClaimNoCommit, EndClaim, "had shipped before", 6},
		"its unit did not ship":                        {ran(0, unit("", landed)), ClaimUnwitnessed, ClaimUnwitnessed, EndClaim, "has not shipped", 5},
		"its commits are on no trunk":                  {ran(0, unit("", private)), ClaimUnwitnessed, ClaimUnwitnessed, EndClaim, "none of them on the trunk", 5},
		"work without a unit":                          {ran(0, commits(landed)), ClaimWitnessed, ClaimWitnessed, EndClaim, "1 commit on the trunk", 0},
		"work without a unit, not pushed":              {ran(0, commits(private)), ClaimUnwitnessed, ClaimUnwitnessed, EndClaim, "", 5},
		"one of its commits lies":                      {ran(0, commits(landed, lie)), ClaimUnwitnessed, ClaimUnwitnessed, EndClaim, "commit bbbbbbbbbbbb claims", 5},
		"one that lies is not on the trunk":            {ran(0, commits(landed, OwnCommit{ID: "e"})), ClaimWitnessed, ClaimWitnessed, EndClaim, "", 0},
		"its unit shipped as was seen before":          {ran(0, stale(unit(landed.ID, landed))), ClaimUnwitnessed, ClaimUnwitnessed, EndClaim, "could not be looked at; as of 2026-01-02T12:00:00Z: unit", 5},
		"work without a unit, seen before":             {ran(0, stale(commits(landed))), ClaimUnwitnessed, ClaimUnwitnessed, EndClaim, "could not be looked at", 5},
		"nothing done, and no trunk to look at":        {ran(0, stale(commits())), ClaimNoCommit, ClaimNoCommit, EndClaim, "changed nothing of its lane", 6},
		"its lease was lost, and the trunk with it":    {ran(-1, stale(func(ev *GradeEvidence) { unit(landed.ID, landed)(ev); ev.Exit.Lost = true })), LeaseLost, ClaimUnwitnessed, EndUnclear, "as of", 4},
		"it took commits off the trunk":                {ran(0, func(ev *GradeEvidence) { unit(landed.ID, landed)(ev); ev.Dropped = "ffffffffffffffff" }), ClaimUnwitnessed, ClaimUnwitnessed, EndClaim, "no longer has ffffffffffff", 5},
		"nothing done":                                 {ran(0, nil), ClaimNoCommit, ClaimNoCommit, EndClaim, "changed nothing of its lane", 6},
		"it committed outside its lane":                {ran(0, func(ev *GradeEvidence) { ev.Elsewhere = []string{"eeeeeeeeeeeeeeee", "ffffffffffffffff"} }), ClaimNoCommit, ClaimNoCommit, EndClaim, "nothing lies in its lane: 2 commits, first eeeeeeeeeeee", 6},
		"it committed outside, and left its lane":      {ran(0, func(ev *GradeEvidence) { ev.Elsewhere, ev.Stranded = []string{"eeeeeeeeeeeeeeee"}, []string{"a"} }), ClaimNoCommit, ClaimNoCommit, EndClaim, "1 path written", 6},
		"it committed outside, and failed":             {ran(3, func(ev *GradeEvidence) { ev.Elsewhere = []string{"eeeeeeeeeeeeeeee"} }), ClaimNoCommit, ClaimNoCommit, EndUnclear, "status 3", 6},
		"it committed outside, and in its lane":        {ran(0, func(ev *GradeEvidence) { commits(landed)(ev); ev.Elsewhere = []string{"eeeeeeeeeeeeeeee"} }), ClaimWitnessed, ClaimWitnessed, EndClaim, "1 commit on the trunk", 0},
		"nothing said":                                 {ran(0, ended(func(e *Exit) { e.Output = 0 })), ClaimNoCommit, ClaimNoCommit, EndClaim, "printed nothing", 6},
		"nothing committed":                            {ran(0, func(ev *GradeEvidence) { ev.Stranded = []string{"a", "b"} }), ClaimNoCommit, ClaimNoCommit, EndClaim, "2 paths written", 6},
		"it failed":                                    {ran(3, nil), ClaimNoCommit, ClaimNoCommit, EndUnclear, "status 3", 6},
		"it was rate-limited":                          {ran(75, nil), ClaimNoCommit, ClaimNoCommit, EndRateLimited, "rate-limited", 6},
		"its service was overloaded":                   {ran(69, nil), ClaimNoCommit, ClaimNoCommit, EndOverloaded, "overloaded", 6},
		"a signal ended it":                            {ran(-1, ended(func(e *Exit) { e.Signal = "KILL" })), ClaimNoCommit, ClaimNoCommit, EndUnclear, "signal KILL", 6},
		"it never ran":                                 {GradeEvidence{}, SpawnFailed, ClaimNoCommit, EndLaunchFailed, "never ran", 7},
		"its time was over":                            {ran(0, ended(func(e *Exit) { e.TimedOut = true })), TimedOut, ClaimNoCommit, EndUnclear, "its time was over", 8},
		"its time was over after it had shipped":       {ran(-1, func(ev *GradeEvidence) { unit(landed.ID, landed)(ev); ev.Exit.TimedOut = true }), TimedOut, ClaimWitnessed, EndUnclear, "shipped", 8},
		"its lease was lost":                           {ran(0, ended(func(e *Exit) { e.Lost = true })), LeaseLost, ClaimNoCommit, EndUnclear, "lease was lost", 4},
		"its lease was lost while its time was over":   {ran(0, ended(func(e *Exit) { e.Lost, e.TimedOut = true, true })), LeaseLost, ClaimNoCommit, EndUnclear, "", 4},
		"a status that is listed, when it was stopped": {ran(75, ended(func(e *Exit) { e.Stopped = true })), ClaimNoCommit, ClaimNoCommit, EndUnclear, "interrupted", 6},
	} {
		g := Judge(c.ev)
		if g.Outcome != c.want || g.Claim != c.claim || g.End != c.end || !strings.Contains(g.Reason, c.reason) || g.ExitCode() != c.status {
			t.Errorf("%s: %s, claim %s, end %s, status %d (%s); want %s, %s, %s, %d", name, g.Outcome, g.Claim, g.End, g.ExitCode(), g.Reason, c.want, c.claim, c.end, c.status)
		}
	}
	for outcome, want := range map[WorkerOutcome]int{NotAdmitted: 3, "": 2} {
		if got := (Grade{Outcome: outcome}).ExitCode(); got != want {
			t.Errorf("%q: status %d, want %d", outcome, got, want)
		}
	}
}

func TestAGradeShowsWhatWasLeft(t *testing.T) {
	text := Judge(GradeEvidence{Exit: Exit{Started: true}, Stranded: []string{"a\x1b[2J"}, Survivors: []Process{{PID: 7, Name: "sleep", Reasons: []string{"outlived its worker"}}}}).String()
	if !strings.Contains(text, "stranded  \"a\\x1b[2J\"") || !strings.Contains(text, "survives  7 sleep: outlived its worker") {
		t.Errorf("%q", text)
	}
}
