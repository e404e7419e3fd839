package policy

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestDurations(t *testing.T) {
	legal := map[string]time.Duration{
		"0": 0, "90": 90 * time.Second, `"0s"`: 0, `"45s"`: 45 * time.Second, `"15m"`: 15 * time.Minute,
		`"6h"`: 6 * time.Hour, `"2d"`: 48 * time.Hour, `"3650d"`: maxDuration, "0x10": 16 * time.Second, `"007m"`: 7 * time.Minute,
	}
	illegal := map[string]string{
		"-1": "negative", `"-1s"`: "not a duration", `""`: "not a duration", `"s"`: "not a duration", `"1"`: "not a duration",
		`"1.5h"`: "not a duration", `"1h30m"`: "not a duration", `" 1h"`: "not a duration", `"1 h"`: "not a duration", `"1H"`: "not a duration",
		`"1ms"`: "not a duration", `"1w"`: "not a duration", `"+1s"`: "not a duration", `"3651d"`: "at most 3650d", "315360001": "at most 3650d",
		"9223372036854775807": "at most 3650d", `"99999999999999999999s"`: "at most 3650d", "1.5": "must be a duration", "true": "must be a duration",
	}
	for value, want := range legal {
		if got := mustParse(t, "fleet.keep = "+value).Fleet.Keep; got != want {
			t.Errorf("%s = %s, want %s", value, got, want)
		}
	}
	for value, why := range illegal {
		if got := problems(t, "fleet.keep = "+value); len(got) != 1 || !strings.Contains(got[0], why) {
			t.Errorf("%s: got %q, want one about %q", value, got, why)
		}
	}
}

func TestParseDurationTakesWhatTheFileTakes(t *testing.T) {
	for text, want := range map[string]time.Duration{"0": 0, "90": 90 * time.Second, "15m": 15 * time.Minute, "2d": 48 * time.Hour} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q = %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "-1s", "1.5h", "soon", "3651d", "99999999999999999999", "99999999999999999999s"} {
		if got, err := ParseDuration(text); err == nil || got != 0 {
			t.Errorf("%q = %s, want an error", text, got)
		}
	}
}

func TestOtherUnitsFillTheSameField(t *testing.T) {
	tests := []struct {
		file string
		get  func(Policy) time.Duration
		want time.Duration
	}{
		{"cooldown.window_hours = 0.5", func(p Policy) time.Duration { return p.Cooldown.Window }, 30 * time.Minute},
		{"cooldown.window_ms = 1", func(p Policy) time.Duration { return p.Cooldown.Window }, time.Millisecond},
		{"cooldown.error_window_minutes = 2", func(p Policy) time.Duration { return p.Cooldown.ErrorWindow }, 2 * time.Minute},
		{"supervise.spin_halt_after_ms = 0", func(p Policy) time.Duration { return *p.Supervise.SpinHaltAfter }, 0},
		{"supervise.spin_halt_after_minutes = 1.5", func(p Policy) time.Duration { return *p.Supervise.SpinHaltAfter }, 90 * time.Second},
	}
	for _, tt := range tests {
		if got := tt.get(mustParse(t, tt.file)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.file, got, tt.want)
		}
	}
	if Default().Supervise.SpinHaltAfter != nil {
		t.Error("a halt is proposed by default")
	}
	for _, value := range []string{"-1", "-0.5", "nan", "inf", "1e300", "9223372036854775807"} {
		if got := problems(t, "cooldown.window_hours = "+value); len(got) != 1 {
			t.Errorf("window_hours = %s: got %q", value, got)
		}
	}
}

func TestRatioAcceptsZeroAndAThird(t *testing.T) {
	for value, want := range map[string]float64{"0": 0, "0.0": 0, "0.3333333333333333": 1.0 / 3} {
		if got := mustParse(t, "overlap.ratio_max = "+value).Overlap.RatioMax; got != want {
			t.Errorf("%s = %v, want %v", value, got, want)
		}
	}
}

func TestRefNames(t *testing.T) {
	legal := []string{"main", "refs/heads/main", "origin/main", "a+b", "HEAD", "x@y"}
	illegal := []string{"", "a b", "a~1", "a^", "a:b", "a?", "a*", "a[b", `a\b`, "a..b", "a//b", "/a", "a/", ".a", "a/.b", "a.", "a/b.lock", "a.LOCK/b", "@", "a@{1}", "-a", "caf\u00e9", "a\x7f"}
	for _, s := range legal {
		if f := checkRef(s); f != nil {
			t.Errorf("%q refused: %s", s, f.message)
		}
	}
	for _, s := range illegal {
		if f := checkRef(s); f == nil {
			t.Errorf("%q accepted", s)
		}
	}
	for prefix, ok := range map[string]bool{
		"refs/dos": true, "refs/heads/dos": true, "refs": false, "refs/": false, "dos/refs": false, "refsx/a": false,
		"refs/heads": false, "refs/tags": false, "refs/remotes": false, "refs/notes": false, "refs/a b": false,
	} {
		if got := checkPrefix(prefix) == nil; got != ok {
			t.Errorf("prefix %q accepted: %v", prefix, got)
		}
	}
}

