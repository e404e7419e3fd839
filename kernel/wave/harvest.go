package wave

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Came is the closed vocabulary of what came of a worker that a wave launched.
type Came string

const (
	Running         Came = "RUNNING"          // it is not over yet
	Indeterminate   Came = "INDETERMINATE"    // whether its unit shipped cannot be told
	Verified        Came = "VERIFIED"         // its unit shipped, whoever shipped it
	Elsewhere       Came = "ELSEWHERE"        // it did not, and what the worker left is for its own node to see
	Stranded        Came = "STRANDED"         // it did not, the worker is gone, and left work that is nowhere else
	QuietIncomplete Came = "QUIET_INCOMPLETE" // it did not, and the worker says that it is done
	HonestOpen      Came = "HONEST_OPEN"      // it did not, and nobody says that it did
)

// Settled reports whether there is nothing more to find out about the launch.
func (c Came) Settled() bool { return c == Verified || c == QuietIncomplete || c == HonestOpen }

// Remains is everything Harvest may know of one worker.
type Remains struct {
	Unit    string
	Over    bool
	Unclear string // why it cannot be told whether the unit shipped, "" where it can
	Shipped bool
	Sha     string // that ships it
	Claimed bool
	End     string   // what its keeper told of its end, "" for nothing
	Here    bool     // it ran on this node
	Node    string   // where it ran
	Overdue bool     // so long ago that its unit may be launched again
	Alone   string   // a commit of its that is nowhere else, "" for none
	Dirty   []string // files that it left uncommitted
	Unseen  string   // why what it left cannot be looked at, "" where it can
}

// Harvest says what came of a worker, and why. The word of the worker ships nothing,
// and its absence does not undo what git shows.
func Harvest(r Remains) (Came, string) {
	unit := verdict.Show(r.Unit)
	switch {
	case !r.Over:
		return Running, "it is not over yet"
	case r.Unclear != "":
		return Indeterminate, r.Unclear
	case r.Shipped && r.Sha != "":
		return Verified, fmt.Sprintf("unit %s shipped by %s", unit, verdict.Short(r.Sha))
	case r.Shipped:
		return Verified, "unit " + unit + " shipped"
	case !r.Here && r.Overdue:
		return Elsewhere, fmt.Sprintf("unit %s has not shipped, and may be launched again; what its worker left only node %s can see, which has told nothing of it", unit, verdict.Show(r.Node))
	case !r.Here:
		return Elsewhere, "unit " + unit + " has not shipped; what its worker left is for its own node to see"
	case r.Unseen != "":
		return Indeterminate, "what the worker left cannot be looked at: " + r.Unseen
	case r.Alone != "" && len(r.Dirty) > 0:
		return Stranded, fmt.Sprintf("commit %s and %s are nowhere else", verdict.Short(r.Alone), verdict.Count(len(r.Dirty), "uncommitted path"))
	case r.Alone != "":
		return Stranded, fmt.Sprintf("commit %s is nowhere else", verdict.Short(r.Alone))
	case len(r.Dirty) > 0:
		return Stranded, fmt.Sprintf("%s, first %s", verdict.Count(len(r.Dirty), "uncommitted path"), verdict.Show(r.Dirty[0]))
	case r.Claimed:
		return QuietIncomplete, "its worker says that unit " + unit + " is done, and it has not shipped" + after(r.End)
	}
	return HonestOpen, "unit " + unit + " has not shipped, and nobody says so" + after(r.End)
}
