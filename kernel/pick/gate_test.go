package pick

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// list makes dispositions of words: L live, S shipped, D shipped directly and
// not stamped, C claimed, Q without a seat.
func list(words string) (all []Disposition) {
	for i, w := range words {
		d := Disposition{Phase: fmt.Sprintf("A%d", i), Series: "A", DropReason: DropShipped}
		switch w {
		case 'L':
			d.Live, d.DropReason = true, ""
		case 'D':
			d.ShipVia, d.Unstamped = viaDirect, true
		case 'C':
			d.DropReason = DropClaimed
		case 'Q':
			d.DropReason = DropQuota
		}
		all = append(all, d)
	}
	return all
}

func TestDecideGate(t *testing.T) {
	for _, c := range []struct {
		claim, packet string
		want          GateOutcome
		exit          int
		false_        bool
		picks         string // the phases that decided
	}{
		{"nothing at all is a drain", "", Drain, 3, false, ""},
		{"so is a packet of finished work", "SS", Drain, 3, false, ""},
		{"one live unit is enough", "SCQDL", Live, 0, false, "A4"},
		{"every live unit is evidence, in order", "LSL", Live, 0, false, "A0 A2"},
		{"a stamp that lags is no drain", "SDS", StaleStamp, 4, true, "A1"},
		{"it outranks a claim", "CDQ", StaleStamp, 4, true, "A1"},
		{"a claim of others is no drain", "SC", Blocked, 5, true, "A1"},
		{"nor is a seat that is missing", "QS", Blocked, 5, true, "A0"},
		{"both are one block", "QSC", Blocked, 5, true, "A0 A2"},
	} {
		v := DecideGate(GateEvidence{Dispositions: list(c.packet)})
		var picks []string
		for _, p := range v.Evidence {
			picks = append(picks, p.Phase)
		}
		if v.Outcome != c.want || v.ExitCode() != c.exit || v.FalseDrain != c.false_ || strings.Join(picks, " ") != c.picks || v.Err() != nil || v.Reason == "" || v.Evidence == nil {
			t.Errorf("%s: %s, exit %d, %v", c.claim, v, v.ExitCode(), picks)
		}
		if e := v.Explain(); e.Interpretation == "" || !strings.Contains(e.String(), e.Interpretation) {
			t.Errorf("%s: not explained", c.claim)
		}
	}
}

// Only a ship of its own commit that no plan document has counts as a stamp
// that lags.
func TestStaleIsDirectAndUnstamped(t *testing.T) {
	for _, c := range []struct {
		via       string
		unstamped bool
		want      GateOutcome
	}{{"direct", true, StaleStamp}, {"direct", false, Drain}, {"squash", true, Drain}, {"", true, Drain}, {"Direct", true, Drain}, {"direct ", true, Drain}} {
		d := Disposition{Phase: "A1", DropReason: DropShipped, ShipVia: c.via, Unstamped: c.unstamped}
		if v := DecideGate(GateEvidence{Dispositions: []Disposition{d}}); v.Outcome != c.want {
			t.Errorf("%+v: %s, want %s", c, v, c.want)
		}
	}
	live := Disposition{Phase: "A1", Live: true, ShipVia: "direct", Unstamped: true}
	if v := DecideGate(GateEvidence{Dispositions: []Disposition{live}}); v.Outcome != Live {
		t.Errorf("a live unit: %s", v)
	}
}

func TestAPacketThatCannotBeReadIsNoDrain(t *testing.T) {
	v := DecideGate(GateEvidence{Fault: errors.New("dispositions[3]: phase is missing")})
	if v.Outcome != "" || v.ExitCode() != verdict.NoVerdict || v.Err() == nil || !strings.Contains(v.String(), "dispositions[3]") {
		t.Errorf("%s, exit %d", v, v.ExitCode())
	}
	if v := (GateVerdict{}); v.ExitCode() != verdict.NoVerdict || v.Err() == nil {
		t.Errorf("the zero verdict: exit %d", v.ExitCode())
	}
}

