package fleet

import (
	"strings"
	"testing"
	"time"
)

func TestWhatAProbeTells(t *testing.T) {
	hour := noon.Add(time.Hour)
	for name, c := range map[string]struct {
		status  int
		printed string
		want    ProbeState
		until   *time.Time
	}{
		"it is available":                 {0, "", ProbeAvailable, nil},
		"a blank line is nothing":         {0, " \n", ProbeAvailable, nil},
		"available, and a word":           {0, "ok\n", ProbeUnreadable, nil},
		"available, and until":            {0, `{"until":"2026-01-02T13:00:00Z"}`, ProbeUnreadable, nil},
		"it is not":                       {3, "", ProbeUnavailable, nil},
		"until a time":                    {3, `{"until":"2026-01-02T13:00:00Z"}` + "\n", ProbeUnavailable, &hour},
		"until a time elsewhere":          {3, `{"until":"2026-01-02T15:00:00+02:00"}`, ProbeUnavailable, &hour},
		"until a time that is over":       {3, `{"until":"2026-01-02T12:00:00Z"}`, ProbeUnreadable, nil},
		"until a time that nobody awaits": {3, `{"until":"2026-02-02T12:00:01Z"}`, ProbeUnreadable, nil},
		"until no time":                   {3, `{"until":"noon"}`, ProbeUnreadable, nil},
		"until a number":                  {3, `{"until":7}`, ProbeUnreadable, nil},
		"another key":                     {3, `{"token":"hush","until":"2026-01-02T13:00:00Z"}`, ProbeUnreadable, nil},
		"no key":                          {3, `{}`, ProbeUnreadable, nil},
		"two lines":                       {3, "{\"until\":\"2026-01-02T13:00:00Z\"}\n{}", ProbeUnreadable, nil},
		"garbage":                         {3, "\x00\xff hush", ProbeUnreadable, nil},
		"another status":                  {1, "", ProbeUnreadable, nil},
		"a status of a shell":             {127, "", ProbeUnreadable, nil},
		"a signal":                        {-1, "", ProbeUnreadable, nil},
	} {
		p := ReadProbe(c.status, []byte(c.printed), noon)
		if p.State != c.want || p.Reason == "" || (p.Until == nil) != (c.until == nil) || p.Until != nil && !p.Until.Equal(*c.until) {
			t.Errorf("%s: %+v, want %s", name, p, c.want)
		}
		if strings.Contains(p.Reason, "hush") {
			t.Errorf("%s: the reason repeats what was printed: %s", name, p.Reason)
		}
	}
}

func FuzzReadProbe(f *testing.F) {
	f.Add(3, []byte(`{"until":"2026-01-02T13:00:00Z"}`))
	f.Fuzz(func(t *testing.T, status int, printed []byte) {
		p := ReadProbe(status, printed, noon)
		if p.State == ProbeAvailable && (status != 0 || strings.TrimSpace(string(printed)) != "") {
			t.Errorf("status %d with %q is available", status, printed)
		}
		if p.Until != nil && (!p.Until.After(noon) || p.Until.Sub(noon) > maxProbeAhead) {
			t.Errorf("until %s", p.Until)
		}
	})
}
