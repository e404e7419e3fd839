package life

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/refstore"
)

// asked is the verdict on a unit: its word, or "?" with the hold that is not
// known.
func (f *field) asked(unit string) (string, pick.PickableVerdict) {
	f.t.Helper()
	plan, phase, _ := strings.Cut(unit, "/")
	all, err := f.book().Pickable(f.t.Context(), []facts.Unit{{Plan: plan, Phase: phase}})
	if err != nil {
		return "error: " + err.Error(), pick.PickableVerdict{}
	}
	v := pick.DecidePickable(all[0])
	if v.Err() != nil {
		return "? " + v.Detail, v
	}
	return string(v.Outcome), v
}

func (f *field) wantPick(claim, unit, want, detail string) {
	f.t.Helper()
	got, v := f.asked(unit)
	if !strings.HasPrefix(got, want) || !strings.Contains(got+v.Detail, detail) {
		f.t.Errorf("%s: %s %s; want %s %s", claim, got, v.Detail, want, detail)
	}
}

func (f *field) rows(rows ...journal.Row) {
	f.t.Helper()
	if _, err := f.book().Record(f.t.Context(), rows...); err != nil {
		f.t.Fatal(err)
	}
}

func (f *field) takeUnit(lane, unit string, wait time.Duration) {
	f.t.Helper()
	v, err := f.desk().Acquire(f.t.Context(), admit.Request{Lanes: []string{lane}, Unit: unit, Owner: "alice", TTL: 15 * time.Minute, Wait: wait})
	if err != nil || v.Lease == nil {
		f.t.Fatalf("%+v, %v", v, err)
	}
}

// committed commits a file as it is.
func (f *field) committed(subject, path, text string) {
	f.t.Helper()
	f.write(path, text)
	f.git("add", ".")
	f.git("commit", "--quiet", "-m", subject)
}

func TestPickableByHistoryAndPlans(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.wantPick("nothing is known of it", "AUTH/AUTH1", "OFFERABLE", "nothing holds it; no plan document at refs/heads/main lists it")
	f.committed("plans", "docs/auth-plan.md", "## 1. AUTH AUTH1 — x\n- **AUTH2 — y** Depends on: AUTH1\n- **AUTH3 — GATED**\n- **AUTH4 — SOAKING**\n- **AUTH5 — DRAFT**\n- **AUTH6 — z** Depends on: the weather\n- **AUTH7 — z** Depends on: AUTH7\n")
	f.wantPick("a unit of a plan", "AUTH/AUTH1", "OFFERABLE", "nothing holds it")
	if _, v := f.asked("AUTH/AUTH1"); v.Detail != "nothing holds it" {
		t.Errorf("a unit that a plan lists: %s", v)
	}
	f.wantPick("what it depends on has not shipped", "AUTH/AUTH2", "DEPENDENCY_UNMET", "depends on AUTH/AUTH1, which has not shipped")
	f.wantPick("it waits for somebody", "AUTH/AUTH3", "OPERATOR_GATED", "docs/auth-plan.md:3")
	f.wantPick("it soaks", "AUTH/AUTH4", "SOAK_OPEN", "docs/auth-plan.md:4")
	f.wantPick("it is a draft", "AUTH/AUTH5", "DRAFT_CLASS", "docs/auth-plan.md:5")
	f.wantPick("what it depends on is no unit", "AUTH/AUTH6", "UNPARSEABLE", "the weather")
	f.wantPick("it depends on itself", "AUTH/AUTH7", "error: units depend on each other", "")
	f.write("api/one", "1")
	f.git("add", ".")
	f.git("commit", "--quiet", "-m", "AUTH AUTH1: one", "-m", "Dos-Phase: AUTH/AUTH1")
	f.wantPick("it shipped", "AUTH/AUTH1", "SHIPPED", "")
	f.wantPick("in another spelling too", "auth/auth1", "SHIPPED", "")
	f.wantPick("what it depended on shipped", "AUTH/AUTH2", "OFFERABLE", "")
	f.write("docs/auth-plan.md", "## 1. AUTH AUTH2 — DRAFT\n")
	f.wantPick("the work tree does not count", "AUTH/AUTH2", "OFFERABLE", "")
	f.committed("no text", "docs/bad-plan.md", "\x00")
	f.wantPick("a plan file that cannot be read may hold it", "AUTH/AUTH2", "? whether it is DEPENDENCY_UNMET cannot be told", "docs/bad-plan.md")
	f.wantPick("and does not hide that it shipped", "AUTH/AUTH1", "SHIPPED", "")
}