func TestABeatsNameMayBeAHundredLong(t *testing.T) {
	name := strings.Repeat("x", maxBeatName)
	p, err := Parse([]byte("[heartbeats]\n" + name + " = 5"))
	if err != nil || p.Heartbeats[name] != 5*time.Second {
		t.Errorf("%v, %v", p.Heartbeats, err)
	}
}

func TestDerivedDefaults(t *testing.T) {
	if got := Default().Lease.Margin; got != 90*time.Second {
		t.Errorf("margin of 15m = %s", got)
	}
	if got := mustParse(t, "lease.ttl = 60").Lease.Margin; got != 30*time.Second {
		t.Errorf("margin of 1m = %s", got)
	}
	if got := mustParse(t, "lease.ttl = \"1h\"").Lease.Margin; got != 6*time.Minute {
		t.Errorf("margin of 1h = %s", got)
	}
	if got := mustParse(t, "lease = { ttl = 4, margin = 2 }").Lease; got.Margin != 2*time.Second || got.TTL != 4*time.Second {
		t.Errorf("a ttl of exactly twice the margin: %+v", got)
	}
	p := mustParse(t, "paths.plans_glob = \"p/*.md\"")
	if !reflect.DeepEqual(p.Ship.PlanPaths, []string{"p/*.md"}) || p.Stated("ship.plan_paths") {
		t.Errorf("plan paths %v, stated %v", p.Ship.PlanPaths, p.Stated("ship.plan_paths"))
	}
}

func TestTheBuildGateBlocksOnceItHasACommand(t *testing.T) {
	command := "gates.trunk_would_not_compile.command = [\"make\"]\n"
	for file, want := range map[string]GateMode{
		"": GateOff, command: GateBlock,
		command + "gates.trunk_would_not_compile.mode = \"warn\"\n": GateWarn,
		"gates.trunk_would_not_compile.mode = \"off\"\n":            GateOff,
	} {
		if got := mustParse(t, file).Gates.Mode("trunk_would_not_compile"); got != want {
			t.Errorf("%q: %s, want %s", file, got, want)
		}
	}
	if got := Default().Gates.Mode("no_such_gate"); got != GateBlock {
		t.Errorf("an unknown gate: %s", got)
	}
	if got := (Gates{}).Mode("lease_fence"); got != GateBlock {
		t.Errorf("a gate of the zero policy: %s", got)
	}
}

func TestTheLastStatementOfAClassCounts(t *testing.T) {
	p := mustParse(t, `concurrency_class = [{ name = "a", max_concurrent = 1 }, { name = "b", max_concurrent = 2 }, { name = "A", max_concurrent = 0 }]`)
	if want := []ConcurrencyClass{{"A", 0}, {"b", 2}}; !reflect.DeepEqual(p.ConcurrencyClasses, want) {
		t.Errorf("got %v, want %v", p.ConcurrencyClasses, want)
	}
}

func TestFleetLanes(t *testing.T) {
	for file, want := range map[string]FleetLanes{
		"": {Mode: FleetExclusive}, `fleet.lanes = "all"`: {Mode: FleetAll},
		`fleet.lanes = "exclusive"`: {Mode: FleetExclusive}, `fleet.lanes = ["a", "b"]`: {Mode: FleetNamed, Names: []string{"a", "b"}},
	} {
		if got := mustParse(t, file).Fleet.Lanes; !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, want %+v", file, got, want)
		}
	}
}

func TestMessagesEscapeWhatTheyRepeat(t *testing.T) {
	got := problems(t, "\"\\u001b[31m\\u202e\" = 1\n[overlap]\npolicy = \"\\u001b]0;x\\u0007"+strings.Repeat("y", 500)+"\"\n")
	for _, g := range got {
		if strings.ContainsAny(g, "\x1b\x07\u202e\n") || len(g) > 200 {
			t.Errorf("message not fit for a terminal: %q", g)
		}
	}
	if len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

func TestEdits(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"ttl", "ttl", 0}, {"tll", "ttl", 1}, {"tt", "ttl", 1}, {"ttll", "ttl", 1}, {"ltt", "ttl", 2},
		{"mragin", "margin", 1}, {"TTL", "ttl", 0}, {"zebra", "ttl", 5},
	}
	for _, tt := range tests {
		if got := edits(tt.a, tt.b, 3); got != tt.want {
			t.Errorf("edits(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if a, b := edits(tt.a, tt.b, 9), edits(tt.b, tt.a, 9); a != b {
			t.Errorf("edits(%q, %q) is not symmetric: %d and %d", tt.a, tt.b, a, b)
		}
	}
	if got := nearest("interval", []string{"intervals", "internal", "interval_"}); got != "intervals" {
		t.Errorf("nearest = %q", got)
	}
	if got := nearest("x", []string{"ttl", "margin"}); got != "" {
		t.Errorf("nearest to nothing = %q", got)
	}
}
