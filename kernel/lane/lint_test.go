package lane

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func lintBrief(found []Finding) []string {
	out := []string{}
	for _, f := range found {
		out = append(out, fmt.Sprintf("%s %s %s", f.Severity, f.Kind, f.Subject))
	}
	return out
}

func TestLint(t *testing.T) {
	two := func(a, b []string) Taxonomy {
		return Taxonomy{Concurrent: []string{"b", "a"}, Trees: map[string][]string{"a": a, "b": b}}
	}
	tests := []struct {
		name string
		ev   LintEvidence
		want []string
	}{
		{"nothing declared, nothing found", LintEvidence{}, nil},
		{"disjoint lanes are fine", LintEvidence{Lanes: two([]string{"a/**"}, []string{"b/**"})}, nil},
		{"a lane without a tree, once", LintEvidence{Lanes: Taxonomy{Concurrent: []string{"a"}, Autopick: []string{"a"}, Exclusive: []string{"x"}}},
			[]string{"error LANE_WITHOUT_TREE a"}},
		{"a tree of blanks is none", LintEvidence{Lanes: two([]string{""}, []string{"b"})}, []string{"error LANE_WITHOUT_TREE a"}},
		{"a lane in both lists", LintEvidence{Lanes: Taxonomy{Concurrent: []string{"a"}, Exclusive: []string{"a"}, Trees: map[string][]string{"a": {"a"}}}},
			[]string{"error LANE_BOTH_CONCURRENT_AND_EXCLUSIVE a"}},
		{"an undeclared lane to pick, each time", LintEvidence{Lanes: Taxonomy{Autopick: []string{"a", "a"}, Trees: map[string][]string{"a": {"a"}}}},
			[]string{"warn AUTOPICK_LANE_UNDECLARED a", "warn AUTOPICK_LANE_UNDECLARED a", "info LANE_LISTED_TWICE lanes.autopick"}},
		{"a lane twice in a list, however often", LintEvidence{Lanes: Taxonomy{Concurrent: []string{"a", "A", "a", "b"}, Exclusive: []string{"x", "x"}, Trees: map[string][]string{"a": {"a"}, "A": {"a2"}, "b": {"b"}}}, Algebra: Glob},
			[]string{"info LANE_LISTED_TWICE lanes.concurrent", "info LANE_LISTED_TWICE lanes.exclusive"}},
		{"a lane in two lists is no lane twice in one", LintEvidence{Lanes: Taxonomy{Concurrent: []string{"a"}, Autopick: []string{"a"}, Trees: map[string][]string{"a": {"a"}}}}, nil},
		{"braces, and a class without an end", LintEvidence{Lanes: two([]string{"a/{x,y}/**", "a/[0-9]", "a/*"}, []string{"b/[ab"})}, []string{"info GLOB_NOT_UNDERSTOOD a", "info GLOB_NOT_UNDERSTOOD b"}},
		{"in a tree of no list as well", LintEvidence{Lanes: Taxonomy{Trees: map[string][]string{"a": {"{x,y}", "[[:alpha:]]"}}}}, []string{"info GLOB_NOT_UNDERSTOOD a", "info GLOB_NOT_UNDERSTOOD a"}},
		{"an alias of nothing", LintEvidence{Lanes: Taxonomy{Exclusive: []string{"Rel"}, Aliases: map[string]string{"x": "gone", "y": "REL"}}},
			[]string{"warn ALIAS_TARGET_UNDECLARED x"}},
		{"an alias of an alias is judged by its end", LintEvidence{Lanes: Taxonomy{Exclusive: []string{"rel"}, Aliases: map[string]string{"x": "y", "y": "rel", "p": "q", "q": "p"}}},
			[]string{"error ALIAS_TARGET_UNDECLARED p", "error ALIAS_TARGET_UNDECLARED q"}},
		{"one lane inside another", LintEvidence{Lanes: two([]string{"s/**"}, []string{"s/b/**"})}, []string{"warn LANE_REGION_SHADOWED b"}},
		{"the same by glob", LintEvidence{Algebra: Glob, Lanes: two([]string{"s/*/x/**"}, []string{"s/b/x/y"})}, []string{"warn LANE_REGION_SHADOWED b"}},
		{"equal lanes overlap", LintEvidence{Lanes: two([]string{"s"}, []string{"s"})}, []string{"warn CONCURRENT_LANES_OVERLAP a+b"}},
		{"some entries overlap", LintEvidence{Lanes: two([]string{"s", "t"}, []string{"s/x", "u"})}, []string{"warn CONCURRENT_LANES_OVERLAP a+b"}},
		{"by glob, wildcards part lanes", LintEvidence{Algebra: Glob, Lanes: two([]string{"s/*.go"}, []string{"s/*.md"})}, nil},
		{"by prefix, they do not", LintEvidence{Lanes: two([]string{"s/*.go"}, []string{"s/*.md"})}, []string{"warn CONCURRENT_LANES_OVERLAP a+b"}},
		{"by prefix, a name that begins another's holds it", LintEvidence{Lanes: two([]string{"s"}, []string{"s2/**"})}, []string{"warn LANE_REGION_SHADOWED b"}},
		{"a class of no kind", LintEvidence{Lanes: Taxonomy{Exclusive: []string{"Rel"}}, Classes: []string{"cluster", "keyword", "global", "rel", "REL", "abi", "docs"}},
			[]string{"warn CLASS_NEVER_BINDS docs"}},
		{"a class of a lane that no longer runs alone", LintEvidence{Lanes: Taxonomy{Concurrent: []string{"abi"}, Trees: map[string][]string{"abi": {"a"}}}, Classes: []string{"abi"}},
			[]string{"warn CLASS_NEVER_BINDS abi"}},
		{"errors before warnings, then by kind and subject", LintEvidence{Lanes: Taxonomy{Concurrent: []string{"b", "a"}, Autopick: []string{"z"}, Aliases: map[string]string{"k": "q"}}, Classes: []string{"c"}},
			[]string{"error LANE_WITHOUT_TREE a", "error LANE_WITHOUT_TREE b", "error LANE_WITHOUT_TREE z",
				"warn ALIAS_TARGET_UNDECLARED k", "warn AUTOPICK_LANE_UNDECLARED z", "warn CLASS_NEVER_BINDS c"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.ev.Algebra == "" {
				tt.ev.Algebra = Prefix
			}
			tt.ev.RatioStated = true
			got := Lint(tt.ev)
			if !slices.Equal(lintBrief(got), tt.want) {
				t.Errorf("got  %q\nwant %q", lintBrief(got), tt.want)
			}
			for _, f := range got {
				if f.Detail == "" || f.Fix == "" {
					t.Errorf("%s says %q, and to %q", f.Kind, f.Detail, f.Fix)
				}
			}
		})
	}
}

