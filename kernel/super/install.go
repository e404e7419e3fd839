package super

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// An Installation is what would have ticks come at a cadence. Nothing is written: the
// operator puts the files where they say, and runs the commands.
type Installation struct {
	Scheduler string        `json:"scheduler"` // systemd or cron
	Cadence   string        `json:"cadence"`
	Files     []InstallFile `json:"files"`
	Commands  []string      `json:"commands"`
	Declare   string        `json:"declare"` // line of [heartbeats] in dos.toml that has a timer missed which never fires
}

// An InstallFile is one file, or for cron the lines to add to a crontab.
type InstallFile struct {
	Path string `json:"path"` // ~ is the home of whoever installs it; empty for the crontab
	Text string `json:"text"`
}

// An InstallEvidence is what is to be installed: Words are the command of a tick, word by word, and Dir the repository that it is
// for. Name tells the units of several repositories apart. Declare is the line of
// dos.toml by which such a timer is missed.
type InstallEvidence struct {
	Words   []string
	Dir     string
	Name    string
	Cadence time.Duration
	Declare string
}

// check refuses what no unit file or crontab can hold: they have lines.
func (ev InstallEvidence) check() error {
	for _, w := range append([]string{ev.Dir}, ev.Words...) {
		if strings.ContainsFunc(w, unicode.IsControl) || strings.ContainsRune(w, unicode.ReplacementChar) {
			return fmt.Errorf("%q holds a control character, or is not UTF-8: it cannot stand in a unit or a crontab", w)
		}
	}
	if ev.Name == "" || strings.Trim(ev.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		return fmt.Errorf("%q is no name of a unit", ev.Name)
	}
	return nil
}

// Systemd is a service and a timer of the user. The workers outlive the tick that
// starts them, so that only its own process ends with it.
func Systemd(ev InstallEvidence) (Installation, error) {
	if err := ev.check(); err != nil {
		return Installation{}, err
	}
	unit := "git-dos-super-" + ev.Name
	words := make([]string, len(ev.Words))
	for i, w := range ev.Words {
		words[i] = systemdWord(w)
	}
	service := "[Unit]\nDescription=git dos super tick\n\n[Service]\nType=oneshot\nKillMode=process\n" +
		"SuccessExitStatus=3 4 10 11 12 13 14 15\nExecStart=" + strings.Join(words, " ") + "\n"
	timer := fmt.Sprintf("[Unit]\nDescription=git dos super tick, every %s\n\n[Timer]\nOnActiveSec=0\nOnUnitActiveSec=%ds\nAccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n",
		ev.Cadence, int64(ev.Cadence/time.Second))
	return Installation{
		Scheduler: "systemd", Cadence: ev.Cadence.String(),
		Files: []InstallFile{
			{"~/.config/systemd/user/" + unit + ".service", service},
			{"~/.config/systemd/user/" + unit + ".timer", timer},
		},
		Commands: []string{"systemctl --user daemon-reload", "systemctl --user enable --now " + unit + ".timer"},
		Declare:  ev.Declare,
	}, nil
}

// systemdWord is a word of an ExecStart line: quoted, and free of specifiers and
// variables.
func systemdWord(w string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(w) + `"`
}

// Cron is a line of a crontab. It has only cadences that come round with the hour or
// the day.
func Cron(ev InstallEvidence) (Installation, error) {
	if err := ev.check(); err != nil {
		return Installation{}, err
	}
	when, err := cronTime(ev.Cadence)
	if err != nil {
		return Installation{}, err
	}
	words := make([]string, len(ev.Words))
	for i, w := range ev.Words {
		words[i] = verdict.ShellWord(w)
	}
	line := when + " " + strings.ReplaceAll(strings.Join(words, " "), "%", `\%`)
	return Installation{
		Scheduler: "cron", Cadence: ev.Cadence.String(), Files: []InstallFile{{Text: line + "\n"}}, Commands: []string{"crontab -e"},
		Declare: ev.Declare,
	}, nil
}

func cronTime(d time.Duration) (string, error) {
	minutes := int64(d / time.Minute)
	switch {
	case d%time.Minute != 0 || minutes < 1:
	case minutes == 1:
		return "* * * * *", nil
	case minutes < 60 && 60%minutes == 0:
		return fmt.Sprintf("*/%d * * * *", minutes), nil
	case minutes == 60:
		return "0 * * * *", nil
	case minutes%60 == 0 && minutes < 24*60 && 24%(minutes/60) == 0:
		return fmt.Sprintf("0 */%d * * *", minutes/60), nil
	case minutes == 24*60:
		return "0 0 * * *", nil
	}
	return "", fmt.Errorf("a crontab has no line for every %s: it takes minutes that divide an hour, or hours that divide a day", d)
}

// String has each file under its name, and the commands.
func (i Installation) String() string {
	var b strings.Builder
	for _, f := range i.Files {
		name := f.Path
		if name == "" {
			name = "crontab"
		}
		fmt.Fprintf(&b, "# %s\n%s\n", name, f.Text)
	}
	for _, c := range i.Commands {
		fmt.Fprintf(&b, "# run: %s\n", c)
	}
	fmt.Fprintf(&b, "# declare it in [heartbeats] of dos.toml, so that git dos pulse misses a timer that never fires: %s\n", i.Declare)
	return strings.TrimRight(b.String(), "\n")
}

// ExitCode implements [verdict.Verdict].
func (i Installation) ExitCode() int {
	if len(i.Files) == 0 {
		return verdict.NoVerdict
	}
	return verdict.Yes
}
