package liveness

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestD14ProgressGrowsOld(t *testing.T) {
	for _, c := range []struct {
		claim string
		ev    Evidence
		want  Outcome
	}{
		{"progress of an hour ago is recent", with(commits(3), progress(hour)), Advancing},
		{"older commits keep no run alive", with(commits(3), progress(hour+1)), Stalled},
		{"nor do older events", with(events(3), progress(hour+1)), Stalled},
		{"a run that got on once and only beats now spins", with(commits(3), progress(3*hour), beat(0)), Spinning},
		{"and one whose process died is reaped", with(commits(3), progress(3*hour), beat(0), process(false)), Stalled},
		{"recent progress without a count is none", with(progress(0)), Stalled},
		{"progress of an unknown age counts", with(commits(1)), Advancing},
	} {
		if v := Decide(c.ev); v.Outcome != c.want {
			t.Errorf("%s: %s, want %s", c.claim, v, c.want)
		}
	}
}

func count(run string, commits ...Commit) Tally { return Count(slices.Values(commits), run, now) }

func TestD14OnlyItsOwnCommitsCount(t *testing.T) {
	const run = "RID-1"
	at := func(run string, inTree bool, ago int64) Commit { return Commit{run, inTree, now - ago} }
	for _, c := range []struct {
		claim   string
		commits []Commit
		want    int64
	}{
		{"a commit that names the run counts wherever it lies", []Commit{at(run, false, 0)}, 1},
		{"one in its tree that names nobody does", []Commit{at("", true, 0)}, 1},
		{"one elsewhere that names nobody does not", []Commit{at("", false, 0)}, 0},
		{"a sibling's does not", []Commit{at("RID-2", false, 0)}, 0},
		{"not even in its tree", []Commit{at("RID-2", true, 0)}, 0},
		{"a date a minute ahead is now", []Commit{at(run, true, -MaxAheadMS)}, 1},
		{"one further ahead does not count", []Commit{at(run, true, -MaxAheadMS-1)}, 0},
		{"each counts once", []Commit{at(run, true, 0), at("", true, 5), at("RID-2", true, 0), at(run, false, 9)}, 3},
	} {
		if got := count(run, c.commits...); got.Commits != c.want {
			t.Errorf("%s: %d, want %d", c.claim, got.Commits, c.want)
		}
	}
	if got := count("", at("", false, 0)); got.Commits != 0 {
		t.Errorf("a run without an id has the commits without a trailer: %d", got.Commits)
	}
	got := count(run, at(run, true, 9*minute), at(run, true, 5*minute), at("RID-2", true, 0), at(run, true, -2*hour), at(run, true, -hour))
	if got.Commits != 2 || *got.AgeMS != 5*minute || *got.SkewedMS != now+2*hour {
		t.Errorf("%+v", got)
	}
}

func TestD14EvidenceTakesTheNewest(t *testing.T) {
	tally := Tally{Commits: 2, AgeMS: ptr(int64(7)), SkewedMS: ptr(int64(now + 3))}
	journal := Folded{Events: 3, BeatAgeMS: ptr(int64(1)), EventAgeMS: ptr(int64(5)), SkewedMS: ptr(int64(now + 9))}
	ev := with(progress(99), skewed(99)).Seen(tally, journal)
	if ev.Commits != 2 || ev.Events != 3 || *ev.BeatAgeMS != 1 || *ev.ProgressAgeMS != 5 || *ev.SkewedMS != now+9 {
		t.Errorf("%+v", ev)
	}
	if ev = ev.Seen(Tally{}, Folded{}); ev.Commits != 0 || ev.BeatAgeMS != nil || ev.ProgressAgeMS != nil || ev.SkewedMS != nil {
		t.Errorf("what was seen before is kept: %+v", ev)
	}
	if v := Decide(with().Seen(count("R", Commit{"R", true, now + 9*hour}), Folded{})); v.Outcome != Spinning || v.Class != Skewed {
		t.Errorf("a commit from the future keeps its run fresh: %s", v)
	}
}

