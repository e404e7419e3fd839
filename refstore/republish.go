package refstore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
)

// A GivenBack is a ref that a remote has lost, and what became of it.
type GivenBack struct {
	Ref   string
	Had   OID // what was last seen there
	Has   OID // what is there now, "" for nothing
	State GivenState
	Words string // why it was not given back
}

// A GivenState is what became of a ref that was lost.
type GivenState string

// The states of a lost ref.
const (
	Gave     GivenState = "given_back" // the remote has it again
	CanGive  GivenState = "lost"       // it can be given back and was not
	Diverged GivenState = "diverged"   // the remote has gone on without it: giving it back would take that away
	Refused  GivenState = "refused"    // the remote does not take it
)

// republishTries is how often refs are sent that others move meanwhile.
const republishTries = 3

// Republish gives a remote back what it has lost of q, from the mirror: refs
// that are gone there, or stand where they stood before. A ref is only ever
// moved forward, in one transaction with the others, so that no newer state is
// taken away; a ref that went on differently stays as it is. agree is shown what
// was lost before anything is sent; without it, or when it says no, nothing is.
// Republish returns what was lost, by name; nothing when nothing was.
func (a *Remote) Republish(ctx context.Context, q Query, agree func([]GivenBack) bool) ([]GivenBack, error) {
	unlock, err := a.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	found := map[string]GivenBack{}
	for try := 0; ; try++ {
		moves, err := a.lostMoves(ctx, q, found)
		if err != nil || len(moves) == 0 || agree == nil || !agree(inOrder(found)) {
			return inOrder(found), err
		}
		if try > republishTries {
			return inOrder(found), &OutcomeError{a.name, Outcome{Result: Lost, Ref: moves[0].Ref}}
		}
		if o := a.give(ctx, moves); o.Result == Won {
			mark(found, moves, Gave, "") // the next look shows whether that lasts
		} else if o.Result != Unchanged || try >= republishTries {
			mark(found, moves, Refused, o.Words)
			return inOrder(found), &OutcomeError{a.name, o}
		}
	}
}

// Accept takes what the remote has of a ref that it lost for the truth, and
// forgets what it had. It is for somebody who knows both.
func (a *Remote) Accept(ctx context.Context, g GivenBack) error {
	unlock, err := a.lockMirror(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = a.repo.Git.Output(ctx, "update-ref", a.MirrorRef(g.Ref), string(g.Has), string(g.Had))
	return err
}

// MirrorRef is where a ref of the remote is kept here as last seen.
func (a *Remote) MirrorRef(ref string) string {
	return a.mirror + strings.TrimPrefix(ref, "refs/dos/")
}

// give sends moves, all or none. What a failed push has moved is for the next
// look at the remote to tell.
func (a *Remote) give(ctx context.Context, moves []Move) Outcome {
	stdout, words, err := a.push(ctx, moves, true)
	switch {
	case err == nil:
		return Outcome{Result: Won}
	case errors.Is(err, errNotSent):
		return Outcome{Result: Offline, Words: firstLine(err), Err: err}
	}
	return a.label(context.WithoutCancel(ctx), moves, string(stdout), words, Outcome{Result: Unchanged})
}

func mark(found map[string]GivenBack, moves []Move, as GivenState, words string) {
	for _, m := range moves {
		g := found[m.Ref]
		g.State, g.Words = as, words
		found[m.Ref] = g
	}
}

// lostMoves looks at the remote and returns the moves that give back what it has
// lost; found is brought up to date.
func (a *Remote) lostMoves(ctx context.Context, q Query, found map[string]GivenBack) (moves []Move, err error) {
	_, err = a.Read(ctx, q)
	var lost *LostStateError
	if !errors.As(err, &lost) {
		return nil, err
	}
	for _, ref := range lost.Refs {
		g := GivenBack{Ref: ref, Had: lost.Had[ref], Has: lost.Has[ref], State: CanGive}
		if g.Has != "" {
			behind, err := a.repo.IsAncestor(ctx, g.Has, g.Had)
			if err != nil {
				return nil, err
			}
			if !behind {
				g.State = Diverged
			}
		}
		found[ref] = g
		if g.State == CanGive {
			moves = append(moves, Move{Ref: ref, Expect: g.Has, New: g.Had})
		}
	}
	return moves, nil
}

func inOrder(found map[string]GivenBack) (all []GivenBack) {
	for _, ref := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[ref])
	}
	return all
}
