package lane_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestTaxonomyResolvesALane(t *testing.T) {
	tests := []struct {
		name    string
		aliases map[string]string
		lane    string
		want    string // "" for an error
	}{
		{"a name is folded", nil, "API", "api"},
		{"an alias stands for its lane", map[string]string{"Front": "WEB"}, "front", "web"},
		{"in any case", map[string]string{"front": "web"}, "FRONT", "web"},
		{"an alias of an alias stands for its lane", map[string]string{"a": "b", "B": "C"}, "a", "c"},
		{"one of itself is no alias", map[string]string{"a": "A"}, "a", "a"},
		{"aliases that go round are an error", map[string]string{"a": "b", "b": "c", "c": "b"}, "a", ""},
		{"but not for others", map[string]string{"a": "b", "b": "c", "c": "b", "d": "e"}, "d", "e"},
		{"whatever the other aliases are", map[string]string{"x\x00": "api", "y": "\x00", "a": "b"}, "a", "b"},
		{"no name is none", nil, "", ""},
		{"nor is one that no ref could hold", nil, "a\x00", ""},
		{"an alias of nothing nameable is an error", map[string]string{"a": "\x00"}, "a", ""},
		{"so is one of two lanes", map[string]string{"a": "b", "A": "c"}, "a", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// Two spellings of a lane make the rest of the taxonomy unusable.
			got, err := lane.Taxonomy{Concurrent: []string{"x", "X"}, Aliases: tt.aliases}.Canonical(tt.lane)
			if got != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestTaxonomyReadsAKind(t *testing.T) {
	taxonomy := lane.Taxonomy{Concurrent: []string{"abi"}, Exclusive: []string{"Infra"}}
	for word, want := range map[string]string{
		"cluster": "cluster", "KEYWORD": "keyword", "Global": "global", "infra": "infra", "release": "release",
		"abi": "", "": "", "api": "", "\x00": "", strings.Repeat("x", 10_000): "",
	} {
		got, err := taxonomy.Kind(word)
		if got != want || (err != nil) != (want == "") || err != nil && len(err.Error()) > 300 {
			t.Errorf("%.20q: got %q, %v, want %q", word, got, err, want)
		}
	}
	if _, err := (lane.Taxonomy{Concurrent: []string{"x", "X"}}).Kind("cluster"); err == nil {
		t.Error("an unusable taxonomy has kinds")
	}
}

func TestRosterKnowsWhatRunsAlone(t *testing.T) {
	r, err := lane.Taxonomy{
		Concurrent: []string{"api", "bare", "_r"}, Exclusive: []string{"Infra"}, Autopick: []string{"picked"},
		Trees: map[string][]string{"api": {"./api/**"}, "Infra": {"infra"}, "abi": {"abi"}, "_r": {"r"}}, Aliases: map[string]string{"front": "api"},
	}.Roster()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		lane, kind string
		alone      bool
	}{
		{"api", "", false}, {"api", "cluster", false}, {"api", "GLOBAL", true}, {"api", "INFRA", true}, {"INFRA", "cluster", true},
		{"abi", "", true}, {"release", "", true}, {"Release", "keyword", true}, {"nobody", "", false}, {"\x00", "\xff", false},
	} {
		if got := r.Excludes(tt.lane, tt.kind); got != tt.alone {
			t.Errorf("Excludes(%q, %q) = %v", tt.lane, tt.kind, got)
		}
	}
	for name, want := range map[string]bool{"API": true, "bare": true, "picked": true, "abi": true, "global": true, "front": false, "nobody": false, "\x00": false} {
		if r.Declares(name) != want {
			t.Errorf("Declares(%q) = %v", name, !want)
		}
	}
	for name, want := range map[string][]string{"API": {"api/**"}, "infra": {"infra"}, "abi": {"abi"}, "release": {"**/*"}, "bare": nil, "picked": nil, "front": nil, "_r": nil, "nobody": nil} {
		if c, ok := r.Declared(name); ok != (want != nil) || ok && (!slices.Equal(c.Tree, want) || c.Lane != strings.ToLower(name)) {
			t.Errorf("Declared(%q) = %+v, %v", name, c, ok)
		}
	}
}

func TestBareRequest(t *testing.T) {
	for _, tt := range []struct {
		req  lane.Request
		bare bool
	}{
		{lane.Request{}, true}, {lane.Request{Kind: "Cluster"}, true}, {lane.Request{Tree: []string{"", ""}}, true},
		{lane.Request{Lane: "api"}, false}, {lane.Request{Kind: "keyword"}, false}, {lane.Request{Tree: []string{"", "x"}}, false},
	} {
		if got := tt.req.Bare(); got != tt.bare {
			t.Errorf("%+v: got %v", tt.req, got)
		}
	}
}

// Whoever asks by an alias of an alias is given the lane that a release by any
// of these names lets go.
func TestAnAliasOfAnAliasIsTheSameLane(t *testing.T) {
	taxonomy := lane.Taxonomy{Concurrent: []string{"a"}, Trees: map[string][]string{"a": {"a/**"}}, Aliases: map[string]string{"t": "a", "u": "t"}}
	for _, word := range []string{"a", "t", "u"} {
		c, no, ok := lane.Resolve(lane.Request{Lane: word}, taxonomy)
		if name, err := taxonomy.Canonical(word); !ok || err != nil || c.Lane != "a" || name != "a" {
			t.Errorf("%s: %+v, %+v, %q, %v", word, c, no, name, err)
		}
	}
	taxonomy.Aliases = map[string]string{"q": "w", "w": "q"}
	if _, no, ok := lane.Resolve(lane.Request{Lane: "a"}, taxonomy); ok || no.Err() == nil || !strings.Contains(no.Reason, `alias "q" stands for no lane`) {
		t.Errorf("%+v, %v", no, ok)
	}
	if name, err := taxonomy.Canonical("a"); name != "a" || err != nil {
		t.Errorf("a lane can be let go: %q, %v", name, err)
	}
}
