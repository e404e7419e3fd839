package main

import (
	_ "embed"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
)

//go:embed completion/git-dos.bash
var completionBash string

//go:embed completion/git-dos.zsh
var completionZsh string

//go:embed completion/git-dos.fish
var completionFish string

func completionVerb() verb {
	shells := []struct{ name, script, use string }{
		{"bash", completionBash, "In ~/.bashrc, after git's own completion, which then completes git dos too:\nsource <(git dos completion bash)"},
		{"zsh", completionZsh, "As _git-dos in a folder of fpath; zsh's completion of git finds it there."},
		{"fish", completionFish, "As ~/.config/fish/conf.d/git-dos.fish, for git dos and git-dos."},
	}
	v := verb{command: &cli.Command{
		Name:  "completion",
		Usage: "complete command lines in bash, zsh and fish",
		Description: "The scripts know no verb themselves: they ask git dos completion words, so they stay right when\n" +
			"git-dos is replaced by another version. The help of each shell says where its script goes.",
	}, statuses: map[string][]status{}}
	for _, s := range shells {
		v.command.Subcommands = append(v.command.Subcommands, &cli.Command{
			Name: s.name, Usage: "print the script for " + s.name, Description: s.use,
			Action: func(c *cli.Context) error {
				if err := noArguments(c); err != nil {
					return err
				}
				return answer(c, completionScript{Shell: s.name, Script: s.script})
			},
		})
		v.statuses["completion "+s.name] = []status{{Code: verdict.Yes, Meaning: "the script is printed"}}
	}
	v.command.Subcommands = append(v.command.Subcommands, &cli.Command{
		Name:      "words",
		Usage:     "what may stand in place of the last of these words",
		ArgsUsage: "[-- WORD...]",
		Description: "The words are those after git dos, the last one as far as it was typed, maybe empty. A line for each\n" +
			"candidate: the word, and after a tab what it means. Verbs, flags and their values, lanes, runs with a\n" +
			"live lease, remotes: as this repository has them, without asking a remote. Where nothing is known, as\n" +
			"outside a repository, nothing is printed, and a path is probably meant.",
		Action: completionWords,
	})
	v.statuses["completion words"] = []status{{Code: verdict.Yes, Meaning: "the candidates are printed, if there are any"}}
	return v
}

// A completionScript answers completion of a shell.
type completionScript struct {
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

func (s completionScript) ExitCode() int  { return verdict.Yes }
func (s completionScript) String() string { return s.Script }

// A candidate is a word that may stand next.
type candidate struct {
	Word  string `json:"word"`
	Means string `json:"means"`
}

// String is a line for a shell to read. A word that would not be one is left
// out before.
func (w candidate) String() string {
	if w.Means == "" {
		return w.Word
	}
	return w.Word + "\t" + strings.Join(strings.Fields(w.Means), " ")
}

func completionWords(c *cli.Context) error {
	words := c.Args().Slice()
	if len(words) == 0 {
		words = []string{""}
	}
	answerTo := completionOf(c, words)
	if c.Bool("json") {
		return answer(c, completionAnswer{append([]candidate{}, answerTo...)})
	}
	var b strings.Builder
	for _, w := range answerTo {
		b.WriteString(w.String() + "\n")
	}
	return writeOut(c.App.Writer, []byte(b.String()))
}

// A completionAnswer answers completion words.
type completionAnswer struct {
	Candidates []candidate `json:"candidates"`
}

func (completionAnswer) ExitCode() int { return verdict.Yes }
func (a completionAnswer) String() string {
	return verdict.Count(len(a.Candidates), "candidate")
}
