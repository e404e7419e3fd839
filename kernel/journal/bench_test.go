package journal_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
)

// day is a ledger of n rows as a node with many workers writes them.
func day(n int) []journal.Row {
	all := make([]journal.Row, 0, n)
	for i := range n {
		run := fmt.Sprintf("RID-%06d", i/10)
		r := journal.Row{Seq: uint64(i + 1), At: epoch.Add(time.Duration(i) * 10 * time.Second), RunID: run, Lane: fmt.Sprintf("lane%d", i%20)}
		switch i % 10 {
		case 0:
			r.Op, r.Key, r.Unit = journal.OpSpawn, run, "PLAN/P1"
		case 1:
			r.Op, r.Goal, r.DeclaredSteps = journal.OpIntent, "ship PLAN/P1", []string{"s1", "s2", "s3"}
		case 2, 3:
			r.Op, r.StepID, r.Sha = journal.OpStepClaimed, fmt.Sprintf("s%d", i%10-1), "0123456789012345678901234567890123456789"
		case 4:
			r.Op, r.StepID, r.Sha, r.Via = journal.OpStepVerified, "s1", "0123456789012345678901234567890123456789", "file-path"
		case 5:
			r.Op, r.ReasonClass, r.Reason, r.Owner = journal.OpRefuse, "SAME_LANE_HELD", "lane is held by worker@node until some time", "worker@node"
		case 6:
			r.Op, r.Unit, r.Outcome = journal.OpAttempt, fmt.Sprintf("PLAN/P%d", i%300), "shipped"
		case 7:
			r.Op, r.Verb, r.Verdict, r.Subject = journal.OpVerdict, "liveness", "ADVANCING", "lane"
		case 8:
			r.Op, r.Sha, r.Ref, r.Verdict = journal.OpGate, "0123456789012345678901234567890123456789", "refs/heads/main", "pass"
		default:
			r.Op, r.Outcome = journal.OpExit, "CLAIM_WITNESSED"
		}
		all = append(all, r)
	}
	return all
}

func folded(b *testing.B, all []journal.Row) *journal.State {
	s := journal.New("n1")
	for _, r := range all {
		s.Add(r)
	}
	if d := journal.Merge(s).Doubts(); len(d) > 0 {
		b.Fatal(d)
	}
	return s
}

// A hundred thousand rows, folded from the first.
func BenchmarkFold100k(b *testing.B) {
	var lines [][]byte
	all := day(100_000)
	for _, r := range all {
		lines = append(lines, r.Encode())
	}
	b.ReportAllocs()
	for b.Loop() {
		s := journal.New("n1")
		for i, line := range lines {
			s.Fold(all[i].Op, all[i].At, line)
		}
	}
}

// The state of them, read back from a checkpoint.
func BenchmarkRestore100k(b *testing.B) {
	payload, err := folded(b, day(100_000)).Checkpoint(epoch)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := journal.Restore("n1", payload); err != nil {
			b.Fatal(err)
		}
	}
}

// The state that one of many nodes writes down, read back for one run and, as
// for a screen of everything, for all that is asked of the tables.
func BenchmarkRestore5k(b *testing.B) {
	payload, err := folded(b, day(5000)).Checkpoint(epoch)
	if err != nil {
		b.Fatal(err)
	}
	for name, ask := range map[string]func(journal.View){
		"Story": func(v journal.View) { v.Story("RID-000007") },
		"All":   func(v journal.View) { v.Alerts(); v.Acks(); v.Spawns(); v.ForgotAlerts() },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(payload)))
			b.ReportAllocs()
			for b.Loop() {
				s, err := journal.Restore("n1", payload)
				if err != nil {
					b.Fatal(err)
				}
				ask(journal.Merge(s))
			}
		})
	}
}
