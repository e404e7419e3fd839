package hooks

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
)

// A given history is one of literals.
type given struct {
	commits []Commit
	lines   []Line
	broken  bool
}

var errGiven = errors.New("cannot be read")

func (g given) Commits(context.Context) iter.Seq2[Commit, error] {
	return sequence(g.commits, g.broken)
}
func (g given) Added(context.Context) iter.Seq2[Line, error] { return sequence(g.lines, g.broken) }

func sequence[T any](all []T, broken bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, one := range all {
			if !yield(one, nil) {
				return
			}
		}
		if broken {
			var none T
			yield(none, errGiven)
		}
	}
}

// reasons renders what a gate finds: "path: reason" or "reason" for each.
func reasons(t *testing.T, g Gate, p Push, h History) string {
	t.Helper()
	found, err := g.Judge(context.Background(), p, h)
	if err != nil {
		return "error: " + err.Error()
	}
	var all []string
	for _, f := range found {
		if f.Fix == "" || f.Reason == "" {
			t.Errorf("%+v says not what to do", f)
		}
		if f.Path != "" {
			f.Reason = f.Path + ": " + f.Reason
		}
		all = append(all, f.Reason)
	}
	return strings.Join(all, "; ")
}

// What a gate cannot read is an error, and not what it had found by then.
func TestABrokenHistoryIsAnError(t *testing.T) {
	h := given{commits: []Commit{{ID: idA, Subject: "x", Message: "x\n"}}, broken: true}
	for _, g := range []Gate{FileAdmissionGate(10), CommitMsgGate(nil)} {
		if _, err := g.Judge(context.Background(), Push{}, h); !errors.Is(err, errGiven) {
			t.Errorf("%s: %v", g.Token, err)
		}
	}
}
