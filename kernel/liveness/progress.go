package liveness

import "iter"

// A Commit is one that was made after the baseline, as far as it concerns a
// run.
type Commit struct {
	Run    string // the run its trailer names, or empty
	InTree bool   // it changes something in the tree of the run's lane
	AtMS   int64  // its commit date
}

// Tally is what the commits after a baseline say of one run.
type Tally struct {
	Commits  int64  // its own, dated now or earlier
	AgeMS    *int64 // of the newest of them
	SkewedMS *int64 // the newest date of its own that lies too far ahead
}

// Count counts the commits of a run: those that name it, and those that change
// its lane's tree and name no run at all. A commit that names another run is
// that one's, wherever it lies. Whether a commit came after the baseline is
// for the caller to know, by ancestry; its date only says how long ago.
func Count(commits iter.Seq[Commit], run string, nowMS int64) Tally {
	var t Tally
	for c := range commits {
		if own := c.Run == run && run != "" || c.Run == "" && c.InTree; !own {
			continue
		}
		ageMS, skewedMS := Age(c.AtMS, nowMS)
		if skewedMS != nil {
			t.SkewedMS = larger(t.SkewedMS, *skewedMS)
			continue
		}
		t.Commits++
		t.AgeMS = smaller(t.AgeMS, *ageMS)
	}
	return t
}

// Age is how long ago a stamp was, as evidence has it. One that is a little
// ahead of now is of now; one that is further ahead has no age and is skewed.
func Age(atMS, nowMS int64) (ageMS, skewedMS *int64) {
	if ahead(atMS, nowMS, MaxAheadMS) {
		return nil, &atMS
	}
	ms := age(atMS, nowMS)
	return &ms, nil
}

// Seen adds what the commits and the journal say of the run.
func (ev Evidence) Seen(commits Tally, journal Folded) Evidence {
	ev = ev.copied()
	ev.Commits, ev.Events, ev.BeatAgeMS = commits.Commits, journal.Events, clone(journal.BeatAgeMS)
	ev.ProgressAgeMS, ev.SkewedMS = nil, nil
	for _, ms := range []*int64{commits.AgeMS, journal.EventAgeMS} {
		if ms != nil {
			ev.ProgressAgeMS = smaller(ev.ProgressAgeMS, *ms)
		}
	}
	for _, ms := range []*int64{commits.SkewedMS, journal.SkewedMS} {
		if ms != nil {
			ev.SkewedMS = larger(ev.SkewedMS, *ms)
		}
	}
	return ev
}

// ahead reports whether a stamp lies more than a tolerance ahead of now.
func ahead(ms, nowMS, tolerance int64) bool { return ms > nowMS && ms-tolerance > nowMS }

// age is how long ago a stamp was: not at all, if it is ahead. One from before
// 1970 is as old as can be told.
func age(ms, nowMS int64) int64 { return max(0, nowMS-max(0, ms)) }

func smaller(p *int64, v int64) *int64 {
	if p != nil {
		v = min(*p, v)
	}
	return &v
}

func larger(p *int64, v int64) *int64 {
	if p != nil {
		v = max(*p, v)
	}
	return &v
}
