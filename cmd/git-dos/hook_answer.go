package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// What a hook comes to.
const (
	hookPassed   = "passed"
	hookRefused  = "gated"
	hookUnjudged = "unjudged" // nothing was found, and something could not be read
)

// A hookVerdict is the answer of a hook.
type hookVerdict struct {
	Outcome   string           `json:"outcome"`
	Hook      string           `json:"hook"`
	Remote    string           `json:"remote,omitempty"`
	Trunk     string           `json:"trunk,omitempty"`
	Updates   []hookUpdate     `json:"updates"`
	Commits   int              `json:"commits"`
	Policy    string           `json:"policy,omitempty"`
	Digest    string           `json:"digest,omitempty"`
	Gates     []hooks.Result   `json:"gates"`
	Overrides []hooks.Override `json:"overrides"`
	Receipts  []string         `json:"receipts"`            // the commits that have one
	Unwritten string           `json:"unwritten,omitempty"` // why an override or a receipt is not recorded
}

// A hookUpdate is one ref of it; null stands for no object.
type hookUpdate struct {
	Ref string  `json:"ref"`
	Old *string `json:"old"`
	New *string `json:"new"`
}

var _ verdict.Verdict = hookVerdict{}

func hookVerdictOf(p hooks.Push, results []hooks.Result) hookVerdict {
	v := hookVerdict{Hook: p.Hook, Remote: p.Remote, Trunk: p.Trunk, Updates: []hookUpdate{}, Gates: results, Overrides: []hooks.Override{}, Receipts: []string{}}
	if results == nil {
		v.Gates = []hooks.Result{}
	}
	for _, u := range p.Updates {
		v.Updates = append(v.Updates, hookUpdate{u.Ref, hookID(u.Old), hookID(u.New)})
	}
	v.decide()
	return v
}

func hookID(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

// decide sets the outcome by what the gates came to.
func (v *hookVerdict) decide() {
	v.Outcome = hookPassed
	for _, r := range v.Gates {
		switch {
		case r.Outcome != hooks.Refused:
		case r.Findings[0].Token == hooks.CannotJudge && v.Outcome == hookPassed:
			v.Outcome = hookUnjudged
		case r.Findings[0].Token != hooks.CannotJudge:
			v.Outcome = hookRefused
		}
	}
}

// ExitCode implements [verdict.Verdict].
func (v hookVerdict) ExitCode() int {
	switch v.Outcome {
	case hookPassed:
		return verdict.Yes
	case hookRefused:
		return hookGated
	}
	return verdict.NoVerdict
}

// hookShown is how many findings of one gate people are shown.
const hookShown = 10

// hookShows is how many of one gate's. Of what others did before, which every
// push is told for a while, one is enough to lead to the rest.
func hookShows(r hooks.Result) int {
	if r.Token == hooks.Ungated && r.Outcome == hooks.Warned {
		return 1
	}
	return hookShown
}

// String is what a human sees of it: nothing where nothing was found.
func (v hookVerdict) String() string {
	var b strings.Builder
	refusing := hookResultLines(&b, v.Gates)
	if v.Unwritten != "" {
		fmt.Fprintf(&b, "git-dos: warning: %s\n", oneLine(v.Unwritten))
	}
	if len(refusing) > 0 {
		fmt.Fprintf(&b, "git-dos: %s is refused: %s\n", v.Hook, strings.Join(hookOnce(refusing), ", "))
		fmt.Fprintf(&b, "git-dos: a human may let one through, once, which is recorded: %s='%s: REASON' git %s\n", hooks.OverrideVariable, refusing[0], hookAgain[v.Hook])
	}
	return b.String()
}

// hookResultLines tells what gates found, and returns the tokens that refuse.
func hookResultLines(b *strings.Builder, results []hooks.Result) (refusing []string) {
	for _, r := range results {
		mark := map[string]string{hooks.Warned: "warning: ", hooks.Overridden: "overridden: "}[r.Outcome]
		shown := r.Findings[:min(len(r.Findings), hookShows(r))]
		for _, f := range shown {
			b.WriteString(hookLine(mark, f))
		}
		if more := r.Found - len(shown); more > 0 {
			fmt.Fprintf(b, "git-dos: %s%s: %d more\n", mark, r.Token, more)
		}
		if r.Outcome == hooks.Refused {
			refusing = append(refusing, string(r.Findings[0].Token))
		}
	}
	return refusing
}

// hookAgain is what runs each hook once more.
var hookAgain = map[string]string{hooks.PrePush: "push ...", hooks.PreCommit: "commit ...", hooks.CommitMsg: "commit ...", hooks.Transaction: "..."}

func hookLine(mark string, f hooks.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "git-dos: %s%s", mark, f.Token)
	if f.Path != "" {
		fmt.Fprintf(&b, " %s", oneLine(f.Path))
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d", f.Line)
		}
	} else if f.Line > 0 {
		fmt.Fprintf(&b, " message:%d", f.Line)
	}
	if f.Commit != "" {
		fmt.Fprintf(&b, " %s", verdict.Short(f.Commit))
	}
	fmt.Fprintf(&b, ": %s\n", oneLine(f.Reason))
	if f.Fix != "" {
		fmt.Fprintf(&b, "  fix: %s\n", oneLine(f.Fix))
	}
	return b.String()
}

// oneLine keeps a text of others from looking like a line of ours.
func oneLine(text string) string { return printable(text, false) }

func hookOnce(words []string) (once []string) {
	seen := map[string]bool{}
	for _, w := range words {
		if !seen[w] {
			seen[w] = true
			once = append(once, w)
		}
	}
	return once
}

// hookAnswer is answer for a hook: people read it on standard error, because git
// hands standard output to whoever parses what git says.
func hookAnswer(c *cli.Context, v verdict.Verdict) error {
	if !c.Bool("quiet") {
		io.WriteString(c.App.ErrWriter, printable(v.String(), true))
	}
	if c.Bool("json") {
		var out bytes.Buffer
		if err := writeJSON(&out, v); err != nil {
			return fmt.Errorf("encode the verdict: %w", err)
		}
		if err := writeOut(c.App.Writer, out.Bytes()); err != nil {
			return err
		}
	}
	if code := v.ExitCode(); code != verdict.Yes {
		return answered(code)
	}
	return nil
}
