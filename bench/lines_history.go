package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// historyLease compares an acquire in a long history with one in a repository
// that holds a single commit.
func historyLease(b *bench) ([]row, error) {
	long, err := b.imported(1)
	if err != nil {
		return nil, err
	}
	empty, err := b.repo(1, noFleet)
	if err != nil {
		return nil, err
	}
	commits, err := b.output(long, "", "git", "rev-list", "--count", "HEAD")
	if err != nil {
		return nil, err
	}
	verb := func(dir, name string) arm { return b.process(dir, b.dos, "lease", name, "--lane", laneName(0)) }
	m, err := b.pairs(localPairs, verb(long, "acquire"), verb(empty, "acquire"), verb(long, "release"), verb(empty, "release"))
	if err != nil {
		return nil, err
	}
	return []row{{what: "lease acquire, " + commits + " commits / 1 commit", product: m[0], git: m[1], target: 1.1, note: "git column: the short history"}}, nil
}

// imported makes a repository of the history to measure with.
func (b *bench) imported(lanes int) (string, error) {
	if b.history == "" {
		return "", skipped("no history; name one with --history or GITDOS_HISTORY")
	}
	if _, err := exec.LookPath("xz"); err != nil {
		return "", skipped("there is no xz to unpack the history with")
	}
	dir := b.newDir("history")
	if err := b.quiet("", []string{"git", "init", "--quiet", dir}); err != nil {
		return "", err
	}
	unpack := exec.CommandContext(b.ctx, "xz", "-dc", b.history)
	load := exec.CommandContext(b.ctx, "git", "fast-import", "--quiet")
	load.Dir, load.Stderr, unpack.Stderr = dir, b.words, b.words
	var err error
	if load.Stdin, err = unpack.StdoutPipe(); err != nil {
		return "", err
	}
	if err := load.Start(); err != nil {
		return "", err
	}
	if err := unpack.Run(); err != nil {
		return "", fmt.Errorf("unpack %s: %w: %s", filepath.Base(b.history), err, b.lastWords())
	}
	if err := load.Wait(); err != nil {
		return "", fmt.Errorf("import %s: %w: %s", filepath.Base(b.history), err, b.lastWords())
	}
	if err := b.quiet(dir, []string{"git", "symbolic-ref", "HEAD", "refs/heads/main"}, []string{"git", "reset", "--quiet", "--hard"}); err != nil {
		return "", err
	}
	return dir, b.commitRules(dir, lanes, noFleet)
}
