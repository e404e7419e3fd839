package admit

import (
	"testing"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/policy"
)

func TestNodesTakeTheLanesThatFleetLanesDoesNotName(t *testing.T) {
	const lanes = "[lanes]\nconcurrent = [\"api\", \"web\", \"docs\"]\n[lanes.aliases]\nfront = \"web\"\n[fleet]\nlanes = "
	for list, want := range map[string]string{
		`"exclusive"`:             "api web docs",
		`"all"`:                   "",
		`["API"]`:                 "web docs",
		`["front"]`:               "api docs",
		`["nope", "docs", "api"]`: "web",
	} {
		p, err := policy.Parse([]byte(lanes + list))
		if err != nil {
			t.Fatal(err)
		}
		d := &Desk{Rules: facts.Rules{Policy: p}}
		got := ""
		for _, name := range p.Lanes.Concurrent {
			if d.byNode(lane.Claim{Lane: name, Declared: true}) {
				got += " " + name
			}
		}
		if got != "" {
			got = got[1:]
		}
		if got != want {
			t.Errorf("%s: nodes take %q, want %q", list, got, want)
		}
	}
}
