package lease

import (
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A Want is a lane that a node was refused because another node has it for its
// workers. It asks that node to give it back when nobody works on it.
type Want struct {
	Lane string `json:"lane"` // the delegated lane
	Node string `json:"node"` // who has it
	Gen  uint64 `json:"gen"`  // as which generation: with that the wish is over
}

// Drained says for whom a delegation is to go back as soon as nobody works under
// it: for an exclusive lease on the remote, held or waiting, or for a node that
// wants the lane. It is "" when it may be kept. remote is the remote as last seen;
// wanting lists the nodes other than this one that want the lane.
func (d Delegation) Drained(remote Table, wanting []string) string {
	for _, chain := range remote.chains() {
		r := remote.Chains[chain]
		if (r.State == lane.Held || r.State == lane.Waiting) && r.exclusive() && !lane.Reserved(r.Lane) {
			return fmt.Sprintf("lane %s (%s), which runs alone", r.Lane, r.Holder)
		}
	}
	if len(wanting) > 0 {
		return "node " + slices.Min(wanting) + ", which wants it"
	}
	return ""
}

// Ended says why the remote, as last seen, has a lane no more for this node: "" while
// it has, or where what was seen is older than the delegation.
func (d Delegation) Ended(remote Table) string {
	r, ok := remote.Chains[d.Lane]
	switch {
	case d.State != Live || !ok || r.Gen < d.Gen:
		return ""
	case r.Gen == d.Gen && r.Nonce == d.Nonce && r.Delegate && r.State != lane.Free:
		return ""
	case r.State == lane.Free:
		return "it was taken away: " + r.Reason
	}
	return r.Holder.String() + " has it"
}

// Drains refuses a lane that its node gives back.
func Drains(name, to string) Verdict {
	v := refuse(name, Draining, "the node gives the lane back for "+to)
	v.Next = v.acquireCommand() + " --wait 10m"
	return v
}

// Wants lists what a refusal makes a node want: the delegation of another node
// that stood against it, or of every lane where any would have done.
func (v Verdict) Wants(t Table, node string) []Want {
	if v.Outcome != Refused || v.Kernel == nil {
		return nil
	}
	var wants []Want
	for _, chain := range t.chains() {
		r := t.Chains[chain]
		asked := r.Lane == v.Kernel.ConflictLane || v.ReasonClass == lane.AllHeld && !r.exclusive()
		if asked && r.Delegate && r.State != lane.Free && r.Holder.Node != node {
			wants = append(wants, Want{Lane: r.Lane, Node: r.Holder.Node, Gen: r.Gen})
		}
	}
	return wants
}

// InTheWay lists the lanes of the leases that an answer was refused by, or that it
// waits for.
func (v Verdict) InTheWay() (lanes []string) {
	for _, w := range v.WaitsFor {
		lanes = append(lanes, w.Lane)
	}
	if v.Outcome == Refused && v.Kernel != nil && v.Kernel.ConflictLane != "" {
		lanes = append(lanes, v.Kernel.ConflictLane)
	}
	return lanes
}
