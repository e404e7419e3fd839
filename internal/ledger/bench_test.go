package ledger

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// history fills the ledger of a node with rows, by git fast-import, and puts a
// checkpoint between each step of them and the next.
func history(t testing.TB, r *refstore.Repo, node string, rows, step, pad int) {
	t.Helper()
	ref := "refs/dos/journal/" + node
	for from := 1; from <= rows; from += step {
		var in strings.Builder
		base := ""
		if from > 1 {
			base = "from " + gitIn(t, r.CommonDir, "rev-parse", ref) + "\n"
		}
		for n := from; n < from+step && n <= rows; n++ {
			payload := fmt.Sprintf(`{"v":1,"op":"ATTEMPT","seq":%d,"at":"2026-01-02T12:00:00Z","n":%d,"unit":"plan-%d/phase-%d","run_id":"RID-0123456789-%d","outcome":"shipped","reason":"a reason of some length for attempt %d","pad":%q}`, n, n, n%7, n%31, n, n, strings.Repeat("p", pad))
			m := message(node, "ATTEMPT", payload, 1)
			fmt.Fprintf(&in, "commit %s\ncommitter git-dos <git-dos@localhost> %d +0000\ndata %d\n%s%s\n", ref, at.Unix(), len(m), m, base)
			base = ""
		}
		cmd := exec.Command("git", "fast-import", "--quiet", "--force")
		cmd.Dir, cmd.Stdin = r.CommonDir, strings.NewReader(in.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if from+step <= rows {
			compact(t, r, node, 0)
		}
	}
}

// BenchmarkAppend is one writer in one process.
func BenchmarkAppend(b *testing.B) {
	r := newRepo(b)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if _, err := Append(b.Context(), r, "n1", row("ATTEMPT", n)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBeat is one writer in one process; 16 names beat in turn.
func BenchmarkBeat(b *testing.B) {
	r := newRepo(b)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if _, err := RecordBeat(b.Context(), r, "n1", fmt.Sprint("w", n%16), Beat{At: at.Add(time.Duration(n) * time.Second)}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRead is of a ledger with 100,000 rows behind checkpoints and a
// hundred above the last.
func BenchmarkRead(b *testing.B) {
	r := newRepo(b)
	history(b, r, "n1", 100000, 5000, 0)
	compact(b, r, "n1", 0)
	gitIn(b, r.CommonDir, "repack", "-a", "-d", "--quiet")
	add(b, r, "n1", 100001, 100100)
	for name, c := range map[string]struct {
		q    Query
		rows int
	}{
		"Present": {Query{}, 101}, "PresentOldestFirst": {Query{Oldest: true}, 101},
		"History": {Query{History: true}, 100100}, "HistoryOldestFirst": {Query{History: true, Oldest: true}, 100100},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rows := 0
				if _, err := Read(b.Context(), r, c.q, func(Entry) bool { rows++; return true }); err != nil || rows != c.rows {
					b.Fatalf("%d rows, %v", rows, err)
				}
			}
		})
	}
	b.Run("AppendOnTop", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Append(b.Context(), r, "n1", row("ATTEMPT", 1)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDayOfBeats is 16 workers that beat every minute of a day, with the
// size of the repository before and after gc.
func BenchmarkDayOfBeats(b *testing.B) {
	for b.Loop() {
		r := newRepo(b)
		for minute := range 24 * 60 {
			for who := range 16 {
				now := at.Add(time.Duration(minute)*time.Minute + time.Duration(who)*time.Second)
				if _, err := RecordBeat(b.Context(), r, "n1", fmt.Sprintf("worker-%02d", who), Beat{At: now, RunID: fmt.Sprintf("RID-0123456789ab-%02d", who), Host: "host-1"}); err != nil {
					b.Fatal(err)
				}
			}
		}
		done, err := Gc(b.Context(), r, GcRequest{Node: "n1", Now: at.Add(24 * time.Hour), Fold: sum(0), Keep: policy.Retention{JournalMaxEntries: 5000, JournalMaxAgeDays: 30}})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(done.Before.KiB())/1024, "MiB-before")
		b.ReportMetric(float64(done.After.KiB())/1024, "MiB-after")
		b.ReportMetric(float64(done.After.Loose), "loose-after")
	}
}
