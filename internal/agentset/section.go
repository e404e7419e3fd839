package agentset

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// AgentsFile is what agents read first in a project.
const AgentsFile = "AGENTS.md"

// The section stands between two lines of its own. The first says how many line
// breaks were put before it, which go with it again, and whether there was a file
// without a byte, which then stays.
const (
	sectionBegins = "<!-- git dos init --agents: begin"
	sectionEmpty  = " 0 of an empty file -->"
	sectionEnds   = "<!-- git dos init --agents: end -->"
)

// Section is what stands between the lines.
func Section() string { return text("section") }

// WithSection puts the section into a file: in its place where it is there, else
// at the end. Nothing else changes. A file is nil where there is none; one in
// UTF-16 is refused.
func WithSection(file []byte) ([]byte, error) {
	at, err := findSection(file)
	if err == nil && bytes.IndexByte(file, 0) >= 0 {
		err = errors.New("it is not UTF-8; save it as that")
	}
	if err != nil {
		return nil, err
	}
	nl := "\n"
	if bytes.Contains(file, []byte("\r\n")) {
		nl = "\r\n"
	}
	breaks := 0
	switch {
	case at != nil:
		breaks = at.breaks
	case bytes.HasSuffix(file, []byte("\n")):
		breaks = 1
	case len(file) > 0:
		breaks = 2
	}
	mark := fmt.Sprintf(" %d -->", breaks)
	if at == nil && file != nil && len(file) == 0 || at != nil && at.empty {
		mark = sectionEmpty
	}
	lines := sectionBegins + mark + "\n" + Section() + sectionEnds + "\n"
	lines = strings.ReplaceAll(lines, "\n", nl)
	if at != nil {
		return splice(file, at.start, at.end, lines), nil
	}
	return append(append([]byte{}, file...), strings.Repeat(nl, breaks)+lines...), nil
}

// WithoutSection takes the section out, with the line breaks that were put
// before it. Where nothing else stands there it is nil, if there was no file.
func WithoutSection(file []byte) ([]byte, error) {
	at, err := findSection(file)
	if err != nil || at == nil {
		return file, err
	}
	start := at.start
	for range at.breaks {
		if bytes.HasSuffix(file[:start], []byte(at.nl)) {
			start -= len(at.nl)
		}
	}
	if start == 0 && at.end == len(file) && !at.empty {
		return nil, nil
	}
	return splice(file, start, at.end, ""), nil
}

// A place is where the section stands, with its lines.
type place struct {
	start, end, breaks int
	empty              bool   // it was put into a file without a byte
	nl                 string // how its lines end
}

// findSection finds the section, nil where there is none. Half a section, or two,
// is an error: what belongs to whom is not known then.
func findSection(file []byte) (*place, error) {
	var found *place
	at := 0
	for line := range bytes.Lines(file) {
		words := strings.TrimRight(string(line), "\r\n")
		switch {
		case strings.HasPrefix(words, sectionBegins):
			if found != nil {
				return nil, errors.New("the section of git dos begins twice; take one of them out")
			}
			mark := strings.TrimPrefix(words, sectionBegins)
			found = &place{start: at, end: -1, empty: mark == sectionEmpty, nl: string(line[len(words):])}
			if found.empty {
				break
			}
			if _, err := fmt.Sscanf(mark, " %d -->", &found.breaks); err != nil || found.breaks < 0 || found.breaks > 2 {
				return nil, errors.New("the line on which the section of git dos begins was changed; take the section out by hand")
			}
		case words == sectionEnds:
			if found == nil || found.end >= 0 {
				return nil, errors.New("the section of git dos ends where it has not begun; take that line out")
			}
			found.end = at + len(line)
		}
		at += len(line)
	}
	if found != nil && found.end < 0 {
		return nil, errors.New("the section of git dos does not end; put its last line back: " + sectionEnds)
	}
	return found, nil
}
