package facts

import (
	"context"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

func TestWhatPlansSayOfAUnitIsOfTheCommit(t *testing.T) {
	h := base(t)
	first := h.commit("plans", "docs/a-plan.md", "## 1. A A1 — x\nin api/x.go\n- **A2 — y**\n", "docs/b-plan.md", "## 1. A A1 — again\n"+strings.Repeat("long ", 2000))
	p := h.wantPlans("two documents", "A/A1 docs/a-plan.md:1 open docs/b-plan.md:1 open; A/A2 docs/a-plan.md:3 open", "")
	h.commit("more", "docs/a-plan.md", "## 1. A A1 — other\n")
	repo, err := refstore.Open(context.Background(), h.dir)
	if err != nil {
		t.Fatal(err)
	}
	about, err := PlanAbout(context.Background(), repo, refstore.OID(first), p.Units)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(about[0], "## 1. A A1 — x\nin api/x.go\n## 1. A A1 — again\nlong long") || len(about[0]) > maxPlanAbout+1 {
		t.Errorf("of A1 %d bytes: %.80q", len(about[0]), about[0])
	}
	if about[1] != "- **A2 — y**" {
		t.Errorf("of A2 %q", about[1])
	}
	if none, err := PlanAbout(context.Background(), repo, refstore.OID(first), nil); err != nil || len(none) != 0 {
		t.Errorf("of no unit %q, %v", none, err)
	}
}