func TestD06LintRefusesAnExclusiveLaneToPick(t *testing.T) {
	got := lintBrief(Lint(LintEvidence{Lanes: Taxonomy{Exclusive: []string{"x"}, Autopick: []string{"x"}, Trees: map[string][]string{"x": {"x"}}}}))
	if want := []string{"error AUTOPICK_LANE_EXCLUSIVE x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLintTellsOfTheOlderRatio(t *testing.T) {
	// One of three entries is shared: the older kernel let b in beside a.
	lanes := Taxonomy{Concurrent: []string{"a", "b"}, Trees: map[string][]string{"a": {"s/**"}, "b": {"s/x/**", "t/**", "u/**"}}}
	const soft = "info SOFT_OVERLAP_DEFAULT a+b"
	if got := lintBrief(Lint(LintEvidence{Lanes: lanes, Algebra: Prefix})); !slices.Contains(got, soft) {
		t.Errorf("got %q, want %s", got, soft)
	}
	if got := lintBrief(Lint(LintEvidence{Lanes: lanes, Algebra: Prefix, RatioStated: true})); slices.Contains(got, soft) {
		t.Errorf("stated: got %q", got)
	}
	swapped := Taxonomy{Concurrent: lanes.Concurrent, Trees: map[string][]string{"a": lanes.Trees["b"], "b": lanes.Trees["a"]}}
	if got := lintBrief(Lint(LintEvidence{Lanes: swapped, Algebra: Prefix})); !slices.Contains(got, soft) {
		t.Errorf("swapped: got %q, want %s", got, soft)
	}
	lanes.Trees["b"] = []string{"s/x/**", "t/**"}
	if got := lintBrief(Lint(LintEvidence{Lanes: lanes, Algebra: Prefix})); slices.Contains(got, soft) {
		t.Errorf("a half is shared: got %q", got)
	}
}

func TestLintOfManyIsBounded(t *testing.T) {
	ev := LintEvidence{Algebra: Glob, RatioStated: true, Lanes: Taxonomy{Trees: map[string][]string{}}}
	for i := range 100 {
		name := fmt.Sprintf("l%02d", i)
		ev.Lanes.Concurrent = append(ev.Lanes.Concurrent, name)
		ev.Lanes.Trees[name] = []string{"x"}
	}
	got := lintBrief(Lint(ev))
	if len(got) != maxPairFindings+1 || !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, LintCutShort) }) {
		t.Errorf("%d findings", len(got))
	}
}
