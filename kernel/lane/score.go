package lane

import "strings"

// softFloor is the share of a requested tree above which no ratio admits.
const softFloor = 1.0 / 3

// Words of a Score.
const (
	AdmitDisjoint   = "admit_disjoint"
	AdmitSoft       = "admit_soft"
	RefuseOverlap   = "refuse_overlap"
	RefuseExactGlob = "refuse_exact_glob"
)

// A Score says how much of a requested tree a lease already covers.
type Score struct {
	Verdict    string `json:"verdict"`
	Shared     int    `json:"shared"`    // requested entries that meet the lease
	Requested  int    `json:"requested"` // distinct requested entries
	Admissible bool   `json:"admissible"`
}

// Score weighs a requested tree against a lease's. An entry both of them
// name, unless it names every file, refuses. Otherwise up to the ratio of the
// requested entries may meet the lease; a ratio above one third has no
// effect, and zero, like anything that is no ratio, tolerates no overlap.
func (g Algebra) Score(requested, lease []string, ratioMax float64) Score {
	return score(g.region(requested), g.region(lease), ratioMax)
}

// Blocks reports whether a lease keeps a requested tree out. An unknown tree
// on either side blocks.
func (g Algebra) Blocks(requested, lease []string, ratioMax float64) bool {
	_, _, blocked := blocks(g.region(requested), g.region(lease), ratioMax)
	return blocked
}

func blocks(requested, lease region, ratioMax float64) (p, q string, blocked bool) {
	p, q, overlap := overlapping(requested, lease)
	if !overlap {
		return "", "", false
	}
	return p, q, !score(requested, lease, ratioMax).Admissible
}

func score(requested, lease region, ratioMax float64) Score {
	requested, lease = requested.distinct(), lease.distinct()
	s := Score{Requested: len(requested)}
	exact := false
	for _, p := range requested {
		if _, _, met := overlapping(region{p}, lease); met {
			s.Shared++
		}
		exact = exact || !p.everywhere() && lease.holds(p)
	}
	share := float64(s.Shared) / float64(s.Requested)
	switch {
	case s.Requested == 0 || len(lease) == 0:
		s.Verdict = RefuseOverlap
	case exact:
		s.Verdict = RefuseExactGlob
	case s.Shared == 0:
		s.Verdict = AdmitDisjoint
	case share <= softFloor && share <= ratioMax:
		s.Verdict = AdmitSoft
	default:
		s.Verdict = RefuseOverlap
	}
	s.Admissible = s.Verdict == AdmitDisjoint || s.Verdict == AdmitSoft
	return s
}

// distinct drops entries that differ in spelling only, so that repeating one
// cannot dilute the share.
func (r region) distinct() region {
	var d region
	for _, p := range r {
		if !d.holds(p) {
			d = append(d, p)
		}
	}
	return d
}

func (r region) holds(p pattern) bool {
	for _, q := range r {
		if p.same(q) {
			return true
		}
	}
	return false
}

// same reports whether two patterns are spellings of one region. Patterns
// that could not be read are all the same: they may name any file.
func (p pattern) same(q pattern) bool {
	switch {
	case p.form != q.form:
		return false
	case p.form == byPrefix:
		return p.prefix == q.prefix
	case p.form == byGlob:
		return below(p.clean) == below(q.clean)
	}
	return true
}

// below returns the folded entry without the endings that add nothing, since
// every entry holds what lies below it.
func below(clean string) string {
	clean = strings.TrimSuffix(clean, "/")
	for strings.HasSuffix(clean, "/**") {
		clean = strings.TrimSuffix(clean, "/**")
	}
	return fold(clean)
}
