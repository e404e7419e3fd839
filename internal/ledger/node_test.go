package ledger

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

const nodeRef = "refs/dos/node/n1"

func beat(t testing.TB, r *refstore.Repo, name string, after time.Duration, run string) bool {
	t.Helper()
	wrote, err := RecordBeat(t.Context(), r, "n1", name, Beat{At: at.Add(after), RunID: run, Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	return wrote
}

func record(t testing.TB, r *refstore.Repo) string {
	t.Helper()
	all, _, err := Nodes(t.Context(), r, []string{"n1"}, nil)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	return string(all[0].Payload)
}

func TestBeatsAreFoldedIntoOneRecord(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	beat(t, r, "tick", 0, "r1")
	beat(t, r, "tock", 1500*time.Microsecond, "r2")
	beat(t, r, "tick", time.Second, "r3")
	if got, want := record(t, r), `{"v":1,"node":"n1","at":"2026-01-02T12:00:01Z","beats":{"tick":{"at":"2026-01-02T12:00:01Z","run_id":"r3","host":"h"},"tock":{"at":"2026-01-02T12:00:00.001Z","run_id":"r2","host":"h"}}}`; got != want {
		t.Errorf("record %s\nwant   %s", got, want)
	}
}

func TestAnEndStandsBesideTheBeatsOfItsName(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	beat(t, r, "tick", 0, "r1")
	if err := RecordEnd(t.Context(), r, "n1", "tick", at.Add(1500*time.Microsecond)); err != nil {
		t.Fatal(err)
	}
	all, _, err := Nodes(t.Context(), r, []string{"n1"}, nil)
	if err != nil || len(all) != 1 || len(all[0].Ends) != 1 || !all[0].Ends["tick"].Equal(at.Add(time.Millisecond)) || all[0].Beats["tick"].RunID != "r1" {
		t.Errorf("%+v, %v", all, err)
	}
	if err := RecordEnd(t.Context(), r, "n1", "-x", at); err == nil {
		t.Error("a name that is none was ended")
	}
	for _, ends := range []string{`{"tick":null}`, `{"tick":"soon"}`, `{"-x":"2026-01-01T00:00:00Z"}`, `[]`} {
		r := newRepo(t)
		plant(t, r, nodeRef, OpEnd, `{"v":1,"node":"n1","at":"2026-01-01T00:00:00Z","beat_ends":`+ends+`}`)
		if _, _, err := Nodes(t.Context(), r, []string{"n1"}, nil); !errors.As(err, new(*UnreadError)) {
			t.Errorf("%s: %v", ends, err)
		}
	}
}

func TestOlderBeatDoesNotReplaceANewerOne(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	beat(t, r, "tick", time.Minute, "r1")
	for after, want := range map[time.Duration]bool{0: false, 59 * time.Second: false, time.Minute: false} {
		if wrote := beat(t, r, "tick", after, "r2"); wrote != want {
			t.Errorf("beat after %s: wrote %v", after, wrote)
		}
	}
	if !strings.Contains(record(t, r), `"r1"`) {
		t.Error(record(t, r))
	}
}

func TestBeatOfAClockThatWasAheadIsReplaced(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	beat(t, r, "tick", 0, "r0")
	beat(t, r, "tick", time.Hour, "r1")
	nodes, _, err := Nodes(t.Context(), r, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := BeatBefore(t.Context(), r, nodes[0], "tick", at.Add(time.Minute))
	if err != nil || b == nil || b.RunID != "r0" {
		t.Errorf("older beat %+v, %v", b, err)
	}
	if b, err = BeatBefore(t.Context(), r, nodes[0], "tick", at.Add(-time.Minute)); err != nil || b != nil {
		t.Errorf("beat %+v from before all, %v", b, err)
	}
	if !beat(t, r, "tick", time.Second, "r2") || !strings.Contains(record(t, r), `"r2"`) {
		t.Error(record(t, r))
	}
}

func TestWhatABeatDoesNotKnowStaysByteForByte(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	plant(t, r, nodeRef, "WANT", `{"v":1,"wants":[{"lane":"api","é":"\u00e9"}],"node":"n1","big":1234567890123456789012,"leases":[1.50],"beats":{"old":{"at":"2026-01-01T00:00:00Z","more":{"a":1e400}}},"at":"2026-01-01T00:00:00Z","z":null}`)
	beat(t, r, "tick", 0, "r")
	want := `{"v":1,"wants":[{"lane":"api","é":"\u00e9"}],"node":"n1","big":1234567890123456789012,"leases":[1.50],"beats":{"old":{"at":"2026-01-01T00:00:00Z","more":{"a":1e400}},"tick":{"at":"2026-01-02T12:00:00Z","run_id":"r","host":"h"}},"at":"2026-01-02T12:00:00Z","z":null}`
	if got := record(t, r); got != want {
		t.Errorf("record %s\nwant   %s", got, want)
	}
}

func TestEditThatChangesNothingWritesNothing(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	beat(t, r, "tick", 0, "r")
	tip := idOf(t, r, nodeRef)
	same := func(*Object) error { return nil }
	if wrote, err := EditNode(t.Context(), r, "n1", "WANT", at.Add(time.Hour), same); err != nil || wrote || idOf(t, r, nodeRef) != tip {
		t.Errorf("no change: wrote %v, %v", wrote, err)
	}
	change := func(o *Object) error { o.Set("wants", []byte(`["api"]`)); return nil }
	if wrote, err := EditNode(t.Context(), r, "n1", "WANT", at.Add(time.Hour), change); err != nil || !wrote || idOf(t, r, nodeRef+"^") != tip {
		t.Errorf("a change: wrote %v, %v", wrote, err)
	}
	if _, err := EditNode(t.Context(), r, "n1", "WANT", at, func(o *Object) error {
		o.Set("x", []byte(`"`+strings.Repeat("x", maxRecord)+`"`))
		return nil
	}); err == nil {
		t.Error("a record was written that cannot be read")
	}
	mine := errors.New("mine")
	if _, err := EditNode(t.Context(), r, "n1", "WANT", at, func(*Object) error { return mine }); !errors.Is(err, mine) {
		t.Error(err)
	}
}

func TestRecordThatCannotBeReadIsNeitherChangedNorEmpty(t *testing.T) {
	t.Parallel()
	for claim, c := range map[string]struct {
		payload string
		is      error
	}{
		"newer version":     {`{"v":2,"node":"n1"}`, ErrVersion},
		"no version":        {`{"node":"n1"}`, ErrRecord},
		"version of text":   {`{"v":"1","node":"n1"}`, ErrRecord},
		"another node":      {`{"v":1,"node":"n2"}`, ErrRecord},
		"a list":            {`[]`, ErrRecord},
		"beats in a list":   {`{"v":1,"node":"n1","beats":[]}`, ErrRecord},
		"beat without time": {`{"v":1,"node":"n1","beats":{"tick":{}}}`, ErrRecord},
		"beat of text":      {`{"v":1,"node":"n1","beats":{"tick":"x"}}`, ErrRecord},
		"beat of no name":   {`{"v":1,"node":"n1","beats":{"A":{"at":"2026-01-02T12:00:00Z"}}}`, ErrRecord},
		"a key twice":       {`{"v":1,"node":"n1","v":1}`, ErrRecord},
		"too large":         {`{"v":1,"node":"n1","x":"` + strings.Repeat("x", maxRecord) + `"}`, ErrRecord},
	} {
		t.Run(claim, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			plant(t, r, nodeRef, "BEAT", c.payload)
			if _, err := RecordBeat(t.Context(), r, "n2", "tick", Beat{At: at}); err != nil {
				t.Errorf("the other node: %v", err)
			}
			tip := idOf(t, r, nodeRef)
			if _, err := RecordBeat(t.Context(), r, "n1", "tick", Beat{At: at}); !errors.Is(err, c.is) {
				t.Errorf("beat: %v", err)
			}
			nodes, _, err := Nodes(t.Context(), r, nil, nil)
			var unread *UnreadError
			if !errors.As(err, &unread) || !errors.Is(err, c.is) || unread.Nodes[0].ID != tip || len(nodes) != 1 || nodes[0].Node != "n2" {
				t.Errorf("read %+v, %v", nodes, err)
			}
			if idOf(t, r, nodeRef) != tip {
				t.Error("it was changed")
			}
		})
	}
}

func TestBeatsThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for _, name := range []string{"", "-x", "A", "a/b", "a b", "é", strings.Repeat("a", 101)} {
		if _, err := RecordBeat(t.Context(), r, "n1", name, Beat{At: at}); err == nil {
			t.Errorf("%q has beaten", name)
		}
	}
	if _, err := RecordBeat(t.Context(), r, "n1", "tick", Beat{}); err == nil {
		t.Error("a beat without a time")
	}
	if _, err := RecordBeat(t.Context(), r, "N", "tick", Beat{At: at}); err == nil {
		t.Error("a node that is none")
	}
	if refs := gitIn(t, r.CommonDir, "for-each-ref"); refs != "" {
		t.Errorf("written: %s", refs)
	}
}

func TestNamesOfBeatsAreBounded(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	var all []string
	for i := range maxBeats {
		all = append(all, fmt.Sprintf(`"b%d":{"at":"2026-01-02T12:00:00Z"}`, i))
	}
	plant(t, r, nodeRef, "BEAT", `{"v":1,"node":"n1","beats":{`+strings.Join(all, ",")+`}}`)
	if !beat(t, r, "b7", time.Second, "r") {
		t.Error("a known name was not written")
	}
	if _, err := RecordBeat(t.Context(), r, "n1", "one-more", Beat{At: at}); err == nil {
		t.Error("one more name was taken")
	}
}

func TestRecordOfTheMirrorCountsWhenItIsNewer(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	for i, r := range []*refstore.Repo{p.a, p.b} {
		node := fmt.Sprint("n", i)
		if _, err := RecordBeat(t.Context(), r, node, "tick", Beat{At: at, Host: node}); err != nil {
			t.Fatal(err)
		}
		p.push(t, r, "node", node)
	}
	if _, err := RecordBeat(t.Context(), p.a, "n0", "tick", Beat{At: at.Add(time.Second), Host: "n0"}); err != nil {
		t.Fatal(err)
	}
	nodes, _, err := Nodes(t.Context(), p.a, nil, p.sync(t, p.a))
	if err != nil || len(nodes) != 2 || nodes[0].Remote != "" || nodes[1].Remote != "origin" {
		t.Fatalf("%+v, %v", nodes, err)
	}
	if !nodes[0].Beats["tick"].At.Equal(at.Add(time.Second)) || nodes[1].Beats["tick"].Host != "n1" {
		t.Errorf("%+v", nodes)
	}
}
