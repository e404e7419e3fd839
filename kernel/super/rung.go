package super

// A Climber is a worker of the last wave, as far as it bears on the next.
type Climber struct {
	Leased bool // it holds its lease, or held it to its end
	Over   bool // it has ended
	Proven bool // its first commit is borne out
}

// Hold says why no wave follows yet, "" where one may: while a worker is on its way it
// is in no count, and below the last rung the wave before must have proven itself, or
// have ended.
func Hold(full bool, workers []Climber) string {
	for _, w := range workers {
		switch {
		case w.Over:
		case !w.Leased:
			return "a worker of the last wave is on its way"
		case !full && !w.Proven:
			return "a worker of the last wave is at it, and git bears out nothing of it yet"
		}
	}
	return ""
}
