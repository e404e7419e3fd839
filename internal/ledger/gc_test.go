package ledger

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

func TestCheckpointIsDueByRowsAndByAge(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	day := 24 * time.Hour
	none, err := DueFor(t.Context(), r, "n1", policy.Retention{}, at)
	if err != nil || none != (Due{}) {
		t.Errorf("no ledger: %+v, %v", none, err)
	}
	add(t, r, "n1", 1, 3)
	compact(t, r, "n1", 0)
	if d, err := DueFor(t.Context(), r, "n1", policy.Retention{}, at.Add(99*day)); err != nil || d != (Due{}) {
		t.Errorf("nothing above the checkpoint: %+v, %v", d, err)
	}
	add(t, r, "n1", 4, 8)
	for claim, c := range map[string]struct {
		entries, days int
		age           time.Duration
		want          string
	}{
		"fewer rows than allowed":        {6, 30, day, ""},
		"as many rows as allowed":        {5, 30, day, "entries"},
		"more":                           {4, 30, day, "entries"},
		"zero is every row":              {0, 30, day, "entries"},
		"a row younger than allowed":     {6, 30, 30*day - time.Second, ""},
		"a row as old as allowed":        {6, 30, 30 * day, "age"},
		"no limits":                      {-1, -1, 999 * day, ""},
		"no limit of rows, but of age":   {-1, 30, 31 * day, "age"},
		"no limit of age, but of rows":   {5, -1, 999 * day, "entries"},
		"a row from the future is young": {6, 0, -day, ""},
	} {
		d, err := DueFor(t.Context(), r, "n1", policy.Retention{JournalMaxEntries: c.entries, JournalMaxAgeDays: c.days}, at.Add(c.age))
		if err != nil || d.Rows != 5 || d.Reason != c.want {
			t.Errorf("%s: %+v, %v", claim, d, err)
		}
	}
}

func gc(t testing.TB, r *refstore.Repo, keep int, dry bool) Tidied {
	t.Helper()
	done, err := Gc(t.Context(), r, GcRequest{Node: "n1", Now: at, Fold: sum(0), DryRun: dry, Keep: policy.Retention{JournalMaxEntries: keep, JournalMaxAgeDays: -1}})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func TestGcPacksAndCompactsWhatIsDueAndLosesNothing(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	add(t, r, "n1", 1, 9)
	for i := range 5 {
		beat(t, r, "tick", time.Duration(i)*time.Second, "r")
	}
	was, before := record(t, r), gitIn(t, r.CommonDir, "for-each-ref")
	dry := gc(t, r, 5, true)
	if dry.Due.Reason != "entries" || dry.Journal != "" || dry.Node != "" || dry.After != dry.Before || gitIn(t, r.CommonDir, "for-each-ref") != before {
		t.Errorf("dry run %+v", dry)
	}
	if few := gc(t, r, 99, false); few.Due.Reason != "" || few.Journal != "" || few.Node != "" || gitIn(t, r.CommonDir, "for-each-ref") != before {
		t.Errorf("nothing is due: %+v", few)
	}
	add(t, r, "n1", 10, 10)
	done := gc(t, r, 5, false)
	if done.Journal == "" || done.Node == "" || done.Before.Loose == 0 || done.After.Loose != 0 || done.After.Packs == 0 {
		t.Errorf("gc %+v", done)
	}
	got, _, err := numbers(t, r, Query{})
	if want(t, got, "10:sum55"); err != nil {
		t.Error(err)
	}
	got, _, err = numbers(t, r, Query{History: true, Oldest: true})
	if want(t, got, "1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10"); err != nil {
		t.Error(err)
	}
	if record(t, r) != was {
		t.Errorf("record %s\nwas    %s", record(t, r), was)
	}
	if again := gc(t, r, 1, false); again.Journal != "" || again.Node != "" {
		t.Errorf("nothing is new and yet %+v", again)
	}
	if !beat(t, r, "tick", time.Minute, "r9") || !strings.Contains(record(t, r), "r9") {
		t.Error("no beat goes on top of the checkpoint")
	}
	gitIn(t, r.CommonDir, "fsck", "--strict")
}

func TestGcSaysWhatIsLeftToTheUser(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for value, want := range map[string]string{"": "before git 2.41", "true": "", "yes": "", "no": "is told not to"} {
		if value != "" {
			gitIn(t, r.WorkTree, "config", "gc.cruftPacks", value)
		} else {
			_ = exec.Command("git", "-C", r.WorkTree, "config", "--unset", "gc.cruftPacks").Run() // it may not be set
		}
		done, err := Gc(t.Context(), r, GcRequest{Now: at, DryRun: true})
		if got := strings.Join(done.Advice, "\n"); err != nil || (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("gc.cruftPacks %q: %q, %v", value, got, err)
		}
	}
	gitIn(t, r.WorkTree, "config", "gc.cruftPacks", "neither")
	if done, err := Gc(t.Context(), r, GcRequest{Now: at, DryRun: true}); err == nil {
		t.Errorf("a setting that is none: %v", done.Advice)
	}
	if _, err := Gc(t.Context(), r, GcRequest{Node: "n1", Now: at}); err == nil {
		t.Error("a ledger is compacted without a fold")
	}
}

func TestGcOfABrokenLedgerIsAnError(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	add(t, r, "n1", 1, 3)
	plant(t, r, "refs/dos/journal/n1", "ACK", `{"v":2,"op":"ACK","seq":4}`)
	if done, err := Gc(t.Context(), r, GcRequest{Node: "n1", Now: at, Fold: sum(0), Keep: policy.Retention{JournalMaxEntries: 1}}); err == nil {
		t.Errorf("tidied %+v", done)
	}
}
