package replan

import (
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/loop"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func unit(name string, truth Truth, change ...func(*Unit)) Unit {
	u := Unit{Name: name, Truth: truth, Lane: "api", Reason: "why"}
	for _, c := range change {
		c(&u)
	}
	return u
}

func fresh(u *Unit)                    { u.Fresh = true }
func claimed(by ...string) func(*Unit) { return func(u *Unit) { u.Claims = by } }
func recorded(was string) func(*Unit)  { return func(u *Unit) { u.Recorded = was } }
func rows(says ...bool) func(*Unit) {
	return func(u *Unit) {
		for i, s := range says {
			u.Rows = append(u.Rows, Row{"p.md", i + 1, s})
		}
	}
}

func names(list []Unit) string {
	var all []string
	for _, u := range list {
		all = append(all, u.Name)
	}
	return strings.Join(all, " ")
}

func TestDecideSortsUnits(t *testing.T) {
	for name, c := range map[string]struct {
		unit   Unit
		forgot bool
		want   string // which lists it is in
	}{
		"shipped since":                 {unit("A/1", Shipped, fresh, rows(true)), false, "closed"},
		"shipped since, unstamped":      {unit("A/1", Shipped, fresh, rows(true, false)), false, "closed drift"},
		"shipped long ago":              {unit("A/1", Shipped, rows(true)), false, ""},
		"shipped long ago, unstamped":   {unit("A/1", Shipped, rows(false)), false, "drift"},
		"shipped, and claimed":          {unit("A/1", Shipped, claimed("x")), false, ""},
		"open":                          {unit("A/1", NotShipped, rows(false)), false, ""},
		"open, though fresh":            {unit("A/1", NotShipped, fresh), false, ""},
		"claimed":                       {unit("A/1", NotShipped, claimed("x")), false, "reopened quiet"},
		"claimed in a document":         {unit("A/1", NotShipped, claimed("x"), rows(true)), false, "reopened quiet drift"},
		"claimed, and on record":        {unit("A/1", NotShipped, claimed("x", "y"), recorded("x; y")), false, "quiet"},
		"claimed again":                 {unit("A/1", NotShipped, claimed("y"), recorded("x")), false, "reopened quiet"},
		"claimed, the record forgotten": {unit("A/1", NotShipped, claimed("x")), true, "quiet"},
		"claimed again, with some gone": {unit("A/1", NotShipped, claimed("y"), recorded("x")), true, "reopened quiet"},
		"not to be told":                {unit("A/1", Unknown, fresh, claimed("x"), rows(true, false)), false, "unknown"},
		"no truth":                      {unit("A/1", "", rows(true)), false, "unknown"},
	} {
		f := Decide(Evidence{Units: []Unit{c.unit}, Forgot: c.forgot})
		var got []string
		for _, l := range []struct {
			name string
			of   []Unit
		}{{"closed", f.Closed}, {"reopened", f.Reopened}, {"quiet", f.Quiet}, {"drift", f.Drift}, {"unknown", f.Unknown}} {
			if len(l.of) > 0 {
				got = append(got, l.name)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: in %q, want %q", name, got, c.want)
		}
	}
}

func TestTheScopeIsThatOfLanes(t *testing.T) {
	all := []Unit{unit("A/1", Shipped, fresh), unit("A/2", Shipped, fresh, func(u *Unit) { u.Lane = "web" }), unit("A/3", Unknown, func(u *Unit) { u.Lane = "" }), unit("A/4", NotShipped, func(u *Unit) { u.Lane = "web" })}
	f := Decide(Evidence{Units: all, Scope: []string{"api"}})
	if names(f.Closed) != "A/1" || len(f.Unknown) != 0 || f.Outside != 2 {
		t.Errorf("%+v", f)
	}
	if f = Decide(Evidence{Units: all}); names(f.Closed) != "A/1 A/2" || names(f.Unknown) != "A/3" || f.Outside != 0 {
		t.Errorf("%+v", f)
	}
}

func TestWhatIsCountedIsProductive(t *testing.T) {
	u := []Unit{unit("A/1", Shipped)}
	for name, c := range map[string]struct {
		finding Finding
		stamped int
		want    loop.Productivity
		code    int
	}{
		"closed":                  {Finding{Closed: u}, 0, loop.Productive, verdict.Yes},
		"re-opened":               {Finding{Reopened: u, Quiet: u}, 0, loop.Productive, verdict.Yes},
		"stamped":                 {Finding{Drift: u}, 1, loop.Productive, verdict.Yes},
		"drift that stays":        {Finding{Drift: u}, 0, loop.Unproductive, 3},
		"known to be quiet":       {Finding{Quiet: u}, 0, loop.Unproductive, 3},
		"nothing":                 {Finding{}, 0, loop.Unproductive, 3},
		"nothing, and some dark":  {Finding{Unknown: u}, 0, "", verdict.NoVerdict},
		"closed, and some dark":   {Finding{Closed: u, Unknown: u}, 0, loop.Productive, verdict.Yes},
		"a count that cannot be":  {Finding{Closed: u}, -1, "", verdict.NoVerdict},
		"stamped, with some dark": {Finding{Unknown: u}, 2, loop.Productive, verdict.Yes},
	} {
		v := c.finding.Judge(c.stamped)
		if v.Outcome != c.want || v.ExitCode() != c.code || v.Reason == "" || (v.Err() == nil) != (c.want != "") {
			t.Errorf("%s: %+v, status %d", name, v, v.ExitCode())
		}
	}
}

func TestALookThatIsNotMadeSaysSo(t *testing.T) {
	v := Skip(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	if v.Outcome != loop.Unproductive || v.ExitCode() != 3 || v.Counts != (Counts{}) || v.Err() != nil ||
		!strings.Contains(v.Reason, "skipped: nothing has moved since the look of 2026-01-02T03:04:05Z") || !strings.Contains(v.Reason, "--force") {
		t.Errorf("%+v", v)
	}
}
