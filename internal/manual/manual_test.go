package manual

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTextIsNeverARequest(t *testing.T) {
	for in, want := range map[string]string{
		".so /etc/passwd":  `\&.so /etc/passwd`,
		"'br":              `\(aqbr`,
		`\*x \fB \n(.g`:    `\e*x \efB \en(.g`,
		"a\n.SH EVIL":      "a .SH EVIL",
		"-x `y` ~^":        `\-x \(gay\(ga \(ti\(ha`,
		"é\u202e":          `\[u00E9]\[u202E]`,
		"bell\a esc\x1b[0": "bell esc[0",
		"trailing  ":       "trailing",
	} {
		if got := escape(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := quoted(`a "b" c`); got != `a \(dqb\(dq c` {
		t.Errorf("quoted: %q", got)
	}
}

func page(name, summary string) Page {
	return Page{Name: name, Summary: summary, Date: "2026-01-02", Synopsis: []string{name}, SeeAlso: []string{"git(1)"}}
}

func TestAPageHasItsSections(t *testing.T) {
	p := page("git-x", "does x")
	p.Description = "one\n  set\n  so\ntwo\n\nthree"
	p.Options = []List{{Entries: []Entry{{"--a", "", "b"}}}}
	p.Statuses = []List{{"sub", []Entry{{"0", "DONE", "it is"}}}}
	p.Environment = []Entry{{"X", "", "y"}}
	p.Examples = []string{"git x"}
	got := string(p.Roff())
	if !strings.HasPrefix(got, marker+"\n.TH \"GIT\\-X\" \"1\" \"2026-01-02\"") || strings.Contains(got, "\n\n") {
		t.Errorf("got %s", got)
	}
	at := 0
	for _, part := range []string{
		".SH \"NAME\"\n", ".SH \"SYNOPSIS\"", ".SH \"DESCRIPTION\"\none\n.nf\nset\nso\n.fi\ntwo\n.PP\nthree\n", ".SH \"OPTIONS\"\n.TP\n\\fB\\-\\-a\\fR\nb\n",
		".SH \"EXIT STATUS\"\n.SS \"sub\"\n.TP\n\\fB0\\fR DONE\nit is\n", ".SH \"ENVIRONMENT\"", ".SH \"EXAMPLES\"", ".SH \"SEE ALSO\"\ngit(1)\n",
	} {
		i := strings.Index(got[at:], part)
		if i < 0 {
			t.Fatalf("%q is not there after %d: %s", part, at, got)
		}
		at += i
	}
	if p.Date = "yesterday"; !bytes.Contains(p.Roff(), []byte(`"1970-01-01"`)) {
		t.Error("a date that is none was written")
	}
}

func TestInstallLeavesTheFilesOfOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	pages := []Page{page("git-x", "x"), page("git-x-a", "a")}
	check := func(claim string, c Change, err error, want Change) {
		t.Helper()
		if err != nil || !slices.Equal(c.Written, want.Written) || !slices.Equal(c.Same, want.Same) || !slices.Equal(c.Removed, want.Removed) || !slices.Equal(c.Foreign, want.Foreign) {
			t.Fatalf("%s: %+v, %v; want %+v", claim, c, err, want)
		}
	}
	c, err := Remove(dir, "git-x")
	check("nothing to remove", c, err, Change{})
	c, err = Install(dir, "git-x", pages)
	check("both are written", c, err, Change{Written: []string{"git-x-a.1", "git-x.1"}})
	c, err = Install(dir, "git-x", pages)
	check("again changes nothing", c, err, Change{Same: []string{"git-x-a.1", "git-x.1"}})

	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("git-x-own.1", "somebody's")
	write("git-other.1", marker+"\n")
	c, err = Install(dir, "git-x", []Page{page("git-x", "better"), page("git-x-b", "b")})
	check("what is of no command any more goes", c, err, Change{Written: []string{"git-x-b.1", "git-x.1"}, Removed: []string{"git-x-a.1"}})

	c, err = Install(dir, "git-x", []Page{page("git-x", "best"), page("git-x-own", "ours")})
	check("a file of others stops it all", c, err, Change{Foreign: []string{"git-x-own.1"}})
	if data, _ := os.ReadFile(filepath.Join(dir, "git-x.1")); !strings.Contains(string(data), "better") {
		t.Error("a page was written beside a refusal")
	}
	target := filepath.Join(dir, "..", "target")
	if err := os.WriteFile(target, []byte(marker+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(dir, "git-x-link.1")); err == nil {
		c, err = Install(dir, "git-x", []Page{page("git-x-link", "x")})
		check("nor is a link followed", c, err, Change{Foreign: []string{"git-x-link.1"}})
	}
	c, err = Remove(dir, "git-x")
	check("removal takes ours alone", c, err, Change{Removed: []string{"git-x-b.1", "git-x.1"}})
	for _, name := range []string{"git-x-own.1", "git-other.1"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
