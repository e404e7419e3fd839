package lane_test

import (
	"math"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestScore(t *testing.T) {
	third := []string{"a/x.go", "b/**", "c/**"} // one of three meets a/**
	tests := []struct {
		name             string
		requested, lease []string
		ratio            float64
		want             string
	}{
		{"trees apart admit", []string{"b/**"}, []string{"a/**"}, 0, lane.AdmitDisjoint},
		{"a ratio of zero tolerates nothing", third, []string{"a/**"}, 0, lane.RefuseOverlap},
		{"a share equal to the ratio admits", third, []string{"a/**"}, 1.0 / 3, lane.AdmitSoft},
		{"a share above the ratio refuses", third, []string{"a/**"}, 0.3, lane.RefuseOverlap},
		{"a ratio above one third has no effect", third[:2], []string{"a/**"}, 1, lane.RefuseOverlap},
		{"a ratio that is no number tolerates nothing", third, []string{"a/**"}, math.NaN(), lane.RefuseOverlap},
		{"a negative ratio tolerates nothing", third, []string{"a/**"}, -1, lane.RefuseOverlap},
		{"the same region refuses whatever the share", append(third, "d/", "e/"), []string{"D/**"}, 1, lane.RefuseExactGlob},
		{"everything is no region of its own", []string{"**/*", "b/", "c/"}, []string{"**", "x/"}, 1, lane.RefuseOverlap},
		{"repeats do not dilute", []string{"a/x.go", "b/", "b/", "./b/", "B/", ""}, []string{"a/**"}, 1, lane.RefuseOverlap},
		{"an unknown request refuses", []string{""}, []string{"a/**"}, 1, lane.RefuseOverlap},
		{"an unknown lease refuses", third, nil, 1, lane.RefuseOverlap},
		{"a lease that cannot be read refuses", third, []string{"/a"}, 1, lane.RefuseOverlap},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, g := range algebras {
				got := g.Score(tt.requested, tt.lease, tt.ratio)
				if got.Verdict != tt.want {
					t.Errorf("%s: score %+v, want %s", g, got, tt.want)
				}
				admits := tt.want == lane.AdmitDisjoint || tt.want == lane.AdmitSoft
				if got.Admissible != admits || g.Blocks(tt.requested, tt.lease, tt.ratio) == admits {
					t.Errorf("%s: admissible %v, blocks %v, for %s", g, got.Admissible, !admits, tt.want)
				}
			}
		})
	}
}

func TestScoreEverywhere(t *testing.T) {
	for entry, want := range map[string]string{"*": lane.RefuseOverlap, "**/*/": lane.RefuseOverlap, "*/*": lane.RefuseExactGlob, "?": lane.RefuseExactGlob} {
		if got := lane.Glob.Score([]string{entry}, []string{entry}, 1); got.Verdict != want {
			t.Errorf("%q against itself: %+v, want %s", entry, got, want)
		}
	}
}

func TestScoreCounts(t *testing.T) {
	got := lane.Prefix.Score([]string{"a/x", "a/y", "b", "a/x"}, []string{"a/x", "a/**"}, 1)
	want := lane.Score{Verdict: lane.RefuseExactGlob, Shared: 2, Requested: 3}
	if got != want {
		t.Errorf("score %+v, want %+v", got, want)
	}
}
