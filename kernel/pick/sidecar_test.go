package pick

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// What is written is what is read.
func TestSidecarIsReadAsItWasWritten(t *testing.T) {
	s := Sidecar{Tag: "docs-1", GeneratedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Dispositions: []Disposition{
		{Unit: "A/A1", Series: "A", Phase: "A1", Live: true},
		{Unit: "A/A2", Series: "A", Phase: "A2", DropReason: DropShipped, ShipVia: "direct", ShipSha: "0f3f016", Unstamped: true},
		{Unit: "B/A2", Series: "A", Phase: "A2", DropReason: DropShipped},
		{Series: "B", Phase: "B<1>", DropReason: DropClaimed, ClaimTag: "t&1"},
	}}
	data, err := s.Encode()
	if err != nil || strings.Contains(string(data), `\u00`) {
		t.Fatalf("%s, %v", data, err)
	}
	if got, err := ParseSidecar(data, "docs-1"); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%+v, %v; want %+v", got, err, s)
	}
	if _, err := ParseSidecar(data, "docs-2"); err == nil {
		t.Error("it is read under another tag")
	}
	empty, err := Sidecar{Tag: "t"}.Encode()
	if got, err2 := ParseSidecar(empty, "t"); err != nil || err2 != nil || len(got.Dispositions) != 0 || !got.GeneratedAt.IsZero() {
		t.Errorf("an empty packet: %s, %v, %v", empty, err, err2)
	}
}

func TestSidecarRefusesWhatNobodyCouldRead(t *testing.T) {
	live := Disposition{Unit: "A/A1", Phase: "A1", Live: true}
	for says, s := range map[string]Sidecar{
		"the tag":                          {Tag: "a/b", Dispositions: []Disposition{live}},
		"stands in dispositions[0] too":    {Tag: "t", Dispositions: []Disposition{live, {Unit: "a/a1", Phase: "x", Live: true}}},
		"dispositions[1]: it stands":       {Tag: "t", Dispositions: []Disposition{{Series: "A", Phase: "A1", Live: true}, {Series: "A", Phase: "a1", DropReason: DropShipped}}},
		"phase is missing":                 {Tag: "t", Dispositions: []Disposition{{Unit: "A/A1", Live: true}}},
		"drop_reason is missing":           {Tag: "t", Dispositions: []Disposition{live, {Phase: "A2"}}},
		"dispositions[1]: drop_reason":     {Tag: "t", Dispositions: []Disposition{live, {Phase: "A2", DropReason: "x"}}},
		`it is live and has drop_reason "`: {Tag: "t", Dispositions: []Disposition{{Phase: "A2", Live: true, DropReason: DropQuota}}},
	} {
		if data, err := s.Encode(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %s, %v", says, data, err)
		}
	}
}

func TestRaceIsReadAsItWasWritten(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := Race{BlockedByPID: 7, AttemptedAt: &at, LockPath: "x.lock", Reason: "busy"}
	data, err := r.Encode()
	if got, ok := ParseRace(data); err != nil || !ok || !reflect.DeepEqual(got, r) {
		t.Errorf("%s: %+v, %v, %v", data, got, ok, err)
	}
	if got := RaceName("t"); got != ".race-t.json" {
		t.Error(got)
	}
}

func FuzzParseSidecar(f *testing.F) {
	f.Add([]byte(`{"schema":"oc3-dispositions-v1","dispositions":[{"phase":"A1","live":true}]}`))
	f.Add([]byte(`{"schema":"oc3-dispositions-v1","dispositions":[{"phase":"A1","drop_reason":"shipped","plan_doc_stamped":false}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseSidecar(data, "t")
		if err != nil {
			if s.Dispositions != nil {
				t.Errorf("%q: an error with dispositions", data)
			}
			return
		}
		if v := DecideGate(GateEvidence{Dispositions: s.Dispositions}); v.Err() != nil {
			t.Errorf("%q is read and cannot be judged: %v", data, v.Err())
		}
		ParseRace(data)
	})
}
