package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// syncLost is the status of a remote that has lost state.
const syncLost = 4

func syncVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "sync",
			Usage: "bring what is known of the fleet up to date, and publish this node's own",
			Description: "Fetches all of the fleet's refs into the mirror, refs/dos/at/REMOTE/, and nothing into any other\n" +
				"name. Then sends this node's journal and node record where the remote has them not, each by itself,\n" +
				"at most once in fleet.interval; what the remote refused is sent again when it has changed.\n\n" +
				"A ref that the remote had and has no more, or only as it was before, is LOST_STATE: nobody may take\n" +
				"its lane for free. With --republish it is given back from the mirror: only refs that are gone or\n" +
				"behind there, only forward, and never to a remote that has become another fleet's.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "remote", Usage: "the `REMOTE` of the fleet, where git config dos.remote names none or another"},
				&cli.BoolFlag{Name: "republish", Usage: "give back what the remote has lost"},
				&cli.BoolFlag{Name: "force", Usage: "publish at once, and also what was refused before"},
				&cli.BoolFlag{Name: "dry-run", Usage: "fetch and tell; send nothing"},
			},
			Action: writes(syncAction),
		},
		statuses: map[string][]status{
			"sync": {
				{Code: verdict.Yes, Outcome: string(admit.InSync), Meaning: "the mirror is as the remote, and what was due was sent"},
				{Code: verdict.Yes, Outcome: string(admit.WouldSync), Meaning: "dry run: what would be sent"},
				{Code: verdict.Yes, Outcome: string(admit.Alone), Meaning: "there is no fleet to sync with"},
				{Code: verdict.FirstOwned, Outcome: string(admit.PartSync), Meaning: "the mirror is as the remote, which did not take all that was sent"},
				{Code: syncLost, Outcome: string(admit.LostSync), Meaning: "the remote has lost state that it had: LOST_STATE"},
			},
		},
	}
}

// syncAnswer answers sync.
type syncAnswer struct{ admit.SyncReport }

func (a syncAnswer) ExitCode() int {
	switch a.Outcome {
	case admit.InSync, admit.WouldSync, admit.Alone:
		return verdict.Yes
	case admit.PartSync:
		return verdict.FirstOwned
	case admit.LostSync:
		return syncLost
	}
	return verdict.NoVerdict
}

func (a syncAnswer) String() string {
	var b strings.Builder
	switch {
	case a.Outcome == admit.Alone:
		b.WriteString("alone: this repository has no fleet to sync with\n")
	case a.Outcome == admit.LostSync:
		fmt.Fprintf(&b, "%s %s: it has lost state that it had (LOST_STATE)\n", a.Outcome, a.Remote)
	default:
		fmt.Fprintf(&b, "%s %s: %s of fleet %s, as of %s\n", a.Outcome, a.Remote, verdict.Count(a.Refs, "ref"), a.Fleet, a.AsOf.Format(time.RFC3339))
	}
	for _, l := range a.Lost {
		fmt.Fprintf(&b, "  %-10s  %s: had %s, has %s%s\n", l.State, l.Ref, verdict.Short(l.Had), syncShort(l.Has), syncWhy(l.Reason))
	}
	for _, p := range a.Published {
		fmt.Fprintf(&b, "  %-10s  %s: %s%s\n", p.State, p.Ref, verdict.Short(p.New), syncWhy(p.Reason))
	}
	for _, u := range a.Unread {
		fmt.Fprintf(&b, "  %-10s  %s%s\n", "unreadable", u.Ref, syncWhy(u.Reason))
	}
	if a.Next != "" {
		fmt.Fprintf(&b, "  next: %s\n", a.Next)
	}
	return b.String()
}

func syncShort(id string) string {
	if id == "" {
		return "nothing"
	}
	return verdict.Short(id)
}

// syncWhy is a reason at the end of a line, in one line.
func syncWhy(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + strings.Join(strings.Fields(reason), " ")
}

func syncAction(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	restore, err := syncRemote(c)
	if err != nil {
		return err
	}
	defer restore()
	d, err := openDesk(c)
	if err != nil {
		return err
	}
	req := admit.SyncRequest{Republish: c.Bool("republish"), Force: c.Bool("force"), DryRun: c.Bool("dry-run")}
	if err := syncNode(c, d, req.DryRun); err != nil {
		return err
	}
	report, err := d.Sync(c.Context, req)
	if err != nil {
		return deskError(err)
	}
	return answer(c, syncAnswer{report})
}

// syncRemote makes the remote that was named the fleet's for this run.
func syncRemote(c *cli.Context) (restore func(), err error) {
	const name = "GIT_DOS_REMOTE"
	if !c.IsSet("remote") {
		return func() {}, nil
	}
	remote := c.String("remote")
	if remote == "" {
		return nil, usagef("--remote is empty").hint("git remote -v lists the remotes")
	}
	old, was := os.LookupEnv(name)
	if err := os.Setenv(name, remote); err != nil {
		return nil, usagef("--remote %q: %w", remote, err)
	}
	return func() {
		if was {
			_ = os.Setenv(name, old) // it was a legal value
		} else {
			_ = os.Unsetenv(name)
		}
	}, nil
}

// syncNode sets the node whose refs are published. A dry run makes no node id.
func syncNode(c *cli.Context, d *admit.Desk, dry bool) error {
	if d.Remote() == "" {
		return nil
	}
	if !dry {
		return deskError(d.EnsureNode(c.Context))
	}
	n, err := d.LookNode(c.Context)
	if err == nil && !n.Copied && refstore.ValidLeaf(n.ID) {
		d.Node = n.ID
	}
	return deskError(err)
}
