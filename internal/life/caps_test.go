package life

import (
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

func TestTheNewestWordAboutAnAccountCounts(t *testing.T) {
	t.Parallel()
	f := newField(t)
	until := noon.Add(time.Hour)
	f.rows(journal.Row{Op: journal.OpCap, Account: "a", Until: &until}, journal.Row{Op: journal.OpCap, Account: "b", Until: &until})
	f.rows(journal.Row{Op: journal.OpCap, Account: "a", Outcome: journal.Uncapped})
	rows, unknown, err := f.book().Caps(t.Context())
	if err != nil || len(unknown) > 0 || len(rows) != 2 || rows[0].Outcome != journal.Uncapped || rows[1].Account != "b" || !rows[1].Until.Equal(until) {
		t.Errorf("%+v, %v, %v", rows, unknown, err)
	}
}

// Whatever cannot be read may tell of a cap, as long as one can hold.
func TestCapsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*field)
		later bool // it still may when the longest cap is over
	}{
		"a row that is none": {func(f *field) {
			f.plant("n1", journal.OpCap, `{"v":1,"op":"CAP","seq":1,"at":"2026-01-02T12:00:00Z","account":7}`)
		}, false},
		"a row without an account":  {func(f *field) { f.plant("n1", journal.OpCap, `{"v":1,"op":"CAP","seq":1,"at":"2026-01-02T12:00:00Z"}`) }, false},
		"a checkpoint that is none": {func(f *field) { f.plant("n1", refstore.OpCheckpoint, `{"v":1,"op":"CHECKPOINT","seq":3,"tables":7}`) }, false},
		"a ledger that is none":     {func(f *field) { f.git("update-ref", ledgerRef("n1"), "HEAD") }, true},
	} {
		f := newField(t)
		c.spoil(f)
		for _, at := range []struct {
			now  time.Time
			want bool
		}{{noon, true}, {noon.Add(journal.MaxCap), true}, {noon.Add(journal.MaxCap + time.Second), c.later}} {
			f.now = at.now
			_, unknown, err := f.book().Caps(t.Context())
			if got := len(unknown) > 0; err != nil || got != at.want || got && !strings.Contains(unknown[0], "n1") {
				t.Errorf("%s, at %s: %v, %v", name, at.now, unknown, err)
			}
		}
	}
	f := newField(t)
	f.plant("n1", journal.OpAttempt, `{"v":1,"op":"ATTEMPT","seq":1,"at":"2026-01-02T12:00:00Z","unit":7}`)
	if _, unknown, err := f.book().Caps(t.Context()); err != nil || len(unknown) > 0 {
		t.Errorf("a row of another op: %v, %v", unknown, err)
	}
}
