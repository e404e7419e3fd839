package lease

import "fmt"

// Tokens of breaches: what a push would do that no client of this protocol does.
const (
	IllegalStep      = "ILLEGAL_STEP"       // the op does not lead from the state before to the one after
	BadGeneration    = "BAD_GENERATION"     // the generation is not the one that follows
	StaleToken       = "STALE_TOKEN"        // the entry has another nonce than the lease it is about
	HolderSwap       = "HOLDER_SWAP"        // within one generation the lease changes hands
	ChangedRecord    = "CHANGED_RECORD"     // the op changes what it has to leave as it is
	ForgedShip       = "FORGED_SHIP"        // a SHIP entry says what the trunk does not bear out
	LaneWithoutOrder = "LANE_WITHOUT_ORDER" // an admission that the order does not know
	OrderWithoutLane = "ORDER_WITHOUT_LANE" // the order says of a lane what the lane does not show
	LiveBooking      = "LIVE_BOOKING"       // the order takes a unit or a seat from a lease that lives
	LeaseFence       = "LEASE_FENCE"        // the trunk moves over a held tree without its lease
	RideWithoutLease = "RIDE_WITHOUT_LEASE" // a claim inside a lease that is not there
	CannotJudge      = "CANNOT_JUDGE"       // what it would be judged by cannot be read
)

// A Breach is one thing that is wrong with a push.
type Breach struct {
	Token  string
	Chain  string // of the lane, "" for the order
	Path   string // with LeaseFence: the first path of the tree that changes
	Reason string // one sentence
	Fix    string
}

func (b *Breach) Error() string { return b.Token + ": " + b.Reason }

// What a breach is answered with.
const (
	fixByVerb  = "move lanes with git dos lease, never by hand"
	fixAgain   = "run the command again: it decides on what is there now"
	fixPush    = "push the trunk with git dos push, under a lease of the lane"
	fixUnread  = "git dos doctor on the server names what cannot be read"
	fixOwnNode = "it belongs in the repository of its node, and is not to be pushed"
)

func breach(token, fix, format string, args ...any) *Breach {
	return &Breach{Token: token, Fix: fix, Reason: fmt.Sprintf(format, args...)}
}

// on is a breach with the chain that it is about.
func (b *Breach) on(chain string) *Breach {
	if b != nil {
		b.Chain = chain
	}
	return b
}