func TestD09ARaceYieldsToANewerPacketAlone(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	dated := Race{AttemptedAt: &at, BlockedByPID: 7}
	broken := errors.New("broken")
	for _, c := range []struct {
		claim     string
		race      Race
		generated time.Time
		fault     error
		want      GateOutcome
	}{
		{"a packet of later is believed", dated, at.Add(time.Second), nil, Live},
		{"one of the same second is not", dated, at, nil, Raced},
		{"nor one of before", dated, at.Add(-time.Second), nil, Raced},
		{"nor one that does not say when", dated, time.Time{}, nil, Raced},
		{"a race that does not say when stands", Race{}, at.Add(time.Hour), nil, Raced},
		{"a broken packet is newer than nothing", dated, at.Add(time.Hour), broken, Raced},
		{"a race beats a packet that is not there", dated, time.Time{}, broken, Raced},
	} {
		v := DecideGate(GateEvidence{Dispositions: list("L"), GeneratedAt: c.generated, Fault: c.fault, Race: &c.race})
		if v.Outcome != c.want {
			t.Errorf("%s: %s, want %s", c.claim, v, c.want)
		}
		if v.Outcome == Raced && (v.ExitCode() != 6 || !v.FalseDrain || len(v.Evidence) != 0 || v.Evidence == nil) {
			t.Errorf("%s: %+v, exit %d", c.claim, v, v.ExitCode())
		}
	}
}

func TestD09MalformedEntriesFailThePacketByTheirIndex(t *testing.T) {
	good := `{"phase":"A1","live":true}`
	for _, c := range []struct{ entry, says string }{
		{`{"phase":"A2","live":"false","drop_reason":"shipped"}`, "live"},
		{`{"phase":"A2","live":null}`, "live"},
		{`{"phase":"A2","live":1}`, "live"},
		{`{"phase":"A2","drop_reason":"shipped","plan_doc_stamped":null}`, "plan_doc_stamped"},
		{`{"phase":"A2","drop_reason":"shipped","plan_doc_stamped":"false"}`, "plan_doc_stamped"},
		{`{"phase":5,"live":true}`, "phase"},
		{`{"phase":5,"phase_id":"A2","live":true}`, "phase"},
		{`{"phase":"A2","phase_id":["A2"],"live":true}`, "phase_id"},
		{`{"phase":" \t","live":true}`, "phase is missing or blank"},
		{`{"phase":" ","phase_id":"A2","live":true}`, "phase is missing or blank"},
		{`{"phase":null,"live":true}`, "phase is missing or blank"},
		{`{"live":true}`, "phase is missing or blank"},
		{`{"phase":"A2"}`, "drop_reason is missing"},
		{`{"phase":"A2","live":false,"drop_reason":null}`, "drop_reason is missing"},
		{`{"phase":"A2","live":false,"drop_reason":"done"}`, "drop_reason"},
		{`{"phase":"A2","live":false,"drop_reason":"SHIPPED"}`, "drop_reason"},
		{`{"phase":"A2","live":false,"drop_reason":true}`, "drop_reason"},
		{`{"phase":"A2","live":true,"series":3}`, "series"},
		{`{"phase":"A2","live":true,"unit":" "}`, "unit is blank"},
		{`{"phase":"A2","live":true,"live":false,"drop_reason":"shipped"}`, `"live" twice`},
		{`{"phase":"` + strings.Repeat("A", maxWord+1) + `","live":true}`, "at most"},
		{`5`, "not an object"}, {`"A2"`, "not an object"}, {`[]`, "not an object"}, {`null`, "not an object"},
	} {
		for _, text := range []string{"[" + good + "," + c.entry + "]", "[" + good + "," + c.entry + "," + good + "]"} {
			got, err := ParseDispositions([]byte(text))
			if err == nil || got != nil || !strings.Contains(err.Error(), "dispositions[1]: ") || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, %v; want an error that says dispositions[1] and %s", text, got, err, c.says)
			}
		}
	}
	twice := `[` + good + `,{"phase":"A2","live":true,"unit":"A/A2"},` + good + `,{"phase":"A2","drop_reason":"shipped","unit":"A/A2"}]`
	if _, err := ParseDispositions([]byte(twice)); err == nil || !strings.Contains(err.Error(), `dispositions[3]: unit "A/A2" stands in dispositions[1] too`) {
		t.Errorf("a unit that stands in it twice: %v", err)
	}
}

