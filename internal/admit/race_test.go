package admit

import (
	"errors"
	"fmt"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

// Twelve processes ask for lanes of twelve names whose trees all overlap.
func TestOverlappingLanesHaveOneWinnerLocally(t *testing.T) {
	dir := localRepo(t)
	trees := []string{"src/*.go", "src/**", "src/a*", "**/*.go", "src/?.go", "src/[a-c].go"}
	rounds := 3
	if long() {
		rounds = 40
	}
	for round := range rounds {
		var workers []*process
		for i := range 12 {
			workers = append(workers, acquirer(t, nil, dir, fmt.Sprintf("word%d-%d", round, i), fmt.Sprint("w", i), trees[i%len(trees)]))
		}
		reports := race(t, workers)
		if granted(reports) != 1 {
			t.Fatalf("round %d: %s", round, tally(reports))
		}
		for _, r := range reports {
			if r.Outcome == "acquire" || r.Outcome == "waiting" {
				freeAll(t, dir, r.Lease.Lane)
			} else if r.Class != lane.Collision {
				t.Errorf("round %d: %+v", round, r)
			}
		}
	}
	gitIn(t, dir, "fsck", "--no-dangling")
}

func TestClonesRaceForOneLane(t *testing.T) {
	raceClones(t, 8, func(int) string { return "api" }, func(reports []report) bool { return granted(reports) == 1 })
}

func TestClonesTakeDisjointLanesAtOnce(t *testing.T) {
	raceClones(t, 8, func(i int) string { return fmt.Sprint("area", i) }, func(reports []report) bool { return granted(reports) == 8 })
}

// Either the exclusive lane is granted alone, or it waits for those that came
// before it, and all who come after either are refused.
func TestExclusiveLaneRunsAloneInARace(t *testing.T) {
	name := func(i int) string { return []string{"all", "api", "web", "all", "docs", "area6"}[i] }
	raceClones(t, 6, name, func(reports []report) bool {
		exclusive, ordinary, waiting := 0, 0, 0
		for i, r := range reports {
			switch {
			case r.Outcome == "waiting":
				waiting++
			case r.Outcome != "acquire":
			case name(i) == "all":
				exclusive++
			default:
				ordinary++
			}
		}
		return exclusive == 1 && ordinary == 0 && waiting == 0 || exclusive == 0 && ordinary > 0 && waiting == 1
	})
}

func raceClones(t *testing.T, n int, name func(int) string, holds func([]report) bool) {
	f := newFleet(t)
	var clones []string
	for range n {
		clones = append(clones, f.clone(t))
	}
	rounds := 1
	if long() {
		rounds = 10
	}
	for round := range rounds {
		var workers []*process
		for i, dir := range clones {
			args := []string{dir, name(i), fmt.Sprint("w", i)}
			if name(i)[0:2] == "ar" {
				args = append(args, name(i)+"/**")
			}
			workers = append(workers, acquirer(t, nil, args...))
		}
		reports := race(t, workers)
		if !holds(reports) {
			t.Fatalf("round %d: %s", round, tally(reports))
		}
		for _, r := range reports {
			if r.Outcome == "acquire" {
				freeAll(t, clones[0], r.Lease.Lane)
			}
		}
	}
	gitIn(t, f.hub, "fsck", "--no-dangling")
}

// freeAll frees a lane; one that no racer ever had is free.
func freeAll(t *testing.T, dir, name string) {
	t.Helper()
	v, err := open(t, dir).Scavenge(t.Context(), name, "test")
	if errors.As(err, new(*UnknownLaneError)) {
		return
	}
	if err != nil || v.ExitCode() != 0 {
		t.Fatalf("scavenge %s: %+v %v", name, v, err)
	}
}