func TestPickableByLeases(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.takeUnit("api", "AUTH/AUTH1", 0)
	f.wantPick("a lease names it", "AUTH/AUTH1", "IN_FLIGHT", "lane api, held by alice on box")
	f.wantPick("in another spelling too", "auth/auth1", "IN_FLIGHT", "lane api")
	f.wantPick("of another unit it says nothing", "AUTH/AUTH2", "OFFERABLE", "")
	f.takeUnit("global", "AUTH/AUTH3", time.Millisecond)
	f.wantPick("a lease that waits names it", "AUTH/AUTH3", "SOFT_CLAIMED_ELSEWHERE", "lane global, waiting by alice on box")
	f.now = noon.Add(time.Hour)
	f.wantPick("it has lapsed", "AUTH/AUTH1", "STALE_CLAIM", "deadline was 2026-01-02T12:15:00Z")
	f.git("update-ref", "refs/dos/lane/web", "HEAD")
	f.wantPick("a lane that cannot be read may name it", "AUTH/AUTH2", "? whether it is", "web")
	f.wantPick("and does not hide what is known", "AUTH/AUTH1", "STALE_CLAIM", "")
	all, err := f.book().Pickable(t.Context(), []facts.Unit{{Plan: "AUTH", Phase: "AUTH2"}})
	if err != nil || !slices.ContainsFunc(all[0].Unknown, func(u pick.Finding) bool { return u.Hold == pick.InFlight }) {
		t.Errorf("whether it is in flight is not known: %+v, %v", all, err)
	}
}

func TestPickableByWorkersOnTheirWay(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.rows(journal.Row{Op: journal.OpSpawn, Lane: "api", RunID: "run-1", Unit: "AUTH/AUTH1"}, journal.Row{Op: journal.OpLaunch, Lane: "web", RunID: "run-2", WaveID: "w", Unit: "AUTH::AUTH2"})
	f.wantPick("a worker was started for it", "AUTH/AUTH1", "SOFT_CLAIMED_ELSEWHERE", "node box started a worker")
	f.wantPick("by a wave too", "AUTH/AUTH2", "SOFT_CLAIMED_ELSEWHERE", "")
	f.wantPick("for another unit", "AUTH/AUTH3", "OFFERABLE", "")
	f.now = noon.Add(2 * time.Minute)
	f.wantPick("it never showed up", "AUTH/AUTH1", "OFFERABLE", "")
	f.wantPick("nor did that of the wave", "AUTH/AUTH2", "OFFERABLE", "")
}

func TestPickableByAttempts(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.rows(journal.Row{Op: journal.OpAttempt, Unit: "AUTH/AUTH1", Outcome: "drained"}, journal.Row{Op: journal.OpAttempt, Unit: "AUTH/AUTH2", Outcome: "error"})
	f.now = noon.Add(29 * time.Minute)
	f.wantPick("it was tried just now", "AUTH/AUTH1", "COOLDOWN", "ended drained 29m0s ago")
	f.wantPick("in another spelling too", "auth/Auth1", "COOLDOWN", "")
	f.wantPick("an error cools too", "AUTH/AUTH2", "COOLDOWN", "")
	f.wantPick("another unit was not", "AUTH/AUTH11", "OFFERABLE", "")
	f.now = noon.Add(30 * time.Minute)
	f.wantPick("for a shorter time", "AUTH/AUTH2", "OFFERABLE", "")
	f.now = noon.Add(6 * time.Hour)
	f.wantPick("it is over", "AUTH/AUTH1", "OFFERABLE", "")
	f.rows(journal.Row{Op: journal.OpAttempt, Unit: "AUTH/AUTH1", Outcome: "blocked"})
	f.rows(journal.Row{Op: journal.OpAttempt, Unit: "AUTH/AUTH1", Outcome: "shipped"})
	f.now = f.now.Add(time.Second)
	f.wantPick("of one second what did not ship wins", "AUTH/AUTH1", "COOLDOWN", "")
	f.rows(journal.Row{Op: journal.OpAttempt, Unit: "AUTH/AUTH1", Outcome: "shipped"})
	f.wantPick("by its caller's word there is nothing to wait for", "AUTH/AUTH1", "OFFERABLE", "")
}

