package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	storyTestLane = "refs/dos/lane/api"
	storyTestRows = "refs/dos/journal/north"
)

// storyOf reads entries, one a word, REF OP and what they are about: "lane:ACQUIRE/1" is
// of the first lease, "row:STEP_CLAIMED/1=c1" was written under it and names a commit,
// "commit:c1" is one, and "@" begins the next second.
func storyOf(text string) (all []logEntry) {
	at := time.Unix(1000, 0)
	for _, word := range strings.Fields(text) {
		if word == "@" {
			at = at.Add(time.Second)
			continue
		}
		ref, rest, _ := strings.Cut(word, ":")
		rest, sha, _ := strings.Cut(rest, "=")
		op, of, _ := strings.Cut(rest, "/")
		e := logEntry{At: at, Op: op, Text: word}
		var gen uint64
		if of != "" {
			fmt.Sscan(of, &gen)
		}
		switch ref {
		case "commit":
			e.ID, e.Op = op, "COMMIT"
		case "row":
			e.Ref = storyTestRows
			e.Payload = fmt.Appendf(nil, `{"op":%q,"lane":"api","run_id":"R","gen":%d,"sha":%q}`, op, gen, sha)
		case "far":
			e.Ref = storyTestRows + "-far"
			e.Payload = fmt.Appendf(nil, `{"op":%q,"lane":"api","run_id":"R","gen":%d,"sha":%q}`, op, gen, sha)
		default:
			e.Ref, e.Gen = storyTestLane, gen
			e.Payload = fmt.Appendf(nil, `{"lane":"api","run_id":"R","ship":{"new":%q}}`, sha)
		}
		all = append(all, e)
	}
	return all
}

func storyWords(all []logEntry) string {
	var words []string
	for _, e := range all {
		words = append(words, e.Text)
	}
	return strings.Join(words, " ")
}

func TestStoryOrder(t *testing.T) {
	for _, c := range []struct{ claim, given, want string }{
		{"a run within one second is told as it went",
			"lane:ACQUIRE/1 lane:SHIP/1=c2 lane:RELEASE/1 row:INTENT row:STEP_CLAIMED/1=c1 row:STEP_VERIFIED/1=c1 row:STEP_CLAIMED/1=c2 commit:c1 commit:c2",
			"row:INTENT lane:ACQUIRE/1 commit:c1 row:STEP_CLAIMED/1=c1 row:STEP_VERIFIED/1=c1 commit:c2 row:STEP_CLAIMED/1=c2 lane:SHIP/1=c2 lane:RELEASE/1"},
		{"an intent under a lease comes after it began",
			"row:INTENT/1 lane:ACQUIRE/1", "lane:ACQUIRE/1 row:INTENT/1"},
		{"a commit comes before the ship of it, without any row",
			"lane:SHIP/1=c1 commit:c1", "commit:c1 lane:SHIP/1=c1"},
		{"one that nothing names comes after the rows and before the end",
			"lane:RELEASE/1 commit:c1 row:DECISION", "row:DECISION commit:c1 lane:RELEASE/1"},
		{"of a row that names the second of two, both come first",
			"row:STEP_CLAIMED/1=c2 commit:c1 commit:c2", "commit:c1 commit:c2 row:STEP_CLAIMED/1=c2"},
		{"rows of the next lease come after its beginning, those of this before its end",
			"lane:RELEASE/1 lane:ACQUIRE/2 row:STEP_VERIFIED/1 row:INTENT/2", "row:STEP_VERIFIED/1 lane:RELEASE/1 lane:ACQUIRE/2 row:INTENT/2"},
		{"rows of another node too",
			"lane:SCAVENGE/1 far:HALT/1 row:STEP_VERIFIED/1", "far:HALT/1 row:STEP_VERIFIED/1 lane:SCAVENGE/1"},
		{"between seconds the times stand",
			"lane:RELEASE/1 @ row:STEP_CLAIMED/1=c1 @ commit:c1", "lane:RELEASE/1 row:STEP_CLAIMED/1=c1 commit:c1"},
		{"each second by itself",
			"row:STEP_CLAIMED/1=c1 commit:c1 @ row:STEP_CLAIMED/1=c2 commit:c2", "commit:c1 row:STEP_CLAIMED/1=c1 commit:c2 row:STEP_CLAIMED/1=c2"},
		{"what contradicts itself is told all the same",
			"lane:RELEASE/1 lane:ACQUIRE/1 row:STEP_CLAIMED/1", "row:STEP_CLAIMED/1 lane:RELEASE/1 lane:ACQUIRE/1"},
		{"nothing is nothing", "", ""},
	} {
		all := storyOf(c.given)
		storyOrder(all, logEntry.point)
		if got := storyWords(all); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.claim, got, c.want)
		}
	}
}

// Whatever entries say, none is lost, and those of one ref keep their order.
func TestStoryOrderKeepsTheOrderOfEachRef(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{
		"lane:ACQUIRE/1", "lane:RELEASE/1", "lane:ACQUIRE/2", "lane:SHIP/2=c1", "lane:SCAVENGE/2", "row:INTENT", "row:INTENT/1",
		"row:STEP_CLAIMED/2=c1", "far:HALT/1", "far:RESUME_PROPOSED=c2", "commit:c1", "commit:c2", "@",
	}
	for range 2000 {
		var text []string
		for range rng.IntN(20) {
			text = append(text, words[rng.IntN(len(words))])
		}
		before := storyOf(strings.Join(text, " "))
		after := slices.Clone(before)
		storyOrder(after, logEntry.point)
		for _, ref := range []string{"", storyTestLane, storyTestRows, storyTestRows + "-far"} {
			other := func(e logEntry) bool { return e.Ref != ref }
			got := storyWords(slices.DeleteFunc(slices.Clone(after), other))
			if want := storyWords(slices.DeleteFunc(slices.Clone(before), other)); got != want {
				t.Fatalf("of %s ref %q is told as %s, and is %s", text, ref, got, want)
			}
		}
		if !slices.IsSortedFunc(after, func(a, b logEntry) int { return a.At.Compare(b.At) }) {
			t.Fatalf("%s: seconds change places: %s", text, storyWords(after))
		}
	}
}
