package refstore

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Each sends moves that do not depend on each other in one push: every ref
// moves or does not by itself, so one that another writer moved or the server
// refuses keeps none of the others back. It returns an outcome for each move,
// in order. The caller holds the lock.
func (a *Remote) Each(ctx context.Context, moves []Move) []Outcome {
	out := make([]Outcome, len(moves))
	fill := func(o Outcome) []Outcome {
		for i := range out {
			out[i] = o
			out[i].Ref = moves[i].Ref
		}
		return out
	}
	switch {
	case len(moves) == 0:
		return out
	case !a.locked:
		return fill(Outcome{Result: Unknown, Err: errors.New("push without the lock")})
	}
	a.stamp("pushed", time.Now())
	stdout, words, err := a.push(ctx, moves, false)
	if err == nil {
		return fill(Outcome{Result: Won})
	}
	if errors.Is(err, errNotSent) {
		return fill(Outcome{Result: Offline, Words: firstLine(err), Err: err})
	}
	settleCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	now, rerr := a.Read(settleCtx, queryOf(moves))
	if rerr != nil {
		return fill(Outcome{Result: Unknown, Words: gist(words), Err: rerr})
	}
	for i, m := range moves {
		one := []Move{m}
		if out[i] = a.repo.judge(settleCtx, one, now); out[i].Result == Unchanged {
			out[i] = a.label(settleCtx, one, aboutRef(string(stdout), a.ServerRef(m.Ref)), words, out[i])
		}
		out[i].Ref = m.Ref
	}
	return out
}

// LastEach is when moves were last sent by Each from this repository; the zero
// time when they never were.
func (a *Remote) LastEach() time.Time {
	return modified(a.repo.CommonDir, "dos", a.stateName("pushed"))
}

// aboutRef keeps git's porcelain lines that are about one ref of the server.
func aboutRef(stdout, name string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(stdout, "\n") {
		if f := strings.Split(line, "\t"); len(f) == 3 && strings.HasSuffix(f[1], ":"+name) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
