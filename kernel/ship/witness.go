package ship

import (
	"fmt"
	"slices"
	"strings"
)

// A Witness says how far evidence can be trusted.
type Witness string

// The witnesses.
const (
	Ledger        Witness = "ledger"          // a SHIP entry made under a lease, borne out by the commit
	Signed        Witness = "signed"          // a Dos-Ship trailer under a verified signature
	Trailer       Witness = "trailer"         // a Dos-Ship trailer, all paths inside the lane's tree
	SubjectInTree Witness = "subject-in-tree" // a stamp, all paths inside the lane's tree
	Subject       Witness = "subject"         // a stamp or trailer, tree unknown or left
	Mention       Witness = "mention"         // named in passing by a release
)

// ranking lists the witnesses, strongest first.
var ranking = []Witness{Ledger, Signed, Trailer, SubjectInTree, Subject, Mention}

// ParseFloor reads the name of a witness as the least that is to count. The
// empty name is the default floor.
func ParseFloor(name string) (Witness, error) {
	if w := Witness(name); name == "" || slices.Contains(ranking, w) {
		return w, nil
	}
	var names []string
	for _, w := range ranking {
		names = append(names, string(w))
	}
	return "", fmt.Errorf("floor %q is no witness; use one of %s", name, strings.Join(names, ", "))
}

// rank is smaller for the stronger; an unknown witness is weaker than all.
func (w Witness) rank() int {
	if i := slices.Index(ranking, w); i >= 0 {
		return i
	}
	return len(ranking)
}

func (w Witness) atLeast(floor Witness) bool {
	return w.rank() < len(ranking) && w.rank() <= floor.rank()
}
