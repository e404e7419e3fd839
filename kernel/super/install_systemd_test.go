package super

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// systemd itself reads the units, and says nothing against them.
func TestSystemdFindsNothingWrongWithTheUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("needs systemd-analyze, of the package systemd")
	}
	program, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	verify := func(service, timer string) string {
		t.Helper()
		dir := t.TempDir()
		args := []string{"verify", "--user", "--man=no"}
		for name, text := range map[string]string{"git-dos-super-n.service": service, "git-dos-super-n.timer": timer} {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(args, path)
		}
		cmd := exec.Command(analyze, args...)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir(), "HOME="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return err.Error() + "\n" + string(out)
		}
		return string(out)
	}
	var plain, wrong string
	for _, dir := range oddPaths {
		i, err := Systemd(InstallEvidence{Words: []string{program, "-C", dir, "super", "tick"}, Dir: dir, Name: "n", Cadence: 90 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		service, timer := i.Files[0].Text, i.Files[1].Text
		if said := verify(service, timer); said != "" {
			t.Errorf("%s: %s", dir, said)
		}
		wrong = strings.Replace(timer, "OnUnitActiveSec=", "OnUnitActiveSecs=", 1)
		plain = service
	}
	if verify(plain, wrong) == "" {
		t.Error("a key that there is not is taken: nothing is verified here")
	}
}
