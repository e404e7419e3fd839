package lease

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/kernel/lane"
)

// same reports a payload that is read quickly as something else than the decoder
// reads it as. Where quick is set it must be read so.
func same[T any](t interface{ Fatal(...any) }, read func([]byte) (T, bool), payload string, quick bool) {
	got, ok := read([]byte(payload))
	if !ok {
		if quick {
			t.Fatal("not read in the form it is written in:", payload)
		}
		return
	}
	var want T
	if err := decode([]byte(payload), &want); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatal(err, got, want, payload)
	}
}

// oddWords are texts that JSON writes in its own way.
var oddWords = []string{"", "plain", `quo"ted`, `back\slash`, "two\nlines\t", "\x01", "\u2028", "gr\u00fcn", "<&>", " "}

func word(t *rapid.T, name string) string {
	if rapid.IntRange(0, 9).Draw(t, name+" is odd") > 0 {
		return "plain"
	}
	return rapid.SampledFrom(oddWords).Draw(t, name)
}

func some[T any](t *rapid.T, name string, v T) (out T) {
	if rapid.Bool().Draw(t, name) {
		return v
	}
	return out
}

func drawWritten(t *rapid.T) string {
	at := time.Date(2026, 11, 29, 12, 0, 0, rapid.SampledFrom([]int{0, 5e8}).Draw(t, "ns"), time.UTC)
	r := Record{
		V: 1, Lane: word(t, "lane"), Slot: word(t, "slot"), LaneKind: word(t, "kind"), Scope: Local, State: lane.Held, Nonce: word(t, "nonce"),
		Tree: some(t, "tree", []string{"docs/**", word(t, "glob")}), Gen: rapid.Uint64Range(0, 1<<53).Draw(t, "gen"),
		Holder: Holder{Node: word(t, "node"), Owner: word(t, "owner"), Worker: word(t, "worker")}, RunID: word(t, "run"), Unit: word(t, "unit"),
		Seat: word(t, "seat"), TTL: rapid.Int64Range(-5, 1<<40).Draw(t, "ttl"), AcquiredAt: some(t, "acquired", at), RenewedAt: at,
		Policy: word(t, "policy"), Reason: word(t, "reason"), Operator: word(t, "operator"), Under: word(t, "under"),
		Delegate: rapid.Bool().Draw(t, "delegate"), Taking: rapid.Bool().Draw(t, "taking"), Rung: word(t, "rung"), UnderGen: some(t, "under gen", uint64(7)),
		Pushing: some(t, "pushing", []string{"p", word(t, "push")}), Proc: some(t, "proc", &Proc{PID: 4, Start: "s", Boot: word(t, "boot")}),
		Ship: some(t, "ship", &Ship{Ref: "refs/heads/main", New: word(t, "new"), Units: []ShipUnit{{Plan: word(t, "plan")}}, Under: &ShippedUnder{Gen: 1}}),
	}
	return string(encode(r))
}

func drawOrder(t *rapid.T) string {
	g := Grant{Gen: 3, Nonce: word(t, "nonce"), Lane: word(t, "lane"), Kind: word(t, "kind"), Tree: some(t, "tree", []string{"docs/**"}), Unit: word(t, "unit"), Seat: word(t, "seat")}
	o := Order{
		V: 1, Seq: rapid.Uint64Range(0, 1<<53).Draw(t, "seq"), Policy: word(t, "policy"), Admitted: word(t, "admitted"), Found: some(t, "found", uint64(2)),
		Lanes:  some(t, "lanes", map[string]Grant{word(t, "chain"): g, "a": {Gen: 1, Nonce: "n"}}),
		Newest: some(t, "newest", map[string]uint64{word(t, "newest chain"): 2, "b": 0}),
		Units:  some(t, "units", map[string]Booking{word(t, "key"): {"n", word(t, "until")}}), Seats: map[string]Booking{}, Classes: map[string]int{"cluster": 2},
	}
	return string(encode(o))
}

// plainly reports whether a text has no character by its number and no null: such
// are left to the decoder.
func plainly(text string) bool {
	return !strings.Contains(text, `\u`) && !strings.Contains(text, "null")
}

func TestRecordsAreReadQuicklyAsTheDecoderReadsThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record, order := drawWritten(t), drawOrder(t)
		same(t, readRecord, record, plainly(record))
		same(t, readOrder, order, plainly(order))
	})
}

