package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/audit"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func commitAuditVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "commit-audit",
			Usage:     "can the diff carry what the subject claims?",
			ArgsUsage: "[REF | A..B]",
			Description: "REF is one commit, HEAD by default; A..B is every commit that B reaches and A does not, newest first.\n" +
				"A subject claims code, tests, documents or nothing. The diff is against the first parent, white space\n" +
				"left out. CLAIM_UNWITNESSED is a claim that nothing in the diff could carry: a fix that touches only\n" +
				"documents, tests, modes or nothing; tests that are said to be added and go; code under a docs: subject.\n" +
				"ABSTAIN is a commit that claims nothing a diff could show; it counts as abstained and is no fault.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "sweep", Usage: "print the counts instead of the commits"},
				&cli.BoolFlag{Name: "docs-ok", Usage: "let a diff of documents carry a code claim"},
				&cli.BoolFlag{Name: "warn-only", Usage: "exit 0 whatever was found; what cannot be read is still 2"},
			},
			Action: commitAudit,
		},
		statuses: map[string][]status{
			"commit-audit": {
				{Code: verdict.Yes, Outcome: string(audit.OK), Meaning: "every claim is carried by its diff, or nothing is claimed"},
				{Code: verdict.No, Outcome: string(audit.Unwitnessed), Meaning: "a commit claims what its diff does not carry"},
			},
		},
	}
}

func commitAudit(c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("want one REF or A..B, have %d arguments", c.NArg())
	}
	if c.NArg() == 1 && c.Args().First() == "" {
		return usagef("REF is empty").hint("name a commit or a range, or leave it out for HEAD")
	}
	req := facts.AuditRequest{Rev: c.Args().First(), DocsOK: c.Bool("docs-ok")}

	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	sweep := audit.NewSweep()
	out := commitAuditOutput{c: c, silent: c.Bool("sweep")}
	for f, err := range facts.Audit(c.Context, repo, req) {
		if err == nil {
			sweep.Add(f)
			err = out.add(f)
		}
		if err != nil {
			return commitAuditError(err)
		}
	}
	lenient := commitAuditLenient{sweep, c.Bool("warn-only")}
	if c.Bool("sweep") {
		return answer(c, lenient)
	}
	if err := out.end(sweep, strings.Contains(req.Rev, "..")); err != nil {
		return err
	}
	if code := lenient.ExitCode(); code != verdict.Yes {
		return answered(code)
	}
	return nil
}

func commitAuditError(err error) error {
	var bad *facts.AuditRangeError
	switch {
	case errors.As(err, &bad):
		return usagef("%w", err).hint("%s", firstOf(bad.Hint, "git log --oneline lists commits; git fetch brings those of a remote"))
	case errors.Is(err, ancestry.ErrMissing):
		return errorf(kindIndeterminate, "%w", err).
			hint("git fetch --unshallow completes a shallow history, git fetch --refetch a partial clone, git fsck names what is broken")
	case asCmdError(err) != nil, errors.Is(err, errClosedOutput):
		return err
	}
	return deskError(err)
}

// commitAuditLenient is a sweep whose findings may be allowed.
type commitAuditLenient struct {
	*audit.Sweep
	allow bool
}

func (l commitAuditLenient) ExitCode() int {
	if code := l.Sweep.ExitCode(); !l.allow || code != verdict.No {
		return code
	}
	return verdict.Yes
}

// A commitAuditOutput prints findings as they come: a line each, or one JSON
// array. The beginning is held back, so that an audit that fails early has
// printed nothing; one that fails later leaves its array without an end.
type commitAuditOutput struct {
	c       *cli.Context
	silent  bool
	held    bytes.Buffer
	started bool
}

const commitAuditHeld = 1 << 20

func (o *commitAuditOutput) add(f audit.Finding) error {
	switch {
	case o.silent:
		return nil
	case o.c.Bool("json"):
		o.held.WriteString(o.separator())
		if err := writeJSON(&o.held, f); err != nil {
			return fmt.Errorf("encode a finding: %w", err)
		}
		o.held.Truncate(o.held.Len() - 1)
	case !o.c.Bool("quiet"):
		o.held.WriteString(paint(o.c, printable(f.String(), false), f.ExitCode()) + "\n")
	}
	if o.held.Len() < commitAuditHeld {
		return nil
	}
	return o.flush()
}

// separator is what stands before the next element of the array.
func (o *commitAuditOutput) separator() string {
	if o.started {
		return ","
	}
	o.started = true
	return "["
}

// end completes the array or, for a range, sums up the lines.
func (o *commitAuditOutput) end(s *audit.Sweep, ranged bool) error {
	switch {
	case o.c.Bool("json"):
		if !o.started {
			o.held.WriteString("[")
		}
		o.held.WriteString("]\n")
	case ranged && !o.c.Bool("quiet"):
		fmt.Fprintf(&o.held, "%s: %d unwitnessed, %d witnessed, %d abstained\n", verdict.Count(s.Commits, "commit"), s.Unwitnessed, s.Witnessed, s.Abstained)
	}
	return o.flush()
}

func (o *commitAuditOutput) flush() error {
	err := writeOut(o.c.App.Writer, o.held.Bytes())
	o.held.Reset()
	return err
}
