package main

import (
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/kernel/queue"
)

func queueAdd(c *cli.Context) error {
	t, err := queueTask(c)
	if err != nil {
		return err
	}
	d, err := writingDesk(c)
	if err != nil {
		return err
	}
	if err := queueStated(d, &t); err != nil {
		return err
	}
	if t.By, err = ownerName(c, d); err != nil {
		return err
	}
	if t.Guess, err = tasks.Guess(c.Context, d, t); err != nil {
		return queueError(err)
	}
	machine := tasks.Machine(d.Repo)
	v, err := tasks.Edit(c.Context, d, func(f *queue.Fold) (queue.Verdict, []queue.Entry, error) {
		return queue.DecideAdd(f, machine, t)
	})
	if err != nil {
		return queueError(err)
	}
	a := queueAnswer{Verdict: v}
	if v.Outcome == queue.AddedDraft {
		a.Next = "git dos queue release " + t.ID + " --unit PLAN/PHASE, or --closes N, or --done TEXT"
	}
	return answer(c, a)
}

// queueTask reads the task of the flags.
func queueTask(c *cli.Context) (queue.Task, error) {
	if c.NArg() == 1 && strings.TrimSpace(c.Args().First()) == "" {
		return queue.Task{}, usagef("the title is empty").hint("say what is to be done: git dos queue add \"fix the parser\"")
	}
	if c.NArg() != 1 {
		return queue.Task{}, usagef("want the title as one TITLE, have %d arguments", c.NArg()).hint(`put it in quotes: git dos queue add "fix the parser"`)
	}
	if err := queueNotEmpty(c, "body", "body-file", "priority", "kind", "lane", "owner"); err != nil {
		return queue.Task{}, err
	}
	at := queueNow(c)
	t := queue.Task{
		ID: admit.NewNonce()[:12], Title: strings.TrimSpace(c.Args().First()), Kind: queue.Kind(c.String("kind")), Priority: strings.ToUpper(c.String("priority")),
		Steps: c.Int("steps"), Labels: queueWords(c, "label"), Tree: queueWords(c, "tree"), Lane: c.String("lane"), Created: at, Updated: at,
	}
	for _, id := range queueWords(c, "dep") {
		t.Deps = append(t.Deps, strings.ToLower(id))
	}
	if c.IsSet("steps") && t.Steps < 1 {
		return t, usagef("--steps %d is not 1 or more", t.Steps)
	}
	var err error
	if t.Until, err = queueUntil(c); err != nil {
		return t, err
	}
	if t.Body, err = queueBody(c); err != nil {
		return t, err
	}
	check := t
	check.Lane, check.State = "", queue.Draft
	if err := check.Check(); err != nil {
		return t, usagef("%w", err)
	}
	return t, nil
}

// queueWords is a list of words, nil where the flag is not given.
func queueWords(c *cli.Context, name string) []string {
	if !c.IsSet(name) {
		return nil
	}
	return c.StringSlice(name)
}

func queueBody(c *cli.Context) (string, error) {
	file := c.String("body-file")
	if file == "" {
		return c.String("body"), nil
	}
	if c.IsSet("body") {
		return "", usagef("--body and --body-file are two ways to say one thing").hint("give one of them")
	}
	data, err := queueFile(c, file, queue.MaxBody)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(data) {
		return "", usagef("%s is not UTF-8", file)
	}
	return string(data), nil
}

// queueFile reads a file of at most so many bytes, - for standard input.
func queueFile(c *cli.Context, name string, most int64) ([]byte, error) {
	in := c.App.Reader
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, usagef("%w", err)
		}
		defer f.Close()
		in = f
	}
	data, err := unlessInterrupted(c.Context, func() ([]byte, error) { return io.ReadAll(io.LimitReader(in, most+1)) })
	switch {
	case err != nil:
		return nil, environmentf("read %s: %w", name, err)
	case int64(len(data)) > most:
		return nil, usagef("%s has more than %d bytes", name, most)
	}
	return data, nil
}

// queueStated resolves the lane that was stated.
func queueStated(d *admit.Desk, t *queue.Task) error {
	if t.Lane == "" {
		return nil
	}
	name, err := canonicalLane(d, t.Lane)
	if err != nil {
		return err
	}
	declared := d.Declared()
	if !slices.Contains(declared, name) {
		return usagef("lane %q is not declared", t.Lane).hint("the lanes of dos.toml are %s", strings.Join(declared, ", "))
	}
	t.Lane = name
	return nil
}
