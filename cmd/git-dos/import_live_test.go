package main

import (
	"slices"
	"testing"

	"github.com/git-dos/git-dos/internal/oldledger"
)

func TestImportLease(t *testing.T) {
	for _, c := range []struct {
		claim string
		lease oldledger.Lease
		want  string
	}{
		{"what is known of it", oldledger.Lease{Lane: "src", Holder: "w1", AcquiredAt: "t1", HeartbeatAt: "t2"}, "may live: lane src of w1, since t1, last heard of at t2"},
		{"a lease without a beat", oldledger.Lease{Lane: "src", Holder: "w1", AcquiredAt: "t1"}, "may live: lane src of w1, since t1, last heard of at t1"},
		{"one without any time", oldledger.Lease{Lane: "src"}, "may live: lane src of an unnamed holder, and nothing says since when"},
	} {
		if got := importLease(c.lease); got != c.want {
			t.Errorf("%s: %q, want %q", c.claim, got, c.want)
		}
	}
}

func TestImportKeep(t *testing.T) {
	live := []oldledger.Lease{
		{Lane: "API", Tree: []string{"api/**"}}, {Lane: "src", Tree: []string{"src/**", "it's/x"}}, {Lane: "old"}, {Lane: "API"}, {Tree: []string{"x"}},
	}
	want := []string{"git dos lease acquire --lane API", `git dos lease acquire --lane src --tree 'src/**' --tree 'it'\''s/x'`}
	if got := importKeep([]string{"api", "web"}, live); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
