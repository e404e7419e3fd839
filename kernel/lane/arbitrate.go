package lane

// Arbitrate gives the advice a worker asks for before it acquires: a lane to
// run on, not always the one it named. Whoever asks must run on the lane of
// the answer. Rungs, first that applies:
//
//  1. the request or the taxonomy is malformed: no verdict
//  2. an exclusive lease is live
//  3. with force, a lane that is named and whose tree is known is given
//  4. the rest of the rungs of [Decide]
//
// A request that names no lane and no tree, of kind cluster or none, is given
// the first lane of the auto-pick list that Decide would give. So is one for a
// declared lane that is refused, if it is of kind cluster and the lane is
// held, or of no kind and the tree overlaps or decides admission.
func Arbitrate(ev Evidence) Verdict { return arbitrate(ev, nil) }

// arbitrate decides with the caller's ladder, or with none.
func arbitrate(ev Evidence, ladder *Ladder) Verdict {
	h, err := hear(ev)
	if err != nil {
		return malformed(err)
	}
	if ev.Request.Bare() {
		v, err := h.pick(ladder)
		if err != nil {
			return malformed(err)
		}
		return h.withFree(v)
	}
	p, err := h.plead(ev.Request)
	if err != nil {
		return malformed(err)
	}
	v := h.judge(p)
	if p.redirects(v.ReasonClass) {
		v = h.redirect(p, v, ladder)
	}
	return h.withFree(v)
}

// Bare reports whether the request leaves the lane to others.
func (req Request) Bare() bool {
	for _, entry := range req.Tree {
		if entry != "" {
			return false
		}
	}
	return req.Lane == "" && (req.Kind == "" || CanonicalOr(req.Kind) == Cluster)
}

// redirects reports whether a refusal of this class sends the request to
// another lane.
func (p plea) redirects(class string) bool {
	if !p.Declared || p.Exclusive {
		return false
	}
	switch p.asked.Kind {
	case Cluster:
		return class == SameLaneHeld
	case "":
		return class == Collision || class == SelfModify
	}
	return false
}

// forced is the answer under force: it overrides who holds what, and gives no
// region to a lane that has none.
func (p plea) forced() Verdict {
	if p.no.Outcome != "" {
		return p.no
	}
	c := p.Claim
	if p.asked.Kind == "" && !c.Exclusive && !Reserved(c.Lane) { // the word of the shared vectors, for a declared lane too
		c.Kind = Keyword
	}
	v := acquire(c, Forced)
	v.Reason = "forced: live leases, class budgets and what decides admission were not looked at"
	return v
}

// withFree fills in what a refusal says of other lanes.
func (h *hearing) withFree(v Verdict) Verdict {
	switch {
	case v.Outcome != Refuse || v.ReasonClass == ExclusiveLive || v.ReasonClass == AllHeld:
	case v.ReasonClass == LadderEmptyOthersFree:
		v.FreeClusters = h.free(h.concurrent)
	default:
		v.FreeClusters = h.free(h.autopick)
	}
	return v
}

// free lists the lanes whose name nobody holds. Their trees may still collide.
func (h *hearing) free(names []string) []string {
	free := []string{}
	for _, name := range h.offered(names) {
		if h.all.byName[name] == nil {
			free = append(free, name)
		}
	}
	return free
}
