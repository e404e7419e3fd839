package leak

import (
	"slices"
	"strings"
)

// AbsolutePath is the rule, for prose alone, that every path which starts at
// the top of a machine tells of it.
const AbsolutePath = "absolute-path"

// ownRules are the rules that are not gitleaks'. Those that find what code is
// full of are for prose alone.
func ownRules() []*rule {
	code := func(id string, kind Kind, words, re string, but func(match) bool) *rule {
		return &rule{ID: id, kind: kind, Words: strings.Fields(strings.ToLower(words)), Regex: re, Reach: 512, but: unless(but)}
	}
	prose := func(id string, kind Kind, words, re string, but func(match) bool) *rule {
		r := code(id, kind, words, re, but)
		r.prose = true
		return r
	}
	return []*rule{
		code("home-path", Path, `/home/ /users/`,
			`(?:^|[^\w./~-])((?:/mnt/[a-z])?/(?:home|Users)/[\w.-]+/[\w./-]*)`, nobodysHome),
		code("windows-home-path", Path, `:\ :/`, `(?i)(?:^|[^\w])([a-z]:[\\/]+Users[\\/]+[\w.-]+[\\/][\w.\\/-]*)`, nobodysHome),
		code("private-host", Host, `.lan .corp .intranet .home.arpa`,
			`(?i)\b([a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)*\.(?:lan|corp|intranet|home\.arpa))(?:[^\w(.-]|\.?$|\.\s)`, nil),
		code("private-host-name", Host, `.local .internal`,
			`(?i)(?:://([\w.-]+\.(?:local|internal))|\b([a-z0-9-]*[0-9-][a-z0-9-]*\.(?:local|internal)))(?:[^\w(.-]|\.?$|\.\s)`, everybodysHost),
		code("private-address", Host, `10. 192.168. 172.`,
			`(?:^|[^\w.])((?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3})(?:[^\w./]|\.?$|\.\s|/[^\d]|/$)`, nobodysAddress),
		code("mail-address", Person, `@`, `(?i)[a-z0-9][a-z0-9._%+-]*@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b`, nobodysMail),
		code("url-password", Secret, `://`, `(?i)\b[a-z][a-z0-9+.-]*://[^\s/:@"'<>{}$%]+:([^\s/@"'<>]+)@[a-z0-9[]`, placeholder),

		prose("home-folder", Path, `/home/ /users/ /root/ /private/ /var/folders/`,
			`(?i)(?:^|[^\w./~-])((?:/home/|/Users/|/root/|/private/|/var/folders/|/mnt/[a-z]/Users/)[\w./-]+)`, nobodysHome),
		prose("windows-home-folder", Path, `:\ :/`, `(?i)\b([a-z]:[\\/]+Users[\\/]+[\w.\\/-]+)`, nobodysHome),
		prose("own-folder", Path, `~/`, `(?:^|[^\w./~-])(~/[A-Za-z0-9_][\w./-]*)`, nil), // ~/.gitconfig is anybody's
		prose("file-url", Path, `file:///`, `(?i)\bfile:///\S+`, nil),
		prose("file-server", Host, `\\`, `(?:^|[^\w:\\])(\\\\[A-Za-z0-9][\w.-]+\\[\w$.-]+)`, nil),
		prose(AbsolutePath, Path, strings.Join(tops, " ")+` :\`,
			`(?:^|[^\w./~-])((?:`+strings.Join(tops, "|")+`)[\w.-]+(?:/[\w./-]*)?|[A-Za-z]:\\[\w.-]+\\[\w.\\-]+)`, everybodysFolder),
		prose("private-key-header", Secret, `-----begin`, `-----BEGIN [A-Z ]*PRIVATE KEY-----`, nil),
		prose("token-prefix", Secret, `akia asia ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- glrt- gldt- glcbt- glsoat- xox sk- aiza npm_`,
			`\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}\b|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|gl(?:pat|rt|dt|cbt|soat)-[\w-]{16,}`+
				`|xox[abeprs]-[A-Za-z0-9-]{10,}|sk-[A-Za-z0-9_-]{20,}|AIza[\w-]{35}|npm_[A-Za-z0-9]{30,})`, nil),
		prose("web-token", Secret, `eyj`, `\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}`, nil),
		prose("url-login", Secret, `://`, `(?i)\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@`, nil),
		prose("bearer", Secret, `bearer basic`, `(?i)\b(?:authorization\s*:\s*)?(?:bearer|basic)\s+[A-Za-z0-9+/=._~-]{16,}`, plainWord),
		prose("password", Secret, `password passwd`, `(?i)\b(?:[a-z]+[_-])*(?:password|passwd)["']?\s*[:=]\s*["']?[^\s"']{6,}`, plainWord),
		prose("assigned-secret", Secret, `secret token key`,
			`(?i)\b(?:[a-z]+[_-])*(?:secret|token|api[_-]?key|access[_-]?key)["']?\s*[:=]\s*["']?[^\s"']{8,}`, plainWord),
	}
}

