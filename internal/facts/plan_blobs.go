package facts

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// A planBlob is one plan file of a commit.
type planBlob struct {
	path string
	id   refstore.OID
	size int64
}

// planBlobs lists the files of a commit that match, in path order. One that is
// no regular file is an error.
func planBlobs(ctx context.Context, repo *refstore.Repo, commit refstore.OID, matches func(string) bool) ([]planBlob, error) {
	out, err := repo.Git.Offline().Output(ctx, "ls-tree", "-r", "-z", "--full-tree", string(commit))
	if err != nil {
		return nil, ancestry.Unreadable(ctx, "tree of "+commit.Short(), err)
	}
	var blobs []planBlob
	for record := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		head, name, ok := bytes.Cut(record, []byte("\t"))
		if !ok || !matches(string(name)) {
			continue
		}
		part := strings.Fields(string(head))
		if len(part) != 3 || part[1] != "blob" || part[0] == "120000" {
			return nil, &PlanFileError{Path: string(name), err: errors.New("is not a regular file")}
		}
		id, ok := refstore.ParseOID(part[2])
		if !ok {
			return nil, fmt.Errorf("%w: git ls-tree answered %q", ancestry.ErrMissing, head)
		}
		if len(blobs) == maxPlanFiles {
			return nil, &PlanFileError{Path: string(name), err: fmt.Errorf("is one of more than %d plan files", maxPlanFiles)}
		}
		blobs = append(blobs, planBlob{path: string(name), id: id})
	}
	return blobs, nil
}

// readPlanBlobs calls read with the text of every file in order, all of them
// read by one git after their sizes are known to be within bounds. It holds one
// text at a time.
func readPlanBlobs(ctx context.Context, repo *refstore.Repo, blobs []planBlob, read func(planBlob, []byte) error) error {
	if len(blobs) == 0 {
		return nil
	}
	var total int64
	err := askPlanBlobs(ctx, repo, "--batch-check", blobs, func(answers *bufio.Reader, b *planBlob) (err error) {
		if b.size, err = planSize(answers, *b); err != nil {
			return err
		}
		return planFits(*b, &total)
	})
	if err != nil {
		return err
	}
	return askPlanBlobs(ctx, repo, "--batch", blobs, func(answers *bufio.Reader, b *planBlob) error {
		text, err := planText(answers, *b)
		if err != nil {
			return err
		}
		return read(*b, text)
	})
}

// askPlanBlobs asks one git about the blobs and has each answer read while git
// goes on with the next. Answers are framed, so that git's own end tells
// nothing more.
func askPlanBlobs(ctx context.Context, repo *refstore.Repo, mode string, blobs []planBlob, answer func(*bufio.Reader, *planBlob) error) error {
	var ids strings.Builder
	for _, b := range blobs {
		ids.WriteString(string(b.id) + "\n")
	}
	own, cancel := context.WithCancel(ctx)
	cmd, err := repo.Git.Offline().Command(own, git.Call{
		Args:  []string{"cat-file", "--buffer", mode + "=%(objectname) %(objecttype) %(objectsize)"},
		Stdin: strings.NewReader(ids.String()),
	})
	defer cancel()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	answers := bufio.NewReader(out)
	for i := range blobs {
		if err = answer(answers, &blobs[i]); err != nil {
			break
		}
	}
	cancel()
	_ = cmd.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func planText(answers *bufio.Reader, b planBlob) ([]byte, error) {
	size, err := planSize(answers, b)
	if err != nil {
		return nil, err
	}
	text := make([]byte, b.size+1)
	if _, err := io.ReadFull(answers, text); size != b.size || err != nil || text[b.size] != '\n' {
		return nil, fmt.Errorf("%w: git cat-file stopped inside %s", ancestry.ErrMissing, b.path)
	}
	if text = text[:b.size]; bytes.IndexByte(text, 0) >= 0 {
		return nil, &PlanFileError{Path: b.path, err: errors.New("is not text: it has a NUL byte")}
	}
	return text, nil
}

func planFits(b planBlob, total *int64) error {
	*total += b.size
	switch {
	case b.size > ancestry.MaxFile:
		return &PlanFileError{Path: b.path, err: fmt.Errorf("is larger than %d bytes", ancestry.MaxFile)}
	case *total > maxPlanBytes:
		return &PlanFileError{Path: b.path, err: fmt.Errorf("brings the plan files to more than %d bytes", maxPlanBytes)}
	}
	return nil
}

// planSize reads the header that git answers a blob's id with.
func planSize(answers *bufio.Reader, b planBlob) (int64, error) {
	head, err := answers.ReadString('\n')
	part := strings.Fields(head)
	if err != nil || len(part) != 3 || part[0] != string(b.id) || part[1] != "blob" {
		return 0, fmt.Errorf("%w: object %s of %s", ancestry.ErrMissing, b.id.Short(), b.path)
	}
	size, err := strconv.ParseInt(part[2], 10, 64)
	if err != nil || size < 0 {
		return 0, fmt.Errorf("%w: object %s has length %q", ancestry.ErrMissing, b.id.Short(), part[2])
	}
	return size, nil
}
