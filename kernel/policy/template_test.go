package policy

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestTemplateParsesToWhatWasAsked(t *testing.T) {
	p := mustParse(t, string(Template("rel/1.x", []LaneTree{
		{"docs", []string{"docs/**", "README.md"}},
		{"Global", []string{"global/**"}},
		{"a.b", []string{`od"d/\t/[x]`, "caf\u00e9/**", "tab\u00a0x"}},
	})))
	want := Default()
	want.Lanes = Lanes{
		Concurrent: []string{"docs", "a.b"}, Exclusive: []string{"global"}, Autopick: []string{"docs", "a.b"},
		Trees: map[string][]string{
			"docs": {"docs/**", "README.md"}, "a.b": {`od"d/\t/[x]`, "caf\u00e9/**", "tab\u00a0x"}, "global": {"**/*"},
		},
		Aliases: map[string]string{},
	}
	want.Trunk.Ref = "rel/1.x"
	want.Overlap.Policy = OverlapGlob
	want.Heartbeats["supervise"] = 5 * time.Minute
	want.lines = p.lines
	if !reflect.DeepEqual(p, want) {
		t.Errorf("got  %+v\nwant %+v", p, want)
	}
}

func TestTemplateWithoutLanesHasOneThatCoversEverything(t *testing.T) {
	for _, lanes := range [][]LaneTree{nil, {{"global", []string{"x"}}}} {
		p := mustParse(t, string(Template("", lanes)))
		if p.Stated("trunk.ref") {
			t.Errorf("a trunk that nobody named: %q", p.Trunk.Ref)
		}
		if got := p.Roster(); !reflect.DeepEqual(got, []string{"main", "global"}) || !reflect.DeepEqual(p.Tree("main"), []string{"**/*"}) {
			t.Errorf("roster %v, tree %v", got, p.Tree("main"))
		}
	}
}

func TestTemplateFleetCanBeAppended(t *testing.T) {
	file := string(Template("main", nil)) + string(TemplateFleet("f-1", "refs/heads/dos"))
	p := mustParse(t, file)
	if p.Fleet.ID != "f-1" || p.Fleet.Prefix != "refs/heads/dos" {
		t.Errorf("fleet %+v", p.Fleet)
	}
	p = mustParse(t, strings.TrimSuffix(string(Template("main", nil)), "\n")+string(TemplateFleet("f-1", "refs/dos")))
	if p.Fleet.ID != "f-1" {
		t.Errorf("after a file without a final line end: %+v", p.Fleet)
	}
	if got := problems(t, string(TemplateFleet("a\"\nid2 = \"b", "refs/dos"))); len(got) != 1 || !strings.Contains(got[0], "fleet.id must be") {
		t.Errorf("an id that tries to leave its string: %q", got)
	}
}

func TestTOMLStringsSurviveTheRoundTrip(t *testing.T) {
	for _, s := range []string{"", `"`, `\`, "a\tb\nc\x7f", "\u00e9\u202e\U0001f600\U000e0001", "\xff"} {
		var c collector
		root, whole := readDocument([]byte("x = "+tomlString(s)+"\n"+tomlKey(s)+".y = 1"), &c)
		want := strings.ToValidUTF8(s, "\ufffd")
		if !whole || root.at("x").text != want || root.at(want, "y") == nil {
			t.Errorf("%q came back as %+v", s, root.at("x"))
		}
	}
}

func TestTemplateTrunkCanBeAppended(t *testing.T) {
	for _, file := range []string{"", "[lanes]\nconcurrent = [\"a\"]\n"} {
		p := mustParse(t, file+string(TemplateTrunk("develop"))+string(TemplateFleet("f-1", "refs/dos")))
		if p.Trunk.Ref != "develop" || p.Fleet.ID != "f-1" {
			t.Errorf("trunk %q, fleet %+v", p.Trunk.Ref, p.Fleet)
		}
	}
	if got := TemplateTrunk(""); len(got) != 0 {
		t.Errorf("for no branch: %q", got)
	}
}
