package ancestry

import (
	"bytes"
	"strings"
)

const maxLines = 64 << 10

// A Trailer is one "Key: value" of a message's trailer block. Keys compare
// without regard to case.
type Trailer struct{ Key, Value string }

// Trailers reads the trailer block of a commit message by the rules of git
// interpret-trailers --no-divider without any configuration: the last
// paragraph, unless it is the title, whose lines are all trailers, or at least
// a quarter of them and one that git itself writes. Indented lines continue a
// value and lines that begin with # are not seen. A message of more than
// maxLines lines has none.
func Trailers(message []byte) []Trailer {
	var found []Trailer
	open := false // the last line was a trailer that may be continued
	for _, line := range block(message) {
		switch {
		case line[0] == '#':
			open = false
		case open && indented(line):
			last := &found[len(found)-1]
			last.Value = strings.Trim(last.Value+" "+string(bytes.Trim(line, blanks)), blanks)
		default:
			at := separator(line)
			if open = at >= 1; open {
				key := strings.Trim(string(line[:at]), blanks)
				found = append(found, Trailer{Key: key, Value: strings.Trim(string(line[at+1:]), blanks)})
			}
		}
	}
	return found
}

// block returns the lines of the trailer block, none when there is no block.
// A paragraph that no blank line precedes is the title.
func block(message []byte) [][]byte {
	if bytes.Count(message, []byte("\n")) > maxLines {
		return nil
	}
	lines := strip(split(message))
	var t tally
	for i := len(lines) - 1; i >= 0; i-- {
		line := lines[i]
		switch {
		case line[0] == '#':
			t.prose += t.indents
			t.indents = 0
		case blank(line):
			if !t.begun {
				continue
			}
			t.prose += t.indents
			if t.isBlock() {
				return lines[i+1:]
			}
			return nil
		default:
			t.add(line)
		}
	}
	return nil
}

// tally counts the lines of a paragraph from its end.
type tally struct {
	begun    bool
	trailers int
	prose    int
	indents  int // indented lines whose owner is not known yet
	byGit    bool
}

func (t *tally) add(line []byte) {
	t.begun = true
	switch {
	case bytes.HasPrefix(line, []byte("Signed-off-by: ")), bytes.HasPrefix(line, []byte("(cherry picked from commit ")):
		t.byGit = true
		fallthrough
	case !indented(line) && separator(line) >= 1:
		t.trailers++
		t.indents = 0
	case indented(line):
		t.indents++
	default:
		t.prose += 1 + t.indents
		t.indents = 0
	}
}

func (t *tally) isBlock() bool {
	if t.byGit && t.trailers*3 >= t.prose {
		return true
	}
	return t.trailers > 0 && t.prose == 0
}

// separator is the position of the colon that ends a key of letters, digits
// and dashes, which spaces may follow; -1 when the line has none.
func separator(line []byte) int {
	spaces := false
	for i, c := range line {
		switch {
		case c == ':':
			return i
		case !spaces && (c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'):
		case i > 0 && (c == ' ' || c == '\t'):
			spaces = true
		default:
			return -1
		}
	}
	return -1
}

// split cuts a message into lines that keep their newline, so that none is
// empty.
func split(message []byte) [][]byte {
	lines := bytes.SplitAfter(message, []byte("\n"))
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// strip drops what git does not count as the end of a message: everything
// from a scissors line on, then trailing comments, empty lines and an old
// Conflicts: list.
func strip(lines [][]byte) [][]byte {
	keep, conflicts := 0, false
	for i, line := range lines {
		if bytes.Equal(line, []byte("# ------------------------ >8 ------------------------\n")) {
			break
		}
		switch {
		case line[0] == '#' || line[0] == '\n':
		case bytes.Equal(line, []byte("Conflicts:\n")):
			conflicts = true
		case conflicts && line[0] == '\t':
		default:
			keep, conflicts = i+1, false
		}
	}
	return lines[:keep]
}
