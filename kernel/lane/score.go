package lane

import "strings"

// SoftFloor is the share of a requested tree above which no ratio admits.
const SoftFloor = 1.0 / 3

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
	strict := !(ratioMax > 0) // so that no ratio at all is strict too
	return p, q, strict || !score(requested, lease, ratioMax).Admissible
}

func score(requested, lease region, ratioMax float64) Score {
	requested, _ = requested.distinct()
	lease, named := lease.distinct()
	s := Score{Requested: len(requested)}
	exact := false
	for _, p := range requested {
		if _, _, met := overlapping(region{p}, lease); met {
			s.Shared++
		}
		exact = exact || !p.everywhere() && named[p.identity()]
	}
	share := float64(s.Shared) / float64(s.Requested)
	switch {
	case s.Requested == 0 || len(lease) == 0:
		s.Verdict = RefuseOverlap
	case exact:
		s.Verdict = RefuseExactGlob
	case s.Shared == 0:
		s.Verdict = AdmitDisjoint
	case share <= SoftFloor && share <= ratioMax:
		s.Verdict = AdmitSoft
	default:
		s.Verdict = RefuseOverlap
	}
	s.Admissible = s.Verdict == AdmitDisjoint || s.Verdict == AdmitSoft
	return s
}

// distinct drops entries that differ in spelling only, so that repeating one
// cannot dilute the share. It also returns the identities of those it keeps.
func (r region) distinct() (region, map[string]bool) {
	var d region
	seen := make(map[string]bool, len(r))
	for _, p := range r {
		if id := p.identity(); !seen[id] {
			seen[id] = true
			d = append(d, p)
		}
	}
	return d, seen
}

// identity is one text for all spellings of one region. Patterns that could
// not be read are all the same: they may name any file.
func (p pattern) identity() string {
	switch p.form {
	case byPrefix:
		return "prefix " + p.prefix
	case byGlob:
		return "glob " + below(p.clean)
	}
	return ""
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
