package board

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

// timeline writes spans as words: STATE OWNER FROM-TO, in minutes before noon.
func timeline(spans []Span) string {
	var all []string
	for _, s := range spans {
		to := "now"
		if s.To != nil {
			to = fmt.Sprint(int(noon.Sub(*s.To).Minutes()))
		}
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %d-%s %s", s.State, s.Owner, int(noon.Sub(s.From).Minutes()), to, s.End)))
	}
	return strings.Join(all, ", ")
}

func TestTimeline(t *testing.T) {
	step := func(minutes int, op, state, owner string) Step {
		return Step{At: ago(time.Duration(minutes) * time.Minute), Op: op, Lane: "api", State: state, Owner: owner}
	}
	until := func(minutes int, s Step) Step {
		s.Deadline = ago(time.Duration(minutes) * time.Minute)
		return s
	}
	for _, c := range []struct {
		claim  string
		steps  []Step
		broken bool
		want   string
	}{
		{"nobody ever had it", nil, false, ""},
		{"one that has it", []Step{step(30, "ACQUIRE", Held, "a")}, false, "held a 30-now"},
		{"a heartbeat goes on with it", []Step{step(30, "ACQUIRE", Held, "a"), step(20, "HEARTBEAT", Held, "a"), step(10, "RELEASE", "", "a")}, false, "held a 30-10 RELEASE"},
		{"a takeover ends one and begins another", []Step{step(30, "ACQUIRE", Held, "a"), step(20, "ACQUIRE", Held, "b")}, false, "held a 30-20 ACQUIRE, held b 20-now"},
		{"what was before the time shown is cut off", []Step{step(300, "ACQUIRE", Held, "a"), step(20, "RELEASE", "", "a")}, false, "held a 60-20 RELEASE"},
		{"or left out", []Step{step(300, "ACQUIRE", Held, "a"), step(200, "RELEASE", "", "a")}, false, ""},
		{"past its deadline it is held no more", []Step{until(10, step(30, "ACQUIRE", Held, "a"))}, false, "held a 30-10, suspended a 10-now"},
		{"a parked lane has no deadline", []Step{until(10, step(30, "PARK", Parked, "a"))}, false, "parked a 30-now"},
		{"a clock that went back ends nothing before it began", []Step{step(20, "ACQUIRE", Held, "a"), step(40, "RELEASE", "", "a")}, false, ""},
		{"what cannot be read is not free", []Step{step(20, "ACQUIRE", Held, "a")}, true, "unreadable  60-20, held a 20-now"},
		{"all of it", nil, true, "unreadable  60-0"},
		{"a record that cannot be read", []Step{step(30, "X", Unreadable, ""), step(20, "ACQUIRE", Held, "a")}, false, "unreadable  30-20 ACQUIRE, held a 20-now"},
		{"one of the future begins now at least", []Step{step(-5, "ACQUIRE", Held, "a")}, false, "held a -5-now"},
	} {
		got := timeline(Timeline(c.steps, ago(time.Hour), noon, c.broken, "api")["api"])
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.claim, got, c.want)
		}
	}
}

func TestASlotTellsOfSeveralLanes(t *testing.T) {
	lanes := Timeline([]Step{
		{At: ago(50 * time.Minute), Lane: "a", State: Held}, {At: ago(40 * time.Minute), Lane: "a"}, {At: ago(30 * time.Minute), Lane: "b", State: Held},
	}, ago(time.Hour), noon, false, "slot-1")
	if got := timeline(lanes["a"]) + "; " + timeline(lanes["b"]); got != "held  50-40; held  30-now" {
		t.Error(got)
	}
}

func TestWindowsCount(t *testing.T) {
	all, each := Windows(ago(90*time.Minute), noon)
	if len(all) != 3 || each != time.Hour || !all[0].From.Equal(ago(2*time.Hour)) {
		t.Fatalf("%v of %v", all, each)
	}
	for _, e := range []Event{
		{At: ago(3 * time.Hour), Op: "SHIP"}, {At: noon.Add(2 * time.Hour), Op: "SHIP"},
		{At: ago(80 * time.Minute), Op: "SPAWN"}, {At: ago(80 * time.Minute), Op: "EXIT", Word: "CLAIM_WITNESSED"}, {At: ago(61 * time.Minute), Op: "EXIT", Word: "NO_CLAIM"},
		{At: noon, Op: "SHIP"}, {At: noon, Op: "REFUSE"}, {At: noon, Op: "INTENT"}, {At: noon, Op: "ENFORCE"},
	} {
		e.Class = ClassOf(e.Op, e.Word)
		Tally(all, each, e)
	}
	if all[0] != (Window{From: all[0].From, Launches: 1, Claims: 2, Witnessed: 1}) || all[1] != (Window{From: all[1].From}) || all[2] != (Window{From: all[2].From, Ships: 1, Refusals: 1}) {
		t.Errorf("%+v", all)
	}
	if all, each := Windows(ago(10000*time.Hour), noon); len(all) > mostWindows || each < 59*time.Hour {
		t.Errorf("%d windows of %v", len(all), each)
	}
}

