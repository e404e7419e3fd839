package main

import (
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// tailOf visits chains, written newest first as letters with their minute:
// "c3 b2 a1" is three entries of one chain.
func tailOf(limit int, chains ...string) (shown string, visited, most int) {
	t := tail{limit: limit, want: func(s subject) bool { return s.lane != "skip" }}
	for i, chain := range chains {
		for _, word := range strings.Fields(chain) {
			visited++
			payload := `{"lane":"` + word[:1] + `"}`
			if word[0] == 'x' {
				payload = `{"lane":"skip"}`
			}
			more := t.visit(refstore.Tip{
				Ref:   refstore.Ref("lane", string(rune('a'+i))),
				Entry: refstore.Entry{Op: word[:1], Payload: []byte(payload), At: time.Unix(60*int64(word[1]-'0'), 0)},
			})
			most = max(most, len(t.merged)+len(t.chain))
			if !more {
				break
			}
		}
	}
	for _, l := range t.lines() {
		shown += l.Op
	}
	return shown, visited, most
}

func TestTail(t *testing.T) {
	tests := []struct {
		claim   string
		limit   int
		chains  []string
		want    string
		visited int
	}{
		{"chains are merged by time, the newest last", 9, []string{"c5 b3 a1", "z4 y2"}, "aybzc", 5},
		{"only the newest are kept", 2, []string{"c5 b3 a1", "z4 y2"}, "zc", 4},
		{"a chain is not read further than can matter", 1, []string{"c5 b3 a1"}, "c", 1},
		{"entries of a chain never change places, whatever its writer's clock said", 9, []string{"c1 b9 a2", "z3"}, "azbc", 4},
		{"at equal times the order of reading stands", 9, []string{"a1", "b1", "c1"}, "abc", 3},
		{"what is not wanted neither shows nor counts", 1, []string{"x9 x8 a1", "x7"}, "a", 4},
		{"nothing is nothing", 3, nil, "", 0},
	}
	for _, tt := range tests {
		got, visited, most := tailOf(tt.limit, tt.chains...)
		if got != tt.want || visited != tt.visited || most > 2*tt.limit {
			t.Errorf("%s: %q after %d visits, holding %d; want %q after %d, at most %d", tt.claim, got, visited, most, tt.want, tt.visited, 2*tt.limit)
		}
	}
}
