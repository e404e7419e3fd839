package life

import (
	"fmt"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// checkpointOf is the state of a node that wrote 5,000 rows about 500 runs.
func checkpointOf(b *testing.B, node string) []byte {
	s := journal.New(node)
	for i := range 5000 {
		r := journal.Row{
			Seq: uint64(i + 1), At: noon.Add(time.Duration(i-5000) * 10 * time.Second),
			RunID: fmt.Sprintf("RID-%s-%06d", node, i/10), Lane: fmt.Sprintf("lane%d", i%20),
		}
		switch i % 10 {
		case 0:
			r.Op, r.Key, r.Unit = journal.OpSpawn, r.RunID, "PLAN/P1"
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
			r.Op, r.Sha, r.Ref = journal.OpGate, "0123456789012345678901234567890123456789", "refs/heads/main"
		default:
			r.Op, r.Outcome = journal.OpExit, "CLAIM_WITNESSED"
		}
		s.Add(r)
	}
	payload, err := s.Checkpoint(noon)
	if err != nil {
		b.Fatal(err)
	}
	return payload
}

// BenchmarkOpen looks at 20 nodes with 100,000 rows behind checkpoints, for one
// run and for everything that a screen shows.
func BenchmarkOpen(b *testing.B) {
	f := newField(b)
	d := f.desk()
	for i := range 20 {
		node := fmt.Sprintf("n%02d", i)
		w := refstore.Write{Ref: refstore.Ref("journal", node), Entry: refstore.Entry{Op: refstore.OpCheckpoint, Payload: checkpointOf(b, node), At: noon}}
		_, err := d.Repo.Update(b.Context(), d.Repo.Local(), refstore.Query{Kinds: []string{"journal"}}, func(refstore.Snapshot) ([]refstore.Write, error) {
			return []refstore.Write{w}, nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for name, ask := range map[string]func(journal.View) int{
		"Run":    func(v journal.View) int { return len(v.Story("RID-n07-000123").Rows) },
		"Screen": func(v journal.View) int { v.Acks(); v.Spawns(); return len(v.Alerts()) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				book, err := Open(b.Context(), d, true)
				if err != nil || len(book.Unread) > 0 || len(book.View.Doubts()) > 0 || ask(book.View) == 0 {
					b.Fatal(err, book)
				}
			}
		})
	}
}