// Every class and every state has a shape of its own.
func TestShapesDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, c := range Classes {
		if glyphs[c] == "" || seen[glyphs[c]] != "" {
			t.Errorf("%s looks like %q", c, seen[glyphs[c]])
		}
		seen[glyphs[c]] = c
	}
	for _, s := range States {
		look := fmt.Sprint(bands[s])
		if len(bands[s]) == 0 || seen[look] != "" {
			t.Errorf("%s looks like %q", s, seen[look])
		}
		seen[look] = s
	}
}

// hostile is text that would do harm where it is not escaped, or bury what is beside it.
var hostile = []string{
	`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "a\u202egnp.exe", "<!--", "{{.JS}}", "`${alert(1)}`",
	strings.Repeat("long", 2000), "line\nbreak\x1b[2J\x00", "\xff\xfe", "שלום", "javascript:alert(1)", "]]>", "\u2028",
}

func sample() Data {
	d := Data{At: noon, Since: ago(24 * time.Hour), Chips: map[string]int{}, WindowS: 3600}
	var each time.Duration
	d.Windows, each = Windows(d.Since, d.At)
	for i, bad := range hostile {
		to := ago(time.Duration(i) * time.Hour)
		d.Lanes = append(d.Lanes, Lane{Lane: bad, Chip: bad, Reason: bad, Owner: bad, Node: bad, RunID: bad, Unit: bad, Spans: []Span{{From: to.Add(-time.Hour), To: &to, State: Held, Owner: bad, Node: bad, RunID: bad, Unit: bad, End: bad}}})
		e := Event{At: ago(time.Duration(i) * time.Hour), Class: Classes[i%len(Classes)], Op: bad, Word: bad, Lane: bad, RunID: bad, Node: bad, Text: bad}
		d.Events = append(d.Events, e)
		Tally(d.Windows, each, e)
		d.Decisions = append(d.Decisions, Decision{ID: bad, Kind: bad, Lane: bad, RunID: bad, Text: bad, Label: bad, Command: bad, Ack: bad, At: &to})
		d.Unread = append(d.Unread, bad)
		d.Chips[bad]++
	}
	return d
}

func TestHostileNamesAreShownAndNotObeyed(t *testing.T) {
	var page bytes.Buffer
	if err := Render(&page, sample(), false); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	from := strings.Index(text, `id="data">`) + len(`id="data">`)
	data, _, _ := strings.Cut(text[from:], "</script>")
	if strings.Contains(strings.Replace(text, data, "", 1), "' onmouseover") {
		t.Error("an attribute ends early")
	}
	for _, never := range []string{"<script>alert", "<img", "onerror=alert(1)>", "\u202e", "\x1b", "\x00", "\xff", "\u2028", strings.Repeat("long", 160)} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %q", never)
		}
	}
	if n := strings.Count(text, "<script"); n != 2 {
		t.Errorf("%d scripts", n)
	}
	if strings.Count(text, "</script") != 2 || !strings.Contains(text, "שלום") {
		t.Error("the page is not whole")
	}
	for _, reach := range []string{"http://", "https://", "//cdn", "@import", "url(http"} {
		if rest := strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""); strings.Contains(rest, reach) {
			t.Errorf("the page reaches for %s", reach)
		}
	}
	if !json.Valid([]byte(data)) {
		t.Error("its data is not JSON")
	}
}

func TestPageIsTheSameForTheSame(t *testing.T) {
	var a, b bytes.Buffer
	if Render(&a, sample(), false) != nil || Render(&b, sample(), false) != nil || a.String() != b.String() {
		t.Error("two renderings differ")
	}
}

// Nothing is hidden because something else could not be read.
func TestUnreadIsSaid(t *testing.T) {
	for _, c := range []struct {
		unread []string
		want   string
		not    string
	}{
		{nil, "Nothing waits for a person.", "Not read"},
		{[]string{"refs/dos/journal/x: broken"}, "cannot be told", "Nothing waits"},
	} {
		var page bytes.Buffer
		if err := Render(&page, Data{At: noon, Since: ago(time.Hour), Unread: c.unread}, false); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.String(), c.want) || strings.Contains(page.String(), c.not) {
			t.Errorf("unread %q: want %q and not %q", c.unread, c.want, c.not)
		}
	}
}

// A command is shown whole or not at all.
func TestHalfACommandIsNone(t *testing.T) {
	for in, want := range map[string]string{"git dos decisions ack 1": "git dos decisions ack 1", "rm\u202e x": "", strings.Repeat("x", mostCommand+1): ""} {
		if got := command(in); got != want {
			t.Errorf("%.20q: %q", in, got)
		}
	}
}

func TestPolicyRunsOneScript(t *testing.T) {
	for _, live := range []bool{false, true} {
		p := Policy(live)
		if strings.Contains(p, "unsafe") || !strings.Contains(p, "default-src 'none'") || strings.Contains(p, "connect-src 'self'") != live {
			t.Errorf("live %v: %s", live, p)
		}
	}
}

func TestLasted(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m 1s", 3 * time.Hour: "3h 0m", 49 * time.Hour: "2d 1h"} {
		if got := lasted(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
