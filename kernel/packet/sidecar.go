package packet

import "github.com/git-dos/git-dos/kernel/pick"

// maxEach bounds how many units of one disposition are written down.
const maxEach = 1000

// Sidecar is the packet as the gate reads it. Of the units that are not offered
// it has at most 1000 of each sort, which leaves what the gate says as it is.
func (p Packet) Sidecar() pick.Sidecar {
	s := pick.Sidecar{Tag: p.Tag, GeneratedAt: p.At}
	for _, c := range p.Picks {
		s.Dispositions = append(s.Dispositions, pick.Disposition{Unit: c.Unit(), Series: c.Plan, Phase: c.Phase, Live: true})
	}
	type sort struct {
		reason    string
		unstamped bool
	}
	n := map[sort]int{}
	for _, list := range [][]Candidate{p.Held, p.Unknown, p.Shipped} {
		for _, c := range list {
			d := c.dropped()
			of := sort{d.DropReason, d.Unstamped}
			if n[of]++; n[of] <= maxEach {
				s.Dispositions = append(s.Dispositions, d)
			}
		}
	}
	return s
}

// dropped is the disposition of a unit that is not offered. What is held and is
// nobody's is no empty backlog either: nobody may be started for it now.
func (c Candidate) dropped() pick.Disposition {
	d := pick.Disposition{Unit: c.Unit(), Series: c.Plan, Phase: c.Phase, DropReason: pick.DropQuota}
	switch {
	case c.Ship != nil:
		d.DropReason, d.ShipVia, d.ShipSha, d.Unstamped = pick.DropShipped, c.Ship.Via, c.Ship.Sha, c.Ship.Unstamped
	case c.Screen.Outcome == pick.Shipped:
		d.DropReason = pick.DropShipped
	case c.Screen.Outcome == pick.InFlight, c.Screen.Outcome == pick.SoftClaimed, c.Screen.Outcome == pick.StaleClaim:
		d.DropReason = pick.DropClaimed
	}
	return d
}
