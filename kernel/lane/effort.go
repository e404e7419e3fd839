package lane

// An effort is what comparing a pattern, or a region, costs beside another.
type effort struct{ segments, wild, text int }

// maxEffort bounds what is compared for one answer, to a few seconds.
const maxEffort = 200_000_000

func (p pattern) effort() effort {
	if p.form != byGlob {
		return effort{segments: 1}
	}
	e := effort{segments: len(p.segments)}
	for _, s := range p.segments {
		if s.kind == literal {
			e.text += len(s.text)
		}
		e.wild += len(s.wide)
	}
	return e
}

func (r region) effort() (sum effort) {
	for _, p := range r {
		e := p.effort()
		sum = effort{sum.segments + e.segments, sum.wild + e.wild, sum.text + e.text}
	}
	return sum
}

// beside is the number of steps at most. Literal names are compared at once.
func (e effort) beside(f effort) int {
	return e.segments*f.segments + e.wild*(f.wild+f.text) + e.text*f.wild
}
