package life

import (
	"fmt"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// checkpointOf is the state of a node that wrote 5,000 rows about 500 runs.
func checkpointOf(b testing.TB, node string) refstore.Folded {
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
	head, parts, err := s.Split(noon)
	if err != nil {
		b.Fatal(err)
	}
	f := refstore.Folded{Payload: head}
	for _, p := range parts {
		f.Parts = append(f.Parts, refstore.Part(p))
	}
	return f
}

// BenchmarkOpen looks at 20 nodes with 100,000 rows behind checkpoints, for one
// run and for everything that a screen shows.
func BenchmarkOpen(b *testing.B) {
	f := newField(b)
	d := f.desk()
	for i := range 20 {
		node := fmt.Sprintf("n%02d", i)
		ref := refstore.Ref("journal", node)
		row := refstore.Write{Ref: ref, Entry: refstore.Entry{Op: journal.OpHalt, Payload: []byte(`{"v":1,"op":"HALT","seq":5000}`), At: noon}}
		_, err := d.Repo.Update(b.Context(), d.Repo.Local(), refstore.Query{Kinds: []string{"journal"}}, func(refstore.Snapshot) ([]refstore.Write, error) {
			return []refstore.Write{row}, nil
		})
		if err == nil {
			_, err = d.Repo.Compact(b.Context(), d.Repo.Local(), ref, noon, func(refstore.Tip) refstore.Folded { return checkpointOf(b, node) })
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	for name, ask := range map[string]func(*Book) int{
		"Run": func(book *Book) int {
			story, err := book.Story(b.Context(), "RID-n07-000123")
			if err != nil || !story.Complete {
				b.Fatal(err, story)
			}
			return len(story.Rows)
		},
		"Screen": func(book *Book) int {
			if err := book.Read(b.Context(), AskAlerts(), AskPending(noon.Add(-10*time.Minute)), AskCounts()); err != nil {
				b.Fatal(err)
			}
			told, err := book.Alerts(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			return len(told.Alerts)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				book, err := Open(b.Context(), d, true)
				if err != nil || len(book.Unread) > 0 || len(book.Doubts()) > 0 || ask(book) == 0 {
					b.Fatal(err, book)
				}
			}
		})
	}
}
