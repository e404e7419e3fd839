package main

import (
	"bytes"
	"context"
	"io"
	"iter"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/pushed"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// hookPrePush judges a push. One of nothing but git-dos's own refs is none of
// the gates' business, and neither is one of nothing.
func hookPrePush(c *cli.Context, args []string) error {
	overrides, err := hookOverrides()
	if err != nil {
		return err
	}
	stdin, err := hookInput(c, hooks.PrePush)
	if err != nil {
		return err
	}
	p, err := hooks.ParsePrePush(args, stdin)
	if err != nil {
		return err
	}
	if p = hookRiding(p, ""); len(p.Updates) == 0 {
		return hookAnswer(c, hookVerdictOf(p, nil))
	}
	var h *pushed.History
	var unread error
	ask, err := hookOpen(c, p, overrides, func(repo *refstore.Repo) {
		if h, unread = pushed.Outgoing(c.Context, repo, p); unread == nil {
			h.Load(c.Context)
		}
	})
	if err != nil {
		return err
	}
	if ask.push = hookRiding(ask.push, ask.rules.Policy.Fleet.Prefix); len(ask.push.Updates) == 0 {
		return hookAnswer(c, hookVerdictOf(ask.push, nil))
	}
	if len(ask.push.Updates) != len(p.Updates) { // the fleet's refs are elsewhere
		h, unread = pushed.Outgoing(c.Context, ask.repo, ask.push)
	}
	if unread != nil {
		ask.fail(unread)
	} else {
		ask.brought, ask.history = h, h
	}
	return ask.judge()
}

// hookRiding sets git-dos's own refs aside.
func hookRiding(p hooks.Push, prefix string) hooks.Push {
	var rest []hooks.Update
	for _, u := range p.Updates {
		if u.Own(prefix) {
			p.Riding = append(p.Riding, u)
		} else {
			rest = append(rest, u)
		}
	}
	p.Updates = rest
	return p
}

// hookPreCommit judges what is staged.
func hookPreCommit(c *cli.Context, args []string) error {
	if err := hooks.ParsePreCommit(args); err != nil {
		return err
	}
	return hookCommit(c, hooks.Push{Hook: hooks.PreCommit}, nil)
}

// hookCommitMsg judges a message. One that is empty git itself refuses.
func hookCommitMsg(c *cli.Context, args []string) error {
	file, err := hooks.ParseCommitMsg(args)
	if err != nil {
		return err
	}
	return hookCommit(c, hooks.Push{Hook: hooks.CommitMsg}, func(repo *refstore.Repo) (hookWords, error) {
		return hookMessage(c.Context, repo, file)
	})
}

// hookCommit judges the commit that is being made: all of it, or its message
// where there is one to read.
func hookCommit(c *cli.Context, p hooks.Push, message func(*refstore.Repo) (hookWords, error)) error {
	overrides, err := hookOverrides()
	if err != nil {
		return err
	}
	ask, err := hookOpen(c, p, overrides)
	if err != nil {
		return err
	}
	var words hookWords
	if message != nil {
		if words, err = message(ask.repo); err != nil {
			return err
		}
		if len(words.kept) == 0 && len(words.said) == 0 {
			return hookAnswer(c, hookVerdictOf(p, nil))
		}
	}
	m, err := pushed.Staged(c.Context, ask.repo, words.kept)
	switch {
	case err != nil:
		ask.fail(err)
	case message != nil:
		ask.history = hookText{m, words.said}
	default:
		ask.history = m
	}
	return ask.judge()
}

// hookText is a commit of which only the message is text to be judged.
type hookText struct {
	*pushed.Making
	said []byte
}

func (t hookText) Added(context.Context) iter.Seq2[hooks.Line, error] {
	return pushed.MessageLines(t.said)
}

// maxHookMessage bounds the message of a commit.
const maxHookMessage = 1 << 20

// scissors is where git cuts a message off that was written below a diff.
const scissors = " ------------------------ >8 ------------------------\n"

// hookWords is a message: as git keeps it, without its comments, and what of it
// may be kept.
type hookWords struct{ kept, said []byte }

// hookMessage reads a message without what stands below the scissors. Where no
// editor was opened, as for commit -m, which git says by the editor it names to
// the hook, git keeps lines that look like comments: they may give something
// away too. Git's own comments are never taken for words of the author.
func hookMessage(ctx context.Context, repo *refstore.Repo, file string) (w hookWords, err error) {
	f, err := os.Open(file)
	if err != nil {
		return w, environmentf("the message: %w", err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxHookMessage+1))
	switch {
	case err != nil:
		return w, environmentf("the message: %w", err)
	case len(text) > maxHookMessage:
		return w, usagef("%s: the message is longer than %d bytes", file, maxHookMessage)
	}
	if i := bytes.Index(text, []byte(scissors)); i >= 0 {
		text = text[:bytes.LastIndexByte(text[:i], '\n')+1]
	}
	w.kept, _, err = repo.Git.Run(ctx, git.Call{Args: []string{"stripspace", "--strip-comments"}, Stdin: bytes.NewReader(text)})
	if err != nil {
		return w, environmentf("the message: %w", err)
	}
	if w.said = w.kept; os.Getenv("GIT_EDITOR") == ":" {
		w.said = text
	}
	return w, nil
}

// hookTransaction judges the branches that a transaction makes, before they are
// there. Any other transaction is let go without a look at the repository: git
// runs this hook for every ref it moves.
func hookTransaction(c *cli.Context, args []string) error {
	stdin, err := hookInput(c, hooks.Transaction)
	if err != nil {
		return err
	}
	state, p, err := hooks.ParseTransaction(args, stdin)
	if err != nil {
		return err
	}
	var made []hooks.Update
	for _, u := range p.Updates {
		if u.IsBranch() && u.Creates() {
			made = append(made, u)
		}
	}
	if p.Updates = made; state != "prepared" || len(made) == 0 {
		return hookAnswer(c, hookVerdictOf(p, nil))
	}
	overrides, err := hookOverrides()
	if err != nil {
		return err
	}
	ask, err := hookOpen(c, p, overrides)
	if err != nil {
		return err
	}
	ask.history = hookNothing{}
	return ask.judge()
}

// hookNothing is the history of a transaction, which no gate asks for.
type hookNothing struct{}

func (hookNothing) Commits(context.Context) iter.Seq2[hooks.Commit, error] {
	return func(func(hooks.Commit, error) bool) {}
}

func (hookNothing) Added(context.Context) iter.Seq2[hooks.Line, error] {
	return func(func(hooks.Line, error) bool) {}
}
