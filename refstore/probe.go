package refstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore/git"
)

// ProbePrefix begins the leaf of every scratch ref that Probe makes, below meta/.
// What it holds is no entry, so nobody takes it for state that was lost.
const ProbePrefix = "probe-"

// UnknownRef is the token with which a server that the hooks of git-dos guard refuses
// a ref of no kind that is kept on servers.
const UnknownRef = "UNKNOWN_REF"

// IsProbe reports whether a local name is that of a scratch ref of Probe.
func IsProbe(ref string) bool { return strings.HasPrefix(ref, Ref("meta", ProbePrefix)) }

// A Probing is what a remote did with a scratch ref: each field is the answer
// to one question, asked by a push and read back from the remote. Of questions
// that were not asked the Outcome is Unknown without an Err.
type Probing struct {
	Scratch string // its name on the server
	Create  Outcome
	Shown   bool // readers see it

	Advance Outcome // Won: it moved forward
	Again   Outcome // creating it once more; Won means that two writers can both win
	Stale   Outcome // moving it from where it no longer is; Won likewise
	Atomic  Outcome // Won: a transaction that could not win moved nothing. Lost: it moved a part. NoAtomic: not offered
	Rewind  Outcome // Won: it can be moved to what does not build on it
	Delete  Outcome // Won: it can be deleted
	Guarded bool    // where it can: only because it is scratch, by the hooks of git-dos

	Left []string // scratch refs that could not be deleted, by their names on the server

	Clock ClockReading
}

// prober asks one remote.
type prober struct {
	a     *Remote
	leaf  string
	now   map[string]OID // what the remote has of the scratch refs, by local names
	began time.Time      // of the push that created the first
	ended time.Time
}

// Probe tries out on a scratch ref, of a name nobody else uses, what git-dos
// needs of a remote. It goes on only where the ref can be created and seen. The error
// means that the remote could not be asked. The mirror is left as it is.
func (a *Remote) Probe(ctx context.Context) (Probing, error) {
	p := &prober{a: a, leaf: ProbePrefix + newAttempt()}
	ref := Ref("meta", p.leaf)
	out := Probing{Scratch: a.ServerRef(ref)}
	if err := p.look(ctx); err != nil {
		return out, err
	}
	first, second, apart, err := p.commits()
	if err != nil {
		return out, err
	}
	p.began = time.Now()
	out.Create = p.send(ctx, false, Move{Ref: ref, New: first})
	p.ended = time.Now()
	out.Shown = p.now[ref] == first
	if !out.Shown {
		return out, nil
	}
	out.Clock = p.clock(ctx)
	out.Advance = p.send(ctx, false, Move{Ref: ref, Expect: first, New: second})
	at := p.now[ref]
	out.Again = p.send(ctx, false, Move{Ref: ref, New: apart})
	out.Stale = p.send(ctx, false, Move{Ref: ref, Expect: apart, New: first})
	out.Atomic = p.atomic(ctx, ref, at, apart, first)
	if at = p.now[ref]; at != "" && at != apart {
		out.Rewind = p.send(ctx, false, Move{Ref: ref, Expect: at, New: apart})
	}
	ctx = context.WithoutCancel(ctx)
	if out.Delete = p.clean(ctx); out.Delete.Result == Won {
		out.Guarded = p.guarded(ctx, apart)
	}
	out.Left = p.left()
	return out, nil
}

// guarded reports whether the hooks of git-dos judge what is pushed. They let no ref in
// that is of a kind nobody keeps; where they are not, it is taken away again.
func (p *prober) guarded(ctx context.Context, id OID) bool {
	o := p.send(ctx, false, Move{Ref: Ref(strayKind, p.leaf), New: id})
	p.clean(ctx)
	return o.Result == Denied && strings.Contains(o.Words, UnknownRef)
}

// commits makes two commits of which the second builds on the first, and one
// that has to do with neither.
func (p *prober) commits() (first, second, apart OID, err error) {
	if first, err = p.commit(""); err != nil {
		return
	}
	if second, err = p.commit(first); err != nil {
		return
	}
	apart, err = p.commit("")
	return
}

