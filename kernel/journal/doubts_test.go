package journal_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
)

// noRow is an entry that is no row and names no run.
func noRow(op string, at time.Time) entry { return entry{op, []byte(`{"v":1,"seq":"x"}`), at} }

func TestWhatIsNoRowIsAboutNoRunThatIsYounger(t *testing.T) {
	minute := func(n int) time.Time { return epoch.Add(time.Duration(n) * time.Minute) }
	row := func(seq uint64, at time.Time) entry {
		return entry{journal.OpCap, journal.Row{Op: journal.OpCap, Account: "a", Seq: seq, At: at}.Encode(), at}
	}
	for _, c := range []struct {
		claim string
		chain []entry
		made  time.Time
		want  bool
	}{
		{"a run made before it", []entry{noRow(journal.OpIntent, epoch)}, minute(-5), true},
		{"a run made when it was written", []entry{noRow(journal.OpIntent, epoch)}, epoch, true},
		{"a run whose clock may be ahead of the writer's", []entry{noRow(journal.OpIntent, epoch)}, minute(1), true},
		{"by less than a second more, which entries do not tell", []entry{noRow(journal.OpIntent, epoch)}, minute(1).Add(999 * time.Millisecond), true},
		{"a run made after it", []entry{noRow(journal.OpIntent, epoch)}, minute(1).Add(time.Second), false},
		{"a run of which nobody knows when it was made", []entry{noRow(journal.OpIntent, epoch)}, time.Time{}, true},
		{"an entry without a time", []entry{noRow(journal.OpIntent, time.Time{})}, minute(60), true},
		{"and others with one", []entry{noRow(journal.OpIntent, time.Time{}), noRow(journal.OpIntent, epoch)}, minute(60), true},
		{"in either order", []entry{noRow(journal.OpIntent, epoch), noRow(journal.OpIntent, time.Time{})}, minute(60), true},
		{"an entry stamped in the future", []entry{noRow(journal.OpIntent, minute(60))}, minute(30), true},
		{"a clock that ran backwards below it", []entry{row(1, minute(60)), noRow(journal.OpIntent, epoch)}, minute(30), true},
		{"a clock that ran backwards above it", []entry{noRow(journal.OpIntent, epoch), row(2, minute(60))}, minute(30), false},
		{"the newest counts, not the last", []entry{noRow(journal.OpIntent, minute(60)), noRow(journal.OpIntent, epoch)}, minute(30), true},
		{"an entry of a kind that no run's story has", []entry{noRow(journal.OpHalt, epoch)}, epoch, false},
		{"a row of another kind than its entry", []entry{{journal.OpHalt, []byte(`{"v":1,"op":"INTENT","seq":"x"}`), epoch}}, epoch, true},
	} {
		stands(t, c.claim, func(v journal.View) string {
			h := v.Story("R").Hidden
			return fmt.Sprint(len(h), h[0].Node, h[0].Corrupt, h[0].OfRun(c.made))
		}, fmt.Sprint(1, "n1", true, c.want), fold("n1", c.chain))
	}
	stands(t, "without any nothing is hidden", func(v journal.View) string { return fmt.Sprint(len(v.Hidden())) }, "0", fold("n1", []entry{row(1, epoch)}))
}

func TestWhatIsNoRowMayHideAStartOrAnAttempt(t *testing.T) {
	ahead := entry{journal.OpCap, journal.Row{Op: journal.OpCap, Account: "a", Seq: 1, At: epoch.Add(time.Hour)}.Encode(), epoch}
	for _, c := range []struct {
		claim string
		chain []entry
		since time.Time
		want  string
	}{
		{"a start", []entry{noRow(journal.OpSpawn, epoch)}, epoch, "true false false"},
		{"one by a wave", []entry{noRow(journal.OpLaunch, epoch)}, epoch, "false true false"},
		{"an attempt", []entry{noRow(journal.OpAttempt, epoch)}, epoch, "false false true"},
		{"one that names its run", []entry{{journal.OpSpawn, []byte(`{"v":1,"op":"SPAWN","run_id":"R"}`), epoch}}, epoch, "true false false"},
		{"an attempt that does", []entry{{journal.OpAttempt, []byte(`{"v":1,"op":"ATTEMPT","run_id":"R"}`), epoch}}, epoch, "false false true"},
		{"one before the time", []entry{noRow(journal.OpAttempt, epoch)}, epoch.Add(time.Second), "false false false"},
		{"a clock that ran backwards below it", []entry{ahead, noRow(journal.OpAttempt, epoch)}, epoch.Add(time.Hour), "false false true"},
		{"also of a start", []entry{ahead, noRow(journal.OpSpawn, epoch)}, epoch.Add(time.Hour), "true false false"},
		{"another row", []entry{noRow(journal.OpIntent, epoch)}, epoch, "false false false"},
		{"an entry without a time", []entry{noRow(journal.OpSpawn, time.Time{})}, epoch.Add(time.Hour), "true false false"},
		{"a checkpoint", []entry{{journal.OpCheckpoint, []byte(`{"v":1,"op":"CHECKPOINT","seq":1,"node":"n2"}`), epoch}}, epoch, "true true true"},
		{"a row of another kind than its entry", []entry{{journal.OpHalt, []byte(`{"v":1,"op":"GAP","seq":"x"}`), epoch}}, epoch, "true true true"},
	} {
		stands(t, c.claim, func(v journal.View) string {
			h := v.Hidden()[0]
			return fmt.Sprint(h.Spawn(c.since), h.Launch(c.since), h.Attempt(c.since))
		}, c.want, fold("n1", c.chain))
	}
}

