package lane

import (
	"strings"
	"testing"
)

func TestPriceSaysWhoTakesWhichLease(t *testing.T) {
	ride := func(ev *PriceEvidence) { ev.Within = &Ridden{Lane: "api", Tree: []string{"api/**"}} }
	tests := []struct {
		name    string
		change  func(*PriceEvidence)
		workers []string
		want    string
	}{
		{"workers acquire", nil, []string{"a x", "b y"}, "each worker still acquires its lane"},
		{"but shared ones do not", nil, []string{"a x", "b shared y"}, "each worker still acquires its lane, but for the shared ones, which only read"},
		{"nor does anyone where all only read", nil, []string{"a lane=api shared", "b lane=api shared"}, "shared workers only read, and take no lease"},
		{"a ridden lane has one lease", ride, []string{"a api/x", "b shared"}, "one lease of lane api is for all of them; give each its nonce as GIT_DOS_NONCE, and let none acquire"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := price(t, tt.change, tt.workers...).String()
			if last := text[strings.LastIndexByte(text, '\n')+1:]; last != "this holds nothing: "+tt.want {
				t.Errorf("got %q", last)
			}
		})
	}
}

func TestPriceCountsInWords(t *testing.T) {
	for _, tt := range []struct{ worker, want string }{
		{"a x", "LAUNCH_ALL the one worker can run now\n"},
		{"a dos.toml", "REPARTITION_AND_REPRICE the one worker cannot run\n"},
	} {
		if text := price(t, nil, tt.worker).String(); !strings.HasPrefix(text, tt.want) {
			t.Errorf("%s: got %q", tt.worker, text)
		}
	}
}

func TestPriceAdvisesWhatHelps(t *testing.T) {
	tests := []struct {
		name    string
		workers []string
		advice  string
		reason  string
	}{
		{"narrower trees, where trees overlap", []string{"a x", "b x/y"}, AdviceNarrow, "x/y overlaps x, which is a's"},
		{"a later wave beside one that runs alone", []string{"a lane=release", "b x"}, AdviceRunLater, "lane release, which is a's, runs alone"},
		{"a later wave for one that runs alone", []string{"a x", "b lane=release"}, AdviceRunLater, "lane release runs alone, and a runs"},
		{"a declaration, where the lane is not declared", []string{"a x", "b lane=apii"}, AdviceDeclareScope, "lane apii is not declared, and nobody knows which files it touches"},
		{"a tree, where the lane has none", []string{"a x", "b lane=bare"}, AdviceDeclareScope, "lane bare has no tree, and nobody knows which files it touches"},
		{"a tree, where there is no lane", []string{"a x", "b"}, AdviceDeclareScope, "nobody knows which files it touches"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := price(t, nil, tt.workers...)
			var b PriceHeld
			for _, h := range v.Held {
				if h.Name == "b" {
					b = h
				}
			}
			if b.Advice != tt.advice || b.Reason != tt.reason {
				t.Errorf("got %+v", v.Held)
			}
		})
	}
}

// Who only reads is refused nothing, since it asks for nothing.
func TestSharedWorkersTakeNoLease(t *testing.T) {
	v := price(t, func(ev *PriceEvidence) { ev.Budgets = map[string]int{Keyword: 1, Cluster: 0} },
		"a x", "b shared y", "c shared dos.toml", "d lane=api shared", "e lane=api shared web/z")
	if got, want := priceBrief(v), "LAUNCH_ALL now=a b c d e waves=a b c d e"; got != want {
		t.Errorf("got %s, blocked %+v", got, v.Blocked)
	}
}
