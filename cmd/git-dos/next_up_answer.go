package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/internal/nextup"
	"github.com/git-dos/git-dos/kernel/packet"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// nextUpShown bounds the lists of units that are not offered.
const nextUpShown = 100

// A nextUpAnswer is the gate's verdict on a packet, and where the packet is.
type nextUpAnswer struct {
	pick.GateVerdict
	Tag      string       `json:"tag"`
	Sidecar  string       `json:"sidecar"`
	Packet   string       `json:"packet,omitempty"`
	Prompts  string       `json:"prompts,omitempty"`
	Ref      string       `json:"ref,omitempty"`
	RefID    string       `json:"ref_id,omitempty"`
	Scope    []string     `json:"scope"`
	Picks    []nextUpPick `json:"picks"`
	Later    int          `json:"later"`
	Held     []nextUpHeld `json:"held"`
	Holds    int          `json:"held_total"`
	Unknown  []nextUpHeld `json:"unknown"`
	Doubts   int          `json:"unknown_total"`
	Shipped  int          `json:"shipped"`
	Stale    []string     `json:"unstamped"`
	Outside  int          `json:"outside"`
	Unrouted int          `json:"unrouted"`
	Lines    int          `json:"unread_total"`
	NotRead  []string     `json:"not_read,omitempty"`
	lifeSeen

	sum  string
	next string // what to do about a packet that is empty for want of something else than work
}

// A nextUpPick is a unit that is offered.
type nextUpPick struct {
	N         int    `json:"n"`
	Unit      string `json:"unit"`
	Title     string `json:"title,omitempty"`
	Lane      string `json:"lane,omitempty"`
	Task      string `json:"task,omitempty"`
	Freshness string `json:"freshness"`
}

// A nextUpHeld is a unit that is not.
type nextUpHeld struct {
	Unit   string    `json:"unit"`
	Hold   pick.Hold `json:"hold,omitempty"`
	Detail string    `json:"detail"`
}

func nextUpAnswerOf(p packet.Packet, w nextup.Written, unread []string, seen lifeSeen) nextUpAnswer {
	a := nextUpAnswer{
		GateVerdict: w.Gate, Tag: p.Tag, Sidecar: w.Sidecar, Packet: w.Packet, Prompts: w.Prompts, Ref: p.Ref, RefID: p.RefID, Scope: p.Scope,
		Picks: []nextUpPick{}, Later: p.Later, Held: nextUpHolds(p.Held), Holds: len(p.Held), Unknown: nextUpHolds(p.Unknown), Doubts: len(p.Unknown),
		Shipped: len(p.Shipped), Stale: []string{}, Outside: p.Outside, Unrouted: p.Unrouted, Lines: p.Unread, NotRead: unread, lifeSeen: seen, sum: p.Sum(),
	}
	a.next = nextUpNext(p)
	for i, u := range p.Picks {
		a.Picks = append(a.Picks, nextUpPick{i + 1, u.Unit(), u.Title, u.Lane, u.Task, string(u.Tried.Outcome)})
	}
	for _, u := range p.Shipped {
		if u.Ship.Unstamped && len(a.Stale) < nextUpShown {
			a.Stale = append(a.Stale, u.Unit())
		}
	}
	return a
}

// nextUpNext is what to do about units that nothing says the lane of, and about a
// packet that is empty because what shipped is not stamped, or nothing is planned.
func nextUpNext(p packet.Packet) string {
	switch {
	case len(p.Picks) > 0 && p.Unrouted > 0 && len(p.Scope) == 0:
		return "name the lane of a plan in [plans] of dos.toml, or write Lane: NAME into the text of those without a lane"
	case len(p.Picks) > 0:
	case slices.ContainsFunc(p.Shipped, func(u packet.Candidate) bool { return u.Ship.Unstamped }):
		return "git dos replan stamps them, under a lease that covers their plan documents"
	case p.Unrouted > 0 && len(p.Scope) > 0:
		return "write Lane: NAME, or a path of the lane, into the text of those without a lane, or leave --scope out"
	case len(p.Held)+len(p.Unknown)+len(p.Shipped)+p.Outside+p.Unrouted == 0:
		return "git dos plan says where plan documents are looked for, git dos queue add adds a task"
	}
	return ""
}

func nextUpHolds(list []packet.Candidate) []nextUpHeld {
	held := []nextUpHeld{}
	for _, u := range list[:min(len(list), nextUpShown)] {
		held = append(held, nextUpHeld{u.Unit(), u.Screen.Outcome, u.Screen.Detail})
	}
	return held
}

// nextUpRaced is the answer of the renderer that lost.
func nextUpRaced(tag string, w nextup.Written) nextUpAnswer {
	a := nextUpAnswerOf(packet.Packet{Tag: tag, Scope: []string{}}, w, nil, lifeSeen{})
	a.sum, a.next = "", ""
	return a
}

func (a nextUpAnswer) String() string {
	var b strings.Builder
	b.WriteString(a.GateVerdict.String() + "\n")
	for _, u := range a.Picks {
		fmt.Fprintf(&b, "  %d. %s  lane %s  %s\n", u.N, verdict.Show(u.Unit), firstOf(u.Lane, "UNROUTED"), verdict.Show(u.Title))
	}
	for _, u := range a.Held {
		fmt.Fprintf(&b, "  held: %s %s: %s\n", verdict.Show(u.Unit), u.Hold, verdict.Show(u.Detail))
	}
	for _, u := range a.Unknown {
		fmt.Fprintf(&b, "  cannot be told: %s: %s\n", verdict.Show(u.Unit), verdict.Show(u.Detail))
	}
	for _, u := range a.Stale {
		fmt.Fprintf(&b, "  shipped, and not stamped: %s\n", verdict.Show(u))
	}
	for _, u := range a.NotRead {
		fmt.Fprintf(&b, "  not read: %s\n", verdict.Show(u))
	}
	if a.sum != "" {
		b.WriteString("  " + a.sum + "\n")
	}
	if a.next != "" {
		b.WriteString("  next: " + a.next + "\n")
	}
	if a.Lines > 0 {
		fmt.Fprintf(&b, "  %s of plan documents may be a phase and cannot be read: git dos plan lists them\n", verdict.Count(a.Lines, "line"))
	}
	if seen := a.line(); seen != "" {
		b.WriteString(strings.TrimPrefix(seen, "\n") + "\n")
	}
	fmt.Fprintf(&b, "Saved: %s  (verdict=%s)", firstOf(a.Packet, a.race()), a.Outcome)
	return b.String()
}

// race is the file that the loser of a race left.
func (a nextUpAnswer) race() string {
	return strings.TrimSuffix(a.Sidecar, pick.SidecarName(a.Tag)) + pick.RaceName(a.Tag)
}
