package leak

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// nobodysMail reports whether an address reaches no person, or is part of what
// names one on purpose: a trailer such as Signed-off-by, a line of authors, a
// name of a file or a module.
func nobodysMail(m match) bool {
	end := m.found()[bytes.LastIndexByte(m.found(), '.')+1:]
	local, domain, _ := strings.Cut(strings.ToLower(string(m.found())), "@")
	switch {
	case !bytes.Equal(end, bytes.ToLower(end)) && !bytes.Equal(end, bytes.ToUpper(end)):
		return true // x.Path@x.Version
	case slices.Contains(commonLocals, local), strings.Contains(local, "noreply"), strings.Contains(local, "no-reply"):
		return true
	case strings.Contains(domain, "noreply"), exampleDomain(domain):
		return true
	case slices.Contains(fileEndings, domain[strings.LastIndexByte(domain, '.')+1:]):
		return true // icon@2x.png
	case m.from > 0 && strings.IndexByte("/:@", m.text[m.from-1]) >= 0, m.to < len(m.text) && m.text[m.to] == ':' && m.to+1 < len(m.text) && m.text[m.to+1] != ' ':
		return true // part of an address of something else, as in git@host:path
	}
	return signing().Match(m.line())
}

var commonLocals = []string{
	"git", "hg", "svn", "info", "support", "contact", "security", "admin", "webmaster", "postmaster", "hostmaster", "abuse", "help", "hello", "sales",
	"team", "user", "username", "you", "me", "name", "foo", "bar", "test", "example", "someone", "root", "nobody", "mailer-daemon", "bot", "a", "b", "c", "x",
}

// fileEndings look like the end of a domain and are those of files.
var fileEndings = []string{"png", "jpg", "jpeg", "gif", "svg", "webp", "js", "mjs", "ts", "css", "html", "go", "py", "json", "md", "txt", "so", "service", "target", "path"}

// exampleDomain reports whether a domain is kept for examples, or names this
// machine.
func exampleDomain(domain string) bool {
	labels := strings.Split(domain, ".")
	last := labels[len(labels)-1]
	second := labels[max(0, len(labels)-2)]
	return slices.Contains([]string{"example", "invalid", "test", "localhost", "localdomain", "local"}, last) ||
		slices.Contains([]string{"example", "test", "domain", "foo", "bar", "email", "host"}, second) && len(labels) <= 3
}

var signing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:[a-z]+(?:-[a-z]+)*-by|cc|author|authors|maintainer|maintainers|copyright|from)\s*[:=(]|copyright|\(c\)\s|©`)
})