func TestTriedCountsAllNodes(t *testing.T) {
	t.Parallel()
	f := newField(t)
	for i, node := range []string{"n1", "n2", "n2"} {
		f.forge(node, fmt.Sprintf(`{"v":1,"op":"ATTEMPT","at":"2026-01-02T11:00:0%dZ","unit":"U1","outcome":"drained"}`, i))
	}
	ev, err := f.book().Tried(t.Context(), "U1")
	if v := pick.DecideCooldown(ev); err != nil || v.Count != 3 || v.LastTS != "2026-01-02T11:00:02Z" || v.Outcome != pick.RecentlyAttempted {
		t.Errorf("%+v, %v", v, err)
	}
	if ev, err = f.book().Tried(t.Context(), "u1"); err != nil || len(ev.Attempts) != 0 {
		t.Errorf("a word that is no unit of a plan is itself alone: %+v, %v", ev, err)
	}
}

// Whatever cannot be read may tell of an attempt.
func TestAttemptsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*field)
		says  string
		later string // what is answered once the window is over
	}{
		"a row that is none": {func(f *field) { f.forge("n1", `{"v":1,"op":"ATTEMPT","at":"2026-01-02T11:00:00Z","unit":7}`) }, "of node n1", "OFFERABLE"},
		"a row of a later version": {func(f *field) {
			f.plant("n1", journal.OpAttempt, `{"v":9,"op":"ATTEMPT","seq":1,"at":"2026-01-02T11:00:00Z","unit":"A/A1"}`)
		}, "n1", "?"},
		"a row of another op than its entry": {func(f *field) {
			f.plant("n1", journal.OpGap, `{"v":1,"op":"ATTEMPT","seq":1,"at":"2026-01-02T11:00:00Z","unit":"A/A1"}`)
		}, "n1", "?"},
		"a ledger that is none":     {func(f *field) { f.git("update-ref", ledgerRef("n1"), "HEAD") }, "n1", "?"},
		"a checkpoint that is none": {func(f *field) { f.plant("n1", refstore.OpCheckpoint, `{"v":1,"op":"CHECKPOINT","seq":3,"tables":7}`) }, "n1", "OFFERABLE"},
	} {
		f := newField(t)
		c.spoil(f)
		f.wantPick(name, "A/A1", "? whether it is COOLDOWN cannot be told", c.says)
		ev, err := f.book().Tried(t.Context(), "A/A1")
		if v := pick.DecideCooldown(ev); err != nil || v.Err() == nil {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
		f.rows(journal.Row{Op: journal.OpAttempt, Unit: "A/A1", Outcome: "drained"})
		f.wantPick(name+", beside an attempt that is known", "A/A1", "COOLDOWN", "")
		f.now = time.Now().Add(7 * time.Hour) // entries bear the time at which they were forged
		f.wantPick(name+", later", "A/A1", c.later, "")
	}
}

// An older stamp above it does not take back that a row may tell of an attempt, or
// of a worker on its way.
func TestAttemptsBelowAnOlderRow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ op, says, later string }{
		{journal.OpAttempt, "? whether it is COOLDOWN cannot be told", "? whether it is COOLDOWN cannot be told"},
		{journal.OpSpawn, "? whether it is SOFT_CLAIMED_ELSEWHERE cannot be told", "OFFERABLE"},
		{journal.OpLaunch, "? whether it is SOFT_CLAIMED_ELSEWHERE cannot be told", "OFFERABLE"},
		{journal.OpHalt, "OFFERABLE", "OFFERABLE"},
	} {
		f := newField(t)
		f.now = noon
		f.plant("n1", c.op, `{"v":1,"op":"`+c.op+`","seq":1,"at":"nonsense","run_id":"run-1","unit":"A/A1"}`)
		f.plantAt(noon.AddDate(0, 0, -2), "n1", journal.OpGap, `{"v":1,"op":"GAP","seq":2,"at":"2025-12-31T12:00:00Z","kind":"k"}`)
		f.wantPick(c.op, "A/A1", c.says, "")
		f.now = noon.Add(time.Hour)
		f.wantPick(c.op+", later", "A/A1", c.later, "")
		f.now = noon.Add(7 * time.Hour)
		f.wantPick(c.op+", when it is over", "A/A1", "OFFERABLE", "")
	}
}

