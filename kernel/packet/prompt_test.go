package packet

import (
	"strings"
	"testing"
)

func TestAWorkerUnderALeaseIsToldToTakeNone(t *testing.T) {
	p := Packet{Branch: "main", Picks: []Candidate{{Plan: "SHOP", Phase: "API1", Title: "serve it", Lane: "api", Until: Until{Unit: true}}}}
	alone, under := p.Prompts()[0].Text, p.PromptUnder("api", 0)
	for _, words := range []string{"git dos lease acquire api", "unless you hold that lane already", "git dos lease heartbeat api", "git dos lease release api", "git dos attempt"} {
		if !strings.Contains(alone, words) {
			t.Errorf("one that stands alone is not told %q", words)
		}
		if strings.Contains(under, words) {
			t.Errorf("one under a lease is told %q", words)
		}
	}
	for _, words := range []string{"SHOP/API1", "You work in lane api", "SHOP: API1:", "> serve it"} {
		if !strings.Contains(under, words) {
			t.Errorf("one under a lease is not told %q:\n%s", words, under)
		}
	}
}
