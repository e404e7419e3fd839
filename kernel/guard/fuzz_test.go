package guard

import (
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// FuzzGuard holds that no line makes the guard fall over, and that nothing
// added to what is forbidden makes it allowed.
func FuzzGuard(f *testing.F) {
	for _, s := range []string{"git push --force", "sh -c 'git $x'", "cat <<E\n$(git add .)\nE", "a && b | c; (d) &", "env A=b xargs -I{} git {}", "x=$(y `z`) \"$@\" ${a:-b}", "[[ a ]] && ((1)) <(x) >&2", "git -c a.b=c commit -am\"$x\" -- .", "echo *(x) {a,b} ~ $'\\x41'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := Decide(Evidence{Command: s})
		if (v.Outcome == Allow) != (len(v.Findings) == 0) || v.ExitCode() == verdict.NoVerdict || v.Reason == "" {
			t.Fatalf("%q: %+v", s, v)
		}
		for _, x := range v.Findings {
			if x.Reason == "" || x.Fix == "" || x.Token == "" || x.Outcome == Allow {
				t.Fatalf("%q: %+v", s, x)
			}
		}
		quoted := verdict.ShellWord(s)
		if s == "--" || s == "--end-of-options" { // behind which no option stands
			return
		}
		for _, line := range []string{
			"git push --force\n" + s, "git push --force; " + s, "git commit -m " + quoted + " --amend", "git push origin " + quoted + " --force", "git push --force -- " + quoted,
			"X=" + quoted + " git reset --hard", "env -- nice git push --force " + quoted, "sh -c 'git push --force' " + quoted,
		} {
			if Decide(Evidence{Command: line}).Outcome == Allow {
				t.Fatalf("%q is allowed", line)
			}
		}
		inner := Decide(Evidence{Argv: []string{"sh", "-c", s}})
		if v.Outcome != Allow && inner.Outcome == Allow && s != "" && s[0] != '-' && s[0] != '+' {
			t.Fatalf("%q is %s, and allowed in sh -c", s, v.Outcome)
		}
		if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }) || len(s) > 1000 || unreadable(quoted) != "" {
			return
		}
		argv, line := Decide(Evidence{Argv: []string{"git", "push", "origin", s}}), Decide(Evidence{Command: "git push origin " + quoted})
		if argv.Outcome != line.Outcome && !strings.HasPrefix(s, "=") { // which ShellWord leaves bare, and zsh expands
			t.Fatalf("%q is %s as a word and %s in a line", s, argv.Outcome, line.Outcome)
		}
	})
}
