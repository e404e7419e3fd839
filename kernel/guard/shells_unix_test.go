//go:build unix

package guard

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// pieces of lines. Nothing that a shell finds under these names does more than
// start what it is told.
var pieces = []string{
	"git", " git push -f", "git push --force ", "git add .", "push", " -f ", "--force", "commit --amend", "'git' ", "g\\it ", "\"git\" ", "gi''t ", "$G ", "\"$G\" ", "${G} ", "$X", "\"$X\"", "G=git ", "X=-f ", "export G=git;",
	"env ", "nice ", "exec ", "command ", "eval ", "sh -c ", "bash -c ", "xargs ", "echo ", ":", "timeout 1 ", "nohup ", "alias a=git\n", "f() { ", "f ", "\"$@\"", "$1", "set -- git push -f;", "trap ", " EXIT",
	";", " && ", " || ", " | ", " & ", "\n", "(", ")", "{ ", "; }", "$(", "`", "<(", "((", "))", "[[ ", " ]]", "!", "'", "\"", "\\", "\\\n", "#", " ", "\t",
	"<<E\n", "\nE\n", "<<'E'\n", "<<<", ">x ", "&>x ", ">&x ", "2>&1 ", "|& ", "<x ", "if ", "; then ", "; fi", "for i in git push; do ", "; done", "while ", "case x in x) ", ";; esac", "{git,push,-f}", "$'git'", "$\"git\"", "~", "*", "?", "-- ", "-c ", "-C . ", "=", "+main", "origin ", "-m ", "x ", "${X:-git}", "$((", "coproc ", "time ", "-p ",
}

// A shell that really runs a line starts nothing that is forbidden, unless the
// guard has not allowed the line. Git is a stand-in that tells its arguments.
func TestWhatIsAllowedStartsNothingForbidden(t *testing.T) {
	bin, work := t.TempDir(), t.TempDir()
	stub := "#!/bin/sh\n{ printf 'git\\036'; for a; do printf '%s\\036' \"$a\"; done; printf '\\035'; } >> \"$TOLD\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(stub), 0o755); err != nil {
		t.Fatal(err)
	}
	var shells []string
	for _, name := range []string{"sh", "bash", "env", "nice", "xargs", "timeout", "nohup"} {
		if found, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(found, filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, "sh") {
				shells = append(shells, found)
			}
		}
	}
	lines, _ := strconv.Atoi(os.Getenv("GITDOS_GUARD_LINES"))
	seed, _ := strconv.ParseUint(os.Getenv("GITDOS_GUARD_SEED"), 10, 64)
	r, ran, forbidden := rand.New(rand.NewPCG(seed, 7)), 0, 0
	for i := range max(lines, 150) {
		var b strings.Builder
		for range 2 + r.IntN(9) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		line := b.String()
		allowed := Decide(Evidence{Command: line}).Outcome == Allow
		for _, sh := range shells {
			told := filepath.Join(bin, "told"+strconv.Itoa(i)+filepath.Base(sh)) // its own, for what outlives the line
			cmd := exec.Command(sh, "-c", line)
			cmd.Dir, cmd.Env = work, []string{"PATH=" + bin, "HOME=" + work, "TOLD=" + told}
			cmd.Run()
			out, _ := os.ReadFile(told)
			for call := range strings.SplitSeq(strings.TrimSuffix(string(out), "\035"), "\035") {
				argv := strings.Split(strings.TrimSuffix(call, "\036"), "\036")
				if call == "" {
					continue
				}
				ran++
				if v := Decide(Evidence{Argv: argv}); v.Outcome == Deny {
					forbidden++
					if allowed {
						t.Errorf("%s -c %q runs %q, and the line is allowed", filepath.Base(sh), line, argv)
					}
				}
			}
		}
	}
	if ran == 0 || forbidden == 0 {
		t.Errorf("%d calls of git were seen, %d of them forbidden: the test proves nothing", ran, forbidden)
	}
	t.Logf("%d calls of git, %d of them forbidden", ran, forbidden)
}
