package policy

import (
	"reflect"
	"strings"
	"testing"
)

func TestAStatedTaxonomyReplacesTheDefaultWhole(t *testing.T) {
	tests := []struct {
		claim, file string
		want        Lanes
	}{
		{"an empty table is no statement", "[lanes]\n", defaultLanes()},
		{"what is left out becomes empty", "[lanes]\nconcurrent = [\"a\"]\n",
			Lanes{Concurrent: []string{"a"}, Trees: map[string][]string{}, Aliases: map[string]string{}}},
		{"aliases alone are a statement", "lanes.aliases.x = \"a\"\n",
			Lanes{Trees: map[string][]string{}, Aliases: map[string]string{"x": "a"}}},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			if got := mustParse(t, tt.file).Lanes; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestExclusive(t *testing.T) {
	p := mustParse(t, "[lanes]\nconcurrent = [\"a\", \"Release\"]\nexclusive = [\"Infra\"]\nautopick = [\"ABI\"]\n")
	tests := []struct {
		claim, lane string
		want        bool
	}{
		{"a declared exclusive lane", "Infra", true},
		{"in any case", "iNFRA", true},
		{"a concurrent lane is not", "a", false},
		{"global is, undeclared", "global", true},
		{"in any case too", "GLOBAL", true},
		{"release is not once it is concurrent", "release", false},
		{"abi is not once it is offered unasked", "abi", false},
		{"an unknown lane is not", "zebra", false},
		{"a letter that only folds in Unicode is another letter", "\u0130nfra", false},
	}
	for _, tt := range tests {
		if got := p.Exclusive(tt.lane); got != tt.want {
			t.Errorf("%s: Exclusive(%q) = %v", tt.claim, tt.lane, got)
		}
	}
}

func TestRosterIsConcurrentThenExclusiveEachOnce(t *testing.T) {
	p := mustParse(t, "[lanes]\nconcurrent = [\"b\", \"a\", \"b\"]\nexclusive = [\"x\", \"a\"]\nautopick = [\"b\", \"z\"]\n")
	if got, want := p.Roster(), []string{"b", "a", "x"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLaneAndTreeAnswerToAnyCaseAndAlias(t *testing.T) {
	p := mustParse(t, "[lanes]\nconcurrent = [\"Docs\"]\n[lanes.trees]\nDocs = [\"docs/**\"]\nweb = [\"web/**\"]\n[lanes.aliases]\nManual = \"docs\"\nghost = \"gone\"\n")
	tests := []struct {
		word, lane string
		known      bool
	}{
		{"docs", "Docs", true}, {"DOCS", "Docs", true}, {"manual", "Docs", true}, {"web", "web", true},
		{"Global", "global", true}, {"ghost", "gone", false}, {"zebra", "zebra", false}, {"", "", false},
	}
	for _, tt := range tests {
		if lane, known := p.Lane(tt.word); lane != tt.lane || known != tt.known {
			t.Errorf("Lane(%q) = %q, %v; want %q, %v", tt.word, lane, known, tt.lane, tt.known)
		}
	}
	if got := p.Tree("dOCS"); !reflect.DeepEqual(got, []string{"docs/**"}) {
		t.Errorf("Tree = %v", got)
	}
	if got := p.Tree("zebra"); got != nil {
		t.Errorf("Tree of no lane = %v", got)
	}
}

func TestCheckLaneName(t *testing.T) {
	legal := []string{"a", "Docs", "0", "a.b", "a-b_c", "com0", "com10", "console", "k", "k.x", "k.0.x", "lock", strings.Repeat("a", 100)}
	illegal := map[string]string{
		"": "empty", strings.Repeat("a", 101): "101 bytes", "a b": "letters", "a/b": "letters", "caf\u00e9": "letters",
		"\u212aernel": "letters", "a\n": "letters", "a%41": "letters", "_x": "reserves", ".a": "begin", "-a": "begin",
		"a.lock": "ref", "A.LOCK": "ref", "a.": "ref", "a..b": "ref", "con": "device", "NUL": "device", "aux.x": "device",
		"prn": "device", "COM1": "device", "lpt9": "device", "k.00": "slot", "K.7": "slot",
	}
	for _, name := range legal {
		if err := CheckLaneName(name); err != nil {
			t.Errorf("%q refused: %v", name, err)
		}
	}
	for name, why := range illegal {
		if err := CheckLaneName(name); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: error %v, want one about %q", name, err, why)
		}
	}
}

func TestLaneRules(t *testing.T) {
	tests := []struct{ claim, file, want string }{
		{"lanes that differ in case only, one list", "[lanes]\nconcurrent = [\n\"Docs\",\n\"docs\"]",
			`dos.toml:4: lane "docs" and lane "Docs" (line 3) are the same name but for case; spell both alike, or rename one`},
		{"lanes that differ in case only, list and tree", "[lanes]\nexclusive = [\"docs\"]\ntrees.DOCS = [\"d\"]",
			`dos.toml:3: lane "DOCS" and lane "docs" (line 2) are the same name but for case; spell both alike, or rename one`},
		{"aliases that differ in case only", "[lanes.aliases]\nX = \"a\"\nx = \"b\"",
			`dos.toml:3: alias "x" and alias "X" (line 2) are the same name but for case; spell both alike, or rename one`},
		{"an exclusive lane offered unasked", "[lanes]\nexclusive = [\"Infra\"]\nautopick = [\n\"Infra\"]",
			`dos.toml:4: lanes.autopick holds "Infra", which is exclusive: a lane that runs alone is never picked unasked; take it out of lanes.autopick, or out of lanes.exclusive`},
		{"a reserved name", "[lanes]\nconcurrent = [\"_dispatcher\"]",
			"dos.toml:2: lanes.concurrent entry 1 begins with _, which marks the lanes git-dos reserves for itself"},
		{"an illegal name with a tree", "[lanes.trees]\n\"a/b\" = [\"x\"]",
			`dos.toml:2: lanes.trees."a/b" must be made of letters a-z, digits, and . _ -`},
		{"a plan on an illegal lane", "[plans]\nAUTH = \"a b\"", "dos.toml:2: plans.AUTH must be made of letters a-z, digits, and . _ -"},
		{"a fleet lane that is illegal", "[fleet]\nlanes = [\"ok\", \"_x\"]",
			"dos.toml:2: fleet.lanes entry 2 begins with _, which marks the lanes git-dos reserves for itself"},
		{"an absolute tree", "[lanes.trees]\na = [\"ok\", \"/etc\"]",
			`dos.toml:2: lanes.trees.a entry 2 "/etc" must be relative to the repository, without a leading slash`},
		{"a tree of another host", `lanes.trees.a = ['\\host\share']`,
			`dos.toml:1: lanes.trees.a entry 1 "\\\\host\\share" must be relative to the repository, without a leading slash`},
		{"a drive letter", `lanes.trees.a = ['c:x']`, `dos.toml:1: lanes.trees.a entry 1 "c:x" must be relative to the repository, without a drive letter`},
		{"a tree that climbs out", `lanes.trees.a = ["a/../../b"]`, `dos.toml:1: lanes.trees.a entry 1 "a/../../b" must not lead out of the repository with ..`},
		{"a tree that climbs out backwards", `lanes.trees.a = ['a\..\..\b']`, `dos.toml:1: lanes.trees.a entry 1 "a\\..\\..\\b" must not lead out of the repository with ..`},
		{"a tree that may climb out", `lanes.trees.a = ["**/../b"]`, `dos.toml:1: lanes.trees.a entry 1 "**/../b" must not lead out of the repository with ..`},
		{"an exception", `lanes.trees.a = [" !b"]`, `dos.toml:1: lanes.trees.a entry 1 " !b" must not begin with !: a tree is a list of what it holds, without exceptions`},
		{"a blank entry", `lanes.trees.a = ["a", " \t"]`, "dos.toml:1: lanes.trees.a entry 2 must not be blank"},
		{"an empty entry", `lanes.trees.a = [""]`, "dos.toml:1: lanes.trees.a entry 1 must not be blank"},
		{"a line break in an entry", `lanes.trees.a = ["a\nb"]`, `dos.toml:1: lanes.trees.a entry 1 must not contain control characters, "a\nb" does`},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			if got := problems(t, tt.file); len(got) != 1 || got[0] != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
	for _, tree := range []string{"a/../b", "./a", "a//b", "src/**", "*.md", "a/*/../b", "a[b]{c,d}?", "..a", "a..", "  a  ", "ab:c"} {
		if got := problems(t, "lanes.trees.a = ['"+tree+"']"); got != nil {
			t.Errorf("tree %q refused: %q", tree, got)
		}
	}
}

func TestLaneFollowsAliasesToTheirEnd(t *testing.T) {
	p := Policy{Lanes: Lanes{Concurrent: []string{"api"}, Aliases: map[string]string{"t": "API", "U": "T", "s": "S", "q": "w", "w": "q"}}}
	for word, want := range map[string]string{"t": "api", "u": "api", "api": "api", "s": "", "q": "", "w": "", "x": ""} {
		if name, known := p.Lane(word); known != (want != "") || known && name != want || !known && name != word {
			t.Errorf("%s: got %s, %v", word, name, known)
		}
	}
}
