package lane

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// verdict puts a finished pricing in words.
func (p *pricing) verdict() PriceVerdict {
	n := len(p.workers)
	v := PriceVerdict{
		Requested: n, SafeNow: p.names(p.safe), SafeConcurrency: len(p.safe), SerializationWasted: n - len(p.safe),
		Waves: [][]string{}, WaveCount: len(p.waves),
		UnknownScope: []string{}, Held: []PriceHeld{}, Blocked: []PriceBlocked{}, Workers: []PricedWorker{},
	}
	for _, wave := range p.waves {
		v.Waves = append(v.Waves, p.names(wave))
	}
	for i, w := range p.workers {
		v.Workers = append(v.Workers, w.PricedWorker)
		switch {
		case w.blocked != nil:
			v.Blocked = append(v.Blocked, *w.blocked)
			continue
		case w.unknown():
			v.UnknownScope = append(v.UnknownScope, w.Name)
		}
		if w.Wave != 1 || w.unknown() {
			v.Held = append(v.Held, p.held(i))
		}
	}
	v.LanesUtilized = p.leaseIDs()
	v.Collisions, v.CollisionsAvoided = p.pairs()
	v.ExpectedRework = v.CollisionsAvoided + v.SerializationWasted
	v.Lane = p.lane
	v.Action, v.Reason = p.action(v)
	return v
}

// leaseIDs counts the lease ids in the safe set.
func (p *pricing) leaseIDs() int {
	ids := map[string]bool{}
	for _, i := range p.safe {
		ids[p.workers[i].LeaseID] = true
	}
	return len(ids)
}

// pairs lists the pairs that collide, the first to come, and counts them all.
func (p *pricing) pairs() (list [][2]string, count int) {
	list = [][2]string{}
	for i, w := range p.workers {
		p.peers(i, func(j int) bool {
			if j > i {
				count++
				if len(list) < maxListed {
					list = append(list, [2]string{w.Name, p.workers[j].Name})
				}
			}
			return true
		})
	}
	return list, count
}

func (p *pricing) names(places []int) []string {
	names := make([]string, 0, len(places))
	for _, i := range places {
		names = append(names, p.workers[i].Name)
	}
	return names
}

// action chooses the rung; see Price.
func (p *pricing) action(v PriceVerdict) (PriceAction, string) {
	switch n, safe := v.Requested, v.SafeConcurrency; {
	case n == 0:
		return HoldEmpty, "the partition has no worker"
	case len(v.UnknownScope) > 0:
		return SerializeUnknownScope, fmt.Sprintf("%s: nobody knows which files %s",
			showAll(v.UnknownScope), touches(len(v.UnknownScope)))
	case safe == n && n == 1:
		return LaunchAll, "the one worker can run now"
	case safe == n:
		return LaunchAll, fmt.Sprintf("all %d can run at once", n)
	case safe > 1:
		return LaunchSafeSet, fmt.Sprintf("%d of %d can run at once", safe, n)
	case safe == 1:
		return RepartitionAndReprice, fmt.Sprintf("only 1 of %d can run now", n)
	case n == 1:
		return RepartitionAndReprice, "the one worker cannot run"
	default:
		return RepartitionAndReprice, fmt.Sprintf("none of %d can run", n)
	}
}

func touches(n int) string {
	if n == 1 {
		return "it touches"
	}
	return "they touch"
}

// held says why a worker is not in the safe set, and what would change that.
func (p *pricing) held(i int) PriceHeld {
	w := p.workers[i]
	h := PriceHeld{Name: w.Name, CollidesWith: []string{}, Advice: AdviceNarrow}
	first, unknown, alone := -1, false, w.alone
	p.peers(i, func(j int) bool {
		h.Collisions++
		if first < 0 || !p.inSafe(first) && p.inSafe(j) {
			first = j
		}
		unknown, alone = unknown || p.workers[j].unknown(), alone || p.workers[j].alone
		if len(h.CollidesWith) < maxPeers {
			h.CollidesWith = append(h.CollidesWith, p.workers[j].Name)
		}
		return true
	})
	switch {
	case w.unknown():
		h.Advice, h.Reason = AdviceDeclareScope, w.why+"nobody knows which files it touches"
	case (first < 0 || !p.inSafe(first)) && p.full(len(p.safe)):
		h.Advice, h.Reason = AdviceWaitForRoom, fmt.Sprintf("no more than %d run at once, and those before it do", p.most)
	case first < 0 || !p.inSafe(first):
		h.Advice, h.Reason = AdviceWaitForBudget, "the class budget of kind "+verdict.Show(w.kind)+" is used up by those before it"
	default:
		if alone {
			h.Advice = AdviceRunLater
		}
		if unknown {
			h.Advice = AdvicePeerDeclareScope
		}
		h.Reason = p.between(i, first)
	}
	return h
}

func (p *pricing) inSafe(i int) bool { return p.workers[i].Wave == 1 && p.workers[i].candidate() }

// between says why two workers collide.
func (p *pricing) between(i, j int) string {
	a, b := p.workers[i], p.workers[j]
	who := verdict.Show(b.Name)
	switch {
	case !p.ridden && a.Lane != "" && a.Lane == b.Lane:
		return "lane " + verdict.Show(a.Lane) + " is " + who + "'s too"
	case !p.ridden && a.LeaseID == b.LeaseID:
		return "lease id " + verdict.Show(a.LeaseID) + " is " + who + "'s too"
	case b.unknown():
		return "nobody knows which files " + who + " touches"
	case a.alone:
		return "lane " + verdict.Show(a.Lane) + " runs alone, and " + who + " runs"
	case b.alone:
		return "lane " + verdict.Show(b.Lane) + ", which is " + who + "'s, runs alone"
	}
	mine, theirs, _ := overlapping(a.region, b.region)
	return verdict.Show(mine) + " overlaps " + verdict.Show(theirs) + ", which is " + who + "'s"
}
