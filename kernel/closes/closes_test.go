package closes

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/audit"
	"github.com/git-dos/git-dos/kernel/ship"
)

func id(c string) string { return strings.Repeat(c, 40) }

func found(o audit.Outcome, w audit.Witness) *audit.Finding {
	return &audit.Finding{Outcome: o, Witness: w, Reason: "the audit's reason"}
}

func good() *audit.Finding { return found(audit.OK, audit.ByDiff) }

// history is a whole history with these closers of issue 7, newest first.
func history(closers ...Closer) Evidence {
	for i := range closers {
		closers[i].Issues = []int{7}
	}
	return Evidence{Ref: "refs/heads/main", RefID: id("f"), History: ship.Complete, Closers: closers}
}

// taken is a revert of one commit by another.
func taken(by, of string, covers ship.Fact) ship.Revert {
	return ship.Revert{ID: id(by), Undoes: []ship.Undo{{ID: id(of), Covers: covers}}}
}

func TestStateOfAnIssue(t *testing.T) {
	a := Closer{ID: id("a"), Audit: good(), Whole: ship.Yes}
	for _, c := range []struct {
		claim string
		ev    func() Evidence
		want  State
		sha   string
	}{
		{"a commit whose diff carries its claim closes", func() Evidence { return history(a) }, Closed, "a"},
		{"data alone has a bucket of its own", func() Evidence { return history(Closer{ID: id("a"), Audit: found(audit.OK, audit.ByData)}) }, ClosedByData, "a"},
		{"a claim without a diff closes nothing", func() Evidence {
			return history(Closer{ID: id("a"), Audit: found(audit.Unwitnessed, audit.BySubject)})
		}, Unwitnessed, "a"},
		{"nor one that the audit faults for all its diff", func() Evidence {
			return history(Closer{ID: id("a"), Audit: found(audit.Unwitnessed, audit.ByDiff)})
		}, Unwitnessed, "a"},
		{"nor does a commit that claims nothing", func() Evidence { return history(Closer{ID: id("a"), Audit: found(audit.Abstain, audit.ByNothing)}) }, Unwitnessed, "a"},
		{"nor a good outcome on an unknown witness", func() Evidence { return history(Closer{ID: id("a"), Audit: found(audit.OK, "guess")}) }, Unwitnessed, "a"},
		{"nor a finding without an outcome", func() Evidence { return history(Closer{ID: id("a"), Audit: &audit.Finding{}}) }, Unwitnessed, "a"},
		{"what was reverted closes nothing", func() Evidence {
			ev := history(a)
			ev.Reverts = []ship.Revert{taken("b", "a", ship.Yes)}
			return ev
		}, Reverted, "a"},
		{"a revert of the revert closes again", func() Evidence {
			ev := history(a)
			ev.Reverts = []ship.Revert{taken("b", "a", ship.Yes), taken("c", "b", ship.Yes)}
			return ev
		}, Closed, "a"},
		{"unless it may not put all of it back", func() Evidence {
			ev := history(a)
			ev.Reverts = []ship.Revert{taken("b", "a", ship.Yes), taken("c", "b", ship.Unknown)}
			return ev
		}, Indeterminate, "a"},
		{"a diff that cannot be read says nothing", func() Evidence { return history(Closer{ID: id("a")}) }, Indeterminate, "a"},
		{"but reverted is reverted", func() Evidence {
			ev := history(Closer{ID: id("a")})
			ev.Reverts = []ship.Revert{taken("b", "a", ship.Yes)}
			return ev
		}, Reverted, "a"},
		{"a later empty claim hides no earlier close", func() Evidence {
			return history(Closer{ID: id("b"), Audit: found(audit.Unwitnessed, audit.BySubject)}, a)
		}, Closed, "a"},
		{"an unreadable one hides none either", func() Evidence { return history(Closer{ID: id("b")}, a) }, Closed, "a"},
		{"but it may be what a reverted one is not", func() Evidence {
			ev := history(a, Closer{ID: id("b")})
			ev.Reverts = []ship.Revert{taken("c", "a", ship.Yes)}
			return ev
		}, Indeterminate, "b"},
		{"the newest of equals speaks", func() Evidence { return history(Closer{ID: id("b"), Audit: good()}, a) }, Closed, "b"},
		{"in a shallow history every edge must be below it", func() Evidence { ev := history(a); ev.History = ship.Shallow; return ev }, Closed, "a"},
		{"or a revert may be out of sight", func() Evidence {
			ev := history(Closer{ID: id("a"), Audit: good(), Whole: ship.No})
			ev.History = ship.Shallow
			return ev
		}, Indeterminate, "a"},
		{"not closed in a shallow history is not known", func() Evidence {
			ev := history(Closer{ID: id("a"), Audit: found(audit.Unwitnessed, audit.BySubject), Whole: ship.Yes})
			ev.History = ship.Shallow
			return ev
		}, Indeterminate, "a"},
		{"with objects missing nothing is", func() Evidence { ev := history(a); ev.History = ship.Missing; return ev }, Indeterminate, "a"},
		{"nor with a history nobody described", func() Evidence { ev := history(a); ev.History = ""; return ev }, Indeterminate, "a"},
	} {
		v := Decide(c.ev())
		if len(v.Issues) != 1 || v.Issues[0].State != c.want || v.Issues[0].Commit != id(c.sha) || v.Issues[0].Reason == "" || v.Issues[0].Number != 7 {
			t.Errorf("%s: %+v, want %s by %s", c.claim, v.Issues, c.want, c.sha)
		}
		ev := c.ev()
		ev.Asked = []int{7}
		if asked := Decide(ev); asked.Outcome == AllClosed != c.want.closes() {
			t.Errorf("%s: asked, %s", c.claim, asked.Outcome)
		}
	}
}

