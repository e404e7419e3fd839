package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/loop"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func dispatchLoopVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "dispatch-loop",
			Usage:     "dispatch and look back on one lane until there is a reason to stop",
			ArgsUsage: "-- CMD ARG...",
			Description: "Takes one lane, keeps it, and does as git dos dispatch does, one pick at a time, or as git dos replan\n" +
				"does, until git dos loop-decide says stop. That is asked after each iteration, with the counters, what\n" +
				"holds the units of a packet that offers none, and git dos improve: the suite is the gate, the truth that\n" +
				"no claim failed, the work all units that shipped. The bounds are [loop] and [improve] of dos.toml. When\n" +
				"CMD is overloaded, the same iteration is tried again after a wait; the statuses that mean so are in\n" +
				"[worker.exit].\n\n" +
				"After each iteration the counters go into this node's ledger, by run and lane. A loop that was killed or\n" +
				"interrupted goes on with them, under the same run id, when one is started on the same lane by the same\n" +
				"node; --fresh starts with new ones. In the same worktree it also takes up the lease that the dead one\n" +
				"left, once its process has ended. A worker that outlived it has to end first: preflight refuses.\n\n" +
				"An interrupt stops CMD, grades it, archives, gives the lane back and exits 130. Each iteration leaves a\n" +
				"record in paths.runs, and so does the loop.",
			Flags: append(dispatchFlags(),
				&cli.IntFlag{Name: "max-iterations", Usage: "at most `N` iterations, in place of loop.max_iterations"},
				&cli.BoolFlag{Name: "fresh", Usage: "do not go on with the counters of an earlier loop"}),
			Action: writes(dispatchLoop),
		},
		statuses: map[string][]status{
			"dispatch-loop": {
				{Code: verdict.Yes, Outcome: string(loop.Stopped), Meaning: "it ended as it was meant to"},
				{Code: verdict.FirstOwned, Outcome: string(loop.Surfaced), Meaning: "it ended for the reason given, and an operator should look"},
				{Code: 4, Outcome: string(loop.NoLane), Meaning: "the lane, or this machine, was not to be had; nothing was started"},
				{Code: 4, Outcome: string(loop.LaneLost), Meaning: "its lane was lost"},
			},
		},
	}
}

func dispatchLoop(c *cli.Context) error {
	survivesHangup.Store(true)
	s, err := dispatchAsked(c)
	if err != nil {
		return err
	}
	l := &looping{dispatching: s, policy: loopDecidePolicy(s.desk.Rules.Policy.Loop), improve: improvePolicy(s.desk.Rules, 0)}
	l.policy.GateMode = s.gate
	if c.IsSet("max-iterations") {
		if l.policy.MaxIterations = int64(c.Int("max-iterations")); l.policy.MaxIterations < 1 {
			return usagef("--max-iterations %d is less than 1", l.policy.MaxIterations)
		}
	}
	if refused, err := l.take(); refused != nil || err != nil {
		if err != nil {
			return err
		}
		return answer(c, *refused)
	}
	defer l.unlock()
	a, err := l.turn()
	if err = l.leave(err); err != nil {
		return err
	}
	if c.Context.Err() != nil { // it is told, and the status is that of an interrupt
		warn(c, "%s", firstLine(a.String()))
		return c.Context.Err()
	}
	return answer(c, a)
}
