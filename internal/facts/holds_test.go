package facts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func (h *history) holds(units ...Unit) (Holds, error) {
	h.t.Helper()
	repo, err := refstore.Open(context.Background(), h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	return ReadHolds(context.Background(), repo, units)
}

func (u UnitHolds) line() string {
	s := fmt.Sprintf("listed %d", len(u.Listed))
	for _, f := range [][2]string{{"draft", u.Draft}, {"gated", u.Gated}, {"soaking", u.Soaking}, {"unclear", u.Unclear}} {
		if f[1] != "" {
			s += ", " + f[0] + ": " + f[1]
		}
	}
	for _, n := range u.Needs {
		s += " " + n.Plan + "/" + n.Phase
	}
	return s
}

func TestHoldsComeFromTheTrunk(t *testing.T) {
	h := base(t)
	ask := func(claim, want string, u Unit) {
		t.Helper()
		got, err := h.holds(u)
		if err != nil || len(got.Units) != 1 || got.Units[0].line() != want {
			t.Errorf("%s: %+v, %v; want %q", claim, got, err, want)
		}
	}
	ask("no plan file", "listed 0", Unit{"A", "A1"})
	h.commit("plans",
		"docs/a-plan.md", "## 1. A A1 — x\n- **A2 — GATED** Depends on: A1, b/B1\n- **A3 — SOAKING**\n* **A4 — DRAFT**\n- **A5 — y**\n  Depends on: the weather\n",
		"docs/b-plan.md", "---\nstatus: draft\n---\n## 1. B B1 — x\n- **B2 — y** Depends on: A1, a/a1, B/B1\n")
	for phase, text := range map[string]string{"a-plan.md": "## 1. A A1 — DRAFT\n", "new-plan.md": "## 1. N N1 — GATED\n"} {
		if err := os.WriteFile(filepath.Join(h.dir, "docs", phase), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ask("the work tree does not count", "listed 1", Unit{"A", "A1"})
	ask("words and needs, a phase alone of its own plan", "listed 1, gated: docs/a-plan.md:2 says that it waits A/A1 b/B1", Unit{"a", "a2"})
	ask("a soak", "listed 1, soaking: docs/a-plan.md:3 says that it soaks", Unit{"A", "A3"})
	ask("what looks like it and is not read", "listed 0, unclear: it may be what is not read at docs/a-plan.md:4: a phase's bullet begins with \"- **\": * **A4 — DRAFT**", Unit{"A", "A4"})
	ask("a need that is no unit", "listed 1, unclear: docs/a-plan.md:5 depends on \"the weather\", which names no unit", Unit{"A", "A5"})
	ask("a document that is a draft; one need in three spellings", "listed 1, draft: docs/b-plan.md:5 says that it is a draft B/A1 a/a1 B/B1", Unit{"B", "B2"})
	ask("what no document lists", "listed 0", Unit{"Z", "Z1"})
	ask("work in the tree only", "listed 0", Unit{"N", "N1"})
}

func TestDependenciesThatGoRoundAreAnError(t *testing.T) {
	h := base(t)
	h.commit("plans", "docs/a-plan.md", "## 1. A A1 — x\nDepends on: A2\n\n- **A2 — y** Depends on: B/B1\n- **A3 — z** Depends on: a/a3\n- **A4 — w** Depends on: A1\n- **A5 — v**\n",
		"docs/b-plan.md", "## 1. B B1 — x\nDepends on: A/A1\n")
	for phase, want := range map[string]string{
		"A1": "units depend on each other: A/A1 on A/A2 on B/B1 on A/A1",
		"A3": "units depend on each other: A/A3 on A/A3",
		"A4": "units depend on each other: A/A1 on A/A2 on B/B1 on A/A1",
	} {
		var cycle *CycleError
		if _, err := h.holds(Unit{"A", "A5"}, Unit{"A", phase}); !errors.As(err, &cycle) || err.Error() != want {
			t.Errorf("%s: %v, want %s", phase, err, want)
		}
	}
	if _, err := h.holds(Unit{"A", "A5"}); err != nil {
		t.Errorf("a round elsewhere: %v", err)
	}
}

func TestHoldsThatCannotBeReadAreAnError(t *testing.T) {
	h := base(t)
	h.commit("plans", "docs/a-plan.md", "## 1. A A1 — x\n\x00")
	var file *PlanFileError
	if _, err := h.holds(Unit{"A", "A1"}); !errors.As(err, &file) {
		t.Errorf("a plan file that is no text: %v", err)
	}
	var bad *ShipRequestError
	for _, u := range []Unit{{"", "A1"}, {"A", " "}, {"A", "\xff"}, {"A", strings.Repeat("x", 5000)}} {
		h.commit("plans", "docs/a-plan.md", "## 1. A A1 — x\n")
		if _, err := h.holds(u); !errors.As(err, &bad) {
			t.Errorf("%.20q: %v", u, err)
		}
	}
	blob := h.git("rev-parse", "HEAD:docs/a-plan.md")
	if err := os.Remove(filepath.Join(h.dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	if _, err := h.holds(Unit{"A", "A1"}); !errors.Is(err, ancestry.ErrMissing) {
		t.Errorf("a document that is not here: %v", err)
	}
}
