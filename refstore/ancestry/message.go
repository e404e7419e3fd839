package ancestry

import (
	"bytes"
	"strings"
)

// Subject is the title of a commit message as git shows it: leading blank
// lines skipped, the lines of the first paragraph joined by one space. The
// bytes are otherwise as they are; they need not be UTF-8 nor printable.
func Subject(message []byte) string {
	var title []string
	for len(message) > 0 {
		var line []byte
		line, message, _ = bytes.Cut(message, []byte("\n"))
		line = bytes.TrimRight(line, blanks)
		if len(line) > 0 {
			title = append(title, string(line))
		} else if len(title) > 0 {
			break
		}
	}
	return strings.Join(title, " ")
}

// blanks is white space as git sees it; vertical tab and form feed are text.
const blanks = " \t\r\n"

func blank(line []byte) bool { return len(bytes.Trim(line, blanks)) == 0 }

func indented(line []byte) bool {
	return len(line) > 0 && strings.IndexByte(blanks, line[0]) >= 0
}

// Body is what follows the title of a commit message, without the blank lines
// between them.
func Body(message []byte) []byte {
	title := false
	for len(message) > 0 {
		line, rest, _ := bytes.Cut(message, []byte("\n"))
		switch {
		case !blank(line):
			title = true
		case title:
			return bytes.TrimLeft(rest, "\n")
		}
		message = rest
	}
	return nil
}
