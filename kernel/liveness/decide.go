package liveness

import (
	"fmt"
	"math"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Decide judges a run. First that applies:
//
//  1. the evidence is malformed: no verdict
//  2. its work is done and it holds its lease: SPINNING while it is there, else STALLED
//  3. its workspace is missing: STALLED
//  4. it made commits or events in the progress window: ADVANCING
//  5. its process is gone: STALLED
//  6. a fresh beat, and it is young: ADVANCING
//  7. a fresh beat: SPINNING
//  8. a stamp from the future: SPINNING
//  9. STALLED
//
// Progress is recent while its age is at most the window, a beat is fresh while
// its age is at most the spin time, and a run is young before its grace is
// over.
func Decide(ev Evidence) Verdict {
	v := Verdict{Evidence: ev.copied()}
	if err := ev.check(); err != nil {
		v.Reason = err.Error()
		return v
	}
	v.Outcome, v.Class = ev.judge()
	v.Reason = ev.reason(v.Outcome, v.Class)
	return v
}

func (ev Evidence) judge() (Outcome, Class) {
	fresh := ev.BeatAgeMS != nil && *ev.BeatAgeMS <= ev.Policy.SpinMS
	skewed := ev.SkewedMS != nil
	gone := is(ev.ProcessAlive, false)
	homeless := is(ev.Workspace, false)
	recent := ev.ProgressAgeMS == nil || *ev.ProgressAgeMS <= ev.Policy.ProgressWindowMS
	switch {
	case ev.Finished && ev.Holding && (fresh || skewed) && !gone && !homeless:
		return Spinning, FinishedHolding
	case ev.Finished && ev.Holding:
		return Stalled, FinishedHolding
	case homeless:
		return Stalled, WorkspaceMissing
	case ev.Commits > 0 && recent:
		return Advancing, Commits
	case ev.Events > 0 && recent:
		return Advancing, Events
	case gone && (fresh || skewed):
		return Stalled, ProcessGone
	case fresh && ev.NowMS-ev.StartedMS < ev.Policy.GraceMS:
		return Advancing, Young
	case fresh:
		return Spinning, NoProgress
	case skewed:
		return Spinning, Skewed
	case ev.BeatAgeMS == nil:
		return Stalled, NeverBeat
	}
	return Stalled, Silent
}

// is reports whether it is known that p is v.
func is(p *bool, v bool) bool { return p != nil && *p == v }

// reason is one sentence for whoever looks after the run.
func (ev Evidence) reason(o Outcome, c Class) string {
	var s string
	switch c {
	case Commits:
		s = verdict.Count(int(min(ev.Commits, math.MaxInt32)), "commit") + ev.lately()
	case Events:
		s = verdict.Count(int(min(ev.Events, math.MaxInt32)), "lease event") + ev.lately()
	case Young:
		s = fmt.Sprintf("it beats, and started only %s ago", span(ev.NowMS-ev.StartedMS))
	case NoProgress:
		s = fmt.Sprintf("it beats, and no commit or lease event of it is %s", ev.wanted())
	case Skewed:
		s = "nothing else is known of it than a stamp from the future"
	case FinishedHolding:
		s = "finished but still holding: every step is verified, and its lease is not released"
		if o == Stalled {
			s += "; it is not there any more"
		}
	case ProcessGone:
		s = "its process has ended, and nothing came of it lately"
	case WorkspaceMissing:
		s = "workspace missing: the folder it worked in is gone"
	case NeverBeat:
		s = "no beat of it is known, and no recent progress"
	case Silent:
		s = fmt.Sprintf("its last beat was %s ago, more than %s, and there is no recent progress", span(*ev.BeatAgeMS), span(ev.Policy.SpinMS))
	}
	if ev.Finished && !ev.Holding {
		s += "; every step of it is verified, and it holds nothing"
	}
	if is(ev.ProcessAlive, false) && c != ProcessGone {
		s += "; its process has ended"
	}
	if ev.SkewedMS != nil {
		s += fmt.Sprintf("; SKEWED: stamped %s, now is %s", stamp(*ev.SkewedMS), stamp(ev.NowMS))
	}
	return s
}

// lately says when the progress was.
func (ev Evidence) lately() string {
	if ev.ProgressAgeMS == nil {
		return " since the baseline"
	}
	return fmt.Sprintf(" since the baseline, the last %s ago", span(*ev.ProgressAgeMS))
}

// wanted says what the progress would have to be.
func (ev Evidence) wanted() string {
	if ev.ProgressAgeMS == nil {
		return "known since the baseline"
	}
	return fmt.Sprintf("younger than %s: the last was %s ago", span(ev.Policy.ProgressWindowMS), span(*ev.ProgressAgeMS))
}

// span is a length of time for people.
func span(ms int64) string {
	const longest = int64(math.MaxInt64 / time.Millisecond)
	d := time.Duration(min(ms, longest)) * time.Millisecond
	if d >= time.Second {
		d = d.Round(time.Second)
	}
	return d.String()
}

// stamp is a time for people.
func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }
