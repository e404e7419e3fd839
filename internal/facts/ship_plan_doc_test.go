package facts

import (
	"context"
	"errors"
	"testing"

	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

const authPlan = "# AUTH\n\n### AUTH2\nTouch `src/a.go` and `src/b.go`.\n\n### AUTH3\nnothing\n"

func withDoc(r *ShipRequest) { r.PlanDoc = "docs/auth-plan.md" }

func mention(r *ShipRequest) { r.Floor = ship.Mention }

func TestFilesThatThePlanNames(t *testing.T) {
	h := base(t)
	h.commit("early", "src/a.go", "0", "src/b.go", "0")
	h.commit("docs: plan", "docs/auth-plan.md", "# AUTH\n\n### AUTH3\nnothing\n")
	h.commit("early too", "src/a.go", "1", "src/b.go", "1")
	h.commit("docs: plan", "docs/auth-plan.md", authPlan)
	h.want("files that are older than their row ship nothing", "NOT_SHIPPED", withDoc)
	h.git("checkout", "-q", "-b", "side", "HEAD~1")
	h.commit("beside the row", "src/a.go", "side", "src/b.go", "side")
	h.git("checkout", "-q", "main")
	h.git("merge", "-q", "-s", "ours", "-m", "merge", "side")
	h.want("nor do those that never saw it", "NOT_SHIPPED", withDoc)
	h.commit("half", "src/a.go", "2")
	h.want("one of two is not enough", "NOT_SHIPPED", withDoc)
	id := h.commit("both", "src/a.go", "3", "src/b.go", "3")
	v := h.want("both are", "SHIPPED subject file-path", withDoc)
	if v.Sha != id || v.Source != ship.SourceArtifact {
		t.Errorf("got %+v", v)
	}
	h.want("and nothing is without the document", "NOT_SHIPPED")
	h.git("revert", "--no-edit", "HEAD")
	h.want("a revert takes it back", "NOT_SHIPPED subject file-path", withDoc)
	h.commit("local", "docs/auth-plan.md", "# nothing\n")
	h.git("reset", "-q", "--soft", "HEAD~1")
	h.want("the work tree's plan is not read", "NOT_SHIPPED subject file-path", withDoc)
}

func TestAPlanThatDoesNotBearAMentionOut(t *testing.T) {
	h := base(t)
	h.commit("docs: plan", "docs/auth-plan.md", authPlan)
	h.commit("v1.0.0: AUTH2 bundled", "src/z.go", "1")
	h.want("without the plan a mention counts", "SHIPPED mention release-prefix", mention)
	h.want("the plan does not say so", "NOT_SHIPPED mention demoted-by-plan-body", mention, withDoc)
	h.commit("docs: plan", "docs/auth-plan.md", "# AUTH\n\n### AUTH2\nSHIPPED, gates on the soak\n")
	h.want("or says that it soaks", "NOT_SHIPPED mention demoted-by-plan-body", mention, withDoc)
	h.commit("docs: plan", "docs/auth-plan.md", "# AUTH\n\n### AUTH2\nSHIPPED\n")
	h.want("or says so", "SHIPPED mention release-prefix", mention, withDoc)
	if _, err := h.ask(h.dir, func(r *ShipRequest) { r.PlanDoc = "docs/none.md" }); !errors.As(err, new(*ShipRequestError)) {
		t.Errorf("a plan document that is not there: %v", err)
	}
}

func TestManyUnitsByOneReading(t *testing.T) {
	h := base(t)
	first := h.commit("AUTH: AUTH1 x", "api/a.go", "1")
	h.commit("AUTH: AUTH2 x\n\nDos-Ship: PAY/PAY1\n", "api/a.go", "2")
	h.commit("AUTH: AUTH3 x", "api/a.go", "3")
	h.git("revert", "--no-edit", "HEAD")
	units := []Unit{{"AUTH", "AUTH3"}, {"PAY", "PAY1"}, {"AUTH", "AUTH1"}, {"AUTH", "AUTH9"}, {"AUTH", "AUTH1"}}
	want := []string{"NOT_SHIPPED subject", "SHIPPED subject", "SHIPPED subject", "NOT_SHIPPED ", "SHIPPED subject"}
	repo, err := refstore.Open(context.Background(), h.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, scope := range []ShipScope{{}, {Cold: true}} {
		list, err := Ships(context.Background(), repo, units, scope)
		if err != nil || len(list) != len(units) {
			t.Fatal(list, err)
		}
		for i, ev := range list {
			v := ship.Decide(ev)
			if got := string(v.Outcome) + " " + string(v.Witness); got != want[i] || v.Phase != units[i].Phase {
				t.Errorf("%v: %s %s, want %s", units[i], v.Phase, got, want[i])
			}
		}
		if v := ship.Decide(list[2]); v.Sha != first {
			t.Errorf("got %s", v.Sha)
		}
	}
}

func TestExplainTellsWhyACommitDoesNotCount(t *testing.T) {
	h := base(t)
	h.commit("AUTH: AUTH2 wip", "api/a.go", "1")
	h.commit("feat: AUTH2 somewhere", "api/a.go", "2")
	h.commit("AUTH: AUTH2 x")
	h.commit("other: AUTH20", "api/a.go", "3")
	for explain, want := range map[bool]int{false: 1, true: 3} {
		ev, err := h.ask(h.dir, func(r *ShipRequest) { r.Explain = explain })
		if err != nil {
			t.Fatal(err)
		}
		list := ship.Explain(ev)
		if len(list) != want {
			t.Errorf("explain %v: %d weighed, want %d: %v", explain, len(list), want, list)
		}
		for _, w := range list {
			if w.Counts != "no" || w.Reason == "" || w.Sha == "" {
				t.Errorf("got %+v", w)
			}
		}
	}
}
