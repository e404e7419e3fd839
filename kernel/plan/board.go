package plan

import "github.com/git-dos/git-dos/kernel/verdict"

// A Place is one row of a plan file: where it stands and what it claims.
type Place struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Phase string `json:"phase"`
	Claim Claim  `json:"claim,omitempty"` // "" where the phase belongs to no plan
	Title string `json:"title,omitempty"`
}

// A Unit is a phase of a plan and every row that lists it.
type Unit struct {
	Plan   string
	Phase  string
	Places []Place
}

// A Truth is what history says of a unit, in the words of verify.
type Truth struct {
	Outcome string // one of the three below; any other is taken for Indeterminate
	Rung    string
	Sha     string
	Reason  string
}

// The outcomes of verify.
const (
	Shipped       = "SHIPPED"
	NotShipped    = "NOT_SHIPPED"
	Indeterminate = "INDETERMINATE"
)

// A Divergence is a way in which a claim and the truth differ.
type Divergence string

// The divergences.
const (
	OverClaim  Divergence = "OVER_CLAIM"  // claimed shipped and not verified
	UnderClaim Divergence = "UNDER_CLAIM" // verified and not claimed shipped
)

// Outcome is the closed vocabulary of the board.
type Outcome string

// The outcomes of a board.
const (
	Agrees   Outcome = "AGREES"        // what is claimed is what is true, for every unit
	Diverges Outcome = "DIVERGES"      // for some unit it is not
	Unknown  Outcome = "INDETERMINATE" // the truth of some unit cannot be told

	// Nothing is the outcome of a board without a unit. It agrees with nothing.
	Nothing Outcome = "NOTHING_TO_CHECK"
)

// exitDiverges is the status of a strict board that diverges.
const exitDiverges = verdict.FirstOwned

// A Line is one unit on the board. Its claim is shipped where one of its rows
// claims that, else blocked where one does.
type Line struct {
	Plan       string     `json:"plan"`
	Phase      string     `json:"phase"`
	Claim      Claim      `json:"claim"`
	Truth      string     `json:"truth"`
	Divergence Divergence `json:"divergence,omitempty"`
	Rung       string     `json:"rung,omitempty"`
	Sha        string     `json:"sha,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Rows       []Place    `json:"rows"`
}

// A Board holds what plan files claim against what is true.
type Board struct {
	Outcome     Outcome  `json:"outcome"`
	Ref         string   `json:"ref"`
	RefID       string   `json:"ref_id,omitempty"`
	Files       []string `json:"files"`
	Units       []Line   `json:"units"`
	Loose       []Place  `json:"loose,omitempty"`
	Unread      []Unread `json:"unread,omitempty"`
	UnreadTotal int      `json:"unread_total"` // headings and bullets, those left out of Unread too
	OverClaims  int      `json:"over_claims"`
	UnderClaims int      `json:"under_claims"`
	Unknowns    int      `json:"unknowns"`

	Glob string `json:"-"` // that files are found by, "" where they were named

	strict bool
}

var _ verdict.Verdict = Board{}

// Decide compares each unit with its truth; a unit without one is unknown.
// Where rows of one unit differ, the row that is wrong counts: an unshipped
// unit that any row claims is over-claimed, a shipped one that any row does not
// claim is under-claimed.
func Decide(units []Unit, truths []Truth) Board {
	b := Board{Outcome: Agrees, Units: make([]Line, 0, len(units))}
	for i, u := range units {
		var t Truth
		if i < len(truths) {
			t = truths[i]
		}
		l := lineFor(u, t)
		switch {
		case l.Truth == Indeterminate:
			b.Unknowns++
		case l.Divergence == OverClaim:
			b.OverClaims++
		case l.Divergence == UnderClaim:
			b.UnderClaims++
		}
		b.Units = append(b.Units, l)
	}
	switch {
	case len(units) == 0:
		b.Outcome = Nothing
	case b.Unknowns > 0:
		b.Outcome = Unknown
	case b.OverClaims+b.UnderClaims > 0:
		b.Outcome = Diverges
	}
	return b
}

func lineFor(u Unit, t Truth) Line {
	l := Line{Plan: u.Plan, Phase: u.Phase, Claim: ClaimOpen, Truth: t.Outcome, Rung: t.Rung, Sha: t.Sha, Reason: t.Reason, Rows: u.Places}
	all := true
	for _, p := range u.Places {
		all = all && p.Claim == ClaimShipped
		if p.Claim == ClaimShipped || p.Claim == ClaimBlocked && l.Claim == ClaimOpen {
			l.Claim = p.Claim
		}
	}
	switch {
	case t.Outcome == NotShipped && l.Claim == ClaimShipped:
		l.Divergence = OverClaim
	case t.Outcome == Shipped && !all:
		l.Divergence = UnderClaim
	case t.Outcome != NotShipped && t.Outcome != Shipped:
		l.Truth = Indeterminate
	}
	return l
}

// Strict is the same board with the exit status of its outcome.
func (b Board) Strict() Board {
	b.strict = true
	return b
}

// ExitCode implements [verdict.Verdict]. A board that is not strict is read by
// people, so that every one that was decided is Yes. A strict one without a
// unit or with an unknown one is no verdict.
func (b Board) ExitCode() int {
	switch {
	case b.Outcome == Agrees, b.Outcome != "" && !b.strict:
		return verdict.Yes
	case b.Outcome == Diverges:
		return exitDiverges
	}
	return verdict.NoVerdict
}
