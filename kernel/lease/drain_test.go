package lease

import (
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestADelegationIsDrainedForThoseWhoWait(t *testing.T) {
	alone := heldBy("zoe", "z0e", onLane("all", "all", "**/*"))
	waits := heldBy("zoe", "z0e", onLane("all", "all", "**/*"), inState(lane.Waiting))
	for _, tt := range []struct {
		claim   string
		remote  Table
		wanting []string
		to      string
	}{
		{"for nobody", Table{}, nil, ""},
		{"not for ordinary leases", tableWith(heldBy("bob", "b0b")), nil, ""},
		{"for one that waits to be alone", tableWith(waits), nil, "lane all"},
		{"for one that is alone", tableWith(alone), nil, "lane all"},
		{"not for one that was", tableWith(heldBy("zoe", "z0e", onLane("all", "all", "**/*"), inState(lane.Free))), nil, ""},
		{"for a node that wants it", Table{}, []string{"n9", "n2"}, "node n2"},
	} {
		to := having().Drained(tt.remote, tt.wanting)
		if !strings.HasPrefix(to, tt.to) || (to == "") != (tt.to == "") {
			t.Errorf("%s: %q", tt.claim, to)
		}
		if v := Drains("docs", to); v.Outcome != Refused || v.ReasonClass != Draining || v.Lane != "docs" || !strings.Contains(v.Reason, to) {
			t.Errorf("%s: %+v", tt.claim, v)
		}
	}
}

func TestARefusalByADelegationIsWanted(t *testing.T) {
	has := tableWith(delegated("d0c"))
	ask := func(t Table) Verdict {
		v, _, _ := Acquire(asking(t))
		return v
	}
	for _, tt := range []struct {
		claim string
		v     Verdict
		table Table
		node  string
		want  []Want
	}{
		{"by another node's", ask(has), has, "n2", []Want{{Lane: "docs", Node: "n1", Gen: 3}}},
		{"not by one's own", ask(has), has, "n1", nil},
		{"not by a worker's lease", ask(tableWith(heldBy("bob", "b0b"))), tableWith(heldBy("bob", "b0b")), "n2", nil},
		{"not what is gone since", ask(has), Table{}, "n2", nil},
		{"not when it was had", ask(Table{}), has, "n2", nil},
	} {
		if got := tt.v.Wants(tt.table, tt.node); len(got) != len(tt.want) || len(got) > 0 && got[0] != tt.want[0] {
			t.Errorf("%s: %v", tt.claim, got)
		}
	}
}
