package ledger

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

func tipWith(op, payload string) refstore.Tip {
	return refstore.Tip{Ref: "refs/dos/journal/n1", ID: "0123456789012345678901234567890123456789", Entry: refstore.Entry{Op: op, Payload: []byte(payload)}}
}

// agree reports a payload whose head is not what a decoder of all of it says.
func agree(t *testing.T, payload string) {
	t.Helper()
	tip := tipWith("HALT", payload)
	got, err := entryOf(tip)
	want, wantErr := entryIn(tip)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v, %v, want %+v, %v", payload, got, err, want, wantErr)
	}
}

func TestTheHeadIsWhatTheWholeRowSays(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{
		`{"v":1,"op":"HALT","seq":5}`, `{"v":1,"op":"HALT","seq":5,"a":{"seq":7},"b":["v",{"op":"X"}],"c":"\"seq\":"}`,
		`{"v":1,"op":"HALT","seq":5,"seq":6}`, `{"v":1,"op":"HALT","seq":5,"Seq":6}`, `{"v":1,"op":"HALT","seq":5,"\u0073eq":6}`,
		`{"v":1,"op":"HALT","seq":5,"a":1,"ſeq":6}`, `{"v":1,"op":"HALT","seq":5,"a":"x","V":2}`, `{"v":1,"op":"HALT","seq":5,"a":[],"op":"EXIT"}`,
		`{"v":1,"op":"HALT","seq":5,"a":1 ,"seq" :6}`, `{"v":1,"op":"HALT","seq":05}`, `{"v":1,"op":"HALT","seq":5.0}`, `{"v":1,"op":"HALT","seq":-5}`,
		`{"v":1,"op":"HALT","seq":18446744073709551615}`, `{"v":1,"op":"HALT","seq":99999999999999999999}`, `{"v":1,"op":"HALT","seq":0}`, `{"v":0,"op":"HALT","seq":1}`,
		`{"v":2,"op":"HALT","seq":1}`, `{"v":1,"op":"EXIT","seq":1}`, `{"v":1,"op":"HA\u004cT","seq":1}`, `{"op":"HALT","v":1,"seq":3}`, `{"v":1,"op":"HALT"}`, `{"v":null,"op":"HALT","seq":1}`,
		`{"v":1,"op":"HALT","seq":"1"}`, `{"v":1,"op":"HALT","seq":1`, `{"v":1,"op":"HALT","seq":1}}`, `{"v":1,"op":"HALT","seq":1,"a":"`, `[]`, ``,
	} {
		agree(t, payload)
	}
	dice := rand.New(rand.NewPCG(1, 2))
	pieces := []string{`,"seq":9`, `,"SEQ":9`, `,"op":"EXIT"`, `,"v":3`, `,"a":{"v":2,"b":[{"seq":1}]}`, `,"b":"x,\"seq\":3"`, `,"c":["}","seq",":"]`, `,"d":"\\"`, `,"e":-1.5e3`, ` `, `,"":""`}
	for range 5000 {
		payload := `{"v":1,"op":"HALT","seq":5`
		for range dice.IntN(5) {
			payload += pieces[dice.IntN(len(pieces))]
		}
		if payload += `}`; json.Valid([]byte(payload)) {
			agree(t, payload)
		}
	}
}

func TestAGlanceAtACheckpointStopsAtItsHead(t *testing.T) {
	t.Parallel()
	const sound, twice = `{"v":1,"op":"CHECKPOINT","seq":5,"runs":{}}`, `{"v":1,"op":"CHECKPOINT","seq":5,"seq":6}`
	for _, c := range []struct {
		claim, op, payload string
		seq                uint64
	}{
		{"one as it is written", refstore.OpCheckpoint, sound, 5},
		{"one with a second seq, which whoever restores it refuses", refstore.OpCheckpoint, twice, 5},
		{"one in another form", refstore.OpCheckpoint, `{"seq":6,"v":1}`, 6},
		{"a row is read to its end", "HALT", `{"v":1,"op":"HALT","seq":5,"seq":6}`, 6},
	} {
		if e, err := glance(tipWith(c.op, c.payload)); err != nil || e.Seq != c.seq {
			t.Errorf("%s: seq %d, %v, want %d", c.claim, e.Seq, err, c.seq)
		}
	}
	if e, err := entryOf(tipWith(refstore.OpCheckpoint, twice)); err != nil || e.Seq != 6 {
		t.Errorf("who appends to it goes on from %d, %v", e.Seq, err)
	}
	for _, payload := range []string{`{"v":3,"op":"CHECKPOINT","seq":5}`, `{"v":1,"op":"CHECKPOINT","seq":0}`, `{"op":"CHECKPOINT","seq":5}`} {
		if _, err := glance(tipWith(refstore.OpCheckpoint, payload)); err == nil {
			t.Errorf("%s has a head", payload)
		}
	}
}
