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

// allVerbs lists the verbs. A new verb adds one line here and a
// cmd_<noun>.go.
func allVerbs() []verb {
	return withExitCodes([]verb{
		accountVerb(),
		arbitrateVerb(),
		attemptVerb(),
		beatVerb(),
		boardVerb(),
		breakerVerb(),
		claimStepVerb(),
		cleanVerb(),
		closesVerb(),
		commitAuditVerb(),
		commitVerb(),
		completeVerb(),
		completionVerb(),
		configVerb(),
		cooldownVerb(),
		decisionsVerb(),
		demoVerb(),
		dispatchLoopVerb(),
		dispatchVerb(),
		doctorVerb(),
		gateVerb(),
		gcVerb(),
		guardVerb(),
		haltVerb(),
		hookAgentVerb(),
		hookVerb(),
		hooksVerb(),
		importJournalVerb(),
		improveVerb(),
		initVerb(),
		intentVerb(),
		journalVerb(),
		leakCheckVerb(),
		leaseVerb(),
		lintVerb(),
		livenessVerb(),
		logVerb(),
		loopDecideVerb(),
		loopVerb(),
		manVerb(),
		mcpVerb(),
		mergeGateVerb(),
		nextUpVerb(),
		observeVerb(),
		pickPriorityVerb(),
		pickableVerb(),
		planVerb(),
		preflightVerb(),
		priceVerb(),
		productivityVerb(),
		pulseVerb(),
		pushVerb(),
		queueVerb(),
		reclaimVerb(),
		reconcileVerb(),
		replanVerb(),
		resumeVerb(),
		runIDVerb(),
		scopeGateVerb(),
		statusVerb(),
		superVerb(),
		superviseVerb(),
		syncVerb(),
		topVerb(),
		verifyStepVerb(),
		verifyVerb(),
		versionVerb(),
		waveVerb(),
		workerVerb(),
	})
}

func newApp(s streams) *cli.App { return assemble(s, allVerbs()) }

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
	return runApp(ctx, newApp(s), args, s)
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
