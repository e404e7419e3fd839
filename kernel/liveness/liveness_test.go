package liveness

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/kernel/verdict"
)

const (
	now    = 1_767_225_600_000 // 2026-01-01T00:00:00Z
	minute = 60_000
	hour   = 60 * minute
)

func ptr[T any](v T) *T { return &v }

// old is a run of two hours ago of which nothing else is known; with makes
// others of it.
func old() Evidence {
	return Evidence{StartedMS: now - 2*hour, NowMS: now, Policy: DefaultPolicy()}
}

func with(changes ...func(*Evidence)) Evidence {
	ev := old()
	for _, change := range changes {
		change(&ev)
	}
	return ev
}

func commits(n int64) func(*Evidence)    { return func(ev *Evidence) { ev.Commits = n } }
func events(n int64) func(*Evidence)     { return func(ev *Evidence) { ev.Events = n } }
func beat(ago int64) func(*Evidence)     { return func(ev *Evidence) { ev.BeatAgeMS = &ago } }
func progress(ago int64) func(*Evidence) { return func(ev *Evidence) { ev.ProgressAgeMS = &ago } }
func started(ago int64) func(*Evidence)  { return func(ev *Evidence) { ev.StartedMS = now - ago } }
func process(alive bool) func(*Evidence) { return func(ev *Evidence) { ev.ProcessAlive = &alive } }
func folder(there bool) func(*Evidence)  { return func(ev *Evidence) { ev.Workspace = &there } }
func skewed(ms int64) func(*Evidence)    { return func(ev *Evidence) { ev.SkewedMS = ptr(now + ms) } }
func done(holding bool) func(*Evidence) {
	return func(ev *Evidence) { ev.Finished, ev.Holding = true, holding }
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		claim string
		ev    Evidence
		want  Outcome
		class Class
	}{
		{"a commit is progress", with(commits(1)), Advancing, Commits},
		{"a lease event is", with(events(1)), Advancing, Events},
		{"commits are named first", with(commits(1), events(1)), Advancing, Commits},
		{"progress needs no beat, and no process", with(commits(1), beat(9*hour), process(false)), Advancing, Commits},
		{"a run of which nothing is known has stalled", with(), Stalled, NeverBeat},
		{"however young it is", with(started(0)), Stalled, NeverBeat},
		{"one that only beats spins", with(beat(0)), Spinning, NoProgress},
		{"a beat of the spin time still shows that it is there", with(beat(15 * minute)), Spinning, NoProgress},
		{"an older one does not", with(beat(15*minute + 1)), Stalled, Silent},
		{"a young run that beats need not have got on", with(beat(0), started(30*minute-1)), Advancing, Young},
		{"after its grace it must", with(beat(0), started(30*minute)), Spinning, NoProgress},
		{"the end of its process ends a run that only beats", with(beat(0), process(false)), Stalled, ProcessGone},
		{"a young one too", with(beat(0), started(0), process(false)), Stalled, ProcessGone},
		{"a process that lives saves nobody", with(process(true)), Stalled, NeverBeat},
		{"nor one whose beat is old", with(beat(hour), process(true)), Stalled, Silent},
		{"a run without its workspace has stalled", with(folder(false), beat(0)), Stalled, WorkspaceMissing},
		{"whatever it did before", with(folder(false), commits(3), beat(0), process(true)), Stalled, WorkspaceMissing},
		{"a workspace that is there proves nothing", with(folder(true)), Stalled, NeverBeat},
	} {
		v := Decide(c.ev)
		if v.Outcome != c.want || v.Class != c.class || v.Err() != nil || v.Reason == "" {
			t.Errorf("%s: %s %s, want %s %s", c.claim, v, v.Class, c.want, c.class)
		}
	}
	for _, ev := range []Evidence{with(commits(1)), with(events(1)), with(beat(hour)), with(folder(false)), with(done(true)), with(beat(0))} {
		alive := Decide(ev)
		ev.ProcessAlive = ptr(false)
		if v := Decide(ev); strings.Count(v.Reason, "its process has ended") != 1 || strings.Contains(alive.Reason, "process") {
			t.Errorf("with a process that has ended the reason is %q, without a process %q", v.Reason, alive.Reason)
		}
	}
	if v := Decide(with(folder(false))); !strings.Contains(v.Reason, "workspace missing") {
		t.Errorf("reason %q", v.Reason)
	}
}

