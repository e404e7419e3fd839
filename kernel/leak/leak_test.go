package leak

import (
	"slices"
	"strings"
	"testing"
)

// split keeps the examples below from being what they are examples of, for
// whoever scans this file.
func split(s string) string { return strings.ReplaceAll(s, "|", "") }

func scanner(t testing.TB, allow ...string) *Scanner {
	t.Helper()
	s, err := NewScanner(allow)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func scan(t testing.TB, s *Scanner, text string) []Hit {
	t.Helper()
	hits, err := s.Scan([]byte(text))
	if err != nil {
		t.Fatalf("%.80q: %v", text, err)
	}
	return hits
}

func TestCodeGivesAway(t *testing.T) {
	s := scanner(t)
	for text, want := range map[string]struct {
		rule  string
		kind  Kind
		found string
	}{
		split(`const k = "ghp|_x4Tq9LmZ0aB7cWd2EfR5gHs8JkN1pVyUo6iQ"`):                          {"github-pat", Secret, split("ghp|_x4Tq9LmZ0aB7cWd2EfR5gHs8JkN1pVyUo6iQ")},
		split("id: AKIA|Q3EGRT5WBNZ7XLFD"):                                                      {"aws-access-token", Secret, split("AKIA|Q3EGRT5WBNZ7XLFD")},
		split(`api_key = "9f8s7dG|6h5j4Kl3q2w1e0"`):                                             {"generic-api-key", Secret, split("9f8s7dG|6h5j4Kl3q2w1e0")},
		split("curl -u 'ann:Tr0ub4|dor&3' https://x.y"):                                         {"curl-auth-user", Secret, split("'ann:Tr0ub4|dor&3'")},
		split("clone https://ann:s3cr|etw0rd@git.site.org/x"):                                   {"url-password", Secret, split("s3cr|etw0rd")},
		split("see /home|/annika/src/x.go"):                                                     {"home-path", Path, split("/home|/annika/src/x.go")},
		split(`at "/Users|/annika/x"`):                                                          {"home-path", Path, split("/Users|/annika/x")},
		split(`C:\\Users|\\annika\\x`):                                                          {"windows-home-path", Path, split(`C:\\Users|\\annika\\x`)},
		split("http://wiki.eng|.corp/x"):                                                        {"private-host", Host, split("wiki.eng|.corp")},
		split("https://build|.internal/x"):                                                      {"private-host-name", Host, split("build|.internal")},
		split("dial ci-3|.internal:80"):                                                         {"private-host-name", Host, split("ci-3|.internal")},
		split("at 10.20|.30.44, port 1"):                                                        {"private-address", Host, split("10.20|.30.44")},
		split("(192.168|.7.20)"):                                                                {"private-address", Host, split("192.168|.7.20")},
		split("ask annika.berg|@mailbox.org."):                                                  {"mail-address", Person, split("annika.berg|@mailbox.org")},
		split("-----BEGIN RSA PRIVATE| KEY-----\n" + keyBody + "-----END RSA PRIVATE KEY-----"): {"private-key", Secret, ""},
	} {
		hits := scan(t, s, "first\n  "+text+"\nlast")
		if len(hits) != 1 || hits[0].Rule != want.rule || hits[0].Kind != want.kind || hits[0].Line != 2 || hits[0].Token != want.kind.Token() {
			t.Errorf("%q: %+v, want %s in line 2", text, hits, want.rule)
			continue
		}
		h := hits[0]
		whole := "first\n  " + text
		if want.found != "" && (whole[h.Start:h.End] != want.found || h.Column != h.Start-len("first")) {
			t.Errorf("%q: column %d, %q; want %q", text, h.Column, whole[h.Start:h.End], want.found)
		}
		if h.Fingerprint != Fingerprint(h.Rule, whole[h.Start:h.End]) {
			t.Errorf("%q: fingerprint %s", text, h.Fingerprint)
		}
	}
}

var keyBody = strings.Repeat("MIIEowIBAAKCAQEAx7Jc9Qm2\n", 12)

func TestCodeGivesNothingAway(t *testing.T) {
	s := scanner(t)
	for _, text := range []string{
		"", "\n\n", "the token is read from the environment", `password = os.Getenv("PASSWORD")`, "api_key = ${API_KEY}", "key: value",
		"/home/user/x", "/home/runner/work/x", "/Users/me/x", "/home/$USER/x", "GET /users/42/posts", "https://example.com/home/ann/x", "/home/ann",
		"x.local = 1", "pkg.internal is a folder", "a.local()", "host.docker.internal:80", "x.corp(1)",
		"10.0.0.1", "10.0.0.0/8", "version 1.10.1.2", "192.168.1.0/24", "10.1.2", "Section 10.2.1.2", "10.300.1.2", "127.0.0.1",
		"Signed-off-by: Ann Berg <ann.berg@mailbox.org>", "Co-authored-by: A <ann@mailbox.org>", "git@github.com:o/r.git", "1+x@users.noreply.github.com",
		"annika@example.com", "annika@mail.example.org", "annika@host.test", "icon@2x.png", "ssh://ann@host.org/x", "noreply@site.org", "// Copyright Ann Berg <ann.berg@mailbox.org>", "m.Path@m.Version",
		"https://user:password@host.org", "http://u:${PW}@host.org", "http://host.org:80/@x", "-----BEGIN CERTIFICATE-----", "-----BEGIN RSA PRIVATE KEY-----",
		split("AKIA|IOSFODNN7EXAMPLE"), "see /usr/bin/env and /etc/hosts", "~/secret/x", "password: hunter2hunter2x", split("SI1sDx+EAAA|AAABIiVwkWEiJfCRASIlMJDhJ"),
	} {
		if hits := scan(t, s, text); len(hits) > 0 {
			t.Errorf("%q: %+v, want none", text, hits)
		}
	}
}

func TestProseGivesAwayMore(t *testing.T) {
	code, prose := scanner(t), scanner(t).Prose()
	for text, want := range map[string]string{
		"built in /srv/build/repo":                AbsolutePath,
		`D:\work\repo`:                            AbsolutePath,
		split("look at /home|/annika"):            "home-folder",
		"~/secret/x":                              "own-folder",
		"file:///etc/x":                           "file-url",
		`on \\fileserver\share\x`:                 "file-server",
		split("-----BEGIN RSA PRIVATE| KEY-----"): "private-key-header",
		split("ghp|_abcdefghijklmnopqrst0123"):    "token-prefix",
		split("password: hunter2|hunter2x"):       "password",
		"Authorization: Bearer abcdef0123456789":  "bearer",
	} {
		if hits := scan(t, prose, text); len(hits) != 1 || hits[0].Rule != want {
			t.Errorf("%q: %+v, want %s", text, hits, want)
		}
		if hits := scan(t, code, text); len(hits) > 0 {
			t.Errorf("in code %q: %+v, want none", text, hits)
		}
	}
	for _, text := range []string{"the route /app answers", "run /usr/bin/env", "read ~/.gitconfig", "a or/tmp/x", "/tmp", "the token: required field",
		`C:\Windows\System32\bash.exe`, "see /home/runner/work"} {
		if hits := scan(t, prose, text); len(hits) > 0 {
			t.Errorf("%q: %+v, want none", text, hits)
		}
	}
}

// Some rules are for some files. Where the file is not known, they are for it.
func TestRulesOfSomeFiles(t *testing.T) {
	text := []byte(split(`db_password = "s3cr|et-w0rd"`))
	for path, want := range map[string]int{"a/main.tf": 1, "": 1, "a/main.go": 0} {
		if hits, err := scanner(t).ScanAt(path, 1, text); err != nil || len(hits) != want {
			t.Errorf("%q: %+v, %v; want %d", path, hits, err, want)
		}
	}
}

func TestMaskShowsAQuarterAtMost(t *testing.T) {
	for found, want := range map[string]string{
		"":                    "... (0 bytes)",
		"abc":                 "... (3 bytes)",
		"hunter2":             "h... (7 bytes)",
		"abcdefghijklmnopq":   "abcd... (17 bytes)",
		"\x1b[31mabcdefghijk": "?[31... (16 bytes)",
	} {
		if got := mask(found); got != want {
			t.Errorf("%q: %q, want %q", found, got, want)
		}
	}
}

func TestAllowList(t *testing.T) {
	text := split("x\nid: AKIA|Q3EGRT5WBNZ7XLFD\nat 10.20|.30.44\n")
	all := scan(t, scanner(t), text)
	if len(all) != 2 {
		t.Fatalf("%+v, want two hits", all)
	}
	at := func(path string, allow ...string) int {
		hits, err := scanner(t, allow...).ScanAt(path, 1, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return len(hits)
	}
	for _, tt := range []struct {
		claim string
		got   int
		want  int
	}{
		{"a fingerprint lets through what it names", at("a.go", all[0].Fingerprint), 1},
		{"in upper case it is a glob", at("a.go", strings.ToUpper(all[0].Fingerprint)), 2},
		{"a glob lets its files through", at("testdata/x/a.go", "testdata/**"), 0},
		{"and no others", at("a.go", "testdata/**"), 2},
		{"a glob lets nothing through whose file is unknown", at("", "**"), 2},
		{"the rules leave out lock files", at("web/package-lock.json"), 1},
		{"which are read where the file is unknown", at(""), 2},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %d hits, want %d", tt.claim, tt.got, tt.want)
		}
	}
	for _, bad := range []string{"", "../x", "a\x00b"} {
		if _, err := NewScanner([]string{bad}); err == nil {
			t.Errorf("the allow list takes %q", bad)
		}
	}
}

// What is found next to something found is looked at from both sides as well.
func TestNeighbours(t *testing.T) {
	for text, want := range map[string]int{
		split("10.20|.30.44 10.20|.30.45,10.20|.30.46"): 3,
		split("10.20|.30.44/x10.20|.30.45"):             1,
	} {
		if hits := scan(t, scanner(t), text); len(hits) != want {
			t.Errorf("%q: %+v, want %d hits", text, hits, want)
		}
	}
}

func TestLinesCountFromWhereTheyStand(t *testing.T) {
	text := split("x\n\nat 10.20|.30.44 10.20|.30.45\n\n10.20|.30.46")
	hits, err := scanner(t).ScanAt("a.go", 70, []byte(text))
	if err != nil || len(hits) != 3 {
		t.Fatalf("%+v, %v", hits, err)
	}
	var at []int
	for _, h := range hits {
		at = append(at, h.Line, h.Column)
	}
	if want := []int{72, 4, 72, 16, 74, 1}; !slices.Equal(at, want) {
		t.Errorf("lines and columns %v, want %v", at, want)
	}
}