func TestTheWholeAnswer(t *testing.T) {
	open := Closer{ID: id("b"), Audit: found(audit.Unwitnessed, audit.BySubject)}
	for claim, c := range map[string]struct {
		asked   []int
		history ship.History
		closers []Closer
		want    Outcome
		exit    int
		issues  int
	}{
		"nothing at all is an empty list":              {nil, ship.Complete, nil, Listed, 0, 0},
		"the list shows what is only said to be":       {nil, ship.Complete, []Closer{open}, Listed, 0, 1},
		"a list that may lack some is no list":         {nil, ship.Shallow, nil, Unknown, 4, 0},
		"nor one with something out of sight":          {nil, ship.Complete, []Closer{{ID: id("a")}}, Unknown, 4, 1},
		"nor one of a history with a hole":             {nil, ship.Missing, nil, Unknown, 4, 0},
		"all that were asked about":                    {[]int{7}, ship.Complete, []Closer{{ID: id("a"), Audit: good()}}, AllClosed, 0, 1},
		"one that nobody names is not closed":          {[]int{7, 8}, ship.Complete, []Closer{{ID: id("a"), Audit: good()}}, NotClosed, 3, 2},
		"a known no outweighs what cannot be told":     {[]int{7, 8}, ship.Complete, []Closer{{ID: id("a")}}, NotClosed, 3, 2},
		"what cannot be told is no yes":                {[]int{7}, ship.Complete, []Closer{{ID: id("a")}}, Unknown, 4, 1},
		"and a no is none where history is cut":        {[]int{8}, ship.Shallow, nil, Unknown, 4, 1},
		"an issue is shown once however often asked":   {[]int{7, 7, 7}, ship.Complete, nil, NotClosed, 3, 1},
		"only what was asked about is shown":           {[]int{8}, ship.Complete, []Closer{{ID: id("a"), Audit: good()}}, NotClosed, 3, 1},
		"a shallow yes with all edges below is a yes":  {[]int{7}, ship.Shallow, []Closer{{ID: id("a"), Audit: good(), Whole: ship.Yes}}, AllClosed, 0, 1},
		"a list in a shallow history is never a whole": {nil, ship.Shallow, []Closer{{ID: id("a"), Audit: good(), Whole: ship.Yes}}, Unknown, 4, 1},
	} {
		ev := history(c.closers...)
		ev.Asked, ev.History = c.asked, c.history
		v := Decide(ev)
		if v.Outcome != c.want || v.ExitCode() != c.exit || len(v.Issues) != c.issues || v.Reason == "" {
			t.Errorf("%s: %s %d %+v", claim, v.Outcome, v.ExitCode(), v.Issues)
		}
		if v.Closed+v.ClosedByData+v.Other+v.Unknown != len(v.Issues) {
			t.Errorf("%s: counts do not add up: %+v", claim, v)
		}
	}
	if v := Decide(Evidence{}); v.ExitCode() != 2 {
		t.Errorf("nothing was walked, and it is %d", v.ExitCode())
	}
	if (Verdict{}).ExitCode() != 2 {
		t.Error("the zero verdict decides")
	}
}

