package pushed

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// maxPiece is how much of a line is handed on at once: a longer one comes in
// pieces of one number.
const maxPiece = 1 << 20

// A patch reads what git diff-tree writes. What is a line of a file is told by
// the counts of its hunk and never by how it looks, so that no content can pass
// for a header.
type patch struct {
	isCommit func(id string) bool
	yield    func(hooks.Line, error) bool
	solid    func(commit, path string) // see solid; nil where nobody asks

	at    hooks.Line // the commit, the path and the number of the next line
	hunk  hunk
	file  string // whose lines are weighed: at.Path, or what it was called before it went
	old   string // the path behind ---
	scale scale
}

// read reads to the end, or until yield has enough, which it reports as false.
func (p *patch) read(r io.Reader) (more bool, err error) {
	in := bufio.NewReaderSize(r, maxPiece)
	for {
		line, err := in.ReadSlice('\n')
		whole := err == nil
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if err == io.EOF && len(line) == 0 && !p.hunk.open() {
				p.weighed("")
				return true, nil
			}
			return false, fmt.Errorf("%w: git diff-tree stopped inside a diff", ancestry.ErrMissing)
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		switch {
		case p.hunk.open():
			more, err = p.content(in, line, whole)
		case !whole:
			err = fmt.Errorf("%w: git diff-tree wrote a header of more than %d bytes", ancestry.ErrMissing, maxPiece)
		default:
			more, err = true, p.header(line)
		}
		if err != nil || !more {
			return false, err
		}
	}
}

// header reads a line outside of any hunk.
func (p *patch) header(line []byte) error {
	switch {
	case bytes.HasPrefix(line, []byte("@@")):
		return p.begin(line)
	case bytes.HasPrefix(line, []byte("--- ")):
		path, err := pathOf(line[len("--- "):], "a/")
		p.old = path
		return err
	case bytes.HasPrefix(line, []byte("+++ ")):
		path, err := pathOf(line[len("+++ "):], "b/")
		p.at.Path = path
		p.weighed(cmp.Or(path, p.old))
		return err
	case (len(line) == 40 || len(line) == 64) && p.isCommit(string(line)):
		p.weighed("")
		p.at = hooks.Line{Commit: string(line)}
	}
	return nil
}

// content reads a line of a hunk, which in has the rest of where it is not
// whole.
func (p *patch) content(in *bufio.Reader, line []byte, whole bool) (more bool, err error) {
	n := len(p.hunk.old)
	if len(line) > 0 && line[0] == '\\' {
		return true, nil // no newline at the end of a file
	}
	if len(line) < n {
		return false, fmt.Errorf("%w: git diff-tree wrote a line without its signs", ancestry.ErrMissing)
	}
	signs, text := line[:n], line[n:]
	gone := bytes.IndexByte(signs, '-') >= 0
	added := !gone && bytes.IndexByte(signs, ' ') < 0
	p.count(signs, gone)
	for more = true; ; {
		if n == 1 && added != gone {
			p.scale.add(text, gone)
		}
		if added && more {
			p.at.Text = text
			more = p.yield(p.at, nil)
		}
		if whole || !more {
			break
		}
		text, err = in.ReadSlice('\n')
		whole = err == nil
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return false, fmt.Errorf("%w: git diff-tree stopped inside a line", ancestry.ErrMissing)
		}
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	if !gone {
		p.at.Number++
	}
	return more, nil
}

// pathOf reads the path behind --- or +++, "" for a file that is not there.
func pathOf(text []byte, side string) (string, error) {
	if string(text) == "/dev/null" {
		return "", nil
	}
	path := string(bytes.TrimSuffix(text, []byte("\t")))
	if len(text) > 0 && text[0] == '"' {
		var err error
		if path, err = unquote(path); err != nil {
			return "", err
		}
	}
	if len(path) < 3 || path[:2] != side {
		return "", fmt.Errorf("%w: git diff-tree wrote a path %.80q", ancestry.ErrMissing, text)
	}
	return path[2:], nil
}

// unquote reads a name in the form of C that git gives unusual ones.
func unquote(text string) (string, error) {
	bad := fmt.Errorf("%w: git diff-tree wrote a name %.80q", ancestry.ErrMissing, text)
	if len(text) < 2 || text[len(text)-1] != '"' {
		return "", bad
	}
	var out []byte
	for text = text[1 : len(text)-1]; len(text) > 0; {
		if text[0] != '\\' {
			out, text = append(out, text[0]), text[1:] // also a byte that is no UTF-8
			continue
		}
		r, _, rest, err := strconv.UnquoteChar(text, '"')
		if err != nil || r > 0xff {
			return "", bad
		}
		out, text = append(out, byte(r)), rest
	}
	return string(out), nil
}
