package lane_test

import (
	"fmt"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestDoubt(t *testing.T) {
	many := make([]string, 1025)
	for i := range many {
		many[i] = fmt.Sprintf("d%d/**", i)
	}
	tests := []struct {
		claim string
		tree  []string
		path  string
		want  bool
	}{
		{"braces may be anything", []string{"src/{a,b}/**"}, "src/a/f", true},
		{"whatever follows them", []string{"src/{a,b}/x"}, "src/c", true},
		{"before them the entry is understood", []string{"src/{a,b}/**"}, "web/f", false},
		{"also a wildcard", []string{"s?c/*/{a,b}"}, "sac/x/y", true},
		{"and what does not match it", []string{"s?c/*/{a,b}"}, "sack/x/y", false},
		{"a class without an end", []string{"src/[a"}, "src/b/new", true},
		{"braces at the top", []string{"{a,b}"}, "c", true},
		{"one entry of several", []string{"api/**", "src/{a,b}"}, "src/a", true},
		{"what is understood leaves no doubt", []string{"src/**", "", "[a-c]/?x*", "."}, "src/a", false},
		{"an entry that cannot be cleaned", []string{"/src"}, "web/f", true},
		{"a tree that is too large", many, "web/f", true},
		{"an empty tree", nil, "web/f", false},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			if got := lane.NewDoubt(tt.tree).Reaches(tt.path); got != tt.want {
				t.Errorf("Reaches(%q) = %v, want %v", tt.path, got, tt.want)
			}
		})
	}
}
