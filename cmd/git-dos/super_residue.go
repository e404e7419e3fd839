package main

import (
	"fmt"
	"time"

	"github.com/git-dos/git-dos/internal/marker"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/super"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// superResidue is what this node's workers left behind. Of other nodes nothing is told:
// their leases look alike whether their workers live or not.
type superResidue struct {
	Silent  []super.Sign `json:"silent"`  // workers that ended without a word
	Orphans []super.Sign `json:"orphans"` // leases whose worker has provably ended
	Overdue []super.Sign `json:"overdue"` // spawns that have not ended for 12 hours
	unread  []string
}

// superSilent is how many bytes a log has at most whose worker said nothing.
const superSilent = 512

// residue looks at markers, processes and leases. Nothing is removed.
func (l *superLook) residue() (s superResidue, err error) {
	s = superResidue{Silent: []super.Sign{}, Orphans: []super.Sign{}, Overdue: []super.Sign{}}
	r, err := reclaimOf(l.c, l.book)
	if err != nil {
		return s, err
	}
	if err := r.leftovers(); err != nil {
		return s, err
	}
	s.unread = r.ev.Unread
	for _, t := range r.ev.Traces {
		if t.Own && !t.Ended && t.Age >= supervise.MarkerAge {
			s.Overdue = append(s.Overdue, super.Sign{
				What:    fmt.Sprintf("run %s on lane %s was started %s ago and has not ended", verdict.Show(t.RunID), verdict.Show(t.Lane), t.Age.Round(time.Minute)),
				Command: "git dos reclaim --evidence",
			})
		}
	}
	for _, m := range r.spawns {
		if m.Launch || !m.Over(r.node) {
			continue
		}
		if n, err := reclaimLog(m.Log); err == nil && n <= superSilent {
			s.Silent = append(s.Silent, super.Sign{
				What:    fmt.Sprintf("run %s on lane %s ended without a word: %d bytes of log", verdict.Show(m.RunID), verdict.Show(m.Lane), n),
				Command: "git dos log --run-id " + verdict.ShellWord(m.RunID),
			})
		}
	}
	return s, l.orphans(r, &s)
}

// orphans are the leases of this node whose worker has provably ended.
func (l *superLook) orphans(r *reclaiming, s *superResidue) error {
	for _, rec := range r.reading.Lanes {
		own := rec.Holder.Node == r.node && !rec.Delegate && !lane.Reserved(rec.Lane)
		command := "git dos lease scavenge --lane " + verdict.ShellWord(rec.Lane)
		if r.lapsed[rec.Nonce] == "" { // it takes an operator's word until then
			command += " --force --operator NAME"
		}
		if own && rec.State == lane.Held && (marker.Ended(r.spawns, r.node, rec.RunID, rec.Nonce) || r.lapsed[rec.Nonce] != "") {
			s.Orphans = append(s.Orphans, super.Sign{
				What:    fmt.Sprintf("lane %s is held for run %s, whose worker has ended", verdict.Show(rec.Lane), verdict.Show(rec.RunID)),
				Command: command,
			})
		}
	}
	return l.c.Context.Err()
}