// Only the newest few are kept in full, and what the others may hide is not
// forgotten.
func TestManyEntriesThatAreNoRowsAreCounted(t *testing.T) {
	chain := []entry{noRow(journal.OpSpawn, epoch.Add(time.Hour)), noRow(journal.OpIntent, epoch.Add(time.Hour))}
	for i := range 1100 {
		chain = append(chain, entry{journal.OpHalt, fmt.Appendf(nil, `{"v":1,"op":"HALT","run_id":"R%d"}`, i), epoch})
	}
	chain = append(chain, entry{journal.OpIntent, []byte(`{"v":1,"op":"INTENT","run_id":"R-late"}`), epoch.Add(2 * time.Hour)})
	ask := func(v journal.View) string {
		h := v.Hidden()[0]
		hour := func(n float64) time.Time { return epoch.Add(time.Duration(n * float64(time.Hour))) }
		return fmt.Sprint(h.Entries, len(h.Last), h.Spawn(hour(1)), h.Spawn(hour(1.5)), v.Story("R7").Corrupt, v.Story("R-late").Corrupt, h.OfRun(hour(2)), h.OfRun(hour(2.5)))
	}
	stands(t, "and one that names a run more than are told apart is about any", ask, "1103 32 true false true false true false", fold("n1", chain))
}

// A checkpoint that tells no times of them was made without: they may be of any.
func TestDoubtsOfACheckpointWithoutTimesAlwaysCount(t *testing.T) {
	s := fold("n1", []entry{noRow(journal.OpIntent, epoch)})
	payload, err := s.Checkpoint(epoch)
	if err != nil {
		t.Fatal(err)
	}
	const times = `,"newest":{"run":"2026-11-29T12:00:00Z"}`
	const tells = `,"tells":["attempt","cap","launch","spawn","verdict","run"]`
	old := strings.Replace(string(payload), times, "", 1)
	if !strings.Contains(string(payload), times+tells) {
		t.Fatalf("%s is not in %s", times+tells, payload)
	}
	for _, c := range []struct{ claim, payload, want string }{
		{"with times", string(payload), "false false false false false false"},
		{"without", old, "true true true true true true"},
		{"about runs that they name", strings.Replace(old, `,"any":true`, "", 1), "false true true true true true"},
		{"with those of starts", strings.Replace(string(payload), tells, "", 1), "false false true true true true"},
	} {
		got, err := journal.Restore("n1", []byte(c.payload))
		if err != nil {
			t.Fatal(c.claim, err)
		}
		stands(t, c.claim, func(v journal.View) string {
			h, late := v.Hidden()[0], epoch.Add(time.Hour)
			return fmt.Sprint(h.OfRun(late), h.Spawn(late), h.Launch(late), h.Attempt(late), h.Cap(late), h.Verdict(late))
		}, c.want, got)
	}
}

func TestNoDoubtIsLeftOfAForkThatALongerLedgerOutgrew(t *testing.T) {
	state := func(lanes ...string) *journal.State {
		s := journal.New("n1")
		for i, lane := range lanes {
			s.Add(journal.Row{V: 1, Op: journal.OpRefuse, Seq: uint64(i + 1), At: epoch, Lane: lane})
		}
		return s
	}
	long, a, b := state("src", "docs"), state("src"), state("docs")
	for _, order := range [][]*journal.State{{long, a, b}, {a, b, long}, {b, long, a}} {
		if got := journal.Merge(order...).Doubts(); got != nil {
			t.Fatalf("%#v, not nil", got)
		}
	}
	if got := journal.Merge(a, b).Doubts(); len(got) != 1 {
		t.Fatalf("a fork is doubted: %v", got)
	}
}
