package hooks

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// A Built is how the build command ended on the files of a commit.
type Built struct {
	Command    []string
	Tree       string
	Passed     bool
	Cached     bool // it passed on the same tree before
	TimedOut   bool
	Exit       int // -1 where a signal ended it
	Took       time.Duration
	Output     string // the file that has what it printed, "" where none could be kept
	Last       string // the last line it printed
	Submodules int    // that were not there
}

// A Builder builds the files of a commit in a clean checkout, never in a work
// tree. The error is for a build that did not come to an end of its own or to
// its deadline.
type Builder interface {
	Build(ctx context.Context, commit string) (Built, error)
}

// WouldNotCompileGate builds the commit that the trunk is to stand on.
func WouldNotCompileGate(b Builder) Gate {
	return Gate{WouldNotCompile, func(ctx context.Context, p Push, _ History) ([]Finding, error) {
		u, moves := p.MovesTrunk()
		if !moves || u.Deletes() {
			return nil, nil
		}
		r, err := b.Build(ctx, u.New)
		if err != nil || r.Passed {
			return nil, err
		}
		return []Finding{{Commit: u.New, Reason: r.ended(), Fix: r.fix()}}, nil
	}}
}

func (r Built) ended() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q", clip(strings.Join(r.Command, " ")))
	switch {
	case r.TimedOut:
		fmt.Fprintf(&b, " had not ended after %s", r.Took.Round(time.Millisecond))
	case r.Exit < 0:
		b.WriteString(" was ended by a signal")
	default:
		fmt.Fprintf(&b, " ended with status %d", r.Exit)
	}
	b.WriteString(" in a clean checkout")
	if r.Submodules > 0 {
		fmt.Fprintf(&b, ", without its %d submodules", r.Submodules)
	}
	if r.Last != "" {
		fmt.Fprintf(&b, "; last it said %q", clip(r.Last))
	}
	return b.String()
}

func (r Built) fix() string {
	if r.Output == "" {
		return "run the command in a clean checkout of the commit: what it printed could not be kept"
	}
	return fmt.Sprintf("what it printed is in %s", r.Output)
}
