package queue

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
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

// Leaks finds what a text gives away, in its order. It goes by simple rules:
// a text without leaks may still tell what it should not.
func (m Machine) Leaks(where, text string) []Leak {
	var all []Leak
	add := func(r Rule, spans [][]int) {
		for _, s := range spans {
			all = append(all, Leak{r, where, 1 + strings.Count(text[:s[0]], "\n"), [2]int{s[0], s[1]}})
		}
	}
	low := strings.ToLower(text)
	for _, shape := range leakShapes() {
		if slices.ContainsFunc(shape.has, func(part string) bool { return strings.Contains(low, part) }) {
			add(shape.rule, shape.find(text))
		}
	}
	for _, path := range m.Paths {
		if named(path) {
			add(MachinePath, spansOf(text, path, false, pathRune))
			add(MachinePath, spansOf(text, strings.ReplaceAll(path, "/", `\`), false, pathRune))
		}
	}
	for _, host := range m.Hosts {
		if telling(host) {
			add(HostName, spansOf(text, host, true, wordRune))
		}
	}
	slices.SortStableFunc(all, func(a, b Leak) int { return a.span[0] - b.span[0] })
	return slices.CompactFunc(all, func(a, b Leak) bool { return a.Rule == b.Rule && b.span[0] < a.span[1] })
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

// A leakShape is a pattern, with the parts of which every match has one, in
// lower case, and what of a match is not one after all.
type leakShape struct {
	rule Rule
	has  []string
	re   *regexp.Regexp
	but  func(match string) bool
}

// find returns where the shape stands: its group, where it has one.
func (s leakShape) find(text string) (spans [][]int) {
	for _, at := range s.re.FindAllStringSubmatchIndex(text, -1) {
		at = at[len(at)-2:]
		if s.but == nil || !s.but(text[at[0]:at[1]]) {
			spans = append(spans, at)
		}
	}
	return spans
}

var leakShapes = sync.OnceValue(func() []leakShape {
	shape := func(r Rule, has, re string, but func(string) bool) leakShape {
		return leakShape{r, strings.Fields(has), regexp.MustCompile(re), but}
	}
	return []leakShape{
		shape(MachinePath, `/home/ /users/ /root/ /private/ /var/folders/`,
			`(?i)(?:^|[^\w./~-])((?:/home/|/Users/|/root/|/private/|/var/folders/|/mnt/[a-z]/Users/)[\w./-]+)`, nil),
		shape(MachinePath, `:\ :/`, `(?i)\b[a-z]:[\\/]+Users[\\/]+[\w.\\/-]+`, nil),
		shape(MachinePath, `~/`, `(?:^|[^\w./~-])(~/[A-Za-z0-9_][\w./-]*)`, nil), // ~/.gitconfig is anybody's
		shape(HostName, `\\`, `(?:^|[^\w:\\])(\\\\[A-Za-z0-9][\w.-]+\\[\w$.-]+)`, nil),
		shape(MachinePath, `file:///`, `(?i)\bfile:///\S+`, nil),
		shape(HostName, `.lan .corp .intranet .home.arpa`,
			`(?i)\b[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)*\.(?:lan|corp|intranet|home\.arpa)\b`, nil),
		shape(HostName, `.local .internal`, `(?i)\b[a-z0-9-]*[0-9-][a-z0-9-]*\.(?:local|internal)\b`, nil),
		shape(HostName, `10. 192.168. 172.`, `\b(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}\b`, nil),
		shape(Credential, `-----begin`, `-----BEGIN [A-Z ]*PRIVATE KEY-----`, nil),
		shape(Credential, `akia asia`, `\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`, nil),
		shape(Credential, `ghp_ gho_ ghu_ ghs_ ghr_`, `\bgh[pousr]_[A-Za-z0-9]{20,}`, nil),
		shape(Credential, `github_pat_`, `\bgithub_pat_[A-Za-z0-9_]{20,}`, nil),
		shape(Credential, `glpat- glrt- gldt- glcbt- glsoat-`, `\bgl(?:pat|rt|dt|cbt|soat)-[\w-]{16,}`, nil),
		shape(Credential, `xox`, `\bxox[abeprs]-[A-Za-z0-9-]{10,}`, nil),
		shape(Credential, `sk-`, `\bsk-[A-Za-z0-9_-]{20,}`, nil),
		shape(Credential, `aiza`, `\bAIza[\w-]{35}`, nil),
		shape(Credential, `npm_`, `\bnpm_[A-Za-z0-9]{30,}`, nil),
		shape(Credential, `eyj`, `\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}`, nil),
		shape(Credential, `://`, `(?i)\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@`, nil),
		shape(Credential, `bearer basic`, `(?i)\b(?:authorization\s*:\s*)?(?:bearer|basic)\s+[A-Za-z0-9+/=._~-]{16,}`, plainWord),
		shape(Credential, `password passwd`, `(?i)\b(?:[a-z]+[_-])*(?:password|passwd)["']?\s*[:=]\s*["']?[^\s"']{6,}`, plainWord),
		shape(Credential, `secret token key`,
			`(?i)\b(?:[a-z]+[_-])*(?:secret|token|api[_-]?key|access[_-]?key)["']?\s*[:=]\s*["']?[^\s"']{8,}`, plainWord),
	}
})

// plainWord reports whether the last word of a match is one of prose, with no
// digit in it, so that "token: required-for-all" is no token.
func plainWord(match string) bool {
	last := match[strings.LastIndexAny(match, " \t\n:=\"'")+1:]
	return !strings.ContainsAny(last, "0123456789")
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
