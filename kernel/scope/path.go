package scope

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/lane"
)

// Tidy returns the path that git would store for a path from the top of the
// repository as people and tools write it: "." and doubled slashes dropped,
// ".." resolved. It is false for what git cannot have stored: an absolute
// path, one that leaves the repository or is its top, one inside a .git, and
// one with a NUL.
func Tidy(written string) (string, bool) {
	if strings.HasPrefix(written, "/") || strings.IndexByte(written, 0) >= 0 {
		return "", false
	}
	p := path.Clean(written)
	if p == "." || p == ".." || strings.HasPrefix(p, "../") {
		return "", false
	}
	for name := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(name, ".git") {
			return "", false
		}
	}
	return p, true
}

// LinkTarget is the path that the text of a symbolic link means, "" outside the
// repository and for its top.
func LinkTarget(link, text string) string {
	if path.IsAbs(text) || len(text) > 1 && text[1] == ':' {
		return ""
	}
	p, _ := Tidy(path.Join(path.Dir(link), text))
	return p
}

// Shown is a path as text that survives JSON. One that is not UTF-8, or that
// begins with a double quote, is written as git quotes it; no other begins
// with one.
func Shown(p string) string {
	if utf8.ValidString(p) && !strings.HasPrefix(p, `"`) {
		return p
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(p) {
		switch c := p[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// shown is Shown of every path, never nil.
func shown(paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, p := range paths {
		out = append(out, Shown(p))
	}
	return out
}

// outside lists the paths that lie in no entry of the tree.
func outside(tree, paths []string) []string {
	s := lane.NewScope(tree)
	var out []string
	for _, p := range paths {
		if !s.Contains(p) {
			out = append(out, p)
		}
	}
	return out
}

// maxNamed is how many paths the text for people names.
const maxNamed = 20

// named writes paths for people, one to a line.
func named(b *strings.Builder, paths []string) {
	for i, p := range paths {
		if i == maxNamed {
			fmt.Fprintf(b, "\n  and %d more", len(paths)-maxNamed)
			return
		}
		fmt.Fprintf(b, "\n  %q", p)
	}
}
