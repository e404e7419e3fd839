package hooks

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
)

// brought is a history of commits, newest first, without lines.
type brought []Commit

func (b brought) Commits(context.Context) iter.Seq2[Commit, error] {
	return func(yield func(Commit, error) bool) {
		for _, c := range b {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func (b brought) Added(context.Context) iter.Seq2[Line, error] {
	return func(func(Line, error) bool) {}
}

// torn is a history that cannot be read to its end.
type torn struct{ brought }

var errTorn = errors.New("an object is missing")

func (t torn) Commits(ctx context.Context) iter.Seq2[Commit, error] {
	return func(yield func(Commit, error) bool) {
		for c := range t.brought.Commits(ctx) {
			if !yield(c, nil) {
				return
			}
		}
		yield(Commit{}, errTorn)
	}
}

const onTrunk = "refs/heads/main"

// toTrunk is a push of one commit to the trunk.
func toTrunk() Push {
	return Push{Hook: PrePush, Trunk: onTrunk, Updates: []Update{{Ref: onTrunk, Old: "old", New: "tip"}}}
}

// wrong is what a gate found, a line each: path:line and the reason.
func wrong(t *testing.T, g Gate, p Push, h History) []string {
	t.Helper()
	found, err := g.Judge(context.Background(), p, h)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	var out []string
	for _, f := range found {
		if f.Reason == "" || f.Fix == "" {
			t.Errorf("%+v says too little", f)
		}
		where := f.Path
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d", f.Path, f.Line)
		}
		out = append(out, where+" "+f.Reason)
	}
	return out
}

// finds holds what was found to pieces of text, one for each finding in order.
func finds(t *testing.T, claim string, got []string, want ...string) {
	t.Helper()
	ok := len(got) == len(want)
	for i := range min(len(got), len(want)) {
		ok = ok && strings.Contains(got[i], want[i])
	}
	if !ok {
		t.Errorf("%s: found %q, want %q", claim, got, slices.Clone(want))
	}
}