func TestFinishedButStillHolding(t *testing.T) {
	for _, c := range []struct {
		claim string
		ev    Evidence
		want  Outcome
		class Class
	}{
		{"a finished run that beats on its lease is not advancing", with(done(true), beat(0)), Spinning, FinishedHolding},
		{"not even by the commits that finished it", with(done(true), beat(0), commits(3), progress(0)), Spinning, FinishedHolding},
		{"nor because it is young", with(done(true), beat(0), started(minute)), Spinning, FinishedHolding},
		{"one that does not beat has stalled", with(done(true)), Stalled, FinishedHolding},
		{"so has one whose process is gone", with(done(true), beat(0), process(false)), Stalled, FinishedHolding},
		{"or whose workspace is", with(done(true), beat(0), folder(false)), Stalled, FinishedHolding},
		{"without its lease it is judged like any run", with(done(false), commits(1)), Advancing, Commits},
		{"and is silent in the end", with(done(false), beat(hour)), Stalled, Silent},
	} {
		v := Decide(c.ev)
		if v.Outcome != c.want || v.Class != c.class {
			t.Errorf("%s: %s %s, want %s %s", c.claim, v, v.Class, c.want, c.class)
		}
		if said := strings.Contains(v.Reason, "finished but still holding"); said != c.ev.Holding {
			t.Errorf("%s: reason %q", c.claim, v.Reason)
		}
	}
	if v := Decide(with(func(ev *Evidence) { ev.Holding = true }, beat(0), commits(1))); v.Class != Commits {
		t.Errorf("one that holds its lease and is not finished is just at work: %s", v)
	}
}

func TestSkewed(t *testing.T) {
	for _, c := range []struct {
		claim string
		ev    Evidence
		want  Outcome
		class Class
	}{
		{"a stamp from the future makes nobody fresh, and nobody dead", with(skewed(hour)), Spinning, Skewed},
		{"not even young", with(skewed(hour), started(0)), Spinning, Skewed},
		{"it outlives a silent run", with(skewed(hour), beat(hour)), Spinning, Skewed},
		{"but not the end of its process", with(skewed(hour), process(false)), Stalled, ProcessGone},
		{"nor of its workspace", with(skewed(hour), folder(false)), Stalled, WorkspaceMissing},
		{"a beat that can be used decides", with(skewed(hour), beat(0)), Spinning, NoProgress},
		{"so does progress", with(skewed(hour), commits(1), progress(0)), Advancing, Commits},
		{"a finished run may still be there", with(skewed(hour), done(true)), Spinning, FinishedHolding},
		{"the end of time overflows nothing", with(func(ev *Evidence) { ev.SkewedMS = ptr(int64(math.MaxInt64)) }), Spinning, Skewed},
	} {
		v := Decide(c.ev)
		if v.Outcome != c.want || v.Class != c.class {
			t.Errorf("%s: %s %s, want %s %s", c.claim, v, v.Class, c.want, c.class)
		}
		if !strings.Contains(v.Reason, "SKEWED: stamped ") || !strings.Contains(v.Reason, "now is 2026-01-01T00:00:00Z") {
			t.Errorf("%s: the reason %q does not show both times", c.claim, v.Reason)
		}
	}
	if v := Decide(with(skewed(hour))); !strings.Contains(v.Reason, "stamped 2026-01-01T01:00:00Z") {
		t.Errorf("reason %q", v.Reason)
	}
}

func TestTheLongestAgeIsShown(t *testing.T) {
	if v := Decide(with(beat(math.MaxInt64))); v.Class != Silent || strings.Contains(v.Reason, "-") {
		t.Errorf("%s", v)
	}
}