// plant puts an entry into a node's ledger as it is.
func (f *field) plant(node, op, payload string) {
	f.t.Helper()
	f.plantAt(noon, node, op, payload)
}

func (f *field) plantAt(at time.Time, node, op, payload string) {
	f.t.Helper()
	d := f.desk()
	w := refstore.Write{Ref: ledgerRef(node), Entry: refstore.Entry{Op: op, Payload: []byte(payload), At: at}}
	_, err := d.Repo.Update(f.t.Context(), d.Repo.Local(), refstore.Query{Kinds: []string{"journal"}}, func(refstore.Snapshot) ([]refstore.Write, error) {
		return []refstore.Write{w}, nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

// Of a ledger whose checkpoint cannot be taken up only what stands above it is
// known.
func TestAttemptsBehindABrokenCheckpoint(t *testing.T) {
	t.Parallel()
	f := newField(t)
	b := f.book()
	s := journal.New("n9")
	s.Fold(journal.OpCheckpoint, noon, []byte("{}"))
	b.states = map[string]*kept{"n9": {State: s}}
	ev, err := b.Tried(t.Context(), "A/A1")
	if v := pick.DecideCooldown(ev); err != nil || v.Err() == nil || !strings.Contains(v.Reason, "ledger of node n9: 1 row that cannot be read: the checkpoint") {
		t.Errorf("%+v, %v", v, err)
	}
}

// Attempts that had to make room count as long as they could hold a unit.
func TestAttemptsThatHadToMakeRoom(t *testing.T) {
	t.Parallel()
	f := newField(t)
	b := f.book()
	s := journal.New("n9")
	pad := strings.Repeat("u", 400)
	for i := range 12000 {
		s.Add(journal.Row{Op: journal.OpAttempt, Seq: uint64(i + 1), At: noon.Add(-time.Duration(12000-i) * time.Second), Unit: fmt.Sprint(pad, i), Outcome: "drained"})
	}
	b.states = map[string]*kept{"n9": {State: s}}
	_, forgot := b.view().Attempts()
	if forgot.IsZero() {
		t.Fatal("nothing had to make room")
	}
	for claim, c := range map[string]struct {
		now   time.Time
		known bool
	}{"within the window": {forgot.Add(6*time.Hour - time.Second), false}, "at its end": {forgot.Add(6 * time.Hour), true}} {
		f.now = c.now
		b.Desk = f.desk()
		ev, err := b.Tried(t.Context(), "A/A1")
		if v := pick.DecideCooldown(ev); err != nil || (v.Err() == nil) != c.known {
			t.Errorf("%s: %+v, %v", claim, v, err)
		}
	}
}

func ledgerRef(node string) string { return refstore.Ref("journal", node) }

func TestPickableOfSeveralUnitsIsOneLook(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.takeUnit("api", "A/A2", 0)
	all, err := f.book().Pickable(t.Context(), []facts.Unit{{Plan: "A", Phase: "A1"}, {Plan: "A", Phase: "A2"}})
	if err != nil || len(all) != 2 || all[0].State.InFlight || !all[1].State.InFlight || all[0].Unit != "A/A1" || all[1].Unit != "A/A2" {
		t.Errorf("%+v, %v", all, err)
	}
	var bad *facts.ShipRequestError
	if _, err := f.book().Pickable(t.Context(), []facts.Unit{{Plan: "A", Phase: ""}}); !errors.As(err, &bad) {
		t.Errorf("a unit without a phase: %v", err)
	}
}
