package lease

import (
	"slices"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestFenceOfTheTrunk(t *testing.T) {
	const old, tip = "o", "t"
	api := leased(3, "n3")
	ride := LaneEntry{OpShip, leased(3, "n3", shipping("main", old, tip))}
	past := LaneEntry{OpShip, leased(3, "n3", shipping("main", "o0", "t0"))}
	node := leased(2, "d2", asDelegate, func(r *Record) { r.Lane, r.Tree = "part", []string{"api/v1/**"} })
	wide := leased(3, "n3", asDelegate)
	wideRide := LaneEntry{OpShip, leased(3, "n3", asDelegate, shipping("main", old, tip))}
	unread := atServer(9, api)
	unread.Chains, unread.Unread = map[string]Record{}, map[string]error{"api": ErrRecord}
	tests := []struct {
		claim  string
		before Table
		put    []LaneEntry
		paths  []string
		soft   bool
		want   []string
	}{
		{"nothing of the lane changes", atServer(9, api), nil, []string{"web/x"}, false, nil},
		{"a held tree changes", atServer(9, api), nil, []string{"web/x", "api/x"}, false, []string{LeaseFence}},
		{"a held tree changes in another case", atServer(9, api), nil, []string{"API/x"}, false, []string{LeaseFence}},
		{"its lease ships", atServer(9, api), []LaneEntry{ride}, []string{"api/x"}, false, nil},
		{"its lease ships another tip", atServer(9, api), []LaneEntry{past}, []string{"api/x"}, false, []string{LeaseFence}},
		{"its lease ships from elsewhere", atServer(9, api), []LaneEntry{{OpShip, leased(3, "n3", shipping("main", "o0", tip))}}, []string{"api/x"}, false, []string{LeaseFence}},
		{"its lease ships to elsewhere", atServer(9, api), []LaneEntry{{OpShip, leased(3, "n3", shipping("main", old, "t0"))}}, []string{"api/x"}, false, []string{LeaseFence}},
		{"its lease ships on another branch", atServer(9, api), []LaneEntry{{OpShip, leased(3, "n3", shipping("side", old, tip))}}, []string{"api/x"}, false, []string{LeaseFence}},
		{"its lease ends in the same push", atServer(9, api), []LaneEntry{{OpScavenge, leased(3, "n3", stateOf(lane.Free), saying("x"))}}, []string{"api/x"}, false, []string{LeaseFence}},
		{"a parked tree changes", atServer(9, leased(3, "n3", stateOf(lane.Parked))), nil, []string{"api/x"}, false, []string{LeaseFence}},
		{"what waits does not bind", atServer(9, leased(3, "n3", stateOf(lane.Waiting), alone)), nil, []string{"api/x"}, false, nil},
		{"what is free does not bind", atServer(9, leased(3, "n3", stateOf(lane.Free))), nil, []string{"api/x"}, false, nil},
		{"a name that an entry would not spell", atServer(9, leased(3, "n3", func(r *Record) { r.Tree = []string{"a[b]c/**"} })), nil, []string{"a[b]c/x"}, false, []string{LeaseFence}},
		{"one delegation of a node ships for another", atServer(9, wide, node), []LaneEntry{wideRide}, []string{"api/v1/x"}, false, nil},
		{"and not for that of another node", atServer(9, wide, leased(2, "d2", asDelegate, func(r *Record) {
			r.Lane, r.Tree, r.Holder.Node = "part", []string{"api/v1/**"}, "n2"
		})), []LaneEntry{wideRide}, []string{"api/v1/x"}, false, []string{LeaseFence}},
		{"nor for a path that it has not", atServer(9, wide, leased(2, "d2", asDelegate, func(r *Record) { r.Lane, r.Tree = "part", []string{"lib/**"} })),
			[]LaneEntry{wideRide}, []string{"api/v1/x", "lib/x"}, false, []string{LeaseFence}},
		{"trees that may overlap", atServer(9, api, leased(2, "d2", func(r *Record) { r.Lane, r.Tree = "part", []string{"api/v1/**"} })), []LaneEntry{ride}, []string{"api/v1/x"}, true, nil},
		{"a lane that cannot be read", unread, nil, []string{"api/x"}, false, []string{CannotJudge}},
		{"a lane that cannot be read and has another tree", unread, nil, []string{"web/x"}, false, nil},
	}
	for _, test := range tests {
		p := Received{Before: test.before, Lanes: putting(test.put...)}
		got := tokens(p.Fence(TrunkMove{Ref: "main", Old: old, New: tip, Paths: test.paths, Algebra: lane.Glob, Soft: test.soft}))
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.claim, got, test.want)
		}
	}
}