func TestExitCodes(t *testing.T) {
	for o, want := range map[Outcome]int{Advancing: 0, Spinning: 3, Stalled: 4, "": verdict.NoVerdict, "OTHER": verdict.NoVerdict} {
		if got := (Verdict{Outcome: o}).ExitCode(); got != want {
			t.Errorf("%q: exit %d, want %d", o, got, want)
		}
	}
	if v := (Verdict{}); v.Err() == nil || !strings.Contains(v.String(), "no verdict") {
		t.Errorf("the zero verdict: %v, %q", v.Err(), v)
	}
}

func TestTheVerdictAsJSON(t *testing.T) {
	ev := with(beat(minute), process(true))
	v := Decide(ev)
	data, err := json.Marshal(v)
	want := `{"verdict":"SPINNING","reason_class":"NO_PROGRESS","reason":"it beats, and no commit or lease event of it is known since the baseline",` +
		`"evidence":{"run_started_ms":1767218400000,"now_ms":1767225600000,"commits_since_start":0,"journal_events_since":0,"last_heartbeat_age_ms":60000,` +
		`"tokens_spent_since":0,"process_alive":true,"policy":{"grace_ms":1800000,"spin_ms":900000,"progress_window_ms":3600000}}}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v; want\n%s", data, err, want)
	}
	if *ev.BeatAgeMS = 5; *v.Evidence.BeatAgeMS != minute {
		t.Error("the verdict changes with the caller's evidence")
	}
}

// evidences are any that can be judged.
var evidences = rapid.Custom(func(t *rapid.T) Evidence {
	age := rapid.Custom(func(t *rapid.T) *int64 {
		return rapid.OneOf(rapid.Just[*int64](nil), rapid.Map(rapid.Int64Range(0, 3*hour), ptr)).Draw(t, "age")
	})
	maybe := rapid.SampledFrom([]*bool{nil, ptr(true), ptr(false)})
	return Evidence{
		StartedMS: now - rapid.Int64Range(0, 3*hour).Draw(t, "started"), NowMS: now,
		Commits: rapid.Int64Range(0, 2).Draw(t, "commits"), Events: rapid.Int64Range(0, 2).Draw(t, "events"),
		BeatAgeMS: age.Draw(t, "beat"), ProgressAgeMS: age.Draw(t, "progress"),
		ProcessAlive: maybe.Draw(t, "alive"), Workspace: maybe.Draw(t, "workspace"),
		Finished: rapid.Bool().Draw(t, "finished"), Holding: rapid.Bool().Draw(t, "holding"),
		Policy: DefaultPolicy(),
	}
})

var ranks = map[Outcome]int{Advancing: 0, Spinning: 1, Stalled: 2}

// Whatever else is known, a stamp from the future never makes a run advance
// and never makes it stall, to be told that something is there changes nothing,
// and evidence that grows old never helps.
func TestWhatEvidenceMayDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := evidences.Draw(t, "evidence")
		v := Decide(ev)
		if v.Err() != nil || ranks[v.Outcome] == 0 && v.Outcome != Advancing {
			t.Fatalf("%+v: %s", ev, v)
		}
		future := ev
		future.SkewedMS = ptr(now + rapid.Int64Range(1, math.MaxInt64-now).Draw(t, "ahead"))
		switch got := Decide(future).Outcome; {
		case got == v.Outcome, got == Spinning && v.Outcome == Stalled:
		default:
			t.Fatalf("a stamp from the future makes %s of %s", got, v.Outcome)
		}
		there := ev
		if !is(ev.ProcessAlive, false) {
			there.ProcessAlive = ptr(true)
		}
		if !is(ev.Workspace, false) {
			there.Workspace = ptr(true)
		}
		if got := Decide(there); got.Outcome != v.Outcome || got.Class != v.Class {
			t.Fatalf("what is there makes %s of %s", got, v)
		}
		older := ev.copied()
		for _, age := range []*int64{older.BeatAgeMS, older.ProgressAgeMS} {
			if age != nil {
				*age += rapid.Int64Range(0, hour).Draw(t, "older")
			}
		}
		if got := Decide(older); ranks[got.Outcome] < ranks[v.Outcome] {
			t.Fatalf("older evidence makes %s of %s", got, v)
		}
	})
}
