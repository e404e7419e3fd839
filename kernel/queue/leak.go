package queue

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/leak"
)

// A Rule names what a text gives away.
type Rule string

// The rules.
const (
	MachinePath Rule = "machine_path" // a folder of somebody's machine
	HostName    Rule = "host_name"    // a machine, or an address of a private network
	Credential  Rule = "credential"   // what looks like a key, a token or a password
)

func (r Rule) known() bool { return r == MachinePath || r == HostName || r == Credential }

// A Machine is what this machine is called, so that no text of the queue says
// it: the queue is shared.
type Machine struct {
	Paths []string // such as the home and the repository's folder
	Hosts []string
}

// A Leak is one place where a text gives something away. It does not repeat
// what.
type Leak struct {
	Rule  Rule   `json:"rule"`
	Where string `json:"where"` // the field
	Line  int    `json:"line"`  // of the field, from 1
	span  [2]int
}

// Leaks finds what a text gives away, in its order. It goes by shapes: a text
// without leaks may still tell what it should not. A text that cannot be judged
// is one leak from its beginning to its end.
func (m Machine) Leaks(where, text string) []Leak {
	var all []Leak
	add := func(r Rule, from, to int) {
		all = append(all, Leak{r, where, 1 + strings.Count(text[:from], "\n"), [2]int{from, to}})
	}
	hits, err := scan(text)
	if err != nil {
		return []Leak{{Credential, where, 1, [2]int{0, len(text)}}}
	}
	for _, h := range hits {
		if r, ok := ruleOf(h); ok {
			add(r, h.Start, h.End)
		}
	}
	for _, path := range m.Paths {
		if named(path) {
			for _, at := range append(spansOf(text, path, false, pathRune), spansOf(text, strings.ReplaceAll(path, "/", `\`), false, pathRune)...) {
				add(MachinePath, at[0], at[1])
			}
		}
	}
	for _, host := range m.Hosts {
		if telling(host) {
			for _, at := range spansOf(text, host, true, wordRune) {
				add(HostName, at[0], at[1])
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Leak) int { return a.span[0] - b.span[0] })
	return slices.CompactFunc(all, func(a, b Leak) bool { return a.Rule == b.Rule && b.span[0] < a.span[1] })
}

var scanner = sync.OnceValues(func() (*leak.Scanner, error) { return leak.NewScanner(nil) })

func scan(text string) ([]leak.Hit, error) {
	s, err := scanner()
	if err != nil {
		return nil, err
	}
	return s.Prose().Scan([]byte(text))
}

// ruleOf is the rule of the queue for what was found. Tasks name files of any
// machine, such as /var/log/syslog, and people.
func ruleOf(h leak.Hit) (Rule, bool) {
	switch {
	case h.Rule == leak.AbsolutePath:
		return "", false
	case h.Kind == leak.Path:
		return MachinePath, true
	case h.Kind == leak.Host:
		return HostName, true
	case h.Kind == leak.Secret:
		return Credential, true
	}
	return "", false
}

// Mask returns a text with [withheld] in the place of each leak.
func Mask(text string, leaks []Leak) string {
	var b strings.Builder
	at := 0
	for _, l := range leaks {
		if l.span[1] <= at {
			continue
		}
		if l.span[0] >= at {
			b.WriteString(text[at:l.span[0]] + "[withheld]")
		}
		at = l.span[1]
	}
	return b.String() + text[at:]
}

// Rules are the rules of leaks, each once.
func Rules(leaks []Leak) (rules []Rule) {
	for _, l := range leaks {
		if !slices.Contains(rules, l.Rule) {
			rules = append(rules, l.Rule)
		}
	}
	return rules
}

// spansOf finds a name where no rune that goes on with it stands around it.
func spansOf(text, name string, fold bool, on func(rune) bool) (spans [][]int) {
	hay := text
	if fold {
		hay, name = asciiLower(text), asciiLower(name)
	}
	for from := 0; ; {
		i := strings.Index(hay[from:], name)
		if i < 0 {
			return spans
		}
		at := from + i
		end := at + len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (at == 0 || !on(before)) && (end == len(text) || !wordRune(after)) {
			spans = append(spans, []int{at, end})
		}
		from = end
	}
}

// asciiLower keeps every byte where it is, which strings.ToLower does not.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func wordRune(r rune) bool { return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func pathRune(r rune) bool { return wordRune(r) || strings.ContainsRune(`./\~`, r) }

// named reports whether a path tells one machine from another: the top of a
// container, such as /app, is also what people call a route.
func named(path string) bool {
	return strings.Count(strings.Trim(path, "/"), "/") >= 1 && len(path) >= 6
}

// telling reports whether a host's name is one that means a machine.
func telling(host string) bool {
	return len(host) >= 4 && !slices.Contains(commonHosts, asciiLower(host))
}

var commonHosts = []string{
	"localhost", "local", "localdomain", "host", "server", "runner", "build", "builder", "worker", "docker", "container",
	"linux", "ubuntu", "debian", "fedora", "alpine", "windows", "macbook", "desktop", "laptop", "sandbox", "test", "node", "main",
}
