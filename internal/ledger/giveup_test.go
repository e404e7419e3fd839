package ledger

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// TestGivingUpMovesTheRefsThatStandTooHigh and no others.
func TestGivingUpMovesTheRefsThatStandTooHigh(t *testing.T) {
	t.Parallel()
	const ref = "refs/dos/journal/na"
	for claim, c := range map[string]struct {
		sent string // what the remote has
		want []string
	}{
		"the remote has less":        {ref + "~2", []string{"git update-ref "}},
		"the remote has as much":     {ref + "^", []string{"git update-ref "}},
		"the remote has the bad one": {ref, []string{"git push ", "git update-ref refs/dos/at/origin/journal/na ", "git update-ref " + ref + " "}},
	} {
		p := newPair(t)
		add(t, p.a, "na", 1, 3)
		good := idOf(t, p.a, ref)
		plant(t, p.a, ref, "ACK", `{"v":1,"op":"ACK","seq":9}`)
		gitIn(t, p.a.WorkTree, "push", "--quiet", "origin", c.sent+":"+ref)
		remotes := p.sync(t, p.a)
		_, _, err := numbers(t, p.a, Query{Remotes: remotes})
		var unread *UnreadError
		if !errors.As(err, &unread) {
			t.Fatalf("%s: %v", claim, err)
		}
		g, err := GiveUp(t.Context(), p.a, remotes, unread.Nodes[0])
		if err != nil || len(g.Commands) != len(c.want) || (g.Remote != "") != (len(c.want) > 1) {
			t.Fatalf("%s: %+v, %v", claim, g, err)
		}
		for i, command := range g.Commands {
			if !strings.HasPrefix(command, c.want[i]) {
				t.Errorf("%s: %s, want %s", claim, command, c.want[i])
			}
			gitIn(t, p.a.WorkTree, strings.Fields(command)[1:]...)
		}
		got, _, err := numbers(t, p.a, Query{Remotes: p.sync(t, p.a)})
		if want(t, got, "3:3 2:2 1:1"); err != nil || idOf(t, p.a, ref) != good {
			t.Errorf("%s: %v", claim, err)
		}
	}
}

func TestNothingIsGivenUpWithoutAGoodEntryOrAnOldValue(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	add(t, r, "na", 1, 1)
	for claim, e := range map[string]*NodeError{
		"no good entry":  {Node: "na", Ref: "refs/dos/journal/na"},
		"no such ledger": {Node: "nb", Ref: "refs/dos/journal/nb", Good: &Good{ID: refstore.OID(strings.Repeat("1", 40))}},
	} {
		if g, err := GiveUp(t.Context(), r, nil, e); err != nil || len(g.Commands) != 0 {
			t.Errorf("%s: %+v, %v", claim, g, err)
		}
	}
}
