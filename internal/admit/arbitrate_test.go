package admit

import (
	"errors"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestArbitrateJudgesWhatIsStoredOrGiven(t *testing.T) {
	for where, make := range desks(t) {
		t.Run(where, func(t *testing.T) {
			d, refs := make(t)
			acquire(t, d, "api", "alice")
			before := gitIn(t, refs, "for-each-ref", "refs/dos")
			for claim, q := range map[string]struct {
				req   ArbitrateRequest
				class string
			}{
				"a lane that is stored as held":    {ArbitrateRequest{Request: lane.Request{Lane: "api"}}, lane.SameLaneHeld},
				"one that nobody holds":            {ArbitrateRequest{Request: lane.Request{Lane: "web"}}, lane.ClusterAdmitted},
				"given leases replace the stored":  {ArbitrateRequest{Request: lane.Request{Lane: "api"}, LeasesGiven: true}, lane.ClusterAdmitted},
				"and bind":                         {ArbitrateRequest{Request: lane.Request{Lane: "web"}, LeasesGiven: true, Leases: []lane.Lease{{Lane: "web", State: lane.Held}}}, lane.SameLaneHeld},
				"a budget over the policy's":       {ArbitrateRequest{Request: lane.Request{Lane: "web"}, Budgets: map[string]int{lane.Cluster: 1}}, lane.ClassBudgetExhausted},
				"force does not look at who holds": {ArbitrateRequest{Request: lane.Request{Lane: "api"}, Force: true}, lane.Forced},
			} {
				v, asOf, err := d.Arbitrate(t.Context(), q.req)
				if err != nil || v.ReasonClass != q.class || asOf.IsZero() != q.req.LeasesGiven {
					t.Errorf("%s: %+v as of %s, %v; want %s", claim, v, asOf, err, q.class)
				}
			}
			if after := gitIn(t, refs, "for-each-ref", "refs/dos"); after != before {
				t.Errorf("written:\n%s\nbefore:\n%s", after, before)
			}
			gitIn(t, refs, "update-ref", "refs/dos/lane/api", "refs/dos/order/grants")
			d.Rules.Policy.Fleet.Interval = 0
			v, _, err := d.Arbitrate(t.Context(), ArbitrateRequest{Request: lane.Request{Lane: "api"}})
			if err == nil && !errors.Is(v.Err(), lane.ErrUnreadable) {
				t.Errorf("of an unreadable lane: %+v", v)
			}
		})
	}
}
