package setup

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// futureStamp is how far ahead another clock's stamp may be before a lease that
// carries it is called skewed.
const futureStamp = 30 * time.Second

// probed reports what a remote did with a scratch ref that it took.
func (r asked) probed(p refstore.Probing) {
	r.check("REMOTE_CREATE", OK, "a ref that was created is shown to readers", "")
	r.done("REMOTE_ADVANCE", p.Advance, "a ref moves forward", "a ref cannot be moved forward", "no lane can be renewed there: name another remote for coordination")
	r.swap(p)
	r.atomic(p.Atomic)
	r.guard("REMOTE_REWIND", p.Rewind, "a ref can be moved back: whoever may push can undo what was decided",
		"a ref cannot be moved back", "on the server, git dos hooks install --server DIR or an update hook refuses it; receive.denyNonFastForwards covers branches alone")
	r.deletion(p)
	if len(p.Left) > 0 {
		r.check("REMOTE_SCRATCH", Info, "left there, and harmless: "+strings.Join(p.Left, ", "), "")
	}
	r.clock(p.Clock)
	r.check("REMOTE_RATE", Info, fmt.Sprintf("how many pushes a minute it allows is unknown; a node publishes at most once in fleet.interval = %s, admissions and releases come on top", r.policy.Fleet.Interval), "")
}

// done reports something that git-dos cannot do without.
func (r asked) done(id string, o refstore.Outcome, yes, no, remedy string) {
	switch o.Result {
	case refstore.Won:
		r.check(id, OK, yes, "")
	case refstore.Unknown:
		r.untold(id, o)
	default:
		r.check(id, Error, no+saying(o), remedy)
	}
}

// guard reports something that git-dos never does, and others had better not.
func (r asked) guard(id string, o refstore.Outcome, can, cannot, remedy string) {
	switch o.Result {
	case refstore.Won:
		r.check(id, Info, can, remedy)
	case refstore.Unknown:
		r.untold(id, o)
	default:
		r.check(id, OK, cannot+saying(o), "")
	}
}

// deletion tells a ref that can be deleted because it is scratch from one that nothing
// guards.
func (r asked) deletion(p refstore.Probing) {
	const id = "REMOTE_DELETE"
	if p.Delete.Result == refstore.Won && p.Guarded {
		r.check(id, OK, "none but a scratch ref can be deleted: the hooks of git dos are on the server", "")
		return
	}
	r.guard(id, p.Delete, "a ref can be deleted: a git push --mirror takes the fleet's state away", "a ref cannot be deleted",
		"on the server, git dos hooks install --server DIR or an update hook refuses it; receive.denyDeletes covers branches alone")
}

func (r asked) untold(id string, o refstore.Outcome) {
	r.check(id, Error, "cannot be told"+saying(o), "try again")
}

// swap reports whether a ref moves only from where its writer saw it.
func (r asked) swap(p refstore.Probing) {
	const id = "REMOTE_SWAP"
	switch {
	case p.Again.Result == refstore.Won:
		r.check(id, Error, "a ref that is there can be created once more: two workers could take one lane", "name another remote for coordination")
	case p.Stale.Result == refstore.Won:
		r.check(id, Error, "a ref moves from where it no longer is: two workers could take one lane", "name another remote for coordination")
	case p.Again.Result == refstore.Unknown:
		r.untold(id, p.Again)
	case p.Stale.Result == refstore.Unknown:
		r.untold(id, p.Stale)
	default:
		r.check(id, OK, "a ref is not created twice, nor moved from where it no longer is", "")
	}
}

func (r asked) atomic(o refstore.Outcome) {
	const id, other = "REMOTE_ATOMIC", "name another remote for coordination; code may go on living on this one"
	switch o.Result {
	case refstore.Won:
		r.check(id, OK, "several refs move together or not at all", "")
	case refstore.NoAtomic:
		r.check(id, Error, "cannot push atomically", other)
	case refstore.Lost:
		r.check(id, Error, "offers atomic pushes, and moves a part of one that cannot win", other)
	default:
		r.untold(id, o)
	}
}

// clock compares clocks where the remote tells the time.
func (r asked) clock(c refstore.ClockReading) {
	const id = "REMOTE_CLOCK"
	if !c.Known {
		r.check(id, Info, "what time it is there is unknown: nothing it answers says so", "")
		return
	}
	skew := r.policy.Lease.MaxClockSkew
	off := c.Ahead.Round(time.Second)
	way := "ahead of"
	if off < 0 {
		way = "behind"
	}
	detail := fmt.Sprintf("its clock is %s %s the one here, by %s", off.Abs(), way, c.By)
	const remedy = "set both clocks by the network; the one here is wrong if other remotes say so too"
	switch {
	case off.Abs() <= time.Second:
		r.check(id, OK, "its clock agrees with the one here, by "+c.By, "")
	case off.Abs() <= futureStamp:
		r.check(id, OK, detail, "")
	case skew > 0 && off.Abs() > skew:
		r.check(id, Error, detail+fmt.Sprintf(", more than lease.max_clock_skew = %s: leases may be taken over too early", skew), remedy)
	default:
		r.check(id, Warn, detail, remedy)
	}
}
