package hooks

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/audit"
)

// auditor answers by the id: "empty" is a fix that changes nothing.
type auditor struct{ most int }

func (a auditor) Audit(_ context.Context, ids []string) iter.Seq2[audit.Finding, error] {
	return func(yield func(audit.Finding, error) bool) {
		for i, id := range ids {
			if id == "" {
				yield(audit.Finding{}, errTorn)
				return
			}
			c := audit.Change{ID: id, Subject: "fix: the parser", Files: []audit.File{{Path: "parser.go", Added: 1}}}
			if id == "empty" {
				c.Files = nil
			}
			if i == a.most || !yield(audit.Audit(c), nil) {
				return
			}
		}
	}
}

func TestClaimUnwitnessed(t *testing.T) {
	g := ClaimUnwitnessedGate(auditor{most: 10})
	finds(t, "a claim that is carried", wrong(t, g, toTrunk(), brought{{ID: "a"}}))
	finds(t, "one that is not", wrong(t, g, toTrunk(), brought{{ID: "a"}, {ID: "empty"}}), `"fix: the parser": `)
	finds(t, "a commit without an id makes none yet", wrong(t, g, toTrunk(), brought{{}}))
	finds(t, "history cannot be read", wrong(t, g, toTrunk(), torn{brought{{ID: "a"}}}), "error: an object is missing")
	finds(t, "an audit that stops short", wrong(t, ClaimUnwitnessedGate(auditor{most: 1}), toTrunk(), brought{{ID: "a"}, {ID: "b"}}), "error: 1 of 2 commits")
}

type builder struct {
	built Built
	err   error
}

func (b builder) Build(context.Context, string) (Built, error) { return b.built, b.err }

func TestWouldNotCompile(t *testing.T) {
	failed := Built{Command: []string{"make", "all"}, Exit: 2, Output: "/x/y.log", Last: "no rule"}
	late := Built{Command: []string{"make"}, Exit: -1, TimedOut: true, Took: 1500 * time.Millisecond}
	killed := Built{Command: []string{"make"}, Exit: -1, Submodules: 3}
	topic := Push{Hook: PrePush, Trunk: onTrunk, Updates: []Update{{Ref: "refs/heads/topic", New: "tip"}}}
	gone := Push{Hook: PrePush, Trunk: onTrunk, Updates: []Update{{Ref: onTrunk, Old: "old"}}}
	tests := []struct {
		claim string
		b     builder
		push  Push
		want  []string
	}{
		{"it builds", builder{built: Built{Passed: true}}, toTrunk(), nil},
		{"it does not", builder{built: failed}, toTrunk(), []string{`"make all" ended with status 2 in a clean checkout; last it said "no rule"`}},
		{"it does not end", builder{built: late}, toTrunk(), []string{`"make" had not ended after 1.5s`}},
		{"it is ended", builder{built: killed}, toTrunk(), []string{"was ended by a signal in a clean checkout, without its 3 submodules"}},
		{"it cannot be tried", builder{err: errTorn}, toTrunk(), []string{"error: an object is missing"}},
		{"another branch is not built", builder{err: errTorn}, topic, nil},
		{"nothing is left to build", builder{err: errTorn}, gone, nil},
	}
	for _, tt := range tests {
		finds(t, tt.claim, wrong(t, WouldNotCompileGate(tt.b), tt.push, nil), tt.want...)
	}
}
