package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

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
	OverClaims  int      `json:"over_claims"`
	UnderClaims int      `json:"under_claims"`
	Unknowns    int      `json:"unknowns"`

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
// people, so that every one that was decided is Yes.
func (b Board) ExitCode() int {
	switch {
	case b.Outcome == Agrees, b.Outcome != "" && !b.strict:
		return verdict.Yes
	case b.Outcome == Diverges:
		return exitDiverges
	}
	return verdict.NoVerdict
}

// maxShown bounds what a line for people lists.
const maxShown = 5

// String is the summary and a line for each unit.
func (b Board) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s %s of %s on %s: %d over-claimed, %d under-claimed, %d unknown\n", b.Outcome,
		count(len(b.Units), "unit"), count(len(b.Files), "plan file"), b.Ref, b.OverClaims, b.UnderClaims, b.Unknowns)
	for _, l := range b.Units {
		fmt.Fprintf(&s, "  %s\n", l)
	}
	if len(b.Files) == 0 {
		s.WriteString("  there is no plan file; paths.plans_glob of dos.toml says which files are\n")
	}
	if silent := b.silent(); len(silent) > 0 {
		fmt.Fprintf(&s, "  without a phase in a form that is read: %s\n", list(silent))
	}
	if len(b.Loose) > 0 {
		fmt.Fprintf(&s, "  under no plan heading, so of no plan: %s\n", placed(b.Loose, true))
	}
	return s.String()
}

// String is one line.
func (l Line) String() string {
	mark := string(l.Divergence)
	if mark == "" {
		mark = "-"
	}
	s := fmt.Sprintf("%-11s  %-7s  %-13s  %s %s  %s", mark, l.Claim, l.Truth, l.Plan, l.Phase, placed(l.Rows, false))
	if l.Reason != "" && (l.Divergence == OverClaim || l.Truth == Indeterminate) {
		s += ": " + l.Reason
	}
	return s
}

func placed(places []Place, phases bool) string {
	var all []string
	for _, p := range places {
		at := fmt.Sprintf("%s:%d", p.File, p.Line)
		if phases {
			at = p.Phase + " at " + at
		}
		all = append(all, at)
	}
	return list(all)
}

// silent lists the files that no row stands in.
func (b Board) silent() []string {
	speaks := map[string]bool{}
	for _, l := range b.Units {
		for _, p := range l.Rows {
			speaks[p.File] = true
		}
	}
	for _, p := range b.Loose {
		speaks[p.File] = true
	}
	return slices.DeleteFunc(slices.Clone(b.Files), func(file string) bool { return speaks[file] })
}

func list(all []string) string {
	shown := strings.Join(all[:min(len(all), maxShown)], ", ")
	if more := len(all) - maxShown; more > 0 {
		shown += fmt.Sprintf(", and %d more", more)
	}
	return shown
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
