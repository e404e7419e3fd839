package hooks

import (
	"bytes"
	"fmt"
	"strings"
)

// MaxInput bounds what is read of a hook's standard input; MaxUpdates is how
// many refs one push may move.
const (
	MaxInput   = 32 << 20
	MaxUpdates = 100_000
)

// A ProtocolError says what of a hook's input or arguments is not as git writes
// them. Nothing follows from such an input.
type ProtocolError struct {
	Hook string
	Line int // from 1; 0 for the arguments, or the input as a whole
	What string
}

func (e *ProtocolError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.Hook, e.What)
	}
	return fmt.Sprintf("%s: line %d of its input: %s", e.Hook, e.Line, e.What)
}

// eachLine hands every line of an input to parse. The updates that parse
// returns must be of one width of ids and name each ref once.
func eachLine(hook string, data []byte, parse func(line string) (Update, error)) ([]Update, error) {
	if len(data) > MaxInput {
		return nil, &ProtocolError{hook, 0, fmt.Sprintf("its input is longer than %d bytes", MaxInput)}
	}
	var all []Update
	seen := map[string]bool{}
	width := 0
	for n := 1; len(data) > 0; n++ {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		data = rest
		u, err := parse(string(line))
		switch {
		case !ended:
			err = fmt.Errorf("it does not end in a newline")
		case err != nil:
		case seen[u.Ref]:
			err = fmt.Errorf("it names %q a second time", u.Ref)
		case len(all) == MaxUpdates:
			err = fmt.Errorf("there are more than %d refs", MaxUpdates)
		default:
			width, err = oneWidth(width, u)
		}
		if err != nil {
			return nil, &ProtocolError{hook, n, err.Error()}
		}
		seen[u.Ref] = true
		all = append(all, u)
	}
	return all, nil
}

func oneWidth(width int, u Update) (int, error) {
	for _, id := range []string{u.Old, u.New} {
		switch {
		case id == "":
		case width == 0:
			width = len(id)
		case width != len(id):
			return width, fmt.Errorf("the ids are not all of one width")
		}
	}
	return width, nil
}

// objectID reads a full object id; the all-zero one means none.
func objectID(word string) (string, error) {
	if len(word) != 40 && len(word) != 64 || strings.Trim(word, "0123456789abcdef") != "" {
		return "", fmt.Errorf("%q is no object id", clip(word))
	}
	if strings.Trim(word, "0") == "" {
		return "", nil
	}
	return word, nil
}

// maxName bounds the name of a ref: git's own is that of a path.
const maxName = 4096

// ValidRef reports whether a name is that of a ref under refs/, by the rules of
// git check-ref-format.
func ValidRef(name string) bool {
	if len(name) > maxName || !strings.HasPrefix(name, "refs/") || strings.HasSuffix(name, ".") {
		return false
	}
	if strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.ContainsAny(name, " ~^:?*[\\\x7f") {
		return false
	}
	for _, part := range strings.Split(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' })
}

func refName(word string) (string, error) {
	if !ValidRef(word) {
		return "", fmt.Errorf("%q is no name of a ref", clip(word))
	}
	return word, nil
}

// clip shortens a word for a message.
func clip(word string) string {
	if len(word) > 100 {
		return word[:100] + "…"
	}
	return word
}
