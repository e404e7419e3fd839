package lease

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// with is a valid record of lane docs, generation 3, with values replaced in
// its JSON.
func with(t testing.TB, values map[string]any) []byte {
	t.Helper()
	doc := map[string]any{}
	if err := json.Unmarshal(encode(heldBy("me", "n0")), &doc); err != nil {
		t.Fatal(err)
	}
	for k, v := range values {
		if doc[k] = v; v == nil {
			delete(doc, k)
		}
	}
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRecordsThatCannotBeReadAreErrors(t *testing.T) {
	for claim, payload := range map[string][]byte{
		"nothing":                     nil,
		"no JSON":                     []byte("held"),
		"null":                        []byte("null"),
		"a list":                      []byte("[]"),
		"two documents":               []byte(`{"v":1} {"v":1}`),
		"a version of the future":     with(t, map[string]any{"v": 2}),
		"no version":                  with(t, map[string]any{"v": nil}),
		"another lane":                with(t, map[string]any{"lane": "code"}),
		"another spelling":            with(t, map[string]any{"lane": "DOCS"}),
		"another generation":          with(t, map[string]any{"gen": 4}),
		"a negative generation":       with(t, map[string]any{"gen": -3}),
		"a fraction of one":           with(t, map[string]any{"gen": 3.5}),
		"held without a nonce":        with(t, map[string]any{"nonce": ""}),
		"no state and no nonce":       with(t, map[string]any{"state": nil, "nonce": nil}),
		"held without a ttl":          with(t, map[string]any{"ttl_s": 0}),
		"a negative ttl":              with(t, map[string]any{"ttl_s": -900}),
		"a negative ttl, free":        with(t, map[string]any{"ttl_s": -900, "state": "free"}),
		"a ttl that overflows":        with(t, map[string]any{"ttl_s": int64(1) << 60}),
		"a time beyond all calendars": with(t, map[string]any{"renewed_at": "9999-12-31T23:59:59Z"}),
		"a time that is none":         with(t, map[string]any{"renewed_at": "yesterday"}),
		"a tree that is no list":      with(t, map[string]any{"tree": "docs/**"}),
		"another chain's slot":        with(t, map[string]any{"slot": "k.00"}),
		"a slot that is none":         with(t, map[string]any{"slot": "docs"}),
		"a tree that climbs":          with(t, map[string]any{"tree": []string{"docs/../../x"}}),
		"a tree that is not clean":    with(t, map[string]any{"tree": []string{"./docs/**"}}),
		"an entry twice":              with(t, map[string]any{"tree": []string{"docs/**", "docs/**"}}),
		"an empty entry":              with(t, map[string]any{"tree": []string{""}}),
		"too many entries":            with(t, map[string]any{"tree": make([]string, 5000)}),
		"an entry with an escape":     with(t, map[string]any{"tree": []string{"docs/\x1b[2J"}}),
		"an owner with an escape":     with(t, map[string]any{"holder": map[string]any{"owner": "\x1b[2J"}}),
		"a worker with a newline":     with(t, map[string]any{"holder": map[string]any{"owner": "me", "worker": "a\nb"}}),
		"a node beyond bounds":        with(t, map[string]any{"holder": map[string]any{"owner": "me", "node": strings.Repeat("x", maxWord+1)}}),
		"a reason with an escape":     with(t, map[string]any{"reason": "\x1b]0;x\a"}),
		"a reason beyond bounds":      with(t, map[string]any{"reason": strings.Repeat("x", maxText+1)}),
		"an operator with a newline":  with(t, map[string]any{"operator": "a\nb"}),
		"a run id with an escape":     with(t, map[string]any{"run_id": "\x1b"}),
		"a unit with a newline":       with(t, map[string]any{"unit": "p\n"}),
		"a seat beyond bounds":        with(t, map[string]any{"seat": strings.Repeat("x", maxWord+1)}),
		"a policy with an escape":     with(t, map[string]any{"policy": "\x7f"}),
		"a scope with a newline":      with(t, map[string]any{"scope": "\n"}),
		"a state with an escape":      with(t, map[string]any{"state": "held\x1b"}),
		"a kind beyond bounds":        with(t, map[string]any{"lane_kind": strings.Repeat("x", maxWord+1)}),
		"a nonce with a newline":      with(t, map[string]any{"nonce": "n0\n"}),
		"a ship with an escape":       with(t, map[string]any{"ship": map[string]any{"ref": "refs/heads/\x1b"}}),
		"a shipped unit with one":     with(t, map[string]any{"ship": map[string]any{"units": []any{map[string]any{"plan": "\x1b"}}}}),
		"bytes that are no text":      []byte(strings.Replace(string(with(t, nil)), "run-me", "run-\xff", 1)),
		"too much":                    with(t, map[string]any{"reason": strings.Repeat("x", maxRecord)}),
	} {
		r, err := ParseRecord("docs", 3, payload)
		if !errors.Is(err, ErrRecord) || r.State != "" {
			t.Errorf("%s: read as %q, error %v", claim, r.State, err)
		}
	}
	if r, err := ParseRecord("docs", 3, with(t, nil)); err != nil || r.Holder.Owner != "me" {
		t.Errorf("the record the others were made of: %+v %v", r, err)
	}
	slot := heldBy("me", "n0", inSlot("k.00", "word", "etc/**"))
	if r, err := ParseRecord("k.00", 3, encode(slot)); err != nil || r.Lane != "word" || r.Chain() != "k.00" {
		t.Errorf("a lane in a slot: %+v %v", r, err)
	}
	for claim, chain := range map[string]string{"on the chain of its name": "word", "in another slot": "k.01"} {
		if _, err := ParseRecord(chain, 3, encode(slot)); !errors.Is(err, ErrRecord) {
			t.Errorf("a record of slot k.00 %s: %v", claim, err)
		}
	}
	for claim, name := range map[string]string{"a slot": "k.01", "what climbs": "../x", "another case": "Word", "nothing": ""} {
		r := slot
		r.Lane = name
		if _, err := ParseRecord("k.00", 3, encode(r)); !errors.Is(err, ErrRecord) {
			t.Errorf("a slot with the name of %s: %v", claim, err)
		}
	}
	for _, gen := range []uint64{0, maxGen + 1} {
		if _, err := ParseRecord("docs", gen, with(t, map[string]any{"gen": gen})); !errors.Is(err, ErrRecord) {
			t.Errorf("generation %d: %v", gen, err)
		}
	}
}

func TestLaterMinorVersionsAreRead(t *testing.T) {
	r, err := ParseRecord("docs", 3, with(t, map[string]any{"colour": "red", "proc": map[string]any{"pid": 4}}))
	if err != nil || r.Nonce != "n0" {
		t.Errorf("%+v %v", r, err)
	}
	r, err = ParseRecord("docs", 3, with(t, map[string]any{"state": "draining"}))
	if err != nil || r.asLive().State == lane.Free {
		t.Errorf("a state of the future: %+v %v", r, err)
	}
}

func TestTimesAreReadInUTC(t *testing.T) {
	r, err := ParseRecord("docs", 3, with(t, map[string]any{"renewed_at": "2026-01-02T14:00:00+02:00"}))
	if err != nil || r.RenewedAt.Location() != time.UTC || !r.RenewedAt.Equal(noon) {
		t.Errorf("%v %v", r.RenewedAt, err)
	}
}

// Whatever stands on a lane, reading it does not panic, and only a record that
// says so in as many words is a free lane.
func FuzzParseRecord(f *testing.F) {
	for _, seed := range [][]byte{with(f, nil), with(f, map[string]any{"state": "free"}), with(f, map[string]any{"v": 2}), []byte("{"), []byte(`{"v":1,"lane":"docs","gen":3}`), nil} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		r, err := ParseRecord("docs", 3, payload)
		switch {
		case err != nil && (r.State != "" || !errors.Is(err, ErrRecord)):
			t.Fatalf("%v with %+v", err, r)
		case err != nil:
			return
		case r.State == lane.Free && !strings.Contains(strings.ToLower(unescaped(payload)), `"free"`):
			t.Fatalf("free out of %q", payload)
		case r.State != lane.Free && (r.Nonce == "" || r.TTL <= 0):
			t.Fatalf("held by nobody: %+v", r)
		}
		again, err := ParseRecord("docs", 3, encode(r))
		if err != nil || again.State != r.State || again.Nonce != r.Nonce || !again.Deadline().Equal(r.Deadline()) {
			t.Fatalf("%+v reads back as %+v (%v)", r, again, err)
		}
		if _, err := json.Marshal(Verdict{Outcome: Shown, Lease: &r}.until(r)); err != nil {
			t.Fatal(err)
		}
		v, writes, err := Acquire(asking(Table{Chains: map[string]Record{"docs": r}}))
		if r.State != lane.Free && (v.Outcome == Acquired || len(writes) > 0) && r.Nonce != "fresh" {
			t.Fatalf("a lane that is %q was granted: %+v %v", r.State, v, err)
		}
	})
}

