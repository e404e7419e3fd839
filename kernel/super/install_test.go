package super

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

var oddPaths = []string{"/srv/repo", "/srv/my repo", "/srv/it's", `/srv/a"b\c`, "/srv/100%", "/srv/$HOME/`id`", "/srv/a;b&c|d", "/srv/größe", "/srv/*?[x]"}

func TestACrontabLineIsOneCommandWhateverThePath(t *testing.T) {
	sh, err := exec.LookPath("sh")
	for _, dir := range oddPaths {
		i, ierr := Cron(InstallEvidence{Words: []string{"printf", "%s\\n", dir, ""}, Dir: dir, Name: "n", Cadence: 10 * time.Minute})
		if ierr != nil {
			t.Fatal(ierr)
		}
		line := strings.TrimSuffix(i.Files[0].Text, "\n")
		rest, ok := strings.CutPrefix(line, "*/10 * * * * ")
		if !ok || strings.Contains(line, "\n") || strings.Contains(strings.ReplaceAll(rest, `\%`, ""), "%") {
			t.Errorf("%q", line) // cron makes a line of each % that is not escaped
		}
		if err != nil {
			continue // no shell here
		}
		out, rerr := exec.Command(sh, "-c", strings.ReplaceAll(rest, `\%`, "%")).Output()
		if rerr != nil || string(out) != dir+"\n\n" {
			t.Errorf("%s: the shell reads %q, %v", line, out, rerr)
		}
	}
}

// systemdWords reads an ExecStart line as systemd does: quotes, backslashes, and doubled
// specifiers and dollars.
func systemdWords(line string) (words []string) {
	for _, w := range strings.Split(strings.Trim(line, `"`), `" "`) {
		words = append(words, strings.NewReplacer(`\\`, `\`, `\"`, `"`, `%%`, `%`, `$$`, `$`).Replace(w))
	}
	return words
}

func TestAUnitHasOneWordForEachWord(t *testing.T) {
	for _, dir := range oddPaths {
		i, err := Systemd(InstallEvidence{Words: []string{"/usr/bin/git-dos", "-C", dir, "super", "tick"}, Dir: dir, Name: "n", Cadence: 90 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		service, timer := i.Files[0].Text, i.Files[1].Text
		_, line, _ := strings.Cut(service, "ExecStart=")
		if got := systemdWords(strings.TrimSuffix(line, "\n")); len(got) != 5 || got[2] != dir {
			t.Errorf("%s: %q", dir, got)
		}
		bare := strings.NewReplacer(`%%`, "", `$$`, "").Replace(line)
		if strings.ContainsAny(bare, "%$") {
			t.Errorf("a specifier or a variable is left in %s", line)
		}
		if !strings.Contains(service, "\nKillMode=process\n") || !strings.Contains(timer, "\nOnUnitActiveSec=5400s\n") {
			t.Errorf("%s%s", service, timer)
		}
	}
}

func TestWhatCannotStandInAUnitIsRefused(t *testing.T) {
	for _, ev := range []InstallEvidence{
		{Words: []string{"git-dos", "a\nExecStart=evil"}, Dir: "/r", Name: "n", Cadence: time.Hour},
		{Words: []string{"git-dos"}, Dir: "/r\x00", Name: "n", Cadence: time.Hour},
		{Words: []string{"git-dos"}, Dir: "/r\xff", Name: "n", Cadence: time.Hour},
		{Words: []string{"git-dos"}, Dir: "/r", Name: "../n", Cadence: time.Hour},
		{Words: []string{"git-dos"}, Dir: "/r", Cadence: time.Hour},
	} {
		for _, make := range []func(InstallEvidence) (Installation, error){Systemd, Cron} {
			if i, err := make(ev); err == nil || i.ExitCode() != 2 {
				t.Errorf("%q: %v", ev, i)
			}
		}
	}
}

func TestACrontabHasOnlyCadencesThatComeRound(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Minute: "* * * * *", 15 * time.Minute: "*/15 * * * *", time.Hour: "0 * * * *", 6 * time.Hour: "0 */6 * * *", 24 * time.Hour: "0 0 * * *",
		90 * time.Minute: "", 7 * time.Minute: "", 5 * time.Hour: "", 48 * time.Hour: "", 30 * time.Second: "", 61 * time.Second: "", 0: "",
	} {
		got, err := cronTime(d)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", d, got, err)
		}
	}
}
