package main

import (
	"context"
	"errors"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// streams are the three standard streams of one run.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// A verbMaker makes the verb of a name, with its flags and statuses.
type verbMaker struct {
	name string
	make func() verb
}

// verbTable lists the verbs. A new verb adds one line here and a
// cmd_<noun>.go.
func verbTable() []verbMaker {
	return []verbMaker{
		{"account", accountVerb},
		{"arbitrate", arbitrateVerb},
		{"attempt", attemptVerb},
		{"beat", beatVerb},
		{"board", boardVerb},
		{"breaker", breakerVerb},
		{"claim-step", claimStepVerb},
		{"clean", cleanVerb},
		{"closes", closesVerb},
		{"commit-audit", commitAuditVerb},
		{"commit", commitVerb},
		{"complete", completeVerb},
		{"completion", completionVerb},
		{"config", configVerb},
		{"cooldown", cooldownVerb},
		{"decisions", decisionsVerb},
		{"demo", demoVerb},
		{"dispatch-loop", dispatchLoopVerb},
		{"dispatch", dispatchVerb},
		{"doctor", doctorVerb},
		{"gate", gateVerb},
		{"gc", gcVerb},
		{"guard", guardVerb},
		{"halt", haltVerb},
		{"hook-agent", hookAgentVerb},
		{"hook", hookVerb},
		{"hooks", hooksVerb},
		{"import-journal", importJournalVerb},
		{"improve", improveVerb},
		{"init", initVerb},
		{"intent", intentVerb},
		{"journal", journalVerb},
		{"leak-check", leakCheckVerb},
		{"lease", leaseVerb},
		{"lint", lintVerb},
		{"liveness", livenessVerb},
		{"log", logVerb},
		{"loop-decide", loopDecideVerb},
		{"loop", loopVerb},
		{"man", manVerb},
		{"mcp", mcpVerb},
		{"merge-gate", mergeGateVerb},
		{"next-up", nextUpVerb},
		{"observe", observeVerb},
		{"pick-priority", pickPriorityVerb},
		{"pickable", pickableVerb},
		{"plan", planVerb},
		{"preflight", preflightVerb},
		{"price", priceVerb},
		{"productivity", productivityVerb},
		{"pulse", pulseVerb},
		{"push", pushVerb},
		{"queue", queueVerb},
		{"reclaim", reclaimVerb},
		{"reconcile", reconcileVerb},
		{"replan", replanVerb},
		{"resume", resumeVerb},
		{"run-id", runIDVerb},
		{"scope-gate", scopeGateVerb},
		{"status", statusVerb},
		{"super", superVerb},
		{"supervise", superviseVerb},
		{"sync", syncVerb},
		{"top", topVerb},
		{"verify-step", verifyStepVerb},
		{"verify", verifyVerb},
		{"version", versionVerb},
		{"wave", waveVerb},
		{"worker", workerVerb},
		{"exit-codes", exitCodesVerb},
	}
}

// makerOf is how the verb of a name is made, nil when there is none.
func makerOf(name string) func() verb {
	for _, m := range verbTable() {
		if m.name == name {
			return m.make
		}
	}
	return nil
}

// allVerbs makes every verb.
func allVerbs() []verb {
	var verbs []verb
	for _, m := range verbTable() {
		verbs = append(verbs, m.make())
	}
	return verbs
}

// newApp makes the app of every verb.
func newApp(s streams) *cli.App { return assemble(s, allVerbs()) }

// appFor makes the app that a command line needs: that of the one verb it names, since
// to make all of them costs more than many a verb itself; of all of them for a
// line that is not understood so, and for help on none.
func appFor(s streams, args []string) *cli.App {
	for _, word := range args[min(1, len(args)):] {
		if makeVerb := makerOf(word); makeVerb != nil {
			app := assemble(s, []verb{makeVerb()})
			if inv, err := parse(app, args); err == nil && len(inv.path) > 0 {
				return app
			}
			break
		}
	}
	return newApp(s)
}

// assemble makes an app of verbs. It switches off every habit of urfave/cli
// that would end the process, print help on its own or read an argument named
// "help" as a command: parse does that work instead.
func assemble(s streams, verbs []verb) *cli.App {
	app := &cli.App{
		Name:                      "git-dos",
		Usage:                     "coordinate workers that share a git repository",
		Reader:                    s.in,
		Writer:                    s.out,
		ErrWriter:                 s.err,
		Flags:                     commonFlags(),
		Before:                    checkCommonFlags,
		HideHelp:                  true,
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              badFlagValue,
	}
	for _, v := range verbs {
		v.prepare(v.command, v.command.Name)
		app.Commands = append(app.Commands, v.command)
	}
	return app
}

// run is main without the process: it returns the exit status.
func run(ctx context.Context, args []string, s streams) int {
	return runApp(ctx, appFor(s, args), args, s)
}

// runApp runs one command line. A command ends in one of three ways: it
// answers, and the status is its verdict's; it fails with any other error, and
// the status is never that of an answer; or it is interrupted before it could
// answer.
func runApp(ctx context.Context, app *cli.App, args []string, s streams) int {
	inv, err := parse(app, args)
	switch {
	case err != nil:
	case inv.help:
		err = pageFrom(ctx, "", s.out, func(w io.Writer) error { return printHelp(w, app, inv.path) })
	default:
		err = app.RunContext(ctx, inv.args)
	}
	var a answered
	switch {
	case err == nil:
		return verdict.Yes
	case errors.As(err, &a):
		return int(a)
	case errors.Is(err, errClosedOutput):
		return verdict.NoVerdict
	}
	return report(s.err, failureOf(ctx, inv, err), wantsJSON(args))
}