func TestD15ToBeScavengedIsNoProgress(t *testing.T) {
	birth := entry("ACQUIRE", 0)
	f := fold(birth, entry("SCAVENGE", 5*minute), entry("RECONCILE", 6*minute))
	if f.Events != 0 || *f.BeatAgeMS != hour {
		t.Errorf("%+v, want no event, and the beat of its birth", f)
	}
	if v := Decide(with().Seen(Tally{}, f)); v.Outcome != Stalled {
		t.Errorf("%s, want STALLED", v)
	}
}

func TestD16TimesThatCannotBe(t *testing.T) {
	for field, ev := range map[string]Evidence{
		"last_heartbeat_age_ms": with(beat(-1)),
		"last_progress_age_ms":  with(progress(-1)),
		"run_started_ms":        with(started(-1), beat(0)),
	} {
		if v := Decide(ev); v.ExitCode() != 2 || v.Err() == nil || !strings.Contains(v.Err().Error(), field) {
			t.Errorf("%s: %s", field, v)
		}
	}
	for _, c := range []struct {
		claim        string
		minted, want int64 // -1: refused
	}{
		{"a run started when its id was minted", now - hour, now - hour},
		{"or now", now, now},
		{"a clock may be a minute fast", now + minute, now},
		{"and no more", now + minute + 1, -1},
	} {
		got, err := Started(c.minted, now)
		if err != nil {
			got = -1
		}
		if got != c.want || err != nil && !strings.Contains(err.Error(), "run id") {
			t.Errorf("%s: %d, %v; want %d", c.claim, got, err, c.want)
		}
	}
	if age, skew := Age(now+minute, now); skew != nil || age == nil || *age != 0 {
		t.Errorf("a stamp a minute ahead: age %v, skewed %v", age, skew)
	}
	if age, skew := Age(math.MinInt64, now); skew != nil || age == nil || *age != now {
		t.Errorf("a stamp before all time: age %v, skewed %v", age, skew)
	}
	if age, skew := Age(now+minute+1, now); age != nil || skew == nil || *skew != now+minute+1 {
		t.Errorf("a stamp further ahead: age %v, skewed %v", age, skew)
	}
}

func TestD17CompactionIsNoDeath(t *testing.T) {
	mineAt := func(ago int64) Entry {
		return Entry{Op: "CHECKPOINT", Leases: []Held{{others, ptr(int64(now))}, {mine, ptr(now - ago)}}}
	}
	if f := fold(mineAt(minute)); f.BeatAgeMS == nil || *f.BeatAgeMS != minute || f.Events != 0 {
		t.Errorf("a lease that a checkpoint carries on: %+v, want its beat and no event", f)
	}
	if f := fold(mineAt(minute), entry("ACQUIRE", 50*minute)); f.Events != 1 {
		t.Errorf("%+v: who had the lane before the checkpoint was not born after it", f)
	}
	if f := fold(Entry{Op: "CHECKPOINT", Leases: []Held{{Key: mine}}}, entry("ACQUIRE", 50*minute)); f.Events != 1 || *f.BeatAgeMS != 10*minute {
		t.Errorf("a lease without a beat: %+v", f)
	}
	if f := fold(Entry{Op: "CHECKPOINT", Leases: []Held{{others, ptr(int64(now))}}}, entry("ACQUIRE", 50*minute)); f.Events != 0 {
		t.Errorf("%+v: another's lease is not a birth of mine", f)
	}
	if f := fold(mineAt(-hour)); f.BeatAgeMS != nil || f.SkewedMS == nil {
		t.Errorf("a checkpoint's beat may lie in the future too: %+v", f)
	}
	if f := fold(entry("ADOPT", 50*minute)); f.BeatAgeMS == nil || *f.BeatAgeMS != 10*minute || f.Events != 0 {
		t.Errorf("to adopt a lease is a beat of the new holder: %+v", f)
	}
}
