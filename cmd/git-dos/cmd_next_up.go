package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/nextup"
	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/kernel/packet"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Bounds of how many units a packet offers.
const (
	nextUpLimit = 5
	nextUpMost  = 100
)

func nextUpVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "next-up",
			Usage: "write the packet of what is to be done next",
			Description: "Reads the plan documents at the trunk and the queue, asks of each unit what git dos verify and\n" +
				"git dos pickable ask, and writes those that nothing holds into paths.next_packets: a packet to\n" +
				"read, a prompt for each unit, and .dispositions-TAG.json for git dos gate. They are in order by\n" +
				"priority, then what was never tried, then what was tried least recently, then as the queue and\n" +
				"the plans have them. The answer and the exit status are those of the gate, judged on what was\n" +
				"read back from disk.\n\n" +
				"The lane of a unit is that of its task, else the one that [plans] of dos.toml states for its plan,\n" +
				"else guessed from what is written about it as git dos queue add guesses; one without a lane is\n" +
				"offered only without --scope. A unit that is held is never a drain: soft_claimed where a lease or a\n" +
				"worker has it, else quota_blocked.\n\n" +
				"Of two that render packets of one lane, or of all units, in one work tree at once, one is answered\n" +
				"RACE and leaves .race-TAG.json.\n" +
				"Where nothing is free, and of some unit that cannot be told, there is no verdict, and nothing is\n" +
				"written; units that depend on each other are an error.",
			Flags: []cli.Flag{
				&cli.StringSliceFlag{Name: "scope", Usage: "only units of `LANE`; may be given again"},
				&cli.IntFlag{Name: "limit", Value: nextUpLimit, Usage: fmt.Sprintf("offer at most `N` units, 1 to %d", nextUpMost)},
				&cli.BoolFlag{Name: "cached", Usage: "go by what was last seen of the remote, however old, and say as of when"},
			},
			Action: writes(nextUp),
		},
		statuses: map[string][]status{
			"next-up": {
				{Code: verdict.Yes, Outcome: string(pick.Live), Meaning: "a packet is written, and offers a unit"},
				{Code: 3, Outcome: string(pick.Drain), Meaning: "it offers none, for want of work"},
				{Code: 4, Outcome: string(pick.StaleStamp), Meaning: "it offers none: what shipped is not stamped in its plan document"},
				{Code: 5, Outcome: string(pick.Blocked), Meaning: "it offers none: units are claimed, held or waiting"},
				{Code: 6, Outcome: string(pick.Raced), Meaning: "another process renders a packet of the same units here; no packet is written"},
			},
		},
	}
}

func nextUp(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if n := c.Int("limit"); n < 1 || n > nextUpMost {
		return usagef("--limit %d is not 1 to %d", n, nextUpMost)
	}
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	d, err := deskOf(c, repo, admit.Open)
	if err != nil {
		return err
	}
	scope, err := nextUpScope(c, d)
	if err != nil {
		return err
	}
	a, _, err := nextUpPacket(c, d, scope, c.Int("limit"))
	if err != nil {
		return err
	}
	return answer(c, a)
}

// nextUpPacket writes a packet, or says who else is at it. Where it raced, the
// packet is empty.
func nextUpPacket(c *cli.Context, d *admit.Desk, scope []string, limit int) (nextUpAnswer, packet.Packet, error) {
	folder, err := nextup.OpenFolder(d.Repo, d.Rules.Policy.Paths.NextPackets)
	if err != nil {
		return nextUpAnswer{}, packet.Packet{}, environmentf("%w", err).hint("run it in a clone with a work tree")
	}
	defer folder.Close()
	unlock, held, err := folder.Lock(scope)
	if err != nil {
		return nextUpAnswer{}, packet.Packet{}, environmentf("%w", err).hint("see git dos doctor")
	}
	if held != nil {
		tag, w, err := folder.Race(*held, now(c))
		if err != nil {
			return nextUpAnswer{}, packet.Packet{}, nextUpError(err)
		}
		return nextUpRaced(tag, w), packet.Packet{}, nil
	}
	defer unlock()
	return nextUpRender(c, d, folder, scope, limit)
}

// nextUpScope reads the lanes of --scope, each once.
func nextUpScope(c *cli.Context, d *admit.Desk) ([]string, error) {
	return nextUpLanes(d, c.StringSlice("scope"))
}

// nextUpLanes are the lanes that words name, of those that a unit may belong to.
func nextUpLanes(d *admit.Desk, words []string) ([]string, error) {
	scope := []string{}
	r, err := queue.NewRouter(facts.Taxonomy(d.Rules.Policy))
	if err != nil {
		return nil, usagef("dos.toml: lanes: %w", err).hint("git dos doctor lists every problem")
	}
	for _, word := range words {
		name, err := canonicalLane(d, word)
		switch {
		case err != nil:
			return nil, err
		case !r.Declares(name):
			return nil, usagef("--scope: lane %q is not declared", name).hint("declared are %s", verdict.Show(firstOf(strings.Join(r.Declared(), ", "), "none")))
		case !r.Knows(name):
			return nil, usagef("--scope: lane %q is had alone, and no unit is guessed to belong to it", name).hint("leave --scope out for all units")
		case !slices.Contains(scope, name):
			scope = append(scope, name)
		}
	}
	return scope, nil
}

// nextUpRender gathers, decides and writes. The caller has the lock.
func nextUpRender(c *cli.Context, d *admit.Desk, folder *nextup.Folder, scope []string, limit int) (a nextUpAnswer, p packet.Packet, err error) {
	b, err := pickBook(c, d)
	if err != nil {
		return a, p, err
	}
	list, err := tasks.Read(c.Context, d, c.Bool("cached"))
	if err != nil {
		return a, p, panelUnreached(queueError(err))
	}
	lifeWarn(c, b)
	if list.Behind {
		warn(c, "this repository has a queue of its own, from before it belonged to the fleet: git log %s", tasks.Ref)
	}
	ev, unread, err := nextup.Gather(c.Context, b, list)
	if err != nil {
		return a, p, nextUpError(err)
	}
	ev.Scope, ev.Limit = scope, limit
	if p, err = packet.Decide(ev); err != nil {
		return a, p, nextUpError(err)
	}
	p.At = now(c)
	p, w, err := folder.Write(c.Context, p)
	if err != nil {
		return a, p, nextUpError(err)
	}
	return nextUpAnswerOf(p, w, unread, lifeSeenAs(b)), p, nil
}

// nextUpError gives an error of a packet its kind and hint.
func nextUpError(err error) error {
	var unknown *packet.UnknownError
	var cycle *facts.CycleError
	var folder *nextup.FolderError
	var file *facts.PlanFileError
	switch {
	case errors.As(err, &folder):
		return environmentf("%w", err).hint("state another folder of the work tree as paths.next_packets in dos.toml, or remove what is in the way")
	case errors.As(err, &file):
		return environmentf("plan file %w", err).hint("correct it on the trunk: what it would list can be neither offered nor left out; git dos plan -h shows the forms")
	case errors.As(err, &unknown):
		return errorf(kindIndeterminate, "no verdict: %w", err).hint("git dos pickable %s says more; git dos doctor and git dos journal check name what cannot be read", verdict.ShellWord(unknown.Unit))
	case errors.As(err, &cycle):
		return usagef("%w", err).hint("correct \"Depends on:\" in the plan documents: none of them could ever be first")
	}
	return planError(queueError(err))
}
