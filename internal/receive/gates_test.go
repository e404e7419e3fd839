package receive

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
)

func gated(base []string, tips map[string]hooks.Commit, outcomes ...string) Gates {
	return func(context.Context, Rules, hooks.Push) Gated {
		g := Gated{Commits: len(tips), Base: base, Tips: tips}
		for _, o := range outcomes {
			r := hooks.Result{Token: hooks.SecretShape, Outcome: o}
			if o != hooks.Clean {
				r.Findings = []hooks.Finding{{Token: hooks.SecretShape}}
			}
			g.Results = append(g.Results, r)
		}
		return g
	}
}

func TestGatesRefuseAndAnOverrideLetsThemThrough(t *testing.T) {
	h := newHub(t, nil)
	main, next := h.rev("main"), h.commit(nil)
	githome.Git(t, h.clone, "push", "-q", "origin", "HEAD:refs/heads/aside")
	judge := func(u hooks.Update, outcomes ...string) Report {
		h.open()
		return Judge(context.Background(), h.repo, Request{Hook: hooks.PreReceive, Updates: []hooks.Update{u}, Gates: gated(nil, nil, outcomes...)})
	}
	u := hooks.Update{Ref: "refs/heads/main", Old: main, New: next}
	lane := hooks.Update{Ref: laneRef, Old: main}
	for _, o := range []string{hooks.Clean, hooks.Warned, hooks.Off} {
		if r := judge(u, o); len(r.Refusing()) != 0 {
			t.Errorf("%s refuses: %v", o, r.Refusing())
		}
	}
	if got := judge(u, hooks.Clean, hooks.Refused).Refusing(); !slices.Equal(got, []string{"SECRET_SHAPE"}) {
		t.Errorf("refusing %q", got)
	}
	githome.Git(t, h.dir, "config", OverrideSetting, "FILE_ADMISSION: another")
	if r := judge(u, hooks.Refused); r.Override != nil || len(r.Refusing()) == 0 {
		t.Errorf("the override of another token counts: %+v", r)
	}
	githome.Git(t, h.dir, "config", OverrideSetting, "SECRET_SHAPE: a key of the tests")
	r := judge(u, hooks.Refused)
	if r.Override == nil || len(r.Refusing()) != 0 || r.Gated.Results[0].Outcome != hooks.Overridden || r.Fence != hooks.Clean {
		t.Errorf("its own does not: %+v", r)
	}
	h.open()
	r = Judge(context.Background(), h.repo, Request{Hook: hooks.PreReceive, Updates: []hooks.Update{u, lane}, Gates: gated(nil, nil, hooks.Refused)})
	if got := r.Refusing(); r.Override != nil || !slices.Equal(got, []string{Deletion, "SECRET_SHAPE"}) {
		t.Errorf("the override of one token of two counts: %q", got)
	}
}

// What the pusher says of the trunk is not what gates are told.
func TestGatesAreToldWhereTheTrunkStands(t *testing.T) {
	h := newHub(t, map[string]string{"dos.toml": "[fleet]\nprefix = \"refs/heads/dos\"\n"})
	main, next := h.rev("main"), h.commit(nil)
	githome.Git(t, h.clone, "push", "-q", "origin", "HEAD:refs/heads/aside")
	asked := false
	req := Request{Hook: hooks.PreReceive, Updates: []hooks.Update{{Ref: "refs/heads/main", Old: next, New: next}}}
	req.Gates = func(_ context.Context, by Rules, p hooks.Push) Gated {
		u, moves := p.MovesTrunk()
		asked = moves && u.Old == main && string(by.Tip) == main && by.Trunk == "refs/heads/main" && by.Policy.Fleet.Prefix == "refs/heads/dos"
		return Gated{}
	}
	if Judge(context.Background(), h.repo, req); !asked || req.Updates[0].Old != next {
		t.Error("gates are told what the pusher says, or the push is changed by that")
	}
}

// A ref that brings commits leaves a receipt of its gates, whatever ref it is; a
// branch that brings none leaves one of its move.
func TestReceiptOfWhatGatesJudged(t *testing.T) {
	h := newHub(t, nil)
	ctx := context.Background()
	main, next := h.rev("main"), h.commit(nil)
	githome.Git(t, h.clone, "tag", "-a", "-m", "v1", "v1")
	githome.Git(t, h.clone, "push", "-q", "origin", "HEAD:refs/heads/main", "v1")
	req := Request{Hook: hooks.PreReceive, Updates: []hooks.Update{
		{Ref: "refs/heads/main", Old: main, New: next}, {Ref: "refs/tags/v1", New: h.rev("v1")}, {Ref: "refs/tags/old", New: main}, {Ref: "refs/heads/old", New: main},
	}}
	tip := hooks.Commit{ID: next, Tree: h.rev(next + "^{tree}")}
	take := func(base []string) map[string]journal.Row {
		r := Report{Fence: hooks.Clean, Gated: gated(base, map[string]hooks.Commit{"refs/heads/main": tip, "refs/tags/v1": tip}, hooks.Warned)(ctx, Rules{}, hooks.Push{})}
		err := Note(ctx, h.repo, req, r)
		if (err != nil) != (len(base) > maxBase) {
			t.Fatal(err)
		}
		done, err := Landed(ctx, h.repo, req.Updates, "git", at)
		if err != nil || len(done.Unreceived) > 0 {
			t.Fatal(err, done)
		}
		rows := map[string]journal.Row{}
		_, err = ledger.Read(ctx, h.repo, ledger.Query{Nodes: []string{done.Node}}, func(e ledger.Entry) bool {
			row, err := journal.Decode(e.Payload)
			if err != nil {
				t.Fatal(err)
			}
			if _, newer := rows[row.Ref]; !newer {
				rows[row.Ref] = row
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	rows := take([]string{main})
	for _, ref := range []string{"refs/heads/main", "refs/tags/v1"} {
		row := rows[ref]
		if row.Verdict != "passed" || row.Sha != next || row.Tree != tip.Tree || !slices.Equal(row.Base, []string{main}) || string(row.Verdicts) != `{"LEASE_FENCE":"clean","SECRET_SHAPE":"warned"}` {
			t.Errorf("%s: %+v %s", ref, row, row.Verdicts)
		}
	}
	if row := rows["refs/heads/old"]; row.Verdict != "accepted" || row.Sha != main || len(rows) != 3 {
		t.Errorf("a branch that brings nothing: %+v, %d rows", row, len(rows))
	}
	if row := take(strings.Split(strings.Repeat(main+" ", maxBase+1), " ")[:maxBase+1])["refs/heads/main"]; row.Verdict != "accepted" || !slices.Equal(row.Base, []string{main}) {
		t.Errorf("on more commits than a row can name: %+v", row)
	}
}
