package lane

import (
	"slices"
	"testing"
)

func TestLintPlanNumbers(t *testing.T) {
	got := lintBrief(LintPlanNumbers([]string{
		"docs/07-b-plan.md", "docs/x/7-a-plan.md", "docs/8_a-plan.md", "docs/08 b-plan.md",
		"docs/1.2-plan.md", "docs/1.3-plan.md", "docs/01.2-c-plan.md", "docs/0-plan.md", "docs/00.plan.md",
		"docs/3d-plan.md", "docs/3-plan.md", "docs/4é-plan.md", "docs/4-plan.md", "docs/a-plan.md", "docs/b-plan.md",
		"docs/2026-01-02-a-plan.md", "docs/2026-01-03-b-plan.md", "docs/20260102-a-plan.md", "docs/20260102-b-plan.md",
		"docs/9", "docs/9-plan.md", "docs/.5-plan.md", "docs/..-plan.md",
	}))
	want := []string{
		"warn PLAN_NUMBER_DUPLICATE 0", "warn PLAN_NUMBER_DUPLICATE 1.2", "warn PLAN_NUMBER_DUPLICATE 7", "warn PLAN_NUMBER_DUPLICATE 8",
		"warn PLAN_NUMBER_DUPLICATE 9",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := LintPlanNumbers(nil); got == nil || len(got) != 0 {
		t.Errorf("of no files: %v", got)
	}
	detail := LintPlanNumbers([]string{"d/2-b", "d/2-a"})[0].Detail
	if detail != "2 plan files have number 2: d/2-a, d/2-b" {
		t.Errorf("got %q", detail)
	}
}
