package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// hookHandlers answer the hooks, each with the arguments that git gives it.
var hookHandlers = map[string]func(*cli.Context, []string) error{
	hooks.PrePush:     hookPrePush,
	hooks.PreCommit:   hookPreCommit,
	hooks.CommitMsg:   hookCommitMsg,
	hooks.Transaction: hookTransaction,
	hooks.PreReceive:  hookPreReceive,
	hooks.UpdateHook:  hookOneRef,
	hooks.PostReceive: hookPostReceive,
}

// hookGated is the status of a hook that refuses: that of a git dos push which a
// gate refuses.
const hookGated = 5

func hookVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "hook",
			Usage:     "answer a hook that git runs",
			ArgsUsage: "NAME [ARG...]",
			Description: "NAME is " + strings.Join(slices.Sorted(maps.Keys(hookHandlers)), ", ") + ". The arguments and standard input are those\n" +
				"git gives that hook. What gates find goes to standard error; standard output is for --json alone,\n" +
				"since git reads it elsewhere. Gates and their modes are those of [gates] in the dos.toml on the\n" +
				"trunk, the defaults where it has none: neither a branch nor the work tree has a say. What cannot be\n" +
				"read is refused as CANNOT_JUDGE.\n\n" +
				"GIT_DOS_OVERRIDE='TOKEN: reason' lets the findings of one gate through, several parted by\n" +
				"semicolons or new lines. Who did it, why and for what is recorded first; where that fails, it does\n" +
				"not count. A push that passes leaves a receipt of its gates in this node's ledger: git dos hooks\n" +
				"audit shows what has none. Gates that take longer than two seconds say so once, or than the seconds\n" +
				"of GIT_PROGRESS_DELAY.\n\n" +
				"pre-receive, update and post-receive run in a repository that others push to: git dos hooks install\n" +
				"--server writes them there. pre-receive refuses a push, all of it, that moves refs of git-dos\n" +
				"otherwise than by the steps of their protocol, or the trunk over a held tree without that lane's SHIP\n" +
				"entry in the same push; and it asks the gates about what the push brings, whatever the pusher's own\n" +
				"hooks said. update judges one ref at a time, for hosts that run nothing else: it cannot\n" +
				"hold lanes, order and trunk to each other. post-receive writes down what has landed. Overrides there\n" +
				"are a setting of that repository, dos.receiveOverride.",
			Action: writes(hook),
		},
		statuses: map[string][]status{
			"hook": {
				{Code: verdict.Yes, Outcome: hookPassed, Meaning: "nothing stands against it: git goes on"},
				{Code: verdict.Yes, Outcome: hookLetIn, Meaning: "a server lets it through, by the override of its repository"},
				{Code: verdict.Yes, Outcome: hookRecorded, Meaning: "post-receive: what there is to write of it is written"},
				{Code: hookGated, Outcome: hookRefused, Meaning: "a gate refuses it: git stops"},
			},
		},
	}
}

func hook(c *cli.Context) error {
	name := c.Args().First()
	if name == "" {
		return usagef("no hook named").hint("git runs it as git dos hook NAME ARG...; git dos hooks install has it do so")
	}
	handler, ok := hookHandlers[name]
	if !ok {
		return usagef("no hook %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(hookHandlers)), ", "))
	}
	return hookError(name, handler(c, c.Args().Tail()))
}

// hookError says of an input that is not git's what the hook expects.
func hookError(name string, err error) error {
	var bad *hooks.ProtocolError
	if !errors.As(err, &bad) {
		return err
	}
	return usagef("%w", err).hint("git runs it as .git/hooks/%s: %s", name, hookExpects[name])
}

// hookExpects says what git gives each hook.
var hookExpects = map[string]string{
	hooks.PrePush:     "arguments REMOTE URL, and on standard input a line for each ref, LOCAL-REF LOCAL-ID REMOTE-REF REMOTE-ID; git push --dry-run tries it",
	hooks.PreCommit:   "no arguments and no input",
	hooks.CommitMsg:   "argument FILE, which holds the message",
	hooks.PreReceive:  "no arguments, and on standard input a line for each ref, OLD-ID NEW-ID REF",
	hooks.UpdateHook:  "arguments REF OLD-ID NEW-ID",
	hooks.PostReceive: "no arguments, and on standard input a line for each ref, OLD-ID NEW-ID REF",
	hooks.Transaction: "argument STATE, and on standard input a line for each ref, OLD-ID NEW-ID REF",
}

// hookOverrides are those that the environment states.
func hookOverrides() ([]hooks.Override, error) {
	all, err := hooks.ParseOverrides(firstEnv(hooks.OverrideVariable))
	if err != nil {
		return nil, usagef("%w", err).hint("write it as %s='TOKEN: reason', TOKEN one of %s", hooks.OverrideVariable, hookTokens())
	}
	return all, nil
}

func hookTokens() string {
	words := make([]string, 0, len(hooks.Tokens))
	for _, t := range hooks.Tokens {
		words = append(words, fmt.Sprint(t))
	}
	return strings.Join(words, ", ")
}
