package oldledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/oldjournal"
)

var now = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func book(t *testing.T, lines ...string) *Book {
	t.Helper()
	b, err := parse([]byte(strings.Join(lines, "\n") + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fold is what a ledger of these rows comes to; none of them may be a doubt.
func fold(t *testing.T, rows []Row) journal.View {
	t.Helper()
	s := journal.New("n1")
	for i, r := range rows {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(r.JSON, &fields); err != nil {
			t.Fatalf("row %d: %v in %s", i, err, r.JSON)
		}
		fields["seq"] = json.RawMessage(fmt.Sprint(i + 1))
		body, _ := json.Marshal(fields)
		s.Fold(r.Op, now, body)
	}
	v := journal.Merge(s)
	if d := v.Doubts(); len(d) > 0 {
		t.Fatalf("no rows: %+v", d)
	}
	return v
}

func TestEveryOldRowIsKeptOnceAsItStood(t *testing.T) {
	var lines []string
	pad := strings.Repeat("x", 300)
	for i := range 3000 { // some of them equal
		op := []string{"ACQUIRE", "HEARTBEAT", "RELEASE", "HALT", "ATTEMPT", "REFUSE", "SPAWN", "ENFORCE", "CHECKPOINT", "NEW"}[i/300]
		lines = append(lines, fmt.Sprintf(`{"op":%q,"ts":"2026-01-02T11:00:00Z","lane":"l%d","unit_id":"u","handle":"h","n":%d,"leases":[],"pad":%q}`, op, i%7, i/50, pad))
	}
	b := book(t, lines...)
	rows := b.Convert(nil, now)
	fold(t, rows)
	kept, keys, old := 0, map[string]bool{}, map[string]int{}
	for _, r := range rows {
		if len(r.JSON) > journal.MaxRow {
			t.Errorf("a row of %d bytes", len(r.JSON))
		}
		var f fields
		if err := json.Unmarshal(r.JSON, &f); err != nil || len(f.Imported) != len(f.Old) || len(f.Old) != r.Old {
			t.Fatalf("%d keys, %d rows, said to be %d: %v", len(f.Imported), len(f.Old), r.Old, err)
		}
		for i, key := range f.Imported {
			keys[key] = true
			old[string(f.Old[i])]++
		}
		kept += r.Old
	}
	if kept != len(lines) || len(keys) != len(lines) {
		t.Errorf("%d rows under %d keys, want %d", kept, len(keys), len(lines))
	}
	for i, r := range b.rows {
		if old[string(r.body)] == 0 {
			t.Fatalf("row %d is not kept as it stood: %s", i, r.body)
		}
	}
	if again := b.Convert(keys, now); len(again) != 0 {
		t.Errorf("%d rows are brought over again", len(again))
	}
	grown := book(t, append(lines, lines[0])...)
	if more := grown.Convert(keys, now); len(more) != 1 || more[0].Old != 1 {
		t.Errorf("one line more, equal to another, brings %d rows", len(more))
	}
}

func TestMeaningOfOldRows(t *testing.T) {
	for _, tt := range []struct {
		claim string
		lines []string
		op    string // of the first row
		want  string // fragment of it
	}{
		{"a refusal still stands", []string{`{"op":"REFUSE","lane":"a","holder":"w","reason_class":"R","reason":"r"}`}, "REFUSE", `"reason_class":"R"`},
		{"one that a release has overtaken is history", []string{`{"op":"REFUSE","lane":"a"}`, `{"op":"RELEASE","lane":"a"}`}, OpImported, "REFUSE, RELEASE"},
		{"the release of another lane changes nothing", []string{`{"op":"REFUSE","lane":"a"}`, `{"op":"RELEASE","lane":"b"}`}, "REFUSE", `"lane":"a"`},
		{"a halt names a process", []string{`{"op":"HALT","handle":"7","command":"kill 7","host_id":"h"}`}, "HALT", `"node":"h"`},
		{"a halt of nobody is history", []string{`{"op":"HALT","lane":"a"}`}, OpImported, "HALT"},
		{"an attempt is at its own time", []string{`{"op":"ATTEMPT","unit_id":"U","ts":"2026-01-01T00:00:00Z","attempted_at_ms":1767139200000}`}, "ATTEMPT", `"at":"2025-12-31T00:00:00Z"`},
		{"an attempt in the future is one of now", []string{`{"op":"ATTEMPT","unit_id":"U","attempted_at_ms":9000000000000}`}, "ATTEMPT", `"at":"2026-01-02T12:00:00Z"`},
		{"a minute is a time too", []string{`{"op":"SPAWN","lane":"a","ts":"2026-01-01T10:07Z"}`}, "SPAWN", `"at":"2026-01-01T10:07:00Z"`},
		{"a row without a time has that of the one before", []string{`{"op":"X","ts":"2026-01-01T10:07Z"}`, `{"op":"SPAWN","lane":"a"}`}, OpImported, `"at":"2026-01-01T10:07:00Z"`},
		{"a denial of whom and what is one", []string{`{"op":"ENFORCE","intervention":"BLOCK","holder":"w","target":"x","reason_class":"SELF_MODIFY"}`}, "ENFORCE", `"verdict":"deny"`},
		{"what was let through heals", []string{`{"op":"ENFORCE","decision":"override-admit","holder":"w","path":"x"}`}, "ENFORCE", `"verdict":"admit"`},
		{"a denial of an unnamed file is history", []string{`{"op":"ENFORCE","intervention":"BLOCK","holder":"w"}`}, OpImported, "ENFORCE"},
		{"a name too long for a row is history", []string{`{"op":"SPAWN","lane":"` + strings.Repeat("x", 600) + `"}`}, OpImported, "SPAWN"},
		{"a large row is kept without its text", []string{`{"op":"HALT","handle":"h","x":"` + strings.Repeat("x", maxOld) + `"}`}, "HALT", `"old":[null]`},
		{"of another case it is another op", []string{`{"op":"halt","handle":"h"}`}, OpImported, "halt"},
	} {
		rows := book(t, tt.lines...).Convert(nil, now)
		fold(t, rows)
		if rows[0].Op != tt.op || !strings.Contains(string(rows[0].JSON), tt.want) {
			t.Errorf("%s: %s %s", tt.claim, rows[0].Op, rows[0].JSON)
		}
	}
}

func TestNothingOfALaterVersionIsRead(t *testing.T) {
	head := `{"op":"HALT","handle":"h"}` + "\n"
	for line, want := range map[string]error{
		`{"op":"HALT","schema":{"family":"lane-journal","version":2}}`:    ErrNewer,
		`{"op":"HALT","schema":{"family":"lane-journal","version":1}}`:    nil,
		`{"op":"HALT","schema":{"family":"verdict-journal","version":9}}`: nil,
		`{"op":"HALT","schema":{"version":2}}`:                            ErrNewer,
		`{"op":"HALT","schema":7}`:                                        nil,
		`{"op":"HALT","schema":{"family":"lane-journal","version":0}}`:    nil,
	} {
		b, err := parse([]byte(head + line + "\n"))
		if !errors.Is(err, want) || err == nil && b.Rows()+b.Foreign != 2 {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestWhatIsNoJournalIsNotRead(t *testing.T) {
	for _, text := range []string{"words\nand words\n", `{"name":"package"}` + "\n", "[]\n", "x"} {
		if _, err := parse([]byte(text)); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if b, err := parse(nil); err != nil || b.Rows() != 0 {
		t.Errorf("an empty journal: %v", err)
	}
	dir := t.TempDir()
	if _, err := Find(dir); !errors.Is(err, ErrNone) {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := Read(dir); !errors.Is(err, ErrNone) {
		t.Errorf("a folder: %v", err)
	}
	want := filepath.Join(dir, ".dos", "lane-journal.jsonl")
	if err := os.MkdirAll(filepath.Dir(want), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(want, []byte(`{"op":"HALT"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Dir(want), want} {
		if got, err := Find(path); err != nil || got != want {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
	f, err := os.Create(want)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(oldjournal.MaxText + 2); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(want); !errors.Is(err, oldjournal.ErrTooLarge) {
		t.Errorf("a journal that is too large: %v", err)
	}
}

func TestLeasesOfWhichSomebodyMayStandBehind(t *testing.T) {
	acquire := func(lane, at, more string) string {
		return fmt.Sprintf(`{"op":"ACQUIRE","lane":%q,"loop_ts":"L","lease":{"lane":%q,"loop_ts":"L","holder":"w","acquired_at":%q%s}}`, lane, lane, at, more)
	}
	gone := func(pid int64) *bool { no := pid != 66; return &no }
	b := book(t,
		acquire("fresh", "2026-01-02T11:58:00Z", ""),
		acquire("old", "2026-01-02T10:00:00Z", ""),
		acquire("gone", "2026-01-02T11:30:00Z", `,"pid":66,"host_id":"here"`),
		acquire("elsewhere", "2026-01-02T11:30:00Z", `,"pid":66,"host_id":"there"`),
		acquire("runs", "2026-01-02T11:30:00Z", `,"pid":77,"host_id":"here","tree":["a/**"]`),
		acquire("timeless", "", ""),
		acquire("ended", "2026-01-02T11:58:00Z", ""),
		`{"op":"RELEASE","lane":"ended","loop_ts":"L"}`,
	)
	var lanes []string
	for _, l := range b.Leases(now, "here", gone) {
		lanes = append(lanes, l.Lane)
		if l.Lane == "runs" && (l.PID != 77 || l.Generation != 5 || l.Tree[0] != "a/**" || l.Holder != "w") {
			t.Errorf("%+v", l)
		}
	}
	if got := strings.Join(lanes, " "); got != "fresh elsewhere runs timeless" {
		t.Errorf("may live: %s", got)
	}
	if d := book(t, `{"op":"ACQUIRE","lane":"a","loop_ts":"L"}`, `{"op":"ACQ`, `{"op":"RELEASE","lane":"a","loop_ts":"L"}`).Doubts(); len(d) != 1 {
		t.Errorf("a line that does not parse: %q", d)
	}
}
