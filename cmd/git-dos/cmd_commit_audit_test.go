package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/audit"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func TestAWarningIsNoFindingAndNoVerdictStaysNone(t *testing.T) {
	drift := audit.NewSweep()
	drift.Add(audit.Finding{Outcome: audit.Unwitnessed})
	for _, tt := range []struct {
		sweep *audit.Sweep
		allow bool
		want  int
	}{
		{drift, false, verdict.No}, {drift, true, verdict.Yes}, {audit.NewSweep(), true, verdict.Yes},
		{&audit.Sweep{}, true, verdict.NoVerdict}, {&audit.Sweep{}, false, verdict.NoVerdict},
	} {
		if got := (commitAuditLenient{tt.sweep, tt.allow}).ExitCode(); got != tt.want {
			t.Errorf("%+v, allowed %v: exit %d, want %d", tt.sweep, tt.allow, got, tt.want)
		}
	}
}

// auditOut prints n findings the way commit-audit does.
func auditOut(t *testing.T, line string, n int, end bool) string {
	t.Helper()
	var out bytes.Buffer
	app := assemble(streams{in: strings.NewReader(""), out: &out, err: &out}, []verb{{
		command: &cli.Command{Name: "v", Action: func(c *cli.Context) error {
			o := commitAuditOutput{c: c}
			sweep := audit.NewSweep()
			for i := range n {
				f := audit.Audit(audit.Change{ID: fmt.Sprint(i), Subject: "fix: \u202e<&>"})
				sweep.Add(f)
				if err := o.add(f); err != nil {
					return err
				}
			}
			if !end {
				return nil
			}
			return o.end(sweep, true)
		}},
		statuses: map[string][]status{"v": {}},
	}})
	if err := app.RunContext(context.Background(), append([]string{"git-dos"}, strings.Fields(line)...)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAnArrayIsWholeOrHasNoEnd(t *testing.T) {
	for _, n := range []int{0, 1, 2, 10000} {
		out := auditOut(t, "--json v", n, true)
		var list []audit.Finding
		if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) != n || strings.Count(out, "\n") != 1 {
			t.Errorf("%d findings: %d read, %v, %d lines", n, len(list), err, strings.Count(out, "\n"))
		}
	}
	if out := auditOut(t, "--json v", 10, false); out != "" {
		t.Errorf("an audit that failed early printed %q", out)
	}
	out := auditOut(t, "--json v", 10000, false)
	if len(out) < commitAuditHeld || json.Valid([]byte(out)) {
		t.Errorf("an audit that failed late printed %d bytes, valid JSON: %v", len(out), json.Valid([]byte(out)))
	}
}

func TestAuditLinesAreSafeToLookAt(t *testing.T) {
	out := auditOut(t, "v", 2, true)
	if strings.ContainsRune(out, '\u202e') || strings.Count(out, "\n") != 3 || !strings.HasSuffix(out, "\n2 commits: 2 unwitnessed, 0 witnessed, 0 abstained\n") {
		t.Errorf("printed %q", out)
	}
	if out := auditOut(t, "--quiet v", 2, true); out != "" {
		t.Errorf("--quiet printed %q", out)
	}
}

func TestAnAuditEndsWhenNobodyReads(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo")
	for _, args := range [][]string{
		{"init", "-q", dir},
		{"-C", dir, "-c", "user.name=w", "-c", "user.email=w@example.com", "commit", "-q", "--allow-empty", "-m", "fix: x"},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	var errs bytes.Buffer
	s := streams{in: strings.NewReader(""), out: brokenWriter{errors.New("disk full")}, err: &errs}
	code := run(context.Background(), []string{"git-dos", "-C", dir, "commit-audit"}, s)
	if code != verdict.NoVerdict || !strings.Contains(errs.String(), "write the answer: disk full") {
		t.Errorf("exit %d, %s", code, errs.String())
	}
}
