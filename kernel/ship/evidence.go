package ship

// A Fact is a yes or no that may be out of sight. The zero Fact is Unknown.
type Fact int8

// The three values of a Fact.
const (
	Unknown Fact = iota
	No
	Yes
)

// FactOf turns a known answer into a Fact.
func FactOf(b bool) Fact {
	if b {
		return Yes
	}
	return No
}

func (f Fact) String() string { return [...]string{"unknown", "no", "yes"}[f] }

func (f Fact) not() Fact {
	switch f {
	case Yes:
		return No
	case No:
		return Yes
	}
	return Unknown
}

func (f Fact) and(g Fact) Fact {
	switch {
	case f == No || g == No:
		return No
	case f == Yes && g == Yes:
		return Yes
	}
	return Unknown
}

// History says how much of the history behind the ref was read.
type History string

// The states of a history. Any other value, the zero one included, counts as
// Missing.
const (
	Complete History = "complete" // to the roots
	Shallow  History = "shallow"  // to the edge of a shallow clone
	Missing  History = "missing"  // until an object could not be read
)

// Evidence is everything Decide may know.
type Evidence struct {
	Query      Query
	Ref        string  // the ref that was walked, in full
	RefID      string  // the commit it named, "" when its branch has none yet
	Floor      Witness // "" is the default: SubjectInTree where a lane tree is known, else Subject
	History    History
	Gap        string        // what is missing, for people
	Candidates []Candidate   // commits the ref reaches that may name the unit, newest first
	Reverts    []Revert      // commits the ref reaches that undo one of these or one another
	Ledger     []LedgerEntry // SHIP entries; those of other units or commits are passed over

	// Near counts the commits whose text holds the phase and that name the unit
	// in no form; without those among the candidates.
	Near int

	// Section is what the unit's section of a plan document says, Files the
	// files it names that some commit has changed since. Both are zero without
	// a document.
	Section Section
	Files   []PlanFile
}

// A Section is what a plan document says of a unit. It is prose: it can take a
// mention's weight away and gives none.
type Section int8

// The values of a Section.
const (
	SectionUnread      Section = iota // no document, or none that speaks of the unit
	SectionAgrees                     // it says that the unit has shipped
	SectionContradicts                // it does not, or says that it still soaks
)

// A PlanFile is a file that a plan names for a unit. A hub is a file that so
// many commits touch that changing it says little.
type PlanFile struct {
	Path string
	Hub  bool
}

// A Candidate is a commit the ref reaches.
type Candidate struct {
	ID      string
	Subject string   // raw, by git's rule
	Body    []byte   // raw, where it may mention units or take them back
	Units   []string // the values of its Dos-Ship trailers
	Signed  Fact     // a verified signature by an allowed key
	Merge   bool     // it has more than one parent
	Touches []string // those of the evidence's Files that it changed, after the plan named them

	// Substantive says that its first-parent diff has a path that is not a
	// release, ledger or plan file.
	Substantive Fact

	// Lane is the unit's lane where that lane's tree is declared, else "".
	// InTree says that every changed path lies in that tree.
	Lane   string
	InTree Fact

	// Whole says that every edge of a shallow history is an ancestor, so that
	// no revert of this commit can lie beyond one.
	Whole Fact
}

// A LedgerEntry is a SHIP entry of a lane chain.
type LedgerEntry struct {
	ID     string // the entry's own commit
	Ref    string // the lane ref it stands on
	Lane   string
	Gen    uint64
	Plan   string
	Phase  string
	Commit string   // the commit that shipped
	Tree   []string // the tree of the lease it was made under

	CommitTree string // the tree object it says that commit has

	// Leased says that the chain below has the lease the entry was made under,
	// of the same generation, nonce and tree, and that the commit's own tree is
	// the one the entry names.
	Leased Fact

	// Inside says that every path the commit changed lies in Tree.
	Inside Fact
}

// A Revert is a commit the ref reaches whose message undoes others.
type Revert struct {
	ID     string
	Undoes []Undo
}

// An Undo is one commit a revert takes back, directly or with the merge that
// brought it in.
type Undo struct {
	ID string // a candidate or another revert

	// Covers says that the revert changes every substantive path that the
	// undone commit changed. Words alone may withdraw a ship; restoring one
	// takes the change itself.
	Covers Fact
}
