package hooks

import (
	"context"
	"testing"
)

func TestBranchesBesideTheTrunk(t *testing.T) {
	const main, side = "refs/heads/main", "refs/heads/side"
	stray := "branch side is not the trunk main"
	tests := []struct {
		claim, hook, trunk string
		there              bool
		update             Update
		want               string
	}{
		{"the trunk moves", PrePush, main, false, Update{Ref: main, Old: idA, New: idB}, ""},
		{"another branch is pushed", PrePush, main, false, Update{Ref: side, New: idB}, stray},
		{"another branch moves", PrePush, main, true, Update{Ref: side, Old: idA, New: idB}, stray},
		{"another branch goes", PrePush, main, true, Update{Ref: side, Old: idA}, ""},
		{"the trunk goes", PrePush, main, true, Update{Ref: main, Old: idA}, "it deletes the trunk main"},
		{"a tag is no branch", PrePush, main, false, Update{Ref: "refs/tags/v1", New: idB}, ""},
		{"a tag needs no trunk", PrePush, "", false, Update{Ref: "refs/tags/v1", New: idB}, ""},
		{"an unknown trunk", PrePush, "", false, Update{Ref: side, New: idB}, "error: which branch is the trunk is not known: set [trunk] ref in dos.toml"},
		{"a branch is made here", Transaction, main, false, Update{Ref: side, New: idB}, stray},
		{"a branch moves here", Transaction, main, true, Update{Ref: side, Old: idA, New: idB}, ""},
		{"a branch is forced here", Transaction, main, true, Update{Ref: side, New: idB}, ""},
		{"the trunk is made here", Transaction, main, false, Update{Ref: main, New: idB}, ""},
		{"a branch goes here", Transaction, main, true, Update{Ref: side, Old: idA}, ""},
		{"the trunk goes here", Transaction, main, true, Update{Ref: main, Old: idA}, ""},
	}
	for _, tt := range tests {
		g := OffTrunkGate(func(context.Context, string) (bool, error) { return tt.there, nil })
		if got := reasons(t, g, Push{Hook: tt.hook, Trunk: tt.trunk, Updates: []Update{tt.update}}, given{}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.claim, got, tt.want)
		}
	}
	g := OffTrunkGate(func(context.Context, string) (bool, error) { return false, errGiven })
	if got := reasons(t, g, Push{Hook: Transaction, Trunk: main, Updates: []Update{{Ref: side, New: idB}}}, given{}); got != "error: cannot be read" {
		t.Errorf("whether the branch is there cannot be read: %q", got)
	}
}
