package refstore

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/refstore/git"
)

// A Head is where the HEAD of a worktree stood when the repository was opened.
type Head struct {
	Branch string // the full ref name, "" when detached
	ID     OID    // what it names; whether that object is here was not looked at
}

// Head returns what discovery saw of HEAD. There is nothing where HEAD names
// no commit, or where its name is ambiguous: ask git then.
func (r *Repo) Head() (Head, bool) {
	if r.head == nil {
		return Head{}, false
	}
	return *r.head, true
}

// discovery is what git rev-parse says of a directory, in its words.
type discovery struct {
	gitDir, commonDir, objects, format string
	shallow, bare, inWorkTree          string

	cdup []string
	head *Head
}

// The questions put to rev-parse. It answers each with one line, but for the
// last, and HEAD where it names nothing: then it prints what came before and
// fails.
var (
	whereQuestions = []string{"rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--git-path", "objects", "--show-object-format"}
	headQuestions  = []string{"HEAD", "--symbolic-full-name", "HEAD"}
	shapeQuestions = []string{"--is-shallow-repository", "--is-bare-repository", "--is-inside-work-tree", "--show-cdup"}
)

// discover asks for everything at once and, only where that fails in a
// repository, again without HEAD.
func discover(ctx context.Context, run git.Runner) (discovery, error) {
	lines, err := askRevParse(ctx, run, whereQuestions, headQuestions, shapeQuestions)
	if err == nil {
		if head, ok := headOf(lines); ok {
			d, err := discovered(append(lines[:4:4], lines[6:]...))
			d.head = &head
			return d, err
		}
	}
	if err != nil && (len(lines) < 4 || ctx.Err() != nil) {
		return discovery{}, err
	}
	if lines, err = askRevParse(ctx, run, whereQuestions, shapeQuestions); err != nil {
		return discovery{}, err
	}
	return discovered(lines)
}

func askRevParse(ctx context.Context, run git.Runner, questions ...[]string) ([]string, error) {
	var args []string
	for _, q := range questions {
		args = append(args, q...)
	}
	out, err := run.Output(ctx, args...)
	if len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"), err
}

// headOf reads the answers to headQuestions. There is a line too few where HEAD
// is ambiguous, which has no full name, and a line too many where a path holds
// a newline.
func headOf(lines []string) (Head, bool) {
	if len(lines) < 9 {
		return Head{}, false
	}
	id, isID := ParseOID(lines[4])
	name := lines[5]
	if !isID || name != "HEAD" && !strings.HasPrefix(name, "refs/") {
		return Head{}, false
	}
	if name == "HEAD" {
		name = ""
	}
	return Head{Branch: name, ID: id}, true
}

func discovered(lines []string) (discovery, error) {
	if len(lines) > 0 && lines[0] == "--path-format=absolute" {
		return discovery{}, ErrGitTooOld
	}
	if len(lines) < 7 {
		return discovery{}, fmt.Errorf("git rev-parse printed %d lines for 7 questions", len(lines))
	}
	for _, path := range lines[:3] {
		if !filepath.IsAbs(path) {
			return discovery{}, fmt.Errorf("%q is no path by itself: a repository whose path has a line break cannot be worked in", path)
		}
	}
	return discovery{
		gitDir: lines[0], commonDir: lines[1], objects: lines[2], format: lines[3],
		shallow: lines[4], bare: lines[5], inWorkTree: lines[6], cdup: lines[7:],
	}, nil
}
