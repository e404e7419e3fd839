package lane

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Within the other limits there are trees that nobody could wait for.
func TestWhatTakesTooLongIsNotCompared(t *testing.T) {
	// What is counted is what it may cost: these are told apart at once.
	slow := func(i int) string { return fmt.Sprintf("?%04d%s/x", i, strings.Repeat("*a", 200)) }
	ev := PriceEvidence{Algebra: Glob}
	for i := range 2000 {
		ev.Workers = append(ev.Workers, PriceWorker{Tree: []string{slow(i)}})
	}
	if v := Price(ev); v.Err() == nil || !strings.Contains(v.Err().Error(), "too long to compare") {
		t.Errorf("got %s, %v", v.Action, v.Err())
	}
	// Of one lane, nothing is compared.
	ev.Lanes = Taxonomy{Concurrent: []string{"a"}, Trees: map[string][]string{"a": {"**"}}}
	for i := range ev.Workers {
		ev.Workers[i].Lane = "a"
	}
	if v := Price(ev); v.Err() != nil || v.SafeConcurrency != 1 {
		t.Errorf("got %d, %v", v.SafeConcurrency, v.Err())
	}
	lint := LintEvidence{Algebra: Glob, RatioStated: true, Lanes: Taxonomy{Trees: map[string][]string{}}}
	for i := range 2000 {
		name := fmt.Sprintf("l%04d", i)
		lint.Lanes.Concurrent = append(lint.Lanes.Concurrent, name)
		lint.Lanes.Trees[name] = []string{slow(i)}
	}
	if got := lintBrief(Lint(lint)); !slices.Contains(got, "warn LINT_CUT_SHORT lanes.concurrent") {
		t.Errorf("%d findings", len(got))
	}
}

func TestOrdinaryTreesAreCompared(t *testing.T) {
	ev := PriceEvidence{Algebra: Glob}
	for i := range MaxPriceWorkers {
		ev.Workers = append(ev.Workers, PriceWorker{Tree: []string{fmt.Sprintf("src/module%d/**/*.go", i)}})
	}
	if v := Price(ev); v.SafeConcurrency != MaxPriceWorkers {
		t.Errorf("%d are safe, %v", v.SafeConcurrency, v.Err())
	}
	ev.Workers = ev.Workers[:1000]
	for i := range ev.Workers {
		ev.Workers[i].Tree = []string{fmt.Sprintf("**/part%d/*_test.go", i)}
	}
	if v := Price(ev); v.Err() != nil {
		t.Error(v.Err())
	}
}
