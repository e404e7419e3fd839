package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A verb is a command together with what its exit statuses mean. The help
// text, exit-codes and the tests all read that one table.
type verb struct {
	command *cli.Command

	// statuses holds the answers of each command that can be run, under its
	// full name: "version", "lease acquire". The statuses every verb shares
	// are added by withShared.
	statuses map[string][]status
}

// A status is one exit status of a verb. Outcome is the word the verdict
// prints, empty for a verb that has only one way to answer.
type status struct {
	Code    int
	Outcome string
	Meaning string
}

// withShared adds the statuses that mean the same in every verb.
func withShared(own []status) []status {
	return append(own[:len(own):len(own)],
		status{Code: verdict.NoVerdict, Meaning: "no verdict: the request was malformed or could not be judged"},
		status{Code: verdict.Interrupted, Meaning: "interrupted before it could answer"},
	)
}

// prepare completes a command and all below it; path is its full name.
func (v verb) prepare(c *cli.Command, path string) {
	c.HideHelp = true
	for _, f := range c.Flags {
		if list, ok := f.(*cli.StringSliceFlag); ok {
			list.KeepSpace = true // a name is what was given, blanks and all
		}
	}
	c.OnUsageError = badFlagValue
	c.Description = strings.TrimSpace(v.statusText(c, path) + "\n" + c.Description)
	for _, sub := range c.Subcommands {
		v.prepare(sub, path+" "+sub.Name)
	}
}

// statusText is the first line of every description.
func (v verb) statusText(c *cli.Command, path string) string {
	switch {
	case listOf(c) != nil:
		return "Exit status: that of the subcommand, 2 where that has no verdict; without one that of list."
	case len(c.Subcommands) > 0:
		return "Exit status: that of the subcommand; 2 without one."
	}
	var parts []string
	for _, s := range v.statuses[path] {
		word := s.Outcome
		if word == "" {
			word = s.Meaning
		}
		parts = append(parts, fmt.Sprintf("%d %s", s.Code, word))
	}
	parts = append(parts, fmt.Sprintf("%d no verdict", verdict.NoVerdict), fmt.Sprintf("%d interrupted", verdict.Interrupted))
	return "Exit status: " + strings.Join(parts, ", ") + "."
}

// leaves calls f for every command below c, or c itself, that can be run.
func leaves(c *cli.Command, path string, f func(c *cli.Command, path string)) {
	if len(c.Subcommands) == 0 {
		f(c, path)
	}
	for _, sub := range c.Subcommands {
		leaves(sub, path+" "+sub.Name, f)
	}
}

// writes marks the action of a verb that changes a repository. Such a verb
// must act at the real time, so it refuses --now.
func writes(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.IsSet("now") {
			return usagef("--now replays a decision, and this verb writes").hint("run it without --now")
		}
		return action(c)
	}
}

// storeStatus gives errors of kind store a status of their own, for verbs
// whose callers must tell an unreadable store from a bad request.
func storeStatus(code int, action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		err := action(c)
		if e := asCmdError(err); e != nil && e.Kind == kindStore {
			e.Exit = code
		}
		return err
	}
}