func (p *prober) commit(parent OID) (OID, error) {
	r := p.a.repo
	body, err := r.Format.encodeTree(nil)
	if err != nil {
		return "", err
	}
	tree, err := r.writeObject("tree", body)
	if err != nil {
		return "", err
	}
	commit, err := r.Format.encodeCommit(tree, parent, time.Now(), "git-dos probe\n\nScratch of git dos doctor --remote, attempt "+newAttempt()+".\nIt may be deleted.\n")
	if err != nil {
		return "", err
	}
	return r.writeObject("commit", commit)
}

// atomic sends two transactions that cannot win as a whole: one from a value
// that is not there any more, which git itself holds back, and one that only
// the server can find out, for a name below that of a ref.
func (p *prober) atomic(ctx context.Context, ref string, at, wrong, id OID) Outcome {
	good := Move{Ref: ref + ".b", New: id}
	for _, bad := range []Move{{Ref: ref, Expect: wrong, New: id}, {Ref: ref + "/x", New: id}} {
		o := p.send(ctx, true, good, bad)
		switch {
		case o.Result == Unknown, o.Result == NoAtomic, o.Result == Offline:
			return o
		case p.now[good.Ref] != "" || p.now[ref+"/x"] != "" || p.now[ref] != at:
			o.Result = Lost
			return o
		}
	}
	return Outcome{Result: Won}
}

// clean deletes every scratch ref there is.
func (p *prober) clean(ctx context.Context) Outcome {
	o := Outcome{Result: Won}
	for ref, id := range p.now {
		if got := p.send(ctx, false, Move{Ref: ref, Expect: id}); got.Result != Won {
			o = got
		}
	}
	return o
}

func (p *prober) left() (left []string) {
	for ref := range p.now {
		left = append(left, p.a.ServerRef(ref))
	}
	slices.Sort(left)
	return left
}

// send pushes moves and reads back what came of them, which alone decides.
func (p *prober) send(ctx context.Context, atomic bool, moves ...Move) Outcome {
	ctx, cancel := p.a.bounded(ctx, Query{})
	defer cancel()
	stdout, words, err := p.a.run.Run(ctx, git.Call{Args: p.a.sendArgs(moves, atomic, "--no-verify")})
	if lerr := p.look(context.WithoutCancel(ctx)); lerr != nil {
		return Outcome{Result: Unknown, Words: gist(words), Err: lerr}
	}
	won := true
	for _, m := range moves {
		won = won && p.now[m.Ref] == m.New
	}
	switch {
	case won:
		return Outcome{Result: Won}
	case err == nil:
		return Outcome{Result: Unchanged, Ref: moves[0].Ref, Words: "the push was reported as done, and the ref does not show it"}
	}
	return p.a.label(context.WithoutCancel(ctx), moves, string(stdout), words, Outcome{Result: Unchanged})
}

// look reads which scratch refs the remote has.
func (p *prober) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	from, err := p.a.source(ctx)
	if err != nil {
		return err
	}
	args := []string{"ls-remote", "--quiet", from}
	for _, kind := range scratchKinds {
		base := p.a.ServerRef(Ref(kind, p.leaf))
		args = append(args, base+"*", base+"/*")
	}
	out, err := p.a.run.Output(ctx, args...)
	var g *git.Error
	if err != nil && !errors.As(err, &g) {
		return err
	}
	if err != nil {
		return &OutcomeError{p.a.name, Outcome{Result: Offline, Words: gist(g.Stderr), Err: err}}
	}
	p.now = map[string]OID{}
	for line := range strings.SplitSeq(string(out), "\n") {
		id, name, _ := strings.Cut(line, "\t")
		oid, ok := ParseOID(id)
		for _, kind := range scratchKinds {
			if rest, mine := strings.CutPrefix(name, p.a.ServerRef(Ref(kind, p.leaf))); ok && mine {
				p.now[Ref(kind, p.leaf)+rest] = oid
			}
		}
	}
	return nil
}

// strayKind is one that nobody keeps or reads, so that a ref of it is in nobody's way.
const strayKind = "probe"

var scratchKinds = []string{"meta", strayKind}