// Whatever is changed in a record, the quick way refuses what the decoder refuses,
// and takes nothing for another thing.
func TestNothingIsReadQuicklyThatTheDecoderRefuses(t *testing.T) {
	pieces := []string{
		`"`, `\`, `,`, `:`, `{`, `}`, `[`, `]`, ` `, `0`, `00`, `-`, `-0`, `1.5`, `1e5`, `null`, `true`, `false`, `"x"`, `{}`, `[]`, "\x01", "\xff", `"\u00e9"`,
		`"v":1,`, `"V":2,`, `"lane":"x",`, `"LANE":"x",`, `"gen":99999999999999999999,`, `"tree":null,`, `"tree":[],`, `"later":[1],`, `"later":{"v":2},`,
		`"proc":null,`, `"proc":{"pid":-1},`, `"ship":{"units":[null]},`, `"taking":true,`, `"node":"n",`, `"kind":"k",`, `"lanes":{},`, `"newest":{},`, `"a":{"gen":2},`,
		`"renewed_at":"2026-02-30T00:00:00Z",`, `"2026-01-01T00:00:00.5+02:00"`, `"units":{"a":{},"a":{"nonce":"n"}},`,
	}
	change := func(t *rapid.T, text string) string {
		for range rapid.IntRange(1, 2).Draw(t, "changes") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			if near := strings.IndexAny(text[at:], `{,[:`); near >= 0 && rapid.Bool().Draw(t, "between") {
				at += near + 1
			}
			end := min(len(text), at+rapid.IntRange(0, 4).Draw(t, "cut"))
			text = text[:at] + rapid.SampledFrom(pieces).Draw(t, "piece") + text[end:]
		}
		return text
	}
	rapid.Check(t, func(t *rapid.T) {
		same(t, readRecord, change(t, drawWritten(t)), false)
		same(t, readOrder, change(t, drawOrder(t)), false)
	})
}

// A record in another form than it is written in is read as the decoder reads it,
// or left to it.
func TestARecordThatSomebodyElseWrote(t *testing.T) {
	record := string(encode(Record{V: 1, Lane: "docs", LaneKind: "cluster", Tree: []string{"docs/**"}, Scope: Local, State: lane.Held, Gen: 3, Nonce: "n", Holder: Holder{Node: "a", Owner: "b"}, TTL: 5}))
	order := string(encode(Order{V: 1, Seq: 2, Lanes: map[string]Grant{"a": {Gen: 1, Nonce: "n"}, "b": {Gen: 2, Nonce: "m"}}, Newest: map[string]uint64{"a": 1, "b": 2}, Units: map[string]Booking{}, Seats: map[string]Booking{}, Classes: map[string]int{}}))
	same(t, readRecord, record, true)
	same(t, readOrder, order, true)
	same(t, readRecord, strings.Replace(record, `"tree":["docs/**"]`, `"tree":[]`, 1), true)
	for _, c := range []struct{ claim, old, new string }{
		{"a key that nobody knows", `"nonce":"n"`, `"nonce":"n","later":1`},
		{"a key in other letters", `"nonce":"n"`, `"Nonce":"n"`},
		{"a key twice", `"gen":3`, `"gen":2,"gen":3`},
		{"another order", `"gen":3,"nonce":"n"`, `"nonce":"n","gen":3`},
		{"a holder with more to say", `"owner":"b"`, `"owner":"b","later":1`},
		{"no list of globs", `"tree":["docs/**"]`, `"tree":"docs/**"`},
		{"a chain twice", `"b":{"gen":2`, `"a":{"gen":2`},
		{"a newest chain twice", `"b":2`, `"a":2`},
		{"a grant with more to say", `"nonce":"m"`, `"nonce":"m","later":1`},
		{"a process that is none", `"ttl_s":5`, `"proc":7,"ttl_s":5`},
		{"units that are none", `"units":{}`, `"units":[]`},
		{"what is not so", `"policy":""}`, `"policy":"","delegate":false}`},
		{"a version past all bounds", `{"v":1`, `{"v":1000000000000000000000`},
		{"something behind it", `}`, `}}`},
	} {
		found := false
		for _, text := range []string{record, order} {
			changed := strings.Replace(text, c.old, c.new, 1)
			if changed == text {
				continue
			}
			found = true
			_, isRecord := readRecord([]byte(changed))
			_, isOrder := readOrder([]byte(changed))
			if isRecord || isOrder {
				t.Errorf("%s is read quickly: %s", c.claim, changed)
			}
		}
		if !found {
			t.Errorf("%s: %s is in neither", c.claim, c.old)
		}
	}
}

func FuzzReadRecord(f *testing.F) {
	f.Add(string(encode(heldBy("me", "n0"))))
	f.Fuzz(func(t *testing.T, payload string) {
		same(t, readRecord, payload, false)
		same(t, readOrder, payload, false)
	})
}