func TestParseSidecar(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{``, "empty"}, {" \n", "empty"}, {`nope`, "not JSON"}, {`{`, "not JSON"}, {`[]`, "not an object"}, {`null`, "not an object"}, {`3`, "not an object"},
		{`{"tag":"t","dispositions":[]}`, "schema"},
		{`{"schema":1,"tag":"t","dispositions":[]}`, "schema"},
		{`{"schema":"OC3-DISPOSITIONS-V1","tag":"t","dispositions":[]}`, "schema"},
		{`{"schema":"oc3-dispositions-v1","tag":"other","dispositions":[]}`, "tag"},
		{`{"schema":"oc3-dispositions-v1","tag":null,"dispositions":[]}`, "tag"},
		{`{"schema":"oc3-dispositions-v1","tag":3,"dispositions":[]}`, "tag"},
		{`{"schema":"oc3-dispositions-v1","tag":"t"}`, "dispositions"},
		{`{"schema":"oc3-dispositions-v1","tag":"t","dispositions":null}`, "not a list"},
		{`{"schema":"oc3-dispositions-v1","tag":"t","dispositions":{}}`, "not a list"},
		{`{"schema":"oc3-dispositions-v1","tag":"t","dispositions":[],"dispositions":[{"phase":"A1","live":true}]}`, "twice"},
		{`{"schema":"oc3-dispositions-v1","tag":"t","dispositions":[]} {}`, "behind its end"},
		{"{\"schema\":\"oc3-dispositions-v1\",\"tag\":\"t\",\"x\":\"\xff\",\"dispositions\":[]}", "UTF-8"},
		{strings.Repeat(" ", MaxPacket) + `{}`, "longer than"},
	} {
		s, err := ParseSidecar([]byte(c.text), "t")
		if err == nil || s.Dispositions != nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.80s: %+v, %v; want an error that says %s", c.text, s, err, c.says)
		}
	}
	s, err := ParseSidecar([]byte(`{"renderer":"r9","schema":"oc3-dispositions-v1","generated_at":"2026-01-02T04:04:05+01:00","dispositions":[{"phase_id":"A1","live":true,"note":[1]}]}`), "t")
	if err != nil || s.Tag != "t" || !s.GeneratedAt.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) || len(s.Dispositions) != 1 || s.Dispositions[0].Phase != "A1" {
		t.Errorf("without a tag of its own, and with keys that nothing reads: %+v, %v", s, err)
	}
}

func TestSeries(t *testing.T) {
	for phase, want := range map[string]string{"AUTH1": "AUTH", "V2.10": "V", "V2.7b": "V2.7b", "AUTH": "AUTH", "42": "42", "1.2.": "1.2.", "AUTH１": "AUTH１"} {
		for given, text := range map[string]string{want: "", "Q": `,"series":"Q"`, want + "": `,"series":""`} {
			got, err := ParseDispositions([]byte(`[{"phase":"` + phase + `","live":true` + text + `}]`))
			if err != nil || got[0].Series != given {
				t.Errorf("%s %s: %+v, %v; want %s", phase, text, got, err, given)
			}
		}
	}
}

func TestParseRace(t *testing.T) {
	for _, none := range []string{``, `7`, `[]`, `null`, `{}`, `{"schema":"next-up-race-v2"}`, `{"schema":["next-up-race-v1"]}`, `{"schema":"next-up-race-v1"`, "{\"schema\":\"next-up-race-v1\",\"reason\":\"\xff\"}"} {
		if r, ok := ParseRace([]byte(none)); ok {
			t.Errorf("%s is a race: %+v", none, r)
		}
	}
	r, ok := ParseRace([]byte(`{"schema":"next-up-race-v1","blocked_by_pid":"x","attempted_at":"soon","lock_path":5,"reason":"busy"}`))
	if !ok || r.AttemptedAt != nil || r.BlockedByPID != 0 || r.LockPath != "" || r.Reason != "busy" {
		t.Errorf("what is unfit in it makes it no less a race: %+v, %v", r, ok)
	}
}

func TestTag(t *testing.T) {
	for name, want := range map[string]string{".dispositions-2026-01-02.json": "2026-01-02", ".dispositions-a.b.json": "a.b"} {
		if tag, err := Tag(name); tag != want || err != nil || SidecarName(tag) != name {
			t.Errorf("%s: %q, %v", name, tag, err)
		}
	}
	for _, bad := range []string{"x.json", ".dispositions-.json", ".dispositions- .json", ".dispositions-x", "dispositions-x.json", ".dispositions-a/b.json", `.dispositions-a\b.json`, ".dispositions-a\x1b.json", ".dispositions-" + strings.Repeat("a", 201) + ".json", ".race-x.json"} {
		if tag, err := Tag(bad); err == nil {
			t.Errorf("%q is a sidecar of %q", bad, tag)
		}
	}
}
