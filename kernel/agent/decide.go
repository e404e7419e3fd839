package agent

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/guard"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is what is said of a call.
type Outcome string

// The outcomes. Tell lets the call be, and has something to say to the agent.
const (
	Allow Outcome = "allow"
	Deny  Outcome = "deny"
	Tell  Outcome = "tell"
)

// Token names a reason in one word.
type Token string

// The reasons, beside those of package guard.
const (
	OutsideLease  Token = "OUTSIDE_LEASE"
	HeldByOther   Token = "HELD_BY_OTHER"
	NoLease       Token = "NO_LEASE"
	LeaseLost     Token = "LEASE_LOST"
	LeaseLapsed   Token = "LEASE_LAPSED"
	LeaseDue      Token = "LEASE_DUE"
	GitDirectory  Token = "GIT_DIRECTORY"
	OtherWorktree Token = "OTHER_WORKTREE"
	NotShipped    Token = "NOT_SHIPPED"
	NotCommitted  Token = "NOT_COMMITTED"
)

// A Verdict is what is said of an event.
type Verdict struct {
	Outcome Outcome `json:"outcome"`
	Token   Token   `json:"token,omitempty"`
	Reason  string  `json:"reason,omitempty"`
	Fix     string  `json:"fix,omitempty"` // what to do instead
	Path    string  `json:"path,omitempty"`
	Lane    string  `json:"lane,omitempty"`
}

// String is what an agent is told.
func (v Verdict) String() string {
	if v.Outcome == Allow {
		return string(Allow)
	}
	s := fmt.Sprintf("git-dos: %s: %s", v.Token, v.Reason)
	if v.Fix != "" {
		s += "\n  instead: " + v.Fix
	}
	return s
}

// A Lane is one that is held, as it was last seen.
type Lane struct {
	Name    string
	Tree    []string // without entries it is everything
	Holder  string
	Mine    bool
	Lapsed  bool
	Unit    string
	Renewed time.Time
	TTL     time.Duration
}

// everything is the tree of a lane that names no files.
func everything(tree []string) []string {
	if len(tree) == 0 {
		return []string{"**/*"}
	}
	return tree
}

// A Place is where a path leads.
type Place struct {
	Written string // as the runtime names it
	Path    string // from the top of the work tree, "" where it lies outside
	InGit   bool   // it lies in git's own directory
	Beside  string // the top of another worktree of the repository, where it lies in that
}

// Held is what is held, and what this worktree took and no longer has.
type Held struct {
	Lanes []Lane
	Lost  []string // lanes
}

func (h Held) own() (own []Lane) {
	for _, l := range h.Lanes {
		if l.Mine {
			own = append(own, l)
		}
	}
	return own
}

// lost speaks of the first lane that is lost.
func (h Held) lost(outcome Outcome, fix string) Verdict {
	name := h.Lost[0]
	return Verdict{Outcome: outcome, Token: LeaseLost, Lane: name, Reason: fmt.Sprintf("the lease on lane %s was taken here and is lost", name), Fix: fix}
}

// Guarded judges the commands of a call.
func Guarded(c Call) Verdict {
	for _, ev := range c.Commands {
		if v := guard.Decide(ev); v.Outcome != guard.Allow {
			return Verdict{Outcome: Deny, Token: Token(v.Token), Reason: v.Reason, Fix: v.Fix}
		}
	}
	return Verdict{Outcome: Allow}
}

// Decide judges what a call would write. Who holds no lease is kept off the
// trees of others, as at a push, and with require set from everything.
func Decide(places []Place, h Held, require bool) Verdict {
	for _, p := range places {
		if v := one(p, h, require); v.Outcome != Allow {
			v.Path = p.Written
			return v
		}
	}
	return Verdict{Outcome: Allow}
}

