package pushed

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// submodule is the mode of a commit of another repository. It is not here, and
// takes no room in this one.
const submodule = "160000"

// A sizing is a git that is asked for sizes while its caller reads on.
type sizing struct {
	asked map[string]bool
	in    *bufio.Writer
	pipe  *io.PipeWriter
	done  chan struct{}
	sizes map[string]int64
	err   error
}

func askSizes(ctx context.Context, run git.Runner) *sizing {
	r, w := io.Pipe()
	s := &sizing{asked: map[string]bool{}, in: bufio.NewWriterSize(w, 16<<10), pipe: w, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		out, _, err := run.Offline().Run(ctx, git.Call{
			Args: []string{"cat-file", "--buffer", "--batch-check=%(objectname) %(objectsize)"}, Stdin: r,
		})
		_ = r.Close() // who still asks is told
		if s.err = ancestry.Unreadable(ctx, "the sizes of the files pushed", err); s.err == nil {
			s.sizes, s.err = readSizes(string(out))
		}
	}()
	return s
}

// want asks for the size of a content, once.
func (s *sizing) want(c hooks.Change) {
	if c.Blob != "" && c.Mode != submodule && !s.asked[c.Blob] {
		s.asked[c.Blob] = true
		_, _ = s.in.WriteString(c.Blob + "\n") // what git did not get it does not answer
	}
}

// wait returns the sizes that were asked for.
func (s *sizing) wait() (map[string]int64, error) {
	_ = s.in.Flush()
	_ = s.pipe.Close()
	<-s.done
	return s.sizes, s.err
}

func readSizes(out string) (map[string]int64, error) {
	sizes := map[string]int64{}
	for line := range strings.Lines(out) {
		id, size, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%w: object %.64s is absent", ancestry.ErrMissing, id)
		}
		sizes[id] = n
	}
	return sizes, nil
}

func putSizes(all map[string][]hooks.Change, sizes map[string]int64) error {
	for _, changes := range all {
		for i, c := range changes {
			switch {
			case c.Blob == "":
				continue
			case c.Mode == submodule:
				changes[i].Size = 0
				continue
			}
			size, ok := sizes[c.Blob]
			if !ok {
				return fmt.Errorf("%w: git cat-file did not answer %s", ancestry.ErrMissing, c.Blob)
			}
			changes[i].Size = size
		}
	}
	return nil
}
