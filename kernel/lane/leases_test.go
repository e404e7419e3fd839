package lane_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestParseLeases(t *testing.T) {
	const why = "it could not be when these leases were listed"
	tests := []struct {
		name, text string
		want       []lane.Lease
	}{
		{"none", ` [ ] `, nil},
		{"every key", `[{"lane":"API","lane_kind":"cluster","tree":["api/**"],"state":"parked","holder":"bob","nonce":"b0b"}]`,
			[]lane.Lease{{Lane: "API", Kind: "cluster", Tree: []string{"api/**"}, State: lane.Parked, Holder: "bob", Nonce: "b0b"}}},
		{"without a state it is held", `[{"lane":"a"}]`, []lane.Lease{{Lane: "a", State: lane.Held}}},
		{"null is as good as missing", `[{"lane":"a","lane_kind":null,"tree":null,"state":null,"holder":null}]`, []lane.Lease{{Lane: "a", State: lane.Held}}},
		{"a state nobody knows is kept", `[{"lane":"a","state":"lapsed"}]`, []lane.Lease{{Lane: "a", State: "lapsed"}}},
		{"a free row is left out, with a lane or without", `[{"lane":"a","state":"free"},{"state":"free"},{"lane":"b"}]`, []lane.Lease{{Lane: "b", State: lane.Held}}},
		{"what else a row holds is not looked at", `[{"lane":"a","loop_ts":7,"gen":[{}],"State":"free","LANE":"b","exclusive":"x","as_of":null}]`, []lane.Lease{{Lane: "a", State: lane.Held}}},
		{"a holder is text", `[{"lane":"a","holder":"w on n"}]`, []lane.Lease{{Lane: "a", State: lane.Held, Holder: "w on n"}}},
		{"or who and where", `[{"lane":"a","holder":{"node":"n","owner":"o","worker":"w"}}]`, []lane.Lease{{Lane: "a", State: lane.Held, Holder: "o on n"}}},
		{"where is said once", `[{"lane":"a","holder":{"node":"n","owner":"o@n"}}]`, []lane.Lease{{Lane: "a", State: lane.Held, Holder: "o@n"}}},
		{"or who alone", `[{"lane":"a","holder":{"worker":"w"}}]`, []lane.Lease{{Lane: "a", State: lane.Held, Holder: "w"}}},
		{"or where alone", `[{"lane":"a","holder":{"node":"n"}}]`, []lane.Lease{{Lane: "a", State: lane.Held, Holder: "an unnamed holder on n"}}},
		{"a tree is taken as it is", `[{"lane":"a","tree":["/abs","",".."]}]`, []lane.Lease{{Lane: "a", Tree: []string{"/abs", "", ".."}, State: lane.Held}}},
		{"an unreadable row says why", `[{"lane":"a","state":"unreadable","lane_kind":"cluster","tree":["a/"],"reason":"broken"}]`,
			[]lane.Lease{{Lane: "a", Kind: "cluster", Tree: []string{"a/"}, State: lane.Held, Unreadable: "broken"}}},
		{"or does not", `[{"lane":"a","state":"unreadable","reason":{}}]`, []lane.Lease{{Lane: "a", State: lane.Held, Unreadable: why}}},
		{"where nobody was admitted it stands in the way of its name alone", `[{"lane":"a","state":"unreadable","admitted":false}]`, []lane.Lease{{Lane: "a", State: lane.Held, Unreadable: why, NameOnly: true}}},
		{"it goes by its slot where it has no lane", `[{"lane":"","slot":"k.07","state":"unreadable"}]`, []lane.Lease{{Lane: "k.07", State: lane.Held, Unreadable: why}}},
		{"but not by what is no slot", `[{"slot":"api","state":"unreadable"}]`, []lane.Lease{{State: lane.Held, Unreadable: why}}},
		{"a claim inside a lease is left out with it", `[{"lane":"a+k.00","nonce":"1","rides":{"lane":"a","gen":1,"nonce":"2"}},{"lane":"a","nonce":"2"}]`, []lane.Lease{{Lane: "a", State: lane.Held, Nonce: "2"}}},
		{"also where a node's stands in the lease's place", `[{"lane":"a","nonce":"3"},{"lane":"a+k.00","nonce":"1","rides":{"lane":"a","gen":1,"nonce":"2","through":"3"}}]`, []lane.Lease{{Lane: "a", State: lane.Held, Nonce: "3"}}},
		{"without the lease it binds like any", `[{"lane":"a+k.00","nonce":"1","rides":{"lane":"a","gen":1,"nonce":"2"}},{"lane":"b","nonce":"2"},{"lane":"a"}]`, []lane.Lease{{Lane: "a+k.00", State: lane.Held, Nonce: "1"}, {Lane: "b", State: lane.Held, Nonce: "2"}, {Lane: "a", State: lane.Held}}},
		{"nor where it has a lane", `[{"lane":"a","slot":"k.07","state":"unreadable"}]`, []lane.Lease{{Lane: "a", State: lane.Held, Unreadable: why}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := lane.ParseLeases([]byte(tt.text))
			if err != nil || len(got) != len(tt.want) || len(got) > 0 && !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestParseLeasesRefuses(t *testing.T) {
	row := `{"lane":"a"},`
	for name, text := range map[string]string{
		"nothing":                       "",
		"no JSON":                       `[{"lane":}]`,
		"more than one value":           `[] []`,
		"null":                          `null`,
		"an object":                     `{"lane":"a"}`,
		"a text":                        `"[]"`,
		"a number in the array":         `[7]`,
		"null in the array":             `[null]`,
		"a text in the array":           `[{"lane":"a"},"b"]`,
		"an array in the array":         `[[]]`,
		"no lane":                       `[{"lane_kind":"cluster"}]`,
		"a blank lane":                  `[{"lane":""}]`,
		"a lane that is a number":       `[{"lane":1}]`,
		"a kind that is an array":       `[{"lane":"a","lane_kind":[]}]`,
		"a key twice":                   `[{"lane":"web","lane":"api"}]`,
		"a key of a holder twice":       `[{"lane":"web","holder":{"node":"a","node":"a"}}]`,
		"a nonce that is a number":      `[{"lane":"a","nonce":7}]`,
		"a state that is true":          `[{"lane":"a","state":true}]`,
		"a tree that is a text":         `[{"lane":"a","tree":"src/**"}]`,
		"a tree of numbers":             `[{"lane":"a","tree":[1]}]`,
		"a tree with null":              `[{"lane":"a","tree":["x",null]}]`,
		"a holder that is a number":     `[{"lane":"a","holder":1}]`,
		"a holder of numbers":           `[{"lane":"a","holder":{"owner":1}}]`,
		"a free row of wrong types":     `[{"lane":"a","state":"free","tree":1}]`,
		"text that is no UTF-8":         "[{\"lane\":\"a\xff\"}]",
		"more than 1 MiB":               `[` + strings.Repeat(" ", 1<<20) + `]`,
		"more than 10,000 rows":         `[` + strings.Repeat(row, 10_000) + row[:len(row)-1] + `]`,
		"arrays in arrays, without end": strings.Repeat("[", 1<<19) + strings.Repeat("]", 1<<19),
	} {
		if got, err := lane.ParseLeases([]byte(text)); err == nil || len(got) > 0 || len(err.Error()) > 300 {
			t.Errorf("%s: got %d leases, %v", name, len(got), err)
		}
	}
}

func TestParseLeasesSaysWhichRow(t *testing.T) {
	for text, want := range map[string]string{
		`[{"lane":"a"},null]`:              "lease 2 is null, want an object",
		`[{"lane":"a"},{"lane":7}]`:        "lease 2: lane is a number, want a string",
		`[{"lane":"a"},{"x":7}]`:           "lease 2 has no lane",
		`[{"lane":"a","tree":["x",null]}]`: "lease 1: tree[1] is null, want a string",
	} {
		if _, err := lane.ParseLeases([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// As many leases as may be handed over are judged, and none is lost.
func TestTenThousandLeases(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, `,{"lane":"l%d","lane_kind":"keyword","tree":["d%d/%d/**","*.x%d"]}`, i, i%7, i, i)
	}
	live, err := lane.ParseLeases([]byte("[" + b.String()[1:] + "]"))
	if err != nil || len(live) != 10_000 {
		t.Fatalf("%d leases, %v", len(live), err)
	}
	for _, g := range algebras {
		for tree, class := range map[string]string{"e/**": lane.KeywordAdmitted, "d3/9998/x": lane.KeywordAdmitted, "d3/9999/x": lane.Collision} {
			if g == lane.Prefix && class == lane.KeywordAdmitted {
				class = lane.Collision // with *.x1, which is everything there
			}
			if v := lane.Arbitrate(lane.Evidence{Request: lane.Request{Lane: "new", Tree: []string{tree}}, Live: live, Algebra: g}); v.ReasonClass != class {
				t.Errorf("%s: %s: got %+v, want %s", g, tree, v, class)
			}
		}
	}
}

// No evidence from the store, however it is made, ends in a panic or a grant
// beside a lease whose tree cannot be read.
func TestHostileLeases(t *testing.T) {
	long := strings.Repeat("a/*", 1<<18)
	many := make([]string, 5000)
	for i := range many {
		many[i] = fmt.Sprintf("m%d", i)
	}
	for _, tree := range [][]string{{long}, many, {"\xff\xfe"}, {"a\x00b"}, {"../up"}, {"!x"}, {" "}, {""}, nil} {
		for _, name := range []string{"x", "\xff", "", strings.Repeat("n", 1<<20), "k.00", "..", "con"} {
			ev := lane.Evidence{Request: lane.Request{Lane: "api"}, Lanes: yard(), Algebra: lane.Glob,
				Live: []lane.Lease{{Lane: name, Kind: "\xff\x1b[0m", Holder: "\x1b[31m", Tree: tree, State: "\x07"}}}
			v := lane.Decide(ev)
			if v.ReasonClass != lane.Collision || len(v.Reason) > 2000 || strings.ContainsAny(v.Reason, "\x1b\x07\x00") {
				t.Errorf("lane %.20q, tree %.40q: got %.200q (%s)", name, tree, v.Reason, v.ReasonClass)
			}
		}
	}
}
