package lease

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/lane"
)

func anyLane(ev *AcquireEvidence) { ev.Requests = nil }
func elseAny(ev *AcquireEvidence) { ev.Any = true }

func TestPick(t *testing.T) {
	docs := heldBy("bob", "b0b")
	code := heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"))
	mine := as(Identity{RunID: "run-me"})
	own := heldBy("me", "old", onLane("code", lane.Cluster, "src/**"))
	half := unadmitted(tableWith(own), "code")
	for _, tt := range []struct {
		claim  string
		ev     AcquireEvidence
		lane   string
		class  string
		writes string
	}{
		{"without a name the first of the list", asking(tableWith(), anyLane), "docs", "", "ACQUIRE GRANTED"},
		{"asked for as a cluster", asking(tableWith(), func(ev *AcquireEvidence) { ev.Requests = []lane.Request{{Kind: "Cluster"}} }), "docs", "", "ACQUIRE GRANTED"},
		{"the next when that is held", asking(tableWith(docs), anyLane), "part", "", "ACQUIRE GRANTED"},
		{"nothing when all are taken", asking(tableWith(docs, code), anyLane), "", "", ""},
		{"a lease that the caller has", asking(tableWith(own), mine, anyLane), "code", "", "HEARTBEAT"},
		{"but no keyword lane of its", asking(tableWith(heldBy("me", "old", inSlot("k.00", "word", "etc/**"))), mine, anyLane), "docs", "", "ACQUIRE GRANTED"},
		{"what it had half is completed", asking(half, mine, anyLane), "code", "", "HEARTBEAT GRANTED"},
		{"or ended where it cannot be had", asking(unadmitted(tableWith(own, heldBy("bob", "b0b", inSlot("k.00", "word", "src/x/**"))), "code"), mine, anyLane), "docs", "", "VOID ACQUIRE GRANTED"},
		{"the lane named comes first", asking(tableWith(), elseAny, lanes("code")), "code", "", "ACQUIRE GRANTED"},
		{"another when it is held", asking(tableWith(docs), elseAny), "part", "", "ACQUIRE GRANTED"},
		{"or overlapped", asking(tableWith(heldBy("bob", "b0b", inSlot("k.00", "word", "docs/x/**"))), elseAny), "part", "", "ACQUIRE GRANTED"},
		{"but never for a name that is not known", asking(tableWith(), elseAny, lanes("dosc")), "dosc", lane.UnknownLane, ""},
		{"the refusal is about the lane named", asking(tableWith(docs, code), elseAny), "docs", lane.SameLaneHeld, ""},
		{"a lease that the caller has comes before the lane named", asking(tableWith(own), mine, elseAny), "code", "", "HEARTBEAT"},
		{"a budget binds a picked lane", asking(tableWith(), anyLane, func(ev *AcquireEvidence) { ev.Budgets = map[string]int{lane.Cluster: 0} }), "", "", ""},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			v, writes, err := Acquire(tt.ev)
			if err != nil {
				t.Fatal(err)
			}
			if tt.lane == "" {
				if v.Outcome != Refused || v.Lease != nil || writes != nil || v.ReasonClass == "" || v.Kernel == nil {
					t.Errorf("%+v %v", v, ops(writes))
				}
				return
			}
			if v.Lane != tt.lane || v.ReasonClass != tt.class || ops(writes) != tt.writes {
				t.Errorf("%s on %s %s writing %s (%s)", v.Outcome, v.Lane, v.ReasonClass, ops(writes), v.Reason)
			}
		})
	}
	if v, _, _ := Acquire(asking(tableWith(docs), elseAny)); v.Kernel == nil || !v.Kernel.AutoPicked {
		t.Errorf("the decision does not say that it picked: %+v", v.Kernel)
	}
}

// A lane that cannot be read is passed over; when no other can be had, there is
// no verdict.
func TestPickPastUnreadableLanes(t *testing.T) {
	stray := blind(tableWith(heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"), inState(lane.Free))), "docs")
	v, _, err := Acquire(asking(stray, anyLane))
	if err != nil || v.Lane != "part" {
		t.Errorf("%+v %v", v, err)
	}
	if v, _, err = Acquire(asking(stray, elseAny)); err != nil || v.Lane != "part" {
		t.Errorf("%+v %v", v, err)
	}
	none := blind(tableWith(heldBy("bob", "b0b", onLane("code", lane.Cluster, "src/**"))), "docs")
	var unread *UnreadError
	for claim, change := range map[string]func(*AcquireEvidence){"no name": anyLane, "a name": elseAny} {
		if v, writes, err := Acquire(asking(none, change)); !errors.As(err, &unread) || unread.Chain != "docs" || v.Outcome != "" || writes != nil {
			t.Errorf("%s: %+v %v", claim, v, err)
		}
	}
}

// One call that landed late on the lane it had picked is not given another.
func TestPickIsHadOnce(t *testing.T) {
	landed := heldBy("me", "fresh", onLane("part", lane.Cluster, "src/part/**"))
	v, writes, err := Acquire(asking(tableWith(landed), anyLane))
	if err != nil || v.Lane != "part" || v.Reacquired || ops(writes) != "HEARTBEAT" {
		t.Errorf("%+v %v %v", v, ops(writes), err)
	}
}

// Another lane than the one named is had in its place, and why is told.
func TestPickSaysInPlaceOfWhat(t *testing.T) {
	docs := heldBy("bob", "b0b")
	own := heldBy("me", "old", onLane("code", lane.Cluster, "src/**"))
	mine := as(Identity{RunID: "run-me"})
	if v, _, _ := Acquire(asking(tableWith(docs), elseAny)); v.Kernel.HintRefused != lane.SameLaneHeld {
		t.Errorf("the decision does not say why the lane named was passed over: %+v", v.Kernel)
	}
	for claim, tt := range map[string]struct {
		ev   AcquireEvidence
		lane string
		want string
	}{
		"a lane that is held":        {asking(tableWith(docs), elseAny), "part", ", in place of lane docs: bob on n1 holds lane docs"},
		"one that cannot be read":    {asking(blind(tableWith(), "docs"), elseAny), "part", ", in place of lane docs: lane docs cannot be read, and what it holds may stand against this: " + errUnread.Error()},
		"another than the asker has": {asking(tableWith(own), mine, elseAny), "code", "already yours, in place of lane docs"},
		"the one named":              {asking(tableWith(), elseAny), "docs", "no live lease stands against it"},
		"the asker's own":            {asking(tableWith(own), mine, elseAny, lanes("code")), "code", "already yours"},
		"none named":                 {asking(tableWith(docs), anyLane), "part", "stands against it"},
	} {
		v, _, err := Acquire(tt.ev)
		if err != nil || v.Outcome != Acquired || v.Lane != tt.lane || !strings.HasSuffix(v.Reason, tt.want) {
			t.Errorf("%s: %+v %v, want %q", claim, v, err, tt.want)
		}
	}
}
