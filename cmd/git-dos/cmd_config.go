package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func configVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "config",
			Usage:     "which settings are in force, and where does each come from?",
			ArgsUsage: "[KEY]",
			Description: "Lists the settings of this clone, dos.remote and its like, then each key of dos.toml; with KEY that\n" +
				"one, or all below it. A flag of a verb is stronger than the environment, GIT_DOS_* and then the older\n" +
				"names; that is stronger than git config dos.*, and where none of them speaks it is dos.toml, then\n" +
				"the default. git config is asked of git, so -c, includes and worktree settings count. In a fleet\n" +
				"dos.toml is that of the trunk as last fetched, and its origin names the commit. What account\n" +
				"environments hold is not shown.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "show-origin", Usage: "say of each value where it comes from: file and line, the scope of git config, a variable, or default"},
				&cli.BoolFlag{Name: "null", Aliases: []string{"z"}, Usage: "for scripts, as git config -z: the key, a newline, the value, a NUL; with --show-origin the origin and a NUL before"},
			},
			Action: config,
		},
		statuses: map[string][]status{"config": {{Code: verdict.Yes, Meaning: "the settings are listed"}}},
	}
}

// A configRow is one setting.
type configRow struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"` // environment, git config, dos.toml or default
	Source string `json:"source,omitempty"`
	Scope  string `json:"scope,omitempty"`
	Line   int    `json:"line,omitempty"`
	Masked bool   `json:"masked,omitempty"`
}

// A configAnswer answers config.
type configAnswer struct {
	Settings []configRow `json:"settings"`
	origins  bool
}

func config(c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("unexpected argument %q", c.Args().Get(1))
	}
	if err := oneFormat(c); err != nil {
		return err
	}
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	rules, err := facts.LoadRules(c.Context, repo)
	if err != nil {
		return deskError(err)
	}
	places, err := configGit(c, repo)
	if err != nil {
		return err
	}
	a, err := configOf(append(configOwn(places, rules.Remote), configPolicy(rules)...), c.Args().First())
	if err != nil {
		return err
	}
	a.origins = c.Bool("show-origin")
	if c.Bool("null") {
		return writeOut(c.App.Writer, a.null())
	}
	return answerPaged(c, a)
}

func configPolicy(rules facts.Rules) []configRow {
	var rows []configRow
	for _, s := range rules.Policy.Settings() {
		row := configRow{Key: s.Key, Value: s.Value, Origin: "default"}
		if s.Line > 0 {
			row.Origin, row.Source, row.Line = "dos.toml", rules.Source, s.Line
		}
		if s.Secret {
			row.Value, row.Masked = "***", true
		}
		rows = append(rows, row)
	}
	return rows
}

// configOf is the part of the rows that key names, in any case where it is
// git's.
func configOf(rows []configRow, key string) (configAnswer, error) {
	if key == "" {
		return configAnswer{Settings: rows}, nil
	}
	if strings.HasPrefix(strings.ToLower(key), "dos.") {
		key = strings.ToLower(key)
	}
	var a configAnswer
	var names []string
	for _, r := range rows {
		names = append(names, r.Key)
		if r.Key == key || strings.HasPrefix(r.Key, key+".") || strings.HasPrefix(r.Key, key+"[") {
			a.Settings = append(a.Settings, r)
		}
	}
	if a.Settings == nil {
		return a, didYouMean(usagef("there is no setting %q", key), nearest(key, names)).hint("git dos config lists all of them")
	}
	return a, nil
}

func (configAnswer) ExitCode() int { return verdict.Yes }

func (a configAnswer) String() string {
	var b strings.Builder
	width := 0
	for _, r := range a.Settings {
		width = max(width, len(r.origin()))
	}
	for _, r := range a.Settings {
		if a.origins {
			fmt.Fprintf(&b, "%-*s  ", width, r.origin())
		}
		fmt.Fprintf(&b, "%s = %s\n", r.Key, r.Value)
	}
	return strings.TrimRight(b.String(), "\n")
}

// null is the form for scripts.
func (a configAnswer) null() []byte {
	var b strings.Builder
	for _, r := range a.Settings {
		if a.origins {
			b.WriteString(r.origin() + "\x00")
		}
		b.WriteString(r.Key + "\n" + r.Value + "\x00")
	}
	return []byte(b.String())
}
