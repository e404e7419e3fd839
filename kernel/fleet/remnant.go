package fleet

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A Remnant is a process of a worker that this node started, with what is known of
// that worker. What is nil, or empty, could not be told.
type Remnant struct {
	Process
	Role         string   `json:"role"` // WORKER, CHILD, or LAUNCH: of a loop that a supervisor started
	Unit         string   `json:"unit,omitempty"`
	WorkerEnded  bool     `json:"worker_ended"` // provably
	KeeperEnded  bool     `json:"keeper_ended"`
	Lease        Standing `json:"lease"`
	Liveness     Liveness `json:"liveness"`
	Witnessed    *int     `json:"witnessed"`      // commits of the run that git bears out
	LastCommitMS *int64   `json:"last_commit_ms"` // age of its newest commit; -1 where it has none
	LogBytes     *int64   `json:"log_bytes"`      // after its header
	Unread       []string `json:"unread"`         // why something could not be told
	RecentMS     int64    `json:"recent_ms"`      // up to which age a commit is recent
}

// The roles of a process.
const (
	RoleWorker = "WORKER"
	RoleChild  = "CHILD"
	RoleLaunch = "LAUNCH"
)

// A RemnantRow is a process judged.
type RemnantRow struct {
	Remnant
	Remedy Remedy `json:"remedy"`
	Why    string `json:"why"`
	Next   string `json:"next,omitempty"`
}

// Judge says whether an operator may have the process ended. First that applies:
//
//  1. it is not proved to be ours: LEAVE
//  2. it is a loop that was launched and runs, or something of that loop: LEAVE
//  3. its lease stands and it committed lately: LEAVE
//  4. that cannot be told: LOOK
//  5. it outlived its worker, and nobody looks after it: END
//  6. its worker ended without a word: END
//  7. its worker ended, and its keeper sees to what is left: LEAVE
//  8. its worker gets on: LEAVE
//  9. how it gets on, or what it brought, cannot be told: LOOK
//  10. it does not get on, and git bears out nothing of it: END
//  11. it does not get on, and git bears out some of it: LEAVE
func (m Remnant) Judge() RemnantRow {
	r := RemnantRow{Remnant: m}
	r.Unread = append([]string{}, m.Unread...)
	r.Reasons = append([]string{}, m.Reasons...)
	r.Remedy, r.Why = m.remedy()
	if r.Remedy == RemedyEnd {
		r.Next = fmt.Sprintf("git dos reclaim --enact %d --operator NAME", m.PID)
	}
	return r
}

func (m Remnant) remedy() (Remedy, string) {
	switch {
	case !m.Own || m.Start == "":
		return RemedyLeave, "that this node started it is not proved"
	case m.Role == RoleLaunch && !m.KeeperEnded:
		return RemedyLeave, "the loop that it is of runs, and sees to its workers"
	case m.Lease == LeaseStands && m.committedLately():
		return RemedyLeave, "its lease stands, and it committed lately"
	case m.Lease != LeaseLapsed && m.Lease != LeaseEnded && (m.Lease != LeaseStands || m.LastCommitMS == nil):
		return RemedyLook, "whether it is at work cannot be told" + m.because()
	case m.WorkerEnded && m.KeeperEnded:
		return RemedyEnd, "it outlived its worker, and nobody looks after it"
	case m.WorkerEnded && m.LogBytes != nil && *m.LogBytes <= silentLog:
		return RemedyEnd, fmt.Sprintf("its worker has ended, and left %d bytes in its log", *m.LogBytes)
	case m.WorkerEnded:
		return RemedyLeave, "its worker has ended, and its keeper sees to what is left"
	case m.Liveness == Advancing:
		return RemedyLeave, "its worker gets on"
	case m.Liveness != Spinning && m.Liveness != Stalled:
		return RemedyLook, "how its worker gets on cannot be told" + m.because()
	case m.Witnessed == nil:
		return RemedyLook, "what its worker brought cannot be told" + m.because()
	case *m.Witnessed == 0:
		return RemedyEnd, fmt.Sprintf("its worker is %s, and git bears out nothing of it", m.Liveness)
	}
	return RemedyLeave, fmt.Sprintf("its worker is %s, and git bears out %s of it: git dos halt asks for a decision", m.Liveness, verdict.Count(*m.Witnessed, "commit"))
}

func (m Remnant) committedLately() bool {
	return m.LastCommitMS != nil && *m.LastCommitMS >= 0 && *m.LastCommitMS <= m.RecentMS
}

func (m Remnant) because() string {
	if len(m.Unread) == 0 {
		return ""
	}
	return ": " + strings.Join(m.Unread, "; ")
}

func (r RemnantRow) String() string {
	words := []string{string(r.Role), "lease " + string(r.Lease)}
	if r.Unit != "" {
		words = append(words, "unit "+verdict.Show(r.Unit))
	}
	if r.Liveness != "" {
		words = append(words, string(r.Liveness))
	}
	if r.Witnessed != nil {
		words = append(words, verdict.Count(*r.Witnessed, "witnessed commit"))
	}
	if r.LogBytes != nil {
		words = append(words, fmt.Sprintf("%d bytes of log", *r.LogBytes))
	}
	return fmt.Sprintf("%s %d %s, run %s on lane %s (%s): %s", r.Remedy, r.PID, verdict.Show(r.Name), verdict.Show(r.RunID), verdict.Show(r.Lane), strings.Join(words, ", "), r.Why)
}