// Without a look at a trunk that may have moved on, nothing is said for certain.
func TestWhatWasNotSeenIsNotKnown(t *testing.T) {
	ev := history(Closer{ID: id("a"), Audit: good()})
	ev.Asked = []int{7, 8}
	seen := Decide(ev)
	v := seen.Unseen("nobody answers")
	if v.Outcome != Unknown || v.ExitCode() != 4 || v.Reason != "nobody answers" || v.Unknown != 2 || v.Closed+v.ClosedByData+v.Other != 0 {
		t.Errorf("%+v", v)
	}
	if i := v.Issues[0]; i.State != Indeterminate || i.Commit != id("a") || !strings.HasPrefix(i.Reason, "CLOSED when the trunk was last seen: ") {
		t.Errorf("%+v", i)
	}
	if seen.Issues[0].State != Closed {
		t.Error("the verdict it was made of has changed")
	}
}

func TestAListIsCountedInTheWordsOfItsKeys(t *testing.T) {
	data, none := found(audit.OK, audit.ByData), found(audit.Unwitnessed, audit.BySubject)
	ev := Evidence{Ref: "refs/heads/main", History: ship.Complete, Closers: []Closer{
		{ID: id("a"), Issues: []int{1, 2}, Audit: good()}, {ID: id("b"), Issues: []int{3}, Audit: data}, {ID: id("c"), Issues: []int{4}, Audit: none},
	}}
	if v := Decide(ev); v.Reason != "2 are closed, 1 by data alone, and 1 is only said to be" || v.Closed != 2 || v.ClosedByData != 1 || v.Other != 1 {
		t.Errorf("%+v", v)
	}
	ev.Closers = ev.Closers[:1]
	if v := Decide(ev); v.Reason != "2 are closed, and 0 are only said to be" {
		t.Errorf("%+v", v)
	}
}

func TestMentionsAndWords(t *testing.T) {
	ev := history(Closer{ID: id("a"), Audit: good()})
	ev.Asked, ev.Mention = []int{9, 8, 7}, map[int]string{8: id("b"), 7: id("c")}
	v := Decide(ev)
	if v.Issues[0].State != Closed || v.Issues[1].State != Mentioned || v.Issues[1].Commit != id("b") || v.Issues[2].State != NotNamed {
		t.Errorf("%+v", v.Issues)
	}
	want := "NOT_CLOSED on refs/heads/main: 2 of 3 are not closed\n" +
		"  #7 CLOSED: aaaaaaaaaaaa says so, its diff carries its claim, and it stands\n" +
		"  #8 MENTIONED: bbbbbbbbbbbb names it without closing it\n  #9 NOT_NAMED: no commit names it\n"
	if v.String() != want {
		t.Errorf("%q", v.String())
	}
	ev = history()
	data, err := json.Marshal(Decide(ev))
	if err != nil || !strings.Contains(string(data), `"issues":[]`) {
		t.Errorf("%s, %v", data, err)
	}
}
