package main

import (
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

func TestWhatALeaseOfSomebodyElseCoversIsNotCommitted(t *testing.T) {
	own := lease.Record{Lane: "api", Nonce: "n", State: lane.Held, Tree: []string{"api/**"}}
	other := func(change func(*lease.Record)) lease.Record {
		r := lease.Record{Lane: "sub", Nonce: "m", State: lane.Held, Tree: []string{"api/sub/**"}, Holder: lease.Holder{Owner: "ann"}}
		change(&r)
		return r
	}
	for name, c := range map[string]struct {
		others  []lease.Record
		unread  []lease.Unread
		path    string
		covered bool
	}{
		"nobody else":                      {nil, nil, "api/sub/x", false},
		"one that covers it":               {[]lease.Record{other(func(*lease.Record) {})}, nil, "api/sub/x", true},
		"one that covers another path":     {[]lease.Record{other(func(*lease.Record) {})}, nil, "api/x", false},
		"one that was given back":          {[]lease.Record{other(func(r *lease.Record) { r.State = lane.Free })}, nil, "api/sub/x", false},
		"one that is parked":               {[]lease.Record{other(func(r *lease.Record) { r.State = lane.Parked })}, nil, "api/sub/x", true},
		"one that may touch anything":      {[]lease.Record{other(func(r *lease.Record) { r.Tree = nil })}, nil, "api/x", true},
		"one of a lane that has no files":  {[]lease.Record{other(func(r *lease.Record) { r.Lane, r.Tree = "_dispatcher", nil })}, nil, "api/x", false},
		"one that cannot be read may have": {nil, []lease.Unread{{Chain: "web"}}, "api/x", true},
	} {
		why := coveredBy(admit.Reading{Lanes: append([]lease.Record{own}, c.others...), Unread: c.unread}, own, c.path)
		if (why != "") != c.covered {
			t.Errorf("%s: %q", name, why)
		}
		if c.covered && c.unread == nil && !strings.Contains(why, "ann") {
			t.Errorf("%s: it does not say whose: %q", name, why)
		}
	}
}
