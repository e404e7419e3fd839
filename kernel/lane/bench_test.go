package lane_test

import (
	"fmt"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// One request of ten entries is judged against fifty live lanes of ten.
func BenchmarkDecide(b *testing.B) {
	for _, g := range algebras {
		b.Run(string(g), func(b *testing.B) {
			ev := lane.Evidence{Algebra: g, Request: lane.Request{Lane: "mine", Tree: entries("mine")}}
			for i := range 50 {
				name := fmt.Sprintf("lane%02d", i)
				ev.Live = append(ev.Live, lane.Lease{Lane: name, Kind: lane.Keyword, Tree: entries(name), Holder: "w"})
			}
			if v := lane.Decide(ev); v.Outcome != lane.Acquire {
				b.Fatal(v)
			}
			for b.Loop() {
				lane.Decide(ev)
			}
		})
	}
}

// The two longest entries there may be, made of what costs most.
func BenchmarkWorstPair(b *testing.B) {
	p, q := "", ""
	for len(p) < 1020 {
		p += "*a"
		q += "*b"
	}
	for b.Loop() {
		lane.Glob.Disjoint([]string{p + "x"}, []string{q + "y"})
	}
}

func BenchmarkContains(b *testing.B) {
	scope := lane.NewScope(entries("mine"))
	for b.Loop() {
		scope.Contains("mine/internal/deep/down/file_test.go")
	}
}

func entries(top string) []string {
	return []string{
		top + "/**", top + "/*.go", top + "/internal/**/*_test.go", "docs/" + top + "/**", top + ".md",
		"cmd/" + top + "/main.go", "testdata/" + top + "?/*.txtar", top + "/x/[a-f]/**", "vendor/" + top, "tools/" + top + "/**/x",
	}
}
