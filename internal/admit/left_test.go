package admit

import (
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
)

func TestWhatIsLeftOfALeaseIsLessThanItsDeadline(t *testing.T) {
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	d := &Desk{Now: func() time.Time { return at }}
	d.Rules.Policy = policy.Default()
	for ttl, want := range map[int64]time.Duration{60: 30 * time.Second, 120: 90 * time.Second, 900: 810 * time.Second} {
		r := lease.Record{TTL: ttl, RenewedAt: at}
		if got := d.Left(r); got != want {
			t.Errorf("of %d s: %s, want %s", ttl, got, want)
		}
		if got, third := d.Left(r), time.Duration(ttl)*time.Second/3; got <= third {
			t.Errorf("of %d s: %s, and it is renewed after %s", ttl, got, third)
		}
		r.RenewedAt = at.Add(-time.Duration(ttl) * time.Second)
		if got := d.Left(r); got > 0 {
			t.Errorf("of %d s past its deadline: %s", ttl, got)
		}
	}
}
