package lease

import (
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// Confirm judges an admission of this very call that won when a later try of the
// call was on its way already. Each of its lanes moves, so that what was decided
// meanwhile is refused when it arrives, and what later tries have landed half is
// ended. The verdict is the one that won, with its leases renewed; it is CONTENDED
// when one of them is gone. Errors are those of [Acquire].
func Confirm(ev AcquireEvidence, won Verdict) (Verdict, []Write, error) {
	ev.Lapsing.Now = ev.Stamp.Now
	if err := ev.undecidable(); err != nil {
		return Verdict{}, nil, err
	}
	d := ev.draft(nil)
	for _, r := range won.All() {
		if err := d.add(lane.Request{Lane: r.Lane}); err != nil {
			return Verdict{}, nil, err
		}
		p := d.parts[len(d.parts)-1]
		if !p.had || p.have.Chain() != r.Chain() || p.have.Nonce != r.Nonce {
			return Verdict{Outcome: Contended, Lane: r.Lane}, nil, nil
		}
		if err := d.renew(p); err != nil {
			return Verdict{}, nil, err
		}
	}
	v, writes, err := d.concluded()
	if err == nil {
		err = readBack(writes)
	}
	if err != nil {
		return Verdict{}, nil, err
	}
	if v.Kernel = won.Kernel; v.Outcome == Acquired {
		v.Reason = won.Reason // else it says what is waited for now
	}
	if v.Scavenged = append(slices.Clone(won.Scavenged), v.Scavenged...); v.UnsafeUntil == nil {
		v.UnsafeUntil = won.UnsafeUntil
	}
	return v, writes, nil
}