// unescaped spells out JSON's escapes of plain letters.
func unescaped(payload []byte) string {
	var out strings.Builder
	for s := string(payload); s != ""; {
		var r rune
		if n, err := fmt.Sscanf(s, `\u%04x`, &r); n == 1 && err == nil && len(s) >= 6 {
			out.WriteRune(r)
			s = s[6:]
			continue
		}
		out.WriteByte(s[0])
		s = s[1:]
	}
	return out.String()
}

func TestHolderNamesItself(t *testing.T) {
	for want, h := range map[string]Holder{
		"node n1":   {Node: "n1"},
		"bob":       {Owner: "bob"},
		"bob@n1":    {Owner: "bob@n1", Node: "n1"},
		"bob on n1": {Owner: "bob", Node: "n1"},
	} {
		if got := h.String(); got != want {
			t.Errorf("%+v is %q, want %q", h, got, want)
		}
	}
}

func TestDeadlineIsHalfOpen(t *testing.T) {
	r := heldBy("me", "n0")
	if r.Lapsed(noon.Add(15*time.Minute - time.Nanosecond)) {
		t.Error("lapsed before its deadline")
	}
	if !r.Lapsed(noon.Add(15 * time.Minute)) {
		t.Error("not lapsed at its deadline")
	}
	r.State = lane.Parked
	if r.Lapsed(noon.Add(time.Hour)) {
		t.Error("a parked lane lapses")
	}
}
