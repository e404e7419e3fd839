package main

import (
	"errors"
	"maps"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/agent"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// hookAgentUnsure is the status of an event that could not be judged and is let
// be. Every runtime goes on at it, and shows standard error.
const hookAgentUnsure = 1

// hookAgentGoOn are the events at which no fault holds anything up, one in the command
// line neither: a stop that it refused would be refused for ever.
var hookAgentGoOn = []string{"hook-agent post-tool", "hook-agent stop"}

func hookAgentVerb() verb {
	v := verb{
		command: &cli.Command{
			Name:  "hook-agent",
			Usage: "answer the hooks of an agent's runtime",
			Description: "A runtime runs it at its events, with the event as JSON on standard input. The shapes of Claude Code,\n" +
				"Codex, Gemini CLI, Cursor and Copilot are known by what is in them, and each is answered in its own\n" +
				"words; docs/agent-hooks.md has the contract for others. Status 2 is what all of them take for a no.\n\n" +
				"It holds an agent to its lease where it works, early and with the way out. What the agent's commands\n" +
				"write by themselves it does not see: that is for the gates of git dos hooks.",
		},
		statuses: map[string][]status{},
	}
	for _, sub := range []verb{hookAgentPreTool(), hookAgentPostTool(), hookAgentStop(), hookAgentInstall(), hookAgentUninstall()} {
		v.command.Subcommands = append(v.command.Subcommands, sub.command)
		maps.Copy(v.statuses, sub.statuses)
	}
	return v
}

func hookAgentPreTool() verb {
	return verb{
		command: &cli.Command{
			Name:  "pre-tool",
			Usage: "may the agent call this tool?",
			Description: "A command line is judged as git dos guard does, and denied where that says deny or unknown. A file that\n" +
				"would be written must lie in a lane that this worktree holds or GIT_DOS_NONCE names. Where none is held,\n" +
				"it must lie in no lane that somebody else holds; with --require-lease, outside of the repository. Once a\n" +
				"lease was taken and is lost or past its deadline, nothing more is written in the repository. Files outside\n" +
				"of it are not judged, those of git's own directory and of other worktrees are denied. Leases of a fleet\n" +
				"are those last seen: nothing is asked of the remote.\n\n" +
				"What cannot be read is denied.",
			Flags:  []cli.Flag{&cli.BoolFlag{Name: "require-lease", Usage: "deny to write in the repository without a lease"}},
			Action: hookAgentTool,
		},
		statuses: map[string][]status{"hook-agent pre-tool": {
			{Code: verdict.Yes, Outcome: string(agent.Allow), Meaning: "nothing stands against it; the runtime's own rules decide (and with Copilot also deny, on standard output)"},
			{Code: verdict.NoVerdict, Outcome: string(agent.Deny), Meaning: "the tool is not to be called"},
		}},
	}
}

func hookAgentPostTool() verb {
	return verb{
		command: &cli.Command{
			Name:  "post-tool",
			Usage: "does the agent still hold its lanes?",
			Description: "Tells the agent that its lease is lost, past its deadline, or due for a renewal, which is a third of its\n" +
				"ttl after the last one. Nothing is asked of a fleet's remote, and nothing is renewed.",
			Action: hookAgentOpen(hookAgentAfter),
		},
		statuses: map[string][]status{"hook-agent post-tool": {
			{Code: verdict.Yes, Outcome: string(agent.Allow), Meaning: "there is nothing to say"},
			{Code: verdict.Yes, Outcome: string(agent.Tell), Meaning: "the agent is told how its lease stands"},
			{Code: hookAgentUnsure, Meaning: "it could not be told, and nothing is held up"},
		}},
	}
}

func hookAgentStop() verb {
	return verb{
		command: &cli.Command{
			Name:  "stop",
			Usage: "does git bear out that the agent has done its work?",
			Description: "An agent that holds a lane may stop when nothing in the lane is uncommitted and the unit that its lease\n" +
				"claims has shipped, as git dos verify says. Otherwise the stop is refused once, with what is missing; the\n" +
				"second time it may stop. A runtime that does not say which time it is is never refused, and what cannot\n" +
				"be told refuses nothing. An agent that holds no lane may stop.",
			Action: hookAgentOpen(hookAgentEnd),
		},
		statuses: map[string][]status{"hook-agent stop": {
			{Code: verdict.Yes, Outcome: string(agent.Allow), Meaning: "it may stop (and with Cursor also deny, on standard output)"},
			{Code: verdict.NoVerdict, Outcome: string(agent.Deny), Meaning: "not before what is missing was looked at"},
			{Code: hookAgentUnsure, Meaning: "it could not be told, and nothing is held up"},
		}},
	}
}

// hookAgentOpen is an action whose faults hold nothing up: they end with a status
// at which a runtime goes on.
func hookAgentOpen(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		err := action(c)
		var a answered
		if err == nil || errors.As(err, &a) || errors.Is(err, errClosedOutput) || c.Context.Err() != nil {
			return err
		}
		e := asCmdError(err)
		if e == nil {
			e = environmentf("%w", err)
		}
		e.Exit = hookAgentUnsure
		return e
	}
}

func hookAgentTool(c *cli.Context) error {
	call, err := hookAgentCall(c, agent.ReadTool)
	if err != nil {
		return err
	}
	v := agent.Guarded(call)
	if v.Outcome == agent.Allow && len(call.Paths) > 0 {
		if v, err = hookAgentWrites(c, call); err != nil {
			return err
		}
	}
	return hookAgentAnswer(c, call, agentPre, v)
}

// hookAgentWrites judges the files that a call would write.
func hookAgentWrites(c *cli.Context, call agent.Call) (agent.Verdict, error) {
	dir := hookAgentDir(c, call)
	s, err := hookAgentSite(c, dir, call.Paths, refstore.Ahead{})
	if err != nil || s == nil {
		return agent.Verdict{Outcome: agent.Allow}, err
	}
	places, err := s.places(dir, call.Paths)
	if err != nil {
		return agent.Verdict{}, err
	}
	held, err := s.held()
	if err != nil {
		return agent.Verdict{}, err
	}
	return agent.Decide(places, held, c.Bool("require-lease")), nil
}

func hookAgentAfter(c *cli.Context) error {
	call, err := hookAgentCall(c, agent.ReadDone)
	if err != nil {
		return err
	}
	s, err := hookAgentSite(c, hookAgentDir(c, call), nil, refstore.Ahead{})
	v := agent.Verdict{Outcome: agent.Allow}
	if err == nil && s != nil {
		var held agent.Held
		if held, err = s.held(); err == nil {
			v = agent.After(held, now(c))
		}
	}
	if err != nil {
		return err
	}
	return hookAgentAnswer(c, call, agentPost, v)
}

func hookAgentEnd(c *cli.Context) error {
	call, err := hookAgentCall(c, agent.ReadStop)
	if err != nil {
		return err
	}
	v := agent.Verdict{Outcome: agent.Allow}
	if call.AgainKnown && !call.Again {
		s, err := hookAgentSite(c, hookAgentDir(c, call), nil, refstore.Ahead{Files: true, Still: true})
		if err != nil {
			return err
		}
		if s != nil {
			ends, err := s.finishes()
			if err != nil {
				return err
			}
			v = agent.Stop(call, ends)
		}
	}
	return hookAgentAnswer(c, call, agentStop, v)
}
