package resume

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func encoded(t *testing.T, r Row) []byte {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func wantReadBack(t *testing.T, r Row) {
	t.Helper()
	if got, err := ParseRow(encoded(t, r)); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%+v, %v; want %+v", got, err, r)
	}
}

func regions(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"s%d":["a"]`, i))
	}
	return strings.Join(all, ",")
}

func TestParseRow(t *testing.T) {
	list := func(n int) string { return `["` + strings.Repeat(`x","`, n-1) + `x"]` }
	for _, c := range []struct {
		claim, row string
		want       error
	}{
		{"a row", `{"v":1,"op":"INTENT","run_id":"R"}`, nil},
		{"without a version it is of the first", `{"op":"INTENT","run_id":"R"}`, nil},
		{"blanks around it are no matter", " {\"op\":\"SUSPEND\" , \"run_id\": \"R\"}\n", nil},
		{"unknown keys are ignored", `{"op":"SUSPEND","run_id":"R","at":7,"seq":[],"env":null,"verdicts":{}}`, nil},
		{"the older tag", `{"op":"INTENT","run_id":"R","schema":{"family":"intent-ledger","version":1}}`, nil},
		{"a tag that is none", `{"op":"INTENT","run_id":"R","schema":{"family":7,"version":"2"}}`, nil},
		{"nor is a word", `{"op":"INTENT","run_id":"R","schema":"intent-ledger"}`, nil},
		{"nor one of version nought", `{"op":"INTENT","run_id":"R","schema":{"family":"x","version":0}}`, nil},
		{"as many steps as may be", `{"op":"RESUME_PROPOSED","run_id":"R","residual":` + list(maxList) + `}`, nil},

		{"a newer version", `{"v":2,"op":"INTENT","run_id":"R"}`, ErrNewer},
		{"whatever it holds", `{"v":2,"op":7,"run_id":[]}`, ErrNewer},
		{"a newer tag", `{"op":"INTENT","run_id":"R","schema":{"family":"intent-ledger","version":2}}`, ErrNewer},
		{"another tag, however new", `{"v":9,"op":"INTENT","run_id":"R","schema":{"family":"lane-journal","version":9}}`, ErrOther},
		{"another op", `{"v":1,"op":"REFUSE"}`, ErrOther},
		{"an op in small letters", `{"v":1,"op":"intent","run_id":"R"}`, ErrOther},

		{"nothing", ``, ErrRow},
		{"no object", `["op","INTENT"]`, ErrRow},
		{"half an object", `{"op":"INTENT"`, ErrRow},
		{"no colon", `{"op" "INTENT"}`, ErrRow},
		{"two objects", `{"op":"INTENT","run_id":"R"}{}`, ErrRow},
		{"no UTF-8", "{\"op\":\"INTENT\",\"run_id\":\"\xff\"}", ErrRow},
		{"a key twice", `{"op":"INTENT","run_id":"R","op":"SUSPEND"}`, ErrRow},
		{"a key twice, once escaped", `{"op":"INTENT","run_id":"R","o\u0070":"SUSPEND"}`, ErrRow},
		{"a key in another case is another key", `{"OP":"INTENT","run_id":"R"}`, ErrRow},
		{"no op", `{"v":1,"run_id":"R"}`, ErrRow},
		{"an op that is a number", `{"op":1,"run_id":"R"}`, ErrRow},
		{"no run", `{"op":"INTENT"}`, ErrRow},
		{"an empty run", `{"op":"INTENT","run_id":""}`, ErrRow},
		{"a run that is null", `{"op":"INTENT","run_id":null}`, ErrRow},
		{"a version that is text", `{"v":"1","op":"INTENT","run_id":"R"}`, ErrRow},
		{"a version that is a fraction", `{"v":1.0,"op":"INTENT","run_id":"R"}`, ErrRow},
		{"a version before the first", `{"v":0,"op":"INTENT","run_id":"R"}`, ErrRow},
		{"a version past all numbers", `{"v":99999999999999999999,"op":"INTENT","run_id":"R"}`, ErrRow},
		{"a goal that is null", `{"op":"INTENT","run_id":"R","goal":null}`, ErrRow},
		{"a goal without an end", `{"op":"INTENT","run_id":"R","goal":"` + strings.Repeat("x", maxText+1) + `"}`, ErrRow},
		{"steps that are one", `{"op":"INTENT","run_id":"R","declared_steps":"s1"}`, ErrRow},
		{"steps that are null", `{"op":"INTENT","run_id":"R","declared_steps":null}`, ErrRow},
		{"a step that is null", `{"op":"INTENT","run_id":"R","declared_steps":[null]}`, ErrRow},
		{"a step that is a number", `{"op":"INTENT","run_id":"R","declared_steps":["s1",2]}`, ErrRow},
		{"a step that is empty", `{"op":"INTENT","run_id":"R","declared_steps":[""]}`, ErrRow},
		{"a step twice", `{"op":"INTENT","run_id":"R","declared_steps":["a","b","a"]}`, ErrRow},
		{"a step that is a book", `{"op":"INTENT","run_id":"R","declared_steps":["` + strings.Repeat("x", maxWord+1) + `"]}`, ErrRow},
		{"too many steps", `{"op":"RESUME_PROPOSED","run_id":"R","residual":` + list(maxList+1) + `}`, ErrRow},
		{"a region that is a list", `{"op":"INTENT","run_id":"R","step_regions":["a"]}`, ErrRow},
		{"a region of a step that is text", `{"op":"INTENT","run_id":"R","step_regions":{"s1":"a"}}`, ErrRow},
		{"a region without globs", `{"op":"INTENT","run_id":"R","step_regions":{"s1":[]}}`, ErrRow},
		{"a region twice", `{"op":"INTENT","run_id":"R","step_regions":{"s1":["a"],"s1":["b"]}}`, ErrRow},
		{"a region of no step", `{"op":"INTENT","run_id":"R","step_regions":{"":["a"]}}`, ErrRow},
		{"a region that is a book", `{"op":"INTENT","run_id":"R","step_regions":{"s1":["` + strings.Repeat("x", maxGlob+1) + `"]}}`, ErrRow},
		{"regions of too many steps", `{"op":"INTENT","run_id":"R","step_regions":{` + regions(maxList+1) + `}}`, ErrRow},
		{"a claim of no step", `{"op":"STEP_CLAIMED","run_id":"R","sha":"a"}`, ErrRow},
		{"a commit that is a number", `{"op":"STEP_CLAIMED","run_id":"R","step_id":"s","sha":1234567}`, ErrRow},
		{"a round below nought", `{"op":"INTENT","run_id":"R","round":-1}`, ErrRow},
		{"a round that nobody reaches", `{"op":"INTENT","run_id":"R","round":9007199254740993}`, ErrRow},
		{"a round that is no number", `{"op":"INTENT","run_id":"R","round":"1"}`, ErrRow},
		{"a round that is NaN", `{"op":"INTENT","run_id":"R","round":NaN}`, ErrRow},
		{"a turn below nought", `{"op":"SUSPEND","run_id":"R","checkpoint_turn":-1}`, ErrRow},
		{"a turn that is a fraction", `{"op":"SUSPEND","run_id":"R","checkpoint_turn":1e3}`, ErrRow},
		{"a row that is a book", `{"op":"INTENT","run_id":"R","note":"` + strings.Repeat("x", maxRow) + `"}`, ErrRow},
	} {
		row, err := ParseRow([]byte(c.row))
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", c.claim, err, c.want)
		}
		if err != nil && !reflect.DeepEqual(row, Row{}) {
			t.Errorf("%s: %+v beside an error", c.claim, row)
		}
	}
}

// A row that cannot be read counts against every run that it may be of, and
// against no other.
func TestWhoseRowItIs(t *testing.T) {
	for _, c := range []struct {
		claim, row           string
		rows, corrupt, newer int
	}{
		{"a good one is counted", `{"op":"SUSPEND","run_id":"RID-01"}`, 1, 0, 0},
		{"another run's is not", `{"op":"SUSPEND","run_id":"RID-02"}`, 0, 0, 0},
		{"not even a broken one", `{"op":7,"run_id":"RID-02"}`, 0, 0, 0},
		{"or a newer one", `{"v":2,"op":"INTENT","run_id":"RID-02"}`, 0, 0, 0},
		{"a broken one is", `{"op":"SUSPEND","run_id":"RID-01","reason":7}`, 1, 1, 0},
		{"a newer one is", `{"v":2,"op":"WHATEVER","run_id":"RID-01"}`, 1, 0, 1},
		{"one that says nobody's is everybody's", `{"op":"SUSPEND"}`, 1, 1, 0},
		{"also in a newer version", `{"v":2,"op":"INTENT","run_id":7}`, 1, 0, 1},
		{"or without an op", `{"v":2}`, 1, 0, 1},
		{"what is no row is everybody's", `{`, 1, 1, 0},
		{"rows of another op need no run", `{"v":1,"op":"REFUSE"}`, 0, 0, 0},
		{"in no version", `{"v":2,"op":"REFUSE"}`, 0, 0, 0},
		{"a record of another kind is passed over", `{"op":"SUSPEND","run_id":"RID-01","schema":{"family":"x","version":1}}`, 0, 0, 0},
	} {
		s := New(run)
		s.Read("n1", []byte(c.row))
		if s.rows != c.rows || s.corrupt != c.corrupt || s.newer != c.newer {
			t.Errorf("%s: %d rows, %d corrupt, %d newer", c.claim, s.rows, s.corrupt, s.newer)
		}
	}
}

func TestSameSha(t *testing.T) {
	full := strings.Repeat("ab", 20)
	for _, c := range []struct {
		claim, a, b string
		want        bool
	}{
		{"equal ids", full, full, true},
		{"in any case", full, strings.ToUpper(full), true},
		{"with blanks", " " + full + "\n", full, true},
		{"the start of one", full[:7], full, true},
		{"either way round", full, full[:12], true},
		{"a start that is too short", full[:6], full, false},
		{"but for itself", full[:6], full[:6], true},
		{"another id", full[:7] + "f", full, false},
		{"nothing is no commit", "", "", false},
		{"and no start of one", "", full, false},
	} {
		if SameSha(c.a, c.b) != c.want {
			t.Errorf("%s: %v", c.claim, !c.want)
		}
	}
}

// An object is cut into what the decoder of the standard library finds in it.
func FuzzReadObject(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a":1 ,"b":true }`, "{\"a\" :\t[1,{\"b\":\"}\"}] ,\n\"c\": \"\\\"\" }", `{"a":{"b":[]},"c":-1.5e3,"d":null,"e":true}`, `{"a\u0062":"\\"}`, `{"":{}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := readObject(data)
		if err != nil {
			return
		}
		want := object{}
		if err := json.Unmarshal(data, &want); err != nil || !reflect.DeepEqual(o, want) {
			t.Errorf("%q: %q, want %q, %v", data, o, want, err)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"v":1,"op":"INTENT","run_id":"RID-01","declared_steps":["s1"],"step_regions":{"s1":["a"]}}`))
	f.Add([]byte(`{"op":"STEP_VERIFIED","run_id":"RID-01","step_id":"s1","sha":"","via":"x","round":3}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := ParseRow(data); err == nil {
			wantReadBackLoosely(t, r)
		}
		s := fold(intent("s1"))
		s.Read("n1", data)
		if v := Decide(seen(s, facts(func(f *Fact) { f.Ancestor = false }))); v.Outcome == Complete {
			t.Errorf("%q completes a run", data)
		}
	})
}

// An empty list reads back as none.
func wantReadBackLoosely(t *testing.T, r Row) {
	t.Helper()
	if len(r.DeclaredSteps) == 0 {
		r.DeclaredSteps = nil
	}
	if len(r.StepRegions) == 0 {
		r.StepRegions = nil
	}
	if len(r.Residual) == 0 {
		r.Residual = nil
	}
	wantReadBack(t, r)
}
