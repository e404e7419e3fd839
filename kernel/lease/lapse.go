package lease

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// maxAhead is how far ahead of the reader's clock a stamp may be before it is
// called skewed.
const maxAhead = 30 * time.Second

// A Watch is what this node knows of how long things have stood.
type Watch struct {
	Seen map[string]time.Duration // by chain: how long its very tip has been seen unchanged
	Gone map[string]bool          // by chain: its holder's process has provably ended

	// Fenced are the chains, of lanes that a node has on the remote, whose very tip
	// stood when that node moved the lane there: no push from before lands any more.
	Fenced map[string]bool
}

// Lapsing holds the numbers that a lapse is judged by.
type Lapsing struct {
	Margin func(ttl time.Duration) time.Duration // allowed for clocks that run at different rates
	Skew   time.Duration                         // largest difference between any two clocks, 0 when not known
	Now    time.Time                             // the reader's wall clock
}

func (by Lapsing) margin(ttl time.Duration) time.Duration {
	if by.Margin == nil {
		return max(30*time.Second, ttl/10)
	}
	return by.Margin(ttl)
}

// A Lapse says whether a lease may be taken from its holder.
type Lapse struct {
	Over   bool
	Why    string        // with Over: what proves it
	Skewed bool          // its stamp is in the future: this clock or the holder's is wrong
	In     time.Duration // until watching alone would prove it, should the lease stay as it is; 0 where it never will
}

// proc is the process that a lease which is renewed goes on to name.
func (r Record) proc(gone bool) *Proc {
	if gone {
		return nil
	}
	return r.Proc
}

// Lapsed returns the chains of the leases that are over.
func (t Table) Lapsed(by Lapsing) map[string]bool {
	over := map[string]bool{}
	for chain := range t.Chains {
		if t.Lapse(chain, by).Over {
			over[chain] = true
		}
	}
	return over
}

// Lapse judges the lease on a chain. A lease that is held or waits is over when
// its holder's process has ended, when its tip has been seen unchanged for its
// ttl and the margin, whatever the clocks say, or when its own stamp is older
// than its ttl by more than any two clocks can differ. A claim inside a lease is over
// with that. A parked lease is never
// over, and neither is one that cannot be read.
func (t Table) Lapse(chain string, by Lapsing) Lapse {
	if l := t.alone(chain, by); l.Over {
		return l
	} else if why := t.unseated(chain, by); why != "" {
		return Lapse{Over: true, Why: why, Skewed: l.Skewed}
	} else {
		return l
	}
}

// alone is Lapse for what a lease shows itself, whatever it rides.
func (t Table) alone(chain string, by Lapsing) Lapse {
	r, ok := t.Chains[chain]
	if !ok || t.Unread[chain] != nil || r.State != lane.Held && r.State != lane.Waiting {
		return Lapse{}
	}
	ttl := time.Duration(r.TTL) * time.Second
	age := by.Now.Sub(r.RenewedAt)
	l := Lapse{Skewed: age < -maxAhead}
	whole := ttl + by.margin(ttl)
	switch seen := t.Watch.Seen[chain]; {
	case r.Taking && t.Watch.Fenced[chain]:
		l.Over, l.Why = true, strings.TrimPrefix(r.Reason, "lapsed: ")
	case t.Watch.Gone[chain]:
		l.Over, l.Why = true, "its process has ended"
	case seen >= whole:
		l.Over, l.Why = true, fmt.Sprintf("nothing has renewed it for %s, as watched from here", seen.Round(time.Second))
	case by.Skew > 0 && age > ttl+by.Skew:
		l.Over, l.Why = true, fmt.Sprintf("it was renewed last at %s, and clocks differ by %s at most", r.RenewedAt.UTC().Format(time.RFC3339), by.Skew)
	default:
		l.In = whole - seen
	}
	return l
}
