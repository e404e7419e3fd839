//go:build unix

package hookset

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func FuzzParseShim(f *testing.F) {
	f.Add([]byte("#!/bin/sh\n"))
	f.Add(Shim{Format: Format, Hook: "pre-push", Program: "/opt/it's/git-dos", Order: First, Chained: "pre-push.dos-prev"}.Render())
	f.Add([]byte("#!/bin/sh\n" + marker + `{"format":1,"hook":"../x","chained":"/x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, c := parseShim(data)
		if c == ours && (!bytes.Equal(s.Render(), data) || s.check() != nil) {
			t.Errorf("%q is taken for ours", data)
		}
		if c == ours && bytes.ContainsRune(data, '\r') {
			t.Errorf("%q is taken to run", data)
		}
	})
}

func TestAShimSaysWhatItIs(t *testing.T) {
	program := "/opt/it's a \"path\"/$(x)`y`\\z/git-dos"
	for _, s := range []Shim{
		{Format: Format, Hook: "pre-push", Program: program},
		{Format: Format, Hook: "pre-push", Program: "C:/Program Files/git-dos.exe", Order: Last, Chained: "pre-push.dos-prev"},
		{Format: Format, Hook: "pre-push", Program: program, Order: First, Chained: ".githooks/it's/pre-push"},
		{Format: Format, Hook: "post-commit", Chained: "/x/post-commit"},
		{Format: Format, Hook: "pre-receive", Program: program},
		{Format: Format, Hook: "post-receive", Program: program, Order: First, Chained: "post-receive.dos-prev"},
	} {
		if err := s.check(); err != nil {
			t.Error(err)
		}
		if got, c := parseShim(s.Render()); got != s || c != ours {
			t.Errorf("%+v is read as %+v, %s", s, got, c)
		}
		if _, c := parseShim(bytes.ReplaceAll(s.Render(), []byte("\n"), []byte("\r\n"))); c != crlf {
			t.Errorf("with CRLF it is %s", c)
		}
		cmd := exec.Command("sh", "-n")
		cmd.Stdin = bytes.NewReader(s.Render())
		if out, err := cmd.CombinedOutput(); err != nil || bytes.ContainsRune(s.Render(), '\r') {
			t.Errorf("%+v: %v\n%s%s", s, err, out, s.Render())
		}
	}
	for _, s := range []Shim{
		{},
		{Format: Format, Hook: "pre-push"},
		{Format: Format, Hook: "../pre-push", Program: program},
		{Format: Format, Hook: "pre-push", Program: "git-dos"},
		{Format: Format, Hook: "pre-push", Program: "/x\ny"},
		{Format: Format, Hook: "pre-push", Program: "/x\xff"},
		{Format: Format, Hook: "pre-push", Program: program, Chained: "pre-push.dos-prev"},
		{Format: Format, Hook: "pre-push", Program: program, Order: First},
		{Format: Format, Hook: "pre-push", Program: program, Order: First, Chained: "commit-msg.dos-prev"},
		{Format: Format, Hook: "pre-push", Program: program, Order: "beside", Chained: "/x"},
		{Format: Format + 1, Hook: "pre-push", Program: program},
	} {
		if s.check() == nil {
			t.Errorf("%+v can be written", s)
		}
	}
}

func TestAShimRunsAPathOfAnyLetters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's a \"path\" $(touch x) `touch y`")
	program := filepath.Join(dir, "git-dos")
	writeFile(t, program, "#!/bin/sh\necho ran \"$@\"\n", 0o755)
	hook := filepath.Join(t.TempDir(), "pre-commit")
	writeFile(t, hook, string(Shim{Format: Format, Hook: "pre-commit", Program: program}.Render()), 0o755)
	out, err := exec.Command(hook).CombinedOutput()
	if err != nil || string(out) != "ran hook pre-commit --\n" {
		t.Errorf("%v\n%s", err, out)
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(hook).CombinedOutput(); err == nil || !strings.Contains(string(out), program) || strings.Count(string(out), "\n") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
}

// Where a push arrives, whoever runs git has a PATH of their own.
func TestAServersShimLooksNowhereElse(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "git-dos"), "#!/bin/sh\necho another\n", 0o755)
	gone := filepath.Join(dir, "it's gone", "git-dos")
	for name, comes := range map[string]string{"pre-receive": "refused", "update": "refused", "post-receive": "no receipt is written"} {
		hook := filepath.Join(t.TempDir(), name)
		s := Shim{Format: Format, Hook: name, Program: gone}
		writeFile(t, hook, string(s.Render()), 0o755)
		cmd := exec.Command(hook)
		cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if want := "git-dos: " + name + ": " + comes + ", because git-dos is not at " + gone; err == nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%v\n%s", err, out)
		}
		t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
		if found := programFor(s); found != "" {
			t.Errorf("%s is said to call %s", name, found)
		}
	}
}