func one(p Place, h Held, require bool) Verdict {
	switch {
	case p.InGit:
		return Verdict{Outcome: Deny, Token: GitDirectory, Reason: fmt.Sprintf("%q lies in git's own directory", p.Written), Fix: "let git write it: refs, hooks and settings have commands of their own"}
	case p.Beside != "":
		return Verdict{Outcome: Deny, Token: OtherWorktree, Reason: fmt.Sprintf("%q lies in another worktree of this repository", p.Written), Fix: "write it in your own worktree"}
	case p.Path == "":
		return Verdict{Outcome: Allow} // no file of the repository
	}
	own := h.own()
	for _, l := range own {
		if lane.NewScope(everything(l.Tree)).Contains(p.Path) && l.Lapsed {
			return Verdict{Outcome: Deny, Token: LeaseLapsed, Lane: l.Name, Reason: fmt.Sprintf("the lease on lane %s is past its deadline, and anybody may take the lane over", l.Name), Fix: "git dos lease heartbeat " + verdict.ShellWord(l.Name)}
		}
	}
	if len(own) > 0 {
		return within(p, own)
	}
	if len(h.Lost) > 0 {
		return h.lost(Deny, "stop work on this lane; git dos lease live shows what is free")
	}
	for _, l := range h.Lanes {
		if lane.NewScope(everything(l.Tree)).Contains(p.Path) {
			return Verdict{Outcome: Deny, Token: HeldByOther, Lane: l.Name, Reason: fmt.Sprintf("%q lies in lane %s, which %s holds", p.Written, l.Name, l.Holder), Fix: "take a lane that is free: git dos lease acquire; git dos lease live --all lists them"}
		}
	}
	if require {
		return Verdict{Outcome: Deny, Token: NoLease, Reason: fmt.Sprintf("no lane is held here, and %q lies in the repository", p.Written), Fix: "take the lane it belongs to: git dos lease acquire LANE; git dos lease live --all lists them"}
	}
	return Verdict{Outcome: Allow}
}

// within judges a path by the lanes that are held here.
func within(p Place, own []Lane) Verdict {
	var tree, names []string
	for _, l := range own {
		tree, names = append(tree, everything(l.Tree)...), append(names, l.Name)
	}
	s, lanes := lane.NewScope(tree), strings.Join(names, ", ")
	fix := "leave it, or take a lane that holds it: git dos lease acquire LANE; of lane " + lanes + " you have " + strings.Join(tree, " ")
	if !s.Contains(p.Path) {
		reason := fmt.Sprintf("%q lies outside of lane %s, which is what is held here", p.Written, lanes)
		return Verdict{Outcome: Deny, Token: OutsideLease, Lane: names[0], Reason: reason, Fix: fix}
	}
	return Verdict{Outcome: Allow}
}

// After tells an agent how its leases stand once a tool was called: lost,
// lapsed, or due for a renewal, which is within a third of the ttl.
func After(h Held, now time.Time) Verdict {
	if len(h.Lost) > 0 {
		return h.lost(Tell, "stop work on this lane, and push nothing of it; git dos lease live shows what is free")
	}
	for _, l := range h.own() {
		renew := "git dos lease heartbeat " + verdict.ShellWord(l.Name)
		switch {
		case l.Lapsed:
			return Verdict{Outcome: Tell, Token: LeaseLapsed, Lane: l.Name, Reason: fmt.Sprintf("the lease on lane %s is past its deadline", l.Name), Fix: renew + ", and stop when it says lost"}
		case l.TTL > 0 && now.Sub(l.Renewed) >= l.TTL/3:
			return Verdict{Outcome: Tell, Token: LeaseDue, Lane: l.Name, Reason: fmt.Sprintf("the lease on lane %s is due for a renewal", l.Name), Fix: renew}
		}
	}
	return Verdict{Outcome: Allow}
}

// A Finish is what git shows of a lane whose worker wants to stop.
type Finish struct {
	Lane    string
	Unit    string // that its lease claims
	Shipped bool
	Unknown bool   // whether it shipped cannot be told
	Why     string // it did not
	Left    []string
}

// Stop judges the wish to stop. It is refused once, and only where the runtime
// says that it was not refused before; what cannot be told refuses nothing.
func Stop(c Call, ends []Finish) Verdict {
	if !c.AgainKnown || c.Again {
		return Verdict{Outcome: Allow}
	}
	for _, f := range ends {
		release := "; if it cannot be done, say so and give the lane back: git dos lease release " + verdict.ShellWord(f.Lane)
		switch {
		case len(f.Left) > 0:
			return Verdict{Outcome: Deny, Token: NotCommitted, Lane: f.Lane, Path: f.Left[0], Reason: fmt.Sprintf("%s of lane %s not committed, first %s", verdict.Count(len(f.Left), "path"), f.Lane, verdict.Show(f.Left[0])),
				Fix: "git dos commit -m SUBJECT -- " + verdict.ShellWord(f.Left[0]) + release}
		case f.Unit != "" && !f.Shipped && !f.Unknown:
			return Verdict{Outcome: Deny, Token: NotShipped, Lane: f.Lane, Reason: fmt.Sprintf("git does not show %s as shipped: %s", f.Unit, f.Why),
				Fix: "git dos verify " + verdict.ShellWord(f.Unit) + " says what is missing" + release}
		}
	}
	return Verdict{Outcome: Allow}
}
