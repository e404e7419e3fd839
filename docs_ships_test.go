package gitdos_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
)

// tableRows calls f with the cells of each row of the tables with this head.
func tableRows(text, head string, f func(cells []string)) {
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == head:
			inside = true
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside && !strings.HasPrefix(line, "|---"):
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			f(cells)
		}
	}
}

func unquoted(cell string) string { return strings.Trim(cell, "`") }

func unitQuery(t *testing.T, unit, settings string) ship.Query {
	t.Helper()
	p, err := policy.Parse([]byte("[stamp]\n" + settings + "\n"))
	if err != nil {
		t.Fatalf("%s: %v", settings, err)
	}
	plan, phase, _ := strings.Cut(unit, " ")
	q, err := ship.NewQuery(plan, phase, p.Stamp)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Every subject and trailer in docs/ships.md names its unit as it says there.
func TestShipsDocumentForms(t *testing.T) {
	text := document(t, "docs/ships.md")
	forms, nots, trailers := 0, 0, 0
	check := func(settings, subject, unit, said string) {
		want := ""
		if !strings.HasPrefix(said, "no") {
			want = regexp.MustCompile("^`([a-z-]+)`").FindString(said)
		}
		if got := unitQuery(t, unit, settings).Naming(subject, nil, nil).Rung; string(got) != unquoted(want) {
			t.Errorf("%s %q for %s: got %q, the document says %q", settings, subject, unit, got, said)
		}
		if forms++; want == "" {
			nots++
		}
	}
	tableRows(text, "| subject | unit | named as |", func(c []string) { check("", unquoted(c[0]), c[1], c[2]) })
	tableRows(text, "| setting | subject | unit | named as |", func(c []string) { check(unquoted(c[0]), unquoted(c[1]), c[2], c[3]) })
	tableRows(text, "| trailer | names AUTH AUTH2 |", func(c []string) {
		value := strings.TrimPrefix(unquoted(c[0]), "Dos-Ship: ")
		trailers++
		if got := unitQuery(t, "AUTH AUTH2", "").IsUnit(value); got != strings.HasPrefix(c[1], "yes") {
			t.Errorf("trailer %q: %v, the document says %q", value, got, c[1])
		}
	})
	if forms < 30 || nots < 15 || forms-nots < 10 || trailers < 5 {
		t.Errorf("%d forms, %d that do not count, %d trailers: the test looks in the wrong place", forms, nots, trailers)
	}
}

// It has every word that a verdict may hold.
func TestShipsDocumentWords(t *testing.T) {
	text := document(t, "docs/ships.md")
	source := document(t, "kernel/ship/ship.go") + document(t, "kernel/ship/witness.go")
	words := regexp.MustCompile(`\s(?:Rung|Source|Witness|Outcome)\s+= "([A-Za-z_-]+)"`).FindAllStringSubmatch(source, -1)
	for _, m := range words {
		if m[1] == strings.ToLower(m[1]) && !strings.Contains(text, "`"+m[1]+"`") || !strings.Contains(text, m[1]) {
			t.Errorf("docs/ships.md has no %s", m[1])
		}
	}
	if len(words) < 20 {
		t.Errorf("%d words seen: the test looks in the wrong place", len(words))
	}
}

// The commands for signing, run as they stand there, end in a signed ship.
func TestShipsDocumentSigns(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("needs ssh-keygen, of the package openssh-client")
	}
	_, text, found := strings.Cut(document(t, "docs/ships.md"), "## Sign ships")
	script := "set -e\n"
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		script += m[1]
	}
	if !found || !strings.Contains(script, "ssh-keygen") || !strings.Contains(script, "--floor signed") {
		t.Fatalf("the test looks in the wrong place: %s", script)
	}
	home, repo := t.TempDir(), t.TempDir()
	bin := filepath.Join(home, "bin")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(bin, "git-dos"), "./cmd/git-dos").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, dir := range []string{filepath.Join(home, ".ssh"), filepath.Join(repo, "api")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(repo, "api", "a"), []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rules := "[lanes]\nconcurrent = [\"api\"]\n[lanes.trees]\napi = [\"api/**\"]\n[plans]\nAUTH = \"api\"\n"
	if err := os.WriteFile(filepath.Join(repo, "dos.toml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "git init -q\n"+script)
	cmd.Dir = repo
	cmd.Env = append(quietEnv(home), "GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=worker@example.com", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=worker@example.com",
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "SHIPPED AUTH AUTH2 ") {
		t.Errorf("%v\n%s", err, out)
	}
}
