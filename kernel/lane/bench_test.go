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

// Arbitrate grows with what it is given, whether it judges one lane, a list of
// files, or walks a list on which every lane collides.
func BenchmarkArbitrate(b *testing.B) {
	for _, g := range algebras {
		for _, q := range arbitrateQuestions {
			for _, n := range []int{125, 250, 500, 1000, 2000} {
				ev := crowd(n, n*2/5, q.spread)
				ev.Algebra, ev.Request = g, q.request
				b.Run(fmt.Sprintf("%s/%s/%d_%d", g, q.name, n, len(ev.Live)), func(b *testing.B) {
					if v := lane.Arbitrate(ev); v.ReasonClass != q.class {
						b.Fatal(v)
					}
					for b.Loop() {
						lane.Arbitrate(ev)
					}
				})
			}
		}
	}
}

var arbitrateQuestions = []struct {
	name    string
	request lane.Request
	spread  spread
	class   string
}{
	{"named", lane.Request{Lane: "lane00001"}, apart, lane.ClusterAdmitted},
	{"keyword", lane.Request{Lane: "fix", Tree: entries("fix")}, apart, lane.KeywordAdmitted},
	{"walk", lane.Request{}, inEach, lane.LadderEmptyOthersFree},
	{"walk_wide", lane.Request{}, everywhere, lane.LadderEmptyOthersFree},
}

// A spread says where the leases of a crowd lie.
type spread int

const (
	apart      spread = iota // beside every lane
	inEach                   // every lane has a lease inside it
	everywhere               // every lane names every file
)

// crowd makes a repository of n lanes of ten entries, and m live leases of ten.
func crowd(n, m int, where spread) lane.Evidence {
	ev := lane.Evidence{Lanes: lane.Taxonomy{Trees: map[string][]string{}}, SelfModify: []string{"dos.toml", "hooks/"}}
	for i := range n {
		name := fmt.Sprintf("lane%05d", i)
		ev.Lanes.Concurrent = append(ev.Lanes.Concurrent, name)
		ev.Lanes.Trees[name] = entries(name)
		if where == everywhere {
			ev.Lanes.Trees[name] = []string{name + "/**", "**/*"}
		}
	}
	ev.Lanes.Autopick = ev.Lanes.Concurrent
	for i := range m {
		name := fmt.Sprintf("work%05d", i)
		l := lane.Lease{Lane: name, Kind: lane.Keyword, Holder: "w", State: lane.Held, Tree: entries(name)}
		if where == inEach {
			for j := i; j < n; j += m {
				l.Tree = append(l.Tree, fmt.Sprintf("lane%05d/x/b/%d", j, i))
			}
		}
		ev.Live = append(ev.Live, l)
	}
	return ev
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
