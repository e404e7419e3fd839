package policy

import (
	"slices"
	"testing"
)

func TestSettingsAreWhatIsInForce(t *testing.T) {
	p, err := Parse([]byte("[lease]\nttl = \"20m\"\n[lanes]\nconcurrent = [\"a.b\"]\n[lanes.trees]\n\"a.b\" = [\"x/**\"]\n[[account]]\nname = \"one\"\nenv = { TOKEN = \"s3\" }\n[[account]]\nname = \"two\"\ntier = 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	list := p.Settings()
	for _, want := range []Setting{
		{"lease.ttl", `"20m"`, 2, false},
		{"lease.max_clock_skew", `"1h"`, 0, false},
		{`lanes.trees."a.b"`, `["x/**"]`, 6, false},
		{"account[0].name", `"one"`, 8, false},
		{"account[0].tier", "1", 0, false},
		{"account[0].env.TOKEN", `"s3"`, 9, true},
		{"account[1].name", `"two"`, 11, false},
		{"account[1].tier", "2", 12, false},
	} {
		if !slices.Contains(list, want) {
			t.Errorf("%+v is not among %+v", want, list)
		}
	}
	for _, s := range list {
		if s.Key == "lanes.trees.main" {
			t.Error("a stated taxonomy has a default beside it")
		}
	}
	keys := map[string]bool{}
	for _, s := range Default().Settings() {
		if keys[s.Key] || s.Line != 0 {
			t.Errorf("%+v: twice, or stated where nothing is", s)
		}
		keys[s.Key] = true
	}
	if !keys["lanes.trees.main"] || !keys["super.settle"] || len(keys) < 60 {
		t.Errorf("%d defaults", len(keys))
	}
}