// tops are the folders at the top of a machine in which its owners keep what is
// theirs. What is alike everywhere, as /usr and /etc are, tells nothing.
var tops = []string{
	"/home/", "/Users/", "/root/", "/private/", "/srv/", "/mnt/", "/media/", "/opt/", "/tmp/", "/var/", "/Volumes/",
	"/work/", "/workspace/", "/workspaces/", "/builds/", "/data/", "/scratch/", "/nfs/",
}

// unless keeps a rule without exceptions from having gitleaks' ones.
func unless(but func(match) bool) func(match) bool {
	if but == nil {
		return func(match) bool { return false }
	}
	return but
}

// everybodysFolder reports whether a folder is alike on many machines.
func everybodysFolder(m match) bool {
	_, below, drive := strings.Cut(strings.ToLower(string(m.found())), `:\`)
	return drive && (strings.HasPrefix(below, `windows\`) || strings.HasPrefix(below, "program")) || nobodysHome(m)
}

// nobodysHome reports whether the user in a path of a home is made up, or an
// account that many machines have.
func nobodysHome(m match) bool {
	parts := strings.FieldsFunc(strings.ToLower(string(m.found())), func(r rune) bool { return r == '/' || r == '\\' })
	for i, p := range parts[:max(0, len(parts)-1)] {
		if p == "home" || p == "users" {
			return slices.Contains(commonUsers, strings.Trim(parts[i+1], "."))
		}
	}
	return false
}

var commonUsers = []string{
	"user", "username", "user1", "user2", "users", "me", "you", "yourname", "your-name", "your_name", "youruser", "yourusername", "name", "someone",
	"somebody", "foo", "bar", "foobar", "baz", "example", "test", "testuser", "tester", "dummy", "fake", "xxx", "runner", "runneradmin", "vsts", "circleci",
	"travis", "build", "builder", "buildbot", "jenkins", "gitlab-runner", "ubuntu", "debian", "fedora", "ec2-user", "vagrant", "docker", "node", "app", "git",
	"gopher", "coder", "vscode", "codespace", "gitpod", "jovyan", "linuxbrew", "public", "shared", "default", "admin", "administrator", "guest", "default.migrated",
}

// everybodysHost reports whether a name means the same kind of host everywhere.
func everybodysHost(m match) bool {
	name := strings.ToLower(string(m.found()))
	for _, known := range []string{"host.docker.internal", "metadata.google.internal", "svc.cluster.local", "example.local", "example.internal"} {
		if name == known || strings.HasSuffix(name, "."+known) {
			return true
		}
	}
	return false
}

// nobodysAddress reports whether an address means no machine: it does not
// exist, it is a network's, or it is the first one, which most networks have;
// or it is the number of a section or a version.
func nobodysAddress(m match) bool {
	before := strings.ToLower(strings.TrimRight(string(m.text[max(0, m.start-12):m.start]), " \t"))
	for _, word := range []string{"section", "sect.", "sec.", "§", "version", "chapter", "appendix", "clause"} {
		if strings.HasSuffix(before, word) {
			return true
		}
	}
	parts := strings.Split(string(m.found()), ".")
	for _, p := range parts {
		if len(p) == 3 && p > "255" || len(p) > 1 && p[0] == '0' {
			return true
		}
	}
	return slices.Contains([]string{"0", "1", "255"}, parts[3])
}

// plainWord reports whether the last word of a match is one of prose, with no
// digit in it, so that "token: required-for-all" is no token.
func plainWord(m match) bool {
	found := string(m.found())
	last := found[strings.LastIndexAny(found, " \t\n:=\"'")+1:]
	return !strings.ContainsAny(last, "0123456789")
}

// placeholder reports whether a password stands for one.
func placeholder(m match) bool {
	word := strings.ToLower(string(m.found()))
	return strings.ContainsAny(word, "$%{}[]()*\\`") || strings.Trim(word, "x.*") == "" ||
		slices.Contains([]string{"password", "passwd", "pass", "pwd", "pw", "secret", "token", "test", "foo", "bar", "p", "port", "changeme", "redacted", "hunter2"}, word)
}
